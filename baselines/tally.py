"""What an episode has brought so far, in words."""

from collections import Counter
from collections.abc import Mapping, Sequence


class Tally:
    """Adds up an episode's reward, term by term."""

    def __init__(self) -> None:
        self.steps = 0
        self.terms: Counter[str] = Counter()

    def add(self, reward_terms: Mapping[str, float]) -> None:
        """Adds a step's reward terms."""
        self.steps += 1
        for name, value in reward_terms.items():
            self.terms[name] += value  # type: ignore[assignment]

    def report(self, milestones: Sequence[str]) -> str:
        """Returns the sums, largest first, and the milestones, as lines of text."""
        lines = [f"{self.steps:,} steps, reward {sum(self.terms.values()):.2f}"]
        lines += [f"  {value:8.2f}  {name}" for name, value in self.terms.most_common() if value]
        lines.append(f"  milestones: {', '.join(milestones) or 'none yet'}")
        return "\n".join(lines)
