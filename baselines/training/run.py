"""One training run from its settings to its session: games, model, callbacks, learn, save."""

import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from baselines.checkpoints.checkpoint_file import CheckpointError, weights_size
from baselines.checkpoints.manifest import Manifest
from baselines.checkpoints.resume import RunState, restore_run_state
from baselines.checkpoints.trained import find_checkpoint
from baselines.learner.ppo import PPO
from baselines.runs.curves import open_curves
from baselines.runs.session_folder import Session
from baselines.settings.train_config import TrainConfig
from baselines.training.announcement import announce
from baselines.training.callbacks import (
    CollapseError,
    DiagnoseCallback,
    PictureCallback,
    ProgressCallback,
    SessionRollback,
    StopCallback,
    StopRequest,
    ThreadsCallback,
    TimingCallback,
    WorkersCallback,
)
from baselines.training.callbacks.health.alert import CommandAlert, alert_words
from baselines.training.command_line import parse
from baselines.training.model import (
    check_network,
    fit_to_machine,
    keep_start,
    make_games,
    make_model,
)
from baselines.training.resources import Needs, check_bf16, check_device, check_folder, written_into
from baselines.training.resuming import checkpoint_to_resume, resume, take_weights
from baselines.training.session_callbacks import (
    SessionCallbacks,
    exploration_callbacks,
    session_callbacks,
)
from emerald_env.files.atomic import write_atomically
from emerald_env.files.printable import complain
from emerald_env.game.editions import describe_game
from emerald_env.parallel.vec_env import WorkerError
from emerald_env.starts.starts import prepare_starts

COLLAPSED = 3  # exit status
# Raised when a game's process has ended: by our workers, by SB3's.
GONE = (WorkerError, EOFError, BrokenPipeError, ConnectionResetError)


def train_from_flags(
    arguments: Sequence[str] | None = None, trainer: Callable[[TrainConfig], int] | None = None
) -> int:
    """Trains with the settings of a command line.

    Args:
        arguments: the command line; None: this process's own.
        trainer: called with the settings in place of `train`.

    Returns:
        The exit status: 0 when all steps were done, 128 + the signal's number when one ended it
        (all is saved, unless it was the second one), 1 after an error that the user can mend, 3 if
        the policy collapsed and `--on-collapse` ended the run or could not save it.
    """
    try:
        config = parse(arguments)
        check(config)
    except (OSError, ValueError) as error:
        return complain(error)
    try:
        return (trainer or train)(config)
    except BrokenPipeError:
        raise  # the reader closed the pipe
    except CollapseError as error:
        return complain(error, COLLAPSED)
    except (CheckpointError, ValueError, WorkerError, OSError) as error:
        return complain(error)
    except KeyboardInterrupt:
        print("ended at once: everything after the last checkpoint is lost", file=sys.stderr)
        return 128 + signal.SIGINT


def check(config: TrainConfig) -> None:
    """Checks the settings before anything starts.

    Raises:
        OSError, ValueError: the folder of the sessions, the device, the ROM, the start, the reward,
            the session to resume or Weights & Biases cannot be used, or the machine has too
            little memory or disk.
    """
    check_folder(written_into(config))
    check_device(config.device)
    check_bf16(config.bf16, config.device)
    describe_game(config.env.choice)
    prepare_starts(config.env.choice, config.env.start, config.env.clock)
    config.env.preset()
    checkpoint_to_resume(config)
    if config.init_from is not None:
        find_checkpoint(config.init_from)
    fitting = fit_to_machine(config)
    Needs.of(fitting).check()
    check_network(fitting)
    if config.alert is not None:
        alert_words(config.alert)
    if config.wandb:
        # imported here, so that nothing that could use the network is loaded without --wandb
        from baselines.runs.wandb_curves import check_wandb

        check_wandb()


def train(config: TrainConfig, open_games: Callable[[TrainConfig], VecEnv] | None = None) -> int:
    """Runs a training and returns its exit status, see `train_from_flags`.

    However it ends, the games are closed and the model is saved.

    Args:
        config: the settings.
        open_games: makes the games, as the learner sees them, in place of `make_games`.

    Raises:
        CheckpointError: the run to resume has no checkpoint that fits, or the last one of this
            run could not be written.
        WorkerError: a game failed; its own traceback is in the message.
        OSError: the session's folder cannot be written.
        KeyboardInterrupt: a second signal came before all was saved.
    """
    config = fit_to_machine(config)
    with StopRequest() as stop:
        try:
            with closing((open_games or make_games)(config)) as games:
                run(config, games, stop)
        except GONE as error:
            # a signal to the whole process group, as from `timeout` or systemd, ends the games too
            if stop.received is None:
                if isinstance(error, EOFError):  # which has no message
                    raise WorkerError(
                        "a game's process ended; --backend shared replaces it"
                    ) from error
                raise
    return 0 if stop.received is None else 128 + stop.received


