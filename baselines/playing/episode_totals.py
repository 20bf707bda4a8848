"""Running totals of an episode."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any


class EpisodeTotals:
    """Adds up an episode's reward, term by term."""

    def __init__(self) -> None:
        self.steps = 0
        self.terms: Counter[str] = Counter()
        self.paid: Mapping[str, float] = {}  # reward terms of the latest step

    def add(self, reward_terms: Mapping[str, float]) -> None:
        """Adds a step's reward terms."""
        self.steps += 1
        self.paid = reward_terms
        for name, value in reward_terms.items():
            self.terms[name] += value  # type: ignore[assignment]

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
