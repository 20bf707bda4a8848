"""A Pokémon's bytes: decrypted, checked, or refused."""

from dataclasses import replace

import pytest
from helpers.handmade import Game, Mon
from hypothesis import given, settings
from hypothesis import strategies as st

from emerald_env.game import tables
from emerald_env.game.editions import edition
from emerald_env.state import decode, decode_box_pokemon, decode_pokemon
from emerald_env.state.parts.pokemon import SPECIES_EGG, decode_party, leading_party, level_at
from emerald_env.state.parts.text import decode_text

BYTE = st.integers(0, 255)
U32 = st.integers(0, 0xFFFFFFFF)


@st.composite
def mons(draw):
    max_hp = draw(st.integers(1, 714))
    known = draw(st.integers(1, 4))
    species, exp = draw(st.integers(1, 411)), draw(st.integers(0, 1_640_000))
    begins = tables.experience()[tables.species()[species].growth_rate][1:]
    return Mon(
        species=species,
        exp=exp,
        level=max(1, sum(begin <= exp for begin in begins)),
        hp=draw(st.integers(0, max_hp)),
        max_hp=max_hp,
        moves=tuple(draw(st.integers(1, 354)) if i < known else 0 for i in range(4)),
        pp=tuple(draw(st.integers(0, 64)) for _ in range(4)),
        personality=draw(U32),
        ot_id=draw(U32),
        item=draw(st.integers(0, 376)),
        friendship=draw(BYTE),
        evs=tuple(draw(BYTE) for _ in range(6)),
        ivs=tuple(draw(st.integers(0, 31)) for _ in range(6)),
        ability=draw(st.integers(0, 1)),
        egg=draw(st.booleans()),
        met_level=draw(st.integers(0, 100)),
        status=draw(st.sampled_from([0, 1, 7, 8, 16, 32, 64, 128])),
    )


@given(mons())
@settings(max_examples=200)
def test_every_value_comes_out_as_it_was_written(mon):
    found = decode_pokemon(mon.party())
    known = sum(1 for move in mon.moves if move)
    assert (found.species, found.exp, found.level) == (mon.species, mon.exp, mon.level)
    assert (found.hp, found.max_hp, found.status) == (mon.hp, mon.max_hp, mon.status)
    assert (found.moves, found.pp) == (mon.moves[:known], mon.pp[:known])
    assert (found.personality, found.ot_id) == (mon.personality, mon.ot_id)
    assert (found.held_item, found.friendship) == (mon.item, mon.friendship)
    assert (found.evs, found.ivs) == (mon.evs, mon.ivs)
    assert (found.ability_num, found.is_egg) == (mon.ability, mon.egg)
    assert (found.met_level, found.met_location) == (mon.met_level, mon.met_location)
    assert (found.nickname, found.ot_name, found.pokeball) == ("TREECKEE", "MAY", 4)
    assert found.stats == (mon.max_hp, *mon.stats)


@pytest.mark.parametrize("order", range(24))
def test_all_24_orders_of_the_four_blocks_are_read(order):
    mon = Mon(personality=24 * 1000 + order)
    assert decode_pokemon(mon.party()).moves == (1, 43)


