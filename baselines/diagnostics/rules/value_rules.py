"""Findings about the value function."""

import math

from baselines.diagnostics import metrics as m
from baselines.diagnostics.advice import CHECK_REWARD, HALVE_RATE, Change, reward_scale
from baselines.diagnostics.finding import Severity
from baselines.diagnostics.history import History, median
from baselines.diagnostics.rule import Rule, Verdict, WhileLearning

WINDOW = 10
# Below this share of the largest value loss returns hardly vary: there is nothing to explain.
SMALL_LOSS = 0.05
MIN_UPDATES = 15  # before which there is no "before" to compare with
SB3 = "SB3's documentation: 0 is as good as guessing the mean, below 0 is worse; runs"


def _value_useless(rule: Rule, history: History) -> Verdict | None:
    recent, losses = history.last(m.EXPLAINED_VARIANCE, WINDOW), history.all(m.VALUE_LOSS)
    if not len(recent) or not len(losses):
        return None
    largest = history.kept("largest value loss", lambda: float(losses.max()))
    # where returns hardly vary there is nothing to explain, and the loss is small
    if median(losses[-WINDOW:]) < SMALL_LOSS * largest:
        return None
    # the best of them, since with long episodes it varies with the episode's phase
    best = float(recent.max())
    return rule.below(best, f"explained variance {best:.2f} at best in {WINDOW} updates")


def _value_stuck_at_one(rule: Rule, history: History) -> Verdict | None:
    values, far = history.last(m.EXPLAINED_VARIANCE, WINDOW), history.progress
    if far is None or far.learnt:
        return None
    if math.isnan(history.row.get(m.EXPLAINED_VARIANCE, 0.0)):
        return Verdict(Severity.WARNING, "explained variance undefined: all returns are equal")
    if not len(values):
        return None
    least = float(values.min())
    return rule.above(least, f"explained variance {least:.3f} or more, reward flat")


def _value_loss_blow_up(rule: Rule, history: History) -> Verdict | None:
    losses = history.all(m.VALUE_LOSS)
    if len(losses) < MIN_UPDATES or history.now(m.VALUE_LOSS) is None:
        return None
    before, now = float(losses[:-WINDOW].max()), float(losses[-1])
    ratio = now / max(before, 1e-12)
    return rule.above(ratio, f"value loss {now:.3g}, at most {before:.3g} before")


VALUE_RULES = (
    Rule(
        code="value_useless",
        check=_value_useless,
        needs=(m.EXPLAINED_VARIANCE, m.VALUE_LOSS),
        measure=f"explained variance, largest of {WINDOW} updates, below",
        warn=0.1,
        patience=5,
        source=SB3,
        meaning="The value function predicts the returns no better than a single number would, so "
        "the advantages are mostly noise.",
        advice=(
            reward_scale,
            Change("vf_coef", 2.0, why="it must be above 0", least=0.5),
            "check that the observation shows what decides the return",
            Change("n_steps", 2.0, why="longer rollouts give better targets", whole=True),
        ),
        while_learning=WhileLearning.NOTE,
    ),
    Rule(
        code="value_stuck_at_one",
        check=_value_stuck_at_one,
        needs=(m.EXPLAINED_VARIANCE, m.EPISODE_REWARD),
        measure=f"explained variance, least of {WINDOW} updates",
        warn=0.98,
        patience=1,
        meaning="The value function predicts everything that happens although nothing was learnt: "
        "the agent meets nothing new.",
        advice=(
            "watch the agent play: does anything happen, is a reward ever paid?",
            "check that gamma is above 0.9 and that rewards differ between good and bad play",
            Change("ent_coef", 2.0, why="to meet something new", least=0.01),
        ),
    ),
    Rule(
        code="value_loss_blow_up",
        check=_value_loss_blow_up,
        needs=(m.VALUE_LOSS,),
        measure="value loss / the largest before",
        warn=10,
        patience=1,
        meaning="The value function is suddenly far more wrong than before: the rewards' scale has "
        "changed, or the network was disturbed.",
        advice=(
            CHECK_REWARD,
            reward_scale,
            "bound rare large rewards, or normalise returns (VecNormalize)",
            HALVE_RATE,
        ),
        while_learning=WhileLearning.NOTE,
    ),
)
