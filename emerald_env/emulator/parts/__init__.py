"""What a console is made of, a class each: memory and what watches it."""
