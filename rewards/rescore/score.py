"""What a preset would have paid for episodes played with another one."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from emerald_env.state import GameState
from rewards.kinds import Paid
from rewards.names import key_name
from rewards.preset import Preset
from rewards.rescore.recorded_state import as_recorded
from rewards.reward import Reward

MAX_KEYS = 10


@dataclass(frozen=True)
class RescoredEpisode:
    """What one episode would have been paid."""

    name: str
    steps: int
    total: float
    terms: dict[str, float]  # every term of the preset, and those that a function returned


@dataclass(frozen=True)
class Scores:
    """What a preset would have paid for some episodes."""

    preset: str
    episodes: tuple[RescoredEpisode, ...]
    top: tuple[Paid, ...]  # the keys that paid most in all of them, highest first

    @property
    def mean(self) -> float:
        """The mean reward of an episode, 0 without episodes."""
        return statistics.fmean(e.total for e in self.episodes) if self.episodes else 0.0

    @property
    def terms(self) -> dict[str, float]:
        """Each term's mean over the episodes; one that an episode has not paid it nothing."""
        names = dict.fromkeys(name for episode in self.episodes for name in episode.terms)
        return {
            name: statistics.fmean(episode.terms.get(name, 0.0) for episode in self.episodes)
            for name in names
        }

    def as_dict(self) -> dict[str, Any]:
        """Returns what is fit for JSON."""
        return {
            "preset": self.preset,
            "mean": self.mean,
            "terms": self.terms,
            "top": [
                {"term": term, "key": key_name(term, key), "paid": amount}
                for term, key, amount in self.top
            ],
            "episodes": [
                {"name": e.name, "steps": e.steps, "total": e.total, "terms": e.terms}
                for e in self.episodes
            ],
        }


def score(episodes: Sequence[tuple[str, Iterable[GameState | None]]], preset: Preset) -> Scores:
    """Returns what a preset would have paid.

    Args:
        episodes: (name, states) of each; the first state is that after the reset.
        preset: what pays.

    Raises:
        ValueError: a reward of the user's own reads what recordings do not keep.
    """
    keys: dict[tuple[str, Any], float] = defaultdict(float)
    scored = tuple(_score(name, states, preset, keys) for name, states in episodes)
    top = sorted(keys.items(), key=lambda item: -item[1])[:MAX_KEYS]
    return Scores(preset.name, scored, tuple(Paid(*key, amount) for key, amount in top))


def _score(
    name: str,
    states: Iterable[GameState | None],
    preset: Preset,
    keys: dict[tuple[str, Any], float],
) -> RescoredEpisode:
    reward = Reward(preset)
    paid: dict[str, float] = defaultdict(float)
    steps, before = -1, None
    for state in as_recorded(states):
        steps += 1
        if steps == 0:
            reward.reset(state)
        else:
            reward(before, state)
        for term, key, amount in reward.last_events:
            paid[term] += amount
            keys[term, key] += amount
        before = state
    terms = {term: paid[term] for term in reward.terms}  # a function has named its own by now
    return RescoredEpisode(name, max(steps, 0), sum(terms.values()), terms)
