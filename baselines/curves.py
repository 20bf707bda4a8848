"""Where the curves go: tensorboard's files, and Weights & Biases on request."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict

from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat
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
    with ExitStack() as stack:
        if config.wandb:
            stack.callback(start_wandb(config, session))
        logger = Logger(folder, [CurvesFormat(folder, num_timesteps)])
        stack.callback(logger.close)
        yield logger


def start_wandb(config: TrainConfig, session: Session) -> Callable[[], None]:
    """Sends what goes to tensorboard from now on to Weights & Biases too.

    Returns:
        The function that ends this.
    """
    # only here: without --wandb nothing that could touch the network is even loaded
    import wandb

    run = wandb.init(
        project="pokemon-emerald-agent",
        name=session.folder.name,
        dir=session.folder,
        config=asdict(config),
        sync_tensorboard=True,
    )
    return run.finish
