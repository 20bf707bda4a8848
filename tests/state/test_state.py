"""One look at memory: every value comes out as the game wrote it, or the look is not believed."""

import math
from dataclasses import replace
from itertools import cycle

import pytest
from helpers.handmade import CB1_OVERWORLD, US, Game, Mon
from hypothesis import given, settings
from hypothesis import strategies as st

from emerald_env.env.state_vector.details import FOE_PARTS, foe_left
from emerald_env.game import symbols as sym
from emerald_env.game import tables
from emerald_env.game.flags import Flag
from emerald_env.state import (
    Facing,
    GameState,
    Mode,
    OpponentKind,
    Rejection,
    StateReader,
    decode,
    describe,
    examine,
    milestones_done,
)

U16 = st.integers(0, 0xFFFF)
U32 = st.integers(0, 0xFFFFFFFF)
ITEMS = st.tuples(st.integers(1, 376), st.integers(1, 999))
NUMBERS = st.lists(st.integers(1, 386), max_size=30)


@st.composite
def games(draw):
    """Running games with arbitrary values in everything that is saved."""
    seen = draw(NUMBERS)
    return Game(
        key=draw(U32),
        slide=4 * draw(st.integers(0, 31)),
        position=draw(st.tuples(st.integers(0, 19), st.integers(0, 19))),
        location=draw(st.sampled_from(sorted(tables.maps()))),
        facing=draw(st.integers(1, 4)),
        money=draw(st.integers(0, 999_999)),
        coins=draw(st.integers(0, 9_999)),
        bag={"berries": draw(st.dictionaries(st.integers(0, 45), ITEMS, max_size=5))},
        pc=draw(st.dictionaries(st.integers(0, 49), ITEMS, max_size=5)),
        flags=tuple(draw(st.sets(st.integers(0, 2399), max_size=20))),
        vars=draw(st.dictionaries(st.integers(0x4000, 0x40FF), U16, max_size=10)),
        stats=draw(st.dictionaries(st.integers(0, 51), st.integers(0, 0xFFFFFF), max_size=10)),
        seen=tuple(seen),
        caught=tuple(seen[::2]),
        trainer_id=draw(U16),
        secret_id=draw(U16),
        time=draw(st.tuples(st.integers(0, 999), *[st.integers(0, 59)] * 3)),
        heal=draw(st.tuples(*[st.integers(-128, 127)] * 2, *[st.integers(-999, 999)] * 2)),
    )


@given(games())
@settings(max_examples=150)
def test_every_saved_value_comes_out_as_it_was_written(game):
    state = decode(game.memory().read)
    assert state is not None
    assert (state.location, state.position) == (game.location, game.position)
    assert state.facing == game.facing
    assert (state.money, state.coins) == (game.money, game.coins)
    expected = [(slot, *stack) for slot, stack in sorted(game.bag["berries"].items())]
    assert [tuple(entry) for entry in state.pocket("berries")] == expected
    assert {entry.slot: (entry.item, entry.quantity) for entry in state.pc_items} == game.pc
    assert set(state.flags_set) == set(game.flags)
    assert all(state.var(number) == value for number, value in game.vars.items())
    assert all(state.stat(number) == value for number, value in game.stats.items())
    assert (state.seen, state.caught) == (frozenset(game.seen), frozenset(game.caught))
    assert (state.trainer_id, state.secret_id) == (game.trainer_id, game.secret_id)
    assert (state.play_time, state.last_heal) == (game.time, game.heal)


@given(games(), U32, st.integers(0, 31))
@settings(max_examples=50)
def test_moving_and_reencrypting_the_save_blocks_changes_nothing(game, key, slide):
    moved = replace(game, key=key, slide=4 * slide)
    assert decode(game.memory().read) == decode(moved.memory().read)


