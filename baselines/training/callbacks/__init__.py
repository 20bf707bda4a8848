"""Training callbacks, one job each."""

from baselines.training.callbacks.checkpoints import CheckpointCallback
from baselines.training.callbacks.episodes import EpisodeCallback
from baselines.training.callbacks.exploring_callbacks import (
    ExplorationCallback,
    OwnTrailsCallback,
    PracticeCallback,
)
from baselines.training.callbacks.health.diagnose_callback import DiagnoseCallback
from baselines.training.callbacks.health.reward_shares import RewardShareCallback
from baselines.training.callbacks.health.rollback import SessionRollback
from baselines.training.callbacks.pictures import PictureCallback
from baselines.training.callbacks.progress_bar import ProgressCallback
from baselines.training.callbacks.recordings import RecordingCallback
from baselines.training.callbacks.stop import DeadlineCallback, StopCallback, StopRequest
from baselines.training.callbacks.threads import ThreadsCallback
from baselines.training.callbacks.timing import TimingCallback
from baselines.training.callbacks.watch_callback import WatchCallback
from baselines.training.callbacks.workers import WorkersCallback

__all__ = [
    "CheckpointCallback",
    "DeadlineCallback",
    "DiagnoseCallback",
    "EpisodeCallback",
    "ExplorationCallback",
    "PictureCallback",
    "OwnTrailsCallback",
    "PracticeCallback",
    "ProgressCallback",
    "RecordingCallback",
    "RewardShareCallback",
    "StopCallback",
    "StopRequest",
    "ThreadsCallback",
    "TimingCallback",
    "WatchCallback",
    "WorkersCallback",
    "SessionRollback",
]
