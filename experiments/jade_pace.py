"""Where the time of a walk through a world of Jade goes: `python -m experiments.jade_pace 0:paced`.

For each milestone the seconds of the console until then: in battles, while words stand on the
screen, in scenes (nothing can be done), in menus, pictures and between maps, and walking.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import tyro

from baselines.commands.command import reports_user_errors, run_command
from emerald_env.emulator import GBA
from emerald_env.jade.cartridge import JADE_IDLE_LOOP, world_rom
from emerald_env.jade.journey import STEP, press
from emerald_env.jade.worlds.guidance.guide import Guide, Look
from emerald_env.jade.worlds.guidance.look import OVERWORLD

KINDS = ("battle", "text", "scene", "screen", "walk")
FRAMES = 60  # a second
LAST = "visited_rustboro"


@dataclass(frozen=True)
class PaceConfig:
    """Walk through a world of Jade."""

    world: tyro.conf.Positional[str]
    """Its name, as of emerald jade."""
    last: str = LAST
    """The last milestone."""


@dataclass
class Spent:
    """What a walk has cost until now: seconds by kind, tiles walked on, battles."""

    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(KINDS, 0.0))
    tiles: int = 0
    battles: int = 0

    def __str__(self) -> str:
        kinds = "".join(f"{self.seconds[kind]:8.0f}" for kind in KINDS)
        return f"{sum(self.seconds.values()):8.0f}{kinds}{self.tiles:8}{self.battles:8}"


def kind_of(look: Look) -> str:
    """Returns on what time passes now."""
    if not look.block or look.callback != OVERWORLD:
        return "battle" if look.block and look.in_battle else "screen"
    if look.in_battle:
        return "battle"
    if look.message_open:
        return "text"
    return "walk" if look.free else "scene"


def walk(rom: bytes, last: str = LAST) -> Iterator[tuple[str, Spent]]:
    """Plays a world with Mudkip by its guide's keys; yields each milestone and what it has cost.

    Args:
        rom: of the world.
        last: the milestone after which it ends.

    Raises:
        ValueError: the guide knows no such milestone.
    """
    guide, spent = Guide(rom), Spent()
    todo = [errand for errand in guide.errands if errand.name]
    if last not in (names := [errand.name for errand in todo]):
        raise ValueError(f"no milestone {last!r}: this world's guide knows {', '.join(names)}")
    place, fighting = None, False
    with GBA(rom, idle_loop=JADE_IDLE_LOOP) as gba:
        while todo:
            look = Look(gba.memory)
            while look.block and todo and look.story(*todo[0][:2]) >= todo[0].value:
                yield todo[0].name, spent
                if todo.pop(0).name == last:
                    return
            kind = kind_of(look)
            spent.seconds[kind] += STEP / FRAMES
            if kind == "walk" and look.place != place:
                spent.tiles, place = spent.tiles + 1, look.place
            spent.battles += kind == "battle" and not fighting
            fighting = bool(look.block) and look.in_battle
            press(gba, guide.labels(gba.memory))


@reports_user_errors()
def main(given: Sequence[str] | None = None) -> int:
    """Prints a line for each milestone; returns the exit status."""
    config = tyro.cli(PaceConfig, args=given, description=__doc__)
    rom = world_rom(config.world)
    print(f"{'':20}" + "".join(f"{name:>8}" for name in ("all", *KINDS, "tiles", "battles")))
    for name, spent in walk(rom, config.last):
        print(f"{name:20}{spent}", flush=True)
    return 0


if __name__ == "__main__":
    run_command(main)
