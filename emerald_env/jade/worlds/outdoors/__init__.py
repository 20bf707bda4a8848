"""Outdoor maps, which each world grows anew."""
