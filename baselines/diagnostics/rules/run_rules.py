"""Findings about the run as a whole: broken numbers, settings, schedules and speed."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from baselines.diagnostics import metrics as m
from baselines.diagnostics.advice import Change, live_settings
from baselines.diagnostics.finding import Severity
from baselines.diagnostics.history import History, median
from baselines.diagnostics.rule import Rule, Verdict, WhileLearning

SPEED_WINDOW = 5
SCHEDULE_TAIL = 20  # a schedule ends early if more than 1/20 of the updates come after its end
# explained_variance is rightly NaN if all returns are equal
WATCHED_FOR_NAN = (
    m.LOSS,
    m.VALUE_LOSS,
    m.POLICY_LOSS,
    m.ENTROPY_LOSS,
    m.APPROX_KL,
    m.GRADIENT_NORM,
    m.EPISODE_REWARD,
)


@dataclass(frozen=True, slots=True)
class WrongSetting:
    """Impossible values of a setting, and what to set instead."""

    setting: str
    wrong: Callable[[float], bool]
    why: str
    instead: float


WRONG_SETTINGS = (
    WrongSetting("ent_coef", lambda x: x < 0, "it pays for being sure of one action", 0.01),
    WrongSetting("gamma", lambda x: x < 0.1, "only the very next reward counts", 0.99),
    WrongSetting("gamma", lambda x: x >= 1, "the value of an endless game has no bound", 0.99),
    WrongSetting("gae_lambda", lambda x: not 0 <= x <= 1, "it is a share", 0.95),
    WrongSetting("batch_size", lambda x: x <= 1, "one sample has no normalised advantage", 64),
    WrongSetting("clip_range", lambda x: x >= 1, "nothing is clipped from below", 0.2),
    WrongSetting("clip_range", lambda x: x <= 0, "no update can change anything", 0.2),
    WrongSetting("learning_rate", lambda x: x > 0.02, "Adam moves each weight so far a step", 3e-4),
    WrongSetting("learning_rate", lambda x: x < 0, "it climbs the loss", 3e-4),
    WrongSetting("vf_coef", lambda x: x <= 0, "the value function is never trained", 0.5),
    WrongSetting("max_grad_norm", lambda x: x <= 0, "every gradient is cut to nothing", 0.5),
)


def _not_a_number(rule: Rule, history: History) -> Verdict | None:
    broken = [name for name in WATCHED_FOR_NAN if not math.isfinite(history.row.get(name, 0.0))]
    if count := history.row.get(m.NOT_FINITE, 0.0):
        broken.append(f"{count:.0f} value targets")
    return Verdict(Severity.CRITICAL, f"not finite: {', '.join(broken)}") if broken else None


def _wrong_setting(rule: Rule, history: History) -> Verdict | None:
    wrong = wrong_settings(live_settings(history))
    if not wrong:
        return None
    evidence = "; ".join(f"{entry.setting} is {value:g}: {entry.why}" for entry, value in wrong)
    entry, value = wrong[0]
    remedy = f"set {entry.setting}: {value:g} -> {entry.instead:g}"
    return Verdict(Severity.WARNING, evidence, remedy=remedy)


def wrong_settings(settings: dict[str, float | None]) -> list[tuple[WrongSetting, float]]:
    """Returns the impossible settings and their values."""
    found = []
    for entry in WRONG_SETTINGS:
        value = settings.get(entry.setting)
        if value is not None and entry.wrong(value):
            found.append((entry, value))
    return found


def _schedule_ended(rule: Rule, history: History) -> Verdict | None:
    for name in (m.LEARNING_RATE, m.CLIP_RANGE):
        values = history.all(name)
        if not len(values) or history.now(name) is None or values.max() <= 0:
            continue
        first, last = float(values.max()), float(values[-1])
        tail = values[-max(rule.patience, len(values) // SCHEDULE_TAIL) :]
        if tail.max() < rule.warn * first:
            return Verdict(Severity.WARNING, f"{name} {last:.3g}, at first {first:.3g}")
    return None


def _throughput_drop(rule: Rule, history: History) -> Verdict | None:
    speeds = history.all(m.STEPS_PER_SECOND)
    if len(speeds) < 3 * SPEED_WINDOW:
        return None

    def best() -> float:
        blocks = speeds[: (len(speeds) - 1) // SPEED_WINDOW * SPEED_WINDOW]
        return float(np.sort(blocks.reshape(-1, SPEED_WINDOW))[:, SPEED_WINDOW // 2].max())

    now, before = median(speeds[-SPEED_WINDOW:]), history.kept("best speed", best)
    return rule.below(now / max(before, 1e-9), f"{now:,.0f} steps/s, {before:,.0f} before")


def _states_rejected(rule: Rule, history: History) -> Verdict | None:
    share = m.rejected_share(history.row)
    if share is None:
        return None
    counts = {n: v for n, v in history.row.items() if n.startswith(m.REJECTIONS)}
    reason = max(counts, key=counts.__getitem__).removeprefix(m.REJECTIONS)
    return rule.above(
        share, f"{share:.0%} of an episode's steps rejected, most of them for {reason!r}"
    )


RUN_RULES = (
    Rule(
        code="not_a_number",
        check=_not_a_number,
        needs=(f"{m.VALUE_LOSS}|{m.LOSS}|{m.EPISODE_REWARD}",),
        measure="numbers that are NaN or infinite",
        warn=1,
        critical=1,
        patience=1,
        source="arithmetic",
        meaning="A number became NaN or infinite: nothing more is learnt, and soon the whole "
        "network is NaN.",
        advice=(
            "go back to the last checkpoint before this; its weights are lost",
            "find the number in the env: divide by zero, log of zero, an overflow; check "
            "observations and rewards with numpy.isfinite",
            Change("learning_rate", 0.1, why="if the env is innocent"),
            Change("max_grad_norm", to=0.5),
        ),
    ),
    Rule(
        code="wrong_setting",
        check=_wrong_setting,
        needs=(),
        measure="impossible settings",
        warn=1,
        patience=1,
        source="what the setting means",
        meaning="A setting has a value with which PPO cannot learn, or only by luck.",
        advice=(),
        while_learning=WhileLearning.NOTE,
    ),
    Rule(
        code="states_rejected",
        check=_states_rejected,
        needs=(f"{m.REJECTIONS}*", m.EPISODE_LENGTH),
        measure="share of steps whose state is refused",
        warn=0.5,
        patience=10,
        meaning="Much of the game's memory could not be trusted: those steps pay nothing, so the "
        "agent is paid by chance.",
        advice=(
            "look at the reasons (rejections/*): 'screen' is a menu that stays open, the others "
            "mean a game that the reader does not know",
            "run `emerald doctor` with this ROM: is its version supported?",
            "mask the action that opens the menu, or truncate the episode after a while",
        ),
    ),
    Rule(
        code="schedule_ended",
        check=_schedule_ended,
        needs=(f"{m.LEARNING_RATE}|{m.CLIP_RANGE}",),
        measure="learning rate or clip range / its largest, below",
        warn=0.01,
        patience=5,
        source="arithmetic",
        meaning="The learning rate or the clip range has reached the end of its schedule early: "
        "nothing more is learnt, however long the run is.",
        advice=(
            "stop here, or start again with a larger total_timesteps: the schedule is stretched "
            "to it",
            "use a constant learning rate if the end of the run is not known",
        ),
        while_learning=WhileLearning.NOTE,
    ),
    Rule(
        code="throughput_drop",
        check=_throughput_drop,
        needs=(m.STEPS_PER_SECOND,),
        measure=f"steps/s, median of {SPEED_WINDOW} updates / of the fastest such, below",
        warn=1 / 3,
        stays=1 / 2,
        patience=3,
        meaning="Far fewer steps per second than before.",
        advice=(
            "check what else runs on the machine, and whether memory is short (swap)",
            "check whether the games themselves became slower: time/rollout_seconds against "
            "time/update_seconds",
        ),
    ),
)
