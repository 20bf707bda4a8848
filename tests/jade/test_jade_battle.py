"""What Jade's battles do: types, PP, balls, lessons, growing up, defeat; driven by keys.

Memory is poked only to prepare: who is in the party, how strong the two in the ring are.
"""

import struct
from dataclasses import replace

import pytest
from helpers.handmade import Mon
from helpers.jade_story import after, at

from emerald_env.explorer.battles.fifth_move import fifth_move_key
from emerald_env.game import tables
from emerald_env.jade.menus import CAUGHT, meet, throw
from emerald_env.jade.walk import Walker
from emerald_env.state import GameState, Menu, MenuKind, StateReader
from emerald_env.state.parts.storage import read_storage

PARTY_COUNT, PARTY = 0x020244E9, 0x020244EC
CALLBACK2, EVOLUTION = 0x030022C4, 0x0813E3A5
BATTLER, BATTLER_SIZE = 0x02024084, 0x58  # gBattleMons: ours, then the foe
MOVES, ACCURACY_STAGE = 0x0C, 0x18 + 6
TYPES, PP, HP, MAX_HP = 0x21, 0x24, 0x28, 0x2C  # in a BattlePokemon
CHOOSING = 0x0803BE75
BATTLE_FUNCTION = 0x03005D04
TACKLE, GROWL, WATER_GUN, TAKE_DOWN, MUD_SLAP = 33, 45, 55, 36, 189
NORMAL, GHOST, FIRE, WATER = 0, 7, 10, 11
STATS_OFFSET, CAPTURES, EVOLVED = 0x159C, 11, 14
BLOCK_1, BLOCK_2 = 0x03005D8C, 0x03005D90
# A strong Puddle; its nickname is its species' name
PUDDLE = Mon(
    species=283,
    exp=135,
    hp=90,
    max_hp=90,
    moves=(TACKLE, 0, 0, 0),
    pp=(35, 0, 0, 0),
    nickname=b"\xca\xe9\xd8\xd8\xe0\xd9\xff\xff\xff\xff",
    stats=(90, 90, 90, 90, 90),
)


def experience(level: int) -> int:
    """Emerald's medium slow growth."""
    return 6 * level**3 // 5 - 15 * level**2 + 100 * level - 140


def sample(walker: Walker) -> GameState:
    state = StateReader(walker.gba.memory.read).sample()
    assert state is not None
    return state


def own_trainer(walker: Walker) -> int:
    return walker.number(walker.number(BLOCK_2) + 0x0A)


def bring(walker: Walker, *mons: Mon) -> None:
    """Fills the party."""
    trainer = own_trainer(walker)
    data = b"".join(replace(mon, ot_id=trainer).party() for mon in mons)
    walker.gba.memory.write(PARTY, data.ljust(600, b"\0"))
    walker.gba.memory.write(PARTY_COUNT, bytes([len(mons)]))


def in_grass(*mons: Mon, milestone: str = "visited_petalburg") -> Walker:
    """Returns a walker in front of something wild, with this party."""
    walker = after(milestone)
    walker.go_to(0, 0, 21, 25)
    bring(walker, *mons)
    meet(walker)
    return walker


def weaken(walker: Walker, hp: int = 1) -> None:
    """Sets the foe's HP, and their maximum where they are more; waits for its bar to follow."""
    foe = BATTLER + BATTLER_SIZE
    walker.gba.memory.write(foe + HP, struct.pack("<H", hp))
    if hp > walker.number(foe + MAX_HP, "<H"):
        walker.gba.memory.write(foe + MAX_HP, struct.pack("<H", hp))
    walker.tick(90)


def fight(walker: Walker, key: str = "a", limit: int = 400) -> set[int]:
    """Chooses the first move, then presses a key until the battle is over; returns the screens."""
    screens = set()
    for name in ("a", "a"):
        walker.press(name, 12)
    for _ in range(limit):
        screens.add(walker.number(CALLBACK2))
        if walker.free:
            return screens
        choosing = walker.number(BATTLE_FUNCTION) == CHOOSING and walker.in_battle
        walker.press("a" if choosing else key, 8)
    raise AssertionError("the battle does not end")


