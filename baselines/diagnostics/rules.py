"""The rules: what each finding looks at in the numbers so far.

A rule returns how bad it is now and the evidence, or None where it does not apply; how long it must
hold is `diagnosis.py`'s matter. All that a rule knows comes from updates up to this one, so that a
live run and its log are judged alike.
"""

import math
from collections.abc import Callable

import numpy as np

from baselines.diagnostics import metrics as m
from baselines.diagnostics import thresholds as t
from baselines.diagnostics.finding import Severity
from baselines.diagnostics.history import History, median
from baselines.diagnostics.progress import Progress, progress
from baselines.diagnostics.thresholds import THRESHOLDS
from baselines.diagnostics.verdict import Verdict, above, below, judged

Rule = Callable[[History], Verdict | None]
# explained_variance is NaN by right where all returns are equal
WATCHED_FOR_NAN = (
    m.LOSS,
    m.VALUE_LOSS,
    m.POLICY_LOSS,
    m.ENTROPY_LOSS,
    m.APPROX_KL,
    m.GRADIENT_NORM,
    m.EPISODE_REWARD,
)


def _progress(history: History) -> Progress | None:
    if "progress" not in history.memo:
        history.memo["progress"] = progress(history.all(m.EPISODE_REWARD))
    found: Progress | None = history.memo["progress"]
    return found


def not_a_number(history: History) -> Verdict | None:
    """Numbers that are NaN or infinite."""
    broken = [name for name in WATCHED_FOR_NAN if not math.isfinite(history.row.get(name, 0.0))]
    if count := history.row.get(m.NOT_FINITE, 0.0):
        broken.append(f"{count:.0f} value targets")
    return Verdict(Severity.CRITICAL, f"not finite: {', '.join(broken)}") if broken else None


def kl_blow_up(history: History) -> Verdict | None:
    """Updates that move the policy too far at once."""
    recent, now = history.last(m.APPROX_KL, t.KL_WINDOW), history.now(m.APPROX_KL)
    clipped = history.now(m.CLIP_FRACTION)
    beside = "" if clipped is None else f", clip_fraction {clipped:.2f}"
    if now is not None and now > t.KL_BURST:
        evidence = f"approx_kl {now:.3g} in one update{beside}"
        return Verdict(Severity.CRITICAL, evidence, at_once=True)
    if not len(recent):
        return None
    kl = median(recent)
    evidence = f"approx_kl {kl:.3g}, median of {t.KL_WINDOW} updates{beside}"
    return judged(above("kl_blow_up", kl), evidence)


def dead_updates(history: History) -> Verdict | None:
    """Updates that change nothing, though there is still something to learn."""
    recent = history.last(m.APPROX_KL, t.DEAD_WINDOW)
    if not len(recent):
        return None
    kl, far = median(recent), _progress(history)
    if far is not None and far.learnt and far.lost < THRESHOLDS["reward_collapse"].warn:
        return None  # nothing left to change: learnt
    if history.row.get(m.ENTROPY_SHARE, 1.0) < THRESHOLDS["entropy_collapse"].warn:
        return None  # a policy that is sure of itself cannot be moved; that is another finding
    return judged(
        below("dead_updates", kl), f"approx_kl {kl:.2g}, median of {t.DEAD_WINDOW} updates"
    )


def entropy_collapse(history: History) -> Verdict | None:
    """A policy that is sure of itself without being good."""
    share = history.now(m.ENTROPY_SHARE)
    far = _progress(history)
    if share is None or far is None:
        return None
    if far.learnt and far.lost < THRESHOLDS["reward_collapse"].warn:
        return None
    reward = f"reward {far.now:.4g} (at first {far.start:.4g}, at best {far.best:.4g})"
    return judged(below("entropy_collapse", share), f"entropy {share:.1%} of its maximum, {reward}")


def entropy_stuck_high(history: History) -> Verdict | None:
    """A policy that still throws dice."""
    recent = history.last(m.ENTROPY_SHARE, t.DICE_WINDOW)
    if not len(recent):
        return None
    least = float(recent.min())
    return judged(above("entropy_stuck_high", least), f"entropy {least:.1%} of its maximum or more")


