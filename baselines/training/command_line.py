"""The settings of a training from its command line, and from the session that it resumes."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import tyro

from baselines.runs.session_folder import Session
from baselines.settings.by_game import fitting
from baselines.settings.train_config import ONLY_BY_FLAG, TrainConfig, from_json


def parse(arguments: Sequence[str] | None = None) -> TrainConfig:
    """Returns the settings of a command line, None for this process's own.

    With `--resume` the session's settings are the defaults, without it those that fit the game;
    flags change them.

    Raises:
        SystemExit: after `--help`, or after saying what is wrong with a flag.
        FileNotFoundError: there is no such session.
    """
    config = tyro.cli(TrainConfig, args=arguments)
    if config.resume is None:
        if settings := fitting(config.env.rom):
            config = tyro.cli(TrainConfig, args=arguments, default=from_json(TrainConfig, settings))
        return config
    session = Session.find(config.sessions, config.resume)
    saved = without_flags(TrainConfig.load(session.config))
    config = tyro.cli(TrainConfig, args=arguments, default=saved)
    return replace(config, resume=str(session.folder))


def without_flags(config: TrainConfig) -> TrainConfig:
    """Returns settings with the defaults of those that only a flag may switch on."""
    marked: dict[str, Any] = {
        setting.name: setting.default
        for setting in fields(config)
        if ONLY_BY_FLAG.keys() <= setting.metadata.keys()
    }
    return replace(config, **marked)
