"""Jade, the built-in game: its ROM, and `walk`, which plays it through."""
