"""One list of advice for a run: findings vote for causes, and no setting is named twice."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from baselines.diagnostics import metrics as m
from baselines.diagnostics.finding import Cause, Finding
from baselines.diagnostics.history import History, median

JUMP = 3.0  # a setting that changes by this factor between two updates counts as changed
JUMP_UPDATES = 10  # before a finding began; a change then is the likeliest cause
# A value loss above this means returns of a hundred or more: too large for the usual settings.
LARGE_LOSS = 1e4
MOST = 5  # pieces of advice for a run
RATE, ENTROPY = 3e-4, 0.01  # what PPO usually learns with
HEALED = (50, 54)  # sick runs that setting what they were told to healed, of those tried so
# settings that may change
LIVE = {
    "learning_rate": m.LEARNING_RATE,
    "clip_range": m.CLIP_RANGE,
    "clip_range_vf": m.CLIP_RANGE_VF,
}


@dataclass(frozen=True, slots=True)
class Remedy:
    """One thing to do; if it is about a setting, its new value."""

    text: str
    setting: str | None = None
    value: float | None = None


# Returns a setting's new value from its present one, None if it is right.
Choose = Callable[[float], float | None]


@dataclass(frozen=True, slots=True)
class Change:
    """Remedy to change one setting."""

    setting: str
    usual: float | None  # to set where the present value is not known
    choose: Choose
    why: str

    def advice(self, settings: Mapping[str, float | None]) -> Remedy | None:
        """Returns the advice, None if the setting is right already."""
        now = settings.get(self.setting)
        new = self.usual if now is None else self.choose(now)
        if new is None or new == now:
            return None
        values = f"{new:.3g}" if now is None else f"{now:.3g} -> {new:.3g}"
        return Remedy(f"set {self.setting}: {values} ({self.why})", self.setting, new)


def _above(limit: float, new: float) -> Choose:
    return lambda now: new if now > limit else None


def _below(limit: float, new: float) -> Choose:
    return lambda now: new if now < limit else None


TEXTS: dict[Cause, tuple[str, ...]] = {
    Cause.NUMBERS: (
        "go back to the last checkpoint before this; its weights are lost",
        "find the number in the env (divide by zero, log of zero, an overflow): check "
        "observations and rewards with numpy.isfinite",
    ),
    Cause.GAME: ("watch the agent play: what holds it, or pays it for nothing?",),
    Cause.LOOK: (
        "watch the agent play: did the game, the observation or the reward change when this began?",
        "check that the observation shows what decides the reward, that actions do what they "
        "should, and that each reward follows the action that earned it",
        "run emerald probe: it tells a broken learner from a hard game",
    ),
    Cause.STEP_TOO_LARGE: ("go back to the last checkpoint before this",),
    Cause.TOO_SURE: ("go back to the last checkpoint before this",),
    Cause.CRITIC: ("check that the observation shows what decides the return",),
    Cause.MACHINE: (
        "check what else runs on the machine, and whether memory is short; compare "
        "time/rollout_seconds with time/update_seconds",
    ),
    Cause.WAIT: (
        "wait, if rewards are rare; pay for smaller steps on the way, or start episodes nearer to "
        "the goal: nothing can be learnt before a reward is met",
    ),
}
_HELD_BACK = (
    Change("max_grad_norm", 0.5, _below(0.1, 0.5), "less cuts gradients to nothing"),
    Change("clip_range", 0.2, _below(0.05, 0.2), "less keeps updates from changing anything"),
)
CHANGES: dict[Cause, tuple[Change, ...]] = {
    Cause.NUMBERS: (Change("max_grad_norm", None, _above(1, 0.5), "bounds each step"),),
    Cause.STEP_TOO_LARGE: (
        Change(
            "learning_rate",
            RATE,
            lambda now: RATE if now > RATE else now / 3,
            "updates replace the policy",
        ),
        Change("clip_range", None, _above(0.3, 0.2), "bounds an update"),
        Change("n_epochs", None, _above(20, 10), "each epoch moves the policy further"),
        Change("ent_coef", None, _below(0, ENTROPY), "below 0 it pays for being sure"),
        Change("target_kl", 0.02, _above(0.05, 0.02), "ends an update before it goes too far"),
    ),
    Cause.STEP_TOO_SMALL: (
        Change("learning_rate", RATE, _below(RATE / 3, RATE), "updates move nothing"),
        *_HELD_BACK,
    ),
    Cause.TOO_SURE: (
        Change("ent_coef", ENTROPY, lambda now: max(2 * now, ENTROPY), "pays for trying things"),
        Change("learning_rate", RATE, _above(RATE, RATE), "it made up its mind too fast"),
    ),
    Cause.TOO_RANDOM: (
        Change("ent_coef", ENTROPY, _above(ENTROPY, ENTROPY), "the bonus outweighs the reward"),
        *_HELD_BACK,
    ),
    Cause.CRITIC: (
        Change("vf_coef", None, _below(0.1, 0.5), "the value function is hardly trained"),
    ),
}


def advise(
    history: History, votes: Iterable[tuple[Cause, float]], findings: Iterable[Finding]
) -> tuple[Remedy, ...]:
    """Returns what to do about a run, the likeliest cause's remedies first.

    Args:
        history: its numbers.
        votes: what its open findings vote for, with their weights.
        findings: the open findings themselves.
    """
    sums: dict[Cause, float] = {}
    for cause, weight in votes:
        sums[cause] = sums.get(cause, 0.0) + weight
    settings = live_settings(history)
    found: list[Remedy | None] = []
    changed = [what_changed(history, finding.since) for finding in findings]
    for cause in sorted(sums, key=list(Cause).index):
        if cause not in (Cause.NUMBERS, Cause.GAME):
            found += changed
        if cause is Cause.SETTING:
            found += wrong_settings(settings)
        if cause in (Cause.STEP_TOO_LARGE, Cause.CRITIC):
            found.append(reward_scale(history))
        if Cause.SETTING not in sums:  # what is impossible is set right first, and tried alone
            found += [change.advice(settings) for change in CHANGES.get(cause, ())]
        found += [Remedy(text) for text in TEXTS.get(cause, ())]
    return _once(found)


def _once(found: Iterable[Remedy | None]) -> tuple[Remedy, ...]:
    """Returns advice without what was said before, or is about the same setting."""
    kept: list[Remedy] = []
    for advice in found:
        said = {a.setting for a in kept if a.setting} | {a.text for a in kept}
        if advice is not None and advice.text not in said and advice.setting not in said:
            kept.append(advice)
    return tuple(kept[:MOST])


def what_changed(history: History, since: int) -> Remedy | None:
    """Returns the logged setting that jumped shortly before a finding began, None if none did."""
    for setting, name in LIVE.items():
        steps, values = history.steps(name), history.all(name)
        near = np.flatnonzero(steps <= since)
        last = int(near[-1]) + 1 if len(near) else 0
        for index in range(min(last, len(values) - 1), max(0, last - JUMP_UPDATES), -1):
            before, after = float(values[index - 1]), float(values[index])
            if before > 0 and not 1 / JUMP < after / before < JUMP:
                text = (
                    f"undo what changed at step {int(steps[index]):,}: {setting} "
                    f"{before:.3g} -> {after:.3g}"
                )
                return Remedy(text, setting, before)
    return None


def reward_scale(history: History) -> Remedy | None:
    """Returns advice on rewards that are far too large for the usual settings."""
    losses = history.last(m.VALUE_LOSS, 3)
    if not len(losses) or median(losses) < LARGE_LOSS:
        return None
    return Remedy(
        f"bring rewards to the size of 1 (VecNormalize): the value loss is {median(losses):.3g}"
    )


def live_settings(history: History) -> dict[str, float | None]:
    """Returns a run's settings, with the current values of those that may change."""
    now = {name: history.last(metric, 1) for name, metric in LIVE.items()}
    return history.settings | {name: float(v[0]) for name, v in now.items() if len(v)}


