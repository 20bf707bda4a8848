"""A turn of a battle: which moves can be chosen, the keys that choose one, what it was worth."""

from typing import Final, NamedTuple

from emerald_env.explorer.battles.fifth_move import asks_for_lesson, fifth_move_key
from emerald_env.explorer.battles.grids import in_column, in_grid
from emerald_env.state import Battler, GameState, Menu, MenuKind

FIGHT: Final = 0  # of the actions, as their cursor counts
WON: Final = 4.0  # more than all HP and everybody fainted can be worth
# What the opponent does in a turn is mostly luck, whatever one chooses: with the weight of its own
# losses, or with one for a battle that is lost, a few tries would not tell the best move.
OWN: Final = 0.25


class Choice(NamedTuple):
    """What one of the player's does in a turn."""

    move: int  # which of its own, from 0
    aims_across: bool = False  # at the other one than the cursor begins at, of two foes


def waits_for_action(state: GameState | None) -> Menu | None:
    """Returns the menu in which a battle asks what to do; None if it does not."""
    if state is None or not state.in_battle or not state.battlers or state.menu is None:
        return None
    return state.menu if state.menu.kind is MenuKind.ACTION else None


def is_decided(state: GameState) -> bool:
    """Returns whether a battle is over, or one side has nobody left."""
    return not (state.in_battle and any(own_hp(state)) and any(foes_hp(state)))


def own_hp(state: GameState) -> list[int]:
    """Returns the HP of each of the party, as they are on the field; 0 of eggs: none can fight."""
    left = [one.hp if one.can_fight else 0 for one in state.party]
    return _as_on_field(left, state.battlers, False)


def foes_hp(state: GameState) -> list[int]:
    """Returns the HP of each of the opponent's, as they are on the field."""
    return _as_on_field([one.hp for one in state.enemy_party], state.battlers, True)


def _as_on_field(left: list[int], battlers: tuple[Battler, ...], foes: bool) -> list[int]:
    for one in battlers:
        if one.is_opponent == foes and one.party_index < len(left):
            left[one.party_index] = one.hp
    return left


def choices(state: GameState, battler: int) -> list[Choice]:
    """Returns the moves with PP, and at whom each can aim; without PP the first, to struggle.

    Args:
        state: of a battle.
        battler: who chooses.
    """
    pp = next((one.pp for one in state.battlers if one.index == battler), ())
    foes = sum(one.is_opponent and one.hp > 0 for one in state.battlers)
    moves = [move for move, left in enumerate(pp) if left] or [0]
    return [Choice(move, across) for move in moves for across in (False, True)[: max(foes, 1)]]


def worth(state: GameState) -> float:
    """Returns how a battle goes: shares of HP and of those who stand, one's own for less.

    It is -2 where nothing was done to the opponent and nobody of one's own stands, 2 `OWN` + `WON`
    where the battle is won without a loss.
    """
    own, foes = own_hp(state), foes_hp(state)
    fighters = [one for one in state.party if not one.is_egg]
    left = _share(own, [one.max_hp for one in fighters])
    left += _share([hp > 0 for hp in own], [1] * len(fighters))
    opposed = _share(foes, [one.max_hp for one in state.enemy_party])
    opposed += _share([hp > 0 for hp in foes], [1] * len(foes))
    return OWN * left - opposed + (WON if not any(foes) else 0.0)


def _share(left: list[int], most: list[int]) -> float:
    return sum(left) / max(sum(most), 1)


class TurnKeys:
    """The keys that make a choice, and those until the battle asks again.

    Args:
        choice: to make.

    Attributes:
        made: whether it was made.
    """

    def __init__(self, choice: Choice) -> None:
        self.made = False
        self._choice, self._aims = choice, choice.aims_across

    def next_key(self, state: GameState) -> str:
        """Returns the key to press now."""
        if asks_for_lesson(state):
            return fifth_move_key(state)
        menu = state.menu
        if menu is None and self.made and self._aims:
            self._aims = False
            return "right"
        if menu is None or menu.words is not None:
            return "a"
        if menu.kind is MenuKind.PARTY:
            return in_column(menu.cursor, _successor(state))
        if self.made or menu.kind not in (MenuKind.ACTION, MenuKind.MOVE):
            return "a"
        is_move = menu.kind is MenuKind.MOVE
        key = in_grid(menu.cursor, self._choice.move if is_move else FIGHT)
        self.made = is_move and key == "a"
        return key


def _successor(state: GameState) -> int:
    """Returns whom of the party to send out after somebody fainted."""
    out = {one.party_index for one in state.battlers if not one.is_opponent and one.hp}
    return next((at for at, hp in enumerate(own_hp(state)) if hp and at not in out), 0)
