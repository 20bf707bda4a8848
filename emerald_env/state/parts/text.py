"""The game's text as a string."""

from __future__ import annotations

import re
from functools import lru_cache

from emerald_env.game.tables import characters

TERMINATOR = b"\xff"
LANGUAGE_JAPANESE = 1  # of a Pokémon, whose names are then in kana in every edition of the game

_TO_JAPANESE, _TO_LATIN = b"\xfc\x15", b"\xfc\x16"
_SWITCHES = re.compile(b"(\xfc[\x15\x16])")


@lru_cache(maxsize=4096)
def decode_text(raw: bytes, japanese: bool = False) -> str:
    r"""Returns ``raw`` up to its terminator (or whole, if it has none) as a string.

    Bytes that the character set does not have are written as ``\x59``. The game's own codes that
    switch to the Japanese letters and back are followed.

    Args:
        raw: the bytes.
        japanese: whether it begins in the Japanese letters.
    """
    text, _, _ = raw.partition(TERMINATOR)
    script = "japanese" if japanese else "latin"
    found = []
    for part in _SWITCHES.split(text):
        if part in (_TO_JAPANESE, _TO_LATIN):
            script = "japanese" if part == _TO_JAPANESE else "latin"
        else:
            table = characters(script)
            found += [table.get(byte, f"\\x{byte:02X}") for byte in part]
    return "".join(found)
