"""Random keys that make progress: some walk to something, others keep a direction for a while."""

from random import Random

from emerald_env.emulator import key_mask
from emerald_env.explorer.goal_walks import GoalWalks, LookAround
from emerald_env.explorer.menu_walks import MenuWalks
from emerald_env.state import GameState, Mode
from emerald_env.state.parts.field_moves import lessons_waiting

DIRECTIONS = ("up", "down", "left", "right")
PRESSED = (*DIRECTIONS, "a", "b")
KEYS = (*PRESSED, "start")
MASKS = tuple(key_mask(key) for key in KEYS)
KEEP = 0.7  # chance that a direction is pressed again: three or four tiles at a time
OPENS, TEACHES = 0.002, 0.02  # chance to open the menu on foot; where a move can be taught
# Probability of each of PRESSED when none is kept.
WALKING = (0.2, 0.2, 0.2, 0.2, 0.15, 0.05)
BLOCKED = (0.17, 0.17, 0.17, 0.17, 0.3, 0.02)  # by a wall, a person, a sign or a lever
TALKING = (0.05, 0.05, 0.05, 0.05, 0.75, 0.05)
FIGHTING = (0.06, 0.06, 0.06, 0.06, 0.71, 0.05)
CHOOSING = (0.15, 0.15, 0.1, 0.1, 0.35, 0.15)


class RandomKeys:
    """Chooses keys by the kind of screen that the game shows.

    Args:
        dice: source of randomness.
        look: returns what can be walked to; None: nothing is.
        opens_menus: whether Start is pressed now and then, and menus are chosen from.
    """

    def __init__(
        self, dice: Random, look: LookAround | None = None, opens_menus: bool = False
    ) -> None:
        self._dice = dice
        self._menus = MenuWalks(dice) if opens_menus else None
        self._walks = None if look is None else GoalWalks(dice, look)
        self._last = MASKS[0]
        self._stood = ((-1, -1), (-1, -1))  # map and tile, when the last key was chosen

    def choose(self, state: GameState | None) -> int:
        """Returns the mask of the keys to press in a state."""
        key = self._in_menus(state)
        if key is None and self._walks is not None:
            key = self._walks.next_key(state)
        if key is not None:
            self._last = MASKS[KEYS.index(key)]
            return self._last
        chances, stands = chances_in(state), self._stands_still(state)
        if chances is WALKING and self._last in MASKS[: len(DIRECTIONS)]:
            if stands:
                chances = BLOCKED
            elif self._dice.random() < KEEP:
                return self._last
        (self._last,) = self._dice.choices(MASKS[: len(PRESSED)], chances)
        return self._last

    def _in_menus(self, state: GameState | None) -> str | None:
        """Returns the key that opens a menu or leads to something in it, None if none is wanted."""
        if self._menus is None or state is None:
            return None
        if state.controllable:
            chance = TEACHES if lessons_waiting(state) else OPENS
            return "start" if self._dice.random() < chance else None
        return self._menus.next_key(state)

    def _stands_still(self, state: GameState | None) -> bool:
        """Returns whether the player is where it was when the last key was chosen."""
        stood = self._stood
        if state is not None:
            self._stood = (state.location, state.position)
        return stood == self._stood


def chances_in(state: GameState | None) -> tuple[float, ...]:
    """Returns the probability of each key in a state."""
    if state is None:
        return CHOOSING
    if state.mode is Mode.MENU:
        return CHOOSING
    if state.in_battle:
        return FIGHTING
    return WALKING if state.controllable else TALKING
