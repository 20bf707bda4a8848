"""Training callbacks, one job each."""
