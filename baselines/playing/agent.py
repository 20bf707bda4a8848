"""A checkpoint's policy as a player, with memory between steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib.common.recurrent.type_aliases import RNNStates
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.preprocessing import is_image_space
from stable_baselines3.common.vec_env import VecEnv, VecFrameStack, VecTransposeImage
from torch import Tensor

from baselines.learner.policy.recurrent import RecurrentActorCritic
from baselines.playing.display.attention import attention


@dataclass(frozen=True)
class PolicyOutput:
    """A policy's output for some games' observations."""

    actions: NDArray[np.int64]  # (n_envs,)
    probabilities: NDArray[np.float32]  # (n_envs, n_actions), 0 where an action is masked
    values: NDArray[np.float32]  # (n_envs,), the expected discounted return
    attention: NDArray[np.float32] | None = None  # of a single game, see `attention`


class Agent:
    """Chooses actions for games that step together.

    Args:
        policy: with discrete actions, with or without memory; masks in its observations apply.
        greedy: always take the likeliest action instead of sampling one.
        attends: whether its output tells what of a single game's screen it depends on.
    """

    def __init__(
        self, policy: ActorCriticPolicy, greedy: bool = False, attends: bool = False
    ) -> None:
        self.greedy, self.attends = greedy, attends
        self._policy: Any = policy
        self._memory: RNNStates | None = None

    @torch.no_grad()
    def think(self, observations: Any, starts: NDArray[np.bool_]) -> PolicyOutput:
        """Returns the policy's output for observations.

        Args:
            observations: of all games, as their vector env returns them.
            starts: (n_envs,), true for an episode's first observation, where memory is cleared.
        """
        seen, _ = self._policy.obs_to_tensor(observations)
        memory = self._memory_at(starts)
        attended = attention(seen, partial(self._probabilities, memory)) if self.attends else None
        decision = self._policy.decide(seen, *memory, deterministic=self.greedy)
        if memory:
            self._memory = decision.memory
        probabilities: Any = decision.probabilities
        return PolicyOutput(
            decision.actions.cpu().numpy().reshape(-1),
            probabilities.cpu().numpy(),
            decision.values.cpu().numpy().reshape(-1),
            attended,
        )

    def memory(self) -> tuple[Tensor, ...]:
        """Returns the LSTMs' states after its latest step, (layers, n_envs, size); else nothing."""
        return () if self._memory is None else (*self._memory.pi, *self._memory.vf)

    def set_memory(self, memory: Sequence[Tensor]) -> None:
        """Restores what `memory` returned.

        Raises:
            ValueError: it is not of this policy.
        """
        if not memory:
            self._memory = None
            return
        layers, _, size = getattr(self._policy, "lstm_hidden_state_shape", (0, 0, 0))
        n_envs = memory[0].shape[1] if memory[0].ndim > 1 else 0
        if [tuple(part.shape) for part in memory] != [(layers, n_envs, size)] * 4:
            raise ValueError("the memory is not of this network")
        device = self._policy.device
        own, own_cells, value, value_cells = (part.to(device, torch.float32) for part in memory)
        self._memory = RNNStates((own, own_cells), (value, value_cells))

    def _memory_at(self, starts: NDArray[np.bool_]) -> tuple[Any, ...]:
        """Returns the LSTMs' states and where they are cleared; nothing without an LSTM."""
        if not isinstance(self._policy, RecurrentActorCritic):
            return ()
        first = torch.as_tensor(starts, dtype=torch.float32, device=self._policy.device)
        return self._memory or self._blank(len(starts)), first

    def _probabilities(self, memory: tuple[Any, ...], seen: Any, n: int) -> Tensor:
        """Returns the actions' for `n` observations with the same memory; draws nothing."""
        repeated: tuple[Any, ...] = ()
        if memory:
            states, first = memory
            pi, vf = (tuple(s.expand(-1, n, -1).contiguous() for s in two) for two in states)
            repeated = (RNNStates(pi, vf), first.expand(n))
        probabilities: Tensor = self._policy.decide(
            seen, *repeated, deterministic=True
        ).probabilities
        return probabilities

    def _blank(self, n_envs: int) -> RNNStates:
        layers, _, size = self._policy.lstm_hidden_state_shape
        state = torch.zeros(layers, n_envs, size, device=self._policy.device)
        return RNNStates((state, state), (state, state))


def as_stacked(games: VecEnv, n_stack: int) -> VecEnv:
    """Returns games with successive observations stacked, pictures with their channels first."""
    stacked = VecFrameStack(games, n_stack)
    space = stacked.observation_space
    drawn = isinstance(space, spaces.Dict) or is_image_space(space)
    return VecTransposeImage(stacked) if drawn else stacked
