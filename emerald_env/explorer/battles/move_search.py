"""Which move does best in a turn: an emulator can try them all, and go back."""

from random import Random
from statistics import fmean
from typing import Final

from emerald_env.emulator import key_mask
from emerald_env.env.config import EnvConfig
from emerald_env.explorer.battles.battle_turns import (
    WON,
    Choice,
    TurnKeys,
    choices,
    is_decided,
    waits_for_action,
    worth,
)
from emerald_env.game.editions import Game
from emerald_env.state import GameState, StateReader

TRIES: Final = 3  # of each choice
LONGEST_WAIT: Final = 64  # frames before a try
LONGEST_TURN: Final = 100  # steps; then it counts as it stands
IMPOSSIBLE: Final = -2 * WON - 1


class MoveSearch:
    """Plays a turn with each choice, several times, and returns to where it began.

    Every try begins after another wait, in which the game's random numbers go on: a choice is
    judged by several outcomes, and not by the one that will come.

    Args:
        game: to try in.
        reader: of the same.
        config: its steps.
        dice: source of the waits.

    Attributes:
        steps: played so far.
    """

    def __init__(self, game: Game, reader: StateReader, config: EnvConfig, dice: Random) -> None:
        self._game, self._reader, self._config, self._dice = game, reader, config, dice
        self.steps = 0

    def worths(self, state: GameState) -> dict[Choice, float]:
        """Returns what each choice is worth on average, where a battle asks what to do.

        Args:
            state: in which the game is, and will be again.
        """
        options = _options(state)
        if len(options) < 2:
            return dict.fromkeys(options, 0.0)
        here, read = self._game.get_state(), self._reader.get_state()
        found = {}
        for choice in options:
            found[choice] = fmean(self._try(here, state, choice) for _ in range(TRIES))
        self._back_to(here, read)
        return found

    def most_steps(self, state: GameState) -> int:
        """Returns how many steps `worths` may take at most in a state."""
        count = len(_options(state))
        return count * TRIES * LONGEST_TURN if count > 1 else 0

    def _try(self, here: bytes, state: GameState, choice: Choice) -> float:
        self._game.set_state(here)
        self._reader.reset()
        self._reader.sample()
        self.wait()
        after = self.play_turn(state, choice)
        return self.value(after) if _took_place(state, after) else IMPOSSIBLE

    def value(self, state: GameState) -> float:
        """Returns what a turn was worth that led to a state, in which the game is."""
        return worth(state)

    def play_turn(self, state: GameState, choice: Choice) -> GameState:
        """Makes a choice; returns the state where the battle asks again, or is decided.

        Args:
            state: in which the game is: a battle asks what to do.
            choice: for the one that it asks.
        """
        keys, asked, now = TurnKeys(choice), waits_for_action(state), state
        for _ in range(LONGEST_TURN):
            now = self.press(keys.next_key(now)) or now
            again = waits_for_action(now) if keys.made else None
            if is_decided(now) or (again and asked and again.battler <= asked.battler):
                break
        return now

    def press(self, key: str) -> GameState | None:
        """Plays a step; returns the state after it."""
        hold, frames = self._config.hold_frames, self._config.frame_skip
        self._game.step(key_mask(key), hold, frames, render=False)
        self.steps += 1
        return self._reader.sample()

    def wait(self) -> None:
        """Lets some frames pass, after which the game draws other random numbers."""
        self._game.step(0, 0, 1 + self._dice.randrange(LONGEST_WAIT), render=False)

    def _back_to(self, here: bytes, read: dict[str, object]) -> None:
        self._game.set_state(here)
        self._reader.reset()
        self._reader.set_state(read)


def _options(state: GameState) -> list[Choice]:
    """Returns what can be chosen where a battle asks what to do; elsewhere nothing."""
    menu = waits_for_action(state)
    return choices(state, menu.battler) if menu else []


def _took_place(before: GameState, after: GameState) -> bool:
    """Returns whether a turn changed anything; a move that is forbidden now does not."""
    kept = ("battlers", "party", "enemy_party")
    return any(getattr(before, part) != getattr(after, part) for part in kept)
