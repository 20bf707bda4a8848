"""Checks of a run's settings before it starts."""

from dataclasses import replace
from importlib.util import find_spec

from baselines.checkpoints.manifest import read_manifest
from baselines.checkpoints.trained import find_checkpoint, lasting_name
from baselines.exploration.share_states import check_archive
from baselines.runs.alert import alert_words
from baselines.settings.fitting import ways_of
from baselines.settings.train_config import TrainConfig
from baselines.training.resources import Needs, check_bf16, check_device, check_folder, written_into
from baselines.training.teachers.chosen_teacher import chosen_teacher, lasting_teacher
from emerald_env.env.env import EmeraldEnv
from emerald_env.files.installing import install_command
from emerald_env.game.editions import describe_game
from emerald_env.starts.starts import prepare_starts


def check(config: TrainConfig) -> TrainConfig:
    """Checks the settings before anything starts; first what needs no torch, which loads slowly.

    Returns:
        The settings as fitted to this machine.

    Raises:
        CheckpointError, OSError, ValueError: the folder of the sessions, the device, the ROM, the
            start, the reward, the session to resume or Weights & Biases cannot be used, or the
            machine has too little memory or disk.
    """
    named = with_lasting_names(config)
    check_files(named)
    check_device(config.device)
    check_bf16(config.bf16, config.device)
    from baselines.training.model import check_network, fit_to_machine

    fitted = fit_to_machine(named)
    Needs.of(fitted).check()
    check_network(fitted)
    if config.wandb:
        if find_spec("wandb") is None:
            raise ValueError(f"--wandb needs more packages: {install_command('wandb')}")
        # imported here, so that nothing that could use the network is loaded without --wandb
        from baselines.runs.wandb_curves import check_wandb

        check_wandb()
    return fitted


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
    if config.env.data is not None:
        EmeraldEnv(config.env).close()  # has memory at every address that the file names
    config.env.preset()
    config.env.own_wrapper()
    config.built_from()
    if config.teacher is not None:
        chosen_teacher(config.teacher).check(config.env)
    if config.resume is None:  # a run that resumes has its weights and archive already
        if config.init_from is not None:
            read_manifest(find_checkpoint(config.init_from, config.sessions))
        if config.archive is not None:
            check_archive(config.archive, config.env.choice)
        check_ways(config)


def with_lasting_names(config: TrainConfig) -> TrainConfig:
    """Returns settings that a resume reads as the same teacher and first weights as this run.

    Raises:
        FileNotFoundError, DownloadError: there is no such checkpoint.
    """
    teacher, begun_with = config.teacher, config.init_from
    if teacher is not None:
        teacher = lasting_teacher(teacher, config.sessions)
    if begun_with is not None and config.resume is None:
        begun_with = lasting_name(begun_with, config.sessions)
    return replace(config, teacher=teacher, init_from=begun_with)


def check_ways(config: TrainConfig) -> None:
    """Checks the recordings that a new run learns from.

    Raises:
        FileNotFoundError, ValueError: a recording is not there, or nothing would learn from them.
    """
    files = ways_of(config.ways)
    if files and not (config.explore is None or config.explores or config.clone):
        raise ValueError("recordings fill the archive: leave --explore 0 out, or give --clone")
    if files and not (config.env.is_exact or config.clone):
        raise ValueError(
            "recordings fill the archive, which needs --observation full or state; or --clone"
        )
