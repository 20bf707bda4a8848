"""What happens beside the learning; one callback, one job."""

from baselines.callbacks.checkpoints import CheckpointCallback
from baselines.callbacks.diagnose import CollapseError, DiagnoseCallback
from baselines.callbacks.episodes import EpisodeCallback
from baselines.callbacks.pictures import PictureCallback
from baselines.callbacks.practice import PracticeCallback
from baselines.callbacks.progress import ProgressCallback
from baselines.callbacks.recordings import RecordingCallback
from baselines.callbacks.rewards import RewardShareCallback
from baselines.callbacks.rollback import session_rollback
from baselines.callbacks.stop import DeadlineCallback, StopCallback, StopRequest
from baselines.callbacks.threads import ThreadsCallback
from baselines.callbacks.timing import TimingCallback
from baselines.callbacks.workers import WorkersCallback

__all__ = [
    "CheckpointCallback",
    "CollapseError",
    "DeadlineCallback",
    "DiagnoseCallback",
    "EpisodeCallback",
    "PictureCallback",
    "PracticeCallback",
    "ProgressCallback",
    "RecordingCallback",
    "RewardShareCallback",
    "StopCallback",
    "StopRequest",
    "ThreadsCallback",
    "TimingCallback",
    "WorkersCallback",
    "session_rollback",
]
