"""The ROM that only waits: it runs, and does nothing."""

from emerald_env.emulator import GBA
from emerald_env.jade.idle_rom import SIZE, idle_rom


def test_the_waiting_rom_runs_with_its_interrupt_and_touches_no_memory():
    with GBA(idle_rom()) as gba:
        assert (gba.title, gba.game_code, len(idle_rom())) == ("WAIT", "WAIT", SIZE)
        gba.step(0, 60, 60)
        before = gba.read(0x02000000, 0x40000), gba.read(0x03000000, 0x7F00)
        gba.step(0x3FF, 24, 24)
        assert (gba.read(0x02000000, 0x40000), gba.read(0x03000000, 0x7F00)) == before
        assert gba.frame == 84
        assert int.from_bytes(gba.read(0x03007FFC, 4), "little") == 0x080000F8  # its handler
