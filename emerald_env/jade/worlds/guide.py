"""Names the set of best keys in any state of Jade, in any of its worlds."""

import struct
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Final

from emerald_env.jade.maps import STEPS, MapId, Place, Readable, read_world
from emerald_env.jade.walker import (
    BORDER,
    CALLBACK2,
    CHOOSING_STARTER,
    FADE,
    IN_BATTLE,
    LOCKED,
    MESSAGE_BOX,
    MESSAGE_BOX_OPEN,
    NAMING,
    OBJECT_COUNT,
    OBJECT_SIZE,
    OBJECTS,
    OVERWORLD,
    PARTY_COUNT,
    SAVE_BLOCK_1_POINTER,
    SCRIPT_STATUS,
    SCRIPT_STOPPED,
)
from emerald_env.jade.worlds.errands import (
    ERRANDS,
    HABITATS,
    LEADERS,
    NURSES,
    SAILORS,
    SWITCHES,
    Errand,
)
from emerald_env.jade.worlds.rom_tables import PLACE, RomTables, Thing
from emerald_env.jade.worlds.ways import Ways

PARTY, MEMBER = 0x020244EC, 100
LEVEL, HP = 84, 86  # of a party member: its level; HP, then its maximum
LAST_HEAL = 0x1C  # in SaveBlock1: map group and number
SCREENS_IN_BATTLE: Final = {0x081B01B1, 0x081AAD5D}  # party, bag: left by B
BATTLE_FUNCTION, CHOOSING = 0x03005D04, 0x0803BE75  # gBattleMainFunc: waits for an action
# gBattlerControllerFuncs and gActionSelectionCursor, by battler; HandleInputChooseAction
CONTROLLERS, CHOOSING_ACTION, ACTION_CURSORS = 0x03005D60, 0x08057589, 0x020244AC
ACTIVE = 0x02024064  # gActiveBattler
BATTLE_SCENE = 0x08038421
VAR_STARTER_MON = 0x4023  # 0 Treecko, 1 Torchic, 2 Mudkip
FLAGS, FLAG_BYTES, VARS, VARS_FROM = 0x1270, 300, 0x139C, 0x4000
BEGUN: Final = {0x0816CEAD, 0x080AA7A5, 0x080AAB2D, 0x0802F6B1}  # title and main menu
FACING: Final = {1: "down", 2: "up", 3: "left", 4: "right"}
INHABITED: Final = {0x02, 0x08}  # MB_TALL_GRASS, MB_CAVE
NO_KEYS: Final[frozenset[str]] = frozenset()
A, B = frozenset({"a"}), frozenset({"b"})


