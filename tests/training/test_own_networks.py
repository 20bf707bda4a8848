"""Networks and observations of your own: from a training to a resume, and to playing."""

import json
import re
import zipfile
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from gymnasium import spaces
from helpers.runs import TINY, only_session

from baselines.checkpoints.checkpoint_file import CheckpointError, load_policy, read_manifest
from baselines.checkpoints.manifest import Manifest
from baselines.commands.learn.train import main as train
from baselines.commands.play.checkpoint import main as checkpoint_command
from baselines.commands.play.evaluate import main as evaluate
from baselines.commands.play.play_game import main as play
from baselines.games.game import game_space, make_env
from baselines.games.vec_games import make_vec_env
from baselines.learner.policy.own_network import OwnNetwork
from baselines.settings.game_config import GameConfig
from baselines.settings.train_config import TrainConfig
from emerald_env.emulator import StateError
from emerald_env.files.own_code import OwnCode, OwnName
from emerald_env.wrappers.practice import LOST, Offer, PracticeStart

TEXT = '''
import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

open({marker!r}, "a").write("run ")


class Quarters(gymnasium.ObservationWrapper):
    """The mean of each quarter of the picture."""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (4,), np.float32)

    def observation(self, observation):
        picture = observation["screen"]
        quarters = [half for rows in np.split(picture, 2) for half in np.split(rows, 2, axis=1)]
        return np.array([quarter.mean() / 255 for quarter in quarters], np.float32)


class Inverted(gymnasium.ObservationWrapper):
    def observation(self, observation):
        return {{**observation, "screen": 255 - observation["screen"]}}


class Net(nn.Module):
    def __init__(self, space):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(space.shape[0], 8), nn.Tanh())

    def forward(self, seen):
        return self.layers(seen)


class Extractor(BaseFeaturesExtractor):
    """SB3's kind, which sees the picture and the numbers."""

    def __init__(self, space, features_dim=12):
        super().__init__(space, features_dim)
        self.screen = nn.Sequential(nn.Conv2d(len(space["screen"].low), 4, 5, 3), nn.Flatten())
        self.both = nn.LazyLinear(features_dim)

    def forward(self, seen):
        return self.both(torch.cat([self.screen(seen["screen"]), seen["state"]], 1))


def other_keys(env):
    return gymnasium.wrappers.TransformAction(env, int, gymnasium.spaces.Discrete(2))

def no_wrapper(env):
    return 3

def doubles(env):
    space = gymnasium.spaces.Box(0, 1, (2,), np.float64)
    return gymnasium.wrappers.TransformObservation(env, lambda seen: np.zeros(2), space)

def purse(env):
    space = gymnasium.spaces.Box(0, 999_999, (1,), np.int64)
    return gymnasium.wrappers.TransformObservation(env, lambda seen: np.ones(1, int), space)

def another_shape(env):
    space = gymnasium.spaces.Box(0, 1, (2,), np.float32)
    return gymnasium.wrappers.TransformObservation(env, lambda seen: np.zeros(3, np.float32), space)

class NeverBegins(gymnasium.Wrapper):
    def reset(self, **options):
        raise ValueError("cannot begin")

class Asks(gymnasium.Wrapper):
    def reset(self, *, seed=None, options=None):
        return self.env.reset(seed=seed, options=options)

    def step(self, action):
        return self.env.step(action)

class Prepares(gymnasium.Wrapper):
    def reset(self, *, seed=None, options=None):
        return self.env.reset(seed=seed, options={{"prepare": self.prepare}})

    def prepare(self):
        raise ValueError("not prepared")

def fails(env):
    space = env.observation_space
    return gymnasium.wrappers.TransformObservation(env, lambda seen: seen["no such"], space)

def no_net(space):
    return 3

def small_net(space):
    return nn.Linear(3, 3)

class OneRow(nn.Module):
    def __init__(self, space):
        super().__init__()

    def forward(self, seen):
        return torch.zeros(3)
'''
PAGE = Path(__file__).resolve().parents[2] / "docs/OWN_NETWORKS.md"
HERE = GameConfig(observation="dict", shrink=4, frame_skip=4, hold_frames=2, start_wait=0)
PLAIN = " ".join(TINY).replace("--features-dim 16 --network small", "").split()
ONE = ("--episodes", "1", "--episode-length", "3", "--json")


@pytest.fixture(scope="module")
def mine(tmp_path_factory):
    """A Python file, and beside it what it writes whenever it runs."""
    folder = tmp_path_factory.mktemp("own")
    path = folder / "mine.py"
    path.write_text(TEXT.format(marker=str(folder / "runs.txt")))
    return path


