"""Checks memory, disk and device before a run starts."""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil

from baselines.games.game import game_space
from baselines.settings.game_config import GameConfig
from baselines.settings.train_config import TrainConfig
from emerald_env.env.observation_parts import parts_of
from emerald_env.files.data import MEBIBYTE

# Upper bounds; experiments/benchmarks measures what a worker and a game take.
WORKER, GAME = 80 * MEBIBYTE, 4 * MEBIBYTE
CHECKPOINT = 30 * MEBIBYTE  # weights of the largest network and both of Adam's moments
CURVES_AND_EPISODES = 60  # bytes a step of each game
PICTURES_AND_CLIPS = 64 * MEBIBYTE


class NotEnough(OSError):
    """The machine has less memory or disk than the run will need."""


@dataclass(frozen=True)
class Needs:
    """What a run needs and what is free, in bytes."""

    memory: int
    memory_free: int
    disk: int
    disk_free: int
    labelled: int = 0  # of the memory, for the labelled steps that are kept

    @classmethod
    def of(cls, config: TrainConfig) -> "Needs":
        """Returns the needs of a run with these settings on this machine, as it is now."""
        n_envs = config.n_envs or 1
        samples = n_envs * config.ppo.n_steps * config.n_stack * observation_bytes(config.env)
        labelled = (
            0 if config.teacher is None else config.labels.stored * observation_bytes(config.env)
        )
        kept = PICTURES_AND_CLIPS + labelled // 6  # compressed
        curves = config.total_timesteps * CURVES_AND_EPISODES
        return cls(
            memory=config.workers * WORKER + n_envs * GAME + 2 * samples + labelled,
            memory_free=psutil.virtual_memory().available,
            disk=(config.keep_checkpoints + 1) * CHECKPOINT + curves + kept,
            disk_free=shutil.disk_usage(existing(written_into(config))).free,
            labelled=labelled,
        )

    def __str__(self) -> str:
        """Returns needs and free space, in MiB."""
        parts = (("memory", self.memory, self.memory_free), ("disk", self.disk, self.disk_free))
        return "; ".join(
            f"{what}: up to {needed / MEBIBYTE:,.0f} MiB more, {free / MEBIBYTE:,.0f} MiB free"
            for what, needed, free in parts
        )

    def check(self) -> None:
        """Refuses a run that cannot fit.

        Raises:
            NotEnough: with the numbers and what to change.
        """
        stored = "--labels.stored, " if self.labelled else ""
        if self.memory > self.memory_free:
            raise NotEnough(
                f"not enough memory ({self}): lower {stored}--n-envs, --n-workers or --n-steps"
            )
        if self.disk > self.disk_free:
            raise NotEnough(
                f"not enough disk ({self}): lower {stored}--keep-checkpoints, or give --sessions a "
                "folder on another disk"
            )


def observation_bytes(game: GameConfig) -> int:
    """Returns the bytes of one game's observation."""
    parts = parts_of(game_space(game)).values()
    return sum(int(np.prod(part.shape or ())) * np.dtype(part.dtype).itemsize for part in parts)


def written_into(config: TrainConfig) -> Path:
    """Returns the folder that a run writes into.

    For a resumed session this is its own folder, since its settings may be from another machine.
    """
    return config.sessions if config.resume is None else Path(config.resume)


def check_folder(folder: Path) -> None:
    """Checks that sessions can be written in a folder.

    Raises:
        OSError: it is a file, or not writable.
    """
    where = existing(folder)
    if not where.is_dir():
        raise NotADirectoryError(f"{where} is not a folder: give --sessions FOLDER")
    try:
        with tempfile.TemporaryFile(dir=where):
            pass
    except OSError as error:
        raise OSError(
            f"nothing can be written in {where} ({error.strerror}): give --sessions FOLDER"
        ) from error


def check_device(name: str) -> None:
    """Checks that the network can run on a device.

    Raises:
        ValueError: torch does not know the device, or finds none.
    """
    if name == "auto":
        return
    import torch  # takes seconds to load

    try:
        # "meta" and similar devices exist, but hold no numbers
        torch.zeros(1, device=name).item()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        first_line = str(error).partition("\n")[0]
        raise ValueError(
            f"--device {name} cannot be used here ({first_line}): give cpu, cuda or auto"
        ) from error


def check_bf16(wanted: bool, name: str) -> None:
    """Checks that a device supports bfloat16, if it is asked for.

    Raises:
        ValueError: the network runs on a processor that has no instructions for it.
    """
    if not wanted:
        return
    from stable_baselines3.common.utils import get_device

    if get_device(name).type == "cpu" and not processor_has_bf16():
        raise ValueError(
            "--bf16 needs a processor with AVX512-BF16 or AMX, or a GPU, and this has neither: "
            "leave it out"
        )


def processor_has_bf16() -> bool:
    """Returns whether the processor has instructions for bfloat16."""
    import torch

    return torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()


def existing(folder: Path) -> Path:
    """Returns the folder, or the nearest one above it that exists."""
    folder = folder.resolve()
    return next(path for path in (folder, *folder.parents) if path.exists())
