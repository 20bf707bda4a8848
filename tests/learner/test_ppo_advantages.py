"""Advantages against closed forms, a slow reference, and hand-made rollouts."""

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from hypothesis import given, settings
from hypothesis import strategies as st
from stable_baselines3.common import buffers
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.learner.ppo import PPO
from baselines.learner.rollout import RolloutBuffer

STEPS, GAMES = 7, 3
SPACES = (spaces.Box(-1, 1, (2,), np.float32), spaces.Discrete(4))


def rollout(rewards, values, starts, gamma, gae_lambda, kind=RolloutBuffer):
    """A full buffer; the arrays are (steps, games)."""
    steps, n_games = np.shape(rewards)
    buffer = kind(steps, *SPACES, gamma=gamma, gae_lambda=gae_lambda, n_envs=n_games)
    for step in range(steps):
        action = np.full((n_games, 1), step % 4)
        observation = np.stack([np.full(n_games, step), np.arange(n_games)], axis=1)
        value = torch.tensor(np.asarray(values[step], np.float32))
        buffer.add(observation, action, rewards[step], starts[step], value, -value)
    return buffer


def slow_advantages(rewards, values, last_values, starts, dones, gamma, gae_lambda):
    """Equation 16 of Schulman et al. 2016 term by term: sum of (gamma lambda)^k delta_(t+k)."""
    steps, n_games = rewards.shape
    after = np.vstack([values[1:], [last_values]])
    ends = np.vstack([starts[1:], [dones]])
    delta = rewards + gamma * after * (1 - ends) - values
    advantages = np.zeros((steps, n_games))
    for game in range(n_games):
        for step in range(steps):
            for ahead in range(step, steps):
                advantages[step, game] += (gamma * gae_lambda) ** (ahead - step) * delta[
                    ahead, game
                ]
                if ends[ahead, game]:
                    break
    return advantages


def random_rollout(seed, kind=RolloutBuffer, gamma=0.93, gae_lambda=0.8):
    random = np.random.default_rng(seed)
    rewards, values = random.normal(size=(2, STEPS, GAMES)).astype(np.float32)
    starts = (random.random((STEPS + 1, GAMES)) < 0.3).astype(np.float32)
    buffer = rollout(rewards, values, starts, gamma, gae_lambda, kind)
    last_values = random.normal(size=GAMES).astype(np.float32)
    buffer.compute_returns_and_advantage(torch.from_numpy(last_values), starts[-1])
    return buffer, last_values, starts


