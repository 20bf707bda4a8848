"""Which menu is open and where its cursors are; those of closed menus are not believed."""

from dataclasses import replace

import pytest
from helpers.handmade import US, Game, Mon

from baselines.commands.check.inspect_state import inspect
from emerald_env.env.state_vector.menu_numbers import item_at
from emerald_env.game import symbols as sym
from emerald_env.game import tables
from emerald_env.game.addresses import BOX_TASKS, MenuAddresses
from emerald_env.game.editions import EMERALD_SHA1, edition
from emerald_env.state import Menu, MenuKind, Mode, StateReader, decode, describe

POINTERS = {entry.name: entry.pointer for entry in tables.callbacks().values()}
FIGHT = Game(enemies=(Mon(personality=99),))
YES_NO = 0x080E215D  # pret: Task_HandleYesNoInput
OPTIONS = 0x080BA86D  # Task_OptionMenuProcessInput: its first number is the row
SUMMARY = 0x02012340
MOVES_BOX = 0x080E2059  # Task_HandleMultichoiceInput
ITEM_WORDS = 0x081ACC79  # Task_ItemContext_MultipleRows
ACTION, MOVE = 0x08057589, 0x08057BFD  # HandleInputChooseAction, HandleInputChooseMove


def with_cursors(memory, at=US.menus, action=0):
    """Writes a cursor for every menu, as a game that opened them all would have left them."""
    memory.put(at.s_start_menu_cursor_pos, "B", 2)
    memory.put(at.s_menu, "BBb", 9, 9, 1)
    memory.put(at.g_party_menu, "IIBbbB", 0, 0, 0, 3, -1, action)
    memory.put(at.g_bag_position, "IBBH5H5H", 0, 0, 2, 0, *(1, 2, 3, 4, 5), *(0, 0, 10, 0, 0))
    memory.put(at.g_action_selection_cursor, "4B", 3, 0, 0, 0)
    memory.put(at.g_move_selection_cursor, "4B", 2, 0, 1, 0)
    return memory


def menu(game=None, callback2=None, task=None, locked=True, controllers=(), action=0):
    memory = with_cursors((game or Game()).memory(), action=action)
    memory.put(US.s_lock_field_controls, "B", locked)
    if task:
        memory.put(US.g_tasks, "IB", task, 1)
    memory.put(US.menus.g_battler_controller_funcs, f"{len(controllers)}I", *controllers)
    if callback2:
        memory.put(US.g_main + sym.MAIN_CALLBACK2, "I", POINTERS[callback2])
    state = decode(memory.read)
    last = StateReader(memory.read)
    last.sample()
    assert last.sample() == state, "a reader that looks again sees the same"
    return state.menu


def test_no_menu_is_open_whatever_the_last_ones_left_behind():
    assert menu(locked=False) is None and menu() is None
    assert menu(FIGHT) is None, "a battle that shows what happens"


def test_the_start_menu_has_a_cursor():
    assert menu(task=US.task_show_start_menu) == Menu(MenuKind.START, 2)


def test_the_bag_has_a_pocket_and_a_row_and_sometimes_words():
    assert menu(callback2="CB2_BagMenuRun") == Menu(MenuKind.BAG, 3 + 10, 2)
    words = menu(callback2="CB2_BagMenuRun", task=ITEM_WORDS)
    assert words == Menu(MenuKind.BAG, 3 + 10, 2, 1)


def test_the_party_has_a_place_and_other_screens_have_no_cursor():
    assert menu(callback2="CB2_UpdatePartyMenu") == Menu(MenuKind.PARTY, 3)
    use = menu(callback2="CB2_UpdatePartyMenu", action=sym.PARTY_ACTION_USE_ITEM)
    assert use == Menu(MenuKind.PARTY, 3, pocket=2), "for an item of that pocket"
    assert menu(callback2="CB2_NamingScreen") == Menu(MenuKind.OTHER)
    assert not menu(callback2="CB2_NamingScreen").is_known


def test_the_options_have_a_row_while_they_can_be_changed():
    memory = with_cursors(Game(callback2=POINTERS["MainCB2_OptionMenu"]).memory())
    assert decode(memory.read).menu == Menu(MenuKind.OTHER)
    memory.put(US.g_tasks, "IB3xh", OPTIONS, 1, 4)
    assert decode(memory.read).menu == Menu(MenuKind.OTHER, 4)


def test_a_question_has_words():
    assert menu(task=YES_NO) == Menu(MenuKind.WORDS, 1)


@pytest.mark.parametrize(
    ("controllers", "expected"),
    [
        ((ACTION,), Menu(MenuKind.ACTION, 3)),
        ((MOVE,), Menu(MenuKind.MOVE, 2)),
        ((7, 0, MOVE), Menu(MenuKind.MOVE, 1, battler=2)),  # the right one of a double battle
        ((7, MOVE), None),  # an opponent's
    ],
)
def test_a_battle_waits_for_an_action_or_a_move(controllers, expected):
    assert menu(FIGHT, controllers=controllers) == expected


