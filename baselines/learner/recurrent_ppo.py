"""PPO for a policy with memory: it stores the LSTM's state and learns from whole sequences."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.recurrent.type_aliases import RNNStates
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.utils import obs_as_tensor
from torch import Tensor

from baselines.learner.policy.policies import Decision
from baselines.learner.policy.recurrent import RecurrentActorCritic, State
from baselines.learner.ppo import PPO, Speed
from baselines.learner.rollout import Minibatch, RolloutBuffer


class SequenceBuffer(RolloutBuffer):
    """A rollout in sequences of equal length, with the LSTMs' states before each.

    Minibatches consist of whole sequences; `Minibatch.memory` is
    (states before each sequence, (batch,) float32 1 where an episode starts).

    Args:
        sequence_length: steps of one sequence; it must divide `buffer_size`.
        args, kwargs: as for `RolloutBuffer`.
    """

    def __init__(self, *args: Any, sequence_length: int, **kwargs: Any) -> None:
        self.sequence_length = sequence_length
        super().__init__(*args, **kwargs)
        if self.buffer_size % sequence_length:
            raise ValueError(
                f"sequence_length {sequence_length} does not divide n_steps {self.buffer_size}"
            )

    def reset(self) -> None:
        """Forgets everything."""
        super().reset()
        self._states: list[RNNStates] = []  # before steps 0, sequence_length, 2 sequence_length...

    def remember(self, states: RNNStates) -> None:
        """Stores the states before the next step, if a sequence begins with it."""
        if self.pos % self.sequence_length == 0:
            self._states.append(states)

    def get(self, batch_size: int | None = None) -> Iterator[Minibatch]:  # type: ignore[override]
        """Yields all sequences once, shuffled, `batch_size` samples at a time."""
        return self._sequences(np.random.permutation(self._n_sequences), batch_size)

    def in_order(self, batch_size: int | None = None) -> Iterator[Minibatch]:
        """Yields all sequences in order, first those of all games that begin with step 0."""
        return self._sequences(np.arange(self._n_sequences), batch_size)

    @property
    def _n_sequences(self) -> int:
        return self.buffer_size // self.sequence_length * self.n_envs

    def _by_step(self, values: NDArray[np.float32]) -> NDArray[np.float32]:
        by_sequence = values.reshape(-1, self.n_envs, self.sequence_length)
        by_step: NDArray[np.float32] = by_sequence.transpose(0, 2, 1)
        return by_step.reshape(self.buffer_size, self.n_envs)

    def _sequences(self, order: NDArray[np.int64], batch_size: int | None) -> Iterator[Minibatch]:
        several = max(1, (batch_size or self.buffer_size * self.n_envs) // self.sequence_length)
        states = _joined(self._states)
        starts = torch.from_numpy(self.episode_starts).flatten()
        samples = self._samples()
        for start in range(0, len(order), several):
            sequences = order[start : start + several]
            part, game = np.divmod(sequences[:, None], self.n_envs)
            step = part * self.sequence_length + np.arange(self.sequence_length)
            rows = torch.from_numpy((step * self.n_envs + game).flatten())
            chosen = torch.from_numpy(sequences).to(self.device)
            # `run_pieces` needs the episode starts on the CPU
            memory = (_select(states, chosen), starts[rows])
            yield self._take(samples, rows.to(self.device))._replace(memory=memory)


class RecurrentPPO(PPO):
    """PPO with a `RecurrentActorCritic`; "MlpPolicy" and the like select it.

    Args:
        policy, env: as for `PPO`.
        sequence_length: steps through which a gradient flows back; None: all of a rollout. Shorter
            sequences are faster, as more of them pass through the LSTM in parallel.
        kwargs: as for `PPO`.

    Raises:
        ValueError: `sequence_length` does not divide `n_steps`, `batch_size` is no multiple of it,
            or `shards` is above 1.
    """

    policy_aliases: ClassVar[dict[str, type[BasePolicy]]] = {
        "MlpPolicy": RecurrentActorCritic,
        "CnnPolicy": RecurrentActorCritic,
        "MultiInputPolicy": RecurrentActorCritic,
    }
    rollout_buffer: SequenceBuffer
    policy: RecurrentActorCritic  # type: ignore[assignment]

    def __init__(
        self,
        policy: str | type[BasePolicy],
        env: Any,
        *,
        sequence_length: int | None = None,
        **kwargs: Any,
    ) -> None:
        if kwargs.get("speed", Speed()).shards > 1:
            raise ValueError("a recurrent policy's minibatches cannot be split: leave shards out")
        self.sequence_length = sequence_length
        super().__init__(policy, env, **kwargs)

    def _setup_model(self) -> None:
        length = self.sequence_length or self.n_steps
        if self.batch_size % length:
            raise ValueError(
                f"batch_size is {self.batch_size}: it must be a multiple of the sequences' length "
                f"{length} (sequence_length, or n_steps where that is left out)"
            )
        self.rollout_buffer_class = self.rollout_buffer_class or SequenceBuffer
        self.rollout_buffer_kwargs["sequence_length"] = length
        super()._setup_model()
        lstm = self.policy.lstm_actor
        shape = (lstm.num_layers, self.n_envs, lstm.hidden_size)
        zeros = torch.zeros(shape, device=self.device)
        self._last_lstm_states = RNNStates((zeros, zeros), (zeros, zeros))

    def _decide(self, observations: Any) -> Decision:
        decision = self.policy.decide(observations, self._last_lstm_states, self._starts())
        self._last_lstm_states = decision.memory
        return decision

    @torch.no_grad()
    def _last_values(self) -> Tensor:
        observations: Any = obs_as_tensor(self._last_obs, self.device)
        states: Any = self._last_lstm_states.vf
        return self.policy.predict_values(observations, states, self._starts())

    def memory(self) -> tuple[Tensor, ...]:
        """Returns hidden and cell state of the actions' LSTM, then of the value's.

        Each is (layers, n_envs, size), after the last step of every game.
        """
        return (*self._last_lstm_states.pi, *self._last_lstm_states.vf)

    def set_memory(self, memory: Sequence[Tensor]) -> None:
        """Restores what `memory` returned.

        Raises:
            ValueError: it is not of this policy, or of another number of games.
        """
        known = RecurrentPPO.memory(self)
        wanted, found = ([tuple(t.shape) for t in tensors] for tensors in (known, memory))
        if found != wanted:
            raise ValueError(f"the LSTMs' states have the shapes {found}, this policy's {wanted}")
        pi_hidden, pi_cell, vf_hidden, vf_cell = (
            tensor.to(self.device, torch.float32) for tensor in memory
        )
        self._last_lstm_states = RNNStates((pi_hidden, pi_cell), (vf_hidden, vf_cell))

    @property
    def sequence(self) -> int:
        """Steps after which an update needs the memory."""
        return self.rollout_buffer.sequence_length

    def _starts(self) -> Tensor:
        """Returns where the observations at hand are an episode's first, (n_envs,) float32."""
        return torch.as_tensor(self._last_episode_starts, dtype=torch.float32, device=self.device)

    def _keep_memory(self) -> None:
        self.rollout_buffer.remember(self._last_lstm_states)

    def _memory_of(self, game: int) -> tuple[State, Tensor]:
        hidden, cell = (state[:, game : game + 1] for state in self._last_lstm_states.vf)
        return (hidden.contiguous(), cell.contiguous()), torch.zeros(1, device=self.device)

    def _values(self, batch: Minibatch) -> Tensor:
        states, starts = batch.memory
        return self.policy.predict_values(batch.observations, states.vf, starts)

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "_last_lstm_states"]


def learner_class(recurrent: bool) -> type[PPO]:
    """Returns the learner for a policy with or without memory."""
    return RecurrentPPO if recurrent else PPO


def _joined(states: list[RNNStates]) -> RNNStates:
    """Returns the states of several batches as those of one, in order."""
    pairs = zip(*((*state.pi, *state.vf) for state in states), strict=True)
    pi_hidden, pi_cell, vf_hidden, vf_cell = (torch.cat(pair, dim=1) for pair in pairs)
    return RNNStates((pi_hidden, pi_cell), (vf_hidden, vf_cell))


def _select(states: RNNStates, chosen: Tensor) -> RNNStates:
    pi, vf = (tuple(state.index_select(1, chosen) for state in pair) for pair in states)
    return RNNStates(pi, vf)
