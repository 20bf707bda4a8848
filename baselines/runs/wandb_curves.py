"""Curves, pictures, videos and settings for Weights & Biases: only with `--wandb`."""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import wandb
from stable_baselines3.common.logger import Figure, HParam, Image, KVWriter

from baselines.runs.alert import ALERT
from emerald_env.files.package_version import PROGRAM

STEPS = "num_timesteps"  # the axis of every curve
VIDEOS = (".mp4", ".gif", ".webm")
REMEDY = (
    "run `wandb login` once, or set WANDB_MODE=offline to keep everything here (`wandb sync` sends "
    "it later)"
)
SETTLED = 10.0  # seconds without a write after which a file counts as complete


class WandbFormat(KVWriter):
    """Sends what is logged to Weights & Biases, over env steps; offline with WANDB_MODE=offline.

    Videos that appear in the session's folder are sent too, once each. A resumed run keeps its
    name.

    Args:
        folder: the run's.
        settings: the run's, see `public_settings`.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self._folder = folder
        self._sent: set[Path] = set()
        self._run = wandb.init(
            project=PROGRAM,
            name=folder.name,
            id=folder.name,
            dir=folder,
            config=dict(settings),
            resume="allow",
            settings=wandb.Settings(save_code=False, silent=True, console="off"),
        )
        self._run.define_metric(STEPS)
        self._run.define_metric("*", step_metric=STEPS)

    def write(
        self,
        key_values: dict[str, Any],
        key_excluded: dict[str, tuple[str, ...]],
        step: int = 0,
    ) -> None:
        """Sends the values of one step, `ALERT` as an alert; SB3's logger calls this."""
        values = {key: convert(value) for key, value in key_values.items() if key != ALERT}
        known = {key: value for key, value in values.items() if value is not None}
        self._run.log({STEPS: step, **known, **self._new_videos(SETTLED)})
        if ALERT in key_values:
            title = f"{self._folder.name}: diagnostics"
            self._run.alert(title=title, text=str(key_values[ALERT]))

    def close(self) -> None:
        """Sends the last videos and ends the run."""
        if videos := self._new_videos(0.0):
            self._run.log(videos)
        self._run.finish()

    def _new_videos(self, settled: float) -> dict[str, Any]:
        found = {}
        for path in sorted(self._folder.rglob("*")):
            inside = path.relative_to(self._folder)
            # wandb keeps its own copies in here; a video named with a dot is incomplete
            others = inside.parts[0] == "wandb" or path.name.startswith(".")
            if path.suffix not in VIDEOS or others or path in self._sent:
                continue
            if time.time() - path.stat().st_mtime >= settled:
                self._sent.add(path)
                name = inside.with_suffix("").as_posix()
                kind: Any = path.suffix[1:]
                found[f"videos/{name}"] = wandb.Video(str(path), format=kind)
        return found


def convert(value: Any) -> Any:
    """Returns a value of SB3's logger in wandb's form, None if wandb has no such type."""
    if isinstance(value, Image):
        pixels = np.asarray(value.image)
        return wandb.Image(pixels if value.dataformats == "HWC" else pixels.transpose(1, 2, 0))
    if isinstance(value, Figure):
        return wandb.Image(value.figure)
    if isinstance(value, HParam):
        return None
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, int | float | str) else None


def check_wandb() -> None:
    """Checks that Weights & Biases can be used, before anything starts; never prompts.

    Raises:
        ValueError: nobody is logged in, and it is not told to stay offline.
    """
    if os.environ.get("WANDB_MODE", "online") in ("offline", "disabled", "dryrun"):
        return
    try:
        logged_in = wandb.login(prompt=False)
    except wandb.Error as error:
        raise ValueError(f"--wandb: {error}; {REMEDY}") from error
    if not logged_in:
        raise ValueError(f"--wandb: nobody is logged in to Weights & Biases; {REMEDY}")
