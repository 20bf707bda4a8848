"""Recorded episodes: the file format, and playing them again."""