@pytest.fixture(scope="module")
def trained(mine):
    """A session whose network and observation are a file's, of 64 steps."""
    sessions = mine.parent / "sessions"
    assert train_on(sessions, mine, "--total-timesteps", "64") == 0
    return only_session(sessions)


def train_on(sessions, mine, *flags):
    own = ("--network", f"{mine}:Net", "--wrapper", f"{mine}:Quarters")
    return train([*PLAIN, "--sessions", str(sessions), *own, *flags])


def own(mine, name):
    return OwnName(OwnCode.read(mine), name)


def test_a_wrapper_of_ones_own_decides_what_is_observed(mine):
    config = replace(HERE, wrapper=f"{mine}:Quarters")
    env, plain = make_env(config), make_env(HERE)
    seen, _ = env.reset(seed=5)
    (screen, _), _ = plain.reset(seed=5)[0].values(), None
    assert game_space(config) == spaces.Box(-np.inf, np.inf, (4,), np.float32)
    assert seen[0] == pytest.approx(screen[: len(screen) // 2, : screen.shape[1] // 2].mean() / 255)
    env.close()
    plain.close()


def test_worker_processes_observe_the_same(mine):
    config = replace(HERE, wrapper=f"{mine}:Inverted")
    games, alone = make_vec_env(config, 2, 1, seed=3), make_env(config)
    whole, (seen, _) = games.reset(), alone.reset(seed=3)
    for _ in range(3):
        np.testing.assert_equal({key: part[0] for key, part in whole.items()}, seen)
        whole, *_ = games.step([1, 2])
        seen, *_ = alone.step(1)
    games.close()
    alone.close()


def test_a_wrapper_can_observe_whole_numbers_and_be_put_around_the_worlds_number(mine):
    worlds = replace(HERE, wrapper=f"{mine}:Inverted", world_number=True, worlds="3..3")
    env = make_env(worlds)
    assert env.reset(seed=5)[0]["world_number"] == [3]
    env.close()
    purse = spaces.Box(0, 999_999, (1,), np.int64)
    assert game_space(replace(HERE, wrapper=f"{mine}:purse")) == purse


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("absent", "mine.py has no absent"),
        ("no_wrapper", "the wrapper mine.py:no_wrapper returns a int: it must return the env"),
        ("other_keys", r"changes the actions to Discrete\(2\)"),
        ("doubles", "it must be a Box of uint8, float32 or int64"),
        ("another_shape", r"returned a ndarray float32 \(3,\), which is not in its observation"),
        ("fails", r"raised KeyError: 'no such' \(line \d+ of mine.py\)"),
        ("Prepares", r"raised ValueError: not prepared \(line \d+ of mine.py\)"),
    ],
)
def test_a_wrapper_that_cannot_be_used_is_reported_in_one_line(mine, name, message):
    with pytest.raises(ValueError, match=message) as told:
        make_env(replace(HERE, wrapper=f"{mine}:{name}")).reset(seed=0)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("absent", "mine.py has no absent"),
        ("no_net", "makes a int: it must be a torch module"),
        ("small_net", "raised RuntimeError: .*must have same reduction dim"),
        ("OneRow", r"returned \(3,\) for 2 observations: it must return a tensor \(2, n\)"),
    ],
)
def test_an_unusable_network_is_reported_in_one_line(mine, tmp_path, capfd, name, message):
    flags = ("--total-timesteps", "64", "--network", f"{mine}:{name}")
    assert train_on(tmp_path / "s", mine, *flags) == 1
    error = capfd.readouterr().err
    assert re.search(message, error) and error.count("\n") == 1


def test_a_features_extractor_of_sb3_is_taken_as_it_is(mine):
    space = spaces.Dict(
        screen=spaces.Box(0, 255, (2, 40, 60), np.uint8), state=spaces.Box(0, 1, (7,), np.float32)
    )
    network = OwnNetwork(space, own(mine, "Extractor"), features_dim=9)
    seen = {"screen": torch.rand(5, 2, 40, 60), "state": torch.rand(5, 7)}
    assert network.features_dim == 9
    assert torch.equal(network(seen), network.module(seen))


