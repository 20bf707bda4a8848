"""Follows one training run update by update, and reports findings that begin and end."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from baselines.diagnostics import metrics as m
from baselines.diagnostics.advice import Remedy, advise
from baselines.diagnostics.finding import Cause, Finding, Severity
from baselines.diagnostics.history import TRUST, EndedEpisode, History
from baselines.diagnostics.rules import RULES
from baselines.diagnostics.rules.rule import Verdict
from baselines.diagnostics.scores.progress import State

Settings = Mapping[str, float | None]
SLOPE_UPDATES = 5
OVER = 5  # consecutive updates without it after which a finding is over


@dataclass
class _Course:
    """One rule's recent verdicts."""

    held: int = 0  # consecutive updates with a verdict
    held_critical: int = 0  # consecutive updates with the worst one
    gone: int = 0  # consecutive updates without
    since: int = 0  # env steps at which it began to hold
    open_index: int | None = None  # of its finding, while there is one


class Diagnosis:
    """Judges a run as its numbers arrive.

    Args:
        n_actions: the number of actions; None: estimated from the largest entropy so far. It does
            not matter if actions are continuous (`train/std` is logged): their entropy has no
            maximum, and rules that need its share are skipped, as they are with a single action.
        settings: the run's settings, by SB3's names: limits follow from them, and advice gives
            values.
        start: env steps before the first update, see `History`.
    """

    def __init__(
        self, n_actions: int | None = None, settings: Settings | None = None, start: int = 0
    ) -> None:
        self.n_actions = n_actions
        self.n_actions_guessed = n_actions is None
        self.history = History(settings, start)
        self.findings: list[Finding] = []  # in the order in which they were reported
        self._courses = {code: _Course() for code in RULES}
        self._continuous = False

    def afresh(self, step: int) -> "Diagnosis":
        """Ends all findings; returns the diagnosis of what follows, to which they are handed on.

        Args:
            step: env steps at which the run went back to an earlier policy.
        """
        for course in self._courses.values():
            self._end(course)
        new = Diagnosis(self.n_actions, self.history.settings, step)
        new.n_actions_guessed, new._continuous = self.n_actions_guessed, self._continuous
        new.findings = self.findings
        return new

    def add(
        self, step: int, metrics: Mapping[str, float], episodes: Iterable[EndedEpisode] = ()
    ) -> list[Finding]:
        """Takes one update's numbers.

        Args:
            step: env steps so far.
            metrics: numbers by SB3's names and those of `metrics.py`; any may be missing.
            episodes: those that ended since the last update, if they are known one by one.

        Returns:
            The findings that began, changed their severity, or ended with this update.
        """
        self.history.add(step, {**metrics, **self._derived(metrics)}, episodes)
        changed = []
        for code, rule in RULES.items():
            said = self._courses[code].open_index is not None
            finding = self._follow(code, rule.judge(self.history, said))
            if finding is not None:
                changed.append(finding)
        return [self._advised(finding) for finding in changed]

    @property
    def active(self) -> list[Finding]:
        """The open findings, worst first."""
        return worst_first(finding for finding in self.findings if finding.until is None)

    @property
    def status(self) -> Severity:
        """The run's status: the worst severity of the open findings."""
        return max((finding.severity for finding in self.active), default=Severity.NOTE)

    @property
    def advice(self) -> tuple[Remedy, ...]:
        """What to do about the run as it is now, best first; empty if nothing is wrong."""
        wrong = [finding for finding in self.active if finding.severity > Severity.NOTE]
        return advise(self.history, [(self._cause(f.code), f.severity) for f in wrong], wrong)

    def _cause(self, code: str) -> Cause:
        cause = RULES[code].cause
        return cause if isinstance(cause, Cause) else cause(self.history)

    @property
    def lacking(self) -> str | None:
        """What is missing for a verdict on a run without findings, None if nothing is."""
        scores = self.history.scores
        if not any(len(score) for score in scores.values()):
            return f"no episode has ended yet (no {m.EPISODE_REWARD} in the log)"
        if self.history.trusted is None:
            most = max(int(score.counts.sum()) for score in scores.values())
            return f"only about {most:,} episodes"
        name, far = self.history.trusted
        if far.state is State.UNKNOWN:
            return f"whether the score {name!r} rises cannot be told yet: {far}"
        return None

    @property
    def verdict(self) -> str:
        """The run's status in a few words."""
        named = {f.code: f.severity for f in reversed(self.active) if f.severity > Severity.NOTE}
        codes = ", ".join(reversed(named))
        if self.status is Severity.NOTE:
            return f"too little to judge: {self.lacking}" if self.lacking else "healthy"
        return f"{'collapsed' if self.status is Severity.CRITICAL else 'warnings'}: {codes}"

    @property
    def not_judged(self) -> dict[str, tuple[str, ...]]:
        """The findings that could not be judged, and the metrics that were missing for each."""
        there = self.history.names | self.history.row.keys()
        if any(len(self.history.scores[name]) for name in TRUST):
            there |= {m.EPISODE_REWARD}
        missing = {
            code: tuple(need for need in rule.needs if not _satisfied(need, there))
            for code, rule in RULES.items()
        }
        return {code: needs for code, needs in missing.items() if needs}

    def _derived(self, metrics: Mapping[str, float]) -> dict[str, float]:
        """Returns the entropy as a share of its maximum, and its rate of change."""
        self._continuous |= m.STD in metrics
        loss = metrics.get(m.ENTROPY_LOSS, math.nan)
        if not math.isfinite(loss):
            return {}
        if self.n_actions_guessed:
            first = self.history.all(m.ENTROPY_LOSS)[:1]
            self._continuous |= m.looks_continuous(first[0] if len(first) else loss, loss)
            self.n_actions = max(self.n_actions or 2, m.guess_n_actions(loss))
        if self._continuous or self.n_actions is None or self.n_actions < 2:
            return {}
        share = m.entropy_share(loss, self.n_actions)
        before = self.history.last(m.ENTROPY_SHARE, SLOPE_UPDATES)
        slope = {m.ENTROPY_SLOPE: (share - before[0]) / SLOPE_UPDATES} if len(before) else {}
        return {m.ENTROPY_SHARE: share, **slope}

    def _follow(self, code: str, verdict: Verdict | None) -> Finding | None:
        """Records a rule's verdict on this update; returns its finding if that changed."""
        course, rule = self._courses[code], RULES[code]
        if verdict is None:
            course.held = course.held_critical = 0
            course.gone += 1
            excused = self.history.state is State.RISING and State.RISING not in rule.speaks
            return self._end(course) if excused or course.gone >= OVER else None
        if not course.held and course.open_index is None:
            course.since = self.history.step
        course.gone = 0
        course.held += 1
        critical = verdict.severity is Severity.CRITICAL
        course.held_critical = course.held_critical + 1 if critical else 0
        patience = self.history.window(rule.patience) if rule.in_episodes else rule.patience
        if course.held < patience and not verdict.at_once:
            return None
        worst = critical and (verdict.at_once or course.held_critical >= patience)
        severity = verdict.severity if worst else min(verdict.severity, Severity.WARNING)
        return self._say(code, course, severity, verdict)

    def _say(
        self, code: str, course: _Course, severity: Severity, verdict: Verdict
    ) -> Finding | None:
        if course.open_index is not None:
            known = self.findings[course.open_index]
            now = replace(
                known,
                severity=severity,
                evidence=verdict.evidence,
                worst=max(severity, known.worst),
            )
            self.findings[course.open_index] = now
            return now if severity is not known.severity else None
        finding = Finding(
            code,
            severity,
            since=course.since,
            said=self.history.step,
            until=None,
            evidence=verdict.evidence,
            meaning=RULES[code].meaning,
            advice=(),
            worst=severity,
        )
        course.open_index = len(self.findings)
        self.findings.append(finding)
        return finding

    def _advised(self, finding: Finding) -> Finding:
        """Returns a finding that has just changed with the advice for the run as it is now."""
        if finding.severity is Severity.NOTE or finding.until is not None:
            return finding
        index = self._courses[finding.code].open_index
        assert index is not None
        advised = replace(finding, advice=tuple(advice.text for advice in self.advice))
        self.findings[index] = advised
        return advised

    def _end(self, course: _Course) -> Finding | None:
        if course.open_index is None:
            return None
        ended = replace(self.findings[course.open_index], until=self.history.step)
        self.findings[course.open_index] = ended
        course.open_index = None
        course.held = course.held_critical = 0
        return ended


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Returns findings by severity, worst first, then by their start."""
    return sorted(findings, key=lambda finding: (-finding.severity, finding.since))


def _satisfied(need: str, there: set[str]) -> bool:
    for name in need.split("|"):
        if name in there or (name.endswith("*") and any(n.startswith(name[:-1]) for n in there)):
            return True
    return False
