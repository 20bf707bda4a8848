"""What tests of a world's walk share: they define the fixture `rom`."""

from collections.abc import Iterator
from functools import cache

import pytest

from emerald_env.emulator import GBA
from emerald_env.jade.cartridge import JADE_IDLE_LOOP
from emerald_env.jade.journey import journey
from emerald_env.jade.worlds.guidance.guide import Guide


@pytest.fixture(scope="module")
def guide(rom) -> Guide:
    return Guide(rom)


@pytest.fixture(scope="module")
def game(rom) -> Iterator[GBA]:
    with GBA(rom, idle_loop=JADE_IDLE_LOOP) as gba:
        yield gba


@cache
def walked(rom: bytes) -> dict[str, bytes]:
    with GBA(rom, idle_loop=JADE_IDLE_LOOP) as gba:
        return {name: gba.get_state() for name, _ in journey(gba, Guide(rom))}


@pytest.fixture(scope="module")
def states(rom) -> dict[str, bytes]:
    """The state at each milestone, from power-on to the end of the story, by keys."""
    return walked(rom)
