"""Diagnoses a run while it trains, and acts on a collapse."""

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from typing import Any, Literal

from rich.console import Console
from rich.markup import escape
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback

from baselines.diagnostics import NOT_FINITE, Diagnosis, Finding, Severity
from baselines.diagnostics.finding import CollapseError
from baselines.diagnostics.history import EndedEpisode
from baselines.diagnostics.metrics import APPROX_KL, ENTROPY_SHARE
from baselines.diagnostics.rules.policy_rules import KL_BURST, own_kl
from baselines.learner.schedules import LinearSchedule
from baselines.runs.alert import ALERT
from baselines.runs.json_lines import append_lines
from baselines.runs.log_lines import DiagnosisLine
from baselines.runs.run_health import is_rollback
from baselines.training.callbacks.health.health_metrics import HealthMetrics
from emerald_env.files.atomic import WriteWarning
from emerald_env.files.data import JsonLines

OnCollapse = Literal["warn", "stop", "lower_lr", "rollback"]
# Goes back to the last checkpoint from before an env step; raises FileNotFoundError without one.
Rollback = Callable[[int], None]
SETTINGS = (
    "batch_size",
    "ent_coef",
    "gae_lambda",
    "gamma",
    "max_grad_norm",
    "n_envs",
    "n_epochs",
    "n_steps",
    "target_kl",
    "vf_coef",
)
RATE_FACTOR = 0.5
MIN_FACTOR = 0.1
DEAD_ENTROPY = 0.05  # share of its maximum: such a policy never moves again by itself
GOOD_KL = 0.02  # an update's divergence grows with the square of the learning rate
MAX_RESCUES = 3  # after this many, a run that still collapses is ended
REST_UPDATES = 10  # between two rescues: the first must have time to work
KEEP_UPDATES = 10  # between two copies of a healthy policy
COLOURS = {Severity.NOTE: "cyan", Severity.WARNING: "yellow", Severity.CRITICAL: "bold red"}
# tensorboard shows a text; for SB3's tables on a terminal it would be too wide
NOT_AS_TEXT = ("stdout", "log", "json", "csv")
ONLY_TO_WANDB = (*NOT_AS_TEXT, "tensorboard")


@dataclass
class ScaledSchedule:
    """A schedule of SB3's, times a factor."""

    schedule: Callable[[float], float]
    factor: float

    def __call__(self, progress_remaining: float) -> float:
        """Returns the value at a progress from 1 (start) to 0 (end)."""
        return self.factor * self.schedule(progress_remaining)


