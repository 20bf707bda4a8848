"""Many games at once: against as many envs as cores on their own, and growth with their number."""

import multiprocessing
import os
from time import perf_counter, process_time
from typing import Any

import numpy as np
import psutil

from baselines.benchmark_scenes import Work
from emerald_env.env import EmeraldEnv
from emerald_env.vec_env import SharedMemoryVecEnv, make_vec_env

MEBIBYTE = 1 << 20


class Parallel:
    """Games on worker processes; every game presses the same keys as the others."""

    def __init__(self, work: Work, n_envs: int, n_workers: int) -> None:
        self.n_envs, self.actions = n_envs, work.actions
        games = make_vec_env(work.config, n_envs, n_workers)
        assert isinstance(games, SharedMemoryVecEnv)
        self.games = games
        self.games.reset()

    def __call__(self) -> float:
        """Returns the microseconds by the clock that a step of one game takes."""
        begin = perf_counter()
        for action in self.actions:
            self.games.step(np.full(self.n_envs, action))
        return (perf_counter() - begin) / len(self.actions) / self.n_envs * 1e6

    def workers(self) -> list[psutil.Process]:
        """Returns the worker processes."""
        return [psutil.Process(worker.process.pid) for worker in self.games._workers]

    def proportional_memory(self) -> float:
        """Returns the MiB that all workers take; what several share is divided among them."""
        return sum(worker.memory_full_info().pss for worker in self.workers()) / MEBIBYTE

    def processor_seconds(self) -> float:
        """Returns the processor time of workers and trainer so far."""
        times = [process.cpu_times() for process in (*self.workers(), psutil.Process())]
        return sum(time.user + time.system for time in times)

    def close(self) -> None:
        """Ends the workers."""
        self.games.close()


def run_alone(work: Work, begin: Any, seconds: Any, rounds: int) -> None:
    """Steps one env in a process of its own, each time that all are ready."""
    env = EmeraldEnv(work.config)
    env.reset()
    actions = work.actions.tolist()
    for _ in range(rounds):
        begin.wait()
        started = perf_counter()
        for action in actions:
            env.step(action)
        seconds.put(perf_counter() - started)
    env.close()


class Alone:
    """As many processes as cores, each with one env, that know nothing of one another."""

    def __init__(self, work: Work, count: int, rounds: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._count, self._steps = count, len(work.actions)
        self._begin, self._seconds = context.Barrier(count + 1), context.Queue()
        arguments = (work, self._begin, self._seconds, rounds)
        self._processes = [
            context.Process(target=run_alone, args=arguments, daemon=True) for _ in range(count)
        ]
        for process in self._processes:
            process.start()

    def __call__(self) -> float:
        """Returns the microseconds by the clock that a step of one env takes, all at once."""
        self._begin.wait()
        mean = np.mean([self._seconds.get() for _ in range(self._count)])
        return float(mean) / self._steps * 1e6

    def close(self) -> None:
        """Waits for the processes, which end by themselves after their rounds."""
        for process in self._processes:
            process.join()


def growth(work: Work, counts: tuple[int, ...]) -> list[dict[str, float]]:
    """Returns memory and time a step with different numbers of games on all cores."""
    rows = []
    for count in counts:
        parallel = Parallel(work, count, os.cpu_count() or 1)
        parallel()
        begin = parallel.processor_seconds()
        clock = parallel()
        used = parallel.processor_seconds() - begin
        rows.append(
            {
                "games": count,
                "MiB": parallel.proportional_memory(),
                "clock": clock,
                "processor": used / len(work.actions) / count * 1e6,
            }
        )
        parallel.close()
    return rows


def long_run(work: Work, seconds: float) -> dict[str, float]:
    """Steps one env without an episode's end and says how memory and time a step grew.

    Args:
        work: whose actions are repeated.
        seconds: processor time that it may take.
    """
    env = EmeraldEnv(work.config)
    env.reset()
    times, memory, chunk = [], [], work.actions.tolist()
    begin = process_time()
    while process_time() - begin < seconds:
        started = process_time()
        for action in chunk:
            env.step(action)
        times.append((process_time() - started) / len(chunk) * 1e6)
        memory.append(psutil.Process().memory_info().rss / MEBIBYTE)
    env.close()
    tenth = max(1, len(times) // 10)
    return {
        "steps": len(times) * len(chunk),
        "microseconds, second tenth": float(np.median(times[tenth : 2 * tenth + 1])),
        "microseconds, last tenth": float(np.median(times[-tenth:])),
        "MiB, second tenth": memory[min(tenth, len(memory) - 1)],
        "MiB, last": memory[-1],
    }
