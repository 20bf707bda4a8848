"""Faults that a training must survive."""
