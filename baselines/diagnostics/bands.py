"""How far runs of the same settings lie apart: the lowest, the middle and the highest reward."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from baselines.diagnostics.history import REWARD, History

PARTS = 5  # of the steps that all runs of a group have
OWN = frozenset({"seed"})  # settings in which runs of a group may differ
Settings = Mapping[str, float | str | None]


class Band(NamedTuple):
    """Rewards of several runs up to a step, from the step of the band before on."""

    step: int
    lowest: float
    median: float
    highest: float


def alike(settings: Iterable[Settings]) -> list[list[int]]:
    """Returns the indices of runs whose settings differ in the seed at most, several at least."""
    groups: dict[tuple[tuple[str, float | str | None], ...], list[int]] = {}
    for index, each in enumerate(settings):
        known = tuple(sorted((name, value) for name, value in each.items() if name not in OWN))
        groups.setdefault(known, []).append(index)
    return [group for group in groups.values() if len(group) > 1]


def bands(runs: list[History], parts: int = PARTS) -> list[Band]:
    """Returns the bands of some runs' rewards; parts in which a run had no episode are left out."""
    found = []
    edges = np.linspace(0, min(run.step for run in runs), parts + 1)
    for begin, end in zip(edges, edges[1:], strict=False):
        means = [_mean(run, begin, end) for run in runs]
        if np.isfinite(means).all():
            found.append(Band(round(end), min(means), float(np.median(means)), max(means)))
    return found


def _mean(run: History, begin: float, end: float) -> float:
    score = run.scores[REWARD]
    inside = (score.steps > begin) & (score.steps <= end)
    if not inside.any():
        return float("nan")
    return float(np.average(score.values[inside], weights=score.counts[inside]))
