"""Where the curves go: tensorboard's files, and Weights & Biases on request."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat
from torch.utils.tensorboard.writer import SummaryWriter

from baselines.runs.session import Session
from baselines.training.config import TrainConfig
from emerald_env.files.atomic import WriteWarning

RETRY_SECONDS = 60.0  # after the curves could not be written; a full disk may have room again


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
        self._folder = folder
        self._retry_at = 0.0  # after an error
        self._warning = WriteWarning("the curves")

    def write(
        self,
        key_values: dict[str, Any],
        key_excluded: dict[str, tuple[str, ...]],
        step: int = 0,
    ) -> None:
        """Writes the values of a step; where that cannot be, a new file is tried a minute later."""
        if monotonic() < self._retry_at:
            return
        with self._warning:
            if self._retry_at:
                self.writer = SummaryWriter(log_dir=self._folder)
            self._retry_at = monotonic() + RETRY_SECONDS
            super().write(key_values, key_excluded, step)
            self._retry_at = 0.0

    def close(self) -> None:
        """Closes the file."""
        with self._warning:
            super().close()


@contextmanager
def open_curves(config: TrainConfig, session: Session, num_timesteps: int) -> Iterator[Logger]:
    """Yields the logger of a run that starts, or is resumed, at `num_timesteps`."""
    folder = str(session.folder)
    formats: list[KVWriter] = [CurvesFormat(folder, num_timesteps)]
    logger = Logger(folder, formats)
    try:
        if config.wandb:
            # only here: without --wandb nothing that could touch the network is even loaded
            from baselines.runs.wandb_curves import WandbFormat

            formats.append(WandbFormat(config, session))
        with quiet_writers():
            yield logger
    finally:
        logger.close()


@contextmanager
def quiet_writers() -> Iterator[None]:
    """Keeps tensorboard's threads from printing the OSErrors that `CurvesFormat` tells anyway."""
    previous = threading.excepthook

    def hook(failure: threading.ExceptHookArgs) -> None:
        ours = type(failure.thread).__name__ == "_AsyncWriterThread"
        if not (ours and isinstance(failure.exc_value, OSError)):
            previous(failure)

    threading.excepthook = hook
    try:
        yield
    finally:
        threading.excepthook = previous
