"""Turns a training run's numbers into findings: what is wrong, since when, what to change.

It is independent of SB3 and of any game, and needs only numpy and scipy:

    diagnosis = Diagnosis(n_actions=15, settings={"learning_rate": 3e-4})
    for step, numbers in enumerate_updates():       # SB3's names: train/approx_kl, ...
        for finding in diagnosis.add(step, numbers):
            print(finding.code, finding.evidence, finding.advice)
"""

from baselines.diagnostics.diagnosis import Diagnosis, worst_first
from baselines.diagnostics.finding import Finding, Severity
from baselines.diagnostics.metrics import (
    EPISODE_LENGTH,
    EPISODE_REWARD,
    EXPLAINED_RETURNS,
    GRADIENT_NORM,
    NOT_FINITE,
    PLACE_SHARE,
    STEPS_PER_SECOND,
    STILL_SHARE,
    TOP_ACTION_SHARE,
)
from baselines.diagnostics.rules import RULES
from baselines.diagnostics.rules.rule import Rule

__all__ = [
    "EPISODE_LENGTH",
    "EPISODE_REWARD",
    "EXPLAINED_RETURNS",
    "GRADIENT_NORM",
    "NOT_FINITE",
    "PLACE_SHARE",
    "RULES",
    "STEPS_PER_SECOND",
    "STILL_SHARE",
    "TOP_ACTION_SHARE",
    "Diagnosis",
    "Finding",
    "Rule",
    "Severity",
    "worst_first",
]
