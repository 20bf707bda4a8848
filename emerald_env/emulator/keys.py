"""The ten keys, in the bit order of the console's KEYINPUT register, and which are down."""

from collections.abc import Container, Iterator

KEYS = ("a", "b", "select", "start", "right", "left", "up", "down", "r", "l")
# pygame's numbers of the keyboard's keys, as mGBA assigns them
KEYBOARD = {
    "up": 1073741906,
    "down": 1073741905,
    "right": 1073741903,
    "left": 1073741904,
    "a": ord("x"),
    "b": ord("z"),
    "start": ord("\r"),
    "select": ord("\b"),
    "l": ord("a"),
    "r": ord("s"),
}
_BITS = {key: 1 << bit for bit, key in enumerate(KEYS)}


def key_mask(*keys: str) -> int:
    """Returns the keys as one bit mask.

    Raises:
        ValueError: a name is not one of `KEYS`.
    """
    unknown = [key for key in keys if key not in _BITS]
    if unknown:
        raise ValueError(f"no key named {unknown[0]!r}: the keys are {', '.join(KEYS)}")
    return sum(_BITS[key] for key in set(keys))


def keyboard_mask(down: Container[int]) -> int:
    """Returns the mask of the keys that are down on a keyboard, given pygame's numbers of those."""
    return key_mask(*(key for key, number in KEYBOARD.items() if number in down))


class Keypad:
    """The keys that are down in the next frames.

    Attributes:
        held: mask of the keys that stay down until they are released.
    """

    def __init__(self) -> None:
        self.held = 0
        self._tapped: dict[int, int] = {}  # mask of a key -> frames until it is released

    def tap(self, key: str, frames: int) -> None:
        """Presses a key for this many frames.

        Raises:
            ValueError: an unknown key, or fewer frames than 1.
        """
        if frames < 1:
            raise ValueError(f"delay must be at least 1 frame, got {frames}")
        self._tapped[key_mask(key)] = frames

    def stretches(self, frames: int, more: int = 0) -> Iterator[tuple[int, int]]:
        """Yields masks of the keys that are down, and for how many of the next frames.

        Args:
            frames: in all.
            more: mask of keys that are down beside these.
        """
        while self._tapped and frames:
            part = min(frames, *self._tapped.values())
            frames -= part
            keys = self.held | more
            for key in self._tapped:
                keys |= key
            self._tapped = {key: n - part for key, n in self._tapped.items() if n > part}
            yield keys, part
        if frames:
            yield self.held | more, frames
