"""A game restored from `get_state` continues exactly as the original does."""

import pickle

import numpy as np
import pytest
from helpers.sb3_games import in_process

from baselines.games.game import make_env
from baselines.games.vec_games import make_vec_env
from baselines.settings.game_config import GameConfig
from emerald_env.emulator import StateError
from emerald_env.wrappers.recorder import RECORDING

SHORT = {"observation": "screen", "episode_length": 60, "frame_skip": 16, "hold_frames": 8}
STEPS = 100  # over the end of an episode


def play(env, rng, steps):
    """All that an agent and its trainer get from these steps; the memory behind it, too."""
    trace = []
    for _ in range(steps):
        observation, reward, terminated, truncated, info = env.step(rng.integers(15))
        if "episode" in info:
            info["episode"].pop("t")  # seconds
        trace.append((seen(observation), reward, terminated, truncated, info))
        if terminated or truncated:
            trace.append(seen(env.reset()[0]))
    gba = env.unwrapped.gba
    return repr(trace), gba.memory.ewram.tobytes(), gba.memory.iwram.tobytes()


def seen(observation):
    return [(key, observation[key].tobytes()) for key in sorted(observation)]


@pytest.mark.parametrize("reward", ["default", "original_2023"])
@pytest.mark.parametrize("begun", [1, 17, 59])
def test_a_game_continues_in_another_env_bit_for_bit(reward, begun):
    config = GameConfig(**SHORT | {"observation": "dict", "reward": reward})
    env, other = (make_env(config, "rgb_array", record="every") for _ in range(2))
    env.reset(seed=begun)
    rng = np.random.default_rng(begun)
    play(env, rng, begun)
    state = pickle.dumps(env.get_wrapper_attr("get_state")())  # as it comes out of a worker
    dice = pickle.dumps(rng)
    expected = play(env, rng, STEPS)
    other.get_wrapper_attr("set_state")(pickle.loads(state))
    assert play(other, pickle.loads(dice), STEPS) == expected
    assert RECORDING in expected[0]
    env.close()
    other.close()


def test_taking_the_state_changes_nothing():
    env, other = (make_env(GameConfig(**SHORT)) for _ in range(2))
    for each in (env, other):
        each.reset(seed=3)
    rng = np.random.default_rng(0)
    for action in rng.integers(15, size=70):
        env.get_wrapper_attr("get_state")()
        observed, expected = (each.step(action) for each in (env, other))
        assert np.array_equal(observed[0], expected[0]) and observed[1] == expected[1]
    env.close()
    other.close()


@pytest.mark.parametrize("damage", [b"", b"no zlib", b"\0" * 100])
def test_a_damaged_state_is_an_error_that_says_so(damage):
    env = make_env(GameConfig(**SHORT))
    env.reset(seed=0)
    state = env.get_wrapper_attr("get_state")()
    state["env"]["game"]["state"] = damage
    with pytest.raises(StateError):
        env.get_wrapper_attr("set_state")(state)
    env.close()


@pytest.mark.slow
def test_games_move_out_of_their_workers_into_this_process():
    config = GameConfig(**SHORT)
    games = make_vec_env(config, 3, 2, seed=7)
    games.reset()
    rng = np.random.default_rng(1)
    for _ in range(20):
        games.step(rng.integers(15, size=3))
    states = games.env_method("get_state")
    actions = rng.integers(15, size=(60, 3))
    expected = [games.step(action)[:3] for action in actions]
    games.close()
    others = in_process(config, 3, seed=8)
    for index, state in enumerate(states):
        others.env_method("set_state", state, indices=[index])
    for action, (observations, rewards, dones) in zip(actions, expected, strict=True):
        found = others.step(action)
        assert np.array_equal(found[0], observations)
        assert np.array_equal(found[1], rewards) and np.array_equal(found[2], dones)
    others.close()
