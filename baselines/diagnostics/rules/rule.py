"""A rule: one row of the table of findings."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from baselines.diagnostics.finding import Cause, Severity
from baselines.diagnostics.history import LOSING, History
from baselines.diagnostics.scores.progress import State

OURS = "recorded runs"
Settings = Mapping[str, float | None]
Limit = float | Callable[[Settings], float]  # of the run's settings
ALWAYS = frozenset(State)
UNLESS_RISING = ALWAYS - {State.RISING}
NOT_LEARNING = frozenset({State.FLAT, *LOSING})


class Reading(NamedTuple):
    """What a rule measures in one update."""

    value: float
    evidence: str
    at_once: bool = False  # a single update is proof enough


class Verdict(NamedTuple):
    """A rule's verdict on one update."""

    severity: Severity
    evidence: str
    at_once: bool = False


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One finding.

    Attributes:
        code: its name.
        read: what it measures; None if there is nothing to measure.
        needs: the required metrics; alternatives are joined by "|".
        measure: what `read` measures, in words.
        warn: the limit for a warning.
        critical: the limit beyond which the run is being lost; None: this alone never shows it.
            Only a run whose score falls, or is below its start, is being lost.
        stays: once reported, it remains up to this limit; None: the same limit.
        below: whether the value must be below the limits, rather than above.
        patience: consecutive updates for which it must hold before it is reported.
        in_episodes: whether it must hold for the latest `WINDOW` episodes instead; `patience` is
            that of a run without known episodes.
        speaks: the states of progress in which it is reported.
        noted: whether it is a note in the other states.
        cause: what it votes for; a function where the numbers decide.
        lost_at_once: whether `critical` does not wait for the score to fall.
        source: where the limits come from.
        meaning: one plain sentence.
    """

    code: str
    read: Callable[[History], Reading | None]
    needs: tuple[str, ...]
    measure: str
    warn: Limit
    critical: float | None = None
    stays: Limit | None = None
    below: bool = False
    patience: int
    in_episodes: bool = False
    speaks: frozenset[State] = NOT_LEARNING
    noted: bool = False
    cause: Cause | Callable[[History], Cause]
    lost_at_once: bool = False
    source: str = OURS
    meaning: str

    def judge(self, history: History, said: bool = False) -> Verdict | None:
        """Returns the verdict on the newest update, None if nothing is wrong.

        Args:
            history: the numbers up to this update.
            said: whether the finding was reported before and is not over yet.
        """
        state = history.state
        if state not in self.speaks and not self.noted:
            return None
        reading = self.read(history)
        if reading is None:
            return None
        number = self.limit(history.settings, said)
        if not self._beyond(reading.value, number):
            return None
        severity = Severity.WARNING if state in self.speaks else Severity.NOTE
        losing = state in LOSING or self.lost_at_once
        if self.critical is not None and losing and self._beyond(reading.value, self.critical):
            severity = Severity.CRITICAL
        return Verdict(severity, reading.evidence, reading.at_once)

    def limit(self, settings: Settings, said: bool = False) -> float:
        """Returns the limit for a warning with a run's settings; `said`: to remain one."""
        limit = self.stays if said and self.stays is not None else self.warn
        return limit(settings) if callable(limit) else limit

    def _beyond(self, value: float, limit: float) -> bool:
        return value < limit if self.below else value > limit
