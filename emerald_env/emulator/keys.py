"""The ten keys, in the bit order of the console's KEYINPUT register."""

KEYS = ("a", "b", "select", "start", "right", "left", "up", "down", "r", "l")
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
