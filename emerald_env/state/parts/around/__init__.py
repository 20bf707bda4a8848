"""What lies around the player, read only on request."""
