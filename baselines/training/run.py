"""One training run as a value; `phases.py` fills it in, from top to bottom."""

from dataclasses import dataclass, field
from pathlib import Path

from stable_baselines3.common.vec_env import VecEnv

from baselines.checkpoints.manifest import Manifest
from baselines.checkpoints.resume import RunState
from baselines.learner.ppo import PPO
from baselines.runs.session_folder import Session
from baselines.settings.train_config import TrainConfig
from baselines.training.callbacks.stop import StopRequest
from emerald_env.recordings.told import Told

EXPLORATION = "exploration"  # the part of a run's state that says what was explored
TEACHER = "teacher"  # the part that names who labels, None if nobody does


@dataclass
class Run:
    """A training run and all that belongs to it."""

    config: TrainConfig  # as fitted to this machine
    stop: StopRequest = field(default_factory=StopRequest)
    games: VecEnv = field(init=False)  # as the learner sees them
    model: PPO = field(init=False)
    manifest: Manifest = field(init=False)  # what its checkpoints say of themselves
    told: list[Told] = field(default_factory=list)  # a new run's recordings, until they are learnt
    session: Session = field(init=False)
    checkpoint: Path | None = None  # from which it resumes
    run_state: RunState | None = None  # of that checkpoint, where the resume is exact
    explored: RunState | None = None  # what it had explored, where only its games start afresh
