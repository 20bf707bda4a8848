"""A new game is where new games begin, or the user is told where it is."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.fakes import pokemon
from helpers.handmade import Game, flash, state_file

from emerald_env.emulator import StateError
from emerald_env.files.package_version import cache_folder
from emerald_env.game.choice import GameChoice
from emerald_env.game.editions import edition, open_game
from emerald_env.game.savefile import SaveFileError, load
from emerald_env.jade.cartridge import JADE_ROM
from emerald_env.starts import arrival
from emerald_env.starts.arrival import differences
from emerald_env.starts.starts import NEW_GAME, load_start, made_starts, prepare_starts
from emerald_env.state import decode


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    made_starts.cache_clear()
    yield
    made_starts.cache_clear()


def test_the_real_games_truck_is_where_new_games_begin(shared):
    state = decode(load(shared / "states" / "pokeagent-speedrun__truck.state").read)
    assert differences("BPEE", state) == []
    assert len(state.flags_set) == 160


@pytest.mark.parametrize("file", ["house", "torchic", "split_02_starter"])
def test_no_later_state_passes_for_a_new_game(shared, file):
    state = decode(load(shared / "states" / f"pokeagent-speedrun__{file}.state").read)
    assert differences("BPEE", state)


def test_every_difference_is_named():
    with open_game() as gba:
        (start,) = prepare_starts(None, NEW_GAME)
        start.restore(gba)
        state = decode(gba.memory.read)
    assert differences("JADE", state) == []
    assert differences("JADE", None) == ["no game is running"]
    wrong = replace(
        state,
        location=(1, 0),
        money=1,
        party=(pokemon(),),
        last_heal=(1, 1, 1, 1),
        flags=bytes(300),
    )
    told = "; ".join(differences("JADE", wrong))
    for part in ("BrendansHouse_1F, not in InsideOfTruck", "1 money", "1 Pokémon", "healing"):
        assert part in told
    assert "160 flags differ" in told


def test_a_new_game_that_went_astray_is_shown_and_not_kept(monkeypatch):
    monkeypatch.setattr(arrival, "LOCATION", (0, 9))
    with pytest.raises(StateError) as error:
        prepare_starts(None, NEW_GAME)
    told = str(error.value)
    for part in ("InsideOfTruck", "milestone none", "CB2_Overworld", "--start FILE"):
        assert part in told
    (kept,) = cache_folder().iterdir()
    assert kept.suffix == ".png" and str(kept) in told
    assert load(kept).code == "JADE"


def test_starts_of_a_folder_share_no_cartridge(tmp_path):
    with open_game() as gba:
        (start,) = prepare_starts(None, NEW_GAME)
        start.restore(gba)
        gba.load_save(bytes(0x20000))
        (tmp_path / "a.state").write_bytes(gba.get_state())
        found = load_start(gba, tmp_path / "a.state")
    assert set(found.save) == {0xFF}


def test_a_start_that_was_written_anew_is_read_again(tmp_path):
    path = tmp_path / "a.state"
    with open_game() as gba:
        (start,) = prepare_starts(None, NEW_GAME)
        start.restore(gba)
        states = []
        for _ in range(2):
            gba.tick(60)
            states.append(gba.get_state())
    for state in states:
        path.write_bytes(state)
        for source in (path, tmp_path):
            (found,) = prepare_starts(None, str(source))
            assert found.state == state
            assert prepare_starts(None, str(source))[0] is found
    (tmp_path / "b.state").write_bytes(states[0])
    assert [start.state for start in prepare_starts(None, str(tmp_path))] == [states[1], states[0]]


def test_starts_of_a_game_that_nobody_can_read_share_no_cartridge_either(tmp_path):
    data, folder = tmp_path / "data.json", tmp_path / "starts"
    data.write_text('{"info": {}}')
    folder.mkdir()
    with open_game() as gba:
        gba.tick(60)
        (folder / "b.state").write_bytes(gba.get_state())
    (folder / "a.sav").write_bytes(flash({0: (1, Game())}))
    choice = GameChoice(rom=JADE_ROM, data=data)
    saved, state = prepare_starts(choice, str(folder))
    assert saved.save == (folder / "a.sav").read_bytes()
    assert set(state.save) == {0xFF}
    assert state.state == (folder / "b.state").read_bytes()


def test_a_save_of_another_size_starts_a_game_that_nobody_can_read(tmp_path):
    rom, data, save = (tmp_path / name for name in ("game.gba", "data.json", "game.sav"))
    content = bytearray(JADE_ROM.read_bytes())
    content[0xAC:0xB0] = b"RZWE"  # a game with 32 KiB of SRAM
    rom.write_bytes(content)
    data.write_text('{"info": {}}')
    save.write_bytes(bytes(range(256)) * 128)
    (start,) = prepare_starts(GameChoice(rom=rom, data=data), str(save))
    assert start.save == save.read_bytes()


def test_a_state_without_a_game_is_no_start(tmp_path):
    with open_game() as gba:
        gba.tick(100)
        (tmp_path / "title.state").write_bytes(gba.get_state())
        with pytest.raises(StateError, match="title screen"):
            load_start(gba, tmp_path / "title.state")


def emeralds_save():
    class Emerald(Game):
        def block1(self):
            block = bytearray(super().block1())
            block[0x2E68:0x2E70] = b"\x3b\x6c\x3e\xaf\x33\x14\x17\x18"
            return bytes(block)

    return flash({0: (1, Emerald())})


def test_emeralds_files_are_refused_for_jade_and_the_other_way_round(tmp_path, monkeypatch):
    save, state = tmp_path / "emerald.sav", tmp_path / "emerald.state"
    save.write_bytes(emeralds_save())
    state.write_bytes(state_file(Game().memory()))
    jade = tmp_path / "jade.sav"
    jade.write_bytes(flash({0: (1, Game())}))
    with open_game() as gba:
        for file in (save, state):
            with pytest.raises((SaveFileError, StateError), match="--rom"):
                load_start(gba, file)
        monkeypatch.setattr(gba, "edition", edition("BPEE"))
        with pytest.raises(SaveFileError, match="save of Jade"):
            load_start(gba, jade)


def test_saves_of_the_real_game_are_known_as_such(shared):
    for path in (shared / "states").glob("*.sav"):
        assert load(path).is_emeralds


def test_a_state_of_a_newer_mgba_is_called_so(jade):
    state = np.frombuffer(jade.get_state(), np.uint8).copy()
    state[0] = 0x0B
    with pytest.raises(StateError, match=r"newer mGBA \(state version 0x0B.*reads up to 0x07"):
        jade.set_state(state.tobytes())