def stat(walker: Walker, number: int) -> int:
    key = walker.number(walker.number(BLOCK_2) + 0xAC)
    return walker.number(walker.number(BLOCK_1) + STATS_OFFSET + 4 * number) ^ key


# ---- moves ----


def damage(state: bytes, types: tuple[int, int]) -> int:
    walker = at(state)
    walker.gba.memory.write(BATTLER + BATTLER_SIZE + TYPES, bytes(types))
    before = walker.number(BATTLER + BATTLER_SIZE + HP, "<H")
    walker.press("a", 12)
    walker.press("a", 12)
    walker.tick(200)
    return before - walker.number(BATTLER + BATTLER_SIZE + HP, "<H")


def test_types_decide_how_much_the_same_blow_takes():
    walker = in_grass(replace(PUDDLE, moves=(WATER_GUN, 0, 0, 0), pp=(25, 0, 0, 0)))
    weaken(walker, 900)
    state = walker.gba.get_state()
    plain, strong, weak = (damage(state, (kind, kind)) for kind in (NORMAL, FIRE, WATER))
    assert plain > 20
    assert abs(strong - 2 * plain) <= 2 and abs(2 * weak - plain) <= 2
    assert abs(damage(state, (FIRE, WATER)) - plain) <= 2


def test_some_types_do_not_feel_others_at_all():
    walker = in_grass(PUDDLE)
    assert damage(walker.gba.get_state(), (GHOST, GHOST)) == 0


def test_a_move_costs_one_pp_and_the_party_knows_after_the_battle():
    walker = in_grass(replace(PUDDLE, moves=(TACKLE, GROWL, 0, 0), pp=(35, 40, 0, 0)))
    weaken(walker)
    assert bytes(walker.gba.memory.read(BATTLER + PP, 4)) == bytes((35, 40, 0, 0))
    fight(walker)
    assert sample(walker).party[0].pp[:2] == (34, 40)


def test_whoever_has_no_pp_left_struggles_and_hurts_itself():
    walker = in_grass(replace(PUDDLE, pp=(0, 0, 0, 0)))
    weaken(walker, 900)
    walker.press("a", 12)
    for _ in range(30):
        walker.press("a", 8)
        if walker.number(BATTLE_FUNCTION) == CHOOSING:
            break
    assert walker.number(BATTLER + HP, "<H") < 90


# ---- balls ----


def test_a_ball_catches_and_what_is_caught_joins_the_party():
    walker = in_grass(PUDDLE)
    before, captures = sample(walker), stat(walker, CAPTURES)
    species = before.enemy_party[0].species
    while walker.in_battle:
        weaken(walker)
        throw(walker)
    walker.settle()
    state = sample(walker)
    assert walker.number(0x0202433A, "<B") == CAUGHT and stat(walker, CAPTURES) == captures + 1
    assert [mon.species for mon in state.party] == [283, species]
    thrown = before.item_count(4) - state.item_count(4)
    assert thrown >= 1
    assert state.pokedex_caught.bit_count() == before.pokedex_caught.bit_count() + 1


def test_with_a_full_party_it_goes_to_the_box():
    walker = in_grass(*[PUDDLE] * 6)
    species = sample(walker).enemy_party[0].species
    while walker.in_battle:
        weaken(walker)
        throw(walker)
    walker.settle()
    assert len(sample(walker).party) == 6
    assert [stored.species for stored in read_storage(walker.gba.memory.read).pokemon] == [species]


# ---- lessons and growing up ----

FOUR_MOVES = replace(
    PUDDLE,
    moves=(TACKLE, GROWL, WATER_GUN, TAKE_DOWN),
    pp=(35, 40, 25, 20),
    exp=experience(6) - 1,
)


def test_a_fifth_move_takes_the_place_of_the_one_that_is_chosen():
    walker = in_grass(FOUR_MOVES)
    weaken(walker)
    fight(walker, "a")
    mon = sample(walker).party[0]
    assert mon.moves == (MUD_SLAP, GROWL, WATER_GUN, TAKE_DOWN)
    assert mon.pp[0] == 10


