"""What plays and is taught: networks, and the policies of PPO that are made of them."""
