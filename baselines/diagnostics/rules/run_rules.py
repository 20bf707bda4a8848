"""Findings about the run as a whole: broken numbers, settings, schedules and speed."""

import math

import numpy as np

from baselines.diagnostics import metrics as m
from baselines.diagnostics.advice import LIVE, live_settings, wrong_settings
from baselines.diagnostics.finding import Cause
from baselines.diagnostics.history import History
from baselines.diagnostics.rules.rule import ALWAYS, UNLESS_RISING, Reading, Rule

SPEED_WINDOW = 10  # updates, or a tenth of all: exploring and learning may take turns
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


def _not_finite(history: History) -> Reading:
    row = history.row
    broken = [name for name in WATCHED_FOR_NAN if not math.isfinite(row.get(name, 0.0))]
    if count := row.get(m.NOT_FINITE, 0.0):
        broken.append(f"{count:.0f} value targets")
    return Reading(len(broken), f"not finite: {', '.join(broken)}")


def _wrong(history: History) -> Reading:
    wrong = wrong_settings(live_settings(history))
    return Reading(len(wrong), "; ".join(advice.text.removeprefix("set ") for advice in wrong))


def _schedule(history: History) -> Reading | None:
    for name in LIVE.values():
        values = history.all(name)
        if not len(values) or history.now(name) is None or values.max() <= 0:
            continue
        first, last = float(values.max()), float(values[-1])
        tail = float(values[-max(5, len(values) // SCHEDULE_TAIL) :].max())
        if tail < 0.01 * first:
            return Reading(tail / first, f"{name} {last:.3g}, at first {first:.3g}")
    return None


def _speed(history: History) -> Reading | None:
    # rollouts are equally long, while explored steps come and go
    seconds = history.all(m.ROLLOUT_SECONDS)
    speeds = 1 / np.maximum(seconds, 1e-9) if len(seconds) else history.all(m.STEPS_PER_SECOND)
    width = max(SPEED_WINDOW, len(speeds) // 10)
    if len(speeds) < 3 * SPEED_WINDOW:
        return None
    now = float(np.sort(speeds[-width:])[-2])  # once in a while a slow run is fast for an update
    before = history.kept("usual speed", lambda: float(np.quantile(speeds[:-width], 0.75)))
    said = f"{now:,.0f} steps/s, {before:,.0f} before"
    if len(seconds):
        said = f"a rollout takes {1 / max(now, 1e-9):.3g} s, {1 / max(before, 1e-9):.3g} before"
    return Reading(now / max(before, 1e-9), said)


def _rejected(history: History) -> Reading | None:
    share = m.rejected_share(history.row)
    if share is None:
        return None
    counts = {n: v for n, v in history.row.items() if n.startswith(m.REJECTIONS)}
    reason = max(counts, key=counts.__getitem__).removeprefix(m.REJECTIONS)
    return Reading(
        share, f"{share:.0%} of an episode's steps rejected, most of them for {reason!r}"
    )


RUN_RULES = (
    Rule(
        code="not_a_number",
        read=_not_finite,
        needs=(f"{m.VALUE_LOSS}|{m.LOSS}|{m.EPISODE_REWARD}",),
        measure="numbers that are NaN or infinite",
        warn=0,
        critical=0,
        patience=1,
        speaks=ALWAYS,
        lost_at_once=True,
        cause=Cause.NUMBERS,
        source="arithmetic",
        meaning="A number became NaN or infinite: nothing more is learnt, and soon the whole "
        "network is NaN.",
    ),
    Rule(
        code="wrong_setting",
        read=_wrong,
        needs=(),
        measure="impossible settings",
        warn=0,
        patience=1,
        speaks=UNLESS_RISING,
        noted=True,
        cause=Cause.SETTING,
        source="what the setting means",
        meaning="A setting has a value with which PPO cannot learn, or only by luck.",
    ),
    Rule(
        code="states_rejected",
        read=_rejected,
        needs=(f"{m.REJECTIONS}*", m.EPISODE_LENGTH),
        measure="share of steps whose state is refused",
        warn=0.5,
        patience=10,
        in_episodes=True,
        speaks=ALWAYS,
        cause=Cause.GAME,
        meaning="Much of the game's memory could not be trusted: those steps pay nothing, so the "
        "agent is paid by chance. Of the reasons (rejections/*) 'screen' is a menu that stays "
        "open; others mean a game that the reader does not know (emerald doctor).",
    ),
    Rule(
        code="schedule_ended",
        read=_schedule,
        needs=(f"{m.LEARNING_RATE}|{m.CLIP_RANGE}",),
        measure="learning rate or clip range / its largest, below",
        warn=0.01,
        below=True,
        patience=5,
        speaks=UNLESS_RISING,
        noted=True,
        cause=Cause.STEP_TOO_SMALL,
        source="arithmetic",
        meaning="The learning rate or the clip range has reached the end of its schedule early: "
        "nothing more is learnt, however long the run is.",
    ),
    Rule(
        code="throughput_drop",
        read=_speed,
        needs=(f"{m.STEPS_PER_SECOND}|{m.ROLLOUT_SECONDS}",),
        measure="steps/s or rollouts/s, nearly the fastest of the last tenth / of the usual, below",
        warn=1 / 3,
        stays=1 / 2,
        below=True,
        patience=3,
        speaks=ALWAYS,
        cause=Cause.MACHINE,
        meaning="Far fewer steps per second than before.",
    ),
)
