"""Where and when a worker process runs, so that workers do not wait for one another's core."""

import os
from contextlib import suppress


def settle(number: int, n_workers: int) -> None:
    """Settles this worker process on its core.

    A worker that is woken would run at once on the core of the trainer that wakes it, and the
    trainer come to wake the next one a millisecond later. As a batch process it lets the trainer go
    on until that waits. Where there is one worker for each core, each stays on its own; else the
    system chooses, so that the workers of two trainings do not meet on the same few. What it gives
    is in docs/BENCHMARKS.md. Linux only; elsewhere nothing happens.

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