def test_a_battle_asks_which_move_to_forget():
    assert menu(FIGHT, task=MOVES_BOX) == Menu(MenuKind.WORDS, 1), "no move that there is"
    memory = with_cursors(FIGHT.memory())
    memory.put(US.g_tasks, "IB", MOVES_BOX, 1)
    memory.put(US.menus.g_move_to_learn, "H", 55)
    assert decode(memory.read).menu == Menu(MenuKind.WORDS, 1, lesson=55)
    memory.put(US.menus.g_move_to_learn, "H", 9999)
    assert decode(memory.read).menu.lesson is None


@pytest.mark.parametrize("game", [Game(), FIGHT])
def test_the_summary_asks_which_move_to_forget_in_a_battle_and_outside(game):
    memory = with_cursors(game.memory())
    reader = StateReader(memory.read)
    reader.sample()
    memory.put(US.g_main + sym.MAIN_CALLBACK2, "I", POINTERS["MainCB2_SummaryScreen"])
    memory.put(US.menus.s_mon_summary_screen, "I", SUMMARY)
    memory.put(SUMMARY + 0x40C4, "HB", 55, 4)
    assert reader.sample().menu == Menu(MenuKind.OTHER), "it only shows"
    memory.put(US.g_tasks, "IB", US.menus.task_handle_replace_move_input, 1)
    assert reader.sample().menu == Menu(MenuKind.OTHER, 4, lesson=55)
    memory.put(SUMMARY + 0x40C6, "B", 2)
    assert reader.sample().menu == Menu(MenuKind.OTHER, 2, lesson=55)
    memory.put(SUMMARY + 0x40C4, "H", 0)
    assert reader.sample().menu == Menu(MenuKind.OTHER, 2), "one is only to be forgotten"
    memory.put(SUMMARY + 0x40C4, "HB", 9999, 5)
    assert reader.sample().menu == Menu(MenuKind.OTHER)


def test_a_summary_whose_data_would_be_outside_the_memory_is_not_read():
    memory = with_cursors(Game().memory())
    memory.put(US.g_tasks, "IB", US.menus.task_handle_replace_move_input, 1)
    memory.put(US.g_main + sym.MAIN_CALLBACK2, "I", POINTERS["MainCB2_SummaryScreen"])
    for pointer in (0, 0x0203FFFF, 0x02040000, 0x08000000, 0xFFFFFFFF):
        memory.put(US.menus.s_mon_summary_screen, "I", pointer)
        assert decode(memory.read).menu == Menu(MenuKind.OTHER, 0), "zeros of other memory"
    top = sym.EWRAM + sym.EWRAM_SIZE - 3
    memory.put(top, "HB", 55, 3)
    memory.put(US.menus.s_mon_summary_screen, "I", top - 0x40C4)
    assert decode(memory.read).menu == Menu(MenuKind.OTHER, 3, lesson=55)


def test_a_menu_over_an_untrusted_state_is_reported_and_a_closed_one_is_not():
    memory = with_cursors(Game(money=100).memory())
    reader = StateReader(memory.read)
    reader.sample()
    memory.put(US.g_main + sym.MAIN_CALLBACK2, "I", POINTERS["CB2_BagMenuRun"])
    assert reader.sample().menu == Menu(MenuKind.BAG, 13, 2)
    memory.put(US.menus.g_bag_position + 8 + 2 * 2, "H", 0)
    held = reader.sample()
    assert held.menu == Menu(MenuKind.BAG, 10, 2) and held.mode is Mode.MENU
    kept = reader.get_state()
    memory.put(US.g_main + sym.MAIN_CALLBACK2, "I", US.cb2_overworld)
    assert reader.sample().menu is None
    reader.set_state(kept)
    assert reader.get_state() == kept


@pytest.mark.parametrize(
    ("callback2", "is_new"),
    [("CB2_BagMenuRun", True), ("CB2_UpdatePartyMenu", True), ("CB2_NamingScreen", False)],
)
def test_a_move_that_is_taught_is_known_while_the_menu_is_still_open(callback2, is_new):
    taught = Mon(moves=(1, 15, 0, 0))
    memory = with_cursors(Game().memory())
    reader = StateReader(memory.read)
    before = reader.sample().party
    memory.put(US.g_main + sym.MAIN_CALLBACK2, "I", POINTERS[callback2])
    memory.write(US.g_player_party, taught.party())
    (member,) = reader.sample().party
    assert (15 in member.moves) == is_new
    half = bytearray(taught.party())
    half[40] ^= 1  # as while the game encrypts it
    memory.write(US.g_player_party, bytes(half))
    assert reader.sample().party == before
    memory.write(US.g_player_party, taught.party())
    kept = reader.sample()
    again = StateReader(memory.read)
    again.set_state(reader.get_state())
    assert again.sample() == kept, "a run that is resumed in a menu sees the same"


