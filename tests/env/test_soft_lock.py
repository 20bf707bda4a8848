"""A dead end is told from a slow player, by keys in the game itself."""

import struct
from dataclasses import replace
from functools import partial

import gymnasium
import pytest
from gymnasium.wrappers import TimeLimit

from baselines.commands.check import inspect_state as inspect
from baselines.training.callbacks.episodes import episode_means, episode_record
from emerald_env.env.config import EnvConfig
from emerald_env.env.env import EmeraldEnv
from emerald_env.state import NOWHERE
from emerald_env.state.parts.pokemon import NOBODY
from emerald_env.wrappers import episode_summary, soft_lock, soft_lock_file
from emerald_env.wrappers.episode_summary import EpisodeSummary, MilestoneTimes
from emerald_env.wrappers.soft_lock import is_soft_locked
from emerald_env.wrappers.soft_lock_file import SoftLock

GRID, BORDER, WALL = 0x03005DC0, 7, 0x0C00  # gBackupMapLayout; map.h
SHORT = {"tries": 2, "steps": 40}
NOTHING = 0  # the action


@pytest.fixture
def env():
    env = EmeraldEnv(EnvConfig())
    env.reset(seed=0)
    for _ in range(10):
        env.step(NOTHING)
    yield env
    env.close()


def wall_in(env):
    """Makes the four tiles around the player impassable."""
    (x, y) = env.state.position
    width, _, cells = struct.unpack("<iiI", env.gba.memory.read(GRID, 12))
    for dx, dy in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        cell = cells + 2 * ((y + dy + BORDER) * width + x + dx + BORDER)
        (value,) = struct.unpack("<H", env.gba.memory.read(cell, 2))
        env.gba.memory.write(cell, struct.pack("<H", value | WALL))


def here(env):
    return {(env.state.location, env.state.position)}


def test_who_can_walk_on_is_only_slow_and_who_is_walled_in_is_locked(env):
    assert not is_soft_locked(env.gba, here(env), **SHORT)
    wall_in(env)
    assert is_soft_locked(env.gba, here(env), **SHORT)


def test_the_answer_can_be_had_again_from_the_state_and_the_game_is_left_as_it_was(env):
    wall_in(env)
    state = env.gba.get_state()
    assert is_soft_locked(env.gba, here(env), **SHORT)
    assert env.gba.get_state() == state
    env.gba.set_state(state)
    assert is_soft_locked(env.gba, here(env), **SHORT)


def test_a_milestone_that_only_the_party_shows_is_seen():
    first = replace(NOWHERE, party=(NOBODY,))
    times = MilestoneTimes()
    assert not times.see(NOWHERE, 0)
    assert times.see(first, 7) and times.steps == {"starter": 7}
    assert not times.see(first, 8)
    place = {(NOWHERE.location, NOWHERE.position)}
    assert soft_lock._is_new(first, place, NOWHERE) and not soft_lock._is_new(first, place, first)


def test_a_saved_soft_lock_can_be_checked_again_and_a_way_on_is_found_if_there_is_one(
    env, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(soft_lock_file, "is_soft_locked", partial(is_soft_locked, **SHORT))
    path = tmp_path / "folder" / "lock.ss1"
    for wall, status in ((False, 1), (True, 0)):
        if wall:
            wall_in(env)
        found = SoftLock.of(env.gba.get_state(), here(env), env.config)
        found.save(path, None)
        assert SoftLock.load(path) == found
        assert inspect.main([str(path), "--soft-lock"]) == status
    assert "a soft-lock: " in capsys.readouterr().out


def test_a_soft_lock_is_saved_and_checked_in_the_world_of_its_episode(
    tmp_path, monkeypatch, capsys
):
    """Which world that is, nobody says again who plays many or who repeats the check."""
    monkeypatch.setattr(soft_lock_file, "is_soft_locked", partial(is_soft_locked, **SHORT))
    path = tmp_path / "lock.ss1"
    env = EmeraldEnv(EnvConfig(worlds="7..7"))
    env.reset(seed=0)
    wall_in(env)
    SoftLock.of(env.gba.get_state(), here(env), env.config).save(path, None)
    env.close()
    assert SoftLock.load(path).world == "7:small"
    assert inspect.main([str(path), "--soft-lock"]) == 0
    assert "a soft-lock: " in capsys.readouterr().out


KEYS = '"places": [], "action_set": "original", "hold_frames": 8, "frame_skip": 24'
BROKEN = [
    "[]",
    "{}",
    '{"places": [[1]]}',
    '{"places": []}',
    '{"places": [], "frame_skip": "x"}',
    f'{{{KEYS}, "world": 7}}',
    f'{{{KEYS}, "world": "nowhere"}}',
]


@pytest.mark.parametrize("text", BROKEN)
def test_a_soft_lock_of_a_stranger_is_refused_in_a_line(env, tmp_path, text, capsys):
    path = tmp_path / "lock.ss1"
    SoftLock.of(env.gba.get_state(), here(env), env.config).save(path, None)
    path.with_suffix(".json").write_text(text)
    assert inspect.main([str(path), "--soft-lock"]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_ground_that_the_episode_knows_is_nothing_new(env):
    class Everywhere:
        def __contains__(self, place):
            return True

    assert is_soft_locked(env.gba, Everywhere(), **SHORT)


class Later(gymnasium.Wrapper):
    """Does something to the game in its 5th step."""

    def __init__(self, env, deed):
        super().__init__(env)
        self.deed, self.count = deed, 0

    def get_state(self):
        return None

    def step(self, action):
        self.count += 1
        if self.count == 5:
            self.deed(self.env.unwrapped)
        return super().step(action)


@pytest.mark.parametrize(("deed", "locked"), [(wall_in, True), (lambda env: None, False)])
def test_an_episode_without_anything_new_says_how_it_ended(env, monkeypatch, deed, locked):
    monkeypatch.setattr(episode_summary, "QUIET", 20)
    monkeypatch.setattr(episode_summary, "is_soft_locked", partial(is_soft_locked, **SHORT))
    game = EpisodeSummary(TimeLimit(Later(env, deed), 30))
    game.reset(seed=0)
    infos = [game.step(NOTHING)[4] for _ in range(30)]
    assert infos[-1]["soft_lock"] is locked and "soft_lock" not in infos[-2]
    assert ("soft_lock_file" in infos[-1]) is locked


def test_an_episode_that_came_to_something_new_is_not_checked(env, monkeypatch):
    monkeypatch.setattr(episode_summary, "is_soft_locked", lambda *_: pytest.fail("checked"))
    game = EpisodeSummary(TimeLimit(env, 30))
    game.reset(seed=0)
    infos = [game.step(NOTHING)[4] for _ in range(30)]
    assert infos[-1]["soft_lock"] is False


def test_the_curve_is_the_share_of_episodes():
    info = {"episode": {"r": 1.0, "l": 9}}
    records = [episode_record(info | {"soft_lock": lock}, 0, 9) for lock in (True, False)]
    assert episode_means(records)["rollout/soft_lock_share"] == 0.5