def value_useless(history: History) -> Verdict | None:
    """A value function that predicts no better than one number would."""
    recent, losses = history.last(m.EXPLAINED_VARIANCE, t.VALUE_WINDOW), history.all(m.VALUE_LOSS)
    if not len(recent) or not len(losses):
        return None
    # where returns hardly vary there is nothing to explain, and the loss is small
    if median(losses[-t.VALUE_WINDOW :]) < t.SMALL_VALUE_LOSS * losses.max():
        return None
    # the best of them, since with long episodes it goes up and down with the episode's phase
    best = float(recent.max())
    evidence = f"explained variance {best:.2f} at best in {t.VALUE_WINDOW} updates"
    return judged(below("value_useless", best), evidence)


def value_stuck_at_one(history: History) -> Verdict | None:
    """A value function that knows all before anything was learnt: nothing new is met."""
    far = _progress(history)
    if far is None or far.learnt:
        return None
    values = history.last(m.EXPLAINED_VARIANCE, t.VALUE_WINDOW)
    if math.isnan(history.row.get(m.EXPLAINED_VARIANCE, 0.0)):
        return Verdict(Severity.WARNING, "explained variance undefined: all returns are equal")
    if not len(values):
        return None
    least = float(values.min())
    return judged(
        above("value_stuck_at_one", least), f"explained variance {least:.3f} or more, reward flat"
    )


def value_loss_blow_up(history: History) -> Verdict | None:
    """A value loss far beyond all before."""
    losses = history.all(m.VALUE_LOSS)
    if len(losses) < t.MIN_UPDATES or history.now(m.VALUE_LOSS) is None:
        return None
    before, now = float(losses[:-10].max()), float(losses[-1])
    ratio = now / max(before, 1e-12)
    return judged(
        above("value_loss_blow_up", ratio), f"value loss {now:.3g}, at most {before:.3g} before"
    )


def one_action(history: History) -> Verdict | None:
    """Nearly always the same action."""
    share = history.now(m.TOP_ACTION_SHARE)
    if share is None:
        return None
    return judged(above("one_action", share), f"{share:.0%} of all actions are the same one")


def stuck_in_place(history: History) -> Verdict | None:
    """Games that stand still."""
    seen = {
        "of an episode on one tile or in the menu": history.now(m.PLACE_SHARE),
        "of the steps changed nothing": history.now(m.STILL_SHARE),
    }
    shares = {what: share for what, share in seen.items() if share is not None}
    if not shares:
        return None
    worst = max(shares.values())
    evidence = ", ".join(f"{share:.0%} {what}" for what, share in shares.items())
    return judged(above("stuck_in_place", worst), evidence)


def states_rejected(history: History) -> Verdict | None:
    """Steps whose state could not be read, and so paid nothing."""
    share = m.rejected_share(history.row)
    if share is None:
        return None
    counts = {n: v for n, v in history.row.items() if n.startswith(m.REJECTIONS)}
    reason = max(counts, key=counts.__getitem__).removeprefix(m.REJECTIONS)
    evidence = f"{share:.0%} of an episode's steps not believed, most of them for {reason!r}"
    return judged(above("states_rejected", share), evidence)


