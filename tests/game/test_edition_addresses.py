"""Each edition is read at its own addresses; stand-ins for ROMs that are nobody's to share."""

import hashlib
from dataclasses import replace

import pytest
from helpers.handmade import US, Game, Mon
from helpers.stand_ins import cartridge, patched

from emerald_env.game import editions, tables
from emerald_env.game.addresses import PRET_NAMES, Addresses
from emerald_env.game.editions import JADE_IDLE_LOOP, edition, identify, open_game
from emerald_env.starts.starts import play_until_free
from emerald_env.state import (
    Mode,
    StateReader,
    Storage,
    decode,
    examine_title,
    read_storage,
    surroundings,
)

WESTERN = ("BPEE", "BPED", "BPEF", "BPEI", "BPES")
ALL = (*WESTERN, "BPEJ")
FIGHT = Game(party=(Mon(), Mon(personality=7)), enemies=(Mon(personality=99),), battle_type=8)


def moved():
    """An edition whose every variable and function lies elsewhere."""
    shift = {0x02: -0x35C, 0x03: 0x2A0, 0x08: 0x1C}
    values = (getattr(US, name) for name in PRET_NAMES)
    at = Addresses(*(value + shift[value >> 24] for value in values))
    us = edition("BPEE")
    screens = {pointer + 0x1C: entry for pointer, entry in us.screens.items()}
    return replace(us, addresses=at, screens=screens)


@pytest.mark.parametrize("code", [*ALL, "moved"])
@pytest.mark.parametrize("game", [Game(), FIGHT], ids=["field", "battle"])
def test_equal_games_of_all_editions_give_equal_states(code, game):
    known = moved() if code == "moved" else edition(code)
    memory = replace(game, at=known.addresses).memory()
    state = decode(memory.read, known)
    assert state is not None and state == decode(game.memory().read)
    assert StateReader(memory.read, game=known).sample() == state
    assert isinstance(read_storage(memory.read, known), Storage)
    assert surroundings(memory.read, known) == surroundings(game.memory().read)
    assert examine_title(memory.read, known).money == state.money
    if code == "moved":
        assert decode(memory.read) is None, "not with the addresses of another edition"


def test_the_start_menu_and_doors_are_known_in_every_edition():
    for code in ALL:
        known = edition(code)
        memory = Game(at=known.addresses).memory()
        memory.put(known.addresses.s_lock_field_controls, "B", 1)
        memory.put(known.addresses.g_tasks, "IB", known.addresses.task_show_start_menu, 1)
        assert decode(memory.read, known).mode is Mode.MENU
        memory.put(known.addresses.g_tasks, "IB", known.addresses.task_exit_door, 1)
        assert decode(memory.read, known).mode is Mode.TRANSITION


def test_the_us_editions_screens_are_all_known():
    assert edition("BPEE").screens == tables.callbacks()
    assert edition("BPEE").is_proved and not edition("BPED").is_proved


@pytest.mark.parametrize("code", ALL[1:])
def test_other_editions_know_the_screens_that_every_game_shows(code):
    names = {entry.name for entry in edition(code).screens.values()}
    assert names >= {
        "CB2_Overworld", "BattleMainCB2", "CB2_LoadMap", "CB2_BagMenuRun", "CB2_UpdatePartyMenu",
        "CB2_NamingScreen", "CB2_StarterChoose", "CB2_WhiteOut", "CB2_InitBattle",
        "CB2_EvolutionSceneUpdate", "CB2_ReturnToField", "CB2_InitTitleScreen",
    }  # fmt: skip
    assert len(edition(code).screens) > 100


@pytest.mark.parametrize("code", editions.EMERALD_SHA1)
def test_no_two_things_of_an_edition_are_at_one_address_and_all_lie_in_their_regions(code):
    known = [entry for entry in tables.edition_symbols(code) if entry.address]
    assert len({entry.address for entry in known}) == len(known)
    for entry in known:
        assert entry.address >> 24 == entry.us >> 24
        assert entry.address & 1 == entry.us & 1 or entry.us >> 24 != 8
        assert abs(entry.address - entry.us) < 0x1000
    code_of = sorted((entry.us, entry.address) for entry in known if entry.us >> 24 == 8)
    assert [at for _, at in code_of] == sorted(at for _, at in code_of), "in the same order"


@pytest.mark.parametrize("code", WESTERN[1:])
def test_a_game_of_every_western_edition_is_begun_and_read_from_end_to_end(code, tmp_path):
    known, rom = replace(edition(code), idle_loop=JADE_IDLE_LOOP), tmp_path / "game.gba"
    rom.write_bytes(patched(code))
    with editions.Game(rom, known) as game, open_game() as jade:
        for gba in (game, jade):
            play_until_free(gba)
        states = [StateReader.of(gba).sample() for gba in (game, jade)]
        assert states[0] == states[1] and states[0].controllable
        assert StateReader(game.memory.read).sample() is None, "not with the US edition's numbers"


def test_an_edition_is_identified_by_its_code_and_hash(tmp_path, monkeypatch):
    path = tmp_path / "german.gba"
    path.write_bytes(cartridge(patched("BPED")))
    monkeypatch.setitem(editions.EMERALD_SHA1, "BPED", hashlib.sha1(path.read_bytes()).hexdigest())
    edition.cache_clear()
    assert identify(path).name == "Pokémon Emerald (German)"
    edition.cache_clear()


def test_a_japanese_games_names_are_in_kana():
    known = edition("BPEJ")
    rival, kana = Mon(personality=99), bytes([0x51, 0x52, 0xFF])  # two of its letters
    game = replace(FIGHT, at=known.addresses, enemies=(rival,), name=kana.ljust(8, b"\xff"))
    letters = tables.characters("japanese")
    state = decode(game.memory().read, known)
    assert state.player_name == letters[0x51] + letters[0x52]
    assert state.player_name != decode(replace(game, at=US).memory().read).player_name
