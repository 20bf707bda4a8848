"""The same training, evaluation and exploration on a Ray cluster, and sweeps over settings."""
