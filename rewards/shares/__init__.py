"""Which terms earn the reward during training."""
