"""The auditor on a game that is really played: the built-in one."""

import json
import struct
from dataclasses import replace

import numpy as np
import pytest

from baselines.commands.check.audit import main
from baselines.games.game import make_env
from baselines.settings.game_config import GameConfig
from emerald_env.emulator import key_mask
from emerald_env.env.actions import action_set
from emerald_env.game.editions import JADE_ROM, edition, open_game
from emerald_env.game.symbols import IWRAM
from emerald_env.recordings.recording import Recording
from emerald_env.starts.starts import play_until_free
from emerald_env.state import Mode, StateReader
from rewards import load_preset, preset_names
from rewards.audit import LoopVerdict, audit
from rewards.audit.sources import open_walk

if not JADE_ROM.is_file():
    pytest.skip("the built-in game is not built in this checkout", allow_module_level=True)

HOLD, FRAMES = 16, 24
# in a save state of mGBA
GAME_CODE, CALLBACK_2 = 28, 0x19000 + edition("JADE").addresses.g_main - IWRAM + 4


class PlayedWalk:
    """A walk of keys in Jade; with `reload` every round begins by loading the first state."""

    name = "played"

    def __init__(self, gba, start, keys, reload=False):
        self._gba = gba
        self._start = start
        self._keys = keys
        self._reload = reload
        self._reader = StateReader(gba.memory.read)

    def opening(self):
        self._gba.set_state(self._start)
        self._reader.reset()
        yield self._reader.sample()

    def round(self):
        if self._reload:
            yield from self.opening()
        for key in self._keys:
            self._gba.step(key_mask(key), HOLD, FRAMES, render=False)
            yield self._reader.sample()


@pytest.fixture(scope="module")
def played():
    with open_game() as gba:
        play_until_free(gba)
        start = gba.get_state()
        yield lambda keys, reload=False: PlayedWalk(gba, start, keys, reload)


@pytest.mark.parametrize("code", ["JADE", "BPEE", "BPED", "BPEF", "BPEI", "BPES"])
def test_a_save_state_is_read_as_the_edition_that_it_names(code, tmp_path):
    """Stand-ins for other editions: Jade's state with their code, and their main callback."""
    with open_game() as gba:
        play_until_free(gba)
        raw = bytearray(gba.get_state())
    struct.pack_into("<I", raw, CALLBACK_2, edition(code).addresses.cb2_overworld)
    struct.pack_into("4s", raw, GAME_CODE, code.encode())
    path = tmp_path / "walk.state"
    path.write_bytes(raw)
    (state,) = open_walk(str(path)).opening()
    assert state.game == code and state.mode is Mode.OVERWORLD and state.player_name


@pytest.mark.parametrize("keys", [("left", "left", "right", "right"), ("up", "down"), ("a", "b")])
def test_going_to_and_fro_pays_its_first_round_at_most(played, keys):
    report = audit(played(keys), load_preset(), rounds=10)
    assert report.verdict is LoopVerdict.ONCE


@pytest.mark.parametrize("preset", ["default", "exploration"])
def test_loading_a_state_again_and_again_pays_what_is_new_in_it_once(played, preset):
    keys = ["down", "left", "a", "down", "right", "up", "a", "right", "down", "b"] * 4
    report = audit(played(keys, reload=True), load_preset(preset), rounds=4)
    assert report.verdict is LoopVerdict.ONCE
    assert report.total > 0


def test_every_preset_scores_a_game_that_is_played(played):
    for preset in preset_names():
        report = audit(played(["down", "left"] * 5), load_preset(preset), rounds=2)
        assert report.steps == 20


@pytest.fixture(scope="module")
def recorded():
    """An episode in which somebody walks about, as a recording."""
    env = make_env(GameConfig(episode_length=40, start_wait=0), record="every")
    env.reset(seed=0)
    keys = ["up", "left", "down", "right"]
    for step in range(40):
        action = [a.name for a in action_set("original")].index(keys[step // 6 % 4])
        _, _, _, _, info = env.step(np.int64(action))
    env.close()
    return Recording.from_bytes(info["recording"].file)


def test_a_recording_is_played_again_and_pays_what_it_paid(recorded, tmp_path, capsys):
    path = tmp_path / "walk.recording"
    path.write_bytes(recorded.to_bytes())
    assert main([str(path), "--json", "--rounds", "3"]) == 0
    (report,) = json.loads(capsys.readouterr().out)
    opening_and_first = report["terms"]
    assert report["walk"] == "walk.recording" and recorded.total > 0
    assert sum(opening_and_first.values()) == pytest.approx(recorded.total)


def test_a_recording_that_the_game_no_longer_follows_is_not_audited(recorded, tmp_path, capsys):
    path = tmp_path / "other.recording"
    wrong = tuple(hash_ ^ 1 for hash_ in recorded.hashes)
    path.write_bytes(replace(recorded, hashes=wrong).to_bytes())
    assert main([str(path)]) == 2
    assert "comes out differently from step 0 on" in capsys.readouterr().err
    path.write_bytes(b"PK")
    assert main([str(path)]) == 2
    assert "does not begin as a zip does" in capsys.readouterr().err