def run(config: TrainConfig, games: VecEnv, stop: StopRequest) -> None:
    """Trains with these games in a new session, or in the resumed one."""
    model = make_model(config, games)
    manifest = describe(config, model)
    checkpoint = checkpoint_to_resume(config)
    if checkpoint is None:
        session = Session.create(config.sessions, manifest.game["name"])
        if config.init_from is not None:
            take_weights(model, find_checkpoint(config.init_from), manifest)
    else:
        session = Session.of(checkpoint)
    with session.locked():
        run_in(session, config, model, manifest, checkpoint, stop)


def run_in(
    session: Session,
    config: TrainConfig,
    model: PPO,
    manifest: Manifest,
    checkpoint: Path | None,
    stop: StopRequest,
) -> None:
    """Trains in a locked session, from a checkpoint if there is one."""
    run_state = None
    if checkpoint is not None:
        session.check_own_files()
        run_state = resume(config, model, checkpoint, manifest)
        session.go_back_to(model.num_timesteps)
    config.save(session.config)
    keep_start(config, session.folder)
    write_atomically(session.reward, manifest.preset().to_toml().encode())
    with open_curves(config, session, model.num_timesteps) as logger:
        model.set_logger(logger)
        if run_state is not None:
            restore_run_state(model, run_state)
        announce(config, manifest, model, session)
        learn(config, model, session, manifest.at(model.num_timesteps), stop, run_state)


def describe(config: TrainConfig, model: PPO) -> Manifest:
    """Returns what this run's checkpoints say of themselves.

    Raises:
        CheckpointError: its network is too large for one.
    """
    manifest = Manifest.describe(
        config.env,
        config.network,
        config.n_stack,
        model.observation_space,
        model.action_space,
        config.policy,
    )
    weights_size(manifest)
    return manifest


def learn(
    config: TrainConfig,
    model: PPO,
    session: Session,
    manifest: Manifest,
    stop: StopRequest,
    run_state: RunState | None,
) -> None:
    """Trains until all steps are done or a stop is requested, and always saves.

    Only a second signal, as KeyboardInterrupt, ends it without saving.
    """
    kept = session_callbacks(config, model, session, manifest, run_state)
    diagnose = diagnose_callback(config, model, session, manifest)
    progress = ProgressCallback(config.total_timesteps)
    callbacks = in_order(config, model, session, stop, kept, diagnose)
    at_once = False
    try:
        left = config.total_timesteps - model.num_timesteps
        model.learn(left, [*callbacks, progress], reset_num_timesteps=False)
    except KeyboardInterrupt:
        at_once = True
        raise
    finally:
        progress.close()
        if not at_once:
            kept.finish(model)
    diagnose.check_end()


def diagnose_callback(
    config: TrainConfig, model: PPO, session: Session, manifest: Manifest
) -> DiagnoseCallback:
    """Returns the callback that diagnoses each update and acts on `--on-collapse`."""
    rollback = SessionRollback(model, session, manifest)
    alert = None if config.alert is None else CommandAlert(config.alert)
    return DiagnoseCallback(
        session.diagnostics, config.on_collapse, rollback, keep=rollback.keep, alert=alert
    )


def in_order(
    config: TrainConfig,
    model: PPO,
    session: Session,
    stop: StopRequest,
    kept: SessionCallbacks,
    diagnose: DiagnoseCallback,
) -> list[BaseCallback]:
    """Returns a run's callbacks in the order in which they are called."""
    callbacks: list[BaseCallback] = [
        StopCallback(stop),
        TimingCallback(),
        WorkersCallback(),
        kept.episodes,
        kept.shares,
        diagnose,  # before the checkpoints: a collapsed policy must not be saved
        PictureCallback(session, config.picture_seconds),
        kept.recordings,
        kept.checkpoints,
        kept.watch,
    ]
    if model.device.type == "cpu":
        callbacks.append(ThreadsCallback())
    if config.explores:
        # after the checkpoints, which save the random state that the next starts are drawn with
        callbacks += exploration_callbacks(config, model, kept.exploration, session)
    return callbacks
