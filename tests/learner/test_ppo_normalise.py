"""Running means and deviations: computed, inverted exactly, saved, and frozen at play."""

from collections import defaultdict

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from hypothesis import given, settings
from hypothesis import strategies as st
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.learner.policy.normalise import (
    MAX_DEVIATIONS,
    MIN_DEVIATION,
    NormalizedValue,
    ObservationNormalizer,
    RunningMoments,
)
from baselines.learner.ppo import PPO
from baselines.learner.recurrent_ppo import RecurrentPPO
from baselines.learner.rollout import Minibatch

CARTPOLE = [lambda: gymnasium.make("CartPole-v1")]


@settings(max_examples=50)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=8), st.integers(0, 1000))
def test_moments_do_not_depend_on_how_samples_are_cut_into_batches(sizes, seed):
    samples = torch.randn(sum(sizes), 3, generator=torch.Generator().manual_seed(seed)) * 7 + 100
    moments = RunningMoments((3,))
    for batch in samples.split(sizes):
        moments.update(batch)
    assert moments.count == len(samples)
    torch.testing.assert_close(moments.mean, samples.mean(0))
    torch.testing.assert_close(
        moments.variance, samples.var(0, unbiased=False), rtol=1e-4, atol=1e-3
    )


def test_before_any_sample_nothing_changes():
    samples = torch.tensor([-3.0, 0.5, 1e6])
    torch.testing.assert_close(RunningMoments()(samples), samples)


def test_with_a_memory_old_samples_fade():
    moments = RunningMoments(memory=100)
    moments.update(torch.full((1000,), 5.0))
    for _ in range(60):
        moments.update(torch.full((100,), -3.0))  # each counts as much as all before it
    torch.testing.assert_close(moments.mean, torch.tensor(-3.0))
    torch.testing.assert_close(moments.variance, torch.tensor(0.0), rtol=0, atol=1e-5)


def test_with_a_memory_the_first_samples_still_count_in_full():
    moments = RunningMoments(memory=100)
    moments.update(torch.tensor([1.0, 3.0]))
    assert moments.mean == 2.0 and moments.variance == 1.0


@settings(max_examples=100)
@given(st.floats(-1e4, 1e4), st.floats(1e-3, 1e3), st.integers(0, 100))
def test_normalised_returns_invert_exactly(mean, deviation, seed):
    generator = torch.Generator().manual_seed(seed)
    returns = torch.randn(100, generator=generator, dtype=torch.float64) * deviation + mean
    moments = RunningMoments().double()
    moments.update(returns)
    rounding = 4 * torch.finfo(torch.float64).eps * (abs(mean) + 6 * deviation)
    torch.testing.assert_close(moments.inverse(moments(returns)), returns, rtol=0, atol=rounding)


def test_normalised_returns_have_mean_0_and_deviation_1():
    returns = torch.arange(1000.0) ** 1.5
    moments = RunningMoments()
    moments.update(returns)
    normalized = moments(returns)
    assert abs(normalized.mean()) < 1e-4 and abs(normalized.std(unbiased=False) - 1) < 1e-4


def test_values_stay_what_they_were_when_mean_and_deviation_move():
    head = NormalizedValue(16)
    latent = torch.randn(64, 16)
    head.update(torch.randn(500) * 3 + 20)
    before = head(latent)
    for scale, shift in ((100.0, -4000.0), (0.01, 3.0), (5.0, 0.0)):
        head.update(torch.randn(2000) * scale + shift)
        torch.testing.assert_close(head(latent), before, rtol=1e-3, atol=1e-2)
    assert head.returns.deviation > 5


def test_the_first_returns_move_values_to_their_mean():
    head = NormalizedValue(16)
    head.update(torch.tensor([99.0, 101.0]))
    assert (head(torch.randn(64, 16)) - 100).abs().max() < 10


def test_returns_that_never_change_do_not_make_errors_look_huge():
    head = NormalizedValue(4)
    for _ in range(10):
        head.update(torch.full((100,), 7.0))
    assert head.returns.deviation == pytest.approx(MIN_DEVIATION)
    assert head.bias.abs().max() < 10


def test_without_the_correction_values_would_have_moved():
    head = NormalizedValue(16)
    latent = torch.randn(64, 16)
    before = head(latent)
    head.returns.update(torch.randn(500) * 3 + 20)  # the statistics alone
    assert (head(latent) - before).abs().min() > 5


