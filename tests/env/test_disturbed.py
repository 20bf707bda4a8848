"""Disturbed games: what is changed is changed, and nothing else; they resume exactly."""

import copy
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.checkpoints.checkpoint_file import load_policy
from baselines.checkpoints.trained import find_checkpoint
from baselines.games.game import make_env
from baselines.learner.vec_wrappers.frame_stack import ChannelsFirst, FrameStack
from baselines.playing import evaluated_player
from baselines.playing.agent import Agent
from baselines.settings.evaluate_config import EvaluateConfig
from baselines.settings.game_config import GameConfig
from baselines.settings.read_flags import field_texts
from emerald_env.recordings.recording import Recording
from emerald_env.recordings.replaying import open_recorded, replay
from emerald_env.wrappers.disturbed import KINDS, Disturbance, Disturbed


def play(disturb, actions, seed=3, **settings):
    """Returns the observations of a game that is played with these actions."""
    env = make_env(GameConfig(disturb=disturb, **{"observation": "screen"} | settings))
    seen = [env.reset(seed=seed)[0]]
    seen += [env.step(action)[0] for action in actions]
    env.close()
    return seen


def pressed(disturb, actions):
    """Returns the actions that reach the game."""
    env = make_env(GameConfig(disturb=disturb, observation="screen"))
    game, reached = env.unwrapped, []
    inner = game.step
    game.step = lambda action: (reached.append(int(action)), inner(action))[1]
    env.reset(seed=1)
    for action in actions:
        env.step(action)
    env.close()
    return reached


def test_keys_are_repeated_and_drawn_with_their_probability():
    actions = [step % 15 for step in range(400)]
    assert pressed(("repeat=0",), actions) == actions
    assert set(pressed(("repeat=1",), actions)) == {0}
    repeated = np.mean(np.diff(pressed(("repeat=.25",), actions)) == 0)
    other = np.mean(np.array(pressed(("random=.25",), actions)) != actions)
    # 5 standard deviations of 400 draws: .11
    assert abs(repeated - 0.25) < 0.11 and abs(other - 0.25 * 14 / 15) < 0.11


def test_a_black_picture_and_a_vector_of_zeros_are_the_only_change():
    actions = [4] * 20
    clean = play((), actions, observation="full")
    black = play(("black",), actions, observation="full")
    blind = play(("no-vector", "black"), actions, observation="full")
    assert clean[-1]["screen"].any()
    for a, b, c in zip(clean, black, blind, strict=True):
        assert not b["screen"].any() and np.array_equal(a["state"], b["state"])
        assert not c["screen"].any() and not c["state"].any()


def test_without_a_vector_nothing_that_is_read_from_memory_is_seen():
    parts = ("tiles", "targets", "menus", "visited", "bag", "text", "guide", "action_masks")
    settings = {"observation": "full"} | dict.fromkeys(parts, True)
    clean, blind = play((), [4] * 20, **settings), play(("no-vector",), [4] * 20, **settings)
    kept = {"screen", "guide", "purpose", "action_masks", "world_number"}
    assert {"state", "tiles", "targets", "visited"} <= {k for k, v in clean[-1].items() if v.any()}
    for a, b in zip(clean, blind, strict=True):
        assert {name for name, part in b.items() if part.any()} <= kept
        assert all(np.array_equal(a[name], b[name]) for name in kept & a.keys())


def kinds_tried(monkeypatch, **seen):
    """The disturbances of `--disturb all` for the agent of the screen that sees this, too."""
    policy, manifest = load_policy(find_checkpoint("jade-screen"))
    manifest = replace(manifest, env=manifest.env | seen)
    monkeypatch.setattr(evaluated_player, "load_policy", lambda *_, **__: (policy, manifest))
    config = EvaluateConfig(checkpoint="jade-screen", disturb=("all",))
    return [player.disturb for player in evaluated_player.players(config)]


def test_what_is_read_from_memory_is_taken_from_those_who_see_any(monkeypatch):
    assert ("no-vector",) not in kinds_tried(monkeypatch)
    assert ("no-vector",) in kinds_tried(monkeypatch, tiles=True)


