"""Rewards of the user's own: functions and classes in Python."""
