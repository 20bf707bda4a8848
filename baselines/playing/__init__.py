"""Playing one game with an agent or a person, showing it, and totalling its reward."""
