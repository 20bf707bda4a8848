"""ROMs that do nothing, or nothing but work besides Jade."""

import numpy as np
import pytest

from emerald_env.emulator import GBA
from emerald_env.game.editions import JADE_IDLE_LOOP, JADE_ROM
from experiments.benchmarks.busy_rom import HALF_ASLEEP, busy_rom
from experiments.benchmarks.idle_rom import SIZE, idle_rom

MISC_FLAGS = 0x31C  # in a state; bit 0: the processor is halted


def test_the_waiting_rom_runs_with_its_interrupt_and_touches_no_memory():
    with GBA(idle_rom()) as gba:
        assert (gba.cartridge_title, gba.game_code, len(idle_rom())) == ("WAIT", "WAIT", SIZE)
        gba.step(0, 60, 60)
        before = gba.memory.read(0x02000000, 0x40000), gba.memory.read(0x03000000, 0x7F00)
        gba.step(0x3FF, 24, 24)
        assert (gba.memory.read(0x02000000, 0x40000), gba.memory.read(0x03000000, 0x7F00)) == before
        assert gba.frame_count == 84
        assert int.from_bytes(gba.memory.read(0x03007FFC, 4), "little") == 0x080000F4  # its handler
        assert gba.get_state()[MISC_FLAGS] & 1


@pytest.mark.parametrize("asleep", [HALF_ASLEEP, 0])
def test_a_busy_jade_is_the_same_game(asleep):
    with (
        GBA(busy_rom(asleep), idle_loop=JADE_IDLE_LOOP) as busy,
        GBA(JADE_ROM, idle_loop=JADE_IDLE_LOOP) as jade,
    ):
        for step in range(30):
            for gba in (busy, jade):
                gba.step(1 << step % 10, 12, 24)
            assert np.array_equal(busy.memory.ewram, jade.memory.ewram)
            assert np.array_equal(busy.screen.rgb, jade.screen.rgb)
        assert jade.get_state()[MISC_FLAGS] & 1
        assert busy.get_state()[MISC_FLAGS] & 1 == (asleep > 0)
