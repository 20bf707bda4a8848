"""The learner on Atari Breakout, compared with published results."""