# setting, whether a value is wrong, why, and the usual value
WRONG: tuple[tuple[str, Callable[[float], bool], str, float], ...] = (
    ("ent_coef", lambda x: x < 0, "it pays for being sure of one action", ENTROPY),
    ("ent_coef", lambda x: x >= 1, "throwing dice pays better than playing", ENTROPY),
    ("gamma", lambda x: x < 0.1, "only the very next reward counts", 0.99),
    ("gamma", lambda x: x >= 1, "the value of an endless game has no bound", 0.99),
    ("gae_lambda", lambda x: not 0 <= x <= 1, "it is a share", 0.95),
    ("batch_size", lambda x: x <= 1, "one sample has no normalised advantage", 64),
    ("clip_range", lambda x: x >= 1, "nothing is clipped from below", 0.2),
    ("clip_range", lambda x: x <= 0, "no update can change anything", 0.2),
    ("clip_range_vf", lambda x: x < 1e-3, "the value function cannot move", 10.0),
    ("learning_rate", lambda x: x > 0.02, "Adam moves each weight so far a step", RATE),
    ("learning_rate", lambda x: x < 0, "it climbs the loss", RATE),
    ("vf_coef", lambda x: x <= 0, "the value function is never trained", 0.5),
    ("max_grad_norm", lambda x: x < 1e-4, "every gradient is cut to nothing", 0.5),
)


def wrong_settings(settings: Mapping[str, float | None]) -> list[Remedy]:
    """Returns what to set in place of impossible values."""
    found = []
    for setting, wrong, why, usual in WRONG:
        value = settings.get(setting)
        if value is not None and wrong(value):
            found.append(Remedy(f"set {setting}: {value:g} -> {usual:g} ({why})", setting, usual))
    return found