def test_a_normalised_head_keeps_the_plain_heads_parameters():
    plain = torch.nn.Linear(4, 1)
    head = NormalizedValue.of(plain)
    latent = torch.randn(8, 4)
    assert head.weight is plain.weight and head.bias is plain.bias
    torch.testing.assert_close(head(latent), plain(latent))


def test_numbers_are_normalised_and_pictures_are_not():
    space = spaces.Dict(
        {
            "screen": spaces.Box(0, 255, (36, 36, 1), np.uint8),
            "state": spaces.Box(-1, 1, (2,), np.float32),
        }
    )
    normalizer = ObservationNormalizer(space)
    screen = torch.zeros(1000, 36, 36, 1, dtype=torch.uint8)
    state = torch.randn(1000, 2) * torch.tensor([100.0, 0.01]) + 50
    normalizer.update({"screen": screen, "state": state})
    seen = normalizer({"screen": screen, "state": state})
    assert seen["screen"] is screen
    torch.testing.assert_close(seen["state"].mean(0), torch.zeros(2), rtol=0, atol=1e-2)
    torch.testing.assert_close(seen["state"].std(0), torch.ones(2), rtol=0, atol=1e-2)


BITS = spaces.Box(-1, 1, (3,), np.float32)


def test_an_input_that_has_only_been_0_or_1_is_left_alone():
    normalizer = ObservationNormalizer(BITS)
    normalizer.update(torch.tensor([[0.0, 1.0, 4.0], [0.0, 0.0, 8.0]]))
    seen = normalizer(torch.tensor([[1.0, 1.0, 10.0]]))
    assert seen.tolist() == [[1.0, 1.0, 2.0]]  # 4 over the mean of 6, with a deviation of 2


