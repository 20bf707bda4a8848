"""The reward of the original project of 2023, term by term, with what could be farmed in it.

The formulas are those of dvruette/pokemon-emerald-experiments (`train.py`, `emerald_wrapper.py`,
`emerald_env.py::clip_reward`) and pygba's `emerald_utils`. They are here to be measured against,
not to be trained with: events count flags that change either way, and the clipping of differences
makes any fluctuation pay. Two readings differ, because a `GameState` has no more: the party is the
live one, where the original read the save's stale copy; and what is in the boxes is whoever left
the party, with the experience it had then, so that who is released stays.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from emerald_env.game import tables
from emerald_env.game.flags import (
    BADGES,
    EVENT_FLAGS_ORIGINAL_2023,
    TRAINER_FLAGS,
    VISITED_TOWNS,
    Flag,
)
from emerald_env.state import GameState, Pokemon
from emerald_env.state.bits import mask, positions
from rewards.kinds import Key, Paid
from rewards.terms.whiteout import woke_up

CLIP = "clip"  # what clipping adds to the sum of the others; weight 0 switches it off
TERMS = (
    "visit_city",
    "seen",
    "caught",
    "explore",
    "revisit",
    "heal",
    "money",
    "pokedex",
    "pokenav",
    "badge",
    "champion",
    "trainer",
    "event",
    "exp",
    CLIP,
)

FLAG_TERMS = {
    "pokedex": mask([Flag.SYS_POKEDEX_GET]),
    "pokenav": mask([Flag.SYS_POKENAV_GET]),
    "badge": mask(BADGES),
    "champion": mask([Flag.IS_CHAMPION]),
    "trainer": mask(TRAINER_FLAGS),
}
TOWNS = mask(VISITED_TOWNS)
EVENTS = mask(EVENT_FLAGS_ORIGINAL_2023)

EXP_SHAPE = 0.003
FIRST_MONEY = 3000
MONEY_CAP = 100_000  # more than this was taken for a glitch
LOSS_SHARE = 0.5  # losing money weighs half of gaining it
GAIN, LOSS = 5.0, 0.3  # the scales of the clipping, after IMPALA (arXiv 1802.01561)
NOT_A_MAP = (0, 0)  # Petalburg City, which the original took for "loading"


def clip(reward: float) -> float:
    """Returns the original's clipped reward: gains up to 5, losses up to 0.3."""
    return (GAIN if reward > 0 else LOSS) * math.tanh(reward)


def experience_reward(gained: float, weight: float = 5.0) -> float:
    """Returns what gained experience is worth, rounded to 0.01: nearly all of `weight` at 1,000."""
    return round(weight * math.tanh(EXP_SHAPE * gained), 2)


