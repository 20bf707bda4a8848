"""What a step costs in games as busy as Emerald, in seconds of one core.

`python -m experiments.forecast.speeds --out speeds.json`. It is processor time, which depends
little on other work of the machine. Jade with a load plays the part of Emerald
(`experiments.benchmarks.scenes`), with the settings that a run on Emerald has.
"""

import json
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import process_time

import psutil
import torch
import tyro
from stable_baselines3.common.logger import Logger

from baselines.commands.command import reports_user_errors, run_command
from baselines.exploration.search import Search
from baselines.exploration.state_archive import Archive
from baselines.settings.game_config import GameConfig
from baselines.settings.game_defaults import EMERALD
from baselines.settings.train_config import TrainConfig
from baselines.training.model import fit_to_machine, make_games, make_model
from emerald_env.env.setting_types import Count, checked
from emerald_env.explorer.explorer import Explorer
from experiments.benchmarks.scenes import Work, busy_scenes
from experiments.forecast.step_costs import StepCosts

SCENES = ("mix", "half busy")


@checked
@dataclass(frozen=True)
class SpeedsConfig:
    """Measure what a step costs.

    Args:
        rounds: of exploring, 3,200 steps each.
        updates: of learning, each with its rollout of 16 games.
        out: JSON of the costs by scene, for `python -m experiments.forecast --speeds`.
    """

    rounds: Count = 1
    updates: Count = 1
    out: Path | None = None


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints each scene's costs, and writes them."""
    config = tyro.cli(SpeedsConfig, args=arguments)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        works = busy_scenes(Path(folder), 1, seed=0)
        for name in SCENES:
            costs = asdict(measured(works[name], Path(folder), config))
            found[name] = {part: float(f"{seconds:.3g}") for part, seconds in costs.items()}
            print(f"{name}: {json.dumps(found[name])}", flush=True)
    if config.out is not None:
        config.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


def measured(work: Work, folder: Path, config: SpeedsConfig) -> StepCosts:
    """Measures a scene, from its state."""
    start = work.rom.with_suffix(".ss1")
    start.write_bytes(work.state)
    game = GameConfig(rom=work.rom, start=str(start), menus=True, **EMERALD)
    return StepCosts(_explored(game, folder, config.rounds), *_learnt(game, config.updates))


def _explored(game: GameConfig, folder: Path, rounds: int) -> float:
    with tempfile.TemporaryDirectory(dir=folder) as archive:
        search = Search(Archive(Path(archive)), Explorer(game), 0)
        search.explore()  # the first is not like the others: there is one state
        begun, steps = process_time(), search.steps
        for _ in range(rounds):
            search.explore()
        return (process_time() - begun) / (search.steps - steps)


def _learnt(game: GameConfig, updates: int) -> tuple[float, float]:
    """Returns the games' part and the learner's."""
    config = fit_to_machine(TrainConfig(env=game, n_envs=16, n_workers=1, device="cpu", shards=1))
    config = replace(config, explore=0.0, practice=0.0, advice=0.0)
    torch.set_num_threads(1)
    with closing(make_games(config)) as games:
        model = make_model(config, games)
        model.set_logger(Logger(None, []))
        samples = model.n_steps * model.n_envs
        model.learn(samples)  # not counted
        own, theirs = process_time(), _of_workers()
        model.learn(updates * samples, reset_num_timesteps=False)
        steps = updates * samples
        return (_of_workers() - theirs) / steps, (process_time() - own) / steps


def _of_workers() -> float:
    children = psutil.Process().children(recursive=True)
    return sum(sum(child.cpu_times()[:2]) for child in children)


if __name__ == "__main__":
    run_command(main)
