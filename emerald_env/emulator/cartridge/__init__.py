"""The cartridge in a console, and what can be saved of a game."""
