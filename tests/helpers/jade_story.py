"""The story of Jade, walked once for all the tests that begin somewhere in it."""

from dataclasses import dataclass
from functools import cache

from emerald_env.emulator import GBA
from emerald_env.game.editions import JADE_IDLE_LOOP, JADE_ROM
from emerald_env.jade.walk import Walker, walk_through

CALLBACK2, MAIN_MENU = 0x030022C4, 0x0802F6B1


class Witness(Walker):
    """Notes the maps and the screens that a walk comes through."""

    def __init__(self, gba: GBA) -> None:
        super().__init__(gba)
        self.maps: set[tuple[int, int]] = set()
        self.screens: set[int] = set()

    def tick(self, frames: int = 1, *keys: str) -> None:
        if frames > 1 and self.number(CALLBACK2) == MAIN_MENU:  # what follows takes one frame
            for _ in range(frames):
                self.tick(1, *keys)
            return
        super().tick(frames, *keys)
        self.screens.add(self.number(CALLBACK2))
        if self.free:
            self.maps.add(self.place[:2])


@dataclass(frozen=True)
class Story:
    """What the walkthrough left behind."""

    walker: Witness  # at its end
    frames: dict[str, int]  # by milestone
    states: dict[str, bytes]
    errands: dict[str, int]  # how many of them led to each milestone


def open_jade() -> GBA:
    """Returns Jade, just switched on."""
    return GBA(JADE_ROM, idle_loop=JADE_IDLE_LOOP)


@cache
def story() -> Story:
    """Returns the whole walkthrough, played once in a session."""
    walker = Witness(open_jade())
    frames, states, errands = {}, {}, {}
    for name, frame in walk_through(walker):
        frames[name] = frame
        states[name] = walker.gba.get_state()
        errands[name] = walker.errands
    return Story(walker, frames, states, errands)


def at(state: bytes) -> Walker:
    """Returns a walker in a game that goes on from a state."""
    gba = open_jade()
    gba.set_state(state)
    return Walker(gba)


def after(milestone: str) -> Walker:
    """Returns a walker where the story had just reached a milestone."""
    return at(story().states[milestone])
