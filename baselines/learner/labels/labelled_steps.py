"""The labelled steps of many episodes, each stored once and read many times."""

import zlib
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from torch import Tensor

from baselines.learner.labels.purpose_head import UNKNOWN

ARRAYS = ("labels", "purposes", "starts", "memory", "priority")
Parts = Mapping[str, spaces.Space[Any]]
CHUNK = 24  # consecutive steps that are learnt together
MIN_DIVERGENCE, POWER = 0.03, 0.5  # priority: (divergence + MIN_DIVERGENCE) ** POWER
NEW = 1.0  # priority of chunks that have not been read yet


class LabelledChunks(NamedTuple):
    """Chunks of successive steps, (n, CHUNK, ...) each, with the memory before the first."""

    observations: dict[str, Tensor]  # by part
    labels: Tensor  # (n, CHUNK, n_actions) float32
    purposes: Tensor  # (n, CHUNK) int64, what the teacher was after
    starts: Tensor  # (n, CHUNK) bool, where an episode begins
    memory: Tensor  # (2, n, size): hidden and cell state


class LabelledSteps:
    """A ring of the latest steps of all games, in chunks.

    Args:
        n_chunks: of each game.
        n_envs: number of games.
        parts: spaces of an observation's parts.
        n_actions: numbers in a label.
        memory_size: of the student's LSTM.
    """

    def __init__(
        self, n_chunks: int, n_envs: int, parts: Parts, n_actions: int, memory_size: int
    ) -> None:
        shape = (n_chunks, n_envs)
        self.observations = {
            name: np.zeros((*shape, CHUNK, *(part.shape or ())), part.dtype)
            for name, part in parts.items()
        }
        self.labels = np.zeros((*shape, CHUNK, n_actions), np.float16)
        self.purposes = np.full((*shape, CHUNK), UNKNOWN, np.uint8)
        self.starts = np.zeros((*shape, CHUNK), np.bool_)
        self.memory = np.zeros((2, *shape, memory_size), np.float32)
        self.priority = np.zeros(shape, np.float64)  # 0: empty
        self.n_steps = 0  # of each game, since the run began
        self._packer = ThreadPoolExecutor(1)  # while games play
        self._packed: list[Future[dict[str, bytes]] | None] = [None] * n_chunks  # of each row

    @property
    def newest(self) -> int:
        """The row of the newest chunks."""
        return (self.n_steps - 1) // CHUNK % len(self.priority)

    def add(
        self,
        observations: dict[str, NDArray[Any]],
        labels: NDArray[np.float32],
        purposes: NDArray[np.uint8],
        starts: NDArray[np.bool_],
        memory: tuple[Tensor, Tensor],
    ) -> None:
        """Stores a step of every game.

        Args:
            observations: by part, (n_envs, ...).
            labels: (n_envs, n_actions).
            purposes: (n_envs,), `UNKNOWN` where the teacher does not tell.
            starts: (n_envs,).
            memory: before the step, hidden and cell state, (1, n_envs, size) each.
        """
        step = self.n_steps % CHUNK
        row = self.n_steps // CHUNK % len(self.priority)
        if step == 0:
            self.memory[:, row] = torch.cat(memory).cpu().numpy()
            self.priority[row] = 0.0
        self._packed[row] = None
        for name, part in observations.items():
            self.observations[name][row, :, step] = part
        self.labels[row, :, step] = labels
        self.purposes[row, :, step] = purposes
        self.starts[row, :, step] = starts
        if step == CHUNK - 1:
            self.priority[row] = NEW
            self._pack(row)
        self.n_steps += 1

    def get_state(self) -> dict[str, Any]:
        """Returns everything, as plain values and arrays; the observations compressed."""
        filled = min(-(-self.n_steps // CHUNK), len(self.priority))
        rows = [packed.result() for packed in [self._pack(row) for row in range(filled)]]
        return {
            "n_steps": self.n_steps,
            "observations": {name: [row[name] for row in rows] for name in self.observations},
            **{name: getattr(self, name) for name in ARRAYS},
        }

    def _pack(self, row: int) -> "Future[dict[str, bytes]]":
        """Compresses a row's observations, once: a run asks for its state after each round."""
        packed = self._packed[row]
        if packed is None:
            packed = self._packed[row] = self._packer.submit(self._compress, row)
        return packed

    def _compress(self, row: int) -> dict[str, bytes]:
        return {name: zlib.compress(part[row], 1) for name, part in self.observations.items()}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restores what `get_state` returned.

        Raises:
            ValueError: it is of other sizes.
        """
        for name in ARRAYS:
            if state[name].shape != getattr(self, name).shape:
                raise ValueError(f"the labelled steps' {name} have the shape {state[name].shape}")
            getattr(self, name)[:] = state[name]
        for name, part in self.observations.items():
            for row, packed in zip(part, state["observations"][name], strict=False):
                found = zlib.decompressobj().decompress(packed, row.nbytes)
                row[:] = np.frombuffer(found, row.dtype).reshape(row.shape)
        self._packed = [None] * len(self._packed)
        self.n_steps = state["n_steps"]

    def draw(self, n: int) -> NDArray[np.int64]:
        """Returns the (row, game) of `n` chunks, (n, 2), by their priority."""
        shares = self.priority.ravel() / self.priority.sum()
        drawn = np.random.choice(len(shares), n, p=shares)
        return np.stack(np.divmod(drawn, self.priority.shape[1]), axis=1)

    def after(self, chunks: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Returns the next chunk of each, and whether there is one."""
        rows = (chunks[:, 0] + 1) % len(self.priority)
        following = np.stack((rows, chunks[:, 1]), axis=1)
        there = (chunks[:, 0] != self.newest) & (self.priority[rows, chunks[:, 1]] > 0)
        return following, there

    def take(self, chunks: NDArray[np.int64], device: torch.device | str = "cpu") -> LabelledChunks:
        """Returns these chunks' contents on a device."""
        row, game = chunks.T

        def on_device(array: NDArray[Any]) -> Tensor:
            return torch.from_numpy(array).to(device)

        return LabelledChunks(
            {name: on_device(part[row, game]) for name, part in self.observations.items()},
            on_device(self.labels[row, game]).float(),
            on_device(self.purposes[row, game]).long(),
            on_device(self.starts[row, game]),
            on_device(self.memory[:, row, game]),
        )

    def refresh(
        self, chunks: NDArray[np.int64], divergence: NDArray[np.float32], memory: Tensor
    ) -> None:
        """Stores chunks' new priority, and their last memory as the next chunks' first.

        Args:
            chunks: (n, 2).
            divergence: (n,) the mean of their steps.
            memory: (2, n, size) after their last step.
        """
        row, game = chunks.T
        self.priority[row, game] = (np.maximum(divergence, 0.0) + MIN_DIVERGENCE) ** POWER
        following, there = self.after(chunks)
        row, game = following[there].T
        self.memory[:, row, game] = memory.cpu().numpy()[:, there]
