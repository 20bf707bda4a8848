"""How many cores there are, and the scheduling policy and core of a worker process."""

import os
import select
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Final

BRIEFLY: Final = 300e-6  # seconds; between two steps without a network pass 50e-6
QUOTA: Final = Path("/sys/fs/cgroup/cpu.max")  # "200000 100000": two cores; "max 100000": all


def available_cores() -> int:
    """Returns how many cores this process may use, at least 1.

    A container, a cluster's job or `taskset` may leave it fewer than the machine has, by naming
    cores or, in a cgroup (version 2), by a share of time; parts of a core count as a whole one.
    """
    affinity = getattr(os, "sched_getaffinity", None)  # Linux only
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    with suppress(OSError, ValueError):  # no such cgroup, or no limit
        share, period = map(int, QUOTA.read_text().split())
        cores = min(cores, -(-share // period))
    return max(1, cores)


def place_worker(number: int, n_workers: int) -> bool:
    """Makes this worker a batch process and, with one worker per core, pins it to its own core.

    An ordinary worker runs as soon as the trainer wakes it, often on the trainer's core, which
    delays waking the next worker by a millisecond. A batch process lets the trainer continue until
    it waits. With fewer or more workers than cores the system places them, so that two trainings
    do not share a few cores. docs/SPEED.md has the effect. Does nothing outside Linux.

    Args:
        number: of the worker, from 0.
        n_workers: how many there are.

    Returns:
        Whether it now has a core of its own.
    """
    if not hasattr(os, "SCHED_BATCH"):
        return False
    with suppress(OSError):  # a container may forbid it
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) == n_workers:
            os.sched_setaffinity(0, {cores[number]})
            return True
    return False


def poll_briefly(poll: select.poll, seconds: float = BRIEFLY) -> bool:
    """Returns whether a message has come, after waiting for it without sleep for a short time.

    To wake a core that sleeps takes 50 µs on a virtual machine, in which all games wait. Other
    processes of the same core run first.
    """
    end = perf_counter() + seconds
    while not poll.poll(0):
        if perf_counter() >= end:
            return False
        os.sched_yield()
    return True