def reward_plateau(history: History) -> Verdict | None:
    """A reward that has not risen since the beginning; a note where it rose before."""
    far = _progress(history)
    if far is None:
        return None
    rewards = len(history.all(m.EPISODE_REWARD))
    if far.rise > t.FLAT_NOISE:
        if not far.learnt or far.since_best < max(t.FLAT_UPDATES, rewards // 2) or far.lost > 0.1:
            return None
        return Verdict(Severity.NOTE, f"no better than {far.best:.4g} for {far.since_best} updates")
    if rewards < t.FLAT_UPDATES:
        return None
    return Verdict(
        Severity.WARNING, f"reward {far.now:.4g} after {rewards} updates, at first {far.start:.4g}"
    )


def reward_collapse(history: History) -> Verdict | None:
    """A reward that falls back after it had risen."""
    far = _progress(history)
    if far is None or far.lost_noise < t.LOST_NOISE:
        return None
    lost = f"{min(far.lost, 1):.0%} of what was learnt is lost"
    evidence = f"reward {far.now:.4g}, at best {far.best:.4g}: {lost}"
    return judged(above("reward_collapse", far.lost), evidence)


def reward_farming(history: History) -> Verdict | None:
    """One reward term pays nearly all, and the milestones do not move."""
    terms = {n: max(v, 0.0) for n, v in m.reward_terms(history.row).items() if math.isfinite(v)}
    milestones = history.all(m.MILESTONES)
    total = sum(terms.values())
    if len(terms) < 2 or total <= 0 or len(milestones) < 10:
        return None
    name = max(terms, key=terms.__getitem__)
    share, paid = terms[name] / total, history.all(m.REWARD_TERMS + name)
    if (
        terms[name] < t.FARM_GROWTH * float(np.mean(paid[:5]))
        or milestones[-5:].mean() > milestones.max() / 2
    ):
        return None
    severity = above("reward_farming", share)
    if severity is None:
        return None
    evidence = (
        f"{share:.0%} of the reward comes from {name!r}; milestones {milestones[-1]:.2f} an "
        f"episode, at most {milestones.max():.2f} before"
    )
    # at first it paid `paid[:5]`: what is farmed is all beyond that
    weight = float(np.mean(paid[:5])) / terms[name]
    remedy = (
        f"multiply the weight of {name!r} by {weight:.2g}: an episode of it then pays as much as "
        "before it was farmed"
    )
    return Verdict(severity, evidence, remedy=remedy if weight > 0 else None)


def schedule_ended(history: History) -> Verdict | None:
    """A learning rate or clip range that has come to its end."""
    for name in (m.LEARNING_RATE, m.CLIP_RANGE):
        values = history.all(name)
        if not len(values) or history.now(name) is None or values.max() <= 0:
            continue
        share = float(values[-1] / values.max())
        if severity := below("schedule_ended", share):
            return Verdict(severity, f"{name} {values[-1]:.3g}, at first {values.max():.3g}")
    return None


def throughput_drop(history: History) -> Verdict | None:
    """Far fewer steps a second than before."""
    speeds = history.all(m.STEPS_PER_SECOND)
    if len(speeds) < t.MIN_UPDATES:
        return None
    now, before = (
        median(speeds[-t.SPEED_WINDOW :]),
        median(speeds[: -t.SPEED_WINDOW]),
    )
    return judged(
        below("throughput_drop", now / max(before, 1e-9)),
        f"{now:,.0f} steps/s, {before:,.0f} before",
    )


# finding -> its rule, and the metrics of which it needs each, or one of several joined by "|"
RULES: dict[str, tuple[Rule, tuple[str, ...]]] = {
    "not_a_number": (not_a_number, (f"{m.VALUE_LOSS}|{m.LOSS}|{m.EPISODE_REWARD}",)),
    "reward_collapse": (reward_collapse, (m.EPISODE_REWARD,)),
    "entropy_collapse": (entropy_collapse, (m.ENTROPY_SHARE, m.EPISODE_REWARD)),
    "kl_blow_up": (kl_blow_up, (m.APPROX_KL,)),
    "one_action": (one_action, (m.TOP_ACTION_SHARE,)),
    "stuck_in_place": (stuck_in_place, (f"{m.PLACE_SHARE}|{m.STILL_SHARE}",)),
    "states_rejected": (states_rejected, (f"{m.REJECTIONS}*", m.EPISODE_LENGTH)),
    "reward_farming": (reward_farming, (f"{m.REWARD_TERMS}*", m.MILESTONES)),
    "reward_plateau": (reward_plateau, (m.EPISODE_REWARD,)),
    "entropy_stuck_high": (entropy_stuck_high, (m.ENTROPY_SHARE,)),
    "dead_updates": (dead_updates, (m.APPROX_KL,)),
    "value_useless": (value_useless, (m.EXPLAINED_VARIANCE, m.VALUE_LOSS)),
    "value_stuck_at_one": (value_stuck_at_one, (m.EXPLAINED_VARIANCE, m.EPISODE_REWARD)),
    "value_loss_blow_up": (value_loss_blow_up, (m.VALUE_LOSS,)),
    "schedule_ended": (schedule_ended, (f"{m.LEARNING_RATE}|{m.CLIP_RANGE}",)),
    "throughput_drop": (throughput_drop, (m.STEPS_PER_SECOND,)),
}
