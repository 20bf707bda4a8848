"""What a run writes: its session folder, curves, clips."""
