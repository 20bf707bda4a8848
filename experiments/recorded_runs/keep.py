"""Stores a session's curves as a recorded run: `... keep SESSION RECIPE VARIANT`.

For runs of the games, which take too long to repeat: the recipe has the command.
"""

import argparse
import json
from pathlib import Path

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


def main() -> None:
    """Writes the run's file beside the others."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("session", type=Path)
    parser.add_argument("recipe", choices=sorted(RECIPES))
    parser.add_argument("variant", type=int)
    parser.add_argument(
        "--busy", action="store_true", help="leave out its speed: other jobs ran beside it"
    )
    parser.add_argument("--actions", type=int, default=15)
    parser.add_argument("--out", type=Path, default=RUNS)
    options = parser.parse_args()
    left_out = (*LEFT_OUT, *(SPEED.values() if options.busy else ()))
    rows = []
    (curves,) = read_runs([options.session])
    for step, numbers, _ in curves.rows():
        named = {SPEED.get(name, name): value for name, value in numbers.items()}
        kept = {k: v for k, v in named.items() if k.startswith(KEPT) and not k.startswith(left_out)}
        rows.append({"step": float(step), **kept})
    recipe = RECIPES[options.recipe]
    run = {
        "recipe": recipe.name,
        "variant": options.variant,
        "world": recipe.world,
        "settings": dict(read_settings(options.session)),
        "n_actions": options.actions,
        "ended": "in time",
        "series": columns(rows),
    }
    path = options.out / f"{recipe.name}_{options.variant}.json"
    path.write_text(json.dumps(run, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
