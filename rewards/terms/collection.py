"""Terms for collecting: species seen and caught, and the story's items."""

from __future__ import annotations

from collections.abc import Iterable

from emerald_env.game import tables
from emerald_env.state import GameState
from emerald_env.state.bits import positions
from rewards.kinds import Events, Key

STORY_POCKETS = ("key_items", "tm_hm")


class SpeciesSeen(Events):
    """Species seen; the key is the number in the national Pokédex.

    Must not reward meeting the same species again, nor the completed Pokédex of an edited save,
    which is there from the start.
    """

    name = "seen"
    needs = ("pokedex_seen",)
    keys = tables.NATIONAL_DEX_COUNT

    def happened(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the species that this step entered as seen."""
        if before.pokedex_seen == after.pokedex_seen:
            return ()
        return list(_species(after.pokedex_seen & ~before.pokedex_seen))

    def holds(self, state: GameState) -> Iterable[Key]:
        """Returns the species seen so far."""
        return _species(state.pokedex_seen)


class SpeciesCaught(Events):
    """Species owned, however obtained; the key is the number in the national Pokédex.

    Each further one pays a little less: must not reward throwing balls at everything, catching
    what one has, releasing and catching again, nor moving Pokémon between party and boxes.
    """

    name = "caught"
    needs = ("pokedex_caught",)
    keys = tables.NATIONAL_DEX_COUNT
    decay = 0.97

    def happened(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the species that this step entered as owned."""
        if before.pokedex_caught == after.pokedex_caught:
            return ()
        return list(_species(after.pokedex_caught & ~before.pokedex_caught))

    def holds(self, state: GameState) -> Iterable[Key]:
        """Returns the species owned so far."""
        return _species(state.pokedex_caught)


class StoryItems(Events):
    """Key items and HMs, the first time that the bag holds them; the key is the item.

    Must not reward what can be bought, sold, used up or put away: balls, potions, berries and TMs
    do not count.
    """

    name = "item"
    needs = ("bag_data",)

    def __init__(self) -> None:
        self._items = frozenset(
            item.id
            for item in tables.items()
            if item.pocket == "key_items" or (item.pocket == "tm_hm" and item.name.startswith("HM"))
        )
        self.keys = len(self._items)

    def happened(self, before: GameState, after: GameState) -> Iterable[Key]:
        """Returns the items that are new in the bag."""
        if before.bag_data == after.bag_data:
            return ()
        return self._held(after) - self._held(before)

    def holds(self, state: GameState) -> Iterable[Key]:
        """Returns the key items and HMs in the bag."""
        return self._held(state)

    def _held(self, state: GameState) -> frozenset[int]:
        slots = (slot for pocket in STORY_POCKETS for slot in state.pocket(pocket))
        return self._items.intersection(slot.item for slot in slots)


def _species(dex: int) -> Iterable[int]:
    return (bit + 1 for bit in positions(dex) if bit < tables.NATIONAL_DEX_COUNT)
