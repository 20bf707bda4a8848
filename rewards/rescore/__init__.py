"""Scores recorded episodes again under other presets, without running a game."""

from rewards.rescore.score import RescoredEpisode, Scores, score

__all__ = ["RescoredEpisode", "Scores", "score"]
