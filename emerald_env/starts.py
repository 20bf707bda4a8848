"""Where an episode begins: a state of the game and what its cartridge has saved."""

from dataclasses import dataclass
from pathlib import Path

from emerald_env.emulator import GBA, StateError, key_mask
from emerald_env.state import GameState, StateReader

NEW_GAME = "new-game"
PRESS_EVERY = 20  # frames between two presses of A: long enough for a menu to answer
SETTLE = 60  # frames after which a game that was free is still free
GIVE_UP = 60 * 60 * 10  # frames, ten minutes of play


@dataclass(frozen=True)
class Start:
    """A raw mGBA state with the cartridge's save memory, which a state leaves out."""

    state: bytes
    save: bytes

    @classmethod
    def prepare(cls, gba: GBA, source: str) -> "Start":
        """Returns the start that a setting names, leaving the game there.

        Args:
            gba: the game, in any state.
            source: "new-game", or the path of a raw state, a PNG state or a `.sav`.

        Raises:
            FileNotFoundError: no file at the path.
            StateError, SaveError: the file does not fit the game.
        """
        if source == NEW_GAME:
            gba.reset()
            play_until_free(gba)
        else:
            load_file(gba, Path(source))
        return cls(gba.save_state(), gba.save_data())

    def restore(self, gba: GBA) -> None:
        """Puts the game back to this start."""
        gba.load_save(self.save)
        gba.load_state(self.state)


def load_file(gba: GBA, path: Path) -> None:
    """Loads a state or a save file; a save is continued from the title screen.

    Raises:
        FileNotFoundError: no file at the path.
        StateError, SaveError: the file does not fit the game.
    """
    if not path.is_file():
        raise FileNotFoundError(f"no start at {path}: give a state, a .sav file or {NEW_GAME!r}")
    if path.suffix.lower() == ".sav":
        gba.load_save(path.read_bytes())
        gba.reset()
        play_until_free(gba)
    else:
        gba.load_state(path.read_bytes())


def play_until_free(gba: GBA) -> None:
    """Presses A through title, menus and intro until the player can walk.

    Raises:
        StateError: that does not happen within ten minutes of play.
    """
    reader = StateReader(gba.read)
    free_since = None
    while gba.frame < GIVE_UP:
        free = is_free(reader.sample())
        free_since = (free_since or gba.frame) if free else None
        if free_since is not None and gba.frame - free_since >= SETTLE:
            return
        gba.step(0 if free else key_mask("a"), PRESS_EVERY // 2, PRESS_EVERY, render=False)
    raise StateError(f"the game did not let the player walk within {GIVE_UP // 3600} minutes")


def is_free(state: GameState | None) -> bool:
    """Returns whether the player can walk."""
    return state is not None and bool(state.controllable)
