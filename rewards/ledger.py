"""The ledger of one episode: the keys that each term has paid, so that none pays twice."""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter, ne
from typing import Any

from emerald_env.state import GameState, milestone_bits
from rewards.kinds import EventAccount, Events, Key, MarkAccount, Marks, Paid
from rewards.preset import Preset
from rewards.terms import TERMS
from rewards.terms.story import Milestones

FIELDS = {field for term in TERMS.values() for field in term.needs}
Account = EventAccount | MarkAccount


class Ledger:
    """Pays the terms of a preset, each key once in an episode."""

    def __init__(self, preset: Preset) -> None:
        found = {name: preset.term(name) for name in (*TERMS, *preset.own)}
        self._terms = [t for name, t in found.items() if t is not None and name in preset.weights]
        self.terms = tuple(term.name for term in self._terms)
        self.bound = sum(map(preset.bound_of, self.terms))
        self._preset = preset
        self._fields = sorted(FIELDS.union(*(term.needs for term in self._terms)))
        self._values_of = attrgetter(*self._fields)
        self.restart()

    def restart(self) -> None:
        """Starts a new ledger."""
        self._accounts = [_account(term, self._preset) for term in self._terms]
        self._concerned: dict[tuple[bool, ...], tuple[list[Account], bool]] = {}
        self._reached = 0  # milestones, as `milestone_bits`
        self._seen: GameState | None = None  # the last step's state, and its `_fields`
        self._values: tuple[Any, ...] = ()

    def absorb(self, state: GameState) -> None:
        """Marks everything that is true in a state as known, unpaid."""
        self._reached |= milestone_bits(state)
        for account in self._accounts:
            account.absorb(state)

    def pay(self, before: GameState, after: GameState | None) -> list[Paid]:
        """Returns what a step pays; nothing for a step whose state cannot be trusted."""
        if after is None or after is before:
            return []
        old = self._values if before is self._seen else self._values_of(before)
        self._seen, self._values = after, self._values_of(after)
        if old == self._values:
            return []
        changed = tuple(map(ne, old, self._values))
        concerned = self._concerned.get(changed)
        if concerned is None:
            concerned = self._concerned[changed] = self._concerned_by(changed)
        accounts, story = concerned
        if story:
            self._note_milestones(after)
        paid = []  # a comprehension takes longer than the loop where nothing is paid, as mostly
        for account in accounts:
            for key, amount in account.pay(before, after):
                paid.append(Paid(account.term.name, key, amount))
        return paid

    def _note_milestones(self, state: GameState) -> None:
        """Restores the allowances if the story has advanced further than ever."""
        reached = self._reached | milestone_bits(state)
        if reached != self._reached:
            self._reached = reached
            for account in self._accounts:
                account.allowance.renew()

    def _concerned_by(self, changed: tuple[bool, ...]) -> tuple[list[Account], bool]:
        """Returns the accounts that these changed `_fields` affect, and whether milestones may."""
        fields = {field for field, is_new in zip(self._fields, changed, strict=True) if is_new}
        accounts = [one for one in self._accounts if fields.intersection(one.term.needs)]
        return accounts, not fields.isdisjoint(Milestones.needs)

    def get_state(self) -> dict[str, Any]:
        """Returns the whole ledger as plain values: milestones reached, accounts by term."""
        book = {account.term.name: account.get_state() for account in self._accounts}
        return {"reached": self._reached, "terms": book}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` returned, with the same terms."""
        self._reached = state["reached"]
        for account in self._accounts:
            account.set_state(state["terms"][account.term.name])

    def known(self) -> dict[str, int]:
        """Returns how many keys of each events term can no longer pay, paid or not."""
        return {
            account.term.name: len(account.known)
            for account in self._accounts
            if isinstance(account, EventAccount)
        }

    def left(self) -> dict[str, float]:
        """Returns what each term can still pay before the next milestone.

        That is what its bound and its limit leave; for marks, in the stages begun.
        """
        return {
            account.term.name: min(account.left, account.allowance.left)
            for account in self._accounts
        }

    def paid(self) -> Mapping[tuple[str, Key], float]:
        """Returns what the episode has paid so far, by term and key."""
        return {
            (account.term.name, key): amount
            for account in self._accounts
            for key, amount in account.paid().items()
        }


def _account(term: Events | Marks, preset: Preset) -> Account:
    weight, limit = preset.weights[term.name], preset.limit_of(term.name)
    if isinstance(term, Marks):
        return MarkAccount(term, weight, limit)
    return EventAccount(term, weight, preset.decay_of(term.name), limit)
