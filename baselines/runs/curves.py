"""Where the curves go: tensorboard's files, and Weights & Biases on request."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from numbers import Real
from pathlib import Path
from time import monotonic
from typing import Any

from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat
from torch.utils.tensorboard.summary import hparams
from torch.utils.tensorboard.writer import SummaryWriter

from baselines.settings.shown_settings import Setting
from emerald_env.files.atomic import WriteWarning
from emerald_env.files.data import fits

RETRY_SECONDS = 60.0  # after an error; a full disk may have room again
RESULT = "rollout/ep_rew_mean"
LAYOUT = {
    "what matters": {
        "reward of an episode": ["Multiline", [RESULT]],
        "milestones of an episode": ["Multiline", ["milestones/per_episode"]],
        "entropy, share of its maximum": ["Multiline", ["diagnostics/entropy_share"]],
        "KL divergence of an update": ["Multiline", ["train/approx_kl"]],
        "explained variance of the value": ["Multiline", ["train/explained_variance"]],
        "steps a second": ["Multiline", ["time/steps_per_second"]],
    },
    "where the reward comes from": {"terms": ["Multiline", ["reward/.*"]]},
    "how far episodes get": {"milestones": ["Multiline", ["milestones/.*"]]},
}


class CurvesFormat(TensorBoardOutputFormat):
    """SB3's tensorboard output with a layout, hyperparameters, and no curves of zeros.

    What an earlier run wrote after its last checkpoint is hidden. A curve begins at its first value
    that is not 0, with a 0 before it. A resumed run knows from `set_state` which curves have begun;
    without it, all curves count as begun.

    Args:
        folder: for the events, beside those of earlier runs.
        num_timesteps: env steps trained on so far; later points of earlier runs are hidden.
        settings: of the run, by name, shown as hyperparameters and as a text.
    """

    def __init__(
        self, folder: str, num_timesteps: int, settings: Mapping[str, Setting] | None = None
    ) -> None:
        # instead of SB3's, which makes the same writer but cannot hide points
        self.writer = SummaryWriter(log_dir=folder, purge_step=num_timesteps + 1)
        self._is_closed = False
        self._folder = folder
        self._zeros: dict[str, int] = {}  # curve that has been 0 so far -> its latest step
        self._begun: set[str] | None = None if num_timesteps else set()  # None: all curves
        self._retry_at = 0.0  # after an error
        self._warning = WriteWarning("the curves")
        with self._warning:
            self._introduce(self.writer, settings)

    @staticmethod
    def _introduce(writer: Any, settings: Mapping[str, Setting] | None) -> None:
        """Writes the layout and the settings."""
        summaries: Any = hparams
        writer.add_custom_scalars(LAYOUT)
        for summary in summaries(settings, {RESULT: 0.0}) if settings else ():
            writer.file_writer.add_summary(summary)
        if settings:
            rows = (f"| {name} | {value} |" for name, value in settings.items())
            writer.add_text("settings", "\n".join(("| setting | value |", "|---|---|", *rows)))

    def write(
        self,
        key_values: dict[str, Any],
        key_excluded: dict[str, tuple[str, ...]],
        step: int = 0,
    ) -> None:
        """Writes the values of a step; if that fails, a new file is tried a minute later."""
        if monotonic() < self._retry_at:
            return
        with self._warning:
            if self._retry_at:
                self.writer = SummaryWriter(log_dir=self._folder)
            self._retry_at = monotonic() + RETRY_SECONDS
            kept = {k: v for k, v in key_values.items() if "tensorboard" not in key_excluded[k]}
            shown = self._without_zeros(kept, step)
            excluded = {name: key_excluded[name] for name in shown}
            super().write(shown, excluded, step)
            self._retry_at = 0.0

    def _without_zeros(self, key_values: dict[str, Any], step: int) -> dict[str, Any]:
        if self._begun is None:
            return key_values
        shown = {}
        for name, value in key_values.items():
            if name not in self._begun and isinstance(value, Real) and value == 0:
                self._zeros[name] = step
                continue
            self._begun.add(name)
            if name in self._zeros:
                self.writer.add_scalar(name, 0.0, self._zeros.pop(name))
            shown[name] = value
        return shown

    def get_state(self) -> dict[str, Any]:
        """Returns which curves have begun, and the latest step of those that are all 0."""
        begun = None if self._begun is None else sorted(self._begun)
        return {"begun": begun, "zeros": dict(self._zeros)}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Restores what `get_state` returned.

        Raises:
            ValueError: it is malformed.
        """
        if not fits(state["begun"], list[str] | None) or not fits(state["zeros"], dict[str, int]):
            raise ValueError("the curves that have begun are not a list of names")
        self._begun = None if state["begun"] is None else set(state["begun"])
        self._zeros = dict(state["zeros"])

    def close(self) -> None:
        """Closes the file."""
        with self._warning:
            super().close()


@contextmanager
def open_curves(
    folder: Path,
    num_timesteps: int,
    settings: Mapping[str, Setting],
    sent: Mapping[str, Any] | None = None,
) -> Iterator[Logger]:
    """Yields the logger of a run.

    Args:
        folder: of its session.
        num_timesteps: where it starts, or is resumed.
        settings: for tensorboard.
        sent: the settings that Weights & Biases is sent; None: it is sent nothing.
    """
    formats: list[KVWriter] = [CurvesFormat(str(folder), num_timesteps, settings)]
    logger = Logger(str(folder), formats)
    try:
        if sent is not None:
            # imported here, so that nothing that could use the network is loaded without --wandb
            from baselines.runs.wandb_curves import WandbFormat

            formats.append(WandbFormat(folder, sent))
        with quiet_writers():
            yield logger
    finally:
        logger.close()


def curves_of(logger: Logger) -> CurvesFormat:
    """Returns the curves that a logger of `open_curves` writes."""
    return next(each for each in logger.output_formats if isinstance(each, CurvesFormat))


@contextmanager
def quiet_writers() -> Iterator[None]:
    """Keeps tensorboard's threads from printing the OSErrors that `CurvesFormat` reports."""
    previous = threading.excepthook

    def hook(failure: threading.ExceptHookArgs) -> None:
        ours = type(failure.thread).__name__ == "_AsyncWriterThread"
        if not (ours and isinstance(failure.exc_value, OSError)):
            previous(failure)

    threading.excepthook = hook
    try:
        yield
    finally:
        threading.excepthook = previous