@given(st.integers(0x20 * 8, 0x50 * 8 - 1), U32)
@settings(max_examples=100)
def test_one_flipped_bit_is_noticed(bit, personality):
    raw = bytearray(Mon(personality=personality).party())
    raw[bit // 8] ^= 1 << bit % 8
    assert decode_pokemon(bytes(raw)) is None


def test_an_empty_slot_is_no_pokemon():
    assert decode_pokemon(bytes(100)) is None
    assert decode_box_pokemon(bytes(80)) is None


@pytest.mark.parametrize(
    "change",
    [
        {"species": 412},
        {"species": 0},
        {"moves": (355, 0, 0, 0)},
        {"item": 377},
        {"level": 0},
        {"level": 6},
        {"exp": 1_640_001, "level": 100},
        {"pp": (65, 30, 0, 0)},
        {"stats": (9, 10, 11, 12, 1000)},
        {"hp": 30},
        {"met_level": 101},
    ],
)
def test_numbers_that_the_game_does_not_have_are_refused(change):
    assert decode_pokemon(replace(Mon(), **change).party()) is None


def test_a_pokemon_in_a_box_has_the_level_of_its_experience():
    found = decode_box_pokemon(Mon(exp=8000, species=290).box())  # Wurmple grows medium fast: n^3
    assert (found.level, found.level_from_exp, found.max_hp) == (20, 20, 0)


def test_a_bad_egg_says_nothing_but_who_it_was():
    found = decode_pokemon(Mon(bits=7, species=0).party())
    assert found.is_bad_egg and found.is_egg and found.species == SPECIES_EGG
    assert (found.level, found.hp, found.moves, found.exp_gained) == (0, 0, (), 0)


def test_one_bad_member_makes_the_party_unknown():
    good = Mon().party()
    assert len(decode_party(good * 3)) == 3
    assert decode_party(good + b"\1" * 100 + good) is None
    assert decode_party(b"") == ()


def test_a_party_without_a_count_ends_at_its_first_empty_slot():
    mon = Mon().party()
    assert leading_party(mon * 2 + bytes(400)) == mon * 2
    assert leading_party(mon * 6 + mon) == mon * 6
    assert leading_party(bytes(600)) == b""


@given(st.integers(1, 411), st.integers(1, 100))
@settings(max_examples=200)
def test_a_level_begins_exactly_at_its_experience(number, level):
    table = tables.experience()[tables.species()[number].growth_rate]
    assert level_at(number, table[level]) == level
    if level > 1:
        assert level_at(number, table[level] - 1) == level - 1


def test_experience_gained_counts_from_the_level_where_it_was_met():
    mon = Mon(species=290, exp=1000, level=10, met_level=5)
    assert decode_pokemon(mon.party()).exp_gained == 1000 - 125
    assert decode_pokemon(replace(mon, egg=True).party()).exp_gained == 0
    assert decode_pokemon(replace(mon, exp=100, level=4).party()).exp_gained == 0


KANA = bytes([0x60, 0x6F, 0x8B, 0xFF]).ljust(10, b"\xff")  # pret's charmap.txt: タマゴ


def test_the_language_decides_in_which_letters_the_names_are():
    mon = Mon(nickname=KANA, ot_name=b"\x54\x5a\xff\xff\xff\xff\xff", language=1)
    found = decode_pokemon(mon.party())
    assert (found.nickname, found.ot_name) == ("タマゴ", "エコ")
    found = decode_pokemon(replace(mon, language=5).party())  # German: Latin letters
    assert found.nickname != "タマゴ"


def test_an_egg_is_called_so_in_japanese_by_a_player_with_a_latin_name():
    found = decode_pokemon(Mon(nickname=KANA, language=1, egg=True).party())
    assert (found.nickname, found.ot_name) == ("タマゴ", "MAY")


def test_who_found_an_egg_is_written_in_the_letters_of_the_games_edition():
    egg = Mon(nickname=KANA, ot_name=b"\x54\x5a\xff\xff\xff\xff\xff", language=1, egg=True)
    found = decode_pokemon(egg.party(), japanese=True)
    assert (found.nickname, found.ot_name) == ("タマゴ", "エコ")
    assert decode_box_pokemon(egg.box(), japanese=True).ot_name == "エコ"
    assert [one.ot_name for one in decode_party(egg.party(), japanese=True)] == ["エコ"]
    kept = Mon(language=5)  # traded from a German game: the language of its name decides
    assert decode_pokemon(kept.party(), japanese=True).ot_name == "MAY"
    known = edition("BPEJ")
    memory = Game(at=known.addresses, party=(egg,)).memory()
    assert decode(memory.read, known).party[0].ot_name == "エコ"


def test_a_text_may_switch_to_japanese_and_back():
    assert decode_text(b"\xbb\xfc\x15\x05\xfc\x16\xbc\xff\xbb") == "AおB"
    assert decode_text(b"\x59") == "\\x59"


def test_the_rare_colours_follow_from_the_two_numbers():
    assert decode_pokemon(Mon(personality=0x00010001, ot_id=0x00020002).party()).is_shiny
    assert not decode_pokemon(Mon(personality=0x00010101, ot_id=0x00020002).party()).is_shiny
