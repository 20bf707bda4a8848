"""Translates what a game executes to C, once for a ROM: core/README.md."""

from typing import Literal

Core = Literal["auto", "plain", "cached", "translated"]  # what runs the processor
