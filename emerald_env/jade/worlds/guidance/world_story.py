"""A world's story on its maps: what whoever proves it asks for, and a guide more than that."""

from collections.abc import Collection
from functools import cached_property

from emerald_env.jade.maps import STEPS, MapId, Place, read_world
from emerald_env.jade.worlds.demanding.demands import DEMANDS, demanded, has_rock, readers_place
from emerald_env.jade.worlds.guidance.boulders import FIERY_PATH, Boulders
from emerald_env.jade.worlds.guidance.errands import (
    COAST,
    COAST_ERRANDS,
    FULL_ERRANDS,
    HARDER_ERRANDS,
    WEST,
    Errand,
)
from emerald_env.jade.worlds.guidance.taught_moves import CUT, FIELD_MOVES, ROCK_SMASH, STRENGTH
from emerald_env.jade.worlds.guidance.ways import Ways
from emerald_env.jade.worlds.outdoors.onlookers import Onlookers
from emerald_env.jade.worlds.rom_tables import RomTables, Thing, obstacles


class Story:
    """The errands of a world, and the ways in it.

    Args:
        rom: of the world.
        maps: on which ways are asked for; None: on all.

    Attributes:
        tables: of the ROM.
        ways: all steps on these maps.
        demands: what its world asks of the player.
        errands: of its story; those with a name lead to a milestone.
        field_moves: that must be learnt in it.
        elsewhere: by map, who and what never steps aside.
    """

    def __init__(self, rom: bytes, maps: Collection[MapId] | None = None) -> None:
        self.tables = RomTables(rom)
        self.ways = Ways(read_world(self.tables), maps)
        self.demands = {name for name in DEMANDS if demanded(self.tables, name)}
        asked = {
            CUT: "lessons" in self.demands,
            ROCK_SMASH: has_rock(self.tables),
            STRENGTH: self.has_coast,
        }
        self.field_moves = tuple(FIELD_MOVES[move] for move in asked if asked[move])
        self.errands = self._mainland() + (COAST_ERRANDS if self.has_coast else ())
        self.elsewhere = obstacles(self.tables)

    def _mainland(self) -> tuple[Errand, ...]:
        """Returns the errands before the coast: lessons only in what is in the way."""
        reader = readers_place(self.tables)
        given = {each.received for each in self.field_moves}
        taught = {each.move for each in self.field_moves if "lessons" in self.demands}
        mainland = (
            each._replace(map=reader.map, thing=f"{reader.kind} {reader.number}")
            if each.name == "letter_delivered"
            else each
            for each in HARDER_ERRANDS
            if each.name or each.number in (taught if each.how == "teach" else given)
        )
        further = FULL_ERRANDS if self.has_west else {}
        return tuple(every for each in mainland for every in (*further.get(each.name, ()), each))

    @property
    def has_coast(self) -> bool:
        """Whether the story goes on beyond the far beach."""
        return COAST <= self.tables.headers.keys()

    @property
    def has_west(self) -> bool:
        """Whether there are scenes between Oldale and Rustboro."""
        return WEST <= self.tables.headers.keys()

    @property
    def milestones(self) -> tuple[str, ...]:
        """The milestones of the world's story, in their order."""
        return tuple(each.name for each in self.errands if each.name)

    @cached_property
    def boulders(self) -> Boulders:
        """The boulders of a world with a coast."""
        return Boulders(self.ways, self.elsewhere[FIERY_PATH].values())

    @cached_property
    def onlookers(self) -> Onlookers:
        """The trainers who walk up to the player."""
        return Onlookers(self.tables, self.ways)

    def sides(self, errand: Errand, place: tuple[int, int] | None = None) -> dict[Place, str]:
        """Returns the tiles to go to, each with the direction to face there.

        Args:
            errand: what to do.
            place: of somebody who has left his; None: as in the tables.
        """
        if not errand.thing:
            return dict.fromkeys(sorted(self.ways.tiles(errand.map)), "down")
        x, y = place or self.tables.place(thing_of(errand))
        if errand.how == "go":
            return {(*errand.map, x, y): "down"}
        return {(*errand.map, x - dx, y - dy): d for d, (dx, dy) in STEPS.items()}


def thing_of(errand: Errand) -> Thing:
    """Returns the person, trigger or sign that an errand is about."""
    return Thing.of(errand.map, errand.thing)