class DiagnoseCallback(BaseCallback):
    """Diagnoses each update as soon as it is over.

    It writes `diagnostics/*` to the logger (each metric, a curve of the severity for each finding
    ever reported, the findings as text), a line per update to `diagnostics.jsonl`, and
    prints a finding when it begins, when it gets worse and when it is over.

    It must come after callbacks that log numbers of the rollout (reward terms, speed) and before
    those that save checkpoints.

    Args:
        path: the JSON lines; None: none are written.
        on_collapse: what to do while a finding is critical. "warn" only says so; "stop" ends
            `learn`; "lower_lr" lowers the learning rate, at least by half; "rollback" returns to
            an earlier policy and lowers the learning rate. If it stays critical for ten more
            updates, the same is done again; after three such rescues the run ends.
        rollback: how to go back; needed for "rollback".
        alert: called with a text when a warning or a critical finding begins or gets worse, and
            with what is done about it.
        keep: keeps a copy of the policy, for `rollback` to return to; called at the start, also of
            a resume, and every ten updates, while nothing is wrong.
        console: where findings are printed; None: this process's output.

    Raises:
        CollapseError: while training, unless `on_collapse` is "warn": rewards are NaN (raised
            before anything is learnt from them), or the weights are NaN and cannot be restored.
    """

    model: PPO

    def __init__(
        self,
        path: Path | None = None,
        on_collapse: OnCollapse = "warn",
        rollback: Rollback | None = None,
        console: Console | None = None,
        keep: Callable[[], None] | None = None,
        alert: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__()
        if on_collapse == "rollback" and rollback is None:
            raise ValueError('on_collapse "rollback" needs the function that goes back')
        self._path = path
        self._on_collapse = on_collapse
        self._go_back = rollback
        self._keep = keep
        self._alert = alert or (lambda text: None)
        self._kept_ago = 0
        self._reward = -math.inf  # at the last rescue, and at its best since
        self.ended: Finding | None = None  # for which the run was ended
        self._console = console or Console()
        self._rescues = self._rested = 0
        self._row: dict[str, float] = {}
        self._stop = False
        self._moves: dict[str, Any] | None = None  # of the resumed run
        self._warning = WriteWarning("the diagnostics")
        self.diagnosis = Diagnosis()

    def _on_training_start(self) -> None:
        self._health = HealthMetrics(self.model)
        if self._moves is not None:
            self._health.moves.set_state(self._moves)
        self._start_afresh()
        if self._path is not None and self.num_timesteps:
            self._remember(self._path)
        if self.diagnosis.status is Severity.NOTE:  # else an earlier copy is better
            self._keep_copy()

    def get_state(self) -> dict[str, Any]:
        """Returns, while training, what is not in the JSON lines: what moves the policy."""
        return self._health.moves.get_state()

    def set_state(self, state: dict[str, Any]) -> None:
        """Restores what `get_state` returned, before the training starts."""
        self._moves = state

    def _remember(self, path: Path) -> None:
        """Continues from what the resumed run has written; earlier findings are not repeated."""
        factors: list[tuple[float, bool]] = []  # of rescues; whether of the rate that is set now
        for record in JsonLines(path, DiagnosisLine):
            if "metrics" in record:
                episodes = [EndedEpisode(*numbers) for numbers in record.get("episodes", ())]
                self.diagnosis.add(record["num_timesteps"], record["metrics"], episodes)
                self._rested += 1
                if self._rescues and any(map(self._does_harm, self.diagnosis.active)):
                    self._waits()
            elif record.get("action") == "lower_lr":
                self._note_reward()
                same = record.get("learning_rate", self._set_rate) == self._set_rate
                factors.append((record.get("factor", RATE_FACTOR), same))
                self._rescues, self._rested = self._rescues + 1, 0
            elif is_rollback(record):
                self._note_reward()
                self._start_afresh(record["num_timesteps"])
        if factors:
            self._lower_again(factors)

    def _lower_again(self, factors: list[tuple[float, bool]]) -> None:
        """Lowers the learning rate as earlier rescues did, unless another one is set since."""
        kept = [factor for factor, same in factors if same]
        for factor in kept:  # one after the other, as they were rounded then
            self.model.lr_schedule = ScaledSchedule(self.model.lr_schedule, factor)
        if kept:
            self._announce(
                f"earlier rescues lower the learning rate to {math.prod(kept):.3g} of it"
            )
        else:
            self._announce(
                "earlier rescues lowered another learning rate: this one is as it is set"
            )

    @property
    def _set_rate(self) -> float | None:
        """The learning rate of the run's settings, None where it is a function of another kind."""
        rate = self.model.learning_rate
        rate = rate.start if isinstance(rate, LinearSchedule) else rate
        return float(rate) if isinstance(rate, Real) else None

    def _start_afresh(self, start: int = 0) -> None:
        n_actions = getattr(self.model.action_space, "n", None)
        settings = {name: getattr(self.model, name, None) for name in SETTINGS}
        self._episodes: list[EndedEpisode] = []
        self.diagnosis = Diagnosis(None if n_actions is None else int(n_actions), settings, start)

    def _on_step(self) -> bool:
        for game in self.locals["dones"].nonzero()[0]:
            info = self.locals["infos"][game]
            if "episode" in info:  # none of a practice episode, or where its process died
                milestones = len(info["milestones"]) if "milestones" in info else math.nan
                episode = EndedEpisode(info["episode"]["r"], info["episode"]["l"], milestones)
                self._episodes.append(EndedEpisode(*map(float, episode)))
        return not self._stop

    def _on_rollout_end(self) -> None:
        # train/* are still those of the update before; this rollout's update comes now
        logged = self._logged()
        self._row = {
            k: v for k, v in logged.items() if not k.startswith(("train/", "diagnostics/"))
        }
        self._row |= self._health.rollout()
        if self._row[NOT_FINITE] and self._on_collapse != "warn":
            self._judge()
            raise CollapseError(
                f"{self._row[NOT_FINITE]:.0f} value targets of this rollout are NaN or infinite: "
                "the env's rewards or the value network are. Nothing was learnt from them; see "
                "that rewards and observations are finite"
            )

    def _on_rollout_start(self) -> None:
        self._finish_update()

    def _on_training_end(self) -> None:
        self._finish_update()
        self._announce(self.diagnosis.verdict)

    def check_end(self) -> None:
        """Reports at the end of a run that it has collapsed, unless `on_collapse` is "warn".

        Raises:
            CollapseError: the run was ended, or it ended with a policy that is not healthy.
        """
        critical = [f for f in self.diagnosis.active if self._does_harm(f)]
        if self.ended is not None:
            raise CollapseError(f"the run was ended: {self.ended.code}, {self.ended.evidence}")
        if critical and self._on_collapse != "warn":
            found = "; ".join(f"{f.code}, {f.evidence}" for f in critical)
            raise CollapseError(f"the policy has collapsed and was not saved in time: {found}")

    def _finish_update(self) -> None:
        """Judges the update that is over, if there was one since the last call."""
        if not self._row:
            return
        trained = {k: v for k, v in self._logged().items() if k.startswith("train/")}
        self._row |= trained | self._health.update(trained.get(APPROX_KL))
        self._judge()
        self._row = {}
        self._rested += 1
        self._kept_ago += 1
        harmful = [f for f in self.diagnosis.active if self._does_harm(f)]
        if harmful and self._on_collapse != "warn":
            self._rescue(harmful[0])
        elif self.diagnosis.status is Severity.NOTE and self._kept_ago >= KEEP_UPDATES:
            self._keep_copy()

    def _does_harm(self, finding: Finding) -> bool:
        """Whether to act: the run is being lost, its policy is being replaced, or is dead."""
        if finding.severity is not Severity.WARNING:
            return finding.severity is Severity.CRITICAL
        certain = self.diagnosis.history.row.get(ENTROPY_SHARE, 1.0) < DEAD_ENTROPY
        dead = certain and finding.code == "entropy_collapse"
        return dead or (self._row_kl > KL_BURST and finding.code == "kl_blow_up")

    @property
    def _row_kl(self) -> float:
        history = self.diagnosis.history
        recent = history.last(own_kl(history), 1)
        return float(recent[0]) if len(recent) else 0.0

    def _keep_copy(self) -> None:
        if self._keep is not None and self._on_collapse == "rollback":
            with self._warning:
                self._keep()
            self._kept_ago = 0

    def _logged(self) -> dict[str, float]:
        values = self.logger.name_to_value.items()
        return {name: float(value) for name, value in values if isinstance(value, Real)}

    def _judge(self) -> list[Finding]:
        episodes, self._episodes = self._episodes, []
        changed = self.diagnosis.add(self.num_timesteps, self._row, episodes)
        for finding in changed:
            self._print(finding)
        self._log(changed)
        row = self.diagnosis.history.row
        self._write(
            {
                "metrics": row,
                "episodes": episodes,
                "findings": [finding.as_dict() for finding in changed],
                "lacking": self.diagnosis.lacking,
            }
        )
        return changed

    def _log(self, changed: list[Finding]) -> None:
        for name, value in self.diagnosis.history.row.items():
            if name.startswith("diagnostics/"):
                self.logger.record(name, value)
        now = dict.fromkeys((finding.code for finding in self.diagnosis.findings), 0)
        now |= {finding.code: 1 + int(finding.severity) for finding in self.diagnosis.active}
        for code, severity in now.items():
            self.logger.record(f"diagnostics/finding/{code}", severity)
        self.logger.record("diagnostics/status", int(self.diagnosis.status))
        if changed:
            text = "\n\n".join(words(finding, self.num_timesteps) for finding in changed)
            self.logger.record("diagnostics/report", text, exclude=NOT_AS_TEXT)

    def _write(self, record: dict[str, Any]) -> None:
        if self._path is not None:
            with self._warning:
                line = json.dumps({"num_timesteps": self.num_timesteps, **record})
                append_lines(self._path, [line])

    def _print(self, finding: Finding) -> None:
        colour = COLOURS[finding.severity]
        line = one_line(finding, self.num_timesteps)
        if finding.until is not None:
            # small updates are no recovery if the policy is dead
            left = [other.code for other in self.diagnosis.active if other.severity]
            line += f"; still: {', '.join(left)}" if left else ""
            colour = COLOURS[self.diagnosis.status] if left else "green"
        if self._console.is_terminal:
            line = fitted(line, self._console.width)
        self._console.print(f"[{colour}]{escape(line)}[/]", highlight=False, soft_wrap=True)
        if finding.until is None and finding.severity:
            self._tell(words(finding, self.num_timesteps))

    def _tell(self, text: str) -> None:
        """Tells somebody who is away, Weights & Biases with the next numbers that are logged."""
        self._alert(text)
        before = self.logger.name_to_value.get(ALERT)
        all_of_it = text if before is None else f"{before}\n\n{text}"
        self.logger.record(ALERT, all_of_it, exclude=ONLY_TO_WANDB)

    def _rescue(self, finding: Finding) -> None:
        """Acts on a collapse, and once more if that did not help."""
        if self._waits():
            return
        self._note_reward()
        self._rescues += 1
        self._rested = 0
        if self._on_collapse == "stop" or self._rescues > MAX_RESCUES:
            self._end_run(finding)
            return
        factor = self._rate_factor()
        if self._on_collapse == "rollback":
            self._roll_back(finding)
        self.model.lr_schedule = ScaledSchedule(self.model.lr_schedule, factor)
        rate = self.model.lr_schedule(self.model._current_progress_remaining)
        record = {"action": "lower_lr", "to": rate, "factor": factor}
        if self._set_rate is not None:
            record["learning_rate"] = self._set_rate
        self._say(f"lowered the learning rate to {rate:.3g}", record)

    def _waits(self) -> bool:
        """Whether the last rescue must have more time: the reward rises, or it was just now."""
        if not self._rescues:
            return False
        if self._rested >= REST_UPDATES:
            far = self.diagnosis.history.progress
            if far is None or far.now <= self._reward:
                return False
            self._reward, self._rested = far.now, 0
        return True

    def _note_reward(self) -> None:
        if (far := self.diagnosis.history.progress) is not None:
            self._reward = far.now

    def _rate_factor(self) -> float:
        """Returns the learning rate's factor: the larger the updates, the smaller."""
        return min(RATE_FACTOR, max(MIN_FACTOR, math.sqrt(GOOD_KL / max(self._row_kl, 1e-9))))

    def _end_run(self, finding: Finding) -> None:
        self._say(f"ending the run: {finding.code}", {"action": "stop", "code": finding.code})
        self._stop, self.ended = True, finding
        if finding.code == "not_a_number":
            raise CollapseError(f"{finding.evidence}: the network is lost and cannot act any more")

    def _roll_back(self, finding: Finding) -> None:
        # a warning may have been there for long without harm
        harmful = (f for f in self.diagnosis.active if self._does_harm(f))
        before = min(found.since for found in harmful)
        assert self._go_back is not None
        try:
            self._go_back(before)
        except FileNotFoundError as error:
            self._say(f"cannot go back: {error}", {"action": "rollback", "failed": str(error)})
            if finding.code == "not_a_number":
                raise CollapseError(
                    f"{finding.evidence}, and no checkpoint to return to"
                ) from error
            return
        self._say(f"went back to before step {before:,}", {"action": "rollback", "before": before})
        self._start_afresh(self.num_timesteps)

    def _announce(self, text: str) -> None:
        line = f"diagnostics: {text}"
        self._console.print(line, style="bold", markup=False, highlight=False, soft_wrap=True)

    def _say(self, text: str, record: dict[str, Any]) -> None:
        self._announce(text)
        self._tell(f"diagnostics: {text}")
        self._write(record)


def one_line(finding: Finding, step: int) -> str:
    """Returns what the console says about a finding at a step."""
    if finding.until is not None:
        return f"over: {finding.code}, from step {finding.since:,} to {finding.until:,}"
    name = finding.severity.name.lower()
    if finding.said < step:
        return f"now {name}: {finding.code}, {finding.evidence}"
    first = f"; {finding.advice[0]}" if finding.advice else ""
    return f"{name}: {finding.code}, {finding.evidence}{first}"


def fitted(line: str, width: int) -> str:
    """Returns a line of a terminal without the reason of its advice, or cut off, if it is long."""
    short = re.sub(r" \([^()]*\)$", "", line) if len(line) > width else line
    return short if len(short) <= width else f"{short[: width - 1]}…"


def words(finding: Finding, step: int) -> str:
    """Returns all there is to say about a finding at a step, in lines."""
    lines = [one_line(finding, step)]
    if finding.until is None and finding.said >= step and finding.severity is not Severity.NOTE:
        lines += [f"  {finding.meaning}", *(f"  - {advice}" for advice in finding.advice)]
    return "\n".join(lines)
