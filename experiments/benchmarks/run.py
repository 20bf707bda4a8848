"""Measures our layers, many games at once and the public alternatives, side by side in one run.

In each round every contestant does the same emulation: the same keys from the same state. Single
processes are timed in processor time, which other processes disturb least, several processes in
wall-clock time. Only ratios are meaningful. docs/SPEED.md has a run and its interpretation.
"""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import tyro
from numpy.typing import NDArray

from baselines.commands.command import reports_user_errors
from emerald_env.emulator import is_compiled_in
from emerald_env.env.setting_types import Count, Seed, checked
from emerald_env.parallel.cpu_placement import available_cores
from experiments.benchmarks.idle_rom import idle_rom
from experiments.benchmarks.layers import (
    BLOCK,
    IN_TURN,
    Contestant,
    EnvSteps,
    GBAStep,
    IdleStep,
    PlainInTurn,
    PlainLoop,
    TranslatedSteps,
    plain_library,
    run_rounds,
    time_pieces,
)
from experiments.benchmarks.parallel import MIN_RUN_STEPS, Alone, Parallel, growth, long_run
from experiments.benchmarks.report import Report, Row
from experiments.benchmarks.rivals import PYGBA, PYGBA_REWARD, PYTHON_MGBA, RETRO, rivals
from experiments.benchmarks.scenes import (
    LATE,
    Work,
    any_game,
    busy_scenes,
    is_known,
    scenes,
    smallest_and_largest_map,
)

PLAIN, SOUND, PLAIN_TURN = "plain C loop", "plain C loop with sound", "plain C loop of 8 in turn"
STEP, ENV, TURN = "GBA.step", "EmeraldEnv.step", "EmeraldEnv.step of 8 in turn"
TRANSLATED = "EmeraldEnv.step, translated"
IDLE = "a ROM that only waits"
BUSY_SHARE = 5  # 1/5 of the steps are enough where they take longer
TOGETHER = "games on workers"
ALONE, APART = "envs on their own, at once", "envs in turn in loops of their own, at once"
LIBRARY, COMPILED_IN = 0, 1
# targets of `EmeraldEnv.step` with the system's library, and with mGBA compiled in
ENV_TARGETS = {
    "overworld": (1.45, 1.9),
    LATE: (1.45, 1.9),
    "battle": (1.45, 1.9),
    "title": (1.6, 2.3),
    "busy": (None, 2.4),
    "sounding": (1.6, 2.0),
    "mix": (None, 3.0),
}
TRANSLATED_TARGETS = {"busy": 4.5, "mix": 6.5}
# (numerator, denominator, target): how many times as fast the second is
RATIOS = (
    (PLAIN, STEP, None),
    (PLAIN, ENV, None),
    (PLAIN, TRANSLATED, None),
    (ENV, TRANSLATED, None),
    (PLAIN, PLAIN_TURN, None),
    (ENV, TURN, None),
    (PLAIN_TURN, TURN, None),
    (SOUND, PLAIN, None),
    (IDLE, STEP, None),
    (PYTHON_MGBA, ENV, None),
    (PYGBA, ENV, 10.0),
    (PYGBA_REWARD, ENV, 200.0),
    (RETRO, ENV, 5.0),
)


@checked
@dataclass(frozen=True)
class BenchmarkConfig:
    """Measure the emulator binding, the env, the parallel games and the public alternatives."""

    rom: Path | None = None
    """Emerald's ROM, or any game's, of which `GBA.step` alone is measured; left out: the built-in
    game, with its battle and its title screen."""
    steps: Count = 250
    """Env steps of each of our contestants in a round."""
    rounds: Count = 5
    """Rounds, in each of which every contestant runs once."""
    n_envs: int = 16
    """Games of the parallel contestant."""
    growth: tuple[int, ...] = (1, 4, 16, 64)
    """Numbers of games whose memory and time are measured."""
    long_run_steps: int = 20_000
    """Steps of the episode that tests whether memory or time grow with its length."""
    seed: Seed = 0
    """Seed of the keys."""
    json: bool = False
    """Print one JSON object instead of tables."""
    markdown: bool = False
    """Print the tables as in docs/SPEED.md."""

    def __post_init__(self) -> None:
        """Raises ValueError for an impossible setting."""
        cores = available_cores()
        if self.n_envs < cores:
            raise ValueError(f"n_envs is {self.n_envs}: at least one for each of {cores} cores")
        if min(self.growth, default=1) < 1:
            raise ValueError(f"growth has {min(self.growth)}: numbers of games are at least 1")
        if self.long_run_steps < MIN_RUN_STEPS:
            raise ValueError(f"long_run_steps is {self.long_run_steps}: at least {MIN_RUN_STEPS}")
        if self.json and self.markdown:
            raise ValueError("--json and --markdown are two forms: leave one out")


def measure(config: BenchmarkConfig) -> Report:
    """Runs all measurements of the benchmark."""
    if config.rom is not None and not is_known(config.rom):
        return measure_any(config, config.rom)
    works, report = scenes(config.rom, config.steps, config.seed), Report()
    with tempfile.TemporaryDirectory() as folder:
        measure_scenes(config, works, Path(folder), report)
        if config.rom is None:
            measure_busy(config, Path(folder), report)
    measure_parallel(config, works["overworld"], report)
    report.pieces = {name: time_pieces(work) for name, work in works.items() if name != "title"}
    report.growth = growth(works["overworld"].part(0, 50), config.growth)
    same_workers = [row for row in report.growth if row["games"] >= available_cores()]
    if len(same_workers) > 1:
        first, last = same_workers[0], same_workers[-1]
        added = (last["MiB"] - first["MiB"]) / (last["games"] - first["games"])
        report.facts["MiB added by one more game"] = added
    measure_lengths(config, works["overworld"], report)
    return report


