"""What `emerald watch` shows of a training: the games, and where they have been."""

from contextlib import suppress

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback

from baselines.runs.run_sightings import SightingLog
from baselines.runs.session_folder import Session
from emerald_env.files.atomic import WriteWarning
from emerald_env.parallel.worker_error import WorkerError
from emerald_env.watching.host import Host

MIN_STEPS_BETWEEN_SIGHTINGS = 4096  # between two lines of sightings
RARER = 60  # a later one comes after a share of 1/60 of all steps: 370 lines in 45 million


class WatchCallback(BaseCallback):
    """Updates the session's live file, and logs where the games have been.

    Without viewers a game's step takes a few microseconds longer.

    Args:
        session: whose files are written.
        game: its name.
        actions: their names.
        terms: the reward's.
    """

    def __init__(
        self,
        session: Session,
        game: str,
        actions: list[str],
        terms: tuple[str, ...],
    ) -> None:
        super().__init__()
        self._session = session
        self._facts = {"terms": terms, "command": "train", "game": game}
        self._actions = actions
        self._log = SightingLog(session)
        self._written = 0  # env steps
        self._host: Host | None = None
        self._restarts = -1
        self._warning = WriteWarning("what can be watched")

    def _on_training_start(self) -> None:
        self._written = self.num_timesteps
        n_games = self.training_env.num_envs
        with self._warning:
            self._host = Host(self._session.live, self._facts, n_games, self._actions)

    def _on_rollout_start(self) -> None:
        # a replaced worker does not know it
        restarts = getattr(self.training_env.unwrapped, "restarts", 0)
        if self._host is not None and restarts != self._restarts:
            self._restarts = restarts
            self.training_env.env_method("publish_to", str(self._session.live.resolve()))

    def _on_step(self) -> bool:
        if self._host is not None:
            self._host.tell(self.num_timesteps, self._policy_outputs)
        return True

    def _policy_outputs(self) -> NDArray[np.float32] | None:
        probabilities: torch.Tensor | None = self.locals.get("probabilities")
        if probabilities is None:
            return None  # of a student, or of steps that a copy of the policy played before
        values: torch.Tensor = self.locals["values"]
        actions = torch.as_tensor(self.locals["actions"]).reshape(-1, 1)
        parts = [values.reshape(-1, 1).cpu(), actions, probabilities.cpu()]
        numbers: NDArray[np.float32] = torch.cat(parts, dim=1).float().numpy()
        return numbers

    def _on_rollout_end(self) -> None:
        if self.num_timesteps - self._written >= max(
            MIN_STEPS_BETWEEN_SIGHTINGS, self._written // RARER
        ):
            self._write()

    def _write(self) -> None:
        self._written = self.num_timesteps
        with self._warning:
            self._log.write(self.num_timesteps, self.training_env.env_method("take_sightings"))

    def close(self) -> None:
        """Logs what is left, and removes the live file."""
        if hasattr(self, "model"):  # not where the games could not be reset at the start
            with suppress(WorkerError, EOFError):  # they may be gone already
                self._write()
        if self._host is not None:
            self._host.close()
            self._host = None