def test_in_a_new_game_the_player_stands_still_and_may_move():
    state = decode(Game().memory().read)
    assert state.mode is Mode.OVERWORLD
    assert state.controllable and state.dialog_open is False and not state.in_battle
    assert state.player_name == "MAY"
    assert state.enemy_party == () and state.battlers == ()


def test_littleroot_is_where_it_is_in_hoenn():
    state = decode(Game(location=(0, 9), position=(11, 2)).memory().read)
    assert (state.component, state.global_position) == ("hoenn_surface", (131, 282))


def test_a_map_of_another_size_has_no_place_in_hoenn():
    state = decode(Game(location=(0, 9), position=(11, 2), size=(30, 30)).memory().read)
    assert state.component is None and state.global_position is None


def test_rooms_have_no_place_in_hoenn():
    state = decode(Game(location=(1, 0), position=(3, 4), size=(11, 9)).memory().read)
    assert state.global_position is None


def test_the_origin_of_petalburg_is_a_place_like_any_other():
    state = decode(Game(location=(0, 0), position=(0, 0), size=(30, 30)).memory().read)
    assert (state.location, state.position) == ((0, 0), (0, 0))


def test_no_game_is_running_before_one_was_started():
    memory = Game().memory()
    memory.put(US.s_play_time_counter_state, "B", 0)
    assert decode(memory.read) is None
    assert examine(memory.read) is Rejection.NOT_STARTED


def test_the_species_seen_are_those_that_all_three_copies_have():
    game = Game(seen=(1, 2, 3), caught=(1, 2))
    memory = game.memory()
    memory.put(US.g_save_block_1 + game.slide + sym.SB1_SEEN2, "B", 0b101)
    state = decode(memory.read)
    assert state.seen == {1, 3}
    assert state.caught == {1}


def test_gaps_in_a_pocket_do_not_end_it():
    state = decode(Game(bag={"berries": {1: (133, 3), 5: (134, 999)}}).memory().read)
    assert state.pocket("berries") == ((1, 133, 3), (5, 134, 999))
    assert state.item_count(134) == 999


def test_several_stacks_of_an_item_count_together():
    state = decode(Game(bag={"items": {0: (68, 99), 2: (68, 38)}}).memory().read)
    assert state.item_count(68) == 137


def test_the_live_party_counts_and_not_its_copy_in_the_save_block():
    game = Game(party=(Mon(), Mon(personality=7)))
    memory = game.memory()
    memory.put(US.g_save_block_1 + game.slide + sym.SB1_PLAYER_PARTY_COUNT, "B", 1)
    assert len(decode(memory.read).party) == 2


def test_an_old_battle_in_memory_is_no_battle():
    game = Game(enemies=(Mon(species=290, personality=99),), battle_type=4)
    memory = game.memory()
    memory.put(US.g_main, "II", CB1_OVERWORLD, US.cb2_overworld)
    memory.put(US.g_main + sym.MAIN_IN_BATTLE, "B", 0)
    state = decode(memory.read)
    assert not state.in_battle
    assert (state.enemy_party, state.battlers, state.battle_type) == ((), (), 0)


def test_a_battle_shows_both_parties_and_who_is_on_the_field():
    wurmple = Mon(species=290, personality=99, moves=(33, 81, 0, 0), pp=(35, 40, 0, 0))
    state = decode(Game(enemies=(wurmple,), battle_type=4).memory().read)
    assert state.mode is Mode.BATTLE and state.in_battle and state.dialog_open is None
    assert [mon.species for mon in state.enemy_party] == [290]
    assert [(one.index, one.species, one.moves) for one in state.battlers] == [
        (0, 277, (1, 43)),
        (1, 290, (33, 81)),
    ]
    assert state.battlers[0].stat_stages == (0,) * 8
    assert not state.is_trainer_battle and state.opponent == 0


def test_a_trainer_battle_names_the_trainer():
    memory = Game(enemies=(Mon(personality=99),), battle_type=8).memory()
    memory.put(US.g_trainer_battle_opponent_a, "H", 265)
    state = decode(memory.read)
    assert state.is_trainer_battle and not state.is_double_battle
    assert tables.trainers()[state.opponent].const == "TRAINER_ROXANNE_1"