def test_an_input_that_turns_out_to_be_a_number_has_the_moments_of_all_samples():
    normalizer = ObservationNormalizer(BITS)
    normalizer.update(torch.tensor([[0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]))
    normalizer.update(torch.tensor([[0.0, 0.5, 3.0], [1.0, 0.5, 3.0]]))
    seen = normalizer(torch.tensor([[1.0, 1.0, 4.0]]))
    deviation = float(np.std([1, 0, 0.5, 0.5]))
    torch.testing.assert_close(seen, torch.tensor([[1.0, 0.5 / deviation, 2.0]]))


def test_all_inputs_are_normalised_on_request():
    normalizer = ObservationNormalizer(BITS, binary=True)
    normalizer.update(torch.tensor([[0.0, 1.0, 4.0], [0.0, 0.0, 8.0]]))
    assert normalizer(torch.tensor([[1.0, 1.0, 10.0]])).tolist() == [[MAX_DEVIATIONS, 1.0, 2.0]]


def test_what_is_far_out_is_cut_off():
    normalizer = ObservationNormalizer(spaces.Box(-1, 1, (1,), np.float32))
    normalizer.update(torch.tensor([[0.0], [2.0]]))
    assert normalizer(torch.tensor([[1e9], [-1e9]])).flatten().tolist() == [
        MAX_DEVIATIONS,
        -MAX_DEVIATIONS,
    ]


OPTIONS = {"normalize_observations": True, "normalize_returns": True}


def learner(**settings):
    return PPO(
        "MlpPolicy", DummyVecEnv(CARTPOLE), n_steps=64, batch_size=32, n_epochs=2, seed=1,
        device="cpu", policy_kwargs=OPTIONS, **settings,
    )  # fmt: skip


def test_statistics_are_saved_with_the_weights_and_restored(tmp_path):
    model = learner()
    model.learn(256)
    model.save(tmp_path / "model.zip")
    loaded = PPO.load(tmp_path / "model.zip", device="cpu")
    assert loaded.policy.normalizer.moments["observation"].count == 256
    observation = np.array([0.1, 2.0, -0.05, 1.0], np.float32)
    tensor = torch.from_numpy(observation)[None]
    torch.testing.assert_close(
        loaded.policy.predict_values(tensor), model.policy.predict_values(tensor)
    )
    weights = loaded.policy.state_dict()
    for name, tensor in model.policy.state_dict().items():
        assert torch.equal(weights[name], tensor), name


def test_statistics_are_frozen_at_play():
    model = learner()
    model.learn(128)
    before = {name: tensor.clone() for name, tensor in model.policy.state_dict().items()}
    for _ in range(20):
        model.predict(np.random.default_rng(0).normal(size=4).astype(np.float32) * 100)
    for name, tensor in model.policy.state_dict().items():
        assert torch.equal(before[name], tensor), name


def test_the_first_gradient_step_still_compares_a_policy_with_itself():
    # statistics must not move between the rollout and the update, or the ratio is not 1 at first
    model = learner()
    model.learn(128)
    model.collect_rollouts(model.env, model._init_callback(None), model.rollout_buffer, 64)
    batch = next(model.rollout_buffer.get(64))
    _, log_prob, _ = model.policy.evaluate_actions(batch.observations, batch.actions)
    torch.testing.assert_close(log_prob, batch.old_log_prob, rtol=0, atol=1e-5)


@pytest.mark.parametrize("recurrent", [False, True])
def test_the_first_update_already_learns_from_normalised_observations(recurrent):
    kind, more = (RecurrentPPO, {"lstm_hidden_size": 8}) if recurrent else (PPO, {})
    model = kind(
        "MlpPolicy", DummyVecEnv(CARTPOLE), n_steps=64, batch_size=64, n_epochs=1, seed=1,
        device="cpu", normalize_advantage=False,
        policy_kwargs={"normalize_observations": True, **more},
    )  # fmt: skip
    model._setup_learn(10**6)
    model.collect_rollouts(model.env, model._init_callback(None), model.rollout_buffer, 64)
    played, seen = model.rollout_buffer.values.copy(), []
    loss = model.loss

    def watch(batch, log, policy=None):
        with torch.no_grad():
            values, log_prob, _ = model.policy.evaluate_actions(
                batch.observations, batch.actions, *batch.memory
            )
        seen.append((batch, values.flatten(), log_prob))
        return loss(batch, log, policy)

    model.loss = watch
    model.train()
    moments = model.policy.normalizer.moments["observation"]
    flat = model.rollout_buffer.observations.reshape(-1, 4)
    np.testing.assert_allclose(moments.mean, flat.mean(0), atol=1e-6)
    np.testing.assert_allclose(moments.deviation, flat.std(0), atol=1e-5)
    assert moments.count == 64  # once
    ((batch, values, log_prob),) = seen
    # values, and with them advantages, are those of the policy that learns; it is not quite the
    # one that played, whose probabilities stay
    torch.testing.assert_close(batch.old_values, values, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(batch.returns, batch.advantages + values, rtol=1e-5, atol=1e-5)
    assert not np.allclose(played, model.rollout_buffer.values, atol=1e-3)
    ratio = torch.exp(log_prob - batch.old_log_prob)
    assert 0 < (ratio - 1).abs().max() < 0.1


def test_the_value_loss_counts_as_that_of_normalised_returns():
    model = learner(vf_coef=0.7, ent_coef=0.0)
    model.learn(128)
    model.clip = 0.2
    batch = next(model.rollout_buffer.get(64))
    values, _, _ = model.policy.evaluate_actions(batch.observations, batch.actions)
    head = model.policy.value_net.returns
    wanted = (head(values.flatten()) - head(batch.returns)).square().mean()
    log = defaultdict(list)
    loss = model.loss(batch, log)
    torch.testing.assert_close(loss, log["policy_gradient_loss"][0] + 0.7 * wanted)


@pytest.mark.parametrize("scale", [1e-2, 1.0, 1e3])
def test_with_normalised_returns_the_scale_of_rewards_does_not_matter_to_the_clip(scale):
    model = learner(clip_range_vf=0.2)
    head = model.policy.value_net
    head.update(torch.tensor([-1.0, 1.0]) * scale)
    zeros = torch.zeros(10)
    batch = Minibatch(zeros, zeros, zeros, zeros, zeros, returns=torch.full((10,), scale))
    loss = model._value_loss(batch.old_values + 5 * scale, batch)
    # the value moved by 5 deviations and is held at 0.2: (1 - 0.2)^2 to the return at 1
    torch.testing.assert_close(loss / scale**2, torch.tensor(0.64), rtol=1e-4, atol=0)
