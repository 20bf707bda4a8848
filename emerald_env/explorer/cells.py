"""Which states count as the same place of the story, and which of two such states is better."""

from functools import lru_cache
from typing import NamedTuple

from emerald_env.game.flags import TRAINER_FLAGS
from emerald_env.state import GameState, milestone_bits, switches

TILES = 2  # a cell is a square of so many tiles a side
BATTLE_PARTS = 8  # of the opponents' hit points that are told apart
HEALTH_STEPS = 100  # a healthy party is worth a way that is so many steps longer than a fainted one
LEVEL_STEPS = 40  # the same for each level of the party
LEVELS = 6  # of the strongest Pokémon that are one cell: who fights on is not who runs ahead


class Cell(NamedTuple):
    """States that differ in nothing the search cares about."""

    milestones: int  # bit i: `tables.milestones()[i]` is reached
    trainers: int  # bit i: trainer i is beaten
    switches: int  # see `switches`
    group: int  # map
    number: int
    x: int  # in squares of `TILES`; 0 in a battle
    y: int
    battle: int  # 0 outside; else the opponent and how much of it is left
    level: int = 0  # of the party's strongest, in units of `LEVELS`

    @property
    def progress(self) -> int:
        """How many milestones are reached."""
        return self.milestones.bit_count()

    @property
    def map(self) -> tuple[int, int]:
        """Where it is."""
        return self.group, self.number

    @property
    def rank(self) -> tuple[int, int]:
        """How far and how strong, in this order."""
        return self.progress, self.level


class Strength(NamedTuple):
    """How well a party can go on."""

    health: float  # share of all hit points, 0..1; 1 for an empty party
    levels: int  # sum over the party

    def cost(self, length: int) -> float:
        """Returns how bad it is to be this strong after `length` steps from home, in steps."""
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
    """Returns how strong a state's party is."""
    most = sum(pokemon.max_hp for pokemon in state.party)
    left = sum(pokemon.hp for pokemon in state.party)
    return Strength(left / most if most else 1.0, sum(pokemon.level for pokemon in state.party))


@lru_cache(maxsize=64)
def _beaten(flags: bytes) -> int:
    return int.from_bytes(flags, "little") >> TRAINER_FLAGS.start & (1 << len(TRAINER_FLAGS)) - 1


def _battle(state: GameState) -> int:
    most = sum(pokemon.max_hp for pokemon in state.enemy_party)
    left = sum(pokemon.hp for pokemon in state.enemy_party)
    parts = -(-BATTLE_PARTS * left // most) if most else 0
    return 1 + parts + (BATTLE_PARTS + 2) * state.opponent
