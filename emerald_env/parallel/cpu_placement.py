"""The scheduling policy and core of a worker process."""

import os
from contextlib import suppress


def place_worker(number: int, n_workers: int) -> None:
    """Makes this worker a batch process and, with one worker per core, pins it to its own core.

    An ordinary worker runs as soon as the trainer wakes it, often on the trainer's core, which
    delays waking the next worker by a millisecond. A batch process lets the trainer continue until
    it waits. With fewer or more workers than cores the system places them, so that two trainings
    do not share a few cores. docs/BENCHMARKS.md has the effect. Does nothing outside Linux.

    Args:
        number: of the worker, from 0.
        n_workers: how many there are.
    """
    if not hasattr(os, "SCHED_BATCH"):
        return
    with suppress(OSError):  # a container may forbid it
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) == n_workers:
            os.sched_setaffinity(0, {cores[number]})
