"""The results of a player's episodes, and how two players compare."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from baselines.playing.intervals import (
    Estimate,
    difference_of_means,
    difference_of_shares,
    mean,
    median_of,
    wilson,
)
from emerald_env.game.tables import milestones
from emerald_env.wrappers.recorder import RECORDING
from emerald_env.wrappers.soft_lock_file import SoftLock

# observations and where an episode starts, (n_envs,) -> actions, (n_envs,)
Choose = Callable[[Any, NDArray[np.bool_]], NDArray[np.int64]]
# called after each step with the episodes that have ended and the steps of all games so far
OnStep = Callable[[int, int], object]


@dataclass(frozen=True)
class Episode:
    """The result of one episode."""

    reward: float
    length: int  # steps
    milestones: dict[str, int]  # slug -> steps until it was reached; only those reached in it
    soft_lock: bool = False  # it ended where random keys found nothing new either
    evidence: SoftLock | None = None
    recording: bytes | None = None  # contents of its file
    game: int = 0  # which of the games played it


@dataclass(frozen=True)
class Evaluation:
    """Some episodes of one player, at least one."""

    name: str
    episodes: tuple[Episode, ...]
    interrupted: bool = False  # by Ctrl-C before all episodes were played
    judged_by: str = ""  # the reward: a preset's name, a file, or a function's address

    @cached_property
    def reward(self) -> Estimate:
        """The mean reward of an episode."""
        return mean([episode.reward for episode in self.episodes])

    @property
    def soft_locks(self) -> Estimate:
        """The share of episodes that ended in a soft-lock."""
        return wilson(sum(episode.soft_lock for episode in self.episodes), len(self.episodes))

    def reached(self, slug: str) -> Estimate:
        """The share of episodes that reach a milestone."""
        times = sum(slug in episode.milestones for episode in self.episodes)
        return wilson(times, len(self.episodes))

    def steps(self, slug: str) -> Estimate:
        """The median steps to a milestone over all episodes; infinite for those without it."""
        return median_of([e.milestones.get(slug, math.inf) for e in self.episodes])

    @property
    def milestones(self) -> list[str]:
        """The milestones that any episode reached, in the story's usual order."""
        return in_order({slug for episode in self.episodes for slug in episode.milestones})


def in_order(slugs: set[str]) -> list[str]:
    """Returns milestones in the story's usual order."""
    order = {milestone.slug: place for place, milestone in enumerate(milestones())}
    return sorted(slugs, key=lambda slug: (order.get(slug, len(order)), slug))


@dataclass(frozen=True)
class Comparison:
    """How much better one player is than another; an interval without 0 is a real difference."""

    first: Evaluation
    second: Evaluation

    @cached_property
    def reward(self) -> Estimate:
        """The difference of the mean rewards."""
        rewards = [[e.reward for e in who.episodes] for who in (self.first, self.second)]
        return difference_of_means(*rewards)

    def reached(self, slug: str) -> Estimate:
        """The difference of the shares of episodes that reach a milestone."""
        return difference_of_shares(self.first.reached(slug), self.second.reached(slug))


def is_clear(difference: Estimate) -> bool:
    """Returns whether an interval excludes 0."""
    return difference.low > 0 or difference.high < 0


def evaluate(
    name: str,
    games: VecEnv,
    choose: Choose,
    episodes: int,
    on_step: OnStep = lambda ended, steps: None,
) -> Evaluation:
    """Plays until every game has finished its share of the episodes, see `shares`.

    A quick game does not count twice: that would favour short episodes. Ctrl-C ends it with the
    episodes played so far.

    Args:
        name: of the player.
        games: what is played.
        choose: the player.
        episodes: how many.
        on_step: called after each step of the games.

    Raises:
        KeyboardInterrupt: Ctrl-C before the first episode ended.
    """
    played: list[Episode] = []
    try:
        for episode in _episodes(games, choose, episodes, on_step):
            played.append(episode)
    except KeyboardInterrupt:
        if not played:
            raise
    return Evaluation(name, tuple(played), interrupted=len(played) < episodes)


def shares(episodes: int, games: int) -> list[int]:
    """Returns how many episodes of each game count: the same number, for the first ones 1 more.

    Consecutive games whose shares are summed and shared among them again have the same ones, so
    that the parts of an evaluation count what all of it would.
    """
    each, more = divmod(episodes, games)
    return [each + (game < more) for game in range(games)]


def _episodes(games: VecEnv, choose: Choose, episodes: int, on_step: OnStep) -> Iterator[Episode]:
    left = shares(episodes, games.num_envs)
    given = steps = 0
    observations, starts = games.reset(), np.ones(games.num_envs, np.bool_)
    while any(left):
        observations, _, starts, infos = games.step(choose(observations, starts))
        for index in np.flatnonzero(starts):
            if "worker_lost" in infos[index]:
                continue  # cut short: it says nothing about the player
            if left[index]:
                left[index] -= 1
                given += 1
                yield _episode(infos[index], int(index))
        steps += games.num_envs
        on_step(given, steps)


def _episode(info: dict[str, Any], game: int) -> Episode:
    ended = info["episode"]
    return Episode(
        float(ended["r"]),
        int(ended["l"]),
        dict(info["milestone_steps"]),
        bool(info.get("soft_lock", False)),
        info.get("soft_lock_file"),
        info[RECORDING].file if RECORDING in info else None,
        game,
    )


def report(evaluations: Sequence[Evaluation]) -> dict[str, Any]:
    """Returns everything as plain values for JSON, with None for infinite ones."""
    first, *others = evaluations
    slugs = in_order({slug for each in evaluations for slug in each.milestones})
    return {
        "judged_by": first.judged_by,
        "players": [
            {
                "name": each.name,
                "interrupted": each.interrupted,
                "episodes": [
                    {
                        "reward": e.reward,
                        "steps": e.length,
                        "milestones": e.milestones,
                        "soft_lock": e.soft_lock,
                    }
                    for e in each.episodes
                ],
                "reward": _plain(each.reward),
                "soft_locks": _plain(each.soft_locks),
                "milestones": {
                    slug: {"share": _plain(each.reached(slug)), "steps": _plain(each.steps(slug))}
                    for slug in slugs
                },
            }
            for each in evaluations
        ],
        "differences": [
            {
                "from": other.name,
                "reward": _plain(Comparison(first, other).reward),
                "milestones": {
                    slug: _plain(Comparison(first, other).reached(slug)) for slug in slugs
                },
            }
            for other in others
        ],
    }


def _plain(estimate: Estimate) -> dict[str, float | None]:
    values = estimate._asdict()
    return {name: value if math.isfinite(value) else None for name, value in values.items()}
