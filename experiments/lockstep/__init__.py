"""Compares our interpreter with mGBA's own."""
