"""What every key did in every place so far, and the shortest paths that follow from it.

A model of the game as a table: how often each key led from each place to each other one. Its best
policy, found by dynamic programming, takes the shortest path through everything that any burst has
seen, however much the bursts wandered (certainty equivalence; cf. Sutton 1990's Dyna). It is a
teacher, not an agent: it knows nothing about unvisited places. A network learns from it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.exploration.atlas.chapter_model import ChapterModel
from baselines.exploration.atlas.geography import with_other_chapters
from baselines.exploration.atlas.grounds import (
    N_KEYS,
    Solved,
    clear_keys,
    hints_of,
    ways_over_ground,
)
from baselines.exploration.atlas.links import (
    LINKS_BITS,
    Links,
    links_of,
    renumbered,
    summed,
    unpacked,
    whichever_way_one_faces,
    with_keys,
    without_flukes,
)
from baselines.exploration.atlas.matchup_table import MatchupTable
from emerald_env.env.state_vector.details import MAX_MOVES
from emerald_env.explorer import Advice, Trail
from emerald_env.explorer.exact_places import NOWHERE, UNKNOWN

NEW_SHARE = 0.15  # of the transitions that the advice is based on
MAX_NEW = 100_000  # transitions: who is lost in a long run should not wait for millions
MAX_LINKS = 1 << 25  # in a file; a gigabyte of memory while they are solved
MAX_COUNT = 1 << 31  # presses of a key in a place
MAX_VALUE = 1000.0  # milestones
OLD_N_KEYS = 6  # of states that do not say it: before Start
# the arrays of a state
DTYPES: dict[str, Any] = {
    "places": np.int64,
    "progress": np.int16,
    "walks": np.bool_,
    "values": np.float64,
    "links": np.int64,
    "counts": np.int64,
    "circled": np.int64,
    "advised": np.int64,
    "keys": np.int8,
    "grounds": np.int64,
    "chapters": np.int64,
    "battles": np.bool_,
    "grounds_advised": np.int64,
    "ground_keys": np.int8,
    "solved": np.int64,
    "n_keys": np.int64,
    "matchups": np.int64,
    "worths": np.float64,
    "searches": np.int64,
    "matchups_advised": np.int64,
    "moves": np.int8,
    "on_foot": np.bool_,
}
GROUNDS = ("grounds", "chapters", "battles", "grounds_advised", "ground_keys")
FIGHTS = ("matchups", "worths", "searches")
FIGHTS_ADVISED = ("matchups_advised", "moves")
# arrays that older states lack
NEWER = ("n_keys", "circled", "on_foot", *GROUNDS, *FIGHTS, *FIGHTS_ADVISED)
SCALARS = ("solved", "n_keys")


class Atlas:
    """Counts transitions and computes the best key of each place.

    Attributes:
        places: their numbers, ascending.
        advice: the best known key of each place from which a milestone is known to be reachable.
        circled: places where the advice led in circles since it was computed, ascending.
        matchups: what moves were worth in battles.
    """

    def __init__(self) -> None:
        self.places = np.zeros(0, np.int64)
        self.advice = Advice()
        self.circled = np.zeros(0, np.int64)
        self.matchups = MatchupTable()
        self._progress = np.zeros(0, np.int16)  # milestones reached at each place
        self._walks = np.zeros(0, np.bool_)  # whether keys are told apart there
        self._on_foot = np.zeros(0, np.bool_)  # whether the player can walk there
        self._grounds = np.zeros(0, np.int64)  # the places'; 0: not known
        self._chapters = np.zeros(0, np.int64)  # theirs
        self._battles = np.zeros(0, np.bool_)  # whether each place is in a battle
        self._values = np.zeros(0)
        self._links = Links(np.zeros(0, np.int64), np.zeros(0, np.int64))
        self._pending: list[Trail] = []
        self._solved = 0  # transitions that the advice is based on

    def add(self, trail: Trail) -> None:
        """Adds the transitions of a trail, but those into and out of idle menus."""
        parts = trail.with_scenes_told_apart().without_idle_menus()
        self._pending += [part for part in parts if part.keys]

    def give_up(self, places: list[int]) -> None:
        """Remembers until the advice is computed again that it led in circles in these places."""
        self.circled = np.union1d(self.circled, np.array(places, np.int64))

    @property
    def steps(self) -> int:
        """The number of transitions counted."""
        return int(self._links.counts.sum()) + sum(len(trail.keys) for trail in self._pending)

    def due(self) -> bool:
        """Returns whether there are enough new transitions to compute the advice again."""
        return self.steps - self._solved > min(NEW_SHARE * self._solved, MAX_NEW)

    def solve(self) -> None:
        """Computes the advice from all transitions."""
        self._merge()
        if not len(self._links.numbers):
            return
        links = whichever_way_one_faces(self._links, self.places, self._on_foot)
        links = without_flukes(links, self._walks, self._progress)
        pairs, nexts = unpacked(links.numbers)
        q = self._iterate(pairs, nexts, links.counts)
        known = q.max(axis=1) > 0
        keys = q.argmax(axis=1).astype(np.int8)
        solved = Solved(
            self._values,
            known,
            keys,
            self._walks,
            self._grounds,
            self._chapters,
            self._battles,
            self._progress,
            pairs,
            nexts,
            links.counts,
        )
        hints = with_other_chapters(hints_of(solved), solved)
        ways = ways_over_ground(solved, hints)
        keys = np.where(known & (ways < 0), keys, ways)
        told = keys != UNKNOWN
        fights = self.matchups.best()
        self.advice = Advice(self.places[told], keys[told], *clear_keys(hints), *fights)
        self._solved = self.steps
        self.circled = self.circled[:0]

    def _merge(self) -> None:
        """Counts the pending transitions."""
        if not self._pending:
            return
        trails, self._pending = self._pending, []
        new = np.concatenate([np.array(trail.places, np.int64) for trail in trails])
        places = np.union1d(self.places, new)
        old = np.searchsorted(places, self.places)
        at = np.searchsorted(places, new)

        def merged(known: NDArray[Any], parts: Iterable[Sequence[Any]]) -> NDArray[Any]:
            """Returns what is known of all places: of the new ones what the trails say."""
            both = np.zeros(len(places), known.dtype)
            both[old] = known
            both[at] = np.concatenate(list(parts))
            return both

        self._progress = merged(self._progress, (trail.progress for trail in trails))
        self._walks = merged(self._walks, (trail.walks for trail in trails))
        self._on_foot = merged(self._on_foot, (trail.on_foot for trail in trails))
        self._grounds = merged(self._grounds, (t.grounds or [0] * len(t.places) for t in trails))
        self._chapters = merged(self._chapters, (t.chapters or [0] * len(t.places) for t in trails))
        self._battles = merged(self._battles, (trail.battles for trail in trails))
        values = np.zeros(len(places))
        values[old] = self._values
        each = zip(trails, _slices(trails), strict=True)
        fresh = np.concatenate([links_of(trail.keys, at[part]) for trail, part in each])
        self._links = summed(renumbered(self._links, old), Links(fresh, np.ones_like(fresh)))
        self.places, self._values = places, values

    def _iterate(
        self, pairs: NDArray[np.int64], nexts: NDArray[np.int64], counts: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Returns the value of each key in each place, (places, keys); -1: never pressed there.

        Args:
            pairs: of place and key, of each link.
            nexts: where each link led.
            counts: how often.
        """
        from scipy import sparse  # slow to load, and an archive can be listed without it

        n = len(self.places)
        weights = counts.astype(np.float64)
        model = sparse.csr_matrix((weights, (pairs, nexts)), shape=(n * N_KEYS, n))
        gains = (self._progress[nexts] - self._progress[pairs // N_KEYS]) * weights
        gain: Any = np.bincount(pairs, gains, n * N_KEYS).reshape(n, N_KEYS)
        count: Any = np.bincount(pairs, weights, n * N_KEYS).reshape(n, N_KEYS)
        q = np.full((n, N_KEYS), -1.0)
        # milestones stay, so no path leads to an earlier chapter: solve the last chapter first
        for progress in sorted(set(self._progress.tolist()), reverse=True):
            own = np.flatnonzero(self._progress == progress)
            rows = (own[:, None] * N_KEYS + np.arange(N_KEYS)).ravel()
            chapter = ChapterModel(own, ~self._walks[own], model[rows], gain[own], count[own])
            q[own] = chapter.solve(self._values)
        return q

    def get_state(self) -> dict[str, Any]:
        """Returns its whole state, as arrays."""
        self._merge()
        return {
            "places": self.places,
            "progress": self._progress,
            "walks": self._walks,
            "values": self._values,
            "links": self._links.numbers,
            "counts": self._links.counts,
            "circled": self.circled,
            "advised": self.advice.places,
            "keys": self.advice.keys,
            "grounds": self._grounds,
            "chapters": self._chapters,
            "battles": self._battles,
            "grounds_advised": self.advice.grounds,
            "ground_keys": self.advice.ground_keys,
            "solved": self._solved,
            "n_keys": N_KEYS,
            **self.matchups.get_state(),
            "matchups_advised": self.advice.matchups,
            "moves": self.advice.moves,
            "on_foot": self._on_foot,
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` returned.

        Raises:
            ValueError, LookupError: it is not from `get_state`.
        """
        state = _completed(state)
        arrays = {name: _array(state, name) for name in DTYPES if name not in SCALARS}
        if (n_keys := int(state.get("n_keys", OLD_N_KEYS))) not in (OLD_N_KEYS, N_KEYS):
            raise ValueError(f"the atlas has {n_keys} keys: update the program")
        arrays["links"] = with_keys(arrays["links"], n_keys)
        solved = np.asarray(state["solved"])
        if solved.shape or solved.dtype.kind != "i" or solved < 0:
            raise ValueError("the atlas's number of solved transitions is damaged")
        if wrong := next(_wrong_in(arrays), None):
            raise ValueError(f"{wrong} of the atlas are damaged")
        self.places, self._progress = arrays["places"], arrays["progress"]
        self._walks, self._values = arrays["walks"], arrays["values"]
        self._links, self._pending = Links(arrays["links"], arrays["counts"]), []
        self._grounds, self._chapters = arrays["grounds"], arrays["chapters"]
        self._battles, self._on_foot = arrays["battles"], arrays["on_foot"]
        self.circled = arrays["circled"]
        self.matchups.set_state(arrays)
        self.advice = Advice(
            arrays["advised"],
            arrays["keys"],
            arrays["grounds_advised"],
            arrays["ground_keys"],
            arrays["matchups_advised"],
            arrays["moves"],
        )
        self._solved = int(solved)


def _completed(state: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a state with what older ones lack.

    Their advice in battles is that of all searches, and menus count as places on foot.

    Raises:
        ValueError: what it has of battles is damaged.
    """
    older = {**_as_before(len(state["places"])), "on_foot": state["walks"]}
    whole = {**older, **MatchupTable().get_state(), **state}
    searched = MatchupTable()
    searched.set_state({name: _array(whole, name) for name in FIGHTS})
    return dict(zip(FIGHTS_ADVISED, searched.best(), strict=True)) | whole


def _as_before(n_places: int) -> dict[str, NDArray[Any]]:
    """Returns what states from before grounds and circles were kept lack."""
    return {
        "circled": np.zeros(0, np.int64),
        "grounds": np.zeros(n_places, np.int64),
        "chapters": np.zeros(n_places, np.int64),
        "battles": np.zeros(n_places, np.bool_),
        "grounds_advised": np.zeros(0, np.int64),
        "ground_keys": np.zeros(0, np.int8),
    }


def _slices(trails: list[Trail]) -> list[slice]:
    ends = np.cumsum([len(trail.places) for trail in trails]).tolist()
    return [slice(end - len(trail.places), end) for trail, end in zip(trails, ends, strict=True)]


def _array(state: Mapping[str, Any], name: str) -> NDArray[Any]:
    array = np.asarray(state[name])
    if array.ndim != 1 or array.dtype != DTYPES[name]:
        raise ValueError(f"{name} of the atlas have {array.ndim} dimensions of {array.dtype}")
    return array


def _wrong_in(arrays: Mapping[str, NDArray[Any]]) -> Iterator[str]:
    """Yields which arrays of a state do not fit together, or have impossible values."""
    places = arrays["places"]
    _, nexts = unpacked(arrays["links"])
    advised = ("advised", "grounds_advised", "matchups_advised")
    for ascending in ("places", "links", "circled", *advised):
        if (arrays[ascending][1:] <= arrays[ascending][:-1]).any():
            yield ascending
    for name, low, high in (
        ("links", 0, len(places) * N_KEYS << LINKS_BITS),
        ("counts", 1, MAX_COUNT),
        ("keys", NOWHERE, N_KEYS),
        ("ground_keys", 0, N_KEYS),
        ("moves", 0, MAX_MOVES),
        ("progress", 0, MAX_VALUE),
        ("values", 0, MAX_VALUE),
    ):
        if not ((arrays[name] >= low) & (arrays[name] < high)).all():  # NaN is in no range
            yield name
    if (nexts >= len(places)).any():
        yield "links"
    for one, other in (
        ("progress", "places"),
        ("walks", "places"),
        ("on_foot", "places"),
        ("values", "places"),
        ("counts", "links"),
        ("keys", "advised"),
        ("grounds", "places"),
        ("chapters", "places"),
        ("battles", "places"),
        ("ground_keys", "grounds_advised"),
        ("moves", "matchups_advised"),
    ):
        if len(arrays[one]) != len(arrays[other]):
            yield f"{one} and {other}"
