"""What demanding worlds ask of the player beyond the story, as the real game does."""
