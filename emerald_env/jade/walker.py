"""Plays Jade to a plan: presses keys until what a method names has happened."""

from functools import cached_property

from emerald_env.emulator import GBA, key_mask
from emerald_env.jade.maps import STEPS, Place, Stuck, plan, read_world
from emerald_env.jade.worlds.guidance.look import (
    CALLBACK2,
    OBJECTS,
    OVERWORLD,
    SAVE_BLOCK_1_POINTER,
    Look,
)
from emerald_env.jade.worlds.places import ISLAND, SAILOR_AT_HOME, SAILOR_IN_DEWFORD, SWITCHES
from emerald_env.jade.worlds.rom_tables import RomTables, Thing

# Emerald's addresses (facts: symbols.csv)
NAMING, CHOOSING_STARTER = 0x080E4F59, 0x081341E1
BATTLE_OUTCOME, LOST = 0x0202433A, 2
START_CURSOR = 0x0203760E  # sStartMenuCursorPos
PATIENCE = 60  # frames without a message after which a menu must be open


class Walker:
    """Plays Jade to a plan: each method presses keys until what it names has happened.

    Attributes:
        gba: the running game.
        keys: the mask of keys held in each frame so far, to replay them.
        errands: how many of the story's errands are done or begun (see walk.py).
    """

    def __init__(self, gba: GBA) -> None:
        self.gba = gba
        self.keys: list[int] = []
        self.errands = 0
        self.world = read_world(gba.memory)

    @cached_property
    def tables(self) -> RomTables:
        """What stands where in this world."""
        return RomTables(self.gba.memory.rom.tobytes())

    def at(self, thing: Thing) -> Place:
        """Returns where somebody or something stands in this world."""
        return (*thing.map, *self.tables.place(thing))

    # ---- what the memory says ----

    @property
    def look(self) -> Look:
        """A new look at the memory, which is out of date after the next frame."""
        return Look(self.gba.memory)

    def number(self, address: int, layout: str = "<I") -> int:
        """Returns one number from memory."""
        return self.look.number(address, layout)

    @property
    def place(self) -> Place:
        """Where the player stands."""
        return self.look.place

    @property
    def free(self) -> bool:
        """Whether keys move the player now."""
        look = self.look
        return look.callback == OVERWORLD and look.free

    @property
    def message_open(self) -> bool:
        """Whether the message box is on the screen."""
        return self.look.message_open

    @property
    def in_battle(self) -> bool:
        """Whether a battle, or a screen that it opened, is on."""
        return self.look.in_battle

    @property
    def moving(self) -> bool:
        """Whether the player is between two tiles or turning."""
        return bool(self.number(OBJECTS, "<B") & 0x40)

    @property
    def facing(self) -> int:
        """1 down, 2 up, 3 left, 4 right."""
        return self.number(OBJECTS + 0x18, "<B") & 15

    def flag(self, flag: int) -> bool:
        """Returns an event flag."""
        return self.look.flag(flag)

    def var(self, var: int) -> int:
        """Returns a saved variable."""
        return self.look.story("var", var)

    def people(self) -> set[tuple[int, int]]:
        """Returns the tiles of this map that people and things stand on."""
        return {(x, y) for *_, x, y in self.look.people()}

    def _standing(self) -> set[Place]:
        """Returns obstacles: the people on this map, and the small trees elsewhere."""
        here = self.place[:2]
        trees = {(*at, *tree) for at, own in self.world.items() if at != here for tree in own.trees}
        return trees | self.look.people()

    # ---- pressing keys ----

    def tick(self, frames: int = 1, *keys: str) -> None:
        """Runs frames with these keys held."""
        mask = key_mask(*keys)
        self.keys += [mask] * frames
        self.gba.step(mask, frames, frames, render=False)

    def press(self, key: str, wait: int = 6) -> None:
        """Taps a key, then waits some frames."""
        self.tick(2, key)
        self.tick(wait)

    def settle(self, limit: int = 9000, answer: str = "b") -> None:
        """Waits for steps and fades, talks its way through messages, fights with A, closes menus.

        Args:
            limit: rounds after which it gives up.
            answer: the key that answers messages: "a" says yes.
        """
        for waited in range(1, limit):
            if self.free and not self.moving:
                return
            if self.in_battle or self.number(CALLBACK2) == CHOOSING_STARTER:
                self.press("a")
            elif self.message_open:
                self.press(answer)
            elif waited % PATIENCE == 0:
                self.press("b")
            else:
                self.tick()
        raise Stuck(f"not free after {limit} frames at {self.place}")

    # ---- walking ----

    def step(self, direction: str, limit: int = 60) -> None:
        """Holds a direction until the player has left the tile, then waits for what follows."""
        start = self.place
        for _ in range(limit):
            self.tick(1, direction)
            if self.place != start or not self.free:
                break
        self.settle()

    def _sail(self, goals: set[Place]) -> None:
        """Crosses the sea if all goals are on its other side, as they may be after a defeat."""
        here = self.place[:2] in ISLAND
        if all((goal[:2] in ISLAND) != here for goal in goals):
            self.use(*self.at(SAILOR_IN_DEWFORD if here else SAILOR_AT_HOME), answer="a")

    def go(self, goals: set[Place]) -> None:
        """Walks to the nearest of some places, around people, and across the sea if necessary.

        Raises:
            Stuck: there is no path, or somebody blocks it for good.
        """
        refused: set[Place] = set()
        way: list[tuple[str, Place]] = []
        for _ in range(2000):
            if not way:
                self._sail(goals)
            if self.place in goals:
                return
            if not way:
                way = plan(self.world, self.place, goals, self._standing() | refused)
            direction, after = way.pop(0)
            before = self.place
            self.step(direction)
            if self.place == before:
                refused.add(after)
            if self.place != after or self.place[:2] != before[:2]:
                way = []  # somebody was in the way, or there are other people now
        raise Stuck(f"still not at {sorted(goals)}: at {self.place}")

    def go_to(self, group: int, number: int, x: int, y: int) -> None:
        """Walks to one tile."""
        self.go({(group, number, x, y)})

    def face(self, direction: str) -> None:
        """Turns on the spot."""
        self.tick(2)  # right after a step the player would walk on
        wanted = list(STEPS).index(direction) + 1
        for _ in range(30):
            if self.facing == wanted and not self.moving:
                return
            self.tick(1, direction)
            self.tick(9)
        raise Stuck(f"cannot face {direction} at {self.place}")

    def approach(self, group: int, number: int, x: int, y: int) -> None:
        """Walks up to a person, a thing or a sign, and faces it."""
        sides = {(group, number, x - dx, y - dy): d for d, (dx, dy) in STEPS.items()}
        if self.place[:2] == (group, number):
            for at in self.people():
                sides.pop((group, number, *at), None)
        self.go(set(sides))
        self.face(sides[self.place])

    def use(self, group: int, number: int, x: int, y: int, answer: str = "b") -> None:
        """Walks up to a person, a thing or a sign, presses A and reads all messages.

        Questions are answered with `answer`: "a" for yes.
        """
        self.approach(group, number, x, y)
        self.tick(2, "a")
        self.tick(2)
        self.settle(answer=answer)

    def beat(
        self, group: int, number: int, x: int, y: int, answer: str = "b", tries: int = 12
    ) -> None:
        """Fights somebody until the battle is won; after a defeat the party is healed.

        The switches on the way are pulled each time.

        Raises:
            Stuck: no victory in `tries` tries.
        """
        for _ in range(tries):
            try:
                for switch in SWITCHES.get((group, number), ()):
                    self.use(*self.at(switch))
                self.use(group, number, x, y, answer)
            except Stuck:  # beaten between two switches: they are back where they were
                if self.number(BATTLE_OUTCOME, "<B") != LOST:
                    raise
            else:
                if self.number(BATTLE_OUTCOME, "<B") != LOST:
                    return
        raise Stuck(f"{tries} defeats at {self.place}")

    def start(self) -> None:
        """Presses A from power-on until the player can walk; accepts the default name.

        Raises:
            Stuck: that takes over 900 frames.
        """
        for _ in range(60):
            self.tick(8, "start" if self.number(CALLBACK2) == NAMING else "a")
            self.tick(7)
            if self.number(CALLBACK2) == NAMING:
                self.press("a")
            if self.number(SAVE_BLOCK_1_POINTER) and self.free and not self.moving:
                return
        raise Stuck("no free game after 900 frames of pressing A")
