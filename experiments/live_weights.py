"""What the average of the weights brings: the same checkpoint with those it had at that moment.

`python -m experiments.live_weights CHECKPOINT live.zip`, then `emerald evaluate` both.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tyro

from baselines.checkpoints.checkpoint_file import (
    CheckpointError,
    load_policy,
    policy_members,
    read_live,
)
from baselines.checkpoints.sharing.pack import write_new
from baselines.checkpoints.trained import find_checkpoint
from baselines.commands.command import reports_user_errors, run_command
from emerald_env.files.printable import say


@dataclass(frozen=True)
class LiveWeightsConfig:
    """Write a checkpoint that plays with the weights that its training goes on from."""

    checkpoint: tyro.conf.Positional[str]
    """A checkpoint (.zip), a session, or "last"."""
    out: tyro.conf.Positional[Path]
    """The new file."""


@reports_user_errors(CheckpointError)
def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the checkpoint; returns the exit status."""
    config = tyro.cli(LiveWeightsConfig, args=arguments, description=__doc__)
    path = find_checkpoint(config.checkpoint)
    policy, manifest = load_policy(path)
    live, n_updates = read_live(path, policy)
    if not n_updates:
        raise CheckpointError(f"{path} has no live weights: it plays with those it has")
    policy.load_state_dict(live, strict=False)
    write_new(config.out, policy_members(policy, manifest))
    say(f"{config.out}: the weights after the latest of {n_updates:,} updates")
    return 0


if __name__ == "__main__":
    run_command(main)