def test_a_fifth_move_is_asked_for_in_a_menu_and_takes_the_weakest_ones_place():
    walker = in_grass(FOUR_MOVES)
    weaken(walker)
    reader = StateReader(walker.gba.memory.read)
    box, cursors, keys = Menu(MenuKind.WORDS, 0, lesson=MUD_SLAP), [], []
    for _ in range(60):
        state = reader.sample()
        is_box = state.menu is not None and state.menu.lesson is not None
        if is_box:
            cursors.append(state.menu)
            keys.append(fifth_move_key(state))
        walker.press(keys[-1] if is_box else "a", 12)
        if not state.in_battle:
            break
    assert cursors == [box, replace(box, cursor=1)] and keys == ["right", "a"]
    walker.settle()
    assert sample(walker).party[0].moves == (TACKLE, MUD_SLAP, WATER_GUN, TAKE_DOWN)


def test_a_fifth_move_can_be_refused():
    walker = in_grass(FOUR_MOVES)
    weaken(walker)
    fight(walker, "b")
    mon = sample(walker).party[0]
    assert mon.moves == FOUR_MOVES.moves


def test_with_room_a_move_is_learned_without_a_question():
    walker = in_grass(replace(PUDDLE, exp=experience(6) - 1))
    weaken(walker)
    fight(walker)
    assert sample(walker).party[0].moves[:2] == (TACKLE, MUD_SLAP)


def test_at_level_16_it_becomes_something_else():
    walker = in_grass(replace(PUDDLE, exp=experience(16) - 1, level=15))
    before, evolved = sample(walker), stat(walker, EVOLVED)
    weaken(walker)
    screens = fight(walker)
    state = sample(walker)
    mon = state.party[0]
    assert EVOLUTION in screens
    assert (mon.species, mon.level) == (284, 16) and stat(walker, EVOLVED) == evolved + 1
    assert walker.gba.memory.read(PARTY + 8, 7) == bytes(
        {" ": 0}.get(c, 0xBB + ord(c) - 65 if c.isupper() else 0xD5 + ord(c) - 97)
        for c in "Torrent"
    )
    assert state.pokedex_caught.bit_count() == before.pokedex_caught.bit_count() + 1


# ---- defeat ----


def lose(walker: Walker) -> None:
    """Loses the battle that waits for an action."""
    foe = BATTLER + BATTLER_SIZE
    for offset, value in ((HP, 999), (MAX_HP, 999), (0x02, 999), (0x08, 999)):
        walker.gba.memory.write(foe + offset, struct.pack("<H", value))
    walker.gba.memory.write(BATTLER + HP, b"\1\0")
    walker.gba.memory.write(BATTLER + 4, b"\1\0")
    for _ in range(60):
        if not walker.in_battle:
            break
        walker.press("a", 20)
    walker.settle()


def test_after_a_defeat_one_wakes_up_healed_at_the_last_centre_with_half_of_the_money():
    walker = after("visited_petalburg")
    walker.use(8, 4, 6, 3)
    walker.go_to(0, 0, 21, 25)
    bring(walker, replace(PUDDLE, hp=3))
    money = sample(walker).money
    meet(walker)
    lose(walker)
    state = sample(walker)
    assert state.location == (0, 0) and state.money == money // 2
    assert state.party[0].hp == state.party[0].max_hp


