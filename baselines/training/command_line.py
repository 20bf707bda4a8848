"""A training from its command line: the settings, their checks, and what errors become."""

import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from baselines.checkpoints.manifest import read_manifest
from baselines.checkpoints.trained import checkpoint_to_resume, find_checkpoint
from baselines.diagnostics.finding import CollapseError
from baselines.runs.alert import alert_words
from baselines.runs.session_folder import Session
from baselines.settings.fitting import check_ways, fitting, with_ways
from baselines.settings.game_config import GameConfig
from baselines.settings.read_flags import read_flags
from baselines.settings.train_config import ONLY_BY_FLAG, TrainConfig
from baselines.training.resources import Needs, check_bf16, check_device, check_folder, written_into
from emerald_env.env.setting_types import from_json
from emerald_env.files.installing import install_command
from emerald_env.files.own_code import parse_address
from emerald_env.files.printable import complain
from emerald_env.game.editions import describe_game
from emerald_env.parallel.worker_process import WorkerError
from emerald_env.starts.starts import prepare_starts

COLLAPSED = 3  # exit status


def train_from_flags(
    arguments: Sequence[str] | None = None, trainer: Callable[[TrainConfig], int] | None = None
) -> int:
    """Trains with the settings of a command line.

    Args:
        arguments: the command line; None: this process's own.
        trainer: runs the training. None: `baselines.training.phases.train`.

    Returns:
        The exit status: 0 when all steps were done, 128 + the signal's number when one ended it
        (all is saved, unless it was the second one), 1 after an error that the user can mend, 3 if
        the policy collapsed and `--on-collapse` ended the run or could not save it.
    """
    try:
        config = parse(arguments)
        check(config)
        from baselines.training.phases import train
    except (CheckpointError, OSError, ValueError) as error:
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
    """Checks the settings before anything starts; first what needs no torch, which loads slowly.

    Raises:
        CheckpointError, OSError, ValueError: the folder of the sessions, the device, the ROM, the
            start, the reward, the session to resume or Weights & Biases cannot be used, or the
            machine has too little memory or disk.
    """
    check_files(config)
    check_device(config.device)
    check_bf16(config.bf16, config.device)
    from baselines.training.model import check_network, fit_to_machine

    fitting = fit_to_machine(config)
    Needs.of(fitting).check()
    check_network(fitting)
    if config.wandb:
        if find_spec("wandb") is None:
            raise ValueError(f"--wandb needs more packages: {install_command('wandb')}")
        # imported here, so that nothing that could use the network is loaded without --wandb
        from baselines.runs.wandb_curves import check_wandb

        check_wandb()


def check_files(config: TrainConfig) -> None:
    """Checks what the settings name.

    Raises:
        CheckpointError, OSError, ValueError: something is not there, or cannot be used.
    """
    check_folder(written_into(config))
    if config.alert is not None:
        alert_words(config.alert)
    describe_game(config.env.choice)
    prepare_starts(config.env.choice, config.env.start, config.env.clock)
    config.env.preset()
    config.env.own_wrapper()
    config.built_from()
    checkpoint_to_resume(config)
    for name in (config.init_from, None if config.teacher == "guide" else config.teacher):
        if name is not None:
            read_manifest(find_checkpoint(name))
    if config.resume is None:
        check_ways(config)


def parse(arguments: Sequence[str] | None = None) -> TrainConfig:
    """Returns the settings of a command line, None for this process's own.

    With `--resume` the session's settings are the defaults, without it those that fit the game and
    the teacher; flags change them.

    Raises:
        SystemExit: after `--help`, or after saying what is wrong with a flag.
        FileNotFoundError: there is no such session.
    """
    words = with_ways(sys.argv[1:] if arguments is None else arguments)
    default = from_json(TrainConfig, fitting(words))
    config: TrainConfig = read_flags(TrainConfig, words, default=default)
    if config.resume is None:
        return config
    session = Session.find(config.sessions, config.resume)
    saved = TrainConfig.load(session.config)
    check_own_code(saved, config, session.folder)
    config = read_flags(TrainConfig, words, default=without_flags(saved))
    return replace(config, resume=str(session.folder))


def check_own_code(saved: TrainConfig, given: TrainConfig, folder: Path) -> None:
    """Checks that Python files that a session names are named on the command line again.

    Raises:
        ValueError: they are not.
    """
    chosen = {
        "--reward": given.env.reward != GameConfig.reward,
        "--wrapper": given.env.wrapper is not None,
        "--network": given.network != TrainConfig.network,
    }
    if left_out := [flag for flag in saved.own_code if not chosen[flag.split()[0]]]:
        raise ValueError(
            f"{folder} has Python code of its owner's, which runs only if the command line names "
            f"it: if it is yours, give {' '.join(left_out)} again"
        )


def without_flags(config: TrainConfig) -> TrainConfig:
    """Returns settings with the defaults of those that only a flag may switch on.

    So a session, which may be anybody's, starts no command and runs no Python file.
    """
    marked: dict[str, Any] = {
        setting.name: setting.default
        for setting in fields(config)
        if ONLY_BY_FLAG.keys() <= setting.metadata.keys()
    }
    game = replace(config.env, wrapper=None)
    if config.env.own_reward:
        game = replace(game, reward=GameConfig.reward, reward_weights=(), reward_code=())
    network = config.network if parse_address(config.network) is None else TrainConfig.network
    return replace(config, **marked, env=game, network=network)
