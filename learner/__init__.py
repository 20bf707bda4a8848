"""The learner: PPO with its options, policies and networks; it knows only what games show."""
