"""Jade, the built-in game: its ROM, and `walk`, which finds the way through it."""
