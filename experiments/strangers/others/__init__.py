"""Further kinds of runs: other worlds and faults, and learners that are not PPO."""
