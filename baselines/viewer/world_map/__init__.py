"""The map of the games' world: pictures of the ground, layers of what happened, a film."""
