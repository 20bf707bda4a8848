"""A running game's states and its cartridge's save memory, out and in."""

from typing import Any

from emerald_env.emulator.cartridge.saved_formats import (
    SAVE_SIZE,
    STATE_HEADER,
    SaveError,
    StateError,
    check_save,
    check_state,
)
from emerald_env.emulator.library import ffi, lib


class Saving:
    """What can be saved of one game.

    Args:
        game: the shim's handle.

    Attributes:
        state_size: bytes of a state.
    """

    def __init__(self, game: Any) -> None:
        self._game = game
        self.state_size = int(lib.game_state_size(game))
        self._own = self.state()[: STATE_HEADER.size]

    def state(self) -> bytes:
        """Returns a raw mGBA save state."""
        state = bytearray(self.state_size)
        if not lib.game_save_state(self._game, ffi.from_buffer(state)):
            raise StateError("libmgba could not save the state")
        return bytes(state)

    def load_state(self, state: bytes) -> None:
        """Continues from a raw mGBA save state.

        Raises:
            StateError: it is not one of this game, or libmgba refuses it; the game is unchanged.
        """
        check_state(state, self.state_size, self._own)
        if not lib.game_load_state(self._game, ffi.from_buffer(state)):
            raise StateError("libmgba refused the state: its processor values are impossible")

    def save_memory(self) -> bytes:
        """Returns the cartridge's save memory, as many bytes as it has."""
        data = bytearray(SAVE_SIZE)
        size = lib.game_read_save(self._game, ffi.from_buffer(data), SAVE_SIZE)
        return bytes(data[:size])

    def load_save_memory(self, data: bytes) -> None:
        """Loads a `.sav` file's contents into the cartridge.

        Raises:
            SaveError: they are not of this game's cartridge.
        """
        size = len(self.save_memory())
        check_save(data, size)
        if size and not lib.game_write_save(self._game, ffi.from_buffer(data[:size]), size):
            raise SaveError("libmgba refused the save")
