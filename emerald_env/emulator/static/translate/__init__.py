"""Translates what a game executes to C, once for a ROM: core/README.md."""
