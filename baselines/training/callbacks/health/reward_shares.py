"""Which terms earn the reward during training, and an alarm if it is farmed."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console

from baselines.training.callbacks.health.diagnose_callback import NOT_AS_TEXT
from baselines.training.callbacks.rollout_callback import RolloutCallback
from rewards import key_name
from rewards.shares.shares import WINDOW, Alarm, AlarmRule, ShareReport, Shares


class RewardShareCallback(RolloutCallback):
    """Reports how much of the reward each term pays, for which keys, and warns of farming.

    Once per rollout it collects the games' earnings. `reward_share/<term>` is a term's share
    of all reward in the window, 0 to 1; `reward_share/alarm` is 1 while the alarm is raised. Once a
    window, and whenever the alarm begins, the keys that paid most go to tensorboard as the text
    `reward_share/keys` and in a line to the console.

    Args:
        terms: the reward's terms.
        rule: when the alarm is raised.
        window: steps of all games together that a share is taken over.
        console: the output; None: this process's own.
    """

    def __init__(
        self,
        terms: Sequence[str],
        rule: AlarmRule | None = None,
        window: int = WINDOW,
        console: Console | None = None,
    ) -> None:
        super().__init__()
        self.terms = tuple(terms)
        self._shares = Shares(terms, window)
        self._rule = rule or AlarmRule()
        self._window = window
        self._console = console or Console()
        self._said_at: int | None = None  # env steps
        self.alarm: Alarm | None = None

    def get_state(self) -> dict[str, Any]:
        """Returns the window of the shares, as plain values."""
        return {"shares": self._shares.get_state(), "said_at": self._said_at}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` returned, before the training starts."""
        self._shares.set_state(state["shares"])
        self._said_at = state["said_at"]
        self.alarm = self._shares.report().alarm(self._rule)

    def _on_training_start(self) -> None:
        if self._said_at is None:
            self._said_at = self.num_timesteps

    def _on_rollout_end(self) -> None:
        for earned in self.training_env.env_method("take_earnings"):
            self._shares.add_earned(earned)
        report = self._shares.report()
        was, self.alarm = self.alarm, report.alarm(self._rule)
        for term, share in report.shares.items():
            self.logger.record(f"reward_share/{term}", share)
        self.logger.record("reward_share/alarm", int(self.alarm is not None))
        begins = self.alarm is not None and was is None
        if begins or self.num_timesteps - (self._said_at or 0) >= self._window:
            self._say(report)
        if was is not None and self.alarm is None:
            self._print("over: most of the reward was not for milestones", "green")

    def _say(self, report: ShareReport) -> None:
        self._said_at = self.num_timesteps
        self.logger.record("reward_share/keys", table(report, self.alarm), exclude=NOT_AS_TEXT)
        self._print(str(report), "none")
        if self.alarm is not None:
            self._print(f"warning: {self.alarm}", "bold red")

    def _print(self, text: str, style: str) -> None:
        self._console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)


def table(report: ShareReport, alarm: Alarm | None) -> str:
    """Returns the keys that paid most as a table in Markdown, below the alarm if there is one."""
    lines = [
        *([f"**{alarm}**", ""] if alarm is not None else []),
        f"The {report.steps:,} steps before:",
        "",
        "| term | key | paid |",
        "|---|---|---|",
        *(f"| {p.term} | {key_name(p.term, p.key)} | {p.amount:.4g} |" for p in report.top),
    ]
    return "\n".join(lines)
