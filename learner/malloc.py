"""Memory that is used over and over stays with the process."""

import ctypes
import sys

# glibc's mallopt, see `man 3 mallopt`
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
LARGEST = 2**31 - 1  # bytes; the options are C integers


def keep_freed_memory() -> bool:
    """Lets this process keep the memory of arrays that it has freed, for the next ones.

    A gradient step makes and frees the same tens of megabytes each time. By default the C library
    gives them back to the system, which hands them out again page by page, each cleared at its
    first touch: with a small CNN on a CPU a third of an update. The process does not hold much more
    than it once needed at the same time.

    Returns:
        Whether the C library knows the options; Linux's glibc does, others are left as they are.
    """
    if sys.platform != "linux":
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    # threads' own heaps would give their memory back whatever the threshold
    options = ((M_MMAP_THRESHOLD, LARGEST), (M_TRIM_THRESHOLD, LARGEST), (M_ARENA_MAX, 1))
    return all([mallopt(option, value) == 1 for option, value in options])
