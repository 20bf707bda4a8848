"""Training: configuration, session folder, callbacks, checkpoints, and the scripts over them."""
