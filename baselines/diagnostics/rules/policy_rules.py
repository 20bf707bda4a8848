"""Findings about the policy: how far updates move it, and how certain its actions are."""

import math

from baselines.diagnostics import metrics as m
from baselines.diagnostics.finding import Cause
from baselines.diagnostics.history import WINDOW, History, median
from baselines.diagnostics.rules.rule import (
    ALWAYS,
    NOT_LEARNING,
    UNLESS_RISING,
    Reading,
    Rule,
    Settings,
)
from baselines.diagnostics.scores.progress import State

KL_WINDOW, DEAD_WINDOW, DICE_WINDOW = 5, 10, 20  # updates; the last where no episode is known
# Updates this large replace the policy: actions become e^0.5 times as likely, or as unlikely.
KL_BURST = 0.5
RISING_BURSTS = 4.0  # times that much while the score rises all the same
KL_ROOM = 3.0  # times the divergence of an update that uses all of its clip range
NEW = 0.98  # entropy share of a policy that nothing has moved
SURE = 0.15  # entropy share below which a policy cannot be moved, whatever the updates
WIDER, NARROWER = 4.0, 0.15  # times the first standard deviation of continuous actions
PPO = "Schulman et al. 2017 (a ratio of 1 + c costs c - ln(1 + c)); runs"


def kl_limit(settings: Settings) -> float:
    """Returns the KL divergence of an update that leaves its clip range far behind."""
    clip = min(settings.get("clip_range") or 0.2, 1.0)
    return KL_ROOM * (clip - math.log1p(clip))


def own_kl(history: History) -> str:
    """Returns the name of PPO's own part of how far an update moved the policy.

    A teacher's part moves it as it should.
    """
    taught = any(history.now(name) for name in (m.ADVICE_LOSS, m.CLONE_KL))
    return m.POLICY_KL if taught else m.APPROX_KL


def _kl(history: History) -> Reading | None:
    name = own_kl(history)
    short = name.partition("/")[2]
    recent, now, clipped = history.last(name, KL_WINDOW), history.now(name), m.CLIP_FRACTION
    if not len(recent) or now is None:
        return None
    beside = "" if history.now(clipped) is None else f", clip_fraction {history.now(clipped):.2f}"
    rising = history.state is State.RISING
    if now > KL_BURST * (RISING_BURSTS if rising else 1.0):
        return Reading(now, f"{short} {now:.3g} in one update{beside}", at_once=True)
    if rising or history.state is State.UNKNOWN:
        return None  # only updates that replace the policy are worth a word
    kl = median(recent)
    return Reading(kl, f"{short} {kl:.3g}, median of {KL_WINDOW} updates{beside}")


def _still(history: History) -> Reading | None:
    recent = history.last(m.APPROX_KL, DEAD_WINDOW)
    # a near-deterministic policy hardly moves; that is another finding
    certainty = history.row.get(m.ENTROPY_SHARE)
    sure = certainty is not None and certainty < SURE
    if not len(recent) or sure or _one_step(history.settings):
        return None
    if history.state is State.UNKNOWN and (certainty is None or certainty < NEW):
        return None  # only a policy that is still as new was surely never moved
    kl = median(recent)
    return Reading(kl, f"approx_kl {kl:.2g}, median of {DEAD_WINDOW} updates")


def _one_step(settings: Settings) -> bool:
    """Whether an update is one gradient step: approx_kl, measured before it, is 0 then."""
    samples = (settings.get("n_steps") or 0) * (settings.get("n_envs") or 1)
    return settings.get("n_epochs") == 1 and samples <= (settings.get("batch_size") or 0)


def _certainty(history: History) -> Reading | None:
    share = history.now(m.ENTROPY_SHARE)
    return None if share is None else Reading(share, f"entropy {share:.1%} of its maximum")


def _dice(history: History) -> Reading | None:
    window = history.window(DICE_WINDOW)
    recent, far = history.last(m.ENTROPY_SHARE, window), history.progress
    if not len(recent) or far is None or (far.state is State.RISING and not far.has_stopped):
        return None
    least = float(recent.min())
    return Reading(least, f"entropy {least:.1%} of its maximum or more")


