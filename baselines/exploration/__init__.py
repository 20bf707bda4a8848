"""Exploration without a network, and learning from what it finds: archive, search, curriculum."""
