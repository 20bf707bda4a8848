"""Addresses and offsets agree with one another, and with the reference material if it is there."""

import csv
import json

import pytest

from emerald_env.game import flags, tables
from emerald_env.game import symbols as sym

ADDRESSES = {
    "gMain": sym.G_MAIN,
    "sPlayTimeCounterState": sym.S_PLAY_TIME_COUNTER_STATE,
    "sGlobalScriptContextStatus": sym.S_GLOBAL_SCRIPT_CONTEXT_STATUS,
    "sLockFieldControls": sym.S_LOCK_FIELD_CONTROLS,
    "gSaveBlock1Ptr": sym.G_SAVE_BLOCK_1_PTR,
    "gSaveBlock2Ptr": sym.G_SAVE_BLOCK_2_PTR,
    "gPokemonStoragePtr": sym.G_POKEMON_STORAGE_PTR,
    "gBackupMapLayout": sym.G_BACKUP_MAP_LAYOUT,
    "gTasks": sym.G_TASKS,
    "gBattleTypeFlags": sym.G_BATTLE_TYPE_FLAGS,
    "gBattlersCount": sym.G_BATTLERS_COUNT,
    "gBattlerPartyIndexes": sym.G_BATTLER_PARTY_INDEXES,
    "gBattleMons": sym.G_BATTLE_MONS,
    "gBattleOutcome": sym.G_BATTLE_OUTCOME,
    "gPlayerPartyCount": sym.G_PLAYER_PARTY_COUNT,
    "gPlayerParty": sym.G_PLAYER_PARTY,
    "gEnemyParty": sym.G_ENEMY_PARTY,
    "gSaveblock1": sym.G_SAVE_BLOCK_1,
    "gSaveblock2": sym.G_SAVE_BLOCK_2,
    "gPokemonStorage": sym.G_POKEMON_STORAGE,
    "sBackupMapData": sym.S_BACKUP_MAP_DATA,
    "gObjectEvents": sym.G_OBJECT_EVENTS,
    "gPlayerAvatar": sym.G_PLAYER_AVATAR,
    "gPaletteFade": sym.G_PALETTE_FADE,
    "gTrainerBattleOpponent_A": sym.G_TRAINER_BATTLE_OPPONENT_A,
    "Task_ShowStartMenu": sym.TASK_SHOW_START_MENU - 1,
    "Task_WarpAndLoadMap": sym.TASK_WARP_AND_LOAD_MAP - 1,
    "Task_ExitDoor": sym.TASK_EXIT_DOOR - 1,
    "Task_ExitNonAnimDoor": sym.TASK_EXIT_NON_ANIM_DOOR - 1,
    "Task_ExitNonDoor": sym.TASK_EXIT_NON_DOOR - 1,
    "Task_BattleStart": sym.TASK_BATTLE_START - 1,
}
OFFSETS = {
    ("Main", "callback1"): sym.MAIN_CALLBACK1,
    ("Main", "callback2"): sym.MAIN_CALLBACK2,
    ("Main", "inBattle"): sym.MAIN_IN_BATTLE,
    ("SaveBlock1", "pos"): sym.SB1_POS,
    ("SaveBlock1", "location"): sym.SB1_LOCATION,
    ("SaveBlock1", "lastHealLocation"): sym.SB1_LAST_HEAL_LOCATION,
    ("SaveBlock1", "playerPartyCount"): sym.SB1_PLAYER_PARTY_COUNT,
    ("SaveBlock1", "playerParty"): sym.SB1_PLAYER_PARTY,
    ("SaveBlock1", "money"): sym.SB1_MONEY,
    ("SaveBlock1", "coins"): sym.SB1_COINS,
    ("SaveBlock1", "pcItems"): sym.SB1_PC_ITEMS,
    ("SaveBlock1", "bagPocket_Items"): sym.SB1_BAG,
    ("SaveBlock1", "pokeblocks"): sym.SB1_BAG + sym.BAG_SIZE,
    ("SaveBlock1", "seen1"): sym.SB1_SEEN1,
    ("SaveBlock1", "seen2"): sym.SB1_SEEN2,
    ("SaveBlock1", "objectEvents"): sym.SB1_OBJECT_EVENTS,
    ("SaveBlock1", "flags"): sym.SB1_FLAGS,
    ("SaveBlock1", "vars"): sym.SB1_VARS,
    ("SaveBlock1", "gameStats"): sym.SB1_GAME_STATS,
    ("SaveBlock2", "playerName"): sym.SB2_PLAYER_NAME,
    ("SaveBlock2", "encryptionKey"): sym.SB2_ENCRYPTION_KEY,
    ("Pokedex", "owned"): sym.SB2_OWNED - 0x18,
    ("Pokedex", "seen"): sym.SB2_SEEN - 0x18,
    ("ObjectEvent", "currentElevation"): sym.OBJECT_EVENT_ELEVATION,
    ("ObjectEvent", "currentCoords"): sym.OBJECT_EVENT_CURRENT_COORDS,
    ("ObjectEvent", "facingDirection"): sym.OBJECT_EVENT_FACING,
    ("PlayerAvatar", "objectEventId"): sym.PLAYER_AVATAR_OBJECT_EVENT_ID,
    ("PaletteFadeControl", "active"): sym.PALETTE_FADE_ACTIVE,
    ("MapLayout", "primaryTileset"): sym.MAP_LAYOUT_PRIMARY_TILESET,
    ("MapLayout", "secondaryTileset"): sym.MAP_LAYOUT_SECONDARY_TILESET,
    ("Tileset", "metatileAttributes"): sym.TILESET_METATILE_ATTRIBUTES,
    ("PokemonStorage", "boxes"): sym.STORAGE_BOXES,
    ("PokemonStorage", "boxNames"): sym.STORAGE_BOX_NAMES,
}
SIZES = {
    "Main": sym.MAIN_SIZE,
    "SaveBlock1": sym.SAVE_BLOCK_1_SIZE,
    "SaveBlock2": sym.SAVE_BLOCK_2_SIZE,
    "Pokemon": sym.POKEMON_SIZE,
    "BoxPokemon": sym.BOX_POKEMON_SIZE,
    "BattlePokemon": sym.BATTLE_MON_SIZE,
    "ObjectEvent": sym.OBJECT_EVENT_SIZE,
    "PlayerAvatar": sym.PLAYER_AVATAR_SIZE,
    "PaletteFadeControl": sym.PALETTE_FADE_SIZE,
    "Task": sym.TASK_SIZE,
}


