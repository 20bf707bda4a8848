"""The text of the message box, in the game's own letters: read only on request."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emerald_env.game.symbols import Read
from emerald_env.state import GameState

STRING_VAR_4 = 0x02021FC4  # pret's gStringVar4 in the western editions; Jade's is there, too
JAPANESE = "BPEJ"  # where it is in this edition is unknown
TEXT_SIZE = 128  # letters
END = 0xFF


def dialogue_text(read: Read, state: GameState) -> NDArray[np.uint8]:
    """Returns the open message's letters, (TEXT_SIZE,), filled up with END; no message: all END.

    `emerald_env.state.parts.text.decode_text` makes a string of them.
    """
    letters = np.full(TEXT_SIZE, END, np.uint8)
    if state.dialog_open and state.game != JAPANESE:
        text = read(STRING_VAR_4, TEXT_SIZE).partition(bytes([END]))[0]
        letters[: len(text)] = np.frombuffer(text, np.uint8)
    return letters