def test_the_manifest_names_the_files_with_their_hashes_alone(trained, mine):
    manifest = read_manifest(trained.latest_checkpoint())
    digest = OwnCode.read(mine).sha256
    assert manifest.code == {"mine.py:Net": digest, "mine.py:Quarters": digest}
    assert (manifest.network, manifest.env["wrapper"]) == ("mine.py:Net", "mine.py:Quarters")
    assert str(mine.parent) not in json.dumps(asdict(manifest))


def test_neither_playing_nor_resuming_runs_a_file_that_is_not_named(trained, mine, capfd):
    marker = mine.parent / "runs.txt"
    marker.write_text("")
    checkpoint, sessions = str(trained.latest_checkpoint()), str(trained.folder.parent)
    assert play([checkpoint, *ONE]) == 1
    assert "name its file, --wrapper mine.py:Quarters" in capfd.readouterr().err
    assert play([checkpoint, *ONE, "--wrapper", f"{mine}:Quarters"]) == 1
    assert "name its file, --network mine.py:Net" in capfd.readouterr().err
    assert evaluate([checkpoint, *ONE[:2]]) == 1
    assert "name its file, --network mine.py:Net" in capfd.readouterr().err
    more = ("--resume", trained.folder.name, "--total-timesteps", "96")
    assert train([*PLAIN, "--sessions", sessions, *more]) == 1
    error = capfd.readouterr().err
    assert f"give --wrapper {mine}:Quarters --network {mine}:Net again" in error
    checkpoint_command(["inspect", checkpoint])
    assert "mine.py:Net is Python code" in " ".join(capfd.readouterr().out.split())
    assert marker.read_text() == ""


@pytest.mark.parametrize("command", [play, evaluate])
@pytest.mark.parametrize("flag, kind", [("--network", "Net"), ("--wrapper", "Quarters")])
def test_code_that_no_checkpoint_was_trained_with_is_refused(
    command, flag, kind, trained, mine, capfd
):
    unused, last = f"{mine}:{kind}", str(trained.latest_checkpoint())
    for checkpoint, given, problem in (
        ("jade", unused, f"{flag} is {unused}, .*: leave {flag} out"),
        (
            last,
            f"{mine}:Halves",
            f"{flag} is {mine}:Halves, .*: if it is yours, give {flag} mine.py:{kind}",
        ),
        ("jade", f"nothere.py:{kind}", "nothere.py: No such file or directory"),
    ):
        assert command([checkpoint, *ONE, flag, given]) == 1
        assert re.match(f"error: {problem}\n", capfd.readouterr().err)


def test_of_two_checkpoints_one_may_need_a_wrapper(trained, mine):
    flags = ("--network", f"{mine}:Net", "--wrapper", f"{mine}:Quarters", "--n-workers", "1")
    assert evaluate(["jade", "--against", str(trained.latest_checkpoint()), *ONE, *flags]) == 0


def test_a_checkpoint_plays_with_its_files(trained, mine, capfd):
    flags = ("--network", f"{mine}:Net", "--wrapper", f"{mine}:Quarters")
    checkpoint = str(trained.latest_checkpoint())
    assert play([checkpoint, *ONE, *flags]) == 0
    assert "note" not in capfd.readouterr().err
    assert evaluate([checkpoint, *ONE, "--n-workers", "1", *flags]) == 0


def test_it_is_exported_with_its_file_and_never_as_a_pickle(trained, mine, tmp_path, capfd):
    checkpoint, out = str(trained.latest_checkpoint()), tmp_path / "given.zip"
    words = ["export", checkpoint, str(out), "--network", f"{mine}:Net"]
    assert checkpoint_command([*words, "--sb3"]) == 1
    assert "leave --sb3 out" in capfd.readouterr().err and not out.exists()
    assert checkpoint_command(words) == 0
    assert "mine.py:Net, 2 steps at once" in zipfile.ZipFile(out).read("README.md").decode()


@pytest.mark.parametrize("flags", [(), ("--sb3",)])
def test_no_network_of_another_is_taken_for_an_export(mine, tmp_path, capfd, flags):
    unused, out = f"{mine}:Net", tmp_path / "given.zip"
    assert checkpoint_command(["export", "jade", str(out), "--network", unused, *flags]) == 1
    assert f"--network is {unused}, with which nothing here was trained" in capfd.readouterr().err
    assert not out.exists()


def test_the_file_of_the_page_learns_what_it_says(tmp_path):
    (text,) = re.findall(r"```python\n(# mine.py.*?)```", PAGE.read_text(), re.DOTALL)
    page = tmp_path / "mine.py"
    page.write_text(text)
    space = game_space(replace(HERE, wrapper=f"{page}:Halves"))
    assert OwnNetwork(space, own(page, "Net")).features_dim == 64


