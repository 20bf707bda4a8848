"""The reward of an episode: two successive states in, named amounts out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from emerald_env.state import GameState
from rewards.kinds import Key, Paid
from rewards.ledger import Ledger
from rewards.original_2023 import Original2023
from rewards.preset import Preset


class Reward:
    """One episode's reward, term by term.

    Every term pays for a key once in an episode, or for the rise of a bounded mark; see `kinds`.
    Pickles and copies include its whole state, so that it can be stored with a recording; functions
    and objects must have a pickle, which those of a file have not: use `get_state` there.

    Examples:
        >>> from rewards import Reward, load_preset
        >>> reward = Reward(load_preset("default", {"badge": 5.0}))
        >>> reward.terms[:3]
        ('milestone', 'event', 'badge')

    Raises:
        ValueError: the preset has a term of somebody's own, and its code is not here, or it is an
            object that cannot be copied.
    """

    def __init__(self, preset: Preset) -> None:
        if not preset.is_loaded:
            raise ValueError(
                f"the reward {preset.name} has Python code, {', '.join(preset.unloaded)}, which no "
                "checkpoint, recording or preset brings: if it is yours, name it with --reward"
            )
        self.preset = preset
        self._own = [
            own.account(preset.weights[name])
            for name, own in preset.own.items()
            if own.term is None
        ]
        self._scorer: Ledger | Original2023 = (
            Original2023(preset.weights) if preset.formula == "original_2023" else Ledger(preset)
        )
        self.last_events: tuple[Paid, ...] = ()
        self._nothing = dict.fromkeys(self.terms, 0.0)
        self._last: GameState | None = None

    @property
    def terms(self) -> tuple[str, ...]:
        """The names of its parts; those of a function are all that it has returned so far."""
        own = (term for account in self._own for term in account.terms)
        return tuple(dict.fromkeys((*self._scorer.terms, *own)))

    @property
    def bound(self) -> float:
        """The most that an episode can pay; infinite under `original_2023` or with a function."""
        return math.inf if self._own else self._scorer.bound

    @property
    def paid(self) -> Mapping[tuple[str, Key], float]:
        """What the episode has paid so far, by (term, key)."""
        return self._scorer.paid()

    @property
    def known(self) -> Mapping[str, int]:
        """How many keys of each events term have paid or were true before."""
        return self._scorer.known()

    @property
    def left(self) -> Mapping[str, float]:
        """What each term can pay before the next milestone; a term left out has no bound."""
        return self._scorer.left()

    def reset(self, state: GameState | None) -> None:
        """Begins an episode: what is true in its first state never pays.

        Args:
            state: the first state; None: there is no game yet, and the first state that a step
                yields is used.
        """
        self._scorer.restart()
        for account in self._own:
            account.restart(state)
        self.last_events = ()
        self._last = None
        if state is not None:
            self._take(state)

    def get_state(self) -> dict[str, Any]:
        """Returns what the episode has paid and seen: plain values and the last `GameState`."""
        state = {"book": self._scorer.get_state(), "last": self._last}
        own = {account.name: account.get_state() for account in self._own}
        seen = {account.name: list(account.seen) for account in self._own}
        return state | ({"own": own, "own_terms": seen} if own else {})

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` of a reward with the same preset returned.

        "last" must be the very object that the next call gets as `before`, as it was then.
        """
        try:
            self._scorer.set_state(state["book"])
        except KeyError as missing:
            raise ValueError(
                f"what the reward remembers has no {missing}: it was written by another version "
                "of the rewards, or for another preset"
            ) from missing
        for account in self._own:
            account.set_state(state.get("own", {}).get(account.name))
            account.seen = tuple(state.get("own_terms", {}).get(account.name, ()))
        self._last = state["last"]
        self.last_events = ()

    def __call__(self, before: GameState | None, after: GameState | None) -> dict[str, float]:
        """Returns what each term pays for a step, zeros included; the reward is their sum.

        A step without a valid state after it pays nothing, and the next one is compared with the
        last valid state. If `before` is not the state of the step before (a state was
        loaded and nobody called `reset`), what is true in it does not pay, either.
        """
        terms = self._nothing.copy()
        self.last_events = ()
        if before is not None and before is not self._last:
            self._take(before)
        if self._last is not None:
            # a reward of functions alone may be of anything, such as values of memory
            events = self._scorer.pay(self._last, after) if self._scorer.terms else []
            if self._own:
                events, terms = self._with_own(self._last, after, events)
            if events:
                self.last_events = tuple(events)
                for term, _, amount in events:
                    terms[term] += amount
            self._last = self._last if after is None else after
        elif after is not None:
            self._take(after)
        return terms

    def _with_own(
        self, before: GameState, after: GameState | None, events: list[Paid]
    ) -> tuple[list[Paid], dict[str, float]]:
        """Returns the events with those of the user's functions, and the terms, paid nothing yet.

        A function is called for each step with a valid state, also where nothing changed.
        """
        if after is not None:
            paid = [each for account in self._own for each in account.pay(before, after)]
            events = [*events, *(each for each in paid if each.amount)]
        return events, dict.fromkeys(self.terms, 0.0)

    def _take(self, state: GameState) -> None:
        if self._scorer.terms:
            self._scorer.absorb(state)
        self._last = state
