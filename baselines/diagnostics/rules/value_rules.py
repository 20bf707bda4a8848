"""Findings about the value function."""

from baselines.diagnostics import metrics as m
from baselines.diagnostics.finding import Cause
from baselines.diagnostics.history import History, median
from baselines.diagnostics.rules.rule import Reading, Rule

WINDOW = 10
# Below this share of the largest value loss returns hardly vary: there is nothing to explain.
SMALL_LOSS = 0.05
MIN_UPDATES = 15  # before which there is no "before" to compare with
SB3 = "SB3's documentation: 0 is as good as guessing the mean, below 0 is worse; runs"


def _explained(history: History) -> Reading | None:
    # SB3's compares values with lambda-returns, which contain the values themselves
    honest = m.EXPLAINED_RETURNS in history.names
    name = m.EXPLAINED_RETURNS if honest else m.EXPLAINED_VARIANCE
    recent, losses = history.last(name, WINDOW), history.all(m.VALUE_LOSS)
    if not len(recent) or not len(losses):
        return None
    largest = history.kept("largest value loss", lambda: float(losses.max()))
    # where returns hardly vary there is nothing to explain, and the loss is small
    if median(losses[-WINDOW:]) < SMALL_LOSS * largest:
        return None
    # the best of them, since with long episodes it varies with the episode's phase
    best = float(recent.max())
    return Reading(best, f"{name} {best:.2f} at best in {WINDOW} updates")


def _loss_growth(history: History) -> Reading | None:
    losses = history.all(m.VALUE_LOSS)
    if len(losses) < MIN_UPDATES or history.now(m.VALUE_LOSS) is None:
        return None
    before, now = float(losses[:-WINDOW].max()), float(losses[-1])
    return Reading(now / max(before, 1e-12), f"value loss {now:.3g}, at most {before:.3g} before")


VALUE_RULES = (
    Rule(
        code="value_useless",
        read=_explained,
        needs=(f"{m.EXPLAINED_VARIANCE}|{m.EXPLAINED_RETURNS}", m.VALUE_LOSS),
        measure=f"explained variance, largest of {WINDOW} updates, below",
        warn=0.1,
        below=True,
        patience=5,
        in_episodes=True,
        cause=Cause.CRITIC,
        source=SB3,
        meaning="The value function predicts the returns no better than a single number would, so "
        "the advantages are mostly noise.",
    ),
    Rule(
        code="value_loss_blow_up",
        read=_loss_growth,
        needs=(m.VALUE_LOSS,),
        measure="value loss / the largest before",
        warn=10,
        patience=1,
        cause=Cause.LOOK,
        noted=True,
        meaning="The value function is suddenly far more wrong than before: the rewards' scale has "
        "changed, or the network was disturbed.",
    ),
)
