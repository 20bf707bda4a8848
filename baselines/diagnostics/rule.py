"""A rule: when a finding is reported, what it means, and what to do about it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from baselines.diagnostics.advice import Remedy
from baselines.diagnostics.finding import Severity
from baselines.diagnostics.history import History

OURS = "recorded runs"


class WhileLearning(Enum):
    """How a finding is treated while the reward is at its best, that is, while it does no harm."""

    AS_IT_IS = "said all the same"
    NOTE = "a note"
    SILENT = "not said"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A rule's verdict on one update: how bad it is, and the evidence."""

    severity: Severity
    evidence: str
    at_once: bool = False  # a single update is proof enough
    least: Severity = Severity.NOTE  # its severity even while the reward is at its best
    excess: float = 1.0  # how many times the limit is exceeded
    remedy: str | None = None  # what to do first, if the numbers themselves say it


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One finding.

    Attributes:
        code: its name.
        check: the verdict on the numbers up to this update; None if nothing is wrong.
        needs: the required metrics; alternatives are joined by "|".
        measure: what is compared with the limits.
        warn: the limit for a warning.
        critical: the limit beyond which the run is being lost; None if this alone never shows that.
        stays: once reported, it remains a warning up to this limit; None: the same limit.
        patience: consecutive updates for which it must hold before it is reported.
        source: where the limits come from.
        meaning: one plain sentence.
        advice: what to change, best first.
        while_learning: how it is treated while the reward is at its best.
    """

    code: str
    check: Callable[["Rule", History], Verdict | None]
    needs: tuple[str, ...]
    measure: str
    warn: float
    critical: float | None = None
    stays: float | None = None
    patience: int
    source: str = OURS
    meaning: str
    advice: tuple[Remedy, ...]
    while_learning: WhileLearning = WhileLearning.AS_IT_IS

    def judge(self, history: History, said: bool = False) -> Verdict | None:
        """Returns the verdict on the newest update, None if nothing is wrong.

        Args:
            history: the numbers up to this update.
            said: whether the finding was reported before and is not over yet.
        """
        limits = replace(self, warn=self.stays) if said and self.stays is not None else self
        verdict = self.check(limits, history)
        if verdict is None or self.while_learning is WhileLearning.AS_IT_IS:
            return verdict
        if not history.at_its_best:
            return verdict
        if self.while_learning is WhileLearning.SILENT:
            return None
        return replace(verdict, severity=verdict.least)

    def above(self, value: float, evidence: str) -> Verdict | None:
        """Returns the verdict on a value that should be small."""
        excess = value / self.warn if self.warn > 0 else 1.0
        if self.critical is not None and value > self.critical:
            return Verdict(Severity.CRITICAL, evidence, excess=excess)
        return Verdict(Severity.WARNING, evidence, excess=excess) if value > self.warn else None

    def below(self, value: float, evidence: str) -> Verdict | None:
        """Returns the verdict on a value that should be large."""
        excess = self.warn / value if value > 0 else 1.0
        if self.critical is not None and value < self.critical:
            return Verdict(Severity.CRITICAL, evidence, excess=excess)
        return Verdict(Severity.WARNING, evidence, excess=excess) if value < self.warn else None