@pytest.fixture(scope="module")
def layouts(shared):
    return json.loads((shared / "facts" / "struct_layouts.json").read_text())["structs"]


def test_addresses_are_those_of_the_disassembly(shared):
    with (shared / "facts" / "symbols.csv").open() as file:
        known = {row["name"]: int(row["address"], 16) for row in csv.DictReader(file)}
    assert {name: known[name] for name in ADDRESSES} == ADDRESSES


@pytest.mark.parametrize(("struct", "field"), OFFSETS)
def test_offsets_are_those_of_the_disassembly(layouts, struct, field):
    fields = {entry["name"]: entry["offset"] for entry in layouts[struct]["fields"]}
    assert fields[field] == OFFSETS[struct, field]


def test_sizes_are_those_of_the_disassembly(layouts):
    assert {name: layouts[name]["size"] for name in SIZES} == SIZES


def test_main_callbacks_are_known_by_name():
    names = {pointer: entry.name for pointer, entry in tables.callbacks().items()}
    assert names[sym.CB2_OVERWORLD] == "CB2_Overworld"
    assert names[sym.BATTLE_MAIN_CB2] == "BattleMainCB2"
    assert names[sym.CB1_OVERWORLD] == "CB1_Overworld"
    assert names[sym.BATTLE_MAIN_CB1] == "BattleMainCB1"


def test_the_structures_of_a_save_block_follow_one_another():
    assert sym.SB1_FLAGS + sym.FLAGS_SIZE == sym.SB1_VARS
    assert sym.SB1_VARS + sym.VARS_SIZE == sym.SB1_GAME_STATS
    assert sym.SB1_PC_ITEMS + sym.PC_ITEMS_SIZE == sym.SB1_BAG
    assert sym.G_PLAYER_PARTY + sym.PARTY_SIZE * sym.POKEMON_SIZE == sym.G_ENEMY_PARTY


@pytest.mark.parametrize("flag", flags.Flag)
def test_flags_have_the_disassemblys_names(flag):
    assert tables.flag_ids()[f"FLAG_{flag.name}"] == flag


@pytest.mark.parametrize("number", flags.Var)
def test_variables_have_the_disassemblys_names(number):
    assert tables.variable_ids()[f"VAR_{number.name}"] == number


@pytest.mark.parametrize("stat", flags.GameStat)
def test_counters_have_the_disassemblys_names(stat):
    assert tables.game_stats()[stat] == f"GAME_STAT_{stat.name}"


@pytest.mark.parametrize(
    ("numbers", "category"),
    [
        (flags.BADGES, "badge"),
        (flags.VISITED_TOWNS, "visited"),
        (flags.TEMP_FLAGS, "temp"),
        (flags.HIDDEN_ITEM_FLAGS, "hidden_item"),
        (flags.TRAINER_FLAGS, "trainer"),
        (flags.DAILY_FLAGS, "daily"),
    ],
)
def test_ranges_of_flags_hold_one_category(numbers, category):
    assert {tables.flags()[number].category for number in numbers} == {category}
