"""Battles in a burst: which move does best in a turn, and the keys that choose it."""
