"""A web page that shows a training: the games, the map of the world, the run."""