@pytest.mark.parametrize(
    ("battle_type", "kind"),
    [
        (0, OpponentKind.WILD),
        (1 << 3, OpponentKind.TRAINER),
        (1 << 3 | 1, OpponentKind.TRAINER),
        (1 << 3 | 1 << 8, OpponentKind.FRONTIER),  # pret's constants/battle.h: tower
        (1 << 3 | 1 << 19, OpponentKind.FRONTIER),  # factory
        (1 << 3 | 1 << 21, OpponentKind.FRONTIER),  # pyramid
        (1 << 3 | 1 << 26, OpponentKind.TRAINER_HILL),
        (1 << 3 | 1 << 11, OpponentKind.E_READER),
        (1 << 3 | 1 << 27, OpponentKind.SECRET_BASE),
        (1 << 3 | 1 << 1, OpponentKind.LINK),
    ],
)
def test_only_a_plain_trainers_number_is_one_of_the_trainers(battle_type, kind):
    memory = Game(enemies=(Mon(personality=99),), battle_type=battle_type).memory()
    memory.put(US.g_trainer_battle_opponent_a, "H", 265)
    state = decode(memory.read)
    assert state.opponent_kind is kind
    assert state.opponent == (265 if kind is OpponentKind.TRAINER else 0)
    assert kind.value in describe(state) or kind is OpponentKind.TRAINER


def send_out(memory, field, places):
    """Puts Pokémon on the field of a battle, each with its place in its own party."""
    memory.put(US.g_battlers_count, "B", len(field))
    memory.put(US.g_battler_party_indexes, f"{len(places)}H", *places)
    memory.write(US.g_battle_mons, b"".join(mon.battler() for mon in field))


def test_a_partners_pokemon_are_not_the_players_but_fight_beside_them():
    own = (Mon(personality=1), Mon(personality=2))
    partners = tuple(Mon(personality=number) for number in (11, 12, 13))
    enemies = (Mon(personality=21), Mon(personality=22))
    for count in (2, 6):  # the game counts the partner's or not
        memory = Game(party=own, enemies=enemies, battle_type=0x40 | 1 << 22 | 9).memory()
        memory.put(US.g_player_party_count, "B", count)
        if count == 6:
            memory.write(US.g_player_party + 200, Mon(personality=3).party())
        memory.write(US.g_player_party + 300, b"".join(mon.party() for mon in partners))
        send_out(memory, (own[0], enemies[0], partners[0], enemies[1]), (0, 0, 3, 1))
        state = decode(memory.read)
        assert [mon.personality for mon in state.party] == [1, 2, 3][: max(count - 3, 2)]
        assert [one.personality for one in state.battlers] == [1, 21, 11, 22]


@pytest.mark.parametrize("teams", [(1, 1), (2, 3), (3, 2), (3, 3)])
def test_of_two_trainers_at_once_both_teams_are_seen(teams):
    """The second trainer's team begins at the fourth of six places (pret: PARTY_SIZE / 2)."""
    own = (Mon(personality=1), Mon(personality=2))
    first, second = (
        tuple(Mon(personality=base + number, hp=hp) for number in range(count))
        for base, count, hp in zip((20, 30), teams, (0, 10), strict=True)
    )
    memory = Game(party=own, enemies=first, battle_type=1 | 8 | 1 << 15).memory()
    memory.write(US.g_enemy_party + 300, b"".join(mon.party() for mon in second))
    send_out(memory, (own[0], first[0], own[1], second[0]), (0, 0, 1, 3))
    state = decode(memory.read)
    foes = [mon.personality for mon in first + second]
    assert [one.personality for one in state.enemy_party] == foes
    assert [one.personality for one in state.battlers] == [1, 20, 2, 30]
    assert [one.party_index for one in state.battlers] == [0, 0, 1, teams[0]]
    # the first trainer's have fainted, each of the second's has half its HP
    assert foe_left(state) == math.ceil(FOE_PARTS * teams[1] * 10 / (sum(teams) * 20))


