"""Where an episode begins: a state of the game and what its cartridge has saved."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from emerald_env.emulator import GBA, StateError, key_mask
from emerald_env.games import open_game
from emerald_env.savefile import FlashSave, load
from emerald_env.state import GameState, StateReader

NEW_GAME = "new-game"
PRESS_EVERY = 20  # frames between two presses of A: long enough for a menu to answer
SETTLE = 60  # frames after which a game that was free is still free
PARTS = ("state", "save")
LARGEST = 1 << 20  # bytes that a state or a save may unpack to
GIVE_UP = 60 * 60 * 10  # frames, ten minutes of play


@dataclass(frozen=True)
class Start:
    """A raw mGBA state with the cartridge's save memory, which a state leaves out."""

    state: bytes
    save: bytes

    def pack(self) -> dict[str, bytes]:
        """Returns both, compressed in a millisecond to what the game really uses."""
        return {"state": zlib.compress(self.state, 1), "save": zlib.compress(self.save, 1)}

    @classmethod
    def unpack(cls, packed: Mapping[str, bytes]) -> "Start":
        """Returns what `pack` made that of.

        Raises:
            StateError: it is damaged, or not from `pack`.
        """
        try:
            parts = {n: zlib.decompressobj().decompress(packed[n], LARGEST) for n in PARTS}
        except (KeyError, TypeError, zlib.error) as error:
            raise StateError(f"a packed state of a game is damaged: {error}") from error
        return cls(**parts)

    def restore(self, gba: GBA) -> None:
        """Puts the game to this start."""
        gba.load_save(self.save)
        gba.load_state(self.state)


@lru_cache(maxsize=4)
def prepare_starts(rom: Path | None, source: str) -> tuple[Start, ...]:
    """Returns the starts that a setting names, made once in a process for all its games.

    Args:
        rom: the game; None: Jade.
        source: "new-game", the path of an mGBA state (raw or PNG) or a `.sav`, or a folder of them.

    Raises:
        FileNotFoundError: nothing is at the path, or the folder is empty.
        SaveFileError, StateError, SaveError: a file is broken or does not fit the game.
    """
    with open_game(rom) as gba:
        if source == NEW_GAME:
            play_until_free(gba)
            return (Start(gba.save_state(), gba.save_data()),)
        return tuple(load_start(gba, path) for path in start_files(Path(source)))


def start_files(path: Path) -> list[Path]:
    """Returns the file itself, or a folder's files in the order of their names.

    Raises:
        FileNotFoundError: nothing is there.
    """
    files = sorted(p for p in path.iterdir() if p.is_file()) if path.is_dir() else [path]
    if not files or not files[0].is_file():
        raise FileNotFoundError(
            f"no start at {path}: give a state, a .sav file, a folder of them or {NEW_GAME!r}"
        )
    return files


def load_start(gba: GBA, path: Path) -> Start:
    """Returns the start in a file; a `.sav` is continued from the title screen.

    Raises:
        SaveFileError, StateError, SaveError: the file is broken or does not fit the game.
    """
    content = load(path)
    if isinstance(content, FlashSave):
        gba.load_save(path.read_bytes())
        gba.reset()
        play_until_free(gba)
    else:
        gba.load_state(content.data)
    return Start(gba.save_state(), gba.save_data())


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
    return state is not None and state.controllable
