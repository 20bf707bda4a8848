"""Rooms that must be solved: trapdoors and geysers, boulders, and the proof of switches."""
