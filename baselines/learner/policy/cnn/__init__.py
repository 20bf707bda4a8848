"""CNNs that see the game's screen."""
