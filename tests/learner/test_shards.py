"""A minibatch learnt from in parts, on threads, gives what it gives as a whole."""

import copy
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.learner.masks_in_observation import MASKS
from baselines.learner.ppo import PPO, Speed
from baselines.learner.recurrent_ppo import RecurrentPPO
from baselines.learner.shards import _add
from baselines.settings.train_config import TrainConfig
from baselines.training.model import fit_to_machine

SPACES = {
    "numbers": spaces.Box(-1, 1, (5,), np.float32),
    "masks": spaces.Dict(
        {
            "screen": spaces.Box(0, 255, (36, 36, 2), np.uint8),
            "state": spaces.Box(-1, 1, (3,), np.float32),
            MASKS: spaces.Box(0, 1, (4,), np.uint8),
        }
    ),
}


class Noise(gymnasium.Env):
    def __init__(self, space):
        self.observation_space, self.action_space = space, spaces.Discrete(4)

    def _observe(self):
        seen = self.observation_space.sample()
        if isinstance(seen, dict):
            seen[MASKS][0] = 1
        return seen

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if seed is not None:
            self.observation_space.seed(seed)
        return self._observe(), {}

    def step(self, action):
        ended = bool(self.np_random.random() < 0.05)
        return self._observe(), float(self.np_random.random()), ended, False, {}


def trained(name, shards, updates=2, kind=PPO, **settings):
    games = DummyVecEnv([lambda: Noise(SPACES[name])] * 2)
    policy = "MultiInputPolicy" if name == "masks" else "MlpPolicy"
    settings = dict(n_steps=22, batch_size=21, n_epochs=2, ent_coef=0.01) | settings
    model = kind(policy, games, seed=1, device="cpu", speed=Speed(shards=shards), **settings)
    logger = Logger(None, [])
    model.set_logger(logger)
    model.learn(updates * 44)
    weights = torch.nn.utils.parameters_to_vector(model.policy.parameters())
    return weights.detach(), dict(logger.name_to_value)


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("scope", ["minibatch", "batch"])
def test_parts_learn_what_the_whole_learns(name, scope):
    # minibatches of 21, 21 and 2 samples: parts of unequal size, or none
    kwargs = {"policy_kwargs": {"normalize_returns": True}} if name == "numbers" else {}
    whole, numbers = trained(name, 1, advantage_scope=scope, **kwargs)
    parts, by_parts = trained(name, 4, advantage_scope=scope, **kwargs)
    assert torch.allclose(parts, whole, atol=2e-5)
    for key in ("loss", "approx_kl", "clip_fraction", "value_loss", "entropy_loss"):
        assert by_parts[f"train/{key}"] == pytest.approx(numbers[f"train/{key}"], abs=1e-4), key


def test_threads_give_the_same_bits_every_time():
    first, _ = trained("masks", 3)
    for _ in range(3):
        assert torch.equal(trained("masks", 3)[0], first)


@pytest.mark.parametrize("shards", [1, 3])
def test_hooks_see_the_whole_gradient_once_and_may_come_and_go(shards):
    plain, _ = trained("masks", shards)
    seen = []

    class Hooked(PPO):
        def train(self):
            parameter = next(self.policy.parameters())
            hook = parameter.register_post_accumulate_grad_hook(
                lambda p: seen.append(p.grad.clone())
            )
            super().train()
            hook.remove()
            self.policy.optimizer.zero_grad()

    hooked, _ = trained("masks", shards, kind=Hooked)
    assert len(seen) == 2 * 2 * 3  # updates, epochs, minibatches
    assert torch.equal(hooked, plain)


def near_a_clone(shards):
    """Returns the weights of a network that stays near a clone, and what was logged."""

    class Near(PPO):
        def _kept(self):
            return 1.0

        def train(self):
            if self.clone is None:
                self.clone = copy.deepcopy(self.policy)
                with torch.no_grad():  # its probabilities differ much between observations
                    self.clone.action_net.weight.mul_(500)
            super().train()

    return trained("masks", shards, kind=Near, batch_size=44)


def test_in_parts_a_network_stays_as_near_to_its_clone_and_masked_actions_count_nothing():
    whole, numbers = near_a_clone(1)
    assert numbers["train/clone_kl"] > 0.01 and np.isfinite(numbers["train/loss"])
    for _ in range(5):
        parts, by_parts = near_a_clone(4)
        assert by_parts["train/clone_kl"] == pytest.approx(numbers["train/clone_kl"], rel=1e-3)
        assert torch.allclose(parts, whole, atol=2e-4)


def test_gradients_are_added_to_those_that_are_there():
    parameter = torch.nn.Parameter(torch.zeros(2))
    for _ in range(2):
        _add(parameter, [torch.tensor([1.0, 2.0]), torch.tensor([3.0, 0.0])])
    assert parameter.grad.tolist() == [8.0, 4.0]
    _add(unused := torch.nn.Parameter(torch.zeros(2)), [])
    assert unused.grad is None


def test_a_far_step_is_not_taken_in_parts_either():
    settings = dict(target_kl=1e-6, learning_rate=1e-2, n_epochs=5)
    _, whole = trained("numbers", 1, **settings)
    _, parts = trained("numbers", 2, **settings)
    assert parts["train/n_updates"] == whole["train/n_updates"] < 10


def test_torch_has_its_threads_again_after_an_update():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    trained("numbers", 2)
    assert torch.get_num_threads() == 3
    torch.set_num_threads(before)


def test_parts_suit_machine_batch_and_policy(monkeypatch):
    monkeypatch.setattr("baselines.learner.shards.available_cores", lambda: 8)
    assert fit_to_machine(TrainConfig(device="cpu")).shards == 4  # 512 samples, 128 each
    assert fit_to_machine(TrainConfig(device="cpu", shards=2)).shards == 2
    monkeypatch.setattr("baselines.learner.shards.available_cores", lambda: 1)
    assert fit_to_machine(TrainConfig(device="cpu")).shards == 1


def test_a_memory_cannot_be_split():
    with pytest.raises(ValueError, match="shards"):
        games = DummyVecEnv([lambda: Noise(SPACES["numbers"])])
        RecurrentPPO("MlpPolicy", games, speed=Speed(shards=2))


FAULTS = """
import resource, torch
from baselines.learner.malloc import keep_freed_memory
assert keep_freed_memory()
for _ in range(60):
    torch.zeros(32, 1 << 18)  # 32 MiB: 8,192 pages
    print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="an option of glibc")
def test_freed_memory_is_used_again_without_asking_the_system():
    ran = subprocess.run([sys.executable, "-c", FAULTS], capture_output=True, text=True, check=True)
    faults = [int(line) for line in ran.stdout.split()]
    # the heap grows at first, by how much depends on where it lies; then nothing more is asked for
    assert faults[-1] - faults[-11] < 10 * 8192 / 2