def test_a_file_that_has_changed_since_is_reported(trained, mine, tmp_path, capfd):
    other = tmp_path / "mine.py"
    other.write_text(mine.read_text() + "\n# changed\n")
    flags = ("--network", f"{other}:Net", "--wrapper", f"{mine}:Quarters")
    assert play([str(trained.latest_checkpoint()), *ONE, *flags]) == 0
    assert "note: mine.py:Net is not what it was in training" in capfd.readouterr().err


def test_a_resumed_run_is_the_whole_run_to_the_bit(trained, mine, tmp_path):
    sessions = tmp_path / "s"
    assert train_on(sessions, mine, "--total-timesteps", "32") == 0
    begun = only_session(sessions)
    flags = ("--resume", begun.folder.name, "--total-timesteps", "64")
    assert train_on(sessions, mine, *flags) == 0
    assert_equal_runs_of_own(begun, trained, mine)


def assert_equal_runs_of_own(found, expected, mine):
    net = own(mine, "Net")
    ours, theirs = (
        load_policy(session.latest_checkpoint(), own=net)[0].state_dict()
        for session in (found, expected)
    )
    assert [name for name in ours if not torch.equal(ours[name], theirs[name])] == []
    assert list(found.read_episodes()) == list(expected.read_episodes())


def test_no_checkpoint_of_a_stranger_s_brings_a_file(trained, mine):
    manifest = read_manifest(trained.latest_checkpoint())
    again = Manifest.from_json(manifest.to_json())
    assert again == manifest and again.own is None
    with pytest.raises(CheckpointError, match="which no checkpoint brings"):
        again.built_from()
    with pytest.raises(CheckpointError, match="Python code that no checkpoint brings"):
        again.env_config(None)
    with pytest.raises(CheckpointError, match="Python code that no checkpoint brings"):
        again.env_config(None, wrapper=f"{mine}:Inverted")


@pytest.mark.parametrize(
    "settings",
    [
        {"network": "huge"},
        {"env": {"wrapper": "mine.py"}},
        {"env": {"wrapper": "mine.py:Quarters"}, "explore": 0.5},
        {"env": {"wrapper": "mine.py:Quarters"}, "novelty_coef": 0.1},
    ],
)
def test_impossible_settings_are_refused(settings):
    with pytest.raises(ValueError, match="network is 'huge'|give FILE.py:NAME|with --wrapper"):
        TrainConfig(**{**settings, "env": GameConfig(**settings.get("env", {}))})


@pytest.mark.parametrize("name", ["Inverted", "Asks"])
def test_what_the_game_raises_is_not_called_the_wrapper_s(mine, name):
    with closing(make_env(replace(HERE, wrapper=f"{mine}:{name}"))) as env:
        env.reset(seed=0)
        with pytest.raises(ValueError, match="^action must be 0 to 14"):
            env.step(99)
        with pytest.raises(ValueError, match="^wait must be"):
            env.reset(options={"wait": -1})
        with pytest.raises(StateError):
            env.reset(options={"state": b"no state"})


@pytest.mark.parametrize("name", ["Inverted", "Asks"])
def test_a_state_of_the_archive_that_does_not_load_does_not_end_a_run_in_a_wrapper(
    mine, name, tmp_path
):
    config = replace(HERE, wrapper=f"{mine}:{name}", observation="full", episode_length=2)
    with closing(make_env(config, practice=True)) as env:
        env.reset(seed=0)
        state = bytearray(env.unwrapped.gba.get_state())
        state[0x10:0x20] = bytes(16)  # as of another game
        (tmp_path / "lost.ss1").write_bytes(state)
        start = PracticeStart("badge_stone", 3, 10, tmp_path / "lost.ss1", 100)
        env.get_wrapper_attr("offer_practice")(Offer(1.0, (start,), (1.0,), frozenset()))
        env.reset()
        env.step(0)
        *_, info = env.step(0)
        assert info[LOST] == [3] and info["episode"]["l"] == 2


def test_games_that_cannot_begin_are_told_in_one_line(mine, tmp_path, capfd):
    flags = [*PLAIN, "--sessions", str(tmp_path), "--total-timesteps", "64"]
    assert train([*flags, "--wrapper", f"{mine}:NeverBegins"]) == 1
    error = capfd.readouterr().err
    assert "NeverBegins raised ValueError: cannot begin" in error and "Traceback" not in error
