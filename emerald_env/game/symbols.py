"""Offsets and sizes of Pokémon Emerald's structures, which all editions share.

Names are those of pret's public disassembly, in capitals. Offsets are bytes from the start of the
structure named in the prefix. Where an edition keeps the structures is in ``addresses``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

Read = Callable[[int, int], bytes]
"""``read(address, size)`` of GBA bus memory: exactly ``size`` bytes."""

EWRAM: Final = 0x02000000
EWRAM_SIZE: Final = 0x40000
IWRAM: Final = 0x03000000
IWRAM_SIZE: Final = 0x8000
VRAM: Final = 0x06000000
VRAM_SIZE: Final = 0x18000

# --- IWRAM ---------------------------------------------------------------------------------------

MAIN_CALLBACK1: Final = 0x0
MAIN_CALLBACK2: Final = 0x4
MAIN_IN_BATTLE: Final = 0x439
MAIN_IN_BATTLE_MASK: Final = 0x02
MAIN_SIZE: Final = 0x43C

SCRIPT_CONTEXT_SHUTDOWN: Final = 2
PLAY_TIME_STATES: Final = (1, 2)
"""``sPlayTimeCounterState`` while a game runs: counting, or stopped at 999:59:59."""

TASK_SIZE: Final = 0x28
TASK_COUNT: Final = 16

# --- EWRAM ---------------------------------------------------------------------------------------

STRING_VAR_4_SIZE: Final = 1000
BATTLE_MON_SIZE: Final = 0x58
MAX_BATTLERS: Final = 4
MAP_LAYOUT_PRIMARY_TILESET: Final = 0x10
MAP_LAYOUT_SECONDARY_TILESET: Final = 0x14
TILESET_METATILE_ATTRIBUTES: Final = 0x10
BACKUP_MAP_CELLS: Final = 10240
OBJECT_EVENT_SIZE: Final = 0x24
OBJECT_EVENT_COUNT: Final = 16
OBJECT_EVENT_ELEVATION: Final = 0xB
OBJECT_EVENT_CURRENT_COORDS: Final = 0x10
OBJECT_EVENT_FACING: Final = 0x18
PLAYER_AVATAR_OBJECT_EVENT_ID: Final = 0x5
PLAYER_AVATAR_SIZE: Final = 0x24
PALETTE_FADE_ACTIVE: Final = 0x7
PALETTE_FADE_ACTIVE_MASK: Final = 0x80
PALETTE_FADE_SIZE: Final = 0xC

MENU_SIZE: Final = 0xC
MENU_CURSOR: Final = 0x2
BAG_POSITION_POCKET: Final = 0x5
BAG_POSITION_SIZE: Final = 0x17
"""From the pocket on: the number of the pocket, then cursor and scroll position of each."""
SUMMARY_NEW_MOVE: Final = 0x40C4  # of a PokemonSummaryScreenData; firstMoveIndex, the cursor, next
BAG_POCKETS: Final = 5
PARTY_MENU_SLOT: Final = 0x9
PARTY_MENU_CHOICE_SIZE: Final = 3
"""From the slot on: the slot, the other one in an exchange, what one of the party is chosen for."""
PARTY_ACTION_USE_ITEM: Final = 3
PARTY_MENU_SIZE: Final = 0x14

SAVE_BLOCK_SLIDE_MASK: Final = 0x7C
"""The save blocks are at their base plus one common offset: a multiple of 4 from 0 to 124."""

# --- VRAM ----------------------------------------------------------------------------------------

DIALOGUE_FRAME_CELL: Final = 0x0600FB80
"""Background 0, screen block 31, row 14, column 0: a corner of the field's message box."""
DIALOGUE_FRAME_TILE: Final = 0xF201
MATCH_CALL_FRAME_TILE: Final = 0xE270
"""The same cell while the PokéNav rings: another box in the same place, tile 0x270, palette 14."""

# --- struct SaveBlock1 ---------------------------------------------------------------------------

SAVE_BLOCK_1_SIZE: Final = 0x3D88
SB1_POS: Final = 0x0
SB1_LOCATION: Final = 0x4
SB1_LAST_HEAL_LOCATION: Final = 0x1C
SB1_PLAYER_PARTY_COUNT: Final = 0x234
SB1_PLAYER_PARTY: Final = 0x238
SB1_MONEY: Final = 0x490
SB1_COINS: Final = 0x494
SB1_PC_ITEMS: Final = 0x498
PC_ITEMS_SIZE: Final = 200
SB1_BAG: Final = 0x560
BAG_SIZE: Final = 0x2E8
SB1_SEEN1: Final = 0x988
SB1_OBJECT_EVENTS: Final = 0xA30
SB1_OBJECT_EVENT_TEMPLATES: Final = 0xC70
SB1_FLAGS: Final = 0x1270
FLAGS_SIZE: Final = 300
SB1_VARS: Final = 0x139C
VARS_SIZE: Final = 512
VARS_START: Final = 0x4000
SB1_GAME_STATS: Final = 0x159C
GAME_STATS_SIZE: Final = 256
SB1_TRENDS: Final = 0x2E68
TRENDS_SIZE: Final = 40
SB1_SEEN2: Final = 0x3B24
DEX_SIZE: Final = 52

# --- struct SaveBlock2 ---------------------------------------------------------------------------

SAVE_BLOCK_2_SIZE: Final = 0xF2C
SB2_PLAYER_NAME: Final = 0x0
SB2_PLAYER_GENDER: Final = 0x8
SB2_PLAY_TIME: Final = 0xE
SB2_OWNED: Final = 0x28
SB2_SEEN: Final = 0x5C
SB2_ENCRYPTION_KEY: Final = 0xAC

# --- struct Pokemon, struct PokemonStorage -------------------------------------------------------

POKEMON_SIZE: Final = 100
BOX_POKEMON_SIZE: Final = 80
PARTY_SIZE: Final = 6
POKEMON_STORAGE_SIZE: Final = 0x83D0
STORAGE_CURRENT_BOX: Final = 0x0
STORAGE_BOXES: Final = 0x4
STORAGE_BOX_NAMES: Final = 0x8344
BOX_COUNT: Final = 14
BOX_CAPACITY: Final = 30
BOX_NAME_SIZE: Final = 9
