"""PPO in one file on `gymnasium.make_vec`.

    python examples/learners/learner_single_file.py

In the manner of CleanRL: everything that happens can be read here, from top to bottom.
"""

import time

import gymnasium
import numpy as np
import torch
import tyro
from torch import nn
from torch.distributions import Categorical

import emerald_env  # noqa: F401

GAMMA, LAMBDA, CLIP, ENTROPY, VALUE, EPOCHS = 0.999, 0.95, 0.2, 0.01, 0.5, 3


class Network(nn.Module):
    """A small CNN for the screen, beside the vector from the game's memory."""

    def __init__(self, n_state: int, n_actions: int) -> None:
        super().__init__()
        self.eye = nn.Sequential(
            nn.Conv2d(1, 16, 8, stride=4),
            nn.ReLU(),
            nn.Conv2d(16, 32, 4, stride=2),
            nn.ReLU(),
            nn.Flatten(),
            nn.LazyLinear(128),
            nn.ReLU(),
        )
        self.both = nn.Sequential(nn.Linear(128 + n_state, 128), nn.Tanh())
        self.policy, self.value = nn.Linear(128, n_actions), nn.Linear(128, 1)

    def forward(
        self, screen: torch.Tensor, state: torch.Tensor
    ) -> tuple[Categorical, torch.Tensor]:
        """Returns the distribution of actions and the values, (batch,)."""
        seen = self.eye(screen.permute(0, 3, 1, 2).float() / 255)
        thought = self.both(torch.cat([seen, state], dim=1))
        return Categorical(logits=self.policy(thought)), self.value(thought)[:, 0]


def advantages(rewards, values, last, overs):
    """Returns generalised advantage estimates, (n_steps, n_envs)."""
    found, running = torch.zeros_like(rewards), torch.zeros_like(last)
    following = torch.cat([values[1:], last[None]])
    for step in reversed(range(len(rewards))):
        goes_on = 1 - overs[step]
        delta = rewards[step] + GAMMA * goes_on * following[step] - values[step]
        running = delta + GAMMA * LAMBDA * goes_on * running
        found[step] = running
    return found


def update(network, optimizer, samples, batch_size):
    """Learns from the samples of a rollout, several times in small batches."""
    kept = samples.pop("kept").nonzero()[:, 0]  # without the steps in which an episode began
    for _ in range(EPOCHS):
        for chosen in kept[torch.randperm(len(kept))].split(batch_size):
            batch = {name: values[chosen] for name, values in samples.items()}
            policy, values = network(batch["screen"], batch["state"])
            ratio = (policy.log_prob(batch["actions"]) - batch["log_probs"]).exp()
            scaled = batch["advantages"]
            scaled = (scaled - scaled.mean()) / (scaled.std(correction=0) + 1e-8)
            clipped = ratio.clamp(1 - CLIP, 1 + CLIP)
            loss = -torch.min(scaled * ratio, scaled * clipped).mean()
            loss = loss + VALUE * (values - batch["returns"]).pow(2).mean()
            loss = loss - ENTROPY * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()


def main(total_timesteps: int = 100_000, n_envs: int = 8, n_steps: int = 128) -> float:
    """Learns; returns the samples a second.

    Args:
        total_timesteps: samples to learn from.
        n_envs: games.
        n_steps: of each between two updates.
    """
    torch.manual_seed(0)
    games = gymnasium.make_vec("Jade-v1", n_envs, observation="dict", reward="default")
    n_state = games.single_observation_space["state"].shape[0]
    network = Network(n_state, int(games.single_action_space.n))
    seen, over = games.reset(seed=0)[0], np.zeros(n_envs, bool)
    network(*(torch.as_tensor(seen[part]) for part in ("screen", "state")))  # sizes the lazy layer
    optimizer = torch.optim.Adam(network.parameters(), lr=2.5e-4)
    begun, done = time.perf_counter(), 0
    while done < total_timesteps:
        rows = []
        for _ in range(n_steps):
            row = {part: torch.as_tensor(seen[part]) for part in ("screen", "state")}
            with torch.no_grad():
                policy, row["values"] = network(row["screen"], row["state"])
            row["actions"] = policy.sample()
            row["log_probs"] = policy.log_prob(row["actions"])
            row["kept"] = torch.as_tensor(~over)
            seen, rewards, terminated, truncated, _ = games.step(row["actions"].numpy())
            over = terminated | truncated
            row["rewards"] = torch.as_tensor(rewards, dtype=torch.float32)
            row["overs"] = torch.as_tensor(over, dtype=torch.float32)
            rows.append(row)
        stacked = {name: torch.stack([row[name] for row in rows]) for name in rows[0]}
        with torch.no_grad():
            last = network(torch.as_tensor(seen["screen"]), torch.as_tensor(seen["state"]))[1]
        rewards, values, overs = (stacked.pop(name) for name in ("rewards", "values", "overs"))
        stacked["advantages"] = advantages(rewards, values, last, overs)
        stacked["returns"] = stacked["advantages"] + values
        update(network, optimizer, {k: v.flatten(0, 1) for k, v in stacked.items()}, 128)
        done += n_envs * n_steps
    speed = done / (time.perf_counter() - begun)
    print(f"one file: {done:,} samples, {speed:,.0f} a second")
    games.close()
    return speed


if __name__ == "__main__":
    tyro.cli(main)
