"""Proves on the tables that a world's story can be played."""

from emerald_env.jade.maps import Place
from emerald_env.jade.worlds.errands import ERRANDS, NURSES, SAILORS, Errand
from emerald_env.jade.worlds.guide import Guide

START: Place = (25, 40, 1, 2)
HOME_BED: Place = (1, 1, 4, 2)  # where one wakes up before there was a centre


def find_trap(rom: bytes) -> str | None:
    """Returns what cannot be reached from some tile that the player can get to; None: all can.

    All people stand in the way but those who step aside. The sea is crossed by boat only.
    """
    guide = Guide(rom)
    blocked = guide.standing()
    ways = guide.ways
    for start, errands in _parts():
        reached = ways.reached([start], blocked)
        for errand in errands:
            distances = ways.distances(guide.sides(errand), blocked)
            if lost := reached - distances.keys():
                return f"no way from {min(lost)} to {errand.thing} of {errand.map}"
    return None


def _parts() -> list[tuple[Place, list[Errand]]]:
    """Returns where the player first stands on each side of the sea, and what is to do there."""
    island = {(0, 11), (3, 1), (3, 3), (24, 7)}
    errands = [e for e in ERRANDS if e.map not in {(0, 9)} | island]
    beds = [Errand("flag", 0, 1, "use", at, "person 0") for at in (*NURSES, *SAILORS)]
    mainland = [*errands, *(e for e in beds if e.map not in island | {(0, 24)})]
    return [(START, mainland), (HOME_BED, mainland)]
