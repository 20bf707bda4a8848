"""Proves on the tables that a world's story can be played."""

from collections.abc import Collection
from typing import Final

from emerald_env.jade.maps import SMALL_TREE, MapId, Place
from emerald_env.jade.worlds.demanding.coast_proof import find_coast_trap
from emerald_env.jade.worlds.demanding.demands import TREE, demanded, has_rock
from emerald_env.jade.worlds.demanding.puzzles.needed_things import WALLS_ON_WHEELS, find_thing_trap
from emerald_env.jade.worlds.guidance.errands import (
    ERRANDS,
    FULL_ERRANDS,
    NURSES,
    SAILORS,
    START,
    Errand,
    use,
)
from emerald_env.jade.worlds.guidance.world_story import Story
from emerald_env.jade.worlds.places import BEACH, ISLAND
from emerald_env.jade.worlds.rom_tables import PLACE

HOME_BED: Place = (1, 1, 4, 2)  # where one wakes up before there was a centre
ACROSS_THE_SEA: Final = ISLAND | {BEACH}
# Who bars the way on which map, the milestone that makes him step aside, and one beyond him
GATES: dict[MapId, tuple[int, str, str]] = {
    (0, 9): (1, "met_rival", "birch_in_danger"),
    (0, 16): (3, "starter_given", "visited_oldale"),
    (0, 10): (2, "running_shoes", "visited_petalburg"),
}
# Scenes that bar the way at a map's triggers: the milestone that opens them, and one beyond
SCENES: Final = {
    (0, 0): ("wally_tutorial", "petalburg_woods_grunt"),
    (24, 11): ("petalburg_woods_grunt", "visited_rustboro"),
}
STORY: Final = [every for each in ERRANDS for every in (*FULL_ERRANDS.get(each.name, ()), each)]
NAMES = [errand.name for errand in STORY]
BEHIND_TREE = "visited_dewford"  # the first milestone beyond the tree, where it must be cut
BEHIND_ROCK = "letter_delivered"
SAILOR_IN_DEWFORD: Final = use((0, 11), "person 0")  # beside him one lands
NURSE: Final = use(NURSES[-1], "person 0")  # the island's


def find_trap(rom: bytes) -> str | None:
    """Returns what cannot be reached, or too early, from some tile that the player can get to.

    Returns:
        What is wrong, None if nothing is.
    """
    story = Story(rom)
    return find_mainland_trap(story) or find_coast_trap(story) or find_thing_trap(story)


def find_mainland_trap(story: Story) -> str | None:
    """Returns what is wrong on the mainland or the island, as `find_trap` does.

    The errands of the mainland are taken in order, with the gates closed that are closed then, and
    everybody who can be met in the way: from wherever one gets to a way leads home, and from there
    on; then those of Dewford, with the rocks that nobody can smash yet.
    """
    reached: set[Place] = set()
    closed = ""
    aside = WALLS_ON_WHEELS
    for errand in (*STORY, *(use(at, "person 0") for at in NURSES)):
        if errand.map in ACROSS_THE_SEA or errand.map == SAILORS[1]:
            continue
        if errand.name and errand.name not in story.milestones:
            continue
        errand = _before_scene(errand)
        if errand.name == BEHIND_TREE:
            reached = set()
            if demanded(story.tables, "lessons"):
                aside = WALLS_ON_WHEELS | {SMALL_TREE}
        if errand.number and _gates(errand.name) != closed or not reached:
            closed = _gates(errand.name) if errand.name else closed
            blocked = _blocked(story, closed, aside)
            reached = story.ways.reached([START, HOME_BED], blocked)
            if lost := _cut_off([HOME_BED], story, reached, blocked):
                return f"no way home from {min(lost)}"
            if shut := story.onlookers.find_trap(HOME_BED, blocked, reached):
                return shut
        if reached.isdisjoint(story.sides(errand)):  # from home, and so from wherever one gets to
            return f"no way from home to {errand.thing} of {errand.map}"
    return _open_gate(story) or _island_trap(story)


def _before_scene(errand: Errand) -> Errand:
    """Returns an errand for which one stands before a scene, if it is to walk into one."""
    walks_in = errand.name in {opens for opens, _ in SCENES.values()} and errand.how == "go"
    return errand._replace(how="use") if walks_in else errand


