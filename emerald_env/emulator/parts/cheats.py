"""Cheat codes."""

from typing import Any

from emerald_env.emulator.library import ffi, lib

MAX_LENGTH = 4000  # characters


class Cheats:
    """Cheats that mGBA applies after each frame, as `GBA.gameshark`.

    Codes are those of GameShark, Action Replay, Code Breaker, or `ADDRESS:VALUE` with 2, 4 or 8
    digits; several lines are one cheat. Codes that patch the ROM are refused: whoever looks at the
    ROM would see another one.
    """

    def __init__(self, game: Any) -> None:
        self._game = game
        self._added: dict[str, Any] = {}

    def add(self, code: str) -> None:
        """Adds a cheat; it stays until it is removed, states or not.

        Raises:
            ValueError: it is no code that mGBA understands, patches the ROM, or is there already.
        """
        if code in self._added:
            raise ValueError(f"this cheat was added before: {code!r}")
        if len(code) > MAX_LENGTH or not code.isascii() or "\0" in code:
            raise ValueError(f"a cheat has at most {MAX_LENGTH:,} ASCII characters")
        added = ffi.new("void **")
        wrong = lib.game_add_cheat(self._game, code.encode(), added)
        if wrong == lib.CHEAT_PATCHES_ROM:
            raise ValueError(f"this cheat patches the ROM, which stays as it is: {code!r}")
        if wrong:
            raise ValueError(
                f"not a cheat of GameShark, Action Replay, Code Breaker or ADDRESS:VALUE: {code!r}"
            )
        self._added[code] = added[0]

    def remove(self, code: str) -> None:
        """Removes a cheat; what it wrote stays in memory.

        Raises:
            ValueError: it was not added.
        """
        if code not in self._added:
            raise ValueError(f"no such cheat was added: {code!r}")
        lib.game_remove_cheat(self._game, self._added.pop(code))

    def clear_all(self) -> None:
        """Removes all cheats."""
        for code in list(self._added):
            self.remove(code)
