"""What a diagnosis says."""

import enum
from dataclasses import asdict, dataclass
from typing import Any


class Severity(enum.IntEnum):
    """How bad a finding is; the number is the exit status of `diagnose.py` for a run with it."""

    NOTE = 0  # worth knowing, nothing is wrong
    WARNING = 1  # something is wrong; the run may still recover
    CRITICAL = 2  # the run is lost, or is being lost now


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem, or remarkable fact, of a run, from one update to another.

    `since` is where it began, `said` where it was reported after the rule's patience; both in env
    steps. `severity` is that of now; of a finding that is over, its last one.
    """

    code: str
    severity: Severity
    since: int
    said: int
    until: int | None  # env steps at which it was over; None: it is still open
    evidence: str  # in numbers
    meaning: str  # one plain sentence
    advice: tuple[str, ...]  # what to do about the run, as seen when it was reported; best first
    worst: Severity = Severity.NOTE  # so far

    def as_dict(self) -> dict[str, Any]:
        """Returns the fields as JSON values."""
        names = {"severity": self.severity.name.lower(), "worst": self.worst.name.lower()}
        return asdict(self) | names | {"advice": list(self.advice)}