@settings(max_examples=50)
@given(st.integers(0, 10**6), st.floats(0, 1), st.floats(0, 1))
def test_advantages_are_those_of_a_slow_reference(seed, gamma, gae_lambda):
    buffer, last_values, starts = random_rollout(seed, gamma=gamma, gae_lambda=gae_lambda)
    wanted = slow_advantages(
        buffer.rewards, buffer.values, last_values, starts[:-1], starts[-1], gamma, gae_lambda
    )
    np.testing.assert_allclose(buffer.advantages, wanted, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(buffer.returns, buffer.advantages + buffer.values)


def test_with_lambda_1_the_return_is_the_discounted_sum_of_rewards():
    steps, gamma = 10, 0.9
    ones = np.ones((steps, 1))
    buffer = rollout(ones, 7 * ones, 0 * ones, gamma, 1.0)
    buffer.compute_returns_and_advantage(torch.tensor([5.0]), np.array([False]))
    left = steps - np.arange(steps)
    wanted = (1 - gamma**left) / (1 - gamma) + gamma**left * 5
    np.testing.assert_allclose(buffer.returns[:, 0], wanted, rtol=1e-5)


def test_with_lambda_0_the_advantage_is_the_one_step_error():
    values = np.arange(6.0).reshape(6, 1)
    buffer = rollout(np.full((6, 1), 2.0), values, np.zeros((6, 1)), 0.5, 0.0)
    buffer.compute_returns_and_advantage(torch.tensor([6.0]), np.array([False]))
    np.testing.assert_allclose(buffer.advantages[:, 0], 2 + 0.5 * (values[:, 0] + 1) - values[:, 0])


def test_for_a_constant_reward_and_its_true_value_there_is_no_advantage():
    gamma = 0.99
    value = 1 / (1 - gamma)
    ones = np.ones((20, 2))
    buffer = rollout(ones, value * ones, 0 * ones, gamma, 0.95)
    buffer.compute_returns_and_advantage(torch.full((2,), value), np.zeros(2, bool))
    np.testing.assert_allclose(buffer.advantages, 0, atol=1e-3)


def test_nothing_flows_back_over_the_end_of_an_episode():
    rewards = np.zeros((5, 1))
    rewards[3] = 100.0  # in the second episode, which starts at step 2
    starts = np.array([[1.0], [0], [1], [0], [0]])
    buffer = rollout(rewards, np.zeros((5, 1)), starts, 0.99, 0.95)
    buffer.compute_returns_and_advantage(torch.zeros(1), np.array([False]))
    assert buffer.advantages[:2].tolist() == [[0], [0]] and (buffer.advantages[2:4] > 50).all()


@pytest.mark.parametrize("batch_size", [4, 5, STEPS * GAMES, None])
def test_minibatches_are_sb3s(batch_size):
    ours, _, _ = random_rollout(1)
    theirs, _, _ = random_rollout(1, buffers.RolloutBuffer)
    np.random.seed(0)
    mine = list(ours.get(batch_size))
    np.random.seed(0)
    wanted = list(theirs.get(batch_size))
    for batch, other in zip(mine, wanted, strict=True):
        assert torch.equal(batch.observations, other.observations)
        assert torch.equal(batch.actions, other.actions.long().flatten())
        for name in ("old_values", "old_log_prob", "advantages", "returns"):
            assert torch.equal(getattr(batch, name), getattr(other, name)), name


def test_pictures_keep_their_numbers_when_their_channels_are_stored_last():
    picture = spaces.Box(0, 255, (3, 36, 40), np.uint8)
    random = np.random.default_rng(0)
    buffers_ = [
        RolloutBuffer(4, picture, SPACES[1], n_envs=2, channels_last=last) for last in (False, True)
    ]
    for _ in range(4):
        pictures = random.integers(0, 256, (2, 3, 36, 40), np.uint8)
        for buffer in buffers_:
            zeros = np.zeros(2)
            buffer.add(pictures, zeros, zeros, zeros, torch.zeros(2), torch.zeros(2))
    first, last = (next(buffer.in_order()) for buffer in buffers_)
    assert torch.equal(first.observations, last.observations)
    assert first.observations.is_contiguous()
    assert last.observations.is_contiguous(memory_format=torch.channels_last)
    assert torch.equal(first.observations, buffers_[1].all_observations())


class Corridor(gymnasium.Env):
    """Two steps to the right, reward 1 each; where one stands is the observation. It never ends."""

    observation_space = spaces.Box(0, 100, (1,), np.float32)
    action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = 0
        return np.array([self.place], np.float32), {}

    def step(self, action):
        self.place += 1
        return np.array([self.place], np.float32), 1.0, False, False, {}


def learner(limit=3, **settings):
    vec_env = DummyVecEnv([lambda: gymnasium.wrappers.TimeLimit(Corridor(), limit)] * 2)
    arguments = dict(n_steps=8, batch_size=8, n_epochs=2, gamma=0.9, seed=0, device="cpu")
    model = PPO("MlpPolicy", vec_env, **{**arguments, **settings})
    model._setup_learn(10**6)
    model.collect_rollouts(model.env, model._init_callback(None), model.rollout_buffer, 8)
    return model


def value(model, place):
    with torch.no_grad():
        return model.policy.predict_values(torch.tensor([[float(place)]])).item()


def test_a_time_limit_adds_the_value_of_what_would_have_come():
    model = learner(limit=3)
    rewards = model.rollout_buffer.rewards[:, 0]
    assert rewards[[0, 1, 3, 4, 6, 7]].tolist() == [1] * 6
    assert rewards[[2, 5]] == pytest.approx(1 + 0.9 * value(model, 3))
    assert len(model._time_limits) == 4  # two a game


def test_an_end_that_is_not_a_time_limit_adds_nothing():
    class Pit(Corridor):
        def step(self, action):
            observation, reward, _, _, info = super().step(action)
            return observation, reward, self.place == 3, False, info

    vec_env = DummyVecEnv([lambda: gymnasium.wrappers.TimeLimit(Pit(), 3)])
    model = PPO("MlpPolicy", vec_env, n_steps=8, batch_size=8, device="cpu")
    model._setup_learn(10**6)
    model.collect_rollouts(model.env, model._init_callback(None), model.rollout_buffer, 8)
    assert model.rollout_buffer.rewards[:, 0].tolist() == [1] * 8


def test_recomputed_advantages_are_the_stored_ones_if_the_value_network_is_unchanged():
    model = learner(recompute_advantage=True)
    before = model.rollout_buffer.advantages.copy(), model.rollout_buffer.returns.copy()
    model._recompute_advantages()
    np.testing.assert_allclose(model.rollout_buffer.advantages, before[0], atol=1e-5)
    np.testing.assert_allclose(model.rollout_buffer.returns, before[1], atol=1e-5)


def test_recomputed_advantages_are_those_of_the_newest_value_network():
    model = learner(recompute_advantage=True)
    while_playing = model.rollout_buffer.values.copy()
    with torch.no_grad():
        model.policy.value_net.bias += 3.0
    model._recompute_advantages()
    buffer = model.rollout_buffer
    places = np.array([0, 1, 2] * 3)[:8]
    values = np.array([value(model, place) for place in places])
    rewards = np.where(places == 2, 1 + 0.9 * value(model, 3), 1.0)
    wanted = slow_advantages(
        rewards[:, None], values[:, None], [value(model, 2)],
        (places == 0)[:, None].astype(float), [0.0], 0.9, 0.95,
    )  # fmt: skip
    np.testing.assert_allclose(buffer.advantages[:, 0], wanted[:, 0], atol=1e-4)
    np.testing.assert_allclose(buffer.returns[:, 0], wanted[:, 0] + values, atol=1e-4)
    assert np.array_equal(buffer.values, while_playing)


def test_recomputing_comes_before_each_epoch_but_the_first():
    model = learner(recompute_advantage=True, n_epochs=4)
    calls = []
    recompute = model._recompute_advantages
    model._recompute_advantages = lambda: (calls.append(1), recompute())
    model.train()
    assert len(calls) == 3


@pytest.mark.parametrize("scope", ["minibatch", "batch"])
def test_advantages_are_normalised_over_their_scope(scope):
    model = learner(advantage_scope=scope)
    model._begin_epoch(0)
    batches = [model.normalized(batch.advantages) for batch in model.rollout_buffer.get(8)]
    groups = batches if scope == "minibatch" else [torch.cat(batches)]
    for group in groups:
        assert abs(group.mean()) < 1e-5 and abs(group.std() - 1) < 1e-3
    if scope == "batch":
        assert abs(batches[0].mean()) > 1e-4


def test_a_minibatch_of_one_sample_is_normalised_over_the_rollout():
    model = learner(advantage_scope="batch")
    model.rollout_buffer.advantages = np.array([[4], [5], [6]], np.float32)  # 5 on average, +- 1
    model._begin_epoch(0)
    assert model.normalized(torch.tensor([6.0])).tolist() == pytest.approx([1.0])
    assert learner().normalized(torch.tensor([6.0])).tolist() == [6.0]  # it has no deviation


def test_advantages_stay_as_they_are_without_normalisation():
    model = learner(normalize_advantage=False)
    batch = next(model.rollout_buffer.get(8))
    assert torch.equal(model.normalized(batch.advantages), batch.advantages)
