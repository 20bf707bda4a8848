"""Reading the curves of training runs: tensorboard, SB3's CSV files, wandb's offline folders."""

from baselines.diagnostics.logs.find_logs import read_runs, runs_below
from baselines.diagnostics.logs.logged_curves import Curves, LogError, Point

__all__ = ["Curves", "LogError", "Point", "read_runs", "runs_below"]
