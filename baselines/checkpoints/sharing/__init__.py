"""Looking into checkpoints of strangers, taking their weights over, and giving ours away."""
