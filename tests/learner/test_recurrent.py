"""A policy with a memory: whole sequences give what single steps give; episodes are forgotten."""

from collections import defaultdict

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from hypothesis import given, settings
from hypothesis import strategies as st
from sb3_contrib.common.recurrent.policies import RecurrentActorCriticPolicy
from stable_baselines3.common.vec_env import DummyVecEnv
from torch import nn

from baselines.learner.masks_in_observation import MASKS, ActionMasks
from baselines.learner.policy.recurrent import (
    BypassedLSTM,
    RecurrentActorCritic,
    cut_into_blocks,
    run_pieces,
)
from baselines.learner.ppo import Speed
from baselines.learner.recurrent_ppo import RecurrentPPO

NUMBERS = spaces.Box(-1, 1, (3,), np.float32)
SIZE = {"lstm_hidden_size": 16, "net_arch": []}


def step_by_step(features, states, starts, lstm):
    """The reference: one step after the other, forgetting everything where an episode starts."""
    n_sequences, length = starts.shape
    inputs, (hidden, cell) = features.view(n_sequences, length, -1), states
    outputs = []
    for step in range(length):
        keep = (~starts[:, step]).view(1, -1, 1)
        output, (hidden, cell) = lstm(inputs[:, step][None], (hidden * keep, cell * keep))
        outputs.append(output[0])
    return torch.stack(outputs, dim=1).flatten(0, 1)


@settings(max_examples=60)
@given(
    n_sequences=st.integers(1, 9),
    length=st.integers(2, 40),
    share=st.sampled_from([0.0, 0.02, 0.2, 0.7, 1.0]),
    layers=st.integers(1, 2),
    kind=st.sampled_from([nn.LSTM, BypassedLSTM]),
    seed=st.integers(0, 10**6),
)
def test_whole_sequences_give_outputs_and_gradients_of_single_steps(
    n_sequences, length, share, layers, kind, seed
):
    torch.manual_seed(seed)
    lstm = kind(5, 7, layers)
    features = torch.randn(n_sequences * length, 5, requires_grad=True)
    states = tuple(torch.randn(layers, n_sequences, 7) for _ in range(2))
    starts = torch.rand(n_sequences, length) < share
    weights = torch.randn(n_sequences * length, 7)
    results = []
    for run in (run_pieces, step_by_step):
        outputs = run(features, states, starts, lstm)
        learnt = [features, *lstm.parameters()]
        results.append((outputs, *torch.autograd.grad((outputs * weights).sum(), learnt)))
    for ours, reference in zip(*results, strict=True):
        torch.testing.assert_close(ours, reference, rtol=1e-4, atol=1e-5)


@given(st.lists(st.integers(1, 60), min_size=1, max_size=60).map(sorted))
def test_at_most_half_of_what_is_computed_is_padding(sizes):
    going_on = [sum(size > step for size in sizes) for step in range(max(sizes))]
    blocks = cut_into_blocks(going_on)
    assert sum(block.steps for block in blocks) == max(sizes)
    assert sum(block.steps * block.n for block in blocks) <= 2 * sum(sizes)
    assert len(blocks) <= len(sizes).bit_length()
    for block, following in zip(blocks, blocks[1:], strict=False):
        assert following.row == block.row + block.steps * block.n


def test_sequences_without_an_episode_start_take_one_call():
    assert len(cut_into_blocks([4] * 128)) == 1


class Clock(gymnasium.Env):
    """One sees nothing but whether the episode just started; it lasts `length` steps."""

    def __init__(self, length=7, seen=NUMBERS):
        self.length, self.observation_space = length, seen
        self.action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.step_number = 0
        return self.observation_space.sample(), {}

    def step(self, action):
        self.step_number += 1
        return self.observation_space.sample(), 1.0, self.step_number == self.length, False, {}

    def action_masks(self):
        return np.arange(3) != self.step_number % 3


def learner(make=Clock, count=4, policy="MlpPolicy", policy_kwargs=None, **arguments):
    arguments = dict(n_steps=24, batch_size=48, n_epochs=2, seed=0, device="cpu") | arguments
    kwargs = SIZE | (policy_kwargs or {})
    model = RecurrentPPO(policy, DummyVecEnv([make] * count), policy_kwargs=kwargs, **arguments)
    model._setup_learn(10**6)
    return model


def played(model, rollouts=1):
    for _ in range(rollouts):
        callback = model._init_callback(None)
        model.collect_rollouts(model.env, callback, model.rollout_buffer, model.n_steps)
    return model


