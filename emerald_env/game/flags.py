"""Numbers of the event flags and statistics that our code uses by name.

Names are pret's without their prefix (``FLAG_``, ``GAME_STAT_``). The full lists are
``tables.flags()`` and ``tables.game_stats()``, and for variables ``tables.variables()``.
"""

from __future__ import annotations

from enum import IntEnum


class Flag(IntEnum):
    """Saved event flags: bit ``flag % 8`` of byte ``flag // 8`` of ``GameState.flags``."""

    SET_WALL_CLOCK = 0x051
    RESCUED_BIRCH = 0x052
    SYS_POKEMON_GET = 0x860
    SYS_POKEDEX_GET = 0x861
    SYS_POKENAV_GET = 0x862
    BADGE01_GET = 0x867
    BADGE02_GET = 0x868
    BADGE03_GET = 0x869
    BADGE04_GET = 0x86A
    BADGE05_GET = 0x86B
    BADGE06_GET = 0x86C
    BADGE07_GET = 0x86D
    BADGE08_GET = 0x86E
    VISITED_LITTLEROOT_TOWN = 0x86F
    VISITED_OLDALE_TOWN = 0x870
    VISITED_DEWFORD_TOWN = 0x871
    VISITED_LAVARIDGE_TOWN = 0x872
    VISITED_FALLARBOR_TOWN = 0x873
    VISITED_VERDANTURF_TOWN = 0x874
    VISITED_PACIFIDLOG_TOWN = 0x875
    VISITED_PETALBURG_CITY = 0x876
    VISITED_SLATEPORT_CITY = 0x877
    VISITED_MAUVILLE_CITY = 0x878
    VISITED_RUSTBORO_CITY = 0x879
    VISITED_FORTREE_CITY = 0x87A
    VISITED_LILYCOVE_CITY = 0x87B
    VISITED_MOSSDEEP_CITY = 0x87C
    VISITED_SOOTOPOLIS_CITY = 0x87D
    VISITED_EVER_GRANDE_CITY = 0x87E
    IS_CHAMPION = 0x87F
    SYS_TV_WATCH = 0x891
    SYS_B_DASH = 0x8C0


BADGES = tuple(Flag(flag) for flag in range(Flag.BADGE01_GET, Flag.BADGE08_GET + 1))
"""The eight gym badges' flags, in the order of the gyms."""

VISITED_TOWNS = tuple(
    Flag(flag) for flag in range(Flag.VISITED_LITTLEROOT_TOWN, Flag.VISITED_EVER_GRANDE_CITY + 1)
)
"""The sixteen towns and cities to fly to, in the order of their flags."""

FLAG_COUNT = 2400
TEMP_FLAGS = range(0x000, 0x020)
SCRIPT_FLAGS = range(0x020, 0x1F4)
TRAINER_FLAGS = range(0x500, 0x860)
EVENT_FLAGS_ORIGINAL_2023 = range(0x050, 0x500)
"""The range that the original project of 2023 counted as events."""


class GameStat(IntEnum):
    """The game's statistics counters, read with ``GameState.stat``."""

    SAVED_GAME = 0
    STEPS = 5
    TOTAL_BATTLES = 7
    WILD_BATTLES = 8
    TRAINER_BATTLES = 9
    POKEMON_CAPTURES = 11
    EVOLVED_POKEMON = 14
    USED_POKECENTER = 15
    RESTED_AT_HOME = 16
    SHOPPED = 38
    JUMPED_DOWN_LEDGES = 43
