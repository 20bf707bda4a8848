"""Returning to a healthy policy from before a collapse."""

import tempfile
from collections import deque
from pathlib import Path

from baselines.checkpoints.checkpoint_file import checkpoint_bytes, read_manifest, restore
from baselines.checkpoints.manifest import Manifest
from baselines.learner.ppo import PPO
from baselines.runs.session_folder import Session
from emerald_env.files.atomic import write_atomically

COPIES = 3  # in memory; the newest may be from when the trouble began


class SessionRollback:
    """Takes a run back to the last healthy policy before a step.

    Weights and optimiser go back; the step count does not, so that curves and schedules continue.
    Checkpoints from after the collapse began are removed, so that nobody resumes from them.

    Args:
        model: the run's model.
        session: whose checkpoints are used, and where the last healthy copy is kept.
        manifest: what the run is.
    """

    def __init__(self, model: PPO, session: Session, manifest: Manifest) -> None:
        self._model, self._session, self._manifest = model, session, manifest
        self._copies: deque[tuple[int, bytes]] = deque(maxlen=COPIES)

    def keep(self) -> None:
        """Keeps a copy of the policy as it is now, in memory and in the session's folder.

        Raises:
            OSError: it cannot be written; the copy in memory is kept.
        """
        steps = self._model.num_timesteps
        content = checkpoint_bytes(self._model, self._manifest.at(steps))
        self._copies.append((steps, content))
        write_atomically(self._session.healthy, content)

    def __call__(self, before: int) -> None:
        """Goes back to the newest copy or checkpoint from before an env step.

        Raises:
            FileNotFoundError: no such copy or checkpoint.
        """
        path = self._newest_checkpoint(before)
        saved = -1 if path is None else read_manifest(path).num_timesteps
        steps, content = max(
            ((steps, content) for steps, content in self._copies if steps < before),
            default=(-1, b""),
        )
        now = self._model.num_timesteps
        if steps > saved:
            with tempfile.TemporaryDirectory() as folder:
                copy = Path(folder) / self._session.healthy.name
                copy.write_bytes(content)
                restore(self._model, copy, self._manifest)
        elif path is not None:
            restore(self._model, path, self._manifest)
        else:
            raise FileNotFoundError(
                f"no checkpoint in {self._session.folder} from before step {before:,}"
            )
        self._model.num_timesteps = now
        self._forget_from(before)

    def _newest_checkpoint(self, before: int) -> Path | None:
        healthy = [self._session.healthy] if self._session.healthy.exists() else []
        found = [
            (read_manifest(path).num_timesteps, path)
            for path in (*healthy, *self._session.saved_checkpoints())
        ]
        return max(((steps, path) for steps, path in found if steps < before), default=(0, None))[1]

    def _forget_from(self, before: int) -> None:
        self._copies = deque(
            ((steps, copy) for steps, copy in self._copies if steps < before), maxlen=COPIES
        )
        for path in self._session.saved_checkpoints():
            if read_manifest(path).num_timesteps >= before:
                path.unlink()