@pytest.mark.parametrize("sequence_length", [None, 8, 1])
@pytest.mark.parametrize(
    "policy_kwargs",
    [{}, {"shared_lstm": True, "enable_critic_lstm": False}, {"memory_bypass": True}],
)
def test_learning_sees_the_values_and_probabilities_of_playing(sequence_length, policy_kwargs):
    # the states that sequences begin with, the resets and the order of samples must all be right
    model = played(learner(sequence_length=sequence_length, policy_kwargs=policy_kwargs), 3)
    count = 0
    for batch in model.rollout_buffer.get(model.batch_size):
        values, log_prob, _ = model.policy.evaluate_actions(
            batch.observations, batch.actions, *batch.memory
        )
        torch.testing.assert_close(values.flatten(), batch.old_values, rtol=0, atol=1e-5)
        torch.testing.assert_close(log_prob, batch.old_log_prob, rtol=0, atol=1e-5)
        torch.testing.assert_close(
            model._values(batch).flatten(), batch.old_values, rtol=0, atol=1e-5
        )
        count += len(values)
    assert count == 24 * 4


def test_the_loss_is_that_of_sb3_contribs_policy():
    model = played(learner(), 2)
    theirs = RecurrentActorCriticPolicy(
        model.observation_space, model.action_space, lambda _: 1e-3, **SIZE
    )
    theirs.load_state_dict(model.policy.state_dict())
    model.clip = 0.2
    for batch in model.rollout_buffer.get(model.batch_size):
        ours = model.policy
        loss = model.loss(batch, defaultdict(list))
        model.policy = theirs
        reference = model.loss(batch, defaultdict(list))
        model.policy = ours
        torch.testing.assert_close(loss, reference, rtol=0, atol=1e-5)


def test_the_hidden_state_is_forgotten_where_an_episode_ends():
    model = played(learner(lambda: Clock(length=5), count=1, n_steps=10, batch_size=10))
    batch = next(model.rollout_buffer.in_order())
    policy = model.policy

    def values(observations):
        with torch.no_grad():
            states = model.rollout_buffer._states[0]
            return policy.predict_values(observations, states.vf, batch.memory[1]).flatten()

    changed = batch.observations.clone()
    changed[3] += 1  # a step of the first episode
    same = torch.isclose(values(batch.observations), values(changed), rtol=0, atol=0)
    assert same.tolist() == [True] * 3 + [False] * 2 + [True] * 5


def test_at_play_an_episodes_start_forgets_the_one_before():
    model = learner()
    observation = np.ones((2, 3), np.float32)
    _, fresh = model.predict(observation, episode_start=np.ones(2, bool))
    _, later = model.predict(observation, state=fresh, episode_start=np.zeros(2, bool))
    _, again = model.predict(observation, state=later, episode_start=np.array([True, False]))
    assert not np.allclose(later[0], fresh[0])
    np.testing.assert_allclose(again[0][:, 0], fresh[0][:, 0], atol=1e-6)
    assert not np.allclose(again[0][:, 1], fresh[0][:, 1])


def test_games_go_on_with_the_memory_that_was_kept():
    model = learner()
    model.learn(96)
    kept = [state.clone() for state in model.memory()]
    assert all(state.any() for state in kept)
    model.collect_rollouts(model.env, model._init_callback(None), model.rollout_buffer, 24)
    assert not any(map(torch.equal, model.memory(), kept))
    model.set_memory(kept)
    assert all(map(torch.equal, model.memory(), kept))
    with pytest.raises(ValueError, match="shapes"):
        model.set_memory([state[:, :1] for state in kept])


def test_a_time_limit_adds_the_value_that_the_memory_leads_to():
    limited = [lambda: gymnasium.wrappers.TimeLimit(Clock(length=99), 5)]
    model = RecurrentPPO("MlpPolicy", DummyVecEnv(limited), n_steps=10, batch_size=10, seed=0,
                         policy_kwargs=SIZE, device="cpu", gamma=0.9)  # fmt: skip
    model._setup_learn(10**6)
    played(model)
    batch = next(model.rollout_buffer.in_order())
    end = torch.as_tensor(model._time_limits[0].observation)[None]
    five_steps_and_the_end = torch.cat([batch.observations[:5], end])
    zeros = tuple(torch.zeros(1, 1, 16) for _ in range(2))
    with torch.no_grad():
        values = model.policy.predict_values(five_steps_and_the_end, zeros, torch.zeros(6))
    assert model.rollout_buffer.rewards[4, 0] == pytest.approx(1 + 0.9 * values[5].item(), abs=1e-5)


