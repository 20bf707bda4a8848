"""What to change after a finding, with values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from baselines.diagnostics import metrics as m
from baselines.diagnostics.history import History

JUMP = 2.0  # a setting that changes by this factor between two updates counts as changed
JUMP_UPDATES = 10  # before a finding began; a change then is the likeliest cause
# A value loss above this means returns of a hundred or more: too large for the usual settings.
LARGE_LOSS = 1e4
MIN_FACTOR, MAX_FACTOR = 0.1, 100.0


@dataclass(frozen=True, slots=True)
class Change:
    """Advice to change one setting by a factor, or to a value."""

    setting: str
    factor: float | None = None
    to: float | None = None
    why: str = ""
    least: float = 0.0  # lower bound of the new value
    whole: bool = False  # a count, rounded to at least 1
    follows_excess: bool = False  # the more the limit is exceeded, the larger the change

    def text(self, settings: Mapping[str, float | None], excess: float = 1.0) -> str | None:
        """Returns the advice, with values if the setting's current one is known.

        None if the setting already has the advised value.
        """
        now = settings.get(self.setting)
        reason = f" ({self.why})" if self.why else ""
        change = self._scaled(excess)
        new = change._new(now)
        if new is None:
            return f"{change._verb()} {self.setting}{reason}"
        if now is None:
            return f"set {self.setting}: {_number(new)}{reason}"
        if new == now:
            return None
        return f"{change._verb(now)} {self.setting}: {_number(now)} -> {_number(new)}{reason}"

    def _scaled(self, excess: float) -> "Change":
        """Returns the change for a limit that is exceeded `excess` times.

        The KL divergence of an update grows with the square of its step, hence the root.
        """
        if not self.follows_excess or self.factor is None:
            return self
        root = max(excess, 1.0) ** 0.5
        if self.factor < 1:
            return replace(self, factor=max(MIN_FACTOR, min(self.factor, 1 / root)))
        return replace(self, factor=min(MAX_FACTOR, max(self.factor, root)))

    def _new(self, now: float | None) -> float | None:
        if self.to is not None:
            return self.to
        if now is None or self.factor is None:
            return None
        new = max(now * self.factor, self.least)
        return max(1, round(new)) if self.whole else new

    def _verb(self, now: float | None = None) -> str:
        if self.factor is None or (now is not None and now <= 0):
            return "set"
        return {0.5: "halve", 2.0: "double"}.get(
            self.factor, "raise" if self.factor > 1 else "lower"
        )


# A function of the run returns None if its remedy does not apply.
Remedy = Change | str | Callable[[History], "Change | str | None"]

HALVE_RATE = Change("learning_rate", 0.5)
MORE_ENTROPY = Change("ent_coef", 2.0, least=0.01)
GO_BACK = "go back to the last checkpoint before this"
CHECK_REWARD = "look at the reward's parts (reward/*): which one changed when this began?"


def what_changed(history: History, since: int) -> str | None:
    """Returns the logged setting that jumped shortly before a finding began, None if none did."""
    for name in (m.LEARNING_RATE, m.CLIP_RANGE):
        steps, values = history.steps(name), history.all(name)
        near = np.flatnonzero(steps <= since)
        last = int(near[-1]) + 1 if len(near) else 0
        for index in range(last, max(0, last - JUMP_UPDATES), -1):
            if index >= len(values):
                continue
            before, after = float(values[index - 1]), float(values[index])
            if before > 0 and not 1 / JUMP < after / before < JUMP:
                setting = name.removeprefix("train/")
                return (
                    f"undo what changed at step {int(steps[index]):,}: {setting} "
                    f"{_number(before)} -> {_number(after)}"
                )
    return None


def reward_scale(history: History) -> str | None:
    """Returns advice on rewards that are far too large for the usual settings."""
    losses = history.last(m.VALUE_LOSS, 1)
    if not len(losses) or losses[0] < LARGE_LOSS:
        return None
    return (
        "bring rewards to the size of 1 first (VecNormalize, or smaller weights): the value loss "
        f"is {_number(float(losses[0]))}, so returns are off by about "
        f"{_number(float(losses[0]) ** 0.5)}"
    )


def advise(remedies: tuple[Remedy, ...], history: History, excess: float = 1.0) -> tuple[str, ...]:
    """Returns the remedies that apply as text, with values for this run."""
    settings = live_settings(history)
    texts = []
    for remedy in remedies:
        found = remedy if isinstance(remedy, str | Change) else remedy(history)
        text = found.text(settings, excess) if isinstance(found, Change) else found
        if text is not None and text not in texts:
            texts.append(text)
    return tuple(texts)


def live_settings(history: History) -> dict[str, float | None]:
    """Returns a run's settings, with the current values of those that may change."""
    logged = {"learning_rate": m.LEARNING_RATE, "clip_range": m.CLIP_RANGE}
    now = {name: history.last(metric, 1) for name, metric in logged.items()}
    return history.settings | {name: float(v[0]) for name, v in now.items() if len(v)}


def _number(value: float) -> str:
    return f"{value:.3g}"
