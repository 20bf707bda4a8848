"""Running totals of an episode."""

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from typing import Any

KEPT = 400  # steps: more than a person can take back


class EpisodeTotals:
    """Adds up an episode's reward, term by term."""

    def __init__(self) -> None:
        self.steps = 0
        self.terms: Counter[str] = Counter()
        self._before: deque[Counter[str]] = deque(maxlen=KEPT)  # the sums before each step
        self.paid: Mapping[str, float] = {}  # reward terms of the latest step

    def add(self, reward_terms: Mapping[str, float]) -> None:
        """Adds a step's reward terms."""
        self._before.append(self.terms.copy())
        self.steps += 1
        self.paid = reward_terms
        for name, value in reward_terms.items():
            self.terms[name] += value  # type: ignore[assignment]

    def take_back(self, steps: int) -> None:
        """Takes the latest steps out again, of which at most `KEPT` are remembered."""
        for _ in range(min(steps, len(self._before))):
            self.terms = self._before.pop()
            self.steps -= 1
            self.paid = {}

    @property
    def total(self) -> float:
        """The episode's reward."""
        return float(sum(self.terms.values()))

    def report(self, milestones: Sequence[str]) -> str:
        """Returns the sums, largest first, and the milestones, as lines of text."""
        lines = [f"{self.steps:,} steps, reward {self.total:.2f}"]
        lines += [f"  {value:8.2f}  {name}" for name, value in self.terms.most_common() if value]
        lines.append(f"  milestones: {', '.join(milestones) or 'none yet'}")
        return "\n".join(lines)

    def as_dict(self, milestones: Sequence[str]) -> dict[str, Any]:
        """Returns the same as plain values for JSON."""
        return {
            "steps": self.steps,
            "reward": self.total,
            "terms": dict(self.terms),
            "milestones": list(milestones),
        }