@pytest.mark.parametrize("sequence_length", [None, 6])
def test_recomputed_advantages_are_the_stored_ones_if_the_network_is_unchanged(sequence_length):
    model = played(learner(sequence_length=sequence_length, recompute_advantage=True), 2)
    before = model.rollout_buffer.advantages.copy(), model.rollout_buffer.returns.copy()
    model._recompute_advantages()
    np.testing.assert_allclose(model.rollout_buffer.advantages, before[0], atol=1e-4)
    np.testing.assert_allclose(model.rollout_buffer.returns, before[1], atol=1e-4)


def test_masks_normalisation_and_pictures_work_with_a_memory():
    seen = spaces.Dict(
        {
            "screen": spaces.Box(0, 255, (36, 36, 1), np.uint8),
            "state": spaces.Box(-1, 1, (2,), np.float32),
        }
    )
    options = {"normalize_observations": True, "normalize_returns": True}
    model = learner(
        lambda: ActionMasks(Clock(seen=seen)), policy="MultiInputPolicy", policy_kwargs=options,
        speed=Speed(channels_last=True), recompute_advantage=True, target_kl=0.05,
    )  # fmt: skip
    model.learn(24 * 4 * 3)
    batch = next(model.rollout_buffer.get())
    assert batch.observations[MASKS].gather(1, batch.actions[:, None]).all()
    action, _ = model.predict(model.env.reset())
    assert action.shape == (4,)


def test_weights_of_sb3_contribs_policy_fit():
    arguments = (spaces.Box(-1, 1, (3,)), spaces.Discrete(3), lambda _: 1e-3)
    theirs = RecurrentActorCriticPolicy(*arguments, **SIZE)
    RecurrentActorCritic(*arguments, **SIZE).load_state_dict(theirs.state_dict())


def test_the_lstm_begins_orthogonal_unless_told_otherwise():
    arguments = (spaces.Box(-1, 1, (3,)), spaces.Discrete(3), lambda _: 1e-3)
    lstm = RecurrentActorCritic(*arguments, **SIZE).lstm_actor
    torch.testing.assert_close(lstm.weight_hh_l0.T @ lstm.weight_hh_l0, torch.eye(16))
    assert not lstm.bias_ih_l0.any()
    assert RecurrentActorCritic(*arguments, ortho_init=False, **SIZE).lstm_actor.bias_ih_l0.any()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [({"sequence_length": 7, "batch_size": 49}, "does not divide n_steps"),
     ({"batch_size": 30}, "must be a multiple of the sequences' length 24")],
)  # fmt: skip
def test_lengths_that_do_not_fit_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        learner(**arguments)


@pytest.mark.parametrize("memory_bypass", [False, True])
def test_a_saved_model_is_loaded_equal(tmp_path, memory_bypass):
    model = learner(policy_kwargs={"memory_bypass": memory_bypass})
    model.learn(96)
    model.save(tmp_path / "model.zip")
    loaded = RecurrentPPO.load(tmp_path / "model.zip", device="cpu")
    observation = np.ones((1, 3), np.float32)
    ours, theirs = (m.predict(observation, deterministic=True)[1][0] for m in (model, loaded))
    np.testing.assert_array_equal(ours, theirs)


class RememberTheFirst(gymnasium.Env):
    """The first observation says which action pays at the fourth step, when nothing is seen."""

    observation_space = spaces.Box(-1, 1, (2,), np.float32)
    action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.answer, self.step_number = int(self.np_random.integers(2)), 0
        return np.array([2 * self.answer - 1, 0], np.float32), {}

    def step(self, action):
        self.step_number += 1
        last = self.step_number == 4
        reward = float(last and action == self.answer)
        return np.array([0, self.step_number / 4], np.float32), reward, last, False, {}


def test_a_memory_task_is_solved():
    model = RecurrentPPO(
        "MlpPolicy", DummyVecEnv([RememberTheFirst] * 8), n_steps=32, batch_size=128, n_epochs=6,
        learning_rate=3e-3, gamma=0.9, seed=0, policy_kwargs=SIZE, device="cpu",
    )  # fmt: skip
    model.learn(15_000)
    rewards = model.rollout_buffer.rewards
    assert rewards.sum() / (rewards.size / 4) > 0.9  # without a memory: 0.5
