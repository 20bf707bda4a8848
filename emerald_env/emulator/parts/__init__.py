"""What a console is made of, a class each: memory, registers, hooks, symbols, sound, cheats."""
