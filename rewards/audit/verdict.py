"""The verdict on a loop, from what its rounds paid."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from itertools import accumulate, pairwise

from rewards.terms.story import MILESTONE_TERMS

NOTHING = 1e-9
NEWS = 2  # rounds that may pay for something met by chance; farming pays more often
SILENCE = 3  # times the longest gap between payments, after which no more are expected
PARTS = 6  # eighths of the rounds, the last ones, each of which must pay less than that before it


class LoopVerdict(Enum):
    """Verdicts on a loop that is repeated forever, from the best to the worst."""

    NO_LOOP = "nothing to repeat: the walk does not return to where it began"
    ONE_ROUND = "nothing to judge: the loop was played once; more --rounds repeat it"
    ONCE = "not farmable: no round after the first pays anything"
    ENDS = "not farmable: some rounds after the first still paid, then no more"
    FADES = "not farmable: the rounds pay less and less"
    BOUNDED = "not farmable: the rounds still pay, but little is left until the next milestone"
    FARMABLE = "FARMABLE: repeating the loop pays more than a milestone"


def farmed(
    terms: Mapping[str, Sequence[float]],
    left: Mapping[str, float] | None = None,
    worth: float = 0.0,
    story: Collection[str] = MILESTONE_TERMS,
) -> dict[str, LoopVerdict]:
    """Returns the verdict on each term that paid anything.

    Each is judged separately, so that a term that fades cannot hide one that continues. If the
    terms together pay nothing in the last rounds, nothing continues: one takes what another gives.
    But where the rounds after the first have together collected more than a milestone, other than
    by milestones, the loop has been farmed, whether it ends or not: by the terms that paid most.

    Args:
        terms: what each round paid, by term.
        left: what each term can still pay before the next milestone; one left out has no bound.
        worth: what a milestone pays.
        story: the terms that pay for milestones.
    """
    verdicts = {
        term: verdict(amounts, (left or {}).get(term, math.inf), worth)
        for term, amounts in terms.items()
        if any(abs(amount) > NOTHING for amount in amounts)
    }
    together = [math.fsum(amounts) for amounts in zip(*terms.values(), strict=True)]
    if math.fsum(together[-quarter(len(together)) :]) <= NOTHING:
        verdicts = {
            term: min(found, LoopVerdict.ENDS, key=_RANK.index) for term, found in verdicts.items()
        }
    return verdicts | dict.fromkeys(_farmed_already(terms, worth, story), LoopVerdict.FARMABLE)


def collected(
    terms: Mapping[str, Sequence[float]], story: Collection[str] = MILESTONE_TERMS
) -> dict[str, float]:
    """Returns what each term, but those of milestones, paid in the rounds after the first."""
    return {term: math.fsum(amounts[1:]) for term, amounts in terms.items() if term not in story}


def _farmed_already(
    terms: Mapping[str, Sequence[float]], worth: float, story: Collection[str]
) -> list[str]:
    """Returns the fewest terms that collected most of what is worth more than a milestone."""
    amounts = sorted(collected(terms, story).items(), key=lambda item: -item[1])
    if not worth or math.fsum(amount for _, amount in amounts) <= worth:
        return []
    sums = list(accumulate(amount for _, amount in amounts))
    return [term for term, _ in amounts[: 1 + bisect_right(sums, worth)]]


def verdict(amounts: Sequence[float], left: float = math.inf, worth: float = 0.0) -> LoopVerdict:
    """Returns the verdict on a loop whose rounds paid these amounts.

    A loop is farmable unless its payments end, fade or are bounded. Payments end if the last
    quarter of the rounds pays nothing, or if at most two rounds after the first paid. They fade if
    each eighth of the rounds pays less than the one before, and the last quarter less than half of
    the quarter before. They are bounded if all later rounds together cannot pay more than a
    milestone is worth, or if more has been paid than is left.

    A loop that pays every k-th round forever is thus farmable for each k up to a quarter of the
    rounds: each quarter contains at least one period and less than two, so none pays less than
    half of another. For longer periods see `rounds_to_tell`.

    Args:
        amounts: what each round paid, the first one first.
        left: what can still be paid before the next milestone.
        worth: what a milestone pays.
    """
    later = list(amounts[1:])
    if not later:
        return LoopVerdict.ONE_ROUND if amounts else LoopVerdict.NO_LOOP
    paying = sum(amount > NOTHING for amount in later)
    if not paying:
        return LoopVerdict.ONCE
    last = math.fsum(later[-quarter(len(amounts)) :])
    if last <= NOTHING or paying < min(NEWS + 1, len(later)):
        return LoopVerdict.ENDS
    if _dies_away(later, len(amounts)):
        return LoopVerdict.FADES
    if left + math.fsum(later) <= worth or left <= math.fsum(amounts):
        return LoopVerdict.BOUNDED
    return LoopVerdict.FARMABLE


def rounds_to_tell(amounts: Sequence[float], left: float = math.inf, worth: float = 0.0) -> int:
    """Returns how many rounds it takes to distinguish an end from a long period.

    A payment that came after k rounds may come again after k more: a term that can still pay more
    than a milestone must pay nothing for three times its longest gap before it counts as ended.

    Args:
        amounts: what each round paid, the first one first.
        left: what can still be paid before the next milestone.
        worth: what a milestone pays.
    """
    if left <= worth or verdict(amounts, left, worth) is not LoopVerdict.ENDS:
        return len(amounts)
    paid_in = [number for number, amount in enumerate(amounts) if number and amount > NOTHING]
    longest = max(later - before for before, later in pairwise([0, *paid_in]))
    return max(len(amounts), 1 + paid_in[-1] + SILENCE * longest)


def worst(verdicts: Mapping[str, LoopVerdict], rounds: int) -> LoopVerdict:
    """Returns the verdict on a loop of this many rounds from those on its terms."""
    least = (LoopVerdict.NO_LOOP, LoopVerdict.ONE_ROUND, LoopVerdict.ONCE)[min(rounds, 2)]
    return max((least, *verdicts.values()), key=_RANK.index)


_RANK = list(LoopVerdict)


def quarter(rounds: int) -> int:
    """Returns the number of last rounds that a verdict rests on."""
    return max(1, rounds // 4)


def _dies_away(later: Sequence[float], rounds: int) -> bool:
    last, eighth = quarter(rounds), rounds // 8
    if not eighth:
        return False  # too few rounds to judge
    ends = range(len(later) - (PARTS - 1) * eighth, len(later) + 1, eighth)
    parts = [math.fsum(later[max(0, end - eighth) : end]) for end in ends]
    halved = 2 * math.fsum(later[-last:]) < math.fsum(later[-2 * last : -last])
    return halved and all(late < early for early, late in pairwise(parts))