@pytest.mark.parametrize("where", [1, 2, 3])
def test_after_a_defeat_the_sailor_waits_where_he_did(where: int):
    from test_jade_ferry import AFTER_DEFEAT, LOCATION, hidden

    walker = after("visited_dewford")
    block = walker.number(BLOCK_1)
    walker.gba.memory.write(block + 0x139C + 2 * (LOCATION - 0x4000), bytes([where, 0]))
    walker.go_to(24, 7, 11, 10)
    bring(walker, replace(PUDDLE, hp=3))
    for count in range(400):
        walker.tick(16, ("left", "right")[count // 2 % 2])
        if walker.in_battle:
            break
    for _ in range(90):
        if walker.number(BATTLE_FUNCTION) == CHOOSING:
            break
        walker.tick(10)
    lose(walker)
    assert hidden(walker) == AFTER_DEFEAT[where]


def recoil_knocks_both_out(walker: Walker) -> None:
    """Uses Take Down, which cannot miss here, and ends the battle for both sides."""
    weaken(walker)
    walker.gba.memory.write(BATTLER + ACCURACY_STAGE, bytes([12]))
    walker.gba.memory.write(BATTLER + BATTLER_SIZE + MOVES, struct.pack("<4H", GROWL, 0, 0, 0))
    walker.gba.memory.write(BATTLER + HP, b"\1\0")
    for _ in range(40):
        walker.press("a", 12)
        if not walker.in_battle:
            break
    walker.settle()


RAMMER = replace(PUDDLE, moves=(TAKE_DOWN, 0, 0, 0), pp=(20, 0, 0, 0), stats=(90, 90, 999, 90, 90))


def test_a_win_by_recoil_with_nobody_standing_is_a_defeat():
    walker = in_grass(RAMMER)
    money = sample(walker).money
    recoil_knocks_both_out(walker)
    state = sample(walker)
    assert walker.number(0x0202433A, "<B") == 2 and state.money == money // 2
    assert state.party[0].hp == state.party[0].max_hp


def test_a_win_by_recoil_with_somebody_left_is_a_win():
    walker = in_grass(RAMMER, PUDDLE)
    money = sample(walker).money
    recoil_knocks_both_out(walker)
    state = sample(walker)
    assert walker.number(0x0202433A, "<B") == 1 and state.money == money
    assert [mon.hp for mon in state.party] == [0, 90]


# ---- trainers ----


def test_one_trainer_fights_again_and_again_the_others_once():
    walker = after("visited_petalburg")
    bring(walker, replace(PUDDLE, exp=experience(30), level=30, pp=(35, 0, 0, 0)))
    prizes = []
    for _ in range(2):
        money = sample(walker).money
        walker.use(0, 19, 24, 72, answer="a")
        prizes.append(sample(walker).money - money)
    assert prizes == [200, 200] and walker.flag(0x500 + 114)
    walker.use(24, 11, 18, 12)  # James
    money = sample(walker).money
    walker.use(24, 11, 18, 12)
    assert walker.flag(0x500 + 621) and sample(walker).money == money


# ---- statuses, abilities, what is held, rain ----

STATUS, ABILITY, ITEM = 0x4C, 0x20, 0x2E
POISONED, BURNED, PARALYSED = 8, 16, 64
DOZE_DUST, JOLT, EMBER, GUTS, TORRENT, CLEAR_BODY = 79, 86, 52, 62, 67, 29
BLUE_BERRY = 139


def set_foe(walker: Walker, *, moves: tuple[int, ...] = (GROWL,), hp: int = 900) -> None:
    """Gives the foe many HP and one harmless way to use its turn."""
    foe = BATTLER + BATTLER_SIZE
    weaken(walker, hp)
    walker.gba.memory.write(foe + MOVES, struct.pack("<4H", *moves, *[0] * (4 - len(moves))))
    walker.gba.memory.write(foe + PP, bytes([30] * 4))


def turn(walker: Walker) -> None:
    """Uses the first move and waits for the next choice, or for the end."""
    walker.tick(90)  # bars follow what was written
    walker.press("a", 12)
    walker.press("a", 12)
    for _ in range(200):
        if walker.number(BATTLE_FUNCTION) == CHOOSING or not walker.in_battle:
            return
        walker.tick(10)
    raise AssertionError("the turn does not end")


@pytest.mark.parametrize(("move", "status"), [(DOZE_DUST, 7), (JOLT, PARALYSED)])
def test_a_move_inflicts_its_status_and_another_one_has_no_effect_on_top(move: int, status: int):
    walker = in_grass(replace(PUDDLE, moves=(move, 0, 0, 0), pp=(15, 0, 0, 0)))
    set_foe(walker)
    walker.gba.memory.write(BATTLER + ACCURACY_STAGE, bytes([12]))
    walker.gba.memory.write(BATTLER + BATTLER_SIZE + TYPES, bytes((NORMAL, NORMAL)))
    turn(walker)
    foe = BATTLER + BATTLER_SIZE + STATUS
    assert walker.number(foe) & status and not walker.number(foe) & ~status
    walker.gba.memory.write(foe, struct.pack("<I", POISONED))
    turn(walker)
    assert walker.number(foe) == POISONED


@pytest.mark.parametrize("status", [POISONED, BURNED])
def test_poison_and_burns_take_an_eighth_each_turn_and_last_until_one_rests(status: int):
    walker = in_grass(PUDDLE)
    set_foe(walker)
    walker.gba.memory.write(BATTLER + STATUS, struct.pack("<I", status))
    turn(walker)
    assert walker.number(BATTLER + HP, "<H") == 90 - 90 // 8
    weaken(walker)
    fight(walker)
    assert sample(walker).party[0].status == status
    walker.use(8, 4, 6, 3)
    assert sample(walker).party[0].status == 0


def test_a_sleeper_wakes_up_after_its_turns_and_does_nothing_before():
    walker = in_grass(PUDDLE)
    set_foe(walker)
    walker.gba.memory.write(BATTLER + STATUS, struct.pack("<I", 2))
    before = walker.number(BATTLER + BATTLER_SIZE + HP, "<H")
    turn(walker)
    assert walker.number(BATTLER + STATUS) == 1
    assert walker.number(BATTLER + BATTLER_SIZE + HP, "<H") == before
    turn(walker)
    assert walker.number(BATTLER + STATUS) == 0
    assert walker.number(BATTLER + BATTLER_SIZE + HP, "<H") < before


def blow(state: bytes, changes: dict[int, bytes], move: int = WATER_GUN) -> int:
    """The damage of the same blow, with changes of the memory before it."""
    walker = at(state)
    walker.gba.memory.write(BATTLER + MOVES, struct.pack("<H", move))
    for address, data in changes.items():
        walker.gba.memory.write(address, data)
    turn(walker)
    return 900 - walker.number(BATTLER + BATTLER_SIZE + HP, "<H")


@pytest.fixture(scope="module")
def before_a_blow() -> bytes:
    walker = in_grass(replace(PUDDLE, moves=(WATER_GUN, 0, 0, 0), pp=(25, 0, 0, 0)))
    set_foe(walker)
    walker.gba.memory.write(BATTLER + BATTLER_SIZE + TYPES, bytes((NORMAL, NORMAL)))
    walker.gba.memory.write(BATTLER + 0x06, struct.pack("<H", 999))  # it strikes first
    walker.gba.memory.write(BATTLER + ACCURACY_STAGE, bytes([12]))
    return walker.gba.get_state()


def test_abilities_burns_and_rain_change_a_blow_by_their_factors(before_a_blow: bytes):
    def factor(move: int, changes: dict[int, bytes], without: dict[int, bytes]) -> float:
        return blow(before_a_blow, changes, move) / blow(before_a_blow, without, move)

    few, rain = struct.pack("<H", 30), (0x02037318 + 0x16, b"\3")
    plain = {BATTLER + ABILITY: b"\0", BATTLER + HP: few}
    assert factor(WATER_GUN, {**plain, BATTLER + ABILITY: bytes([TORRENT])}, plain) == (
        pytest.approx(1.5, abs=0.05)
    )
    assert factor(TACKLE, {**plain, BATTLER + ABILITY: bytes([TORRENT])}, plain) == 1
    burned = {BATTLER + ABILITY: b"\0", BATTLER + STATUS: struct.pack("<I", BURNED)}
    healthy = {BATTLER + ABILITY: b"\0"}
    assert factor(TACKLE, burned, healthy) == pytest.approx(0.5, abs=0.05)
    assert factor(WATER_GUN, burned, healthy) == 1
    assert factor(TACKLE, {**burned, BATTLER + ABILITY: bytes([GUTS])}, healthy) == (
        pytest.approx(1.5, abs=0.05)
    )
    assert factor(WATER_GUN, dict([rain]), {}) == pytest.approx(1.5, abs=0.05)
    assert factor(EMBER, dict([rain]), {}) == pytest.approx(0.5, abs=0.05)


def test_a_clear_body_keeps_its_stages():
    for ability, stage in ((0, 5), (CLEAR_BODY, 6)):
        walker = in_grass(replace(PUDDLE, moves=(GROWL, 0, 0, 0), pp=(40, 0, 0, 0)))
        set_foe(walker, moves=(TACKLE,))
        walker.gba.memory.write(BATTLER + BATTLER_SIZE + ABILITY, bytes([ability]))
        turn(walker)
        assert walker.number(BATTLER + BATTLER_SIZE + 0x19, "<B") == stage


def test_a_berry_that_is_held_is_eaten_at_half_of_the_hp():
    walker = in_grass(PUDDLE)
    set_foe(walker)
    walker.gba.memory.write(BATTLER + ITEM, struct.pack("<H", BLUE_BERRY))
    walker.gba.memory.write(BATTLER + HP, struct.pack("<H", 46))
    turn(walker)
    assert walker.number(BATTLER + HP, "<H") == 46
    walker.gba.memory.write(BATTLER + HP, struct.pack("<H", 45))
    turn(walker)
    assert walker.number(BATTLER + HP, "<H") == 55
    assert walker.number(BATTLER + ITEM, "<H") == 0


def test_a_victory_adds_the_beaten_ones_effort_values():
    walker = in_grass(PUDDLE)
    before = sample(walker).party[0].evs
    weaken(walker)
    fight(walker)
    added = [now - then for now, then in zip(sample(walker).party[0].evs, before, strict=True)]
    assert sorted(added) == [0, 0, 0, 0, 0, 1]


def emeralds_stats(mon, base: tuple[int, ...]) -> tuple[int, ...]:
    """The stats of a Pokémon by Emerald's formula: the nature raises one by a tenth."""
    raised, lowered = divmod(mon.personality % 25, 5)
    found = []
    for number, (own, iv, ev) in enumerate(zip(base, mon.ivs, mon.evs, strict=True)):
        value = (2 * own + iv + ev // 4) * mon.level // 100
        if number == 0:
            found.append(value + mon.level + 10)
            continue
        share = 100 + 10 * (number - 1 == raised) - 10 * (number - 1 == lowered)
        found.append((value + 5) * share // 100)
    return tuple(found)


@pytest.mark.parametrize("nature", [0, 1, 7, 13, 20, 24])
def test_a_nature_raises_one_stat_by_a_tenth_and_lowers_another(nature: int):
    close = replace(PUDDLE, personality=7500 + nature, exp=experience(36) - 1, level=35)
    walker = in_grass(close)
    weaken(walker)
    fight(walker, "b")
    (mon,) = sample(walker).party
    base = tables.species()[mon.species]
    assert mon.level == 36
    assert mon.stats == emeralds_stats(
        mon,
        (base.hp, base.attack, base.defense, base.speed, base.sp_attack, base.sp_defense),
    )


def test_it_rains_on_one_route_in_emeralds_memory():
    walker = after("pokedex")
    walker.go_to(0, 18, 11, 15)
    block = walker.number(BLOCK_1)
    assert walker.number(block + 0x2E, "<B") == 3  # WEATHER_RAIN
    walker.go_to(0, 10, 10, 4)
    assert walker.number(walker.number(BLOCK_1) + 0x2E, "<B") == 0


def test_nobody_runs_from_the_first_battle_and_losing_it_costs_nothing():
    walker = after("birch_in_danger")
    walker.go_to(0, 16, 7, 12)
    walker.face("down")
    walker.press("a", 60)
    for _ in range(60):
        if walker.number(BATTLE_FUNCTION) == CHOOSING:
            break
        walker.press("a", 12)
    assert walker.number(0x02022FEC) == 0x10  # BATTLE_TYPE_FIRST_BATTLE
    for key in ("right", "down", "a"):
        walker.press(key, 40)
    assert walker.in_battle
    while walker.number(BATTLE_FUNCTION) != CHOOSING:
        walker.press("a", 12)
    lose(walker)
    state = sample(walker)
    assert state.location == (1, 4) and state.money == 3000
    assert state.party[0].hp == state.party[0].max_hp


@pytest.mark.parametrize(("key", "species"), [("left", 277), (None, 283), ("right", 280)])
def test_three_starters_are_in_the_bag(key: str | None, species: int):
    walker = after("birch_in_danger")
    walker.go_to(0, 16, 7, 12)
    walker.face("down")
    walker.press("a", 80)
    if key:
        walker.press(key, 12)
    walker.settle()
    mon = sample(walker).party[0]
    assert mon.species == species and walker.var(0x4023) == {277: 0, 280: 1, 283: 2}[species]
