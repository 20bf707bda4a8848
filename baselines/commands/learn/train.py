"""Trains an agent: `emerald train`."""

from collections.abc import Sequence

from baselines.settings.train_config import TrainConfig
from baselines.training.command_line import train_from_flags


def main(arguments: Sequence[str] | None = None) -> int:
    """Trains with the settings of a command line; returns the exit status.

    Args:
        arguments: the command line; None: this process's own.
    """
    return train_from_flags(arguments, train)


def train(config: TrainConfig) -> int:
    """Runs a whole training, on this machine or on a Ray cluster.

    Args:
        config: the settings, as fitted to this machine.
    """
    if config.ray is None:
        from baselines.training import phases  # torch takes seconds to load

        return phases.train(config)
    from baselines.cluster.remote_training import train_on_ray  # Ray may be absent

    return train_on_ray(config)