class ExplorationCells:
    """Cells of each map, 2.45 tiles apart or more; a cell pays again after 8,192 steps."""

    REVISIT, REFRESH = 8192, 4096  # steps
    NEAR = sorted(  # (dx, dy) of a squared distance below 6
        ((dx, dy) for dx in range(-2, 3) for dy in range(-2, 3) if dx * dx + dy * dy < 6),
        key=lambda d: d[0] * d[0] + d[1] * d[1],
    )

    def __init__(self) -> None:
        self._due: dict[tuple[int, int, int, int], int] = {}  # cell -> step when it pays again
        self._step = 0

    def get_state(self) -> dict[str, Any]:
        """Returns the cells and the time, as plain values."""
        return {"due": dict(self._due), "step": self._step}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` returned."""
        self._due, self._step = dict(state["due"]), state["step"]

    def tick(self) -> None:
        """Lets a step pass without a place."""
        self._step += 1

    def visit(self, state: GameState) -> str | None:
        """Lets a step pass at a place; returns "explore", "revisit" or None."""
        found = None if state.location == NOT_A_MAP else self._visit(state)
        self.tick()
        return found

    def _visit(self, state: GameState) -> str | None:
        (group, number), (x, y) = state.location, state.position
        cells = ((group, number, x + dx, y + dy) for dx, dy in self.NEAR)
        cell = next((cell for cell in cells if cell in self._due), None)
        if cell is None:
            self._due[group, number, x, y] = self._step + self.REVISIT
            return "explore"
        if self._due[cell] <= self._step:
            self._due[cell] = self._step + self.REVISIT
            return "revisit"
        self._due[cell] = max(self._due[cell], self._step + self.REFRESH)
        return None


class HealingCount:
    """Counts readings in which somebody regained more than half of its HP."""

    SHARE = 0.5
    READINGS = 4  # equal ones before a party is believed; they need not follow one another

    def __init__(self) -> None:
        self._believed: dict[int, tuple[int, int]] = {}  # personality -> (HP, most HP)
        self._candidate: dict[int, tuple[int, int]] = {}
        self._equal = 0

    def get_state(self) -> dict[str, Any]:
        """Returns the readings, as plain values."""
        readings = {"believed": dict(self._believed), "candidate": dict(self._candidate)}
        return readings | {"equal": self._equal}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` returned."""
        self._believed, self._candidate = dict(state["believed"]), dict(state["candidate"])
        self._equal = state["equal"]

    def heals(self, state: GameState, after_white_out: bool) -> bool:
        """Adds a reading; returns whether it shows a healing other than after a white-out."""
        then = self._believed
        party = {pokemon.personality: (pokemon.hp, pokemon.max_hp) for pokemon in state.party}
        if after_white_out:
            self._believe(party)
            return False
        self._read(party)
        if sum(hp for hp, _ in then.values()) == 0:
            return False
        return any(_regained(then[key], now) for key, now in self._believed.items() if key in then)

    def _read(self, party: dict[int, tuple[int, int]]) -> None:
        self._equal += party == self._candidate
        self._candidate = party
        if self._equal >= self.READINGS:
            self._believe(party)

    def _believe(self, party: dict[int, tuple[int, int]]) -> None:
        self._believed, self._candidate, self._equal = party, {}, 0


def _regained(then: tuple[int, int], now: tuple[int, int]) -> bool:
    (hp, most), (new_hp, new_most) = then, now
    missing, still_missing = most - hp, new_most - new_hp
    return new_most > 0 and (missing - still_missing) / new_most > HealingCount.SHARE


class Original2023:
    """The original's reward.

    Args:
        weights: term -> weight; a term left out weighs nothing. Those of the original's `train.py`
            are the preset original_2023.
    """

    terms: tuple[str, ...] = TERMS
    bound = math.inf

    def __init__(self, weights: Mapping[str, float]) -> None:
        self._weights = {term: weights.get(term, 0.0) for term in TERMS}
        self.restart()

    def restart(self) -> None:
        """Forgets the episode."""
        self._explore = ExplorationCells()
        self._healing = HealingCount()
        self._paid: dict[tuple[str, Key], float] = {}
        self._last: GameState | None = None
        self._first_step = True
        self._exp = self._money = 0.0
        self._gained: dict[tuple[int, int], int] = {}  # by who was ever in the party

    def absorb(self, state: GameState) -> None:
        """Takes the first state as given.

        A state loaded later is not: the original had one baseline per episode, so loading a later
        state paid all its progress at once.
        """
        if self._last is None:
            list(self._potentials(state))
            self._explore.visit(state)
            self._healing.heals(state, after_white_out=False)
            self._last = state

    def pay(self, before: GameState, after: GameState | None) -> list[Paid]:
        """Returns what a step pays, losses as negative amounts, and what the clipping adds.

        A step whose state cannot be trusted pays nothing (the original skipped black screens);
        what changed in it is paid by the next.
        """
        if after is None:
            self._explore.tick()
            return []
        last = self._last or before
        paid = [
            Paid(term, key, weight * amount)
            for term, key, amount in self._changes(last, after)
            if (weight := self._weights[term]) and amount
        ]
        paid += [Paid(term, None, amount) for term, amount in self._potentials(after) if amount]
        self._last, self._first_step = after, False
        if self._weights[CLIP] and paid:
            total = math.fsum(amount for _, _, amount in paid)
            paid.append(Paid(CLIP, None, clip(total) - total))
        for term, key, amount in paid:
            self._paid[term, key] = self._paid.get((term, key), 0.0) + amount
        return paid

    def get_state(self) -> dict[str, Any]:
        """Returns all that the episode's rest depends on: plain values and a `GameState`."""
        return {
            "explore": self._explore.get_state(),
            "healing": self._healing.get_state(),
            "paid": dict(self._paid),
            "last": self._last,
            "first_step": self._first_step,
            "worth": (self._exp, self._money),
            "gained": dict(self._gained),
        }

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` returned."""
        self._explore.set_state(state["explore"])
        self._healing.set_state(state["healing"])
        self._paid, self._last = dict(state["paid"]), state["last"]
        self._first_step = state["first_step"]
        self._exp, self._money = state["worth"]
        self._gained = dict(state.get("gained", {}))

    def known(self) -> dict[str, int]:
        """Returns nothing: every key can pay again."""
        return {}

    def left(self) -> dict[str, float]:
        """Returns nothing: no term has a bound."""
        return {}

    def paid(self) -> Mapping[tuple[str, Key], float]:
        """Returns what the episode has paid so far, by term and key."""
        return dict(self._paid)

    def _changes(self, last: GameState, after: GameState) -> Iterable[tuple[str, Key, float]]:
        """Yields (term, key, count) of terms that count things."""
        if last.flags != after.flags:
            yield from self._flag_changes(last.flag_bits, after.flag_bits)
        for term, old, new in (
            ("seen", last.pokedex_seen, after.pokedex_seen),
            ("caught", last.pokedex_caught, after.pokedex_caught),
        ):
            if old != new:
                yield from ((term, bit + 1, _sign(new, bit)) for bit in positions(old ^ new))
        found = self._explore.visit(after)
        if found:
            yield found, (*after.location, *after.position), 1.0
        if self._healing.heals(after, woke_up(last, after)):
            yield "heal", (len(after.badges), after.location), 1.0

    def _flag_changes(self, old: int, new: int) -> Iterable[tuple[str, Key, float]]:
        for term, wanted in FLAG_TERMS.items():
            yield from ((term, bit, _sign(new, bit)) for bit in positions((old ^ new) & wanted))
        if not self._first_step:  # the original had no flags to compare its first step with
            yield from (("event", bit, 1.0) for bit in positions((old ^ new) & EVENTS))
        for bit in positions((old ^ new) & TOWNS):
            met = old ^ 1 << bit
            yield "visit_city", bit, _later_towns(met) - _later_towns(old)
            old = met

    def _potentials(self, state: GameState) -> Iterable[tuple[str, float]]:
        """Yields (term, amount) of terms that pay the change of a function of the state."""
        yield "exp", self._exp_gained(state)
        money = self._money_worth(state)
        yield "money", money - self._money
        self._money = money

    def _exp_gained(self, state: GameState) -> float:
        """Returns what the experience gained in party and boxes is worth more than it was.

        Who joins the party was in a box before, and counted there.
        """
        party = {
            (pokemon.personality, pokemon.ot_id): _gained(pokemon)
            for pokemon in state.party
            if not pokemon.is_bad_egg
        }
        if any(who not in self._gained for who in party):
            self._gained = party | self._gained
            self._exp = self._exp_worth()
        self._gained |= party
        before, self._exp = self._exp, self._exp_worth()
        return self._exp - before

    def _exp_worth(self) -> float:
        gained = sum(self._gained.values())
        return experience_reward(gained, self._weights["exp"]) if gained >= 0 else self._exp

    def _money_worth(self, state: GameState) -> float:
        earned = state.money - FIRST_MONEY
        if earned >= MONEY_CAP:  # the original crashed here
            return self._money
        return self._weights["money"] * earned * (1.0 if earned > 0 else LOSS_SHARE)


def _gained(pokemon: Pokemon) -> int:
    """Returns the experience points since a Pokémon was met."""
    rate = tables.species()[pokemon.species].growth_rate
    return pokemon.exp - tables.experience()[rate][pokemon.met_level]


def _sign(bits: int, position: int) -> float:
    return 1.0 if bits >> position & 1 else -1.0


def _later_towns(flags: int) -> int:
    return max(0, sum(1 for _ in positions(flags & TOWNS)) - 1)  # one always is the first
