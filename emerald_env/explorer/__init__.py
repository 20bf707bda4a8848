"""Searching a game without a network: first return, then explore.

Ecoffet et al. 2021, doi:10.1038/s41586-020-03157-9. This is the part that plays; the package
`exploration` decides which cells to return to.
"""

from emerald_env.explorer.cells import Cell, Strength, cell_of, strength_of
from emerald_env.explorer.exact_places import Advice
from emerald_env.explorer.explorer import Burst, Explorer, Found, Job, Round
from emerald_env.explorer.trail import Trail

__all__ = [
    "Advice",
    "Burst",
    "Cell",
    "Explorer",
    "Found",
    "Job",
    "Round",
    "Strength",
    "Trail",
    "cell_of",
    "strength_of",
]
