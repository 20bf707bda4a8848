"""Terms for the party's growth: experience, levels, moves and needed healing."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

from emerald_env.game import tables
from emerald_env.game.flags import BADGES
from emerald_env.state import GameState, Pokemon
from rewards.kinds import Events, Key, Marks
from rewards.terms.whiteout import woke_up

STAGES = len(BADGES) + 1
NEED = 0.5  # healing counts if the party had at most this share of its HP


RENTING = frozenset(  # where the party may be one of rented Pokémon
    location
    for location, info in tables.maps().items()
    if info.name.startswith("BattleFrontier_") or "BattleTent" in info.name
)
SHEDINJA = 303  # the game's internal number


def own(state: GameState) -> dict[Key, Pokemon]:
    """Returns the party's Pokémon, without eggs, by their permanent identity.

    A Shedinja shares its personality with the Ninjask beside which it appeared, so it is told apart
    by its species. Rented Pokémon do not count.
    """
    if state.location in RENTING:
        return {}
    return {_identity(pokemon): pokemon for pokemon in state.party if not pokemon.is_egg}


def _identity(pokemon: Pokemon) -> Key:
    key = (pokemon.personality, pokemon.ot_id)
    return (*key, SHEDINJA) if pokemon.species == SHEDINJA else key


def risers(before: GameState, after: GameState) -> Iterable[tuple[Pokemon, Pokemon]]:
    """Returns (then, now) of each Pokémon that was in the party before a step and is after it."""
    then = own(before)
    return [(then[key], now) for key, now in own(after).items() if key in then]


def joined(before: GameState, after: GameState) -> Iterable[Pokemon]:
    """Returns the Pokémon that joined the party in a step."""
    if before.party is after.party:
        return ()
    then = own(before)
    return [now for key, now in own(after).items() if key not in then]


class Experience(Marks):
    """Experience gained in the party, up to what the next badge requires.

    Each badge opens a new stage with a larger scale, so that training pays again, and never for
    long: must not reward grinding in one place. Boxes, the Day-Care, trades and eggs bring
    nothing, since a Pokémon that joins the party joins with the experience it has.
    """

    name = "experience"
    needs = ("party",)
    # Experience points after which a stage has paid 63 % of its weight: a party gains roughly so
    # much between two badges (levels of the gyms' parties on tables.experience()).
    scales = (1_000, 2_000, 4_000, 7_000, 12_000, 18_000, 25_000, 35_000, 60_000)

    def values(self, state: GameState) -> Mapping[Key, float]:
        """Returns the experience points of each Pokémon in the party."""
        return {key: pokemon.exp for key, pokemon in own(state).items()}

    def stage(self, state: GameState) -> int:
        """Returns the number of badges."""
        return stage(state)

    def unchanged(self, before: GameState, after: GameState) -> bool:
        """Tells whether the party is the same object."""
        return before.party is after.party


class Levels(Events):
    """Levels reached in the party, up to those of the next leader; the key is the level.

    A level pays once, whoever reaches it, so this is the highest level of the party, step by
    step; those of a Pokémon that joins the party are taken as given. Must not reward catching,
    trading or withdrawing strong Pokémon, nor grinding once the party is a match for the next
    leader.
    """

    name = "level"
    needs = ("party",)
    keys = max(tables.leaders("BPEE"))
    decay = 0.98

    def happened(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the levels reached in this step that nobody in the party had before."""
        if before.party is after.party:
            return ()
        leaders = tables.leaders(after.game)
        highest = leaders[min(stage(after), len(leaders) - 1)]
        return [
            level
            for then, now in risers(before, after)
            if now.level > then.level
            for level in range(then.level + 1, min(now.level, highest) + 1)
        ]

    def absorbed(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns all levels up to those of Pokémon that joined."""
        return self._up_to(joined(before, after))

    def holds(self, state: GameState) -> Iterable[Key]:
        """Returns all levels up to the party's highest."""
        return self._up_to(own(state).values())

    def _up_to(self, pokemon: Iterable[Pokemon]) -> range:
        highest = max((one.level for one in pokemon), default=0)
        return range(1, min(highest, self.keys) + 1)


class MovesLearned(Events):
    """Moves learned in the party; the key is the move.

    Must not reward forgetting and learning again, nor what a newly caught Pokémon knows.
    """

    name = "move"
    needs = ("party",)
    decay = 0.98

    def __init__(self) -> None:
        self.keys = len(tables.moves()) - 1

    def happened(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the moves that are newly known."""
        if before.party is after.party:
            return ()
        return [
            move
            for then, now in risers(before, after)
            if now.moves != then.moves
            for move in now.moves
            if move not in then.moves and 0 < move <= self.keys
        ]

    def absorbed(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the moves of Pokémon that joined."""
        return {move for pokemon in joined(before, after) for move in pokemon.moves if move}

    def holds(self, state: GameState) -> Iterable[Key]:
        """Returns the moves that the party knows."""
        return {move for pokemon in own(state).values() for move in pokemon.moves if move}


class Healing(Events):
    """A damaged party healed outside battle; the key is (badges, map).

    For each number of badges, each place pays once, and every further place half as much. Must not
    reward waking up healed after a white-out, a changed party, unneeded healing, or walking back
    and forth between tall grass and a bed.
    """

    name = "heal"
    needs = ("party",)
    decay = 0.5
    buckets = STAGES

    def __init__(self) -> None:
        self.keys = STAGES * len(tables.maps())

    def happened(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the place, if this step healed a party that needed it."""
        if before.party is after.party or before.in_battle or after.in_battle:
            return ()
        if after.location not in tables.maps() or not _made_whole(before, after):
            return ()
        return ((stage(after), after.location),)

    def holds(self, state: GameState) -> Iterable[Key]:
        """Returns nothing: healing happens, no state shows it."""
        return ()

    def bucket(self, key: Key) -> Hashable:
        """Returns the number of badges."""
        return key[0]  # type: ignore[index,no-any-return]


def stage(state: GameState) -> int:
    """Returns how many badges a state has, 0 to 8."""
    return sum(state.has(badge) for badge in BADGES)


def _made_whole(before: GameState, after: GameState) -> bool:
    then, now = own(before), own(after)
    if woke_up(before, after) or then.keys() != now.keys() or not then:
        return False
    if any(pokemon.hp < pokemon.max_hp for pokemon in now.values()):
        return False
    possible = sum(pokemon.max_hp for pokemon in then.values())
    return sum(pokemon.hp for pokemon in then.values()) <= NEED * possible
