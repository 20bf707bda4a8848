"""Addresses and offsets agree with one another, and with the reference material if it is there."""

import csv
import json

import pytest
from helpers.handmade import US

from emerald_env.game import flags, tables
from emerald_env.game import symbols as sym

ADDRESSES = {
    "gMain": US.g_main,
    "sPlayTimeCounterState": US.s_play_time_counter_state,
    "sGlobalScriptContextStatus": US.s_global_script_context_status,
    "sLockFieldControls": US.s_lock_field_controls,
    "gSaveBlock1Ptr": US.g_save_block_1_ptr,
    "gSaveBlock2Ptr": US.g_save_block_2_ptr,
    "gPokemonStoragePtr": US.g_pokemon_storage_ptr,
    "gBackupMapLayout": US.g_backup_map_layout,
    "gTasks": US.g_tasks,
    "gBattleTypeFlags": US.g_battle_type_flags,
    "gBattlersCount": US.g_battlers_count,
    "gBattlerPartyIndexes": US.g_battler_party_indexes,
    "gBattleMons": US.g_battle_mons,
    "gBattleOutcome": US.g_battle_outcome,
    "gPlayerPartyCount": US.g_player_party_count,
    "gPlayerParty": US.g_player_party,
    "gEnemyParty": US.g_enemy_party,
    "gSaveblock1": US.g_save_block_1,
    "gSaveblock2": US.g_save_block_2,
    "gPokemonStorage": US.g_pokemon_storage,
    "sBackupMapData": US.s_backup_map_data,
    "gObjectEvents": US.g_object_events,
    "gPlayerAvatar": US.g_player_avatar,
    "gPaletteFade": US.g_palette_fade,
    "gTrainerBattleOpponent_A": US.g_trainer_battle_opponent_a,
    "Task_ShowStartMenu": US.task_show_start_menu - 1,
    "Task_WarpAndLoadMap": US.task_warp_and_load_map - 1,
    "Task_ExitDoor": US.task_exit_door - 1,
    "Task_ExitNonAnimDoor": US.task_exit_non_anim_door - 1,
    "Task_ExitNonDoor": US.task_exit_non_door - 1,
    "Task_BattleStart": US.task_battle_start - 1,
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
    ("SaveBlock1", "objectEventTemplates"): sym.SB1_OBJECT_EVENT_TEMPLATES,
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
    assert names[US.cb2_overworld] == "CB2_Overworld"
    assert names[US.battle_main_cb2] == "BattleMainCB2"


def test_the_structures_of_a_save_block_follow_one_another():
    assert sym.SB1_FLAGS + sym.FLAGS_SIZE == sym.SB1_VARS
    assert sym.SB1_VARS + sym.VARS_SIZE == sym.SB1_GAME_STATS
    assert sym.SB1_PC_ITEMS + sym.PC_ITEMS_SIZE == sym.SB1_BAG
    assert US.g_player_party + sym.PARTY_SIZE * sym.POKEMON_SIZE == US.g_enemy_party


@pytest.mark.parametrize("flag", flags.Flag)
def test_flags_have_the_disassemblys_names(flag):
    assert tables.flag_ids()[f"FLAG_{flag.name}"] == flag


@pytest.mark.parametrize("stat", flags.GameStat)
def test_counters_have_the_disassemblys_names(stat):
    assert tables.game_stats()[stat] == f"GAME_STAT_{stat.name}"


@pytest.mark.parametrize(
    ("numbers", "category"),
    [
        (flags.BADGES, "badge"),
        (flags.VISITED_TOWNS, "visited"),
        (flags.TEMP_FLAGS, "temp"),
        (flags.TRAINER_FLAGS, "trainer"),
    ],
)
def test_ranges_of_flags_hold_one_category(numbers, category):
    assert {tables.flags()[number].category for number in numbers} == {category}
