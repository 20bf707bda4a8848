"""The learner: PPO with its options, policies and networks; it depends only on what games show."""
