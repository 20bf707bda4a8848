"""A page in the browser that shows a training: the games, the map of the world, the run."""
