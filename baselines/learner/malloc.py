"""Keeps freed memory in the process, for reuse."""

import ctypes
import sys

# glibc's mallopt, see `man 3 mallopt`
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
MAX_C_INT = 2**31 - 1  # bytes; the options are C integers


def keep_freed_memory() -> bool:
    """Lets this process keep the memory of freed arrays for later ones.

    Each gradient step allocates and frees the same tens of megabytes. By default the C library
    returns them to the system, which hands them out again page by page, each cleared at its first
    touch: with a small CNN on a CPU that takes a third of an update. The process keeps little more
    than its peak.

    Returns:
        Whether the C library has these options; glibc has, others are left unchanged.
    """
    if sys.platform != "linux":
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    # threads' own heaps would give their memory back whatever the threshold
    options = ((M_MMAP_THRESHOLD, MAX_C_INT), (M_TRIM_THRESHOLD, MAX_C_INT), (M_ARENA_MAX, 1))
    return all([mallopt(option, value) == 1 for option, value in options])
