"""The caller's array for grey pictures, checked once."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from emerald_env.emulator.library import ffi

WIDTH, HEIGHT = 240, 160


def shrunk(name: str, factor: int) -> tuple[int, int]:
    """Returns height and width of the picture divided by a factor.

    Args:
        name: what a message calls the factor.
        factor: a divisor of 80.

    Raises:
        ValueError: it does not divide the picture.
    """
    if factor < 1 or HEIGHT % factor or WIDTH % factor:
        raise ValueError(f"{name} must divide both {WIDTH} and {HEIGHT}, got {factor}")
    return HEIGHT // factor, WIDTH // factor


class GreyPlace:
    """An array into which `GBA.step_grey` and `GBA.grey` write the picture in grey.

    Each value is the mean of a square of pixels. Checking an array takes a microsecond; a place is
    checked once for all its pictures.

    Args:
        factor: side of a square in pixels; a divisor of 80.
        array: C-contiguous uint8 array of 160/factor x 240/factor values. The place keeps it alive.

    Raises:
        ValueError: the array is of another size or type, or `factor` does not divide the picture.
    """

    __slots__ = ("array", "factor", "pointer")

    def __init__(self, factor: int, array: NDArray[np.uint8]) -> None:
        height, width = shrunk("factor", factor)
        size = height * width
        if array.size != size or array.dtype != np.uint8 or not array.flags.c_contiguous:
            raise ValueError(
                f"the array must be {size} contiguous uint8 values for factor {factor}, "
                f"got {array.shape} of {array.dtype}"
            )
        self.factor: Final = factor
        self.array: Final = array
        self.pointer: Final = ffi.from_buffer("uint8_t *", array, require_writable=True)

    @classmethod
    def new(cls, factor: int) -> "GreyPlace":
        """Returns a new array's place, (160/factor, 240/factor, 1)."""
        return cls(factor, np.empty((*shrunk("factor", factor), 1), np.uint8))
