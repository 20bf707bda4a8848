"""Scores recorded episodes again under other presets, without running a game."""

from rewards.rescore.score import Episode, Scores, score

__all__ = ["Episode", "Scores", "score"]
