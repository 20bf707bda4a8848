"""Proves on the tables that the story of a world's coast can be played."""

from collections.abc import Iterator
from typing import Final

from emerald_env.jade.maps import BOULDER, ROCK, Place
from emerald_env.jade.worlds.guidance.beams import BLUE_DOWN, HALL, Beams, HallState
from emerald_env.jade.worlds.guidance.boulders import FIERY_PATH
from emerald_env.jade.worlds.guidance.errands import COAST_ERRANDS, COAST_NURSES, Errand, use
from emerald_env.jade.worlds.guidance.taught_moves import STRENGTH
from emerald_env.jade.worlds.guidance.world_story import Story, thing_of
from emerald_env.jade.worlds.places import BEACH, MAUVILLE
from emerald_env.jade.worlds.rom_tables import RomTables

SET_FLAG, HIDE = 7, 15  # commands of scripts
NARROW: Final = "rival_route110"  # the milestone behind whose triggers the rest lies
# Milestones, and the flag or variable of the errand before which they cannot be reached
GATES: Final = {
    "goods_delivered": 0x94,
    NARROW: 0x95,
    "visited_mauville": 0x4069,
    "badge_3": 0xBE,
    "hm_strength": 0x869,
    "visited_fallarbor": STRENGTH,
    "mt_chimney": 0xCF,
    "visited_lavaridge": 0x8B,
}
LANDING: Final = use(BEACH, "person 0")
NURSE: Final = use(COAST_NURSES[0], "person 0")
NUMBERS: Final = [errand.number for errand in COAST_ERRANDS]
NAMES: Final = [errand.name for errand in COAST_ERRANDS]


def find_coast_trap(story: Story) -> str | None:
    """Returns what cannot be reached, or too early, on the way from the beach to the last badge.

    The errands are taken in order, with everybody in the way who is there then; rocks can be
    smashed, as the second badge needs that, and boulders be pushed, once that is taught.

    Returns:
        What is wrong, None if nothing is, or if the world has no coast.
    """
    if not story.has_coast:
        return None
    start = min(_goals(story, LANDING))
    blocked: set[Place] = set()
    reached: set[Place] = set()
    for done, errand in enumerate(COAST_ERRANDS):
        goals = [errand]
        if (now := _blocked(story, done)) != blocked:
            blocked, reached = now, _reached(story, start, now)
            goals.append(NURSE)
            if lost := story.ways.distances([start], blocked).missing(reached):
                return f"no way from {min(lost)} to the boat"
            if shut := story.onlookers.find_trap(start, blocked, reached):
                return shut
        for each in goals:  # from wherever one gets to a way leads to the boat, and on from there
            if reached.isdisjoint(_goals(story, _before_scene(each))):
                return f"no way from {start} to {each.thing} of {each.map}"
        if problem := _too_early(story, reached, done):
            return problem
    here = {place for place in blocked if place[:2] == FIERY_PATH}
    return story.boulders.find_trap(here) or _hall_trap(story)


def _before_scene(errand: Errand) -> Errand:
    """Returns an errand for which one stands before the triggers that bar the narrow place."""
    return errand._replace(how="use") if errand.name == NARROW else errand


def _too_early(story: Story, reached: set[Place], done: int) -> str | None:
    for name, before in GATES.items():
        errand = _before_scene(COAST_ERRANDS[NAMES.index(name)])
        if NUMBERS.index(before) >= done and not reached.isdisjoint(_goals(story, errand)):
            return f"{name} can be reached before its gate opens"
    return None


def _goals(story: Story, errand: Errand) -> list[Place]:
    """Returns the tiles to stand on for an errand; for those in the hall of beams its mats."""
    if errand.map != HALL:
        return [place for place in story.sides(errand) if place in story.ways.after]
    return [(*HALL, x, y) for thing, (x, y) in story.tables.things(HALL) if thing.kind == "warp"]


def _reached(story: Story, start: Place, blocked: set[Place]) -> set[Place]:
    """Returns the tiles that the player can get to from the boat, but for the hall of beams."""
    found = story.ways.reached([start], blocked | story.ways.tiles(HALL))
    town = found & story.ways.tiles(MAUVILLE)  # where the hall's door is
    doors = {to for place in town for to in story.ways.after[place].values() if to[:2] == HALL}
    return found | (doors - blocked)


def _blocked(story: Story, done: int) -> set[Place]:
    """Returns the tiles of whoever is there after some errands, and of what cannot be passed."""
    aside = {ROCK, BOULDER} if done > NUMBERS.index(STRENGTH) else {ROCK}
    gone = {flag for errand in COAST_ERRANDS[:done] for flag in _hidden(story.tables, errand)}
    blocked = {
        (*at, *tile)
        for at, own in story.elsewhere.items()
        for tile, who in own.items()
        if at != HALL and who.look not in aside and not (who.flag and who.flag in gone)
    }
    if done <= NAMES.index(NARROW):
        narrow = COAST_ERRANDS[NAMES.index(NARROW)].map
        things = story.tables.things(narrow)
        blocked |= {(*narrow, *tile) for thing, tile in things if thing.kind == "trigger"}
    return blocked


def _hidden(tables: RomTables, errand: Errand) -> Iterator[int]:
    """Yields the flags that an errand's script sets: they hide people."""
    if not errand.thing:
        return
    people = {each.number: each.flag for each in tables.people(errand.map)}
    for command in tables.commands(tables.script(thing_of(errand)), SET_FLAG, HIDE):
        operation, who, flag = tables.unpack("<2BH", command)
        if operation == SET_FLAG:
            yield flag
        else:
            yield people[who]


def _hall_trap(story: Story) -> str | None:
    """Returns what is wrong in the hall of beams: wherever one gets to, a way leads on, and out."""
    beams = Beams(story.tables, story.ways)
    people = frozenset((*HALL, *tile) for tile in story.elsewhere[HALL]) - beams.all
    leader = COAST_ERRANDS[NAMES.index("badge_3")]
    on = beams.distances(frozenset(story.sides(leader)), people)
    out = beams.distances(frozenset(), people)
    todo = [HallState(place, BLUE_DOWN) for place in _goals(story, leader)]
    reached = set(todo)
    while todo:
        standing = todo.pop()
        if standing not in on or standing not in out:
            return f"no way from {standing.place} through the beams"
        for after in beams.after(standing, people).values():
            if after.place[:2] == HALL and after not in reached:
                reached.add(after)
                todo.append(after)
    return None
