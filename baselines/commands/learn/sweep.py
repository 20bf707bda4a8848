"""Tries settings of a training, several seeds each: `emerald sweep SWEEP.toml`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tyro

from baselines.cluster.sweep.plan import read_plan
from baselines.commands.command import reports_user_errors
from baselines.settings.read_flags import read_flags
from baselines.settings.train_config import LOCAL, Address


@dataclass(frozen=True)
class SweepConfig:
    """Train with different settings and reward weights, several seeds each, and compare them.

    Runs that have ended are not repeated: the same command continues an interrupted sweep.
    """

    sweep: tyro.conf.Positional[Path]
    """The sweep: a TOML file, see docs/SCALE.md."""
    folder: Path | None = None
    """Where runs, table and picture go. Left out: beside the file, with its name."""
    ray: Address = LOCAL
    """The Ray cluster at this address. Left out: this machine, which needs Ray for trials and
    stop_after alone."""


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Makes the runs that are missing, and prints the table; returns the exit status.

    Args:
        arguments: the command line; None: this process's own.
    """
    config = read_flags(SweepConfig, arguments)
    plan = read_plan(config.sweep)
    folder = (config.folder or config.sweep.with_suffix("")).absolute()
    # torch and matplotlib take seconds to load: what is wrong with the file is reported before
    from baselines.commands.learn.sweep_report import run_sweep

    return run_sweep(plan, folder, config.ray)