def test_a_broken_pokemon_of_the_second_trainer_is_noticed():
    memory = Game(enemies=(Mon(personality=21),), battle_type=1 | 8 | 1 << 15).memory()
    broken = bytearray(Mon(personality=22).party())
    broken[40] ^= 1  # its checksum fails
    memory.write(US.g_enemy_party + 300, bytes(broken))
    assert examine(memory.read) is Rejection.ENEMY_PARTY


def test_a_double_battle_has_four_on_the_field():
    mons = tuple(Mon(personality=number) for number in range(1, 5))
    memory = Game(party=mons[:2], enemies=mons[2:], battle_type=9).memory()
    memory.put(US.g_battlers_count, "B", 4)
    memory.put(US.g_battler_party_indexes, "4H", 0, 0, 1, 1)
    field = (mons[0], mons[2], mons[1], mons[3])
    memory.write(US.g_battle_mons, b"".join(mon.battler() for mon in field))
    state = decode(memory.read)
    assert state.is_double_battle
    assert [one.personality for one in state.battlers] == [1, 3, 2, 4]


def test_the_last_battles_fighters_are_not_this_battles():
    memory = Game(enemies=(Mon(personality=99),)).memory()
    stale = Mon().battler() + Mon(personality=55).battler()
    memory.write(US.g_battle_mons, stale)
    assert decode(memory.read).battlers == ()


def test_an_open_message_box_is_a_dialog():
    memory = Game().memory()
    memory.put(sym.DIALOGUE_FRAME_CELL, "H", sym.DIALOGUE_FRAME_TILE)
    memory.put(US.s_lock_field_controls, "B", 1)
    memory.put(US.s_global_script_context_status, "B", 1)
    state = decode(memory.read)
    assert state.mode is Mode.DIALOG and state.dialog_open and not state.controllable


def test_a_ringing_pokenav_is_a_dialog():
    memory = Game().memory()
    memory.put(sym.DIALOGUE_FRAME_CELL, "H", sym.MATCH_CALL_FRAME_TILE)
    memory.put(US.s_lock_field_controls, "B", 1)
    assert decode(memory.read).mode is Mode.DIALOG


def test_the_start_menu_is_a_menu():
    memory = Game().memory()
    memory.put(US.s_lock_field_controls, "B", 1)
    memory.put(US.g_tasks, "IB", US.task_show_start_menu, 1)
    assert decode(memory.read).mode is Mode.MENU


def test_a_scene_without_a_box_is_the_overworld_without_control():
    memory = Game().memory()
    memory.put(US.s_lock_field_controls, "B", 1)
    state = decode(memory.read)
    assert state.mode is Mode.OVERWORLD and not state.controllable


def test_a_fade_is_a_transition():
    memory = Game().memory()
    memory.put(US.g_palette_fade + sym.PALETTE_FADE_ACTIVE, "B", sym.PALETTE_FADE_ACTIVE_MASK)
    state = decode(memory.read)
    assert state.mode is Mode.TRANSITION and not state.controllable


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("CB2_BagMenuRun", Mode.MENU),
        ("CB2_UpdatePartyMenu", Mode.MENU),
        ("CB2_BuyMenu", Mode.MENU),
        ("CB2_NamingScreen", Mode.MENU),
        ("CB2_EvolutionSceneUpdate", Mode.TRANSITION),
        ("CB2_EggHatch", Mode.TRANSITION),
        ("CB2_LoadMap", Rejection.LOADING),
        ("CB2_ReturnToFieldLocal", Rejection.LOADING),
        ("CB2_InitBattle", Rejection.LOADING),
        ("CB2_EndTrainerBattle", Rejection.LOADING),
        ("CB2_WhiteOut", Rejection.LOADING),
        ("CB2_StartFirstBattle", Rejection.LOADING),
        ("HandleSpecialTrainerBattleEnd", Rejection.LOADING),
        ("Swap_CB2", Mode.MENU),
        ("DoBerryBlending", Mode.MENU),
        ("CB2_Credits", Rejection.CREDITS),
        ("CB2_MainMenu", Rejection.NOT_STARTED),
        ("CB2_InitTitleScreen", Rejection.NOT_STARTED),
    ],
)
def test_each_screen_has_its_mode_or_is_not_believed(name, mode):
    pointers = {entry.name: entry.pointer for entry in tables.callbacks().values()}
    found = examine(Game(callback2=pointers[name]).memory().read)
    assert (found.mode if isinstance(found, GameState) else found) is mode