def _cut_off(
    goals: Collection[Place], story: Story, reached: set[Place], blocked: set[Place]
) -> set[Place]:
    """Returns from where no way leads to some tiles; nobody gets back into the truck."""
    missing = story.ways.distances(goals, blocked).missing(reached)
    return {tile for tile in missing if tile[:2] != START[:2]}


def _lost(story: Story, errand: Errand, reached: set[Place], blocked: set[Place]) -> str | None:
    """Returns from where on the island an errand cannot be reached, None if from nowhere."""
    if lost := _cut_off(story.sides(errand), story, reached, blocked):
        return f"no way from {min(lost)} to {errand.thing} of {errand.map}"
    return story.onlookers.find_trap(_landing(story), blocked, reached)


def _island_trap(story: Story) -> str | None:
    """Returns what cannot be reached, or too early, on the sailor's island."""
    aside = WALLS_ON_WHEELS
    taught = {each.move: each.clears for each in story.field_moves}
    closed = _landed(story, aside)
    for errand in story.errands:
        if errand.map not in ACROSS_THE_SEA:
            continue
        if errand.how == "teach":
            aside = aside | {taught[errand.number]}
        elif lost := _lost(story, errand, _landed(story, aside), _blocked(story, "", aside)):
            return lost
        if errand.name == BEHIND_ROCK and has_rock(story.tables):
            if closed & story.sides(errand).keys():
                return f"the rock on the way to {errand.map} can be walked around"
    return _no_way_back(story, aside)


def _no_way_back(story: Story, aside: frozenset[int]) -> str | None:
    """Returns from where on the island one cannot get back to the sailor or the nurse."""
    reached, blocked = _landed(story, aside), _blocked(story, "", aside)
    ways_back = (_lost(story, errand, reached, blocked) for errand in (SAILOR_IN_DEWFORD, NURSE))
    return next(filter(None, ways_back), None)


def _landed(story: Story, aside: frozenset[int]) -> set[Place]:
    """Returns the tiles that can be reached from where one lands in Dewford."""
    return story.ways.reached([_landing(story)], _blocked(story, "", aside))


def _landing(story: Story) -> Place:
    """Returns where one lands in Dewford."""
    return min(story.sides(SAILOR_IN_DEWFORD))


def _gates(milestone: str) -> str:
    """Returns the maps whose gates are closed on the way to a milestone, as text."""
    todo = NAMES.index(milestone) if milestone else len(NAMES)
    opens = [(at, name) for at, (_, name, _) in GATES.items()]
    opens += [(at, name) for at, (name, _) in SCENES.items()]
    return " ".join(str(at) for at, name in opens if NAMES.index(name) >= todo)


def _blocked(story: Story, closed: str, aside: frozenset[int] = WALLS_ON_WHEELS) -> set[Place]:
    """Returns the tiles of everybody, gatekeepers at their places, but for what looks so."""
    blocked = {
        (*at, *tile)
        for at, own in story.elsewhere.items()
        for tile, who in own.items()
        if who.look not in aside
    }
    for at, (who, *_) in GATES.items():
        people = {each.number: each.tile for each in story.tables.people(at)}
        blocked.add((*at, *(people[who] if str(at) in closed else _aside(story, at))))
    for at in SCENES if story.has_west else ():
        if str(at) in closed:
            things = story.tables.things(at)
            blocked |= {(*at, *tile) for thing, tile in things if thing.kind == "trigger"}
    return blocked


def _errand(name: str) -> Errand:
    return _before_scene(STORY[NAMES.index(name)])


def _aside(story: Story, at: MapId) -> tuple[int, int]:
    for script in story.tables.map_scripts(at):
        for command in story.tables.commands(script, PLACE):
            x, y = story.tables.unpack("<2H", command + 2)
            return x, y
    raise LookupError(f"nobody steps aside on map {at}")


def _open_gate(story: Story) -> str | None:
    """Returns a gate that can be walked around, None where there is none."""
    gates = [(at, opens, beyond) for at, (_, opens, beyond) in GATES.items()]
    if story.has_west:
        gates += [(at, *names) for at, names in SCENES.items()]
    for at, opens, beyond in gates:
        reached = story.ways.reached([START], _blocked(story, _gates(opens)))
        if reached & story.sides(_errand(beyond)).keys():
            return f"the gate of {at} can be walked around"
    reached = story.ways.reached([START], _blocked(story, ""))
    if demanded(story.tables, "lessons") and reached & story.sides(_errand(BEHIND_TREE)).keys():
        return f"{TREE} can be walked around"
    return None
