"""Many games at once: compared with one env per core, and growth with their number."""

import multiprocessing
from multiprocessing.connection import Connection
from time import perf_counter, process_time

import numpy as np
import psutil
from numpy.typing import NDArray

from baselines.games.vec_games import make_vec_env
from emerald_env.env.env import EmeraldEnv
from emerald_env.parallel.cpu_placement import available_cores
from emerald_env.parallel.vec_env import SharedMemoryVecEnv
from experiments.benchmarks.layers import IN_TURN
from experiments.benchmarks.scenes import Work, open_env

MEBIBYTE = 1 << 20
TENTHS, STRETCHES = 10, 20  # of a long run, and of a tenth
MIN_RUN_STEPS = TENTHS * STRETCHES  # steps


class Parallel:
    """Games on worker processes; all games press the same keys."""

    def __init__(self, work: Work, n_envs: int, n_workers: int) -> None:
        self.n_envs = n_envs
        games = make_vec_env(work.config, n_envs, n_workers)
        assert isinstance(games, SharedMemoryVecEnv)
        self.games = games
        self.games.reset()

    def begin(self, work: Work) -> None:
        """Does nothing: the games continue from block to block."""

    def run(self, work: Work) -> float:
        """Returns the wall-clock microseconds per step of one game."""
        begin = perf_counter()
        for action in work.actions:
            self.games.step(np.full(self.n_envs, action))
        return (perf_counter() - begin) / len(work.actions) / self.n_envs * 1e6

    def workers(self) -> list[psutil.Process]:
        """Returns the worker processes."""
        return [psutil.Process(worker.process.pid) for worker in self.games._workers]

    def proportional_memory(self) -> float:
        """Returns the MiB of all workers; shared memory is divided among them."""
        return float(sum(worker.memory_full_info().pss for worker in self.workers()) / MEBIBYTE)

    def processor_seconds(self) -> float:
        """Returns the processor time of workers and trainer so far."""
        times = [process.cpu_times() for process in (*self.workers(), psutil.Process())]
        return float(sum(time.user + time.system for time in times))

    def close(self) -> None:
        """Ends the workers."""
        self.games.close()


def run_alone(work: Work, count: int, pipe: Connection) -> None:
    """Steps envs in turn in a process of its own, on request."""
    envs = [open_env(work.config) for _ in range(count)]
    for env in envs:
        env.reset()
    pipe.send(0.0)
    while True:
        try:
            actions = pipe.recv()
        except EOFError:
            return
        begin = perf_counter()
        for action in actions:
            for env in envs:
                env.step(action)
        pipe.send((perf_counter() - begin) / len(actions) / count)


class Alone:
    """As many independent processes as cores, each with one env or several.

    Args:
        work: gives the settings.
        processes: how many.
        count: envs of each, which it steps in turn.
    """

    def __init__(self, work: Work, processes: int, count: int = 1) -> None:
        context = multiprocessing.get_context("spawn")
        self._count, self._pipes = count, []
        for _ in range(processes):
            ours, theirs = context.Pipe()
            arguments = (work.part(0, 0), count, theirs)
            context.Process(target=run_alone, args=arguments, daemon=True).start()
            theirs.close()
            self._pipes.append(ours)
        for pipe in self._pipes:
            pipe.recv()

    def begin(self, work: Work) -> None:
        """Does nothing: the games continue from block to block."""

    def run(self, work: Work) -> float:
        """Returns the wall-clock microseconds per step, of all processes together.

        Each runs eight times as many steps of one env as there are in the block.
        """
        actions = np.tile(work.actions, max(1, IN_TURN // self._count)).tolist()
        for pipe in self._pipes:
            pipe.send(actions)
        return float(np.mean([pipe.recv() for pipe in self._pipes])) / len(self._pipes) * 1e6

    def close(self) -> None:
        """Ends the processes."""
        for pipe in self._pipes:
            pipe.close()


def growth(work: Work, counts: tuple[int, ...]) -> list[dict[str, float]]:
    """Returns memory and time per step with different numbers of games on all cores."""
    rows = []
    for count in counts:
        parallel = Parallel(work, count, available_cores())
        parallel.run(work)
        begin = parallel.processor_seconds()
        clock = parallel.run(work)
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


def long_run(work: Work, steps: int, seed: int) -> dict[str, float]:
    """Steps one env with random keys in one endless episode, and measures how its cost grows.

    Returns:
        Microseconds of processor time of a step (lower quartile over stretches of steps) and MiB of
        the process, in the second tenth of the run, in the middle and at its end.
    """
    env = open_env(work.config)
    env.reset(seed=seed)
    tenths = []
    for actions in np.array_split(np.random.default_rng(seed).integers(15, size=steps), TENTHS):
        times = [time_env_steps(env, stretch) for stretch in np.array_split(actions, STRETCHES)]
        memory = psutil.Process().memory_info().rss / MEBIBYTE
        tenths.append((float(np.percentile(times, 25)), memory))
    env.close()
    found = {"steps": float(steps)}
    for name, tenth in (("second tenth", 1), ("fifth", 4), ("last", 9)):
        found[f"microseconds, {name}"], found[f"MiB, {name}"] = tenths[tenth]
    return found


def time_env_steps(env: EmeraldEnv, actions: NDArray[np.int64]) -> float:
    """Returns the microseconds of processor time per step."""
    begin = process_time()
    for action in actions.tolist():
        env.step(action)
    return (process_time() - begin) / len(actions) * 1e6
