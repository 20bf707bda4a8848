"""Saving the run now and then."""

from pathlib import Path

from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm

from baselines.checkpoint import save_checkpoint
from baselines.manifest import Manifest
from baselines.session import Session


class CheckpointCallback(BaseCallback):
    """Saves a checkpoint every `save_freq` steps, and keeps the latest few.

    It saves where a rollout starts: all samples so far have been learnt from, and none is lost to a
    run that goes on from there.

    Args:
        session: whose `checkpoints` folder is written.
        manifest: what the checkpoints say of themselves, at the step where the run starts.
        save_freq: env steps between two checkpoints.
        keep: how many are kept.
    """

    model: OnPolicyAlgorithm

    def __init__(self, session: Session, manifest: Manifest, save_freq: int, keep: int) -> None:
        super().__init__()
        self._session = session
        self._manifest = manifest
        self._save_freq = save_freq
        self._keep = keep
        self._saved_at = self._steps_learnt = manifest.num_timesteps

    def _on_rollout_start(self) -> None:
        if self._steps_learnt - self._saved_at >= self._save_freq:
            self.save()

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        self._steps_learnt = self.num_timesteps  # the update follows at once

    def save(self) -> Path:
        """Writes a checkpoint of what has been learnt so far, and removes those beyond `keep`.

        A rollout that was interrupted does not count: none of it has been learnt from.
        """
        path = self._session.checkpoint(self._steps_learnt)
        save_checkpoint(self.model, path, self._manifest.at(self._steps_learnt))
        self._saved_at = self._steps_learnt
        for old in self._session.saved_checkpoints()[: -self._keep]:
            old.unlink()
        return path
