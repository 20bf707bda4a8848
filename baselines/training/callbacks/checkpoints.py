"""Saving the run now and then, and keeping the best."""

import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic

from baselines.checkpoints.best import Score, score_to_beat, with_score
from baselines.checkpoints.checkpoint_file import CheckpointError, checkpoint_bytes
from baselines.checkpoints.manifest import Manifest
from baselines.checkpoints.resume import RunState, run_state_to_bytes
from baselines.learner.ppo import PPO
from baselines.runs.session_folder import Session
from baselines.training.callbacks.rollout_callback import RolloutCallback
from emerald_env.files.atomic import write_atomically
from emerald_env.files.printable import warn

RETRY_SECONDS = 60.0  # after a checkpoint could not be written; a full disk may have room again


class CheckpointCallback(RolloutCallback):
    """Saves a checkpoint every `save_freq` steps; keeps the latest few and the best.

    The saved state is that at the start of a rollout: all samples so far have been learnt from, and
    a resumed run plays an interrupted rollout again.

    A checkpoint that cannot be written is reported and tried again a minute later; the last good
    one is kept, and training continues.

    Args:
        session: whose `checkpoints` folder is written.
        manifest: what the checkpoints say of themselves, at the step where the run starts.
        save_freq: env steps between two checkpoints.
        keep: how many are kept.
        take: returns everything that an exact resume needs (`resume.take_run_state`); None: only
            the checkpoint itself is saved.
        saved: called with what was taken once it is on the disk.
    """

    model: PPO

    def __init__(
        self,
        session: Session,
        manifest: Manifest,
        save_freq: int,
        keep: int,
        take: Callable[[], RunState] | None = None,
        saved: Callable[[RunState], None] | None = None,
    ) -> None:
        super().__init__()
        self._session = session
        self._manifest = manifest
        self._save_freq = save_freq
        self._keep = keep
        self._take, self._saved = take, saved
        self._run_state: RunState | None = None
        self._saved_at = self._steps_learnt = manifest.num_timesteps
        self._begun = self._learning = False
        self._retry_at = 0.0
        self._best = score_to_beat(session.best, manifest)

    def _on_rollout_start(self) -> None:
        self._after_update()
        due = self._steps_learnt - self._saved_at >= self._save_freq
        if due and monotonic() >= self._retry_at:
            try:
                self.save()
            except OSError as error:
                self._retry_at = monotonic() + RETRY_SECONDS
                warn(f"warning: {self._failed(error)}; training continues")

    def _on_rollout_end(self) -> None:
        self._learning = True  # the update follows at once

    def _on_training_end(self) -> None:
        if self._learning:
            self._after_update()

    def _after_update(self) -> None:
        self._begun, self._learning = True, False
        self._steps_learnt = self.model.num_timesteps
        if self._take is not None:
            self._run_state = self._take()

    def save(self) -> Path:
        """Writes a checkpoint of what has been learnt so far, and removes those beyond `keep`.

        Raises:
            CheckpointError: a weight is NaN or infinite.
            OSError: it cannot be written; the last good one is kept.
        """
        path = self._session.checkpoint(self._steps_learnt)
        content = self._write(path)
        self._keep_best(content)
        self._saved_at = self._steps_learnt
        self._prune()
        if self._saved is not None and self._run_state is not None:
            self._saved(self._run_state)
        return path

    def finish(self) -> Path | None:
        """Saves at the end of a run, whatever ended it; returns the latest checkpoint.

        Nothing is written if an update was interrupted, since its weights are neither those before
        nor those after it.

        Raises:
            CheckpointError: it cannot be written; the message says where it was saved instead.
        """
        path = self._session.checkpoint(self._steps_learnt)
        if self._learning or not self._begun:
            return self._session.latest_checkpoint()
        if self._saved_at == self._steps_learnt and path.exists():
            return path
        try:
            return self.save()
        except OSError as error:
            raise CheckpointError(f"{self._failed(error)}. {self._save_elsewhere()}") from error

    def _write(self, path: Path) -> bytes:
        """Writes a checkpoint after its `.resume`, so that it never exists without one.

        A disk that has room for the `.resume` only keeps neither.
        """
        content = checkpoint_bytes(self.model, self._manifest.at(self._steps_learnt))
        resume = path.with_suffix(".resume")
        if self._run_state is not None:
            write_atomically(resume, run_state_to_bytes(self._run_state, content))
        try:
            write_atomically(path, content)
        except OSError:
            with suppress(OSError):
                resume.unlink(missing_ok=True)
            raise
        return content

    def _keep_best(self, content: bytes) -> None:
        rewards = [episode["r"] for episode in self.model.ep_info_buffer or ()]
        score = Score.of(rewards, self._steps_learnt)
        if score is not None and (self._best is None or score.beats(self._best)):
            write_atomically(self._session.best, with_score(content, score))
            self._best = score

    def _prune(self) -> None:
        saved = self._session.saved_checkpoints()
        for old in saved[: -self._keep]:
            old.unlink()
        for path in self._session.checkpoints.glob("*.resume"):
            if path.stem != saved[-1].stem:
                path.unlink()

    def _failed(self, error: OSError) -> str:
        last = self._session.latest_checkpoint()
        kept = f"the last good one is {last.name}" if last else "there is none yet"
        return f"the checkpoint after {self._steps_learnt:,} steps was not saved ({error}); {kept}"

    def _save_elsewhere(self) -> str:
        """Writes a checkpoint to the machine's temporary folder; returns a message."""
        try:
            folder = Path(tempfile.mkdtemp(prefix=f"{self._session.folder.name}_"))
            path = folder / self._session.checkpoint(self._steps_learnt).name
            self._write(path)
        except OSError as error:
            return f"Nor could it be saved elsewhere ({error}): free some disk space"
        return (
            f"It was saved as {path} instead: free some disk space and move what is in that folder "
            f"into {self._session.checkpoints}"
        )
