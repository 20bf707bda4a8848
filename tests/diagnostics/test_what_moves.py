"""What moves the policy, PPO or a teacher: sums written down by hand, and worlds with one mover."""

import io

import gymnasium
import numpy as np
import pytest
import torch
from rich.console import Console

from baselines.diagnostics import metrics as m
from baselines.learner.ppo import PPO
from baselines.training.callbacks.health.diagnose_callback import DiagnoseCallback
from baselines.training.callbacks.health.what_moves import EVERY, WhatMoves

ACTIONS, COEF = 3, 0.7
LINEAR = {"net_arch": []}  # the policy is softmax(W x + b)


class Silent(gymnasium.Env):
    """Pays nothing, and shows one of two numbers."""

    observation_space = gymnasium.spaces.Box(0, 1, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(ACTIONS)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self._next(), {}

    def step(self, action):
        return self._next(), 0.0, bool(self.np_random.random() < 0.1), False, {}

    def _next(self):
        return np.eye(2, dtype=np.float32)[self.np_random.integers(2)]


def advised(observations):
    """Action 2 where the first number is 1, else none."""
    return torch.where(observations[:, 0] > 0.5, 2, -1)


def learner(**settings):
    made = PPO(
        "MlpPolicy", Silent(), n_steps=32, batch_size=16, n_epochs=3, learning_rate=0.01, seed=0,
        normalize_advantage=False, device="cpu", policy_kwargs=LINEAR,
        **{"advisor": advised, "advice_coef": COEF} | settings,
    )  # fmt: skip
    for parameter in made.policy.parameters():  # all actions are as likely, all values 0
        parameter.data.zero_()
    return made


def slopes(sees, at_logits):
    """The gradient by W and b from that by the logits, in one column."""
    return np.concatenate([(at_logits.T @ sees).ravel(), at_logits.sum(axis=0)])


def moved(sees, step):
    """The KL divergence of a step to second order: half the variance of the logits' change."""
    change = sees @ step[:-ACTIONS].reshape(ACTIONS, -1).T + step[-ACTIONS:]
    return 0.5 * change.var(axis=1).mean()


def test_both_parts_of_a_linear_policy_are_those_that_one_can_write_down():
    model, dice = learner(), np.random.default_rng(1)
    n, buffer = model.n_steps, model.rollout_buffer
    sees = np.eye(2, dtype=np.float32)[dice.integers(2, size=n)]
    actions, advantages = dice.integers(ACTIONS, size=n), dice.normal(size=n).astype(np.float32)
    buffer.observations[:, 0], buffer.actions[:, 0, 0] = sees, actions
    buffer.advantages[:, 0], buffer.log_probs[:] = advantages, -np.log(ACTIONS)
    of_uniform = np.eye(ACTIONS) - 1 / ACTIONS
    own = slopes(sees, -advantages[:, None] * of_uniform[actions] / n)
    taught = slopes(sees, -COEF * sees[:, :1] * of_uniform[2] / n)

    moves = WhatMoves(model)
    found = moves.rollout()
    assert found[m.POLICY_GRADIENT] == pytest.approx(np.linalg.norm(own), rel=1e-4)
    assert found[m.ADVICE_GRADIENT] == pytest.approx(np.linalg.norm(taught), rel=1e-4)
    cosine = own @ taught / np.linalg.norm(own) / np.linalg.norm(taught)
    assert found[m.PARTS_COSINE] == pytest.approx(cosine, rel=1e-4)
    # before Adam's first step the usual slope is the slope itself
    first = sees[: model.batch_size]
    kls = [moved(first, part / (np.abs(own + taught) + 1e-8)) for part in (own, taught)]
    shares = moves.update(0.02)
    assert shares[m.POLICY_KL] == pytest.approx(0.02 * kls[0] / sum(kls), rel=1e-3)
    assert sum(shares.values()) == pytest.approx(0.02)


def test_it_is_measured_now_and_then_and_counts_in_between():
    model = learner()
    model.learn(model.n_steps)
    moves = WhatMoves(model)
    due = [bool(moves.rollout()) for _ in range(2 * EVERY)]
    assert [index for index, measured in enumerate(due) if measured] == [0, EVERY]
    assert moves.update(0.01) and not moves.update(None)


def test_a_resume_measures_when_it_would_have_been_due():
    def watched(model, updates, state=None):
        watch = DiagnoseCallback(console=Console(file=io.StringIO()))
        if state is not None:
            watch.set_state(state)
        model.learn(updates * model.n_steps, watch, reset_num_timesteps=False)
        history = watch.diagnosis.history
        return watch.get_state(), list(history.all(m.POLICY_KL)), history.steps(m.POLICY_GRADIENT)

    _, whole, _ = watched(learner(ent_coef=0.1), 20)
    model = learner(ent_coef=0.1)
    state, first, _ = watched(model, 5)
    assert state["due"] == EVERY - 4 and 0 < state["share"] < 1
    _, rest, measured = watched(model, 15, state)
    assert first + rest == whole
    assert list(measured) == [(EVERY + 1) * 32]


def test_advantages_of_the_batch_are_compared_with_their_own_rollouts():
    model = learner(advantage_scope="batch")
    model.normalize_advantage = True
    model.learn(model.n_steps)
    buffer = model.rollout_buffer
    dice = np.random.default_rng(1)
    buffer.advantages = dice.normal(size=buffer.advantages.shape).astype(np.float32)
    first = WhatMoves(model).rollout()[m.POLICY_GRADIENT]
    buffer.advantages = 100 * buffer.advantages  # the same, once their deviation is 1
    assert WhatMoves(model).rollout()[m.POLICY_GRADIENT] == pytest.approx(first, rel=1e-3)


def test_what_a_teacher_moved_does_not_count_after_it():
    model = learner()
    model.learn(model.n_steps)
    moves = WhatMoves(model)
    moves.rollout()
    model.advisor = None
    assert moves.rollout() == {} and moves.update(0.01) == {}


def diagnosed(model, updates=6):
    watch = DiagnoseCallback(console=Console(file=io.StringIO()))
    model.learn(updates * model.n_steps, watch)
    return watch.diagnosis.history


def test_where_nothing_is_paid_only_the_advice_moves_the_policy():
    history = diagnosed(learner(ent_coef=0.0))
    moved, own, taught = (history.all(n) for n in (m.APPROX_KL, m.POLICY_KL, m.ADVICE_KL))
    assert len(own) == len(moved) and moved.min() > 0
    assert own == pytest.approx(0) and taught == pytest.approx(moved)


def test_as_long_as_the_teacher_says_nothing_no_part_is_its_own():
    asked = []

    def later(observations):
        asked.append(len(observations))
        return advised(observations) if len(asked) > 50 else torch.full((len(observations),), -1)

    history = diagnosed(learner(ent_coef=0.1, advisor=later), updates=12)
    told = history.steps(m.ADVICE_GRADIENT)
    assert len(told) == 1 and told[0] > 5 * 32
    assert (history.all(m.ADVICE_LOSS) > 0).sum() >= len(history.all(m.POLICY_KL)) > 0
    assert m.POLICY_KL not in diagnosed(learner(advisor=None)).names


def test_measuring_changes_nothing_that_is_learnt():
    weights = []
    for watch in (None, DiagnoseCallback(console=Console(file=io.StringIO()))):
        model = learner(ent_coef=0.01)
        model.learn(4 * model.n_steps, watch)
        weights.append(torch.cat([p.detach().flatten() for p in model.policy.parameters()]))
    assert torch.equal(*weights)
