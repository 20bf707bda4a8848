"""Where the curves go: tensorboard's files, and Weights & Biases on request."""

from collections.abc import Iterator
from contextlib import contextmanager

from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat
from torch.utils.tensorboard.writer import SummaryWriter

from baselines.config import TrainConfig
from baselines.session import Session


class CurvesFormat(TensorBoardOutputFormat):
    """SB3's tensorboard output, which hides what an earlier run wrote after its last checkpoint.

    Args:
        folder: where the events go, beside those of earlier runs.
        num_timesteps: env steps learnt from so far; later points of earlier runs are hidden.
    """

    def __init__(self, folder: str, num_timesteps: int) -> None:
        # in place of SB3's, which makes the same writer but cannot hide points
        self.writer = SummaryWriter(log_dir=folder, purge_step=num_timesteps + 1)
        self._is_closed = False


@contextmanager
def open_curves(config: TrainConfig, session: Session, num_timesteps: int) -> Iterator[Logger]:
    """Yields the logger of a run that starts, or goes on, at `num_timesteps`."""
    folder = str(session.folder)
    formats: list[KVWriter] = [CurvesFormat(folder, num_timesteps)]
    logger = Logger(folder, formats)
    try:
        if config.wandb:
            # only here: without --wandb nothing that could touch the network is even loaded
            from baselines.wandb_curves import WandbFormat

            formats.append(WandbFormat(config, session))
        yield logger
    finally:
        logger.close()