def test_a_step_under_way_is_where_it_began():
    memory = Game(position=(10, 12), facing=4).memory()
    memory.put(US.g_object_events + sym.OBJECT_EVENT_CURRENT_COORDS, "hh", 11 + 7, 12 + 7)
    state = decode(memory.read)
    assert (state.position, state.facing) == ((10, 12), Facing.RIGHT)


def test_half_of_a_new_map_is_not_believed():
    memory = Game(position=(10, 12)).memory()
    memory.put(US.g_object_events + sym.OBJECT_EVENT_CURRENT_COORDS, "hh", 17 + 7, 12 + 7)
    assert examine(memory.read) is Rejection.POSITION


def test_a_scene_that_moves_the_camera_does_not_move_the_player():
    memory = Game(position=(10, 12)).memory()
    memory.put(US.g_object_events + sym.OBJECT_EVENT_CURRENT_COORDS, "hh", 17 + 7, 12 + 7)
    memory.put(US.s_lock_field_controls, "B", 1)
    assert decode(memory.read).position == (17, 12)


@pytest.mark.parametrize(
    ("address", "layout", "values", "reason"),
    [
        (US.g_save_block_1_ptr, "I", (0,), Rejection.SAVE_BLOCK_POINTER),
        (US.g_save_block_1_ptr, "I", (0x09000000,), Rejection.SAVE_BLOCK_POINTER),
        (US.g_save_block_2_ptr, "I", (US.g_save_block_2,), Rejection.SAVE_BLOCK_POINTER),
        (US.g_player_party_count, "B", (7,), Rejection.PARTY_COUNT),
        (US.g_player_party_count, "B", (2,), Rejection.PARTY),
        (US.g_player_party + 0x20, "I", (0,), Rejection.PARTY),
        (US.g_player_party + 0x54, "B", (101,), Rejection.PARTY),
        (US.g_player_party + 0x56, "H", (21,), Rejection.PARTY),
        (US.g_backup_map_layout, "i", (-5,), Rejection.MAP_LAYOUT),
        (US.g_backup_map_layout, "ii", (200, 200), Rejection.MAP_LAYOUT),
        (US.g_backup_map_layout + 8, "I", (0,), Rejection.MAP_LAYOUT),
        (US.g_backup_map_layout, "ii", (20, 20), Rejection.POSITION),
        (US.g_main + sym.MAIN_CALLBACK2, "I", (0x08000001,), Rejection.UNKNOWN_CALLBACK),
        (US.s_play_time_counter_state, "B", (3,), Rejection.NOT_STARTED),
    ],
)
def test_what_the_game_never_writes_is_not_believed(address, layout, values, reason):
    memory = Game().memory()
    memory.put(address, layout, *values)
    assert examine(memory.read) is reason
    assert decode(memory.read) is None


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"money": 1_000_000}, Rejection.MONEY),
        ({"coins": 10_000}, Rejection.MONEY),
        ({"stats": {0: 0x1000000}}, Rejection.GAME_STATS),
        ({"stats": {1: 0x4000000}}, Rejection.GAME_STATS),
        ({"stats": {52: 1}}, Rejection.GAME_STATS),
        ({"stats": {63: 0x80000000}}, Rejection.GAME_STATS),
        ({"bag": {"items": {0: (377, 1)}}}, Rejection.ITEMS),
        ({"bag": {"items": {0: (1, 1000)}}}, Rejection.ITEMS),
        ({"pc": {49: (400, 1)}}, Rejection.ITEMS),
        ({"time": (1000, 0, 0, 0)}, Rejection.PLAY_TIME),
        ({"time": (0, 60, 0, 0)}, Rejection.PLAY_TIME),
        ({"location": (0, 99)}, Rejection.LOCATION),
        ({"location": (-1, -1)}, Rejection.LOCATION),
        ({"gender": 2}, Rejection.PLAYER),
        ({"name": b"\xff" * 8}, Rejection.PLAYER),
        ({"name": bytes(8)}, Rejection.PLAYER),
    ],
)
def test_values_beyond_the_games_limits_are_not_believed(change, reason):
    assert examine(replace(Game(), **change).memory().read) is reason


