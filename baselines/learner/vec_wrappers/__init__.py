"""Wrappers around many games: what the learner sees of them, and what it is paid."""
