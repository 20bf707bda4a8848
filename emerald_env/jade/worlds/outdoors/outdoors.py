"""Grows outdoor maps: exits that meet the neighbours', gates, houses, people."""

import random
from collections.abc import Iterable
from typing import Final

from emerald_env.jade.maps import STEPS, MapId
from emerald_env.jade.worlds.guidance.errands import COAST
from emerald_env.jade.worlds.letters import Drawing
from emerald_env.jade.worlds.outdoors.thicket import Thicket
from emerald_env.jade.worlds.places import HIDDEN, HOUSES
from emerald_env.jade.worlds.rom_tables import PLACE, SAY, RomTables, Thing, obstacles_on

ATTEMPTS: Final = 60


class Outdoors:
    """Grows one outdoor map after the other."""

    def __init__(self, tables: RomTables, chance: random.Random, large: bool) -> None:
        self.tables, self.chance, self.large = tables, chance, large
        self.doors: list[tuple[int, int]] = []  # of the last map

    def even(self, least: int, most: int) -> int:
        """Returns an even number."""
        return 2 * self.chance.randrange(least // 2, most // 2 + 1)

    def grown(
        self,
        at: MapId,
        area: tuple[int, int, int, int],
        needed: list[tuple[int, int]],
        winding: tuple[int, int],
        *,
        kind: str = ",T",
        exits: tuple[tuple[int, int], ...] = (),
        houses: tuple[str, ...] = (),
    ) -> Thicket:
        """Returns a map's ground with its houses and ways.

        Args:
            at: map.
            area: that is grown anew, in tiles.
            needed: tiles that must be joined.
            winding: how many detours and clearings there are.
            kind: letters of floor and wall.
            exits: blocks with somebody who bars the way.
            houses: without a way in.

        Raises:
            ValueError: no attempt joined everything.
        """
        for _ in range(ATTEMPTS):
            drawing = Drawing.of(self.tables.unpack("<H", self.tables.headers[at] + 18)[0])
            drawing.houses = []
            ground = Thicket.of(drawing, self.chance, area, kind)
            for x, y in exits:
                ground.leave_through(x, y)
            for x, y in needed:
                ground.need(x, y)
            ground.ends = needed
            try:
                self.doors = [ground.build(house) for house in (*HOUSES.get(at, ()), *houses)]
                ground.grow(*winding, self.large)
            except ValueError:
                continue
            for number, door in enumerate(self.doors[: len(HOUSES.get(at, ()))]):
                self.tables.move(Thing(at, "warp", number), *door)
            return ground
        raise ValueError(f"nothing fits on map {at}")

    def wood(
        self,
        drawing: Drawing,
        area: tuple[int, int, int, int],
        needed: Iterable[tuple[int, int]],
        winding: tuple[int, int],
        kind: str = ",T",
    ) -> Thicket:
        """Returns a part of a map that is grown, without houses; see `grown`."""
        wood = Thicket.of(drawing, self.chance, area, kind)
        wood.ends = [*needed]
        for x, y in wood.ends:
            wood.need(x, y)
        wood.grow(*winding, self.large)
        return wood

    def mouths(
        self,
        at: MapId,
        drawing: Drawing,
        tiles: Iterable[tuple[int, int]],
        first: int = 0,
        letter: str = "E",
    ) -> None:
        """Puts ways into the dark, the map's warps from one on; rocks stand for a cut tree."""
        for number, tile in enumerate(tiles, first):
            x, y = tile
            if drawing.rows[y][x] == "T":
                drawing.fill("o", x & ~1, y & ~1, 2, 2)
            drawing.fill(letter, *tile)
            self.tables.move(Thing(at, "warp", number), *tile)

    def finish(
        self,
        at: MapId,
        ground: Thicket,
        gone: tuple[str, ...] = (),
        sown: str = ":",
        part: float = 0.1,
    ) -> None:
        """Puts everybody somewhere, and the map into the ROM.

        Raises:
            ValueError: somebody found no room, or bars the way.
        """
        for thing, _ in list(self.tables.things(at)):
            name = f"{thing.kind} {thing.number}"
            if thing.kind in ("person", "sign") and name not in gone:
                x, y = ground.spot()
                self.tables.move(thing, x, y)
                if thing.kind == "sign":
                    ground.drawing.fill("+" if thing in HIDDEN else "s", x, y)
        ground.scatter(sown, part)
        self.store(at, ground.drawing)
        self.check_way(at, ground)

    def settle(
        self,
        at: MapId,
        drawing: Drawing,
        people: Iterable[Thicket],
        signs: Iterable[Thicket],
        first: int = 0,
    ) -> None:
        """Puts people, from one number on, and then signs somewhere in their woods."""
        for number, wood in enumerate(people, first):
            self.tables.move(Thing(at, "person", number), *wood.spot())
        for number, wood in enumerate(signs):
            drawing.fill("s", *(spot := wood.spot()))
            self.tables.move(Thing(at, "sign", number), *spot)

    def store(self, at: MapId, drawing: Drawing) -> None:
        """Puts a map's layout into the ROM."""
        self.tables.set_grid(at, drawing.width, drawing.height, drawing.cells())

    def check_way(self, at: MapId, ground: Thicket) -> None:
        """Sees early what no proof would accept: that a way through a map in the ROM is barred.

        Raises:
            ValueError: somebody bars it; on the coast, where people go away, who never does.
        """
        people = obstacles_on(self.tables, at).items()
        staying = {tile for tile, who in people if at not in COAST or not who.flag}
        free = self.tables.free_tiles(at) - (ground.spots & staying)
        found = {*(todo := ground.ends[:1])}
        for x, y in todo:  # it grows at its end
            further = free.intersection((x + dx, y + dy) for dx, dy in STEPS.values()) - found
            found |= further
            todo += further
        if not found.issuperset(ground.ends):
            raise ValueError(f"somebody bars the way on map {at}")

    def gate(self, at: MapId, ground: Thicket, number: int, x: int, y: int, fence: str) -> None:
        """A person and a fence bar an exit, until the person steps aside.

        Args:
            at: map.
            ground: of the map.
            number: of the person.
            x: where the person stands; to the north or west lies the exit.
            y: the same.
            fence: letter of the fence beside the person.
        """
        north = y == 2
        ground.drawing.fill(fence, x + north, y + (not north))
        self.tables.move(Thing(at, "person", number), x, y)
        for script in self.tables.map_scripts(at):
            for command in self.tables.commands(script, PLACE):
                self.tables.pack("<2H", command + 2, x + 1, y + 1)

    def point(self, sign: Thing, old: str, new: str, door: tuple[int, int]) -> None:
        """Lets a sign say in which direction a door lies, where `new` has {}."""
        x, y = self.tables.place(sign)
        self.say(sign, old, new.replace("{}", direction(door[0] - x, door[1] - y)))

    def say(self, thing: Thing, old: str, new: str) -> None:
        """Changes a part of what somebody says."""
        for command in self.tables.commands(self.tables.script(thing), SAY):
            text = self.tables.text(self.tables.word(command + 8))
            if old in text:
                address = self.tables.add_text(text.replace(old, new))
                self.tables.pack("<I", command + 8, address)


def direction(x: int, y: int) -> str:
    """Returns the words for a direction."""
    across = "west" if x < 0 else "east"
    along = "north" if y < 0 else "south"
    if abs(x) > 2 * abs(y):
        return across
    return along if abs(y) > 2 * abs(x) else f"{along}-{across}"
