"""Proves that the switches, the cable car and the lessons of a world do what its story needs."""

from collections.abc import Iterator
from typing import Final

from emerald_env.jade.maps import MapId, Place
from emerald_env.jade.worlds.guidance.errands import SWITCHES, Errand, use
from emerald_env.jade.worlds.guidance.taught_moves import FIELD_MOVES
from emerald_env.jade.worlds.guidance.world_story import Story, thing_of
from emerald_env.jade.worlds.rom_tables import COMMAND, GIVE_ITEM, Thing

WALLS_ON_WHEELS: Final = frozenset({12, 15})  # graphicsId (jade/src/art/assets.h)
STATIONS: Final = ((19, 0), (19, 1))  # of the cable car
RIDE, RIDES_END = "trigger 0", "warp 2"  # what begins a ride, and what says where it ends


def find_thing_trap(story: Story) -> str | None:
    """Returns which switch, trigger or gift keeps a world's story from being played.

    Returns:
        What is wrong, None if nothing is.
    """
    halls = dict.fromkeys(at for at, *_ in SWITCHES)
    found = (*(_hall_trap(story, at) for at in halls), _ride_trap(story), _lesson_trap(story))
    return next(filter(None, found), None)


def _hall_trap(story: Story, hall: MapId) -> str | None:
    """Returns the switch of a hall that cannot be reached, or its leader, with the walls shut."""
    leader = use(hall, "person 0")
    standing = {(*hall, *tile) for thing, tile in story.tables.things(hall) if thing.kind == "warp"}
    for at, flag, pulled, switch in SWITCHES:
        if at != hall:
            continue
        reached = story.ways.reached(standing, _shut(story, hall, flag, pulled))
        if reached & story.sides(leader).keys():
            return None
        standing = reached & story.sides(use(hall, switch)).keys()
        if not standing:
            return f"no way to {switch} of {hall} while the walls are shut"
        last = flag, not pulled
    if story.ways.reached(standing, _shut(story, hall, *last)) & story.sides(leader).keys():
        return None
    return f"no way to {leader.thing} of {hall}, whatever switches are pulled"


def _shut(story: Story, hall: MapId, flag: int, is_set: bool) -> set[Place]:
    """Returns the tiles that nobody who stays in a hall can step on while a switch's flag is so.

    The flag hides some walls; where there are others, they are hidden while it is not set.
    """
    outside = {after for place, after in story.ways.crossings if place[:2] == hall}
    return outside | {
        (*hall, *who.tile)
        for who in story.tables.people(hall)
        if who.look not in WALLS_ON_WHEELS or (who.flag == flag) != is_set
    }


def _ride_trap(story: Story) -> str | None:
    """Returns the trigger of the cable car that is not at its door, None if there is none."""
    for at in STATIONS if story.has_coast else ():
        ride, end = Thing.of(at, RIDE), Thing.of(at, RIDES_END)
        if story.tables.place(ride) != story.tables.place(end):
            x, y = story.tables.place(end)
            return f"{ride} is not at {x}, {y}, the door of the cable car"
    return None


def _lesson_trap(story: Story) -> str | None:
    """Returns who does not give the item that a lesson of the story needs."""
    lessons = {each.number: each for each in story.errands if each.kind == "flag"}
    for errand in story.errands:
        if errand.how == "teach":
            move = FIELD_MOVES[errand.number]
            giver = lessons[move.received]
            if move.item not in _given(story, giver):
                return f"{thing_of(giver)} does not give item {move.item}, which the story needs"
    return None


def _given(story: Story, errand: Errand) -> Iterator[int]:
    """Yields the items, one or more of each, that an errand's script gives."""
    tables = story.tables
    for command in tables.commands(tables.script(thing_of(errand)), GIVE_ITEM):
        _, _, item, count, *_ = COMMAND.unpack(tables.read(command, COMMAND.size))
        if count:
            yield item
