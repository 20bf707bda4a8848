"""Where episodes begin: a new game, a save state or a save file."""