def measure_any(config: BenchmarkConfig, rom: Path) -> Report:
    """Returns how fast `GBA.step` plays a game whose memory cannot be read."""
    work, report = any_game(rom, config.steps, config.seed), Report()
    with tempfile.TemporaryDirectory() as folder:
        contestants: dict[str, Contestant] = {
            PLAIN: PlainLoop(work, plain_library(Path(folder))),
            STEP: GBAStep(work),
        }
        found = run_rounds(contestants, work, config.rounds, rom.name)
    report.speeds[rom.name] = {name: float(np.median(v)) for name, v in found.items()}
    report.rows += compare(found, rom.name)
    return report


def measure_scenes(
    config: BenchmarkConfig, works: dict[str, Work], folder: Path, report: Report
) -> None:
    """Adds the times of single games in each scene, ours and the others'."""
    first, library = works["overworld"], plain_library(folder)
    others, report.skipped = rivals(first, folder)
    contestants: dict[str, Contestant] = {
        PLAIN: PlainLoop(first, library),
        STEP: GBAStep(first),
        ENV: EnvSteps(first),
        SOUND: PlainLoop(first, library, sound=True),
        PLAIN_TURN: PlainInTurn(first, library),
        TURN: EnvSteps(first, IN_TURN),
        IDLE: IdleStep(idle_rom()),
        **others,
    }
    for scene, work in works.items():
        found = run_rounds(contestants, work, config.rounds, scene)
        report.speeds[scene] = {name: float(np.median(v)) for name, v in found.items()}
        report.rows += compare(found, scene)
    report.skipped += [f"{name}: hung" for name in others if not others[name].alive]


def measure_busy(config: BenchmarkConfig, folder: Path, report: Report) -> None:
    """Adds the times of games whose processor sleeps less than Jade's, with fewer steps."""
    steps, library = max(config.steps // BUSY_SHARE, BLOCK), plain_library(folder)
    for scene, work in busy_scenes(folder, steps, config.seed).items():
        contestants: dict[str, Contestant] = {
            PLAIN: PlainLoop(work, library),
            STEP: GBAStep(work),
            ENV: EnvSteps(work),
        }
        if is_compiled_in():
            contestants[TRANSLATED] = TranslatedSteps(work, folder)
        found = run_rounds(contestants, work, config.rounds, scene)
        report.speeds[scene] = {name: float(np.median(v)) for name, v in found.items()}
        report.rows += compare(found, scene)


def compare(found: dict[str, NDArray[np.float64]], scene: str) -> list[Row]:
    """Returns the ratios of interest, block by block."""
    build = COMPILED_IN if is_compiled_in() else LIBRARY
    targets = {
        (PLAIN, ENV): ENV_TARGETS.get(scene, (None, None))[build],
        (PLAIN, TRANSLATED): TRANSLATED_TARGETS.get(scene),
    }
    return [
        Row(
            f"{scene}: {faster} / {slower}",
            targets.get((slower, faster), target),
            tuple(found[slower] / found[faster]),
        )
        for slower, faster, target in RATIOS
        if slower in found and faster in found and np.isfinite(found[slower]).all()
    ]


def measure_parallel(config: BenchmarkConfig, work: Work, report: Report) -> None:
    """Adds how many games at once compare with one env per core, all at the same time."""
    cores = available_cores()
    count = config.n_envs // cores
    alone, in_turn = Alone(work, cores), Alone(work, cores, count)
    parallel = Parallel(work, config.n_envs, cores)
    try:
        contestants: dict[str, Contestant] = {
            ALONE: alone,
            TOGETHER: parallel,
            APART: in_turn,
        }
        found = run_rounds(contestants, work, config.rounds, "parallel")
        begin = parallel.processor_seconds()
        parallel.run(work)
        used = parallel.processor_seconds() - begin
    finally:
        parallel.close()
        alone.close()
        in_turn.close()
    games = f"{config.n_envs} {TOGETHER}"
    for name, reference, target in (
        (f"{games} / {cores} {ALONE}", ALONE, None),
        (f"{games} / {cores} x {count} {APART}", APART, 0.97),
    ):
        report.rows.append(Row(name, target, tuple(found[reference] / found[TOGETHER])))
    report.facts["processor time of a game's step with workers and trainer, µs"] = (
        used / len(work.actions) / config.n_envs * 1e6
    )


def measure_lengths(config: BenchmarkConfig, work: Work, report: Report) -> None:
    """Adds whether memory and time grow with the length of an episode and the size of a map."""
    for name, value in long_run(work, config.long_run_steps, config.seed).items():
        report.facts[f"one long episode: {name}"] = value
    if config.rom is None:
        env = EnvSteps(work)
        for name, state in smallest_and_largest_map().items():
            there = replace(work, state=state)
            found = run_rounds({name: env}, there, 3, "maps")
            report.facts[f"µs of a step on a map of {name}"] = float(np.median(found[name]))


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Measures and reports with the settings of a command line; returns the exit status."""
    config = tyro.cli(BenchmarkConfig, args=arguments)
    report = measure(config)
    if config.json:
        print(json.dumps(report.plain()))
    elif config.markdown:
        print(report.markdown())
    else:
        report.show()
    return 0