def test_noise_has_the_wanted_deviation():
    clean, noisy = (play(words, [4] * 8)[-1].astype(int) for words in ((), ("noise=20",)))
    inside = (clean > 80) & (clean < 175)
    assert inside.sum() > 1000
    assert abs((noisy - clean)[inside].std() - 20) < 1


@pytest.mark.parametrize("words", [("repeat=.25", "random=.25", "noise=20"), ("mixed",)])
def test_a_disturbed_game_resumes_exactly(words):
    env = make_env(GameConfig(disturb=words, observation="screen"))
    env.reset(seed=5)
    for action in range(10):
        env.step(action)
    state = copy.deepcopy(env.get_wrapper_attr("get_state")())
    first = [env.step(action)[0] for action in range(12)]
    other = make_env(GameConfig(disturb=words, observation="screen"))
    other.get_wrapper_attr("set_state")(state)
    again = [other.step(action)[0] for action in range(12)]
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    env.close(), other.close()


def test_mixed_episodes_have_each_starter_gender_and_noise_as_often():
    dice, mixed = np.random.default_rng(0), Disturbance.parse(("mixed", "repeat=.25"))
    drawn = [mixed.drawn(dice) for _ in range(4000)]
    for share, which in ((1 / 4, "starter"), (1 / 2, "girl")):
        counts = Counter(getattr(one, which) for one in drawn)
        assert len(counts) == 1 / share
        assert all(abs(count / 4000 - share) < 0.03 for count in counts.values())
    assert {one.noise for one in drawn} == {0, 10, 20} and {one.repeat for one in drawn} == {0.25}


def girls_recording(words, seed):
    """An episode of random keys in which the player is a girl."""
    config = GameConfig(disturb=words, observation="state", episode_length=70)
    env, dice = make_env(config, record="every"), np.random.default_rng(0)
    env.reset(seed=seed)
    over = False
    assert env.unwrapped.state.player_gender == 1
    while not over:
        _, _, _, over, info = env.step(dice.integers(15))
    env.close()
    return Recording.from_bytes(info["recording"].file)


@pytest.mark.parametrize(("words", "seed"), [(("girl",), 0), (("mixed",), 1)])
def test_an_episode_of_a_girl_replays_and_is_hers_from_the_start(words, seed):
    recording = girls_recording(words, seed)
    states = list(recording.states())
    assert {state.player_gender for state in states} == {1}
    with open_recorded(recording) as gba:
        steps = list(replay(recording, gba))
    assert [step.same for step in steps if step.same is not None] == [True] * 4  # 0, 32, 64, 70
    assert {step.state.player_gender for step in steps} == {1}


@pytest.mark.parametrize(("number", "species"), [(1, 277), (2, 283), (3, 280)])
def test_the_wanted_first_pokemon_is_taken_by_a_girl(number, species):
    policy, manifest = load_policy(find_checkpoint("jade-by-heart"))
    config = GameConfig(observation="full", disturb=(f"starter={number}", "girl"))
    games = DummyVecEnv([lambda: make_env(config, "rgb_array")])
    games.seed(0)
    game = games.envs[0].unwrapped
    seen, agent = ChannelsFirst(FrameStack(games, manifest.n_stack)), Agent(policy)
    observations, starts = seen.reset(), np.ones(1, np.bool_)
    for _ in range(400):
        observations, _, starts, _ = seen.step(agent.think(observations, starts).actions)
        if game.state and game.state.party:
            break
    assert [one.species for one in game.state.party] == [species]
    assert game.state.player_gender == 1
    games.close()


@pytest.mark.parametrize("word", ["repeat", "black=1", "dark", "random=2", "noise=-1", "starter=4"])
def test_an_impossible_disturbance_is_refused(word):
    with pytest.raises(ValueError):
        Disturbance.parse((word,))
    with pytest.raises(ValueError):
        GameConfig(disturb=(word,))


def test_an_undisturbed_game_has_no_wrapper():
    env = make_env(GameConfig())
    inside = env
    while inside is not env.unwrapped:
        assert not isinstance(inside, Disturbed)
        inside = inside.env
    env.close()


@pytest.mark.parametrize("settings", [GameConfig, EvaluateConfig])
def test_the_help_names_every_kind(settings):
    told = field_texts(settings)["disturb"]
    assert not [kind for kind in KINDS if kind.partition("=")[0] not in told]
