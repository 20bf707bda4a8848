"""Where a state vector holds what, and how its numbers are read back as whole ones."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from emerald_env.env.state_vector import details
from emerald_env.game.flags import BADGES
from emerald_env.game.symbols import PARTY_SIZE
from emerald_env.state import N_SWITCHES, Facing, Mode

MODES, FACINGS = tuple(Mode), tuple(Facing)
MAP_GROUPS, MAPS, MAP_TILES = (
    34,
    128,
    128,
)  # a map's group and number, and a position, are divided by
N_MILESTONES = 86  # bits; none of the milestones added later, for the layout of old checkpoints


@dataclass(frozen=True)
class StateLayout:
    """The parts of the vectors of `observe_state`, and of `observe_fully`, which are longer.

    All methods take single vectors, (n, size) or longer; `newest` gets them from stacked ones.
    """

    controllable: int = len(MODES) + len(FACINGS)  # modes and facings come before
    battle: int = MODES.index(Mode.BATTLE)
    menu: int = MODES.index(Mode.MENU)

    @cached_property
    def map_and_tile(self) -> slice:
        """Map group and number, x and y in the map; global x and y come after."""
        return slice(self.controllable + 1, self.controllable + 5)

    @cached_property
    def coordinates(self) -> slice:
        """X and y in the map, then global x and y."""
        return slice(self.map_and_tile.stop - 2, self.map_and_tile.stop + 2)

    @cached_property
    def where(self) -> list[int]:
        """Facing, map and tile, switches and trainers beaten."""
        facing = range(len(MODES), self.controllable)
        there = range(self.map_and_tile.start, self.map_and_tile.stop)
        return [*facing, *there, *range(self.switched.start, self.switched.stop)]

    @property
    def switched(self) -> slice:
        """What scripts switched and which trainers are beaten, folded; their number, up to 256."""
        return slice(self.size, self.size + N_SWITCHES + 1)

    @cached_property
    def levels(self) -> slice:
        """The level of each Pokémon of the party, in hundredths."""
        start = self.map_and_tile.stop + 2
        return slice(start, start + 2 * PARTY_SIZE, 2)

    @cached_property
    def health(self) -> slice:
        """The share of HP left of each Pokémon of the party, 0 to 1."""
        return slice(self.levels.start + 1, self.levels.stop, 2)

    @cached_property
    def milestones(self) -> slice:
        """Each milestone of the story, after badges and the numbers of species."""
        start = self.levels.stop + len(BADGES) + 2
        return slice(start, start + N_MILESTONES)

    @property
    def size(self) -> int:
        """Numbers of `observe_state`."""
        return int(self.milestones.stop)

    @property
    def full_size(self) -> int:
        """Numbers of `observe_fully`."""
        return self.size + details.SIZE

    @property
    def foe_left(self) -> int:
        """The opponents' remaining hit points; the numbers from here on are 0 outside battles."""
        return self.size + details.FOE_LEFT

    @property
    def double_battle(self) -> int:
        """Whether a battle is two against two."""
        return self.foe_left + 2

    @property
    def opponent(self) -> slice:
        """Level and share of HP left of the opponent's Pokémon, in a battle."""
        start = self.double_battle + 1 + details.FIGHTER_SIZE  # after one's own
        return slice(start, start + 2)

    @property
    def own_moves(self) -> slice:
        """Power and PP of each move of one's own, in a battle."""
        return slice(self.full_size - 2 * details.MAX_MOVES, self.full_size)

    @cached_property
    def scales(self) -> NDArray[np.float64]:
        """The factors that make numbers whole again, (full_size,); 0: not used to tell places."""
        scales = np.zeros(self.full_size)
        scales[: self.controllable + 1] = 1
        scales[self.map_and_tile] = MAP_GROUPS, MAPS, MAP_TILES, MAP_TILES
        scales[self.milestones] = 1
        scales[self.size : self.size + N_SWITCHES] = 1
        scales[self.size + details.TRAINERS_BEATEN] = details.TRAINERS_SCALE
        scales[self.foe_left] = details.FOE_PARTS
        return scales

    def newest(self, stacked: Any) -> Any:
        """Returns the last of each stack of `observe_fully`'s vectors."""
        return stacked[..., -self.full_size :]

    def progress(self, states: Any) -> Any:
        """Returns how many of the vector's milestones are reached, (n,) float32."""
        return states[:, self.milestones].sum(axis=1)

    def is_game(self, states: Any) -> Any:
        """Returns whether a game is running, (n,) bool."""
        return states[:, : len(MODES)].any(axis=1)

    def in_battle(self, states: Any) -> Any:
        """Returns whether `observe_fully`'s vectors show a battle, (n,) bool."""
        return states[:, [self.battle, *range(self.foe_left, self.full_size)]].any(axis=1)

    def is_choice(self, states: Any) -> Any:
        """Returns whether `observe_fully`'s vectors show a menu or a battle, (n,) bool."""
        return self.in_battle(states) | (states[:, self.menu] > 0)

    def places(self, states: NDArray[np.float32]) -> list[tuple[int, ...]]:
        """Returns (map group, map number, x, y, number of milestones reached) for each.

        Raises:
            ValueError: they are not single vectors, but for instance stacked.
        """
        if states.shape[1:] not in ((self.size,), (self.full_size,)):
            raise ValueError(
                f"the state vectors are {states.shape}: they must be (n, {self.size}) or "
                f"(n, {self.full_size})"
            )
        where = np.empty((len(states), 5), np.float32)
        where[:, :4] = states[:, self.map_and_tile] * self.scales[self.map_and_tile]
        where[:, 4] = self.progress(states)
        return [tuple(row) for row in np.rint(where).astype(int).tolist()]


LAYOUT: Final = StateLayout()
