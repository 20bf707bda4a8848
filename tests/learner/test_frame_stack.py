"""Stacked and turned observations are those of stable-baselines3."""

import copy

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from stable_baselines3.common.vec_env import DummyVecEnv, VecTransposeImage
from stable_baselines3.common.vec_env.stacked_observations import StackedObservations

from baselines.learner.ppo import PPO
from baselines.learner.vec_wrappers.frame_stack import ChannelsFirst, Stacks

PICTURE = spaces.Box(0, 255, (8, 12, 1), np.uint8)
SCREEN = spaces.Box(0, 255, (40, 48, 1), np.uint8)
SPACES = {
    "a picture": PICTURE,
    "a picture in colours": spaces.Box(0, 255, (8, 12, 3), np.uint8),
    "a picture with its channels first": spaces.Box(0, 255, (1, 12, 14), np.uint8),
    "several parts": spaces.Dict(screen=PICTURE, state=spaces.Box(-1, 1, (5,), np.float32)),
}


def sample(space, n_envs):
    if isinstance(space, spaces.Dict):
        return {key: sample(part, n_envs) for key, part in space.spaces.items()}
    return np.stack([space.sample() for _ in range(n_envs)])


def some(seen, game):
    return {key: part[game] for key, part in seen.items()} if isinstance(seen, dict) else seen[game]


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
@pytest.mark.parametrize("n_stack", [1, 2, 4])
def test_stacks_are_those_of_sb3_also_where_episodes_end(space, n_stack):
    space.seed(0)
    random = np.random.default_rng(0)
    ours, theirs = (kind(3, n_stack, space) for kind in (Stacks, StackedObservations))
    first = sample(space, 3)
    np.testing.assert_equal(ours.reset(first), theirs.reset(first))
    before, kept = None, None
    for _ in range(40):
        seen, last = sample(space, 3), sample(space, 3)
        dones = random.random(3) < 0.1
        infos = [
            [{"terminal_observation": some(last, k)} if dones[k] else {} for k in range(3)]
            for _ in range(2)
        ]
        got, expected = ours.update(seen, dones, infos[0]), theirs.update(seen, dones, infos[1])
        np.testing.assert_equal(got, expected)
        if kept is not None:
            np.testing.assert_equal(before, kept, "what was returned before stays as it was")
        before, kept = got[0], copied(got[0])


def copied(seen):
    if isinstance(seen, dict):
        return {key: part.copy() for key, part in seen.items()}
    return seen.copy()


class Film(gymnasium.Env):
    """Shows random pictures; an episode has four steps."""

    action_space = spaces.Discrete(2)

    def __init__(self, space):
        self.observation_space = space

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.observation_space.seed(seed)
        self._left = 4
        return self.observation_space.sample(), {}

    def step(self, action):
        self._left -= 1
        return self.observation_space.sample(), 0.0, self._left == 0, False, {}


@pytest.mark.parametrize("name", ["a picture", "a picture in colours", "several parts"])
def test_pictures_are_turned_as_by_sb3_also_where_episodes_end(name):
    runs = []
    for kind in (ChannelsFirst, VecTransposeImage):
        games = kind(DummyVecEnv([lambda: Film(copy.deepcopy(SPACES[name]))] * 2))
        games.seed(3)
        seen = [games.reset()]
        for _ in range(9):
            observations, _, _, infos = games.step(np.zeros(2, int))
            seen += [observations, [info.get("terminal_observation") for info in infos]]
        runs.append((seen, games.observation_space))
    assert runs[0][1] == runs[1][1]
    np.testing.assert_equal(runs[0][0], runs[1][0])


def test_the_learner_turns_pictures_without_copying_them():
    seen = spaces.Dict(screen=SCREEN, state=spaces.Box(-1, 1, (5,), np.float32))
    model = PPO("MultiInputPolicy", DummyVecEnv([lambda: Film(seen)]), n_steps=8, batch_size=8)
    assert type(model.get_env()) is ChannelsFirst
    model.learn(16)
