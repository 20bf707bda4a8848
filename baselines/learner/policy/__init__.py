"""Networks, and the PPO policies that are built from them."""
