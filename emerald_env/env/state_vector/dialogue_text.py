"""The text of the message box, in the game's own letters: read only on request."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emerald_env.game.symbols import Read
from emerald_env.state import GameState

TEXT_SIZE = 128  # letters
END = 0xFF


def dialogue_text(read: Read, state: GameState, address: int) -> NDArray[np.uint8]:
    """Returns the open message's letters, (TEXT_SIZE,), filled up with END.

    `emerald_env.state.parts.text.decode_text` makes a string of them.

    Args:
        read: of the game's memory.
        state: of the game; without an open message all are END.
        address: of `gStringVar4` in this edition; 0: unknown, and all are END.
    """
    letters = np.full(TEXT_SIZE, END, np.uint8)
    if state.dialog_open and address:
        text = read(address, TEXT_SIZE).partition(bytes([END]))[0]
        letters[: len(text)] = np.frombuffer(text, np.uint8)
    return letters
