"""Which states count as the same cell, and which of two such states is better."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from emerald_env.env.state_vector.details import FOE_PARTS, foe_left
from emerald_env.explorer.menu_walks import known_menu
from emerald_env.files.data import WHOLE_LIMIT
from emerald_env.game.flags import TRAINER_FLAGS
from emerald_env.game.tables import items
from emerald_env.state import GameState, MenuKind, Mode, milestone_bits, switches
from emerald_env.state.game_state import item_counts
from emerald_env.state.parts.field_moves import MACHINES, moves_known

TILES = 2  # side of a cell's square, in tiles
HEALTH_STEPS = 100  # full health of the party is worth this many steps
LEVEL_STEPS = 40  # and so is each level of the party
MENU_ROOM = -1  # the map group of menus
_KEPT = frozenset(item.id for item in items() if item.pocket == "key_items") | MACHINES
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
    moves: int = 0  # of the field that the party knows, see `FIELD_MOVES`
    goods: int = 0  # bit i: the bag has item i, a key item or an HM
    species: int = 0  # bit i: species i is in the party
    menu: int = 0  # 0 without one; else its kind and cursors

    @property
    def progress(self) -> int:
        """The number of milestones reached."""
        return self.milestones.bit_count()

    @property
    def square(self) -> tuple[int, ...]:
        """What else tells it from others on the map, but for the party and the trainers beaten.

        All battles with wild Pokémon are one square: in a wood they were 37 % of where bursts
        began, and nothing but walking on comes after them.
        """
        battle = min(self.battle, 1) if self.battle <= FOE_PARTS + 1 else self.battle
        things = (self.moves, self.goods, self.menu)
        return self.milestones, self.switches, self.x, self.y, battle, *things

    @property
    def room(self) -> tuple[int, int, int]:
        """Where it is: a map, or a trainer's battle there, which is worth as many bursts as one.

        A leader's battle was a few squares of the gym's hundred, and one burst in five hundred.
        """
        return self.group, self.number, self.trainer

    @property
    def trainer(self) -> int:
        """The number of the trainer who is fought; 0: none."""
        return self.battle // (FOE_PARTS + 2)

    @property
    def rank(self) -> tuple[int, int, int]:
        """Progress, then moves of the field, then strength."""
        return self.progress, self.moves.bit_count(), self.level


_LOWEST = Cell(0, 0, 0, MENU_ROOM, 0, 0, 0, 0)  # nothing else is ever negative


class Strength(NamedTuple):
    """How fit a party is to continue."""

    health: float  # share of all hit points but eggs', 0..1; 1 for an empty party
    levels: int  # sum over the party but eggs

    def cost(self, length: int) -> float:
        """Returns the cost, in steps, of being this strong `length` steps from the start."""
        return length - HEALTH_STEPS * self.health - LEVEL_STEPS * self.levels


def cell_of(state: GameState) -> Cell:
    """Returns the cell of a state; a pure function of it.

    All places and all trainers share the cells of the menus that one opens anywhere, which are
    together a room of their own; it is another room with each new thing in the bag.
    """
    level = max((pokemon.level for pokemon in state.party), default=0) // LEVELS
    goods, species = _goods(state.bag_data), 0
    for pokemon in state.party:
        species |= 1 << pokemon.species
    party = (level, moves_known(state), goods, species)
    menu = _menu(state)
    if menu and state.mode is Mode.MENU:
        return Cell(
            milestone_bits(state), 0, 0, MENU_ROOM, goods.bit_count(), 0, 0, 0, *party, menu
        )
    x, y = (0, 0) if state.in_battle else state.position
    return Cell(
        milestone_bits(state),
        _beaten(state.flags),
        switches(state.flags),
        *state.location,
        x // TILES,
        y // TILES,
        _battle(state) if state.in_battle else 0,
        *party,
        menu,
    )


def is_cell(values: Sequence[Any]) -> bool:
    """Returns whether values from a file are a cell's, perhaps of a version with fewer of them."""
    return 0 <= len(_LOWEST) - len(values) <= len(Cell._field_defaults) and all(
        type(value) is int and low <= value < WHOLE_LIMIT
        for value, low in zip(values, _LOWEST, strict=False)
    )


def strength_of(state: GameState) -> Strength:
    """Returns the strength of a state's party."""
    fighters = [pokemon for pokemon in state.party if not pokemon.is_egg]
    most = sum(pokemon.max_hp for pokemon in fighters)
    left = sum(pokemon.hp for pokemon in fighters)
    return Strength(left / most if most else 1.0, sum(pokemon.level for pokemon in fighters))


@lru_cache(maxsize=64)
def _beaten(flags: bytes) -> int:
    return int.from_bytes(flags, "little") >> TRAINER_FLAGS.start & (1 << len(TRAINER_FLAGS)) - 1


@lru_cache(maxsize=64)
def _goods(bag: bytes) -> int:
    return sum(1 << item for item in item_counts(bag) if item in _KEPT)


def _menu(state: GameState) -> int:
    """Returns a number for the menu that is open and its cursors; battles' menus have none."""
    if (menu := known_menu(state)) is None:
        return 0
    number = 0
    for value, count in ((menu.pocket, 8), (menu.cursor, 128), (menu.words, 32)):
        number = number * count + (0 if value is None else 1 + min(value, count - 2))
    return number * (len(MenuKind) + 1) + menu.kind


def _battle(state: GameState) -> int:
    return 1 + foe_left(state) + (FOE_PARTS + 2) * state.opponent
