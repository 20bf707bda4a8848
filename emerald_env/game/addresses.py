"""Where an edition of the game keeps the data that we read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

# pret's names; it has renamed those of the save blocks since
PRET_NAMES = {
    "g_main": "gMain",
    "s_play_time_counter_state": "sPlayTimeCounterState",
    "s_global_script_context_status": "sGlobalScriptContextStatus",
    "s_lock_field_controls": "sLockFieldControls",
    "g_save_block_1_ptr": "gSaveBlock1Ptr",
    "g_save_block_2_ptr": "gSaveBlock2Ptr",
    "g_pokemon_storage_ptr": "gPokemonStoragePtr",
    "g_backup_map_layout": "gBackupMapLayout",
    "g_tasks": "gTasks",
    "g_battle_type_flags": "gBattleTypeFlags",
    "g_battlers_count": "gBattlersCount",
    "g_battler_party_indexes": "gBattlerPartyIndexes",
    "g_battle_mons": "gBattleMons",
    "g_battle_outcome": "gBattleOutcome",
    "g_player_party_count": "gPlayerPartyCount",
    "g_player_party": "gPlayerParty",
    "g_enemy_party": "gEnemyParty",
    "g_save_block_2": "gSaveblock2",
    "g_save_block_1": "gSaveblock1",
    "g_pokemon_storage": "gPokemonStorage",
    "g_map_header": "gMapHeader",
    "s_backup_map_data": "sBackupMapData",
    "g_object_events": "gObjectEvents",
    "g_player_avatar": "gPlayerAvatar",
    "g_palette_fade": "gPaletteFade",
    "g_trainer_battle_opponent_a": "gTrainerBattleOpponent_A",
    "cb2_overworld": "CB2_Overworld",
    "battle_main_cb2": "BattleMainCB2",
    "task_show_start_menu": "Task_ShowStartMenu",
    "task_warp_and_load_map": "Task_WarpAndLoadMap",
    "task_exit_door": "Task_ExitDoor",
    "task_exit_non_anim_door": "Task_ExitNonAnimDoor",
    "task_exit_non_door": "Task_ExitNonDoor",
    "task_battle_start": "Task_BattleStart",
}

# pret's names of the addresses that describe an open menu; an edition may lack any of them
MENU_NAMES = {
    "s_menu": "sMenu",
    "s_start_menu_cursor_pos": "sStartMenuCursorPos",
    "g_bag_position": "gBagPosition",
    "g_party_menu": "gPartyMenu",
    "g_action_selection_cursor": "gActionSelectionCursor",
    "g_move_selection_cursor": "gMoveSelectionCursor",
    "g_move_to_learn": "gMoveToLearn",
    "s_mon_summary_screen": "sMonSummaryScreen",
    "task_handle_replace_move_input": "Task_HandleReplaceMoveInput",
    "g_battler_controller_funcs": "gBattlerControllerFuncs",
    "handle_input_choose_action": "HandleInputChooseAction",
    "handle_input_choose_move": "HandleInputChooseMove",
    "task_option_menu_process_input": "Task_OptionMenuProcessInput",
}
BOX_TASKS = (
    "Task_HandleYesNoInput",
    "Task_HandleMultichoiceInput",
    "Task_HandleMultichoiceGridInput",
    "Task_CallYesOrNoCallback",
    "Task_SetClock_HandleConfirmInput",
    "Task_ShopMenu",
    "Task_ItemContext_SingleRow",
    "Task_ItemContext_MultipleRows",
    "Task_HandleSelectionMenuInput",
    "Task_HandleWhichMoveInput",
    "Task_HandleReplaceMoveYesNoInput",
    "Task_HandleStopLearningMoveYesNoInput",
)
"""Tasks that run while a box of words waits for a choice: its cursor is in `sMenu`."""

MESSAGE = "gStringVar4"  # pret's name of the text in the message box; an edition may lack it


class UnknownAddressError(ValueError):
    """An edition lacks an address; the message names it."""


@dataclass(frozen=True, slots=True)
class MenuAddresses:
    """What tells an open menu and its cursor; 0 where an edition's address is unknown."""

    s_menu: int = 0
    s_start_menu_cursor_pos: int = 0
    g_bag_position: int = 0
    g_party_menu: int = 0
    g_action_selection_cursor: int = 0
    g_move_selection_cursor: int = 0
    g_move_to_learn: int = 0
    s_mon_summary_screen: int = 0
    task_handle_replace_move_input: int = 0
    g_battler_controller_funcs: int = 0
    handle_input_choose_action: int = 0
    handle_input_choose_move: int = 0
    task_option_menu_process_input: int = 0
    box_tasks: frozenset[int] = frozenset()

    @classmethod
    def named(cls, known: Mapping[str, int]) -> MenuAddresses:
        """Returns the addresses in a table by pret's names, as far as it has them."""
        tasks = frozenset(known[name] for name in BOX_TASKS if name in known)
        found = {field: known.get(name, 0) for field, name in MENU_NAMES.items()}
        return cls(**found, box_tasks=tasks)


@dataclass(frozen=True, slots=True)
class Addresses:
    """GBA bus addresses, named as in pret's disassembly; code pointers carry the Thumb bit."""

    g_main: int
    s_play_time_counter_state: int
    s_global_script_context_status: int
    s_lock_field_controls: int
    g_save_block_1_ptr: int
    g_save_block_2_ptr: int
    g_pokemon_storage_ptr: int
    g_backup_map_layout: int
    g_tasks: int
    g_battle_type_flags: int
    g_battlers_count: int
    g_battler_party_indexes: int
    g_battle_mons: int
    g_battle_outcome: int
    g_player_party_count: int
    g_player_party: int
    g_enemy_party: int
    g_save_block_2: int
    g_save_block_1: int
    g_pokemon_storage: int
    g_map_header: int
    s_backup_map_data: int
    g_object_events: int
    g_player_avatar: int
    g_palette_fade: int
    g_trainer_battle_opponent_a: int
    cb2_overworld: int
    battle_main_cb2: int
    task_show_start_menu: int
    task_warp_and_load_map: int
    task_exit_door: int
    task_exit_non_anim_door: int
    task_exit_non_door: int
    task_battle_start: int
    menus: MenuAddresses = MenuAddresses()
    g_string_var_4: int = 0  # the text in the message box; 0 where its address is unknown

    @classmethod
    def named(cls, known: Mapping[str, int]) -> Addresses:
        """Returns the addresses in a table by pret's names.

        Raises:
            UnknownAddressError: one is missing.
        """
        if missing := missing_names(known):
            raise UnknownAddressError(f"no address is known for {', '.join(missing)}")
        required = {field: known[name] for field, name in PRET_NAMES.items()}
        message = known.get(MESSAGE, 0)
        return cls(**required, menus=MenuAddresses.named(known), g_string_var_4=message)


def missing_names(known: Iterable[str]) -> list[str]:
    """Returns which of the names that we need are missing."""
    there = set(known)
    return [name for name in PRET_NAMES.values() if name not in there]
