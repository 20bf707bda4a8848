"""Which states count as the same cell, and which of two such states is better."""

from functools import lru_cache
from typing import NamedTuple

from emerald_env.env.state_vector.details import FOE_PARTS, foe_left
from emerald_env.game.flags import TRAINER_FLAGS
from emerald_env.state import GameState, milestone_bits, switches

TILES = 2  # side of a cell's square, in tiles
HEALTH_STEPS = 100  # full health of the party is worth this many steps
LEVEL_STEPS = 40  # and so is each level of the party
LEVELS = 6  # of the strongest Pokémon per cell: fighting counts as progress, too


class Cell(NamedTuple):
    """States that the search treats as the same."""

    milestones: int  # by `Milestone.bit`
    trainers: int  # bit i: trainer i is beaten
    switches: int  # see `switches`
    group: int  # map
    number: int
    x: int  # in squares of `TILES`; 0 in a battle
    y: int
    battle: int  # 0 outside battles; else the opponent and its remaining HP
    level: int = 0  # of the party's strongest, in units of `LEVELS`

    @property
    def progress(self) -> int:
        """The number of milestones reached."""
        return self.milestones.bit_count()

    @property
    def square(self) -> tuple[int, ...]:
        """What else tells it from others on the map, but for the party and the trainers beaten."""
        return self.milestones, self.switches, self.x, self.y, self.battle

    @property
    def map(self) -> tuple[int, int]:
        """Where it is."""
        return self.group, self.number

    @property
    def rank(self) -> tuple[int, int]:
        """Progress, then strength."""
        return self.progress, self.level


class Strength(NamedTuple):
    """How fit a party is to continue."""

    health: float  # share of all hit points, 0..1; 1 for an empty party
    levels: int  # sum over the party

    def cost(self, length: int) -> float:
        """Returns the cost, in steps, of being this strong `length` steps from the start."""
        return length - HEALTH_STEPS * self.health - LEVEL_STEPS * self.levels


def cell_of(state: GameState) -> Cell:
    """Returns the cell of a state; a pure function of it."""
    x, y = (0, 0) if state.in_battle else state.position
    return Cell(
        milestone_bits(state),
        _beaten(state.flags),
        switches(state.flags),
        *state.location,
        x // TILES,
        y // TILES,
        _battle(state) if state.in_battle else 0,
        max((pokemon.level for pokemon in state.party), default=0) // LEVELS,
    )


def strength_of(state: GameState) -> Strength:
    """Returns the strength of a state's party."""
    most = sum(pokemon.max_hp for pokemon in state.party)
    left = sum(pokemon.hp for pokemon in state.party)
    return Strength(left / most if most else 1.0, sum(pokemon.level for pokemon in state.party))


@lru_cache(maxsize=64)
def _beaten(flags: bytes) -> int:
    return int.from_bytes(flags, "little") >> TRAINER_FLAGS.start & (1 << len(TRAINER_FLAGS)) - 1


def _battle(state: GameState) -> int:
    return 1 + foe_left(state) + (FOE_PARTS + 2) * state.opponent
