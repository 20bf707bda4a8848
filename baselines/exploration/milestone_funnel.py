"""How far episodes get: from the start, from the archive, and in the archive itself."""

from collections import Counter, deque
from collections.abc import Collection, Mapping
from typing import Any

from baselines.exploration.state_archive import Archive
from emerald_env.game.tables import milestones

WINDOW = 100  # episodes per share


class Funnel:
    """Counts, for each milestone, who reached it and when it was first seen.

    Attributes:
        home: milestone -> episodes from the start that reached it.
        practice: milestone -> practice episodes that reached it.
        first_home: milestone -> env steps until an episode from the start first reached it.
    """

    def __init__(self) -> None:
        self.home: Counter[str] = Counter()
        self.practice: Counter[str] = Counter()
        self.first_home: dict[str, int] = {}
        self.episodes = {"home": 0, "practice": 0}
        self._latest: deque[list[str]] = deque(maxlen=WINDOW)  # of the episodes from the start

    def count(self, reached: Collection[str], practised: bool, num_timesteps: int) -> None:
        """Counts an episode with the milestones that it reached after its beginning."""
        self.episodes["practice" if practised else "home"] += 1
        (self.practice if practised else self.home).update(reached)
        if not practised:
            self._latest.append(list(reached))
            for slug in reached:
                self.first_home.setdefault(slug, num_timesteps)

    def latest(self, most: int = WINDOW) -> dict[str, float]:
        """Returns the share of the latest episodes from the start that reached each milestone.

        Args:
            most: episodes that are looked at, up to `WINDOW`.
        """
        episodes = list(self._latest)[-most:]
        sums = Counter(slug for reached in episodes for slug in reached)
        return {slug: count / len(episodes) for slug, count in sums.items()}

    def rows(self, archive: Archive, first_seen: Mapping[str, int]) -> list[dict[str, Any]]:
        """Returns a row for each milestone that was ever reached, in the story's order."""
        states = archive.states_by_milestone()
        latest = self.latest()
        known = self.home.keys() | self.practice.keys() | first_seen.keys()
        return [
            {
                "milestone": entry.slug,
                "home": self.home[entry.slug],
                "home_latest": latest.get(entry.slug, 0.0),
                "practice": self.practice[entry.slug],
                "first_home": self.first_home.get(entry.slug),
                "first_archive": first_seen.get(entry.slug),
                "states": states.get(entry.slug, 0),
            }
            for entry in milestones()
            if entry.slug in known
        ]

    def summary(self, archive: Archive) -> str:
        """Returns a line: the furthest milestone from the start, in practice, in the search."""
        latest = self.latest()
        home, practice, explored = (
            last_of(reached) for reached in (latest, self.practice, archive.states_by_milestone())
        )
        share = f" ({latest[home]:.0%} of the latest)" if home in latest else ""
        return (
            f"furthest milestones: from home {home}{share}, in practice {practice}, explored "
            f"{explored}"
        )

    def get_state(self) -> dict[str, Any]:
        """Returns all counts as plain values."""
        return {
            "home": dict(self.home),
            "practice": dict(self.practice),
            "first_home": dict(self.first_home),
            "episodes": dict(self.episodes),
            "latest": list(self._latest),
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` returned."""
        self.home, self.practice = Counter(state["home"]), Counter(state["practice"])
        self.first_home, self.episodes = dict(state["first_home"]), dict(state["episodes"])
        self._latest = deque(state["latest"], maxlen=WINDOW)


def last_of(reached: Collection[str]) -> str:
    """Returns the last of some milestones in the story's order, "none" if there are none."""
    return next((e.slug for e in reversed(milestones()) if e.slug in reached), "none")
