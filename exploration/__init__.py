"""Exploring a game, and learning from what was found: archive, search, curriculum."""
