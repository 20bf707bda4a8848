"""What a diagnosis says."""

import enum
from dataclasses import dataclass
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
    steps.
    """

    code: str
    severity: Severity
    since: int
    said: int
    until: int | None  # env steps at which it was over; None: it is still open
    evidence: str  # in numbers
    meaning: str  # one plain sentence
    advice: tuple[str, ...]  # what to change, with values; best first

    def as_dict(self) -> dict[str, Any]:
        """Returns the fields as JSON values."""
        return {
            "code": self.code,
            "severity": self.severity.name.lower(),
            "since": self.since,
            "said": self.said,
            "until": self.until,
            "evidence": self.evidence,
            "meaning": self.meaning,
            "advice": list(self.advice),
        }
