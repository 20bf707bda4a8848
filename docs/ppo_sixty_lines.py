"""Policy gradient, then a baseline, then PPO: about sixty lines that learn to balance a pole.

Run it with `python docs/ppo_sixty_lines.py ppo`, or with `baseline` or `gradient`.
"""

import sys

import gymnasium
import numpy as np
import torch
from torch.distributions import Categorical

GAMMA, LAMBDA, CLIP = 0.98, 0.95, 0.2
STEPS, MINIBATCH, RATE = 1024, 128, 2e-3


def network(outputs):
    """One hidden layer of 64: the pole's four numbers go in."""
    return torch.nn.Sequential(
        torch.nn.Linear(4, 64), torch.nn.Tanh(), torch.nn.Linear(64, outputs)
    )


def play(env, policy, steps, observation):
    """Plays with the present policy; returns what was seen, done, paid, and what came of it."""
    seen, done, paid, ended, totals, total = [], [], [], [], [], 0.0
    for _ in range(steps):
        seen.append(observation)
        with torch.no_grad():
            done.append(Categorical(logits=policy(torch.as_tensor(observation))).sample())
        observation, reward, terminated, truncated, _ = env.step(int(done[-1]))
        total += reward
        paid.append(reward)
        ended.append(terminated or truncated)
        if ended[-1]:
            totals.append(total)
            total, (observation, _) = 0.0, env.reset()
    return np.array(seen), torch.stack(done), paid, ended, totals, observation


def advantages(paid, ended, values, after, lam):
    """How much better each step went than `values` said; lam 1 is the whole return minus them."""
    found, running = np.zeros(len(paid), np.float32), 0.0
    for t in reversed(range(len(paid))):
        surprise = paid[t] + GAMMA * after * (not ended[t]) - values[t]
        running = surprise + GAMMA * lam * (not ended[t]) * running
        found[t], after = running, values[t]
    return found


def learn(method, updates=40, seed=0):
    """Learns with "gradient", "baseline" or "ppo"; returns each update's mean episode."""
    torch.manual_seed(seed)
    env = gymnasium.make("CartPole-v1")
    observation, _ = env.reset(seed=seed)
    policy, critic, curve = network(2), network(1), []
    optimizer = torch.optim.Adam([*policy.parameters(), *critic.parameters()], lr=RATE)
    for _ in range(updates):
        seen, done, paid, ended, totals, observation = play(env, policy, STEPS, observation)
        curve.append(float(np.mean(totals)))
        seen = torch.as_tensor(seen)
        with torch.no_grad():
            values = critic(seen).squeeze(1).numpy() * (method != "gradient")
            after = float(critic(torch.as_tensor(observation))) * (method != "gradient")
            old = Categorical(logits=policy(seen)).log_prob(done)
        lam = LAMBDA if method == "ppo" else 1.0
        advantage = torch.as_tensor(advantages(paid, ended, values, after, lam))
        target = advantage + torch.as_tensor(values)
        for _ in range(8 if method == "ppo" else 1):
            for part in torch.randperm(STEPS).split(MINIBATCH):
                new = Categorical(logits=policy(seen[part])).log_prob(done[part])
                good = (advantage[part] - advantage[part].mean()) / (advantage[part].std() + 1e-8)
                ratio = (new - old[part]).exp()
                fenced = ratio.clamp(1 - CLIP, 1 + CLIP)
                gain = torch.minimum(ratio * good, fenced * good) if method == "ppo" else new * good
                wrong = (critic(seen[part]).squeeze(1) - target[part]) ** 2
                optimizer.zero_grad()
                (0.005 * wrong.mean() - gain.mean()).backward()
                optimizer.step()
    return curve


if __name__ == "__main__":
    for update, length in enumerate(learn(sys.argv[1] if len(sys.argv) > 1 else "ppo")):
        print(f"{(update + 1) * STEPS:6} steps: {length:5.0f}")