def _spread(history: History) -> Reading | None:
    spreads, now = history.all(m.STD), history.now(m.STD)
    if not len(spreads) or now is None or spreads[0] <= 0:
        return None
    evidence = f"standard deviation of the actions {now:.3g}, at first {spreads[0]:.3g}"
    return Reading(now / float(spreads[0]), evidence)


def _one_action(history: History) -> Reading | None:
    share = history.now(m.TOP_ACTION_SHARE)
    return None if share is None else Reading(share, f"{share:.0%} of all actions are the same one")


def _stuck(history: History) -> Reading | None:
    seen = {
        "of an episode on one tile or in the menu": history.now(m.PLACE_SHARE),
        "of the steps changed nothing": history.now(m.STILL_SHARE),
    }
    shares = {what: share for what, share in seen.items() if share is not None}
    evidence = ", ".join(f"{share:.0%} {what}" for what, share in shares.items())
    return Reading(max(shares.values()), evidence) if shares else None


POLICY_RULES = (
    Rule(
        code="kl_blow_up",
        read=_kl,
        needs=(m.APPROX_KL,),
        measure=f"approx_kl, with a teacher policy_kl, median of {KL_WINDOW} updates / of the clip "
        "range",
        warn=kl_limit,
        critical=0.1,
        patience=3,
        speaks=ALWAYS,
        cause=Cause.STEP_TOO_LARGE,
        source=PPO,
        meaning="Each update changes the policy so much that the samples it learnt from no longer "
        "describe it: its next step is blind.",
    ),
    Rule(
        code="entropy_collapse",
        read=_certainty,
        needs=(m.ENTROPY_SHARE, m.EPISODE_REWARD),
        measure="entropy / ln(actions), below",
        warn=SURE,
        critical=0.05,
        below=True,
        patience=5,
        in_episodes=True,
        cause=Cause.TOO_SURE,
        meaning="The policy is almost sure of its action everywhere, although its score does not "
        "rise: it has stopped trying things, so it cannot find anything better.",
    ),
    Rule(
        code="actions_narrow",
        read=_spread,
        needs=(m.STD,),
        measure="standard deviation of continuous actions / at first, below",
        warn=NARROWER,
        critical=0.05,
        below=True,
        patience=5,
        in_episodes=True,
        cause=Cause.TOO_SURE,
        meaning="Continuous actions hardly vary any more, although the score does not rise.",
    ),
    Rule(
        code="actions_wide",
        read=_spread,
        needs=(m.STD,),
        measure="standard deviation of continuous actions / at first",
        warn=WIDER,
        patience=5,
        in_episodes=True,
        cause=Cause.TOO_RANDOM,
        meaning="Continuous actions are thrown ever wider: the entropy bonus outweighs the reward.",
    ),
    Rule(
        code="entropy_stuck_high",
        read=_dice,
        needs=(m.ENTROPY_SHARE,),
        measure=f"entropy / ln(actions), least of {WINDOW} episodes",
        warn=0.95,
        patience=1,
        speaks=NOT_LEARNING | {State.RISING},
        cause=Cause.TOO_RANDOM,
        meaning="The policy still chooses almost at random, like an untrained one.",
    ),
    Rule(
        code="dead_updates",
        read=_still,
        needs=(m.APPROX_KL,),
        measure=f"approx_kl, median of {DEAD_WINDOW} updates, below",
        warn=1e-5,
        below=True,
        patience=3,
        speaks=UNLESS_RISING,
        cause=Cause.STEP_TOO_SMALL,
        meaning="The updates hardly change the policy, although it has not learnt its task.",
    ),
    Rule(
        code="one_action",
        read=_one_action,
        needs=(m.TOP_ACTION_SHARE,),
        measure="share of the commonest action",
        warn=0.8,
        critical=0.95,
        patience=5,
        in_episodes=True,
        speaks=UNLESS_RISING,
        noted=True,
        cause=Cause.TOO_SURE,
        meaning="The agent does nearly always the same thing.",
    ),
    Rule(
        code="stuck_in_place",
        read=_stuck,
        needs=(f"{m.PLACE_SHARE}|{m.STILL_SHARE}",),
        measure="share of steps in one place",
        warn=0.5,
        patience=10,
        in_episodes=True,
        speaks=ALWAYS,
        cause=Cause.GAME,
        meaning="The games no longer change: a wall, a menu or a closed room holds the agent.",
    ),
)