def test_the_time_of_the_first_victory_may_be_long():
    state = decode(Game(stats={1: 999 << 16 | 59 << 8 | 59}).memory().read)
    assert state.stat(1) >> 16 == 999


@given(st.integers(1, 0xFFFFFFFF))
@settings(max_examples=100)
def test_a_key_that_does_not_fit_is_noticed(error):
    game = Game()
    memory = game.memory()
    memory.put(US.g_save_block_2 + game.slide + sym.SB2_ENCRYPTION_KEY, "I", game.key ^ error)
    assert examine(memory.read) is Rejection.GAME_STATS


@given(st.integers(1, 0xFFFF))
@settings(max_examples=100)
def test_a_bag_under_the_old_key_is_noticed(error):
    """As if the game were stopped while it encrypts its save block anew."""
    game = Game(bag={"items": {0: (13, 5)}})
    memory, other = game.memory(), replace(game, key=game.key ^ error)
    bag = slice(sym.SB1_BAG, sym.SB1_BAG + sym.BAG_SIZE)
    memory.write(US.g_save_block_1 + game.slide + sym.SB1_BAG, other.block1()[bag])
    assert examine(memory.read) is Rejection.ITEMS


def test_a_state_reads_what_is_not_there_as_nothing():
    state = decode(Game().memory().read)
    assert not state.has(-1) and not state.has(2400) and not state.has(0x4001)
    assert state.var(0x3FFF) == state.var(0x4100) == state.stat(64) == 0


@pytest.mark.parametrize("enemies", [(), tuple(Mon(personality=n) for n in range(90, 96))])
def test_a_look_with_a_full_party_reads_few_pieces_of_memory(enemies):
    party = tuple(Mon(personality=number) for number in range(1, 7))
    memories = cycle(Game(party=party, enemies=enemies, key=key).memory() for key in (1, 2))
    memory = next(memories)
    pieces = []

    def read(address, size):
        pieces.append(size)
        return memory.read(address, size)

    reader = StateReader(read)
    for _ in range(10):  # everything moves between two looks: the key is another
        memory = next(memories)
        pieces.clear()
        assert reader.sample() is not None
        assert len(pieces) < 70


@pytest.mark.parametrize(
    ("party", "lab", "done"),
    [((), 0, set()), ((Mon(),), 0, {"starter"}), ((Mon(),), 2, {"starter", "rescued_birch"})],
)
def test_the_first_pokemon_and_the_rescue_are_two_milestones(party, lab, done):
    # both flags are set as soon as the bag is touched, before a Pokémon is chosen
    flags = (Flag.RESCUED_BIRCH, Flag.SYS_POKEMON_GET)
    game = Game(party=party, flags=flags, vars={tables.variable_ids()["VAR_BIRCH_LAB_STATE"]: lab})
    found = set(milestones_done(decode(game.memory().read)))
    assert found & {"starter", "rescued_birch"} == done
