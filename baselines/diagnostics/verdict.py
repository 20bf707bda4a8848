"""What a rule says of one update, by the limits of its finding."""

from dataclasses import dataclass

from baselines.diagnostics.finding import Severity
from baselines.diagnostics.thresholds import THRESHOLDS


@dataclass(frozen=True, slots=True)
class Verdict:
    """How bad it is, and the numbers that say so."""

    severity: Severity
    evidence: str
    at_once: bool = False  # needs no patience: a single update is proof enough
    remedy: str | None = None  # what to do first, where the numbers themselves say it


def above(code: str, value: float) -> Severity | None:
    """Returns how bad a value is where large ones are bad, None where it is not."""
    limits = THRESHOLDS[code]
    if limits.critical is not None and value > limits.critical:
        return Severity.CRITICAL
    return Severity.WARNING if value > limits.warn else None


def below(code: str, value: float) -> Severity | None:
    """Returns how bad a value is where small ones are bad, None where it is not."""
    limits = THRESHOLDS[code]
    if limits.critical is not None and value < limits.critical:
        return Severity.CRITICAL
    return Severity.WARNING if value < limits.warn else None


def judged(severity: Severity | None, evidence: str) -> Verdict | None:
    """Returns the verdict, None where nothing is wrong."""
    return None if severity is None else Verdict(severity, evidence)
