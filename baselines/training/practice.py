"""The states of a run that practice begins in, in a folder that any program can begin games in."""

from collections import Counter, deque
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from baselines.runs.atomic import write_atomically
from emerald_env.game.tables import milestones
from emerald_env.wrappers.practice import MOST, Frontier, Offer, state_file

WINDOW = 100  # episodes in a mean


class PracticeArchive:
    """States where milestones were reached, the first of each, and how often each is practised.

    A milestone is practised in proportion to the share of the latest episodes that came to it, or
    began with it, and reached none after it: what is passed by all needs no practice, and where
    none gets on is the place to explore.

    Args:
        folder: where the states are; it is made with the first of them.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._states: Counter[str] = Counter()  # milestone -> states in the folder
        self._episodes: Counter[str] = Counter()  # milestone -> episodes that came to it
        self._stayed: dict[str, float] = {}  # milestone -> share of them that got no further
        self._gained: deque[int] = deque(maxlen=WINDOW)  # milestones reached in practice

    def __len__(self) -> int:
        """How many milestones can be practised from."""
        return len(self._states)

    @property
    def gained(self) -> float | None:
        """Milestones that a practice episode reached, mean over the latest; None before any."""
        return sum(self._gained) / len(self._gained) if self._gained else None

    def add(self, found: Frontier) -> None:
        """Keeps a state, if there are not enough of its milestone.

        Raises:
            OSError: it cannot be written.
        """
        number = self._states[found.milestone] + 1
        if number > MOST:
            return
        self._folder.mkdir(exist_ok=True)
        write_atomically(state_file(self._folder, found.milestone, number), found.file)
        self._states[found.milestone] = number

    def count(self, reached: Collection[str], began: str | None) -> None:
        """Takes in an episode.

        Args:
            reached: the milestones that it reached, in their order.
            began: the milestone that it began with in practice, None if it began at the start.
        """
        if began is not None:
            self._gained.append(len(reached))
        came_to = [*([] if began is None else [began]), *reached]
        for slug in came_to:
            self._episodes[slug] += 1
            before = self._stayed.get(slug, 0.0)
            stayed = float(slug == came_to[-1])
            self._stayed[slug] = before + (stayed - before) / min(self._episodes[slug], WINDOW)

    def offer(self, share: float) -> Offer:
        """Returns what games are told: each milestone with its states and its chance."""
        states = dict(sorted(self._states.items()))
        weights = {slug: self._stayed.get(slug, 1.0) + 1 / WINDOW for slug in states}
        chances = {slug: weight / sum(weights.values()) for slug, weight in weights.items()}
        return Offer(share, self._folder, states, chances)

    def get_state(self) -> dict[str, Any]:
        """Returns how many states and episodes there are, as plain values."""
        return {
            "states": dict(self._states),
            "episodes": dict(self._episodes),
            "stayed": dict(self._stayed),
            "gained": list(self._gained),
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Goes on from what `get_state` returned; later states are written over.

        Raises:
            FileNotFoundError: a state is gone.
        """
        known = {milestone.slug for milestone in milestones()}
        states = {slug: min(int(n), MOST) for slug, n in state["states"].items() if slug in known}
        for slug, count in states.items():
            for number in range(1, count + 1):
                if not (file := state_file(self._folder, slug, number)).is_file():
                    raise FileNotFoundError(f"{file} is gone, where games are to begin")
        self._states, self._episodes = Counter(states), Counter(state["episodes"])
        self._stayed = {slug: float(share) for slug, share in state["stayed"].items()}
        self._gained = deque(state["gained"], maxlen=WINDOW)
