"""Runs of other kinds and in other programs' logs, labelled by their true outcome."""
