"""Scores of a run: their samples, and what they say about the progress of learning."""
