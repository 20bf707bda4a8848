"""Where a game has been, the rewards there, and photographs of the places."""

import zlib
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emerald_env.state import GameState, Mode

Location = tuple[int, int]
Tile = tuple[int, int, int, int]  # map group, map number, x, y
Door = tuple[int, int, int, int, int, int, int, int]  # the tile that is left, the one entered
# one photograph for each such rectangle of tiles and game: the screen is three times as wide and
# high, so that every tile is in several
CELL = (5, 3)
PLAYING = (Mode.OVERWORLD, Mode.DIALOG)
LOST = 2  # the game's number for a lost battle
VISITS, STILL, ENDS, LOSSES, PRACTICE = "visits", "still", "ends", "losses", "practice"
PAY = "pay/"
WALK_FRAMES = 20  # to react to a key and walk onto a tile


class Photograph(NamedTuple):
    """The screen with the player on the middle of a tile."""

    tile: Tile
    size: tuple[int, int]  # of the map, in tiles
    picture: bytes  # zlib, (160, 240, 3) uint8 RGB


@dataclass
class Sighted:
    """What was seen since the last call of `take`."""

    layers: dict[str, Counter[Tile]] = field(default_factory=lambda: defaultdict(Counter))
    doors: Counter[Door] = field(default_factory=Counter)
    photographs: list[Photograph] = field(default_factory=list)


class Sightings:
    """Collects what one game sees.

    Photographs show the player on the middle of a tile: standing still, or at the end of a step
    that was long enough to walk one tile straight on.

    Layers count steps in the overworld (`visits`), those that followed another on the same tile
    (`still`), ends of episodes, lost battles, beginnings of episodes that practise, and under
    `pay/<term>` what a term paid.

    Args:
        frame_skip: frames of a step.
    """

    def __init__(self, frame_skip: int = 0) -> None:
        self._walks_whole = frame_skip >= WALK_FRAMES
        self._sighted = Sighted()
        self._photographed: set[tuple[Location, int, int]] = set()
        self._last: GameState | None = None
        self._tile: Tile | None = None

    def begin(self, state: GameState | None, practises: bool = False) -> None:
        """Begins an episode, perhaps one that practises."""
        self._last, self._tile = state, None if state is None else tile_of(state)
        if practises and self._tile is not None:
            self._sighted.layers[PRACTICE][self._tile] += 1

    def see(self, state: GameState | None, screen: NDArray[np.uint8] | None) -> None:
        """Records the state after a step; takes a photograph of a place that has none yet.

        Args:
            state: None: the game is not playing.
            screen: (160, 240, 3) RGB; None: it was not drawn.
        """
        last, before = self._last, self._tile
        if state is None or state is last:
            if state is not None and state.mode in PLAYING and before is not None:
                self._stay(state, before, screen)
            return
        tile = tile_of(state)
        self._last, self._tile = state, tile
        layers = self._sighted.layers
        if last is not None and before is not None:
            if state.battle_outcome == LOST != last.battle_outcome:
                layers[LOSSES][before] += 1
            if state.location != last.location and not last.in_battle:
                self._sighted.doors[before + tile] += 1
        if state.mode in PLAYING:
            if tile == before:
                self._stay(state, tile, screen)
            else:
                layers[VISITS][tile] += 1
                if self._walks_whole and _went_straight(last, state):
                    self._photograph(state, tile, screen)

    def _stay(self, state: GameState, tile: Tile, screen: NDArray[np.uint8] | None) -> None:
        self._sighted.layers[VISITS][tile] += 1
        self._sighted.layers[STILL][tile] += 1
        self._photograph(state, tile, screen)

    def _photograph(self, state: GameState, tile: Tile, screen: NDArray[np.uint8] | None) -> None:
        if screen is None:
            return
        if state.controllable and state.mode is Mode.OVERWORLD and state.map_size is not None:
            cell = (state.location, tile[2] // CELL[0], tile[3] // CELL[1])
            if cell not in self._photographed:
                self._photographed.add(cell)
                picture = zlib.compress(screen.tobytes())
                self._sighted.photographs.append(Photograph(tile, state.map_size, picture))

    def pay(self, terms: Mapping[str, float]) -> None:
        """Records the reward of a step."""
        if self._tile is not None:
            for name, value in terms.items():
                if value:
                    self._sighted.layers[PAY + name][self._tile] += value  # type: ignore[assignment]

    def end(self) -> None:
        """Ends an episode."""
        if self._tile is not None:
            self._sighted.layers[ENDS][self._tile] += 1

    def take(self) -> Sighted:
        """Returns what was seen since the last call."""
        sighted, self._sighted = self._sighted, Sighted()
        sighted.layers = dict(sighted.layers)
        return sighted


def _went_straight(last: GameState | None, state: GameState) -> bool:
    """Returns whether one tile was walked without a turn, which would have taken longer."""
    if last is None or last.location != state.location or last.facing != state.facing:
        return False
    steps = zip(last.position, state.position, strict=True)
    return sum(abs(after - before) for before, after in steps) == 1


def tile_of(state: GameState) -> Tile:
    """Returns where the player is."""
    return (*state.location, *state.position)
