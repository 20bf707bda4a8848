"""The currently sensible actions, as part of the observation.

As part of the observation a mask passes through workers' shared memory, frame stacks, rollouts,
recurrent sequences, checkpoints and play. This module imports neither torch nor SB3, so that
workers stay small.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from emerald_env.env.action_masks import MASKS


class ActionMasks(gymnasium.ObservationWrapper[Any, Any, Any]):
    """Adds `env.action_masks()` to the observation, under `MASKS`, (n_actions,) uint8 of 0 and 1.

    An observation that is not a dictionary is put under "observation". The method is sb3-contrib's:
    it returns n_actions bools for the state that the env is in, True where the action is allowed.

    Args:
        env: with discrete actions, and with the method on it or on a wrapper.

    Raises:
        AttributeError: there is no `action_masks` in the env.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self._action_masks = env.get_wrapper_attr(MASKS)
        n_actions = int(env.action_space.n)  # type: ignore[attr-defined]
        space = env.observation_space
        parts = space.spaces if isinstance(space, spaces.Dict) else {"observation": space}
        self.observation_space = spaces.Dict(
            {**parts, MASKS: spaces.Box(0, 1, (n_actions,), np.uint8)}
        )

    def observation(self, observation: Any) -> dict[str, Any]:
        """Returns the observation with the masks of the env's current state.

        Raises:
            ValueError: no action at all is allowed.
        """
        masks = np.asarray(self._action_masks(), np.uint8)
        if not masks.any():
            raise ValueError("action_masks() allows no action at all: at least one must be")
        parts = observation if isinstance(observation, dict) else {"observation": observation}
        return {**parts, MASKS: masks}
