"""Gymnasium wrappers around one game."""
