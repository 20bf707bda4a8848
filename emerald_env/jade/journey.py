"""Plays a world by keys from power-on to the end of the story, as its guide says."""

from collections.abc import Iterator
from typing import Final

from emerald_env.emulator import GBA, key_mask
from emerald_env.jade.maps import Stuck
from emerald_env.jade.walker import CHOOSING_STARTER
from emerald_env.jade.worlds.guidance.guide import Guide, Look

HELD, STEP = 12, 24  # frames: as an environment's step
PACE = 4  # times as many steps that the same story takes at Emerald's pace
STARTERS: Final = ("left", "middle", "right")  # Treecko, Mudkip, Torchic, by Emerald's numbers


def journey(
    gba: GBA, guide: Guide, patience: int = 12_000, starter: str = "middle"
) -> Iterator[tuple[str, int]]:
    """Plays on until the story is over; yields each milestone with the step it was reached in.

    Args:
        gba: the game, wherever it is.
        guide: of its world.
        patience: steps without a milestone after which it gives up; `PACE` times as many in worlds
            at Emerald's pace.
        starter: one of `STARTERS`: who is taken out of the professor's bag.

    Raises:
        Stuck: that many passed.
    """
    if "pace" in guide.demands:
        patience *= PACE
    reached: set[str] = set()
    last = 0
    for count in range(1_000_000):
        look = Look(gba.memory)
        for errand in guide.errands if look.block else ():
            if (
                errand.name
                and errand.name not in reached
                and look.story(errand.kind, errand.number) >= errand.value
            ):
                reached.add(errand.name)
                last = count
                yield errand.name, count
        if len(reached) == len(guide.milestones):
            return
        if count - last > patience:
            where = f"at {look.place}" if look.block else "no game is running"
            raise Stuck(f"no milestone in {patience} steps: {where}")
        if look.callback == CHOOSING_STARTER and starter != "middle":
            gba.step(key_mask(starter), 4, 8, render=False)
        press(gba, guide.labels(gba.memory))


def press(gba: GBA, labels: frozenset[str]) -> None:
    """Plays one step with the first of the labels held, in its first half."""
    gba.step(key_mask(*sorted(labels)[:1]), HELD, STEP, render=False)
