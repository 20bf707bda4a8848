"""Rooms that must be solved: trapdoors and geysers, boulders."""
