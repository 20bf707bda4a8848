"""Rewards in deviations of the discounted return: SB3's numbers, resumed to the bit."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given, settings
from hypothesis import strategies as st
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

from baselines.learner.vec_wrappers.reward_scale import RewardScale

GAMMA = 0.9


class Payer(gymnasium.Env):
    """Pays normal noise times a scale; episodes last seven steps."""

    observation_space = spaces.Box(-1, 1, (2,), np.float32)
    action_space = spaces.Discrete(2)

    def __init__(self, scale=1.0):
        self.scale = scale

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return np.zeros(2, np.float32), {}

    def step(self, action):
        self.steps += 1
        reward = self.scale * float(self.np_random.normal())
        return np.zeros(2, np.float32), reward, self.steps == 7, False, {}


def games(seed=0, scale=1.0):
    made = DummyVecEnv([lambda: Monitor(Payer(scale))] * 3)
    made.seed(seed)
    return made


def rewards_of(wrapped, steps=50):
    return np.array([wrapped.step(np.zeros(3, int))[1] for _ in range(steps)])


def test_rewards_are_those_of_sb3s_vec_normalize():
    ours, theirs = RewardScale(games(), GAMMA), VecNormalize(games(), norm_obs=False, gamma=GAMMA)
    ours.reset(), theirs.reset()
    np.testing.assert_array_equal(rewards_of(ours), rewards_of(theirs))


@settings(max_examples=10)
@given(st.floats(1, 1e4), st.integers(0, 1000))
def test_the_scale_of_a_games_rewards_does_not_matter(scale, seed):
    plain, scaled = RewardScale(games(seed), GAMMA), RewardScale(games(seed, scale), GAMMA)
    plain.reset(), scaled.reset()
    # the first steps hang on the deviation that SB3 assumes before it has seen any
    equal, late = np.testing.assert_allclose, slice(10, None)
    equal(rewards_of(scaled)[late], rewards_of(plain)[late], rtol=0.02, atol=1e-3)


def test_the_unit_is_the_deviation_of_the_discounted_return():
    wrapped = RewardScale(games(scale=5.0), GAMMA)
    wrapped.reset()
    rewards_of(wrapped, 7 * 500)
    # a sum of k normal rewards discounted: variance (1 - gamma^2k) / (1 - gamma^2), k from 1 to 7
    variance = 25 * np.mean([(1 - GAMMA ** (2 * k)) / (1 - GAMMA**2) for k in range(1, 8)])
    assert wrapped.ret_rms.var == pytest.approx(variance, rel=0.06)


def test_an_episodes_reported_reward_is_the_games():
    wrapped, plain = RewardScale(games(), GAMMA), games()
    wrapped.reset(), plain.reset()
    for _ in range(7):
        infos, expected = (made.step(np.zeros(3, int))[3] for made in (wrapped, plain))
    assert [info["episode"]["r"] for info in infos] == [info["episode"]["r"] for info in expected]


def test_it_resumes_to_the_bit():
    whole, other = RewardScale(games(), GAMMA), RewardScale(games(), GAMMA)
    whole.reset(), other.reset()
    rewards_of(whole, 10)
    for _ in range(10):
        other.venv.step(np.zeros(3, int))  # the games alone
    other.set_state(whole.get_state())
    np.testing.assert_array_equal(rewards_of(whole), rewards_of(other))
    with pytest.raises(ValueError, match="games, not 3"):
        other.set_state(whole.get_state() | {"returns": np.zeros(2)})
