"""Where an edition of the game keeps the data that we read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, get_type_hints

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

    s_menu: Annotated[int, "sMenu"] = 0
    s_start_menu_cursor_pos: Annotated[int, "sStartMenuCursorPos"] = 0
    g_bag_position: Annotated[int, "gBagPosition"] = 0
    g_party_menu: Annotated[int, "gPartyMenu"] = 0
    g_action_selection_cursor: Annotated[int, "gActionSelectionCursor"] = 0
    g_move_selection_cursor: Annotated[int, "gMoveSelectionCursor"] = 0
    g_move_to_learn: Annotated[int, "gMoveToLearn"] = 0
    s_mon_summary_screen: Annotated[int, "sMonSummaryScreen"] = 0
    task_handle_replace_move_input: Annotated[int, "Task_HandleReplaceMoveInput"] = 0
    g_battler_controller_funcs: Annotated[int, "gBattlerControllerFuncs"] = 0
    handle_input_choose_action: Annotated[int, "HandleInputChooseAction"] = 0
    handle_input_choose_move: Annotated[int, "HandleInputChooseMove"] = 0
    task_option_menu_process_input: Annotated[int, "Task_OptionMenuProcessInput"] = 0
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

    g_main: Annotated[int, "gMain"]
    s_play_time_counter_state: Annotated[int, "sPlayTimeCounterState"]
    s_global_script_context_status: Annotated[int, "sGlobalScriptContextStatus"]
    s_lock_field_controls: Annotated[int, "sLockFieldControls"]
    g_save_block_1_ptr: Annotated[int, "gSaveBlock1Ptr"]
    g_save_block_2_ptr: Annotated[int, "gSaveBlock2Ptr"]
    g_pokemon_storage_ptr: Annotated[int, "gPokemonStoragePtr"]
    g_backup_map_layout: Annotated[int, "gBackupMapLayout"]
    g_tasks: Annotated[int, "gTasks"]
    g_battle_type_flags: Annotated[int, "gBattleTypeFlags"]
    g_battlers_count: Annotated[int, "gBattlersCount"]
    g_battler_party_indexes: Annotated[int, "gBattlerPartyIndexes"]
    g_battle_mons: Annotated[int, "gBattleMons"]
    g_battle_outcome: Annotated[int, "gBattleOutcome"]
    g_player_party_count: Annotated[int, "gPlayerPartyCount"]
    g_player_party: Annotated[int, "gPlayerParty"]
    g_enemy_party: Annotated[int, "gEnemyParty"]
    g_save_block_2: Annotated[int, "gSaveblock2"]
    g_save_block_1: Annotated[int, "gSaveblock1"]
    g_pokemon_storage: Annotated[int, "gPokemonStorage"]
    g_map_header: Annotated[int, "gMapHeader"]
    s_backup_map_data: Annotated[int, "sBackupMapData"]
    g_object_events: Annotated[int, "gObjectEvents"]
    g_player_avatar: Annotated[int, "gPlayerAvatar"]
    g_palette_fade: Annotated[int, "gPaletteFade"]
    g_trainer_battle_opponent_a: Annotated[int, "gTrainerBattleOpponent_A"]
    cb2_overworld: Annotated[int, "CB2_Overworld"]
    battle_main_cb2: Annotated[int, "BattleMainCB2"]
    task_show_start_menu: Annotated[int, "Task_ShowStartMenu"]
    task_warp_and_load_map: Annotated[int, "Task_WarpAndLoadMap"]
    task_exit_door: Annotated[int, "Task_ExitDoor"]
    task_exit_non_anim_door: Annotated[int, "Task_ExitNonAnimDoor"]
    task_exit_non_door: Annotated[int, "Task_ExitNonDoor"]
    task_battle_start: Annotated[int, "Task_BattleStart"]
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


def _pret_names(addresses: type[MenuAddresses | Addresses]) -> dict[str, str]:
    """Returns pret's name of each field that has one."""
    hints = get_type_hints(addresses, include_extras=True).items()
    return {field: hint.__metadata__[0] for field, hint in hints if hasattr(hint, "__metadata__")}


PRET_NAMES = _pret_names(Addresses)
"""Of the addresses that every edition must have; pret has renamed the save blocks' since."""

MENU_NAMES = _pret_names(MenuAddresses)
"""Of the addresses that describe an open menu; an edition may lack any of them."""


def missing_names(known: Iterable[str]) -> list[str]:
    """Returns which of the names that we need are missing."""
    there = set(known)
    return [name for name in PRET_NAMES.values() if name not in there]
