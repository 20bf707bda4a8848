"""Whether advice heals: `python -m experiments.strangers.heal OUT [--seed N] [--kinds KIND ...]`.

Runs with a wrong setting of each kind are trained and diagnosed. Those that are sick by their true
score, and are told to set something, are trained again with all of that set, and labelled again.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import tyro

from baselines.commands.learn.diagnose import examine
from baselines.diagnostics.advice import Remedy
from baselines.diagnostics.logs import read_runs
from experiments.strangers.catalogue import MORE_LOGS
from experiments.strangers.judge import label
from experiments.strangers.stranger import Stranger
from experiments.strangers.train_strangers import train

WORLDS = "catch reach lights long cartpole bandit track knobs maze doors".split()
LOGS = [log for log in MORE_LOGS if log not in ("monitor", "monitors", "tianshou")]  # say little
EACH = 6  # runs of a kind, each in another world
KINDS: dict[str, list[dict[str, Any]]] = {
    "learning_rate too large": [{"learning_rate": rate} for rate in (0.01, 0.03, 0.1)],
    "learning_rate too small": [{"learning_rate": rate} for rate in (1e-8, 1e-7, 1e-6)],
    "ent_coef too large": [{"ent_coef": weight} for weight in (0.5, 2.0, 10.0)],
    "ent_coef below 0": [{"ent_coef": weight} for weight in (-0.1, -0.3, -1.0)],
    "clip_range too small": [{"clip_range": clip} for clip in (1e-6, 1e-5, 1e-4)],
    "clip_range_vf too small": [{"clip_range_vf": clip} for clip in (1e-6, 1e-5, 1e-4)],
    "max_grad_norm too small": [{"max_grad_norm": norm} for norm in (1e-7, 1e-6, 1e-5)],
    "n_epochs too large": [{"n_epochs": 30, "clip_range": 0.9, "learning_rate": 6e-3}],
    "gamma out of range": [{"gamma": gamma} for gamma in (0.0, 1.02, 1.05)],
    "the learning rate jumps": [{}],
}
# Wrong enough to be sick, in quick worlds, and with a zoo's config.yml beside the log
SB3_LOGS = ("tensorboard", "progress_csv", "progress_json", "evaluated")
QUICK = "bandit noisy_bandit track knobs maze costly_maze doors dodge".split()
DELAYED = "maze costly_maze dodge maze costly_maze dodge maze costly_maze".split()
FAR: dict[str, tuple[list[str], list[dict[str, Any]]]] = {
    "learning_rate far too large": (QUICK, [{"learning_rate": rate} for rate in (0.3, 1.0, 3.0)]),
    "ent_coef far below 0": (QUICK, [{"ent_coef": weight} for weight in (-3.0, -10.0)]),
    "n_epochs far too large": (
        QUICK, [{"n_epochs": 60, "clip_range": 0.95, "learning_rate": r} for r in (0.01, 0.02)]
    ),
    "the learning rate jumps far": (QUICK, [{}]),
    "gamma of 0 where rewards are late": (DELAYED, [{"gamma": 0.0}]),
    "values held fast where they count": (
        DELAYED, [{"clip_range_vf": clip, "gae_lambda": 0.0} for clip in (1e-6, 1e-5)]
    ),
    "max_grad_norm too small, again": (QUICK, [{"max_grad_norm": norm} for norm in (1e-7, 1e-6)]),
}  # fmt: skip


def sick_runs(seed: int) -> Iterator[tuple[str, Stranger, str]]:
    """Yields the kind of each run's fault, the run, and the program whose log it is written as."""
    dice = np.random.default_rng(seed)
    for kind, choices in KINDS.items():
        worlds = dice.permutation(WORLDS)[:EACH]
        for number, world in enumerate(worlds):
            settings = choices[number % len(choices)]
            jump = (float(dice.uniform(0.4, 0.6)), 100.0) if not settings else None
            run = Stranger(str(world), kind, settings, jump=jump, seed=seed + number)
            yield kind, run, str(dice.choice(LOGS))
    for kind, (quick, choices) in FAR.items():
        for number, world in enumerate(quick):
            settings = choices[number % len(choices)]
            jump = (float(dice.uniform(0.4, 0.6)), 3000.0) if not settings else None
            run = Stranger(world, kind, settings, jump=jump, seed=10 * seed + number)
            yield kind, run, str(dice.choice(SB3_LOGS))


def healed(run: Stranger, advice: list[Remedy]) -> Stranger:
    """Returns a run with all that it was told to set."""
    told: dict[str, Any] = {one.setting: one.value for one in advice if one.setting is not None}
    told |= {name: int(told[name]) for name in ("n_epochs", "batch_size") if name in told}
    return replace(run, settings=run.settings | told, jump=None)


def outcome(folder: Path) -> tuple[str, str]:
    """Returns a run's label, and why."""
    return label(json.loads((folder / "truth.json").read_text()))


def tried(number: int, kind: str, run: Stranger, log: str, out: Path) -> dict[str, Any]:
    """Trains a run, and again as it was told to; returns what came of it."""
    name = f"{number:02}_{run.world}_{kind.replace(' ', '_')}"
    if not (out / name / "truth.json").exists():
        train(run, log, out, name)
    if kind in FAR:
        lines = [f"{setting}: {value}" for setting, value in run.settings.items()]
        (out / name / "config.yml").write_text("\n".join(lines) + "\n")
    before, why = outcome(out / name)
    (report,) = [examine(one) for one in read_runs([out / name])]
    advice = list(report.diagnosis.advice)
    told = [one.text for one in advice if one.setting]
    row: dict[str, Any] = {"name": name, "kind": kind, "log": log, "told": told}
    row |= {"before": before, "why": why}
    row |= {"status": report.status, "codes": [f.code for f in report.diagnosis.active]}
    if before != "sick" or not told:
        return row
    again = f"{name}_again"
    if not (out / again / "truth.json").exists():
        train(healed(run, advice), log, out, again)
    after, then = outcome(out / again)
    return row | {"after": after, "then": then}


def main(out: Path, /, seed: int = 0, kinds: tuple[str, ...] = (*KINDS, *FAR)) -> None:
    """Prints a row for each run, and for each kind how many were told, and healed.

    Args:
        out: folder of the runs.
        seed: of the runs.
        kinds: of wrong settings.
    """
    torch.set_num_threads(1)
    sick, told, well = Counter[str](), Counter[str](), Counter[str]()
    for number, (kind, run, log) in enumerate(sick_runs(seed)):
        if kind not in kinds:
            continue
        row = tried(number, kind, run, log, out)
        print(json.dumps(row), flush=True)
        sick[kind] += row["before"] == "sick"
        told[kind] += "after" in row
        well[kind] += row.get("after") == "healthy"
    for kind in kinds:
        print(f"| {kind} | {sick[kind]} | {told[kind]} | {well[kind]} |")
    print(f"| all | {sick.total()} | {told.total()} | {well.total()} |")


if __name__ == "__main__":
    tyro.cli(main, description=__doc__)
