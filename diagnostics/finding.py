"""What a diagnosis says."""

import enum
from dataclasses import dataclass
from typing import Any


class Severity(enum.IntEnum):
    """How bad it is; the number is the exit status of `diagnose.py` for a run that has it."""

    NOTE = 0  # worth knowing, nothing is wrong
    WARNING = 1  # something is wrong; the run may still recover
    CRITICAL = 2  # the run is lost, or is being lost now


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is so in a run, from one update to another.

    `since` is where it began, `said` where the patience was over and it was said: env steps both.
    """

    code: str
    severity: Severity
    since: int
    said: int
    until: int | None  # env steps at which it was over; None: it still is so
    evidence: str  # in numbers
    meaning: str  # one plain sentence
    advice: tuple[str, ...]  # what to change, with the values it would take; best first

    def as_dict(self) -> dict[str, Any]:
        """Returns the fields as JSON can hold them."""
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
