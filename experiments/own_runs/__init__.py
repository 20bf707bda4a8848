"""Healthy runs of our own of ten kinds, and their twins with one fault each."""
