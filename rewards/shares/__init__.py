"""Which terms the reward is earned by while an agent learns."""
