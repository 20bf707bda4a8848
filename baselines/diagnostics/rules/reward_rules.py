"""Findings about the scores: whether they rise, fall, contradict each other, or are farmed."""

import math

import numpy as np

from baselines.diagnostics import metrics as m
from baselines.diagnostics.finding import Cause
from baselines.diagnostics.history import LOSING, REWARD, TRUST, History, median
from baselines.diagnostics.rules.policy_rules import SURE, kl_limit, own_kl
from baselines.diagnostics.rules.rule import ALWAYS, NOT_LEARNING, Reading, Rule
from baselines.diagnostics.scores.columns import Numbers
from baselines.diagnostics.scores.progress import FALLEN, State

FARM_GROWTH = 3.0  # a farmed term pays this many times what it paid at first
MORE = 1.1  # times the first milestones of an episode are progress
NEW = 0.9  # entropy share of a new policy
SAME = 1e-4  # relative; logged numbers have the precision of a float32
SLOW_KL = 0.0003  # smaller updates are too small to get anywhere
MIN_UPDATES = 10  # in which something could have been learnt
RECENT = 30  # updates, or a third of them, that may have done it


def _lost(history: History) -> Reading | None:
    name, far = history.trusted or ("", None)
    if far is None or far.state not in LOSING:
        return None
    lost = max(far.lost, 1.0 if far.state is State.BELOW else 0.0)
    share = f"{min(far.lost, 1):.0%} of the gain is lost" if far.risen else far.state.value
    return Reading(lost, f"{name} {far}: {share}")


