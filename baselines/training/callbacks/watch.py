"""What `emerald watch` shows of a training: the games now, and where they have been."""

from contextlib import suppress
from math import inf
from time import monotonic
from typing import Any

import torch
from stable_baselines3.common.callbacks import BaseCallback

from baselines.runs.session import Session
from baselines.runs.sightings import SightingLog
from emerald_env.files.atomic import WriteWarning
from emerald_env.files.data import DataError
from emerald_env.parallel.worker_process import WorkerError
from emerald_env.watching.live_file import LiveFile
from emerald_env.wrappers.publisher import ASK_SECONDS, FRAME_SECONDS

LINES = 300  # of a run's sightings, about
LEAST_STEPS = 4096  # between two of them


class WatchCallback(BaseCallback):
    """Keeps the session's live file, and writes down where the games have been.

    While nobody looks, a game's step costs a few microseconds more.

    Args:
        session: whose files are written.
        game: its name.
        actions: their names.
        terms: the reward's.
        total_timesteps: of the run, by which the number of lines is chosen.
    """

    def __init__(
        self,
        session: Session,
        game: str,
        actions: list[str],
        terms: tuple[str, ...],
        total_timesteps: int,
    ) -> None:
        super().__init__()
        self._session = session
        self._facts = {"terms": terms, "command": "train", "game": game}
        self._actions = actions
        self._every = max(LEAST_STEPS, total_timesteps // LINES)
        self._log = SightingLog(session)
        self._written = 0  # env steps
        self._file: LiveFile | None = None
        self._restarts = -1
        self._next = self._ask_next = 0.0  # monotonic seconds
        self._warning = WriteWarning("what can be watched")

    def _on_training_start(self) -> None:
        self._written = self.num_timesteps
        n_games = self.training_env.num_envs
        with self._warning:
            LiveFile.create(self._session.live, self._facts, n_games, self._actions)
            self._file = LiveFile(self._session.live, own=True)

    def _on_rollout_start(self) -> None:
        # a worker that was replaced has heard of nothing
        restarts = getattr(self.training_env.unwrapped, "restarts", 0)
        if self._file is not None and restarts != self._restarts:
            self._restarts = restarts
            self.training_env.env_method("publish_to", str(self._session.live.resolve()))

    def _on_step(self) -> bool:
        if self._file is not None and (now := monotonic()) >= self._next:
            try:
                self._show(self._file, now)
            except (OSError, DataError):  # somebody cut it short, or the disk is full
                self._next = inf
        return True

    def _show(self, file: LiveFile, now: float) -> None:
        if now >= self._ask_next:
            self._ask_next = now + ASK_SECONDS
            file.beat(self.num_timesteps)
            if not file.is_watched:
                self._next = self._ask_next
                return
        self._next = now + FRAME_SECONDS
        if getattr(self.model, "player", None) is not None:
            return  # these steps were played before, by a copy of the policy
        values: torch.Tensor = self.locals["values"]
        actions = torch.as_tensor(self.locals["actions"]).reshape(-1, 1)
        policy: Any = self.model.policy
        # the distribution that the forward pass has just left behind
        probabilities = policy.action_dist.distribution.probs
        numbers = torch.cat([values.reshape(-1, 1).cpu(), actions, probabilities.cpu()], dim=1)
        file.show_policy(numbers.float().numpy())

    def _on_rollout_end(self) -> None:
        if self.num_timesteps - self._written >= self._every:
            self._write()

    def _write(self) -> None:
        self._written = self.num_timesteps
        with self._warning:
            self._log.write(self.num_timesteps, self.training_env.env_method("take_sightings"))

    def close(self) -> None:
        """Writes down what is left, and removes the live file."""
        with suppress(WorkerError, EOFError):  # the games may be gone already
            self._write()
        if self._file is not None:
            self._file.close()
            self._file = None
