"""TorchRL's PPO on Jade-v1.

pip install torchrl
python examples/learners/learner_torchrl.py
"""

import time

import gymnasium
import torch
import tyro
from tensordict.nn import TensorDictModule
from torch import nn
from torch.distributions import Categorical
from torchrl.collectors import Collector
from torchrl.envs import GymWrapper, SerialEnv
from torchrl.modules import ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import emerald_env  # noqa: F401

EPOCHS, BATCH = 3, 128


def make_game() -> GymWrapper:
    """Returns one game, with the game's memory alone, which TorchRL calls "observation"."""
    game = gymnasium.make("Jade-v1", observation="state", reward="default")
    return GymWrapper(game, categorical_action_encoding=True)


def main(total_timesteps: int = 100_000, n_envs: int = 8, n_steps: int = 128) -> float:
    """Learns; returns the samples a second.

    Args:
        total_timesteps: samples to learn from.
        n_envs: games.
        n_steps: of each between two updates.
    """
    torch.manual_seed(0)
    games = SerialEnv(n_envs, make_game)
    n_actions = games.action_spec.space.n
    body = nn.Sequential(nn.LazyLinear(128), nn.Tanh(), nn.Linear(128, n_actions))
    actor = ProbabilisticActor(
        TensorDictModule(body, in_keys=["observation"], out_keys=["logits"]),
        in_keys=["logits"],
        distribution_class=Categorical,
        return_log_prob=True,
    )
    value = nn.Sequential(nn.LazyLinear(128), nn.Tanh(), nn.Linear(128, 1))
    critic = ValueOperator(value, in_keys=["observation"])
    first = games.reset()
    critic(actor(first))  # sizes the lazy layers
    estimate = GAE(gamma=0.999, lmbda=0.95, value_network=critic, average_gae=True)
    loss_of = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=0.01)
    optimizer = torch.optim.Adam(loss_of.parameters(), lr=2.5e-4)
    rollout = n_envs * n_steps
    collector = Collector(games, actor, frames_per_batch=rollout, total_frames=total_timesteps)
    begun, done = time.perf_counter(), 0
    for data in collector:
        for _ in range(EPOCHS):
            with torch.no_grad():
                estimate(data)
            flat = data.reshape(-1)
            for chosen in torch.randperm(len(flat)).split(BATCH):
                losses = loss_of(flat[chosen])
                loss = sum(losses[name] for name in losses.keys() if name.startswith("loss_"))
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(loss_of.parameters(), 0.5)
                optimizer.step()
        done += data.numel()
    speed = done / (time.perf_counter() - begun)
    print(f"TorchRL: {done:,} samples, {speed:,.0f} a second")
    collector.shutdown()
    return speed


if __name__ == "__main__":
    tyro.cli(main)
