"""The game's text as a string."""

from __future__ import annotations

from functools import lru_cache

from emerald_env.game.tables import characters

TERMINATOR = 0xFF


@lru_cache(maxsize=4096)
def decode_text(raw: bytes) -> str:
    r"""Returns ``raw`` up to its terminator (or whole, if it has none) as a string.

    Bytes that the Latin character set does not have are written as ``\x59``.
    """
    table = characters()
    text, _, _ = raw.partition(bytes([TERMINATOR]))
    return "".join(table.get(byte, f"\\x{byte:02X}") for byte in text)
