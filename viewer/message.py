"""What the wall's stream is made of: messages of JSON and pictures, compressed apart."""

import json
import struct
from typing import Any

import numpy as np
from isal import isal_zlib

from emerald_env.watching.record import Record

LENGTHS, SIZE = struct.Struct("<II"), struct.Struct("<II")
FAST = 1  # level of compression
Picture = tuple[bytes, memoryview]  # its size, its pixels


class Pictures:
    """Pictures that are packed one by one, so that only one at a time takes memory.

    Args:
        every: every how many pixels are sent in each direction; 0: no pictures.
    """

    def __init__(self, every: int) -> None:
        self._every = every
        self._packer = isal_zlib.compressobj(FAST)
        self._parts: list[bytes] = []

    def add(self, record: Record) -> None:
        """Adds a game's picture."""
        if self._every:
            size, colours = picture(record, self._every)
            self._parts += [self._packer.compress(size), self._packer.compress(colours)]

    def packed(self) -> bytes:
        """Returns all of them; nothing can be added then."""
        return b"".join([*self._parts, self._packer.flush()])


def message(facts: dict[str, Any], pictures: bytes = b"") -> bytes:
    """Returns a message: the lengths of both parts, the JSON compressed, packed pictures."""
    packed = isal_zlib.compress(json.dumps(facts, separators=(",", ":")).encode(), FAST)
    return LENGTHS.pack(len(packed), len(pictures)) + packed + pictures


def picture(record: Record, every: int = 1) -> Picture:
    """Returns width and height as u32, and pixels as u16: five bits each of red, green and blue.

    The console has only five bits per colour: nothing is lost.
    """
    pixels = record.pixels
    if every > record.every:
        pixels = np.ascontiguousarray(pixels[::2, ::2])
    height, width = pixels.shape
    return SIZE.pack(width, height), pixels.data