def _why_lost(history: History) -> Cause:
    """The updates were too large, the policy is too sure of itself, or the game changed."""
    kls = history.all(own_kl(history))[-max(RECENT, history.updates // 3) :]
    if len(kls) and kls.max() > 2 * kl_limit(history.settings):
        return Cause.STEP_TOO_LARGE
    if history.row.get(m.ENTROPY_SHARE, 1.0) < SURE:
        return Cause.TOO_SURE
    return Cause.LOOK


def _flat(history: History) -> Reading | None:
    name, far = history.trusted or ("", None)
    if far is None or far.state is not State.FLAT or history.updates < MIN_UPDATES:
        return None
    return Reading(far.episodes, f"{name} {far}, after {far.episodes:,} episodes")


def _why_flat(history: History) -> Cause:
    """What fits a score that does not rise."""
    far, kls, own = (
        history.progress,
        history.last(m.APPROX_KL, 10),
        history.last(own_kl(history), 10),
    )
    kl = median(kls) if len(kls) else SLOW_KL
    if far is not None and far.start == far.best == far.now:
        return Cause.WAIT
    if len(own) and median(own) > kl_limit(history.settings):
        return Cause.STEP_TOO_LARGE
    if history.row.get(m.ENTROPY_SHARE, 1.0) < 2 * SURE:
        return Cause.TOO_SURE
    return Cause.STEP_TOO_SMALL if kl < SLOW_KL else Cause.LOOK


def _misled(history: History) -> Reading | None:
    """A score that is trusted more than the learner's reward falls while that one rises."""
    paid = history.progress_of(REWARD)
    if paid is None or paid.state is not State.RISING:
        return None
    for name in TRUST[:-1]:
        far = history.progress_of(name)
        if far is not None and far.state in LOSING:
            return Reading(1.0, f"{name} {far}; but reward {paid}")
    return None


def _constant(history: History) -> Reading | None:
    """Each step pays the same, and a new policy got nearly all of the reward."""
    rewards, lengths = history.all(m.EPISODE_REWARD), history.all(m.EPISODE_LENGTH)
    new = history.all(m.ENTROPY_SHARE)[:1]  # a run that continues another was never new
    if len(rewards) != len(lengths) or len(rewards) < 2 or (new < NEW).any():
        return None
    if lengths[0] <= 0 or lengths[-1] <= 0:
        return None
    first, last = float(rewards[0] / lengths[0]), float(rewards[-1] / lengths[-1])
    if last <= 0 or abs(last - first) > SAME * last or np.ptp(rewards) == 0:
        return None
    if history.kept("reward per step", lambda: _spread(rewards, lengths)) > SAME * last:
        return None
    share = float(rewards[0] / rewards.max())
    return Reading(share, f"each step pays {last:.3g}; a new policy got {share:.0%} of the most")


def _spread(rewards: Numbers, lengths: Numbers) -> float:
    """Returns how far rewards per step lie apart; infinity where an episode has no steps."""
    return float(np.ptp(rewards / lengths)) if lengths.min() > 0 else math.inf


def _farmed(history: History) -> Reading | None:
    terms = {n: max(v, 0.0) for n, v in m.reward_terms(history.row).items() if math.isfinite(v)}
    milestones = history.all(m.MILESTONES)
    total = sum(terms.values())
    if len(terms) < 2 or total <= 0 or len(milestones) < 10:
        return None
    name = max(terms, key=terms.__getitem__)
    first = float(np.mean(history.all(m.REWARD_TERMS + name)[:5]))
    fewer = milestones[-5:].mean() <= milestones.max() / 2
    if not (fewer and terms[name] >= FARM_GROWTH * first) and not _rises_alone(history, name):
        return None
    return Reading(
        terms[name] / total,
        f"{terms[name] / total:.0%} of the reward comes from {name!r}, which paid {first:.3g} an "
        f"episode at first and pays {terms[name]:.3g} now; milestones {milestones[-1]:.2f}, at "
        f"most {milestones.max():.2f} before",
    )


def _rises_alone(history: History, term: str) -> bool:
    """Whether the reward rises, and by one term, while milestones rest.

    Where they fall, that is a finding of its own.
    """
    reached, paid = history.progress_of("milestones"), history.progress_of(REWARD)
    if reached is None or paid is None or paid.state is not State.RISING:
        return False
    amounts, milestones = history.all(m.REWARD_TERMS + term), history.all(m.MILESTONES)
    rise = float(amounts[-5:].mean() - amounts[:5].mean())
    more = milestones[-5:].mean() > MORE * milestones[:5].mean()  # which this term may pay for
    return reached.state is State.FLAT and not more and rise > (paid.now - paid.start) / 2


REWARD_RULES = (
    Rule(
        code="reward_collapse",
        read=_lost,
        needs=(m.EPISODE_REWARD,),
        measure="share of what was learnt that is lost again; 1 below the start",
        warn=FALLEN,
        critical=0.4,
        patience=1,
        speaks=LOSING,
        cause=_why_lost,
        meaning="The agent was better before and has unlearnt it.",
    ),
    Rule(
        code="reward_plateau",
        read=_flat,
        needs=(m.EPISODE_REWARD,),
        measure="episodes without a rise worth the name",
        warn=0,
        patience=1,
        cause=_why_flat,
        meaning="The score does not rise.",
    ),
    Rule(
        code="reward_misleads",
        read=_misled,
        needs=(m.EPISODE_REWARD, f"{m.EVALUATION}|{m.SUCCESS_RATE}|{m.MILESTONES}"),
        measure="scores that fall while the learner's reward rises",
        warn=0,
        patience=1,
        speaks=ALWAYS,
        cause=Cause.GAME,
        meaning="What the learner is paid for rises while what is wanted falls.",
    ),
    Rule(
        code="reward_constant",
        read=_constant,
        needs=(m.EPISODE_REWARD, m.EPISODE_LENGTH),
        measure="share of the largest reward that a new policy gets, if every step pays the same",
        warn=0.8,
        patience=20,
        speaks=ALWAYS - NOT_LEARNING,
        cause=Cause.GAME,
        source="arithmetic",
        meaning="Every step pays the same, and episodes are hardly longer than at first: the "
        "reward says next to nothing about what the agent does.",
    ),
    Rule(
        code="reward_farming",
        read=_farmed,
        needs=(f"{m.REWARD_TERMS}*", m.MILESTONES),
        measure="share of the largest reward term",
        warn=0.6,
        patience=5,
        in_episodes=True,
        speaks=ALWAYS,
        cause=Cause.GAME,
        meaning="One term of the reward pays nearly everything while no new milestones are reached "
        "or fall: the agent collects that and no longer plays the game. Let it pay once an "
        "episode for each thing, or lower its weight.",
    ),
)
