"""The values of the places between two milestones, and of the keys in them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.exploration.atlas.grounds import GAMMA, N_KEYS
from emerald_env.explorer.random_keys import KEYS

A = KEYS.index("a")
DOUBT = 2.0  # average presses that are added to each key's own
TOLERANCE = 1e-6  # milestones
SWEEPS = 25  # in a row: each carries values a step further
MAX_JUMPS = 60


class Swept(NamedTuple):
    """What a sweep found."""

    q: NDArray[np.float64]  # (places, keys) the keys' values; -1: never pressed
    is_low: NDArray[np.bool_]  # (places,) whether the average key does worse than waiting
    change: float  # the largest of a value


@dataclass(frozen=True)
class ChapterModel:
    """Some places, and what each key did in them.

    Rarely tried keys are shrunk towards the place's average: `DOUBT` presses with the average
    outcome of all keys there (but no better than doing nothing) are added to each key's own. In
    dialogue and battles, and in menus whose cursor is unknown, a key's effect shows many steps
    later, so keys are not told apart: the average of the random keys is assigned to A, the most
    frequent of them.
    """

    own: NDArray[np.int64]  # (places,) their indices among all places
    halts: NDArray[np.bool_]  # (places,) whether keys are not told apart there
    model: Any  # sparse (places * N_KEYS, all places), how often each was the next place
    gain: NDArray[np.float64]  # (places, N_KEYS) number of milestones that each key brought
    count: NDArray[np.float64]  # (places, N_KEYS) how often each was pressed

    def solve(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Finds the values of the chapter's places, given all others'.

        Sweeps of value iteration carry a milestone's worth a step at a time; between them a jump
        computes at once what the keys that are best so far are worth (policy iteration: Puterman
        & Shin 1978). It is sweeps that say when the values stand still, so jumps change how soon
        that is, and not what it is.

        Args:
            values: (all places,) milestones ahead, a guess for the chapter's; changed.

        Returns:
            The value of each key in each place, (places, N_KEYS); -1: never pressed there.
        """
        for _ in range(MAX_JUMPS):
            for _ in range(SWEEPS):
                swept = self._sweep(values)
                if swept.change < TOLERANCE:
                    return swept.q
            self._jump(values, swept)
        return swept.q

    @cached_property
    def _total(self) -> NDArray[np.float64]:
        total: NDArray[np.float64] = np.maximum(self.count.sum(axis=1), 1)
        return total

    def _sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Returns what all presses of each key brought together, (places, N_KEYS)."""
        ahead: NDArray[np.float64] = (self.model @ values).reshape(self.count.shape)
        return self.gain + GAMMA * ahead

    def _sweep(self, values: NDArray[np.float64]) -> Swept:
        """Improves each place's value once, from those of the next places."""
        sums, before = self._sums(values), values[self.own]
        average, waited = sums.sum(axis=1) / self._total, GAMMA * before
        usual = np.minimum(average, waited)
        q = (sums + DOUBT * usual[:, None]) / (self.count + DOUBT)
        q[(self.count == 0) | self.halts[:, None]] = -1.0
        q[self.halts, A] = average[self.halts]
        values[self.own] = np.maximum(q.max(axis=1), 0.0)
        change = np.abs(values[self.own] - before).max()
        return Swept(q, average < waited, float(change))

    def _jump(self, values: NDArray[np.float64], swept: Swept) -> None:
        """Sets the values to those of the best keys so far, kept forever: a linear system."""
        from scipy import sparse
        from scipy.sparse.linalg import splu

        at = np.flatnonzero(swept.q.max(axis=1) > 0)
        if not len(at):
            return
        best, halts, low = swept.q[at].argmax(axis=1), self.halts[at], swept.is_low[at]
        pressed = np.where(halts, 1.0, self.count[at, best] + DOUBT)
        # how much of all keys' sums, of the best key's, and of the place itself is in its value
        of_all = np.where(halts, 1.0, DOUBT * low) / self._total[at] / pressed
        of_best = np.where(halts, 0.0, 1.0 / pressed)
        of_waiting = np.where(halts | low, 0.0, DOUBT * GAMMA / pressed)
        weights = np.repeat(of_all[:, None], N_KEYS, axis=1)
        weights[np.arange(len(at)), best] += of_best
        columns = at[:, None] * N_KEYS + np.arange(N_KEYS)
        rows = np.repeat(np.arange(len(at)), N_KEYS)
        size = (len(at), self.count.size)
        mixing = sparse.csr_matrix((weights.ravel(), (rows, columns.ravel())), shape=size)
        others = values.copy()
        others[self.own[at]] = 0.0
        known = mixing @ self._sums(others).ravel()
        inner = GAMMA * (mixing @ self.model[:, self.own[at]]) + sparse.diags(of_waiting)
        system = (sparse.identity(len(at)) - inner).tocsc()
        values[self.own[at]] = np.maximum(splu(system).solve(known), 0.0)
