"""Watching a run's health, and acting on a collapse."""
