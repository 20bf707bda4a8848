"""A masked action has probability 0, gets no gradient, and is never taken."""

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from stable_baselines3.common.vec_env import DummyVecEnv, VecFrameStack

from baselines.learner.masks_in_observation import MASKS, ActionMasks
from baselines.learner.policy.policies import ActorCritic, MaskedCategorical
from baselines.learner.ppo import PPO

N = 5


class Doors(gymnasium.Env):
    """One of five doors is open, and sometimes a second; to run into a shut one is an error."""

    def __init__(self, observation_space=None):
        self.observation_space = observation_space or spaces.Box(0, 1, (3,), np.float32)
        self.action_space = spaces.Discrete(N)

    def _observe(self):
        self.open = self.np_random.random(N) < 0.3
        self.open[self.np_random.integers(N)] = True
        return self.np_random.random(self.observation_space.shape).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self._observe(), {}

    def step(self, action):
        assert self.open[action], f"door {action} is shut"
        return self._observe(), float(action), bool(self.np_random.random() < 0.1), False, {}

    def action_masks(self):
        return self.open


def distribution(logits, masks):
    masked = MaskedCategorical(len(masks[0]))
    masked.masks = torch.tensor(masks)
    return masked.proba_distribution(logits)


MASK = [[True, False, True, False, True]]


def test_a_masked_action_has_probability_exactly_0():
    probabilities = distribution(torch.tensor([[0.0, 50, 1, 1e30, 2]]), MASK).distribution.probs
    assert probabilities[0, [1, 3]].tolist() == [0, 0]
    torch.testing.assert_close(
        probabilities[0, [0, 2, 4]], torch.softmax(torch.tensor([0.0, 1, 2]), 0)
    )


def test_a_masked_action_is_never_taken_in_100_000_samples():
    logits = torch.tensor([[0.0, 40, -3, 60, 1]]).repeat(100_000, 1)
    actions = distribution(logits, MASK * 100_000).sample()
    assert set(actions.tolist()) == {0, 2, 4}


def test_a_masked_action_gets_no_gradient_from_policy_or_entropy():
    logits = torch.randn(64, N, requires_grad=True)
    masks = torch.rand(64, N) < 0.5
    masks[:, 2] = True
    masked = distribution(logits, masks.tolist())
    actions = torch.full((64,), 2)
    (masked.log_prob(actions).sum() + masked.entropy().sum()).backward()
    assert torch.isfinite(logits.grad).all()
    assert (logits.grad[~masks] == 0).all()
    several = masks.sum(1) > 1
    assert (logits.grad[several][masks[several]] != 0).all()


def test_the_entropy_is_that_of_the_allowed_actions():
    masked = distribution(torch.tensor([[1.0, 9, 2, 9, 3]]), MASK)
    allowed = torch.distributions.Categorical(logits=torch.tensor([1.0, 2, 3]))
    torch.testing.assert_close(masked.entropy()[0], allowed.entropy())


def test_of_one_allowed_action_the_choice_is_certain_and_teaches_nothing():
    logits = torch.randn(1, 3, requires_grad=True)
    masked = distribution(logits, [[False, True, False]])
    log_prob = masked.log_prob(torch.tensor([1]))
    (log_prob + masked.entropy()).sum().backward()
    assert log_prob.item() == 0 and masked.entropy().item() == 0
    assert logits.grad.tolist() == [[0, 0, 0]]


def test_the_likeliest_action_is_an_allowed_one():
    assert distribution(torch.tensor([[-9.0, 5, -8, 5, -7]]), MASK).mode().tolist() == [4]


def test_without_masks_the_distribution_is_sb3s():
    logits = torch.randn(8, N)
    masked = distribution(logits, [[True] * N] * 8)
    plain = torch.distributions.Categorical(logits=logits)
    assert torch.equal(masked.distribution.probs, plain.probs)
    assert torch.equal(masked.entropy(), plain.entropy())


def test_the_masks_of_the_state_at_hand_are_part_of_the_observation():
    env = ActionMasks(Doors())
    observation, _ = env.reset(seed=1)
    for _ in range(20):
        assert env.observation_space.contains(observation)
        assert observation[MASKS].tolist() == env.unwrapped.open.tolist()
        observation, *_ = env.step(int(np.argmax(observation[MASKS])))


def test_an_env_that_allows_nothing_is_reported():
    class Locked(Doors):
        def action_masks(self):
            return np.zeros(N, bool)

    with pytest.raises(ValueError, match="no action at all"):
        ActionMasks(Locked()).reset()


def test_an_env_without_masks_is_reported():
    with pytest.raises(AttributeError, match=MASKS):
        ActionMasks(gymnasium.make("CartPole-v1"))


def test_only_discrete_actions_can_be_masked():
    space = spaces.Dict(
        {"observation": Doors().observation_space, MASKS: spaces.Box(0, 1, (N,), np.uint8)}
    )
    with pytest.raises(ValueError, match="only discrete actions"):
        ActorCritic(space, spaces.Box(-1, 1, (N,)), lambda _: 1e-3)


@pytest.mark.parametrize("n_stack", [None, 3])
@pytest.mark.parametrize("options", [{}, {"normalize_observations": True}], ids=["", "normalised"])
def test_masks_are_respected_from_the_env_through_rollout_and_update_to_play(n_stack, options):
    games = DummyVecEnv([lambda: ActionMasks(Doors())] * 4)
    if n_stack is not None:
        games = VecFrameStack(games, n_stack)
    model = PPO(
        "MultiInputPolicy", games, n_steps=64, batch_size=64, n_epochs=4, learning_rate=1e-2,
        policy_kwargs=options, seed=0, device="cpu",
    )  # fmt: skip
    model.learn(1024)  # the doors raise an error if a shut one is taken
    batch = next(model.rollout_buffer.get())
    masks = batch.observations[MASKS][:, -N:].bool()
    assert masks.gather(1, batch.actions[:, None]).all()
    model.policy.evaluate_actions(batch.observations, batch.actions)
    assert (model.policy.action_dist.distribution.probs[~masks] == 0).all()
    observation = games.reset()
    for step in range(100):
        actions, _ = model.predict(observation, deterministic=step % 2 == 0)
        observation, *_ = games.step(actions)


def test_the_network_is_the_one_without_masks():
    plain, masked = (
        ActorCritic(env.observation_space, env.action_space, lambda _: 1e-3).state_dict()
        for env in (Doors(), ActionMasks(Doors()))
    )
    assert {name: tensor.shape for name, tensor in plain.items()} == {
        name: tensor.shape for name, tensor in masked.items()
    }


def test_masked_actions_are_learnt_about_as_if_they_were_not_there():
    games = DummyVecEnv([lambda: ActionMasks(Doors())] * 4)
    model = PPO("MultiInputPolicy", games, n_steps=64, batch_size=64, learning_rate=3e-3, seed=0,
                gamma=0.0, device="cpu")  # fmt: skip
    model.learn(4096)
    observation, best, taken = games.reset(), [], []
    for _ in range(100):
        actions, _ = model.predict(observation, deterministic=True)
        best.extend(np.argmax(observation[MASKS] * np.arange(1, N + 1), axis=1))
        taken.extend(actions)
        observation, *_ = games.step(actions)
    assert np.mean(np.array(best) == taken) > 0.9  # the open door that pays most
