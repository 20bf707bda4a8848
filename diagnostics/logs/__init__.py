"""Reading the curves of training runs: tensorboard, SB3's CSV files, wandb's offline folders."""

from diagnostics.logs.curves import Curves, LogError, Point
from diagnostics.logs.find import read_runs

__all__ = ["Curves", "LogError", "Point", "read_runs"]
