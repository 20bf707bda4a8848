"""The samples between two updates, handed to the learner without needless copies."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common import buffers
from stable_baselines3.common.preprocessing import is_image_space
from torch import Tensor

from emerald_env.env.observation_parts import as_parts, parts_of, unwrapped

Samples = tuple[dict[str, Tensor], tuple[Tensor, ...]]


class Minibatch(NamedTuple):
    """Samples of one gradient step; the first axis of each tensor is the sample."""

    observations: Any  # Tensor, or a dictionary of them, in the dtype of the observation space
    actions: Tensor
    old_values: Tensor  # (batch,) float32, as are those below
    old_log_prob: Tensor
    advantages: Tensor
    returns: Tensor
    memory: tuple[Any, ...] = ()  # for recurrent policies


class RolloutBuffer(buffers.RolloutBuffer):
    """SB3's buffer with SB3's advantages, for plain and dictionary observations.

    It differs in copying: SB3 copies the whole rollout once to reorder it and each minibatch twice;
    here a minibatch is copied once, and the memory is reused for every rollout. The minibatches
    are bit-identical.

    Args:
        channels_last: store a pixel's channels next to each other, which is faster for convolutions
            on a CPU. The minibatches have the same shapes and values, with other strides.
        buffer_size, observation_space, action_space, kwargs: SB3's.
    """

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        *args: Any,
        channels_last: bool = False,
        **kwargs: Any,
    ) -> None:
        self._channels_last = channels_last
        self._parts: dict[str, NDArray[Any]] = {}
        self._pictures: set[str] = set()  # those stored with their channels last
        super().__init__(buffer_size, observation_space, action_space, *args, **kwargs)

    def reset(self) -> None:
        """Forgets everything; the memory stays for the next rollout."""
        if not self._parts:
            self._allocate()
        self.pos, self.full = 0, False
        self._on_device: dict[str, Tensor] = {}

    def _allocate(self) -> None:
        steps = (self.buffer_size, self.n_envs)
        shapes = as_parts(self.obs_shape)
        for key, part in parts_of(self.observation_space).items():
            shape = shapes[key]
            if self._channels_last and is_image_space(part):
                channels, height, width = shape
                pixels = np.zeros((*steps, height, width, channels), part.dtype)
                self._parts[key] = pixels.transpose(0, 1, 4, 2, 3)
                self._pictures.add(key)
            else:
                self._parts[key] = np.zeros((*steps, *shape), part.dtype)
        self.observations: Any = unwrapped(self._parts)
        self.actions = np.zeros((*steps, self.action_dim), self.action_space.dtype)
        for name in ("rewards", "returns", "episode_starts", "values", "log_probs", "advantages"):
            setattr(self, name, np.zeros(steps, np.float32))

    def add(
        self,
        obs: Any,
        action: NDArray[Any],
        reward: NDArray[Any],
        episode_start: NDArray[Any],
        value: Tensor,
        log_prob: Tensor,
    ) -> None:
        """Stores one step of every game; the arguments are SB3's."""
        for key, part in self._parts.items():
            part[self.pos] = np.reshape(obs[key] if key else obs, part.shape[1:])
        self.actions[self.pos] = action.reshape(self.n_envs, self.action_dim)
        self.rewards[self.pos] = reward
        self.episode_starts[self.pos] = episode_start
        self.values[self.pos] = value.cpu().numpy().flatten()
        self.log_probs[self.pos] = log_prob.cpu().numpy()
        self.pos += 1
        self.full = self.pos == self.buffer_size

    def recompute(
        self, values: Tensor, last_values: Tensor, dones: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """Recomputes advantages and returns with these values.

        Args:
            values: of all samples, in the order of `in_order`. `self.values` stays what it was
                while the games ran.
            last_values: (n_envs,) of the observations after the rollout.
            dones: (n_envs,) whether an episode ended with the rollout's last step.

        Returns:
            The values, (n_steps, n_envs).
        """
        while_playing, self.values = self.values, self._by_step(values.cpu().numpy().flatten())
        self.compute_returns_and_advantage(last_values, dones)
        now, self.values = self.values, while_playing
        return now

    def get(self, batch_size: int | None = None) -> Iterator[Minibatch]:  # type: ignore[override]
        """Yields all samples once, shuffled, `batch_size` at a time; the last may be shorter.

        None: all at once.
        """
        game, step = np.divmod(
            np.random.permutation(self.buffer_size * self.n_envs), self.buffer_size
        )
        return self._batches(step * self.n_envs + game, batch_size)

    def in_order(self, batch_size: int | None = None) -> Iterator[Minibatch]:
        """Yields all samples in order: step by step, the games of a step one after the other."""
        return self._batches(np.arange(self.buffer_size * self.n_envs), batch_size)

    def all_observations(self) -> Any:
        """Returns all observations, (n_steps * n_envs, ...) each part; on a CPU not copied."""
        return unwrapped({key: self._channels_first(key, self._stored(key)) for key in self._parts})

    def _by_step(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """Returns what is (n_steps * n_envs,) in the order of `in_order` as (n_steps, n_envs)."""
        return values.reshape(self.buffer_size, self.n_envs)

    def _batches(self, rows: NDArray[np.int64], batch_size: int | None) -> Iterator[Minibatch]:
        batch_size = batch_size or len(rows)
        on_device = torch.from_numpy(rows).to(self.device)
        samples = self._samples()
        for start in range(0, len(rows), batch_size):
            yield self._take(samples, on_device[start : start + batch_size])

    def _samples(self) -> Samples:
        """Returns all samples: parts of the observations as they are stored, then the columns."""
        actions = self._flat(self.actions)
        if isinstance(self.action_space, spaces.Discrete):
            actions = actions.flatten()
        else:
            actions = actions.float()  # a MultiBinary's probabilities want floats
        columns = (self.values, self.log_probs, self.advantages, self.returns)
        numbers = map(self._flat, columns)
        return {key: self._stored(key) for key in self._parts}, (actions, *numbers)

    def _take(self, samples: Samples, rows: Tensor) -> Minibatch:
        """Returns the samples in these rows, which are in the order of `in_order`."""
        stored, columns = samples
        observations = {
            key: self._channels_first(key, part.index_select(0, rows))
            for key, part in stored.items()
        }
        chosen = [column.index_select(0, rows) for column in columns]
        return Minibatch(unwrapped(observations), *chosen)  # type: ignore[arg-type]

    def _stored(self, key: str) -> Tensor:
        """Returns a part of all observations in the order of its memory, (rows, ...)."""
        if key not in self._on_device:
            part = self._parts[key]
            stored = part.transpose(0, 1, 3, 4, 2) if key in self._pictures else part
            self._on_device[key] = self._flat(stored)
        return self._on_device[key]

    def _channels_first(self, key: str, part: Tensor) -> Tensor:
        """Returns a part as (rows, channels, height, width), whatever the order of its memory."""
        return part.permute(0, 3, 1, 2) if key in self._pictures else part

    def _flat(self, array: NDArray[Any]) -> Tensor:
        """Returns (n_steps * n_envs, ...) on our device: on a CPU the same memory."""
        return torch.from_numpy(array).flatten(0, 1).to(self.device)
