"""Stores a session's curves as a recorded run: `... keep SESSION RECIPE VARIANT`.

For runs of the games, which take too long to repeat: the recipe has the command.
"""

import json
from pathlib import Path

import tyro

from baselines.diagnostics.logs import read_runs
from baselines.diagnostics.logs.settings_files import read_settings
from experiments.recorded_runs.recipes import RECIPES
from experiments.recorded_runs.record import columns
from experiments.recorded_runs.recorded_run import RUNS

KEPT = (
    "train/",
    "rollout/",
    "reward/",
    "rejections/",
    "milestones/per_episode",
    "diagnostics/",
)
LEFT_OUT = ("diagnostics/finding/", "diagnostics/status")
SPEED = {"time/steps_per_second": "diagnostics/steps_per_second"}


def main(
    session: Path,
    recipe: str,
    variant: int,
    /,
    busy: bool = False,
    actions: int = 15,
    out: Path = RUNS,
) -> None:
    """Writes the run's file beside the others.

    Args:
        session: folder of the run.
        recipe: what it is a run of.
        variant: of the recipe.
        busy: leave out its speed: other jobs ran beside it.
        actions: how many it has.
        out: folder of the recorded runs.
    """
    if recipe not in RECIPES:
        raise SystemExit(f"no recipe {recipe}: there are {', '.join(sorted(RECIPES))}")
    left_out = (*LEFT_OUT, *(SPEED.values() if busy else ()))
    rows = []
    (curves,) = read_runs([session])
    for step, numbers, _ in curves.rows():
        named = {SPEED.get(name, name): value for name, value in numbers.items()}
        kept = {k: v for k, v in named.items() if k.startswith(KEPT) and not k.startswith(left_out)}
        rows.append({"step": float(step), **kept})
    run = {
        "recipe": recipe,
        "variant": variant,
        "world": RECIPES[recipe].world,
        "settings": dict(read_settings(session)),
        "n_actions": actions,
        "ended": "in time",
        "series": columns(rows),
    }
    path = out / f"{recipe}_{variant}.json"
    path.write_text(json.dumps(run, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    tyro.cli(main, description=__doc__)
