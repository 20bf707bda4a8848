"""Measures how well a checkpoint plays, or random keys: `python baselines/evaluate.py`."""

import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import tyro
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from stable_baselines3.common.vec_env import VecEnv, VecFrameStack, VecTransposeImage

from baselines.checkpoint import CheckpointError, load_policy
from baselines.play import USER_ERRORS
from baselines.trained import find_checkpoint
from emerald_env.config import EnvConfig
from emerald_env.vec_env import make_vec_env

Choose = Callable[[Any], NDArray[np.int64]]  # observations -> actions, (n_envs,)
QUANTILE = 1.96  # of the normal distribution: 95 % lie within


@dataclass(frozen=True)
class EvaluateConfig:
    """Play whole episodes with a checkpoint, or with random keys, and report what was reached."""

    checkpoint: Annotated[str | None, tyro.conf.Positional] = None
    """A checkpoint (.zip), a session, or "last". Left out: random keys."""
    rom: Path | None = None
    """Emerald's ROM; left out: the built-in game."""
    episodes: int = 32
    """Episodes to play."""
    episode_length: int = EnvConfig.episode_length
    """Steps of each."""
    n_envs: int = 16
    """Games played at the same time."""
    seed: int = 0
    """Of the actions and the games."""
    greedy: bool = False
    """Always take the likeliest action."""
    json: bool = False
    """Print one JSON object instead of a table."""


@dataclass(frozen=True)
class Evaluation:
    """What some episodes brought."""

    rewards: tuple[float, ...]  # one an episode
    milestones: dict[str, int]  # slug -> episodes that reached it

    @property
    def mean(self) -> float:
        """The mean reward of an episode."""
        return sum(self.rewards) / len(self.rewards)

    @property
    def margin(self) -> float:
        """Half the width of the mean's 95 % confidence interval (normal approximation)."""
        if len(self.rewards) < 2:
            return math.inf
        return QUANTILE * float(np.std(self.rewards, ddof=1)) / math.sqrt(len(self.rewards))


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Returns the 95 % confidence interval of a share (Wilson 1927)."""
    share, z2 = successes / trials, QUANTILE**2
    centre = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    spread = math.sqrt(share * (1 - share) / trials + z2 / (4 * trials**2))
    half = QUANTILE * spread / (1 + z2 / trials)
    return max(0.0, centre - half), min(1.0, centre + half)


def evaluate(games: VecEnv, choose: Choose, episodes: int) -> Evaluation:
    """Plays until every game has had its share of the episodes, the same number for each.

    A game that is quick does not count twice: that would favour short episodes.
    """
    share = -(-episodes // games.num_envs)
    counts = [0] * games.num_envs
    rewards: list[float] = []
    milestones: Counter[str] = Counter()
    observations = games.reset()
    while min(counts) < share:
        observations, _, dones, infos = games.step(choose(observations))
        for index in np.flatnonzero(dones):
            if "worker_lost" in infos[index]:
                continue  # cut short: it says nothing of the agent
            if counts[index] < share and len(rewards) < episodes:
                rewards.append(infos[index]["episode"]["r"])
                milestones.update(infos[index]["milestones"])
            counts[index] += 1
    return Evaluation(tuple(rewards), dict(milestones))


def open_random(config: EvaluateConfig) -> tuple[VecEnv, Choose]:
    """Returns the games, and a player that presses random keys."""
    env_config = EnvConfig(rom=config.rom, episode_length=config.episode_length)
    games = make_vec_env(env_config, min(config.n_envs, config.episodes), seed=config.seed)
    dice = np.random.default_rng(config.seed)
    n_actions = int(games.action_space.n)  # type: ignore[attr-defined]
    return games, lambda _: dice.integers(n_actions, size=games.num_envs)


def open_checkpoint(config: EvaluateConfig) -> tuple[VecEnv, Choose]:
    """Returns the games as the checkpoint was trained on them, and its policy."""
    policy, manifest = load_policy(find_checkpoint(str(config.checkpoint)))
    env_config = replace(
        manifest.env_config(config.rom, None), episode_length=config.episode_length
    )
    n_envs = min(config.n_envs, config.episodes)
    games = make_vec_env(env_config, n_envs, seed=config.seed)
    games = VecTransposeImage(VecFrameStack(games, manifest.n_stack))
    try:
        manifest.check_seen(games.observation_space)
    except CheckpointError:
        games.close()
        raise
    torch.manual_seed(config.seed)
    return games, lambda seen: policy.predict(seen, deterministic=config.greedy)[0]


def show(result: Evaluation, config: EvaluateConfig) -> None:
    """Prints the report for people."""
    console = Console(highlight=False)
    who = config.checkpoint or "random keys"
    n = len(result.rewards)
    console.print(
        f"{who}: mean episode reward {result.mean:.2f} ± {result.margin:.2f} "
        f"(95 %, {n} episodes of {config.episode_length} steps)"
    )
    table = Table("milestone", "episodes", "share", "95 % interval")
    for slug, count in result.milestones.items():
        low, high = wilson(count, n)
        table.add_row(slug, str(count), f"{count / n:.0%}", f"{low:.0%} to {high:.0%}")
    console.print(table)


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluates with the settings of a command line; returns the exit status."""
    config = tyro.cli(EvaluateConfig, args=arguments)
    try:
        games, choose = (open_checkpoint if config.checkpoint else open_random)(config)
    except USER_ERRORS as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    with closing(games):
        result = evaluate(games, choose, config.episodes)
    if config.json:
        report = {"mean": result.mean, "margin": result.margin, "rewards": result.rewards}
        print(json.dumps(report | {"milestones": result.milestones}))
    else:
        show(result, config)
    return 0


if __name__ == "__main__":
    sys.exit(main())
