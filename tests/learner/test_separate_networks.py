"""A network each for actions and value, with an optimiser each."""

import copy
from collections import defaultdict

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.learner.policy.no_optimizer import NoOptimizer
from baselines.learner.ppo import PPO
from baselines.learner.recurrent_ppo import RecurrentPPO

RATE, RATIO, MAX_NORM = 1e-3, 0.25, 0.05
KINDS = {"plain": (PPO, {}), "recurrent": (RecurrentPPO, {"lstm_hidden_size": 8})}


class Noise(gymnasium.Env):
    """Pictures and numbers; any action pays at random."""

    observation_space = spaces.Dict(
        {
            "screen": spaces.Box(0, 255, (36, 36, 1), np.uint8),
            "state": spaces.Box(-1, 1, (3,), np.float32),
        }
    )
    action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        ended = bool(self.np_random.random() < 0.1)
        return self.observation_space.sample(), float(self.np_random.normal()), ended, False, {}


def learner(kind, **settings):
    learner_class, kwargs = KINDS[kind]
    model = learner_class(
        "MultiInputPolicy", DummyVecEnv([Noise] * 2), n_steps=16, batch_size=16, n_epochs=2,
        learning_rate=RATE, value_lr_ratio=RATIO, max_grad_norm=MAX_NORM, ent_coef=0.01, seed=0,
        device="cpu", policy_kwargs={"separate_networks": True, "net_arch": [8], **kwargs},
        **settings,
    )  # fmt: skip
    model._setup_learn(10**6)
    model.collect_rollouts(model.env, model._init_callback(None), model.rollout_buffer, 16)
    return model


def reached(model, loss):
    """The names of the parameters that a loss moves."""
    named = dict(model.policy.named_parameters())
    gradients = torch.autograd.grad(loss, list(named.values()), allow_unused=True)
    return {name for name, g in zip(named, gradients, strict=True) if g is not None and g.any()}


def parts_of_the_loss(model, batch):
    """The loss of the actions' network and that of the value's."""
    values, log_prob, entropy = model.policy.evaluate_actions(
        batch.observations, batch.actions, *batch.memory
    )
    actions = model._policy_loss(log_prob, batch, defaultdict(list)) - 0.01 * entropy.mean()
    return actions, 0.5 * (batch.returns - values.flatten()).square().mean()


@pytest.mark.parametrize("kind", KINDS)
def test_no_parameter_is_moved_by_both_losses(kind):
    model = learner(kind)
    model.clip = 0.2
    groups = [set(map(id, group["params"])) for group in model.policy.optimizer.param_groups]
    batch = next(model.rollout_buffer.get(16))
    for loss, group in zip(parts_of_the_loss(model, batch), groups, strict=True):
        named = dict(model.policy.named_parameters())
        assert {id(named[name]) for name in reached(model, loss)} <= group
    assert not groups[0] & groups[1]
    assert len(groups[0] | groups[1]) == len(list(model.policy.parameters()))


@pytest.mark.parametrize("kind", KINDS)
def test_an_update_is_that_of_two_optimisers(kind):
    model = learner(kind)
    reference = copy.deepcopy(model.policy)
    names = {id(p): name for name, p in model.policy.named_parameters()}
    mine = [
        [dict(reference.named_parameters())[names[id(p)]] for p in group["params"]]
        for group in model.policy.optimizer.param_groups
    ]
    optimizers = [
        torch.optim.Adam(group, lr=rate, eps=1e-5)
        for group, rate in zip(mine, (RATE, RATE * RATIO), strict=True)
    ]
    batches, get = [], model.rollout_buffer.get
    model.rollout_buffer.get = lambda size: (batches.append(b) or b for b in get(size))
    model.train()
    learnt, model.policy = model.policy, reference
    for batch in batches:
        batch = batch._replace(advantages=model.normalized(batch.advantages))
        losses = parts_of_the_loss(model, batch)
        for optimizer, loss in zip(optimizers, losses, strict=True):
            optimizer.zero_grad()
            loss.backward(retain_graph=True)
        for optimizer, group in zip(optimizers, mine, strict=True):
            torch.nn.utils.clip_grad_norm_(group, MAX_NORM)
            optimizer.step()
    assert len(batches) == 4
    for one, other in zip(learnt.parameters(), reference.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-6)


def test_without_the_option_all_parameters_have_one_optimiser():
    model = PPO("MlpPolicy", "CartPole-v1", device="cpu")
    assert len(model.policy.optimizer.param_groups) == 1


@pytest.mark.parametrize("separate", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_policy_that_only_plays_has_the_same_groups_of_parameters(kind, separate):
    kwargs = KINDS[kind][1] | {"separate_networks": separate, "net_arch": [8]}
    policy_class = KINDS[kind][0].policy_aliases["MultiInputPolicy"]

    def built(**more):
        torch.manual_seed(0)
        seen = spaces.Dict({"state": Noise.observation_space["state"]})
        return policy_class(seen, Noise.action_space, lambda _: RATE, **kwargs, **more)

    learns, plays = built(), built(optimizer_class=NoOptimizer)
    for ours, adams in zip(
        plays.optimizer.param_groups, learns.optimizer.param_groups, strict=True
    ):
        assert all(map(torch.equal, ours["params"], adams["params"]))
    assert all(map(torch.equal, plays.state_dict().values(), learns.state_dict().values()))
