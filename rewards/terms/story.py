"""Terms for the story: flags and variables that the game sets when something is achieved."""

from __future__ import annotations

from collections.abc import Iterable

from emerald_env.game import tables
from emerald_env.game.flags import BADGES, TRAINER_FLAGS, VISITED_TOWNS, Flag
from emerald_env.state import GameState, milestone_bits, milestones_done, milestones_in
from emerald_env.state.bits import mask, positions
from rewards.kinds import Events, Key

EVENT_WORTH = {"story": 1.0, "side": 0.25}  # by `FlagInfo.pays`; what is judged else pays nothing
# What these pay for is a milestone of the story, each of which there is once
MILESTONE_TERMS = frozenset(
    ("milestone", "badge", "champion", "pokedex", "pokenav", "town", "visit_city")
)
FOUND_CATEGORIES = ("hidden_item", "item_ball")


def lasting_flags(categories: Iterable[str]) -> frozenset[int]:
    """Returns the flags of some categories that a new game lacks and that nothing clears again.

    Excluded, by the columns `toggles` and `initial` of flags.csv in emerald_env/game/data:
    flags that scripts set and clear (the ferry's, gym switches, decorations, time of day), those of
    a map load or a day, and what a new game sets.
    """
    wanted = frozenset(categories)
    return frozenset(
        info.id
        for info in tables.flags().values()
        if info.category in wanted and not info.toggles and not info.initial
    )


def judged_flags(verdicts: Iterable[str]) -> frozenset[int]:
    """Returns the flags of which the column `pays` of flags.csv says one of some words."""
    wanted = frozenset(verdicts)
    return frozenset(info.id for info in tables.flags().values() if info.pays in wanted)


_GYM_TRAINERS = mask(info.id for info in tables.flags().values() if info.gym)


def marked_by_leader(before: GameState, after: GameState) -> list[int]:
    """Returns the flags of a gym's trainers that this step set where the gym's badge is won.

    There are none in Jade, whose leaders set no flags but their own: its trainers can be fought
    after them.
    """
    risen = after.flag_bits & ~before.flag_bits & _GYM_TRAINERS
    if not risen or after.game == "JADE":
        return []
    gyms = [(flag, tables.flags()[flag].gym) for flag in positions(risen)]
    return [flag for flag, gym in gyms if after.has(BADGES[gym - 1])]


class FlagEvents(Events):
    """Flags that were clear before a step and are set after it."""

    flags: frozenset[int]
    needs = ("flags",)

    def __init__(self) -> None:
        self.keys = len(self.flags)
        self._mask = mask(self.flags)

    def happened(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the numbers of the term's flags that this step set."""
        if before.flags == after.flags:
            return ()
        return list(positions(after.flag_bits & ~before.flag_bits & self._mask))

    def holds(self, state: GameState) -> Iterable[Key]:
        """Returns the numbers of the term's flags that are set."""
        return positions(state.flag_bits & self._mask)


class StoryEvents(FlagEvents):
    """Flags of scripts: what the story did in full, gifts and other side content a quarter.

    Each flag is judged in flags.csv (`pays`). Must not reward flags that can be cleared, refusing,
    talking, walking in, registrations for Match Call, contests and the Battle Frontier, nor what
    another term pays: milestones, badges, moves taught, and items lying about.
    """

    name = "event"
    flags = judged_flags(EVENT_WORTH)

    def worth(self, key: Key, state: GameState) -> float:
        """Returns 1 for the story, a quarter for side content."""
        return EVENT_WORTH[tables.flags()[key].pays]  # type: ignore[index]


class Badges(FlagEvents):
    """The eight badges. Must not reward a gym's trainers or switches, which are no badge."""

    name = "badge"
    flags = frozenset(BADGES)


class TrainersBeaten(FlagEvents):
    """Trainers beaten, each once.

    Must not reward rematches: neither those that clear the trainer's flag, nor those that set the
    flag of the same trainer's next team (`rematch` in flags.csv); nor a gym's trainers after its
    leader, whose script sets the flags of all whom nobody fought (`gym` in flags.csv).
    """

    name = "trainer"
    flags = judged_flags(["fight"]) & frozenset(TRAINER_FLAGS)

    def absorbed(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the flags of those whom a gym's leader marks as beaten."""
        return marked_by_leader(before, after)


class TownsVisited(FlagEvents):
    """The sixteen towns and cities that Fly knows. Must not reward coming back to one."""

    name = "town"
    flags = frozenset(VISITED_TOWNS)


class Champion(FlagEvents):
    """The title of champion. Must not reward the Elite Four again after a white-out."""

    name = "champion"
    flags = frozenset({Flag.IS_CHAMPION})


class PokedexReceived(FlagEvents):
    """Receiving the Pokédex. Must not reward opening it."""

    name = "pokedex"
    flags = frozenset({Flag.SYS_POKEDEX_GET})


class PokenavReceived(FlagEvents):
    """Receiving the PokéNav. Must not reward opening it."""

    name = "pokenav"
    flags = frozenset({Flag.SYS_POKENAV_GET})


class ItemsFound(FlagEvents):
    """Items lying about or hidden, picked up.

    Must not reward what regrows or reappears with time (berries, Shoal Cave): their flags toggle.
    Buying and selling sets no flags.
    """

    name = "found"
    flags = lasting_flags(FOUND_CATEGORIES)


class Milestones(Events):
    """The steps of the story in `tables.milestones()`; the key is the slug.

    A milestone pays the first time, even if its flag is cleared later (the Elite Four's after a
    white-out): must not reward the same victory twice, nor the rooms of a gym that are opened with
    the leader's defeat.
    """

    name = "milestone"
    needs = ("flags", "vars", "party")

    def __init__(self) -> None:
        self.keys = len(tables.milestones())

    def happened(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the slugs of the milestones that this step reached."""
        same_story = before.flags == after.flags and before.vars == after.vars
        if same_story and len(before.party) == len(after.party):
            return ()
        risen = milestone_bits(after) & ~milestone_bits(before)
        return [step.slug for step in milestones_in(risen)]

    def absorbed(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the slugs of those shown by trainers whom a leader marks as beaten."""
        if not (marked := marked_by_leader(before, after)):
            return ()
        return [s.slug for s in tables.milestones() if s.kind == "flag" and s.id in marked]

    def holds(self, state: GameState) -> Iterable[Key]:
        """Returns the slugs of the milestones whose condition is met."""
        return milestones_done(state)
