"""What a diagnosis says."""

import enum
from dataclasses import asdict, dataclass
from typing import Any


class Severity(enum.IntEnum):
    """How bad a finding is; the number is the exit status of `diagnose.py` for a run with it."""

    NOTE = 0  # worth knowing, nothing is wrong
    WARNING = 1  # something is wrong; the run may still recover
    CRITICAL = 2  # the run is lost, or is being lost now


class Cause(enum.Enum):
    """Causes, in the order in which they are looked into.

    A game that is broken for sure comes before a setting that changed on the way, that before a
    setting that was wrong from the start, and waiting comes last.
    """

    NUMBERS = "a number is not finite"
    GAME = "the game, its observation or its reward is broken"
    SETTING = "a setting has an impossible value"
    STEP_TOO_LARGE = "the updates are too large"
    STEP_TOO_SMALL = "the updates are too small"
    TOO_SURE = "the policy has stopped trying things"
    TOO_RANDOM = "the policy is paid for being random"
    CRITIC = "the value function predicts nothing"
    MACHINE = "the machine is slower than before"
    LOOK = "the numbers do not tell"
    WAIT = "the reward has not been met yet"


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


class CollapseError(RuntimeError):
    """The run has collapsed; more updates would only destroy what it has learnt."""