class Guide:
    """Knows a world's maps and the story, and looks at the memory: it remembers nothing.

    Attributes:
        tables: of the ROM.
        ways: all steps in it.
    """

    def __init__(self, rom: bytes) -> None:
        self.tables = RomTables(rom)
        self.ways = Ways(read_world(self.tables))
        self.elsewhere = self._obstacles()
        self.grass = frozenset(
            (*at, x, y)
            for at in HABITATS
            for _, _, x, y in self.ways.tiles(at)
            if self.ways.world[at].behaviour(x, y) in INHABITED
        )
        self._field = lru_cache(512)(self._find_field)
        self._grass_field = lru_cache(512)(partial(self.ways.distances, self.grass))

    def _obstacles(self) -> dict[MapId, dict[tuple[int, int], tuple[int, int]]]:
        """Returns the tiles of people that never step aside, with the flag that hides, the look."""
        found: dict[MapId, dict[tuple[int, int], tuple[int, int]]] = {}
        for at in self.tables.headers:
            movers = {
                self.tables.unpack("<B", command + 1)[0]
                for script in self.tables.map_scripts(at)
                for command in self.tables.commands(script)
                if self.tables.unpack("<B", command)[0] == PLACE
            }
            found[at] = {}
            for thing, tile in self.tables.things(at):
                entry = self.tables.address(thing)
                if thing.kind == "person" and self.tables.unpack("<B", entry)[0] not in movers:
                    flag, look = entry + 20, entry + 1
                    found[at][tile] = (
                        self.tables.unpack("<H", flag)[0],
                        self.tables.unpack("<B", look)[0],
                    )
        return found

    def labels(self, memory: Readable) -> frozenset[str]:
        """Returns the keys of which one is best to press now; none: wait.

        Args:
            memory: the running game (`GBA`, or anything that reads its memory).
        """
        look = Look(memory)
        if not look.block or look.callback in BEGUN or look.callback in (NAMING, CHOOSING_STARTER):
            return A
        if look.in_battle:
            return _in_battle(look)
        if look.callback != OVERWORLD:
            return B
        if look.message_open:
            return A if look.place[:2] in SAILORS and self._must_sail(look) else B
        if not look.free:
            return NO_KEYS if look.busy else B
        return self._walk(look)

    def errand(self, look: "Look") -> Errand | None:
        """Returns what is next in the story; None when it is over."""
        return next((e for e in ERRANDS if look.story(e.kind, e.number) < e.value), None)

    # ---- where to ----

    def _walk(self, look: "Look") -> frozenset[str]:
        errand = self.errand(look)
        if errand is None:
            return NO_KEYS
        people = look.people()
        if look.weak and (keys := self._to(look, people, [_use(at, "person 0") for at in NURSES])):
            return keys
        if keys := self._prepare(errand, look, people):
            return keys
        for goal in self._goals(errand, look):
            if keys := self._to(look, people, [goal]):
                return keys
        return self._to(look, people, [_use(at, "person 0") for at in SAILORS])

    def _prepare(self, errand: Errand, look: "Look", people: frozenset[Place]) -> frozenset[str]:
        """Returns the keys that make a battle with a leader easier, if one is next."""
        leader = LEADERS.get(errand.name)
        if leader is None:
            return NO_KEYS
        if leader.centre and look.last_heal != leader.centre[0]:
            return self._to(look, people, [Errand("flag", 0, 1, "go", leader.centre[1])])
        if look.level >= leader.levels[look.story("var", VAR_STARTER_MON)]:
            return NO_KEYS
        return self._graze(look, people)

    def _graze(self, look: "Look", people: frozenset[Place]) -> frozenset[str]:
        """Returns the keys to the nearest grass where something lives, and on in it."""
        distances = self._grass_field(people)
        steps = self.ways.after.get(look.place, {})
        on = frozenset(d for d, after in steps.items() if distances.get(after) == 0)
        return on or self.ways.best(look.place, distances) or frozenset(steps)

    def _goals(self, errand: Errand, look: "Look") -> list[Errand]:
        switches = [
            _use(at, thing)
            for at, flag, value, thing in SWITCHES
            if at == errand.map == look.place[:2] and look.flag(flag) == value
        ]
        inside = [errand._replace(how="go", thing="")] if look.place[:2] != errand.map else []
        return [errand, *switches, *inside]

    def _must_sail(self, look: "Look") -> bool:
        errand = self.errand(look)
        if errand is None or errand.map in SAILORS and errand.thing == "person 0":
            return errand is not None
        return not any(self._to(look, look.people(), [e]) for e in self._goals(errand, look))

    def _to(self, look: "Look", people: frozenset[Place], errands: list[Errand]) -> frozenset[str]:
        """Returns the keys towards the nearest of some errands; none where there is no way."""
        place = look.place
        sides, distances = self._field(tuple(errands), people, place[:2], look.flags)
        if distances.get(place) != 0:
            return self.ways.best(place, distances)
        return A if sides[place] == look.facing else frozenset({sides[place]})

    def _find_field(
        self, errands: tuple[Errand, ...], people: frozenset[Place], here: MapId, flags: bytes
    ) -> tuple[dict[Place, str], dict[Place, int]]:
        """Returns where to stand for some errands and the direction there, and how far that is."""
        others = {
            (*at, *tile)
            for at, tiles in self.elsewhere.items()
            if at != here
            for tile, (flag, _) in tiles.items()
            if not (flag and flags[flag // 8] >> flag % 8 & 1)
        }
        sides = {tile: facing for errand in errands for tile, facing in self.sides(errand).items()}
        return sides, self.ways.distances(sides, people | others)

    def sides(self, errand: Errand) -> dict[Place, str]:
        """Returns the tiles to go to, each with the direction to face there."""
        if not errand.thing:
            return dict.fromkeys(sorted(self.ways.tiles(errand.map)), "down")
        kind, number = errand.thing.split()
        x, y = self.tables.place(Thing(errand.map, kind, int(number)))
        if errand.how == "go":
            return {(*errand.map, x, y): "down"}
        return {(*errand.map, x - dx, y - dy): d for d, (dx, dy) in STEPS.items()}


@lru_cache(64)
def guide_of(rom: Path) -> Guide:
    """Returns the guide of a world's ROM, one for all games of a process."""
    return Guide(rom.read_bytes())


def _use(at: MapId, thing: str) -> Errand:
    return Errand("flag", 0, 1, "use", at, thing)


def _in_battle(look: "Look") -> frozenset[str]:
    """Fight, with the move that the cursor is on; what was opened by mistake is closed."""
    if look.callback in SCREENS_IN_BATTLE:
        return B
    if look.callback == BATTLE_SCENE and look.number(BATTLE_FUNCTION) == CHOOSING:
        active = look.number(ACTIVE, "<B")
        if look.number(CONTROLLERS + 4 * active) != CHOOSING_ACTION:
            return A  # the moves: the cursor is on the most promising one
        cursor = look.number(ACTION_CURSORS + active, "<B")
        return {0: A, 1: frozenset({"left"}), 2: frozenset({"up"})}.get(
            cursor, frozenset({"up", "left"})
        )
    return A


class Look:
    """One look at the memory of a running game."""

    def __init__(self, memory: Readable) -> None:
        self.memory = memory
        self.callback = self.number(CALLBACK2)
        self.block = self.number(SAVE_BLOCK_1_POINTER)

    def number(self, address: int, form: str = "<I") -> int:
        """Returns one number."""
        return int(struct.unpack(form, self.memory.read(address, struct.calcsize(form)))[0])

    @cached_property
    def place(self) -> Place:
        """Where the player stands."""
        x, y, group, number = struct.unpack("<2h2b", self.memory.read(self.block, 6))
        return group, number, x, y

    @property
    def in_battle(self) -> bool:
        """Whether a battle, or a screen that it opened, is on."""
        return bool(self.number(IN_BATTLE, "<B") & 2)

    @property
    def message_open(self) -> bool:
        """Whether the message box is on the screen."""
        return self.number(MESSAGE_BOX, "<H") == MESSAGE_BOX_OPEN

    @property
    def busy(self) -> bool:
        """Whether a script or a fade goes on by itself."""
        running = self.number(SCRIPT_STATUS, "<B") != SCRIPT_STOPPED
        return running or bool(self.number(FADE, "<B") & 0x80)

    @property
    def free(self) -> bool:
        """Whether keys move the player now."""
        return not self.busy and not self.number(LOCKED, "<B")

    @property
    def facing(self) -> str:
        """Where the player looks."""
        return FACING.get(self.number(OBJECTS + 0x18, "<B") & 15, "down")

    @property
    def last_heal(self) -> MapId:
        """The map where a lost battle ends."""
        group, number = struct.unpack("<2b", self.memory.read(self.block + LAST_HEAL, 2))
        return group, number

    @property
    def level(self) -> int:
        """The highest in the party."""
        count = self.number(PARTY_COUNT, "<B")
        return max((self.number(PARTY + MEMBER * i + LEVEL, "<B") for i in range(count)), default=0)

    @property
    def weak(self) -> bool:
        """Whether the whole party has less than a third of its HP."""
        count = self.number(PARTY_COUNT, "<B")
        data = self.memory.read(PARTY, MEMBER * count) if count else b""
        points = [struct.unpack_from("<2H", data, MEMBER * i + HP) for i in range(count)]
        return bool(3 * sum(hp for hp, _ in points) < sum(most for _, most in points))

    def people(self) -> frozenset[Place]:
        """Returns the tiles that people and things of this map stand on."""
        found, here = set(), self.place[:2]
        data = self.memory.read(OBJECTS, OBJECT_SIZE * OBJECT_COUNT)
        for at in range(OBJECT_SIZE, len(data), OBJECT_SIZE):
            if data[at] & 1:
                x, y = struct.unpack_from("<2h", data, at + 0x10)
                found.add((*here, x - BORDER, y - BORDER))
        return frozenset(found)

    @cached_property
    def flags(self) -> bytes:
        """All event flags."""
        return self.memory.read(self.block + FLAGS, FLAG_BYTES)

    def flag(self, flag: int) -> bool:
        """Returns an event flag."""
        return bool(self.flags[flag // 8] >> flag % 8 & 1)

    def story(self, kind: str, number: int) -> int:
        """Returns what an errand is done by."""
        if kind == "party":
            return self.number(PARTY_COUNT, "<B")
        if kind == "var":
            return self.number(self.block + VARS + 2 * (number - VARS_FROM), "<H")
        return self.flag(number)
