"""Findings about the reward: whether it rises, falls, is farmed, or says nothing."""

import math

import numpy as np

from baselines.diagnostics import metrics as m
from baselines.diagnostics.advice import GO_BACK, HALVE_RATE, MORE_ENTROPY, Change
from baselines.diagnostics.finding import Severity
from baselines.diagnostics.history import FALLEN, History
from baselines.diagnostics.rule import Rule, Verdict, WhileLearning

# A reward that does not rise is not reported before twice the episodes of SB3's mean: the first
# mean and the last one would share episodes.
ENOUGH_EPISODES = 200
RESTING = 40  # updates without a better reward, if that is half the run
FARM_GROWTH = 3.0  # a farmed term pays this many times what it paid at first
NEW = 0.9  # entropy share of a new policy
SAME = 1e-4  # relative; logged numbers have the precision of a float32
SLOW_KL, FAST_KL = 0.001, 0.02  # between which updates have the usual size


def _reward_collapse(rule: Rule, history: History) -> Verdict | None:
    far = history.progress
    if far is None:
        return None
    evidence = f"reward {far.now:.4g}, at best {far.best:.4g}: {min(far.lost, 1):.0%} is lost"
    if far.hidden >= far.lost > 0:
        evidence += " (the newest episodes; the mean over 100 lags behind)"
    return rule.above(far.lost, evidence)


def _reward_plateau(rule: Rule, history: History) -> Verdict | None:
    far, curve = history.progress, history.rewards
    updates = len(curve.rewards)
    if far is None:
        return None
    if far.learnt:
        resting = far.since_best >= max(RESTING, updates // 2) and far.lost < 0.1
        evidence = f"no better than {far.best:.4g} for {far.since_best} updates"
        return Verdict(Severity.NOTE, evidence) if resting else None
    constant = far.best == far.start == far.now
    if far.doubtful or (curve.episodes[-1] < ENOUGH_EPISODES and not constant):
        return None
    return rule.above(
        updates, f"reward {far.now:.4g} after {updates} updates, at first {far.start:.4g}"
    )


def _why_flat(history: History) -> Change | str | None:
    """Returns the one remedy that fits a reward that does not rise."""
    rewards, kl = history.rewards.rewards, history.last(m.APPROX_KL, 10)
    if np.ptp(rewards) == 0:
        return (
            "every episode paid the same: let rewards come on the way, or start episodes nearer "
            "to the goal; nothing can be learnt before a reward is met"
        )
    if len(kl) and np.median(kl) < SLOW_KL:
        return Change("learning_rate", 3.0, why="approx_kl is below 0.001")
    if len(kl) and np.median(kl) > FAST_KL:
        return Change("learning_rate", 1 / 3, why="approx_kl is above 0.02")
    if history.row.get(m.ENTROPY_SHARE, 1.0) < 0.3:
        return MORE_ENTROPY
    return (
        "check that the observation shows what decides the reward, and that the reward follows "
        "the action that earned it"
    )


def _reward_constant(rule: Rule, history: History) -> Verdict | None:
    """The reward rises, but each step pays the same, and a new policy got nearly all of it."""
    rewards, lengths = history.rewards.rewards, history.rewards.lengths
    new = history.all(m.ENTROPY_SHARE)[:1]  # a run that continues another was never new
    if not history.at_its_best or not min(lengths[0], lengths[-1]) > 0 or (new < NEW).any():
        return None
    first, last = float(rewards[0] / lengths[0]), float(rewards[-1] / lengths[-1])
    if last <= 0 or abs(last - first) > SAME * last:
        return None
    if history.kept("reward per step", lambda: float(np.ptp(rewards / lengths))) > SAME * last:
        return None
    share = float(rewards[0] / rewards.max())
    evidence = f"each step pays {last:.3g}; a new policy got {share:.0%} of the most ever"
    return rule.above(share, evidence)


def _reward_farming(rule: Rule, history: History) -> Verdict | None:
    terms = {n: max(v, 0.0) for n, v in m.reward_terms(history.row).items() if math.isfinite(v)}
    milestones = history.all(m.MILESTONES)
    total = sum(terms.values())
    if len(terms) < 2 or total <= 0 or len(milestones) < 10:
        return None
    name = max(terms, key=terms.__getitem__)
    # what it paid at first; everything beyond that is farmed
    first = float(np.mean(history.all(m.REWARD_TERMS + name)[:5]))
    if terms[name] < FARM_GROWTH * first or milestones[-5:].mean() > milestones.max() / 2:
        return None
    share = terms[name] / total
    verdict = rule.above(
        share,
        f"{share:.0%} of the reward comes from {name!r}; milestones {milestones[-1]:.2f} an "
        f"episode, at most {milestones.max():.2f} before",
    )
    if verdict is None or first <= 0:
        return verdict
    remedy = (
        f"multiply the weight of {name!r} by {first / terms[name]:.2g}: an episode of it then pays "
        "as much as before it was farmed"
    )
    return Verdict(verdict.severity, verdict.evidence, remedy=remedy)


REWARD_RULES = (
    Rule(
        code="reward_collapse",
        check=_reward_collapse,
        needs=(m.EPISODE_REWARD,),
        measure="share of what was learnt that is lost again",
        warn=FALLEN,
        critical=0.4,
        patience=3,
        meaning="The agent was better before and has unlearnt it.",
        advice=(
            GO_BACK,
            HALVE_RATE,
            Change("target_kl", to=0.02),
            "check whether the game or the reward changed at that moment",
        ),
    ),
    Rule(
        code="reward_plateau",
        check=_reward_plateau,
        needs=(m.EPISODE_REWARD,),
        measure="updates without a rise of the reward beyond chance",
        warn=20,
        patience=3,
        meaning="The reward does not rise.",
        advice=(
            _why_flat,
            "watch the agent play and compare it with a random one: does it ever meet a reward?",
        ),
        while_learning=WhileLearning.NOTE,
    ),
    Rule(
        code="reward_constant",
        check=_reward_constant,
        needs=(m.EPISODE_REWARD, m.EPISODE_LENGTH),
        measure="share of the largest reward that a new policy gets, if every step pays the same",
        warn=0.8,
        patience=20,
        source="arithmetic",
        meaning="Every step pays the same, and episodes are hardly longer than at first: the "
        "reward says next to nothing about what the agent does.",
        advice=("pay for what the agent is meant to do, not for each step",),
    ),
    Rule(
        code="reward_farming",
        check=_reward_farming,
        needs=(f"{m.REWARD_TERMS}*", m.MILESTONES),
        measure="share of the largest reward term",
        warn=0.6,
        critical=0.85,
        patience=5,
        meaning="One term of the reward pays nearly everything while no new milestones are reached "
        "or fall: the agent collects that and no longer plays the game.",
        advice=(
            "let the term pay once per episode for each thing, not every time it happens",
            "lower its weight until the milestones pay more than the farm",
            "watch the agent play to see how it farms",
        ),
    ),
)
