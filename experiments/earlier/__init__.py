"""Whether a network's health warns of a breakdown earlier than PPO's own numbers do."""