def test_a_battles_bag_leaves_the_party_to_the_battle():
    memory = with_cursors(FIGHT.memory())
    reader = StateReader(memory.read)
    before = reader.sample().party
    memory.put(US.g_main + sym.MAIN_CALLBACK2, "I", POINTERS["CB2_BagMenuRun"])
    memory.write(US.g_player_party, Mon(moves=(1, 15, 0, 0)).party())
    assert reader.sample().party == before


CUT, POTION, TM39 = 339, 13, 327
MACHINES = {"tm_hm": {0: (CUT, 1), 1: (TM39, 1)}, "items": {0: (POTION, 3)}}
SORTED = {"tm_hm": {0: (TM39, 1), 1: (CUT, 1)}, "items": {0: (POTION, 2)}}  # and one used


def sampled_in(game, callback2, bag):
    """The first sample in a menu that was opened with another bag."""
    memory = with_cursors(game.memory())
    reader = StateReader(memory.read)
    reader.sample()
    for base, data in with_cursors(replace(game, bag=bag).memory()).regions.items():
        memory.regions[base][:] = data
    memory.put(US.g_main + sym.MAIN_CALLBACK2, "I", POINTERS[callback2])
    memory.put(US.menus.g_bag_position, "IBBH5H5H", 0, 0, 2, 0, *[0] * 10)
    return reader.sample(), memory, reader


@pytest.mark.parametrize("game", [Game(bag=MACHINES), replace(FIGHT, bag=MACHINES)])
@pytest.mark.parametrize(
    ("callback2", "item"), [("CB2_BagMenuRun", TM39), ("CB2_UpdatePartyMenu", 0)]
)
def test_the_bag_is_told_as_the_menu_has_sorted_it(game, callback2, item):
    state, memory, reader = sampled_in(game, callback2, SORTED)
    assert [slot.item for slot in state.pocket("tm_hm")] == [TM39, CUT]
    assert state.item_count(POTION) == 2
    assert item_at(state, state.menu) == item
    again = StateReader(memory.read)
    again.set_state(reader.get_state())
    assert again.sample() == state, "a run that is resumed in a menu sees the same"


def test_other_screens_and_impossible_bags_leave_the_last_one():
    for callback2, bag in (
        ("CB2_NamingScreen", SORTED),
        ("CB2_BagMenuRun", {"tm_hm": {0: (CUT, 1000)}}),
    ):
        state, _, _ = sampled_in(Game(bag=MACHINES), callback2, bag)
        assert [slot.item for slot in state.pocket("tm_hm")] == [CUT, TM39]


def test_every_edition_tells_menus_where_its_addresses_are_known():
    for code in EMERALD_SHA1:
        known = edition(code)
        at = known.addresses.menus
        memory = with_cursors(Game(at=known.addresses).memory(), at)
        memory.put(known.addresses.s_lock_field_controls, "B", 1)
        memory.put(known.addresses.g_tasks, "IB", known.addresses.task_show_start_menu, 1)
        assert decode(memory.read, known).menu == Menu(MenuKind.START, 2)
        assert at.handle_input_choose_move or code in ("BPEF", "BPES")
    assert len(US.menus.box_tasks) == len(BOX_TASKS)


def test_a_menu_without_an_address_is_open_and_its_cursor_unknown():
    known = edition("BPEE")
    known = replace(known, addresses=replace(known.addresses, menus=MenuAddresses()))
    memory = with_cursors(FIGHT.memory())
    assert decode(memory.read, known).menu is None
    memory = with_cursors(Game(callback2=POINTERS["CB2_BagMenuRun"]).memory())
    assert decode(memory.read, known).menu == Menu(MenuKind.BAG)


def test_an_impossible_cursor_is_unknown():
    memory = with_cursors(Game(callback2=POINTERS["CB2_BagMenuRun"]).memory())
    memory.put(US.menus.g_bag_position + 5, "B", 5)
    assert decode(memory.read).menu == Menu(MenuKind.BAG)


def test_a_description_names_the_menu():
    memory = with_cursors(Game(callback2=POINTERS["CB2_BagMenuRun"]).memory())
    assert "menu, bag menu at 13 in pocket 2" in describe(decode(memory.read))


def test_real_states_show_no_menu_but_for_the_battle_that_asks_what_to_do(shared):
    found = {
        path.name: inspect(path, None).state.menu
        for path in sorted((shared / "states").glob("*.s*"))
    }
    open_ones = {name: menu for name, menu in found.items() if menu is not None}
    assert open_ones == {"pokeagent-speedrun__wild_battle.state": Menu(MenuKind.ACTION, 0)}
    assert len(found) == 23
