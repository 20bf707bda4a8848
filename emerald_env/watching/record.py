"""What a live file holds of one game: its picture, often, and details, which change rarely."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emerald_env.emulator import SCREEN_SHAPE
from emerald_env.state import GameState
from emerald_env.watching.state_bytes import SIZE as STATE_SIZE
from emerald_env.watching.state_bytes import pack, unpack

COUNT = struct.Struct("<I")  # before and after each part: whether it is half written
# count, episode, step, reward so far, one of how many pixels a side there is, whether the place is
# known, map group, map number, x and y
_RECORD = struct.Struct("<IIIfI?3x4h")
_DETAILS = struct.Struct("<II")  # count, step of the latest payment
MAX_TERMS = 40
_TERMS = struct.Struct(f"<{MAX_TERMS}f")
_PIXELS = SCREEN_SHAPE[0] * SCREEN_SHAPE[1]
DETAILS_SIZE = _DETAILS.size + 2 * _TERMS.size + STATE_SIZE + COUNT.size
"""Bytes of a game's details."""


@dataclass(frozen=True)
class Record:
    """A game at one moment."""

    count: int  # rises with each record of the game
    episode: int
    step: int  # of the episode
    reward: float  # of the episode so far
    every: int  # 2: the picture is half as wide and high, else 1
    place: tuple[int, int, int, int] | None  # map group, map number, x and y; None: unknown
    pixels: NDArray[np.uint16]  # (160, 240) or (80, 120), see `GBA.colours`

    @classmethod
    def from_bytes(cls, content: bytes) -> "Record | None":
        """Returns the record in a slot, None if it is empty or half written."""
        count, episode, step, reward, every, known, *place = _RECORD.unpack_from(content)
        if not count or every not in (1, 2) or len(content) < record_size(every):
            return None
        (after,) = COUNT.unpack_from(content, record_size(every) - COUNT.size)
        if count != after:
            return None
        pixels = np.frombuffer(content, "<u2", _PIXELS // every**2, _RECORD.size)
        picture = pixels.reshape(SCREEN_SHAPE[0] // every, SCREEN_SHAPE[1] // every)
        group, number, x, y = place
        where = (group, number, x, y) if known else None
        return cls(count, episode, step, reward, every, where, picture)


@dataclass(frozen=True)
class Details:
    """What a viewer needs to know of a game a few times a second."""

    paid_at: int  # step of the latest payment
    paid: tuple[float, ...]  # the latest payment, by term
    sums: tuple[float, ...]  # the episode's reward so far, by term
    state: GameState | None

    @classmethod
    def from_bytes(cls, content: bytes) -> "Details | None":
        """Returns the details in a slot, None if they are missing or half written."""
        count, paid_at = _DETAILS.unpack_from(content)
        (after,) = COUNT.unpack_from(content, DETAILS_SIZE - COUNT.size)
        if not count or count != after:
            return None
        at = _DETAILS.size + 2 * _TERMS.size
        paid, sums = (_TERMS.unpack_from(content, at - n * _TERMS.size) for n in (2, 1))
        return cls(paid_at, paid, sums, unpack(content[at : at + STATE_SIZE]))


def pack_record(
    count: int, episode: int, step: int, reward: float, state: GameState | None, every: int = 1
) -> bytes:
    """Returns a record without its picture; the arguments are `Record`'s."""
    place = (0, 0, 0, 0) if state is None else (*state.location, *state.position)
    return _RECORD.pack(count, episode, step, reward, every, state is not None, *place)


def pack_details(
    count: int,
    paid_at: int,
    paid: Sequence[float],
    sums: Sequence[float],
    state: GameState | None,
) -> bytes:
    """Returns a game's details; `count` is not 0 and differs each time."""
    numbers = _DETAILS.pack(count, paid_at) + _pack_terms(paid) + _pack_terms(sums)
    return numbers + pack(state) + COUNT.pack(count)


def record_size(every: int) -> int:
    """Returns the bytes of a record with its picture."""
    return _RECORD.size + _PIXELS // every**2 * 2 + COUNT.size


def pixel_ratio(content: bytes) -> int:
    """Returns `Record.every` of a record's first bytes, 0 if it is impossible."""
    every = int(_RECORD.unpack_from(content)[4])
    return every if every in (1, 2) else 0


def _pack_terms(values: Sequence[float]) -> bytes:
    return _TERMS.pack(*values[:MAX_TERMS], *([0.0] * (MAX_TERMS - len(values))))
