"""The phases of a training run, each of which fills in a part of its `Run`."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager

from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import VecEnv

from baselines.checkpoints.checkpoint_file import weights_size
from baselines.checkpoints.manifest import Manifest
from baselines.checkpoints.resume import restore_run_state
from baselines.checkpoints.trained import checkpoint_to_resume, find_checkpoint
from baselines.learner.ppo import PPO
from baselines.runs.alert import CommandAlert
from baselines.runs.curves import open_curves
from baselines.runs.session_folder import Session
from baselines.settings.shown_settings import plain_settings, public_settings
from baselines.settings.train_config import TrainConfig
from baselines.training.announcement import announce
from baselines.training.callbacks.health.diagnose_callback import DiagnoseCallback
from baselines.training.callbacks.health.rollback import SessionRollback
from baselines.training.callbacks.pictures import PictureCallback
from baselines.training.callbacks.progress_bar import ProgressCallback
from baselines.training.callbacks.stop import StopCallback
from baselines.training.callbacks.threads import ThreadsCallback
from baselines.training.callbacks.timing import TimingCallback
from baselines.training.model import keep_start, make_games, make_model
from baselines.training.resuming import resume, take_weights
from baselines.training.run import Run
from baselines.training.session_callbacks import (
    SessionCallbacks,
    exploration_callbacks,
    session_callbacks,
    trail_callbacks,
)
from baselines.training.teachers.recorded_ways import ways_to_learn
from emerald_env.files.atomic import write_atomically
from emerald_env.parallel.vec_env import WorkerError

MAX_TITLE = 100  # characters: a folder's name has at most 255


def train(config: TrainConfig) -> int:
    """Runs a training on this machine; returns its exit status, see `train_from_flags`.

    Args:
        config: the settings, as fitted to this machine.
    """
    run = Run(config)
    return carry_out(run, make_games)


def carry_out(run: Run, open_games: Callable[[TrainConfig], VecEnv]) -> int:
    """Runs a training and returns its exit status, see `train_from_flags`.

    However it ends, the games are closed and the model is saved.

    Args:
        run: with its settings only; the phases fill in the rest.
        open_games: makes the games, as the learner sees them.

    Raises:
        CheckpointError: the run to resume has no checkpoint that fits, or the last one of this
            run could not be written.
        WorkerError: a game failed; its own traceback is in the message.
        OSError: the session's folder cannot be written.
        KeyboardInterrupt: a second signal came before all was saved.
    """
    with run.stop:
        try:
            with closing(open_games(run.config)) as run.games:
                build(run)
                open_session(run)
                with run.session.locked(), begun(run):
                    learn(run)
        except WorkerError:
            # a signal to the whole process group, as from `timeout` or systemd, ends the games too
            if run.stop.received is None:
                raise
    return 0 if run.stop.received is None else 128 + run.stop.received


def build(run: Run) -> None:
    """Makes the model, not yet trained, and its description."""
    run.model = make_model(run.config, run.games)
    run.manifest = describe(run.config, run.model)


def describe(config: TrainConfig, model: PPO) -> Manifest:
    """Returns what this run's checkpoints say of themselves.

    Raises:
        CheckpointError: its network is too large for one.
    """
    manifest = Manifest.describe(
        config.env,
        config.built_from(),
        config.n_stack,
        model.observation_space,
        model.action_space,
        config.policy,
    )
    weights_size(manifest)
    return manifest


def open_session(run: Run) -> None:
    """Creates the run's session, or finds the one that it resumes.

    First it takes what a new run begins with: no session is made where that cannot be used.
    """
    config = run.config
    if config.resume is not None:
        run.session = Session.find(config.sessions, config.resume)
        return
    if config.init_from is not None:
        take_weights(run.model, find_checkpoint(config.init_from, config.sessions), run.manifest)
    if config.ways:
        run.told = ways_to_learn(config)
    title = " ".join(filter(None, (run.manifest.game["name"], config.name)))
    run.session = Session.create(config.sessions, title[:MAX_TITLE])


@contextmanager
def begun(run: Run) -> Iterator[None]:
    """Writes the settings into the locked session, restores a resumed run, and opens the curves."""
    if run.config.resume is not None:
        # chosen under the lock: a run that was ending may have saved another one just now
        run.checkpoint = checkpoint_to_resume(run.session, run.config.total_timesteps)
        run.run_state = resume(run)
        run.session.go_back_to(run.model.num_timesteps)
    run.config.save(run.session.config)
    keep_start(run.config, run.session.folder)
    write_atomically(run.session.reward, run.manifest.preset().to_toml().encode())
    with curves(run) as logger:
        run.model.set_logger(logger)
        if run.run_state is not None:
            restore_run_state(run.model, run.run_state)
        announce(run)
        yield


def curves(run: Run) -> AbstractContextManager[Logger]:
    """Returns a context that yields the run's logger."""
    sent = public_settings(run.config) if run.config.wandb else None
    begun_at, settings = run.model.num_timesteps, plain_settings(run.config)
    return open_curves(run.session.folder, begun_at, settings, sent)


def learn(run: Run) -> None:
    """Trains until all steps are done or a stop is requested, and always saves.

    Only a second signal, as KeyboardInterrupt, ends it without saving.
    """
    run.manifest = run.manifest.at(run.model.num_timesteps)
    diagnose = diagnose_callback(run)
    kept = session_callbacks(run, diagnose)
    progress = ProgressCallback(run.config.total_timesteps, games=True)
    callbacks = in_order(run, kept, diagnose)
    at_once = False
    try:
        left = run.config.total_timesteps - run.model.num_timesteps
        run.model.learn(left, [*callbacks, progress], reset_num_timesteps=False)
    except KeyboardInterrupt:
        at_once = True
        raise
    finally:
        progress.close()
        if not at_once:
            kept.finish(run)
    diagnose.check_end()


def diagnose_callback(run: Run) -> DiagnoseCallback:
    """Returns the callback that diagnoses each update and acts on `--on-collapse`."""
    rollback = SessionRollback(run.model, run.session, run.manifest)
    alert = None if run.config.alert is None else CommandAlert(run.config.alert)
    return DiagnoseCallback(
        run.session.diagnostics, run.config.on_collapse, rollback, keep=rollback.keep, alert=alert
    )


def in_order(run: Run, kept: SessionCallbacks, diagnose: DiagnoseCallback) -> list[BaseCallback]:
    """Returns a run's callbacks in the order in which they are called."""
    callbacks: list[BaseCallback] = [
        StopCallback(run.stop),
        TimingCallback(),
        kept.episodes,
        kept.shares,
        *trail_callbacks(run, kept.exploration),  # before what measures the advice after them
        diagnose,  # before the checkpoints: a collapsed policy must not be saved
        PictureCallback(run.session, run.config.picture_seconds),
        kept.recordings,
        kept.checkpoints,
        kept.watch,
    ]
    if run.model.device.type == "cpu":
        callbacks.append(ThreadsCallback())
    if run.config.explores:
        # after the checkpoints, which save the random state that the next starts are drawn with
        callbacks += exploration_callbacks(run, kept.exploration)
    return callbacks
