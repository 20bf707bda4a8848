"""Stacks and transposes pictures in at most half the time of SB3's wrappers."""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.preprocessing import (
    is_image_space,
    is_image_space_channels_first,
)
from stable_baselines3.common.vec_env import VecEnv, VecFrameStack, VecTransposeImage
from stable_baselines3.common.vec_env.stacked_observations import StackedObservations


class Stacks(StackedObservations[Any]):
    """SB3's, with the same results.

    Args:
        num_envs: number of games.
        n_stack: observations in a stack.
        space: of one observation.
    """

    def __init__(self, num_envs: int, n_stack: int, space: Any) -> None:
        super().__init__(num_envs, n_stack, space)
        if isinstance(space, spaces.Dict):
            self.sub_stacked_observations = {
                key: Stacks(num_envs, n_stack, part) for key, part in space.spaces.items()
            }

    def update(
        self, observations: Any, dones: NDArray[np.bool_], infos: list[dict[str, Any]]
    ) -> tuple[Any, list[dict[str, Any]]]:
        """Returns the stacks with new observations, and the infos with stacked last observations.

        Args:
            observations: the latest, (num_envs, ...), or a dict of these.
            dones: whether each game's episode is over, (num_envs,).
            infos: of each game.
        """
        if isinstance(observations, dict) or self.channels_first or dones.any():
            return super().update(observations, dones, infos)
        newest = observations.shape[-1]
        # moves the memory as a whole; what comes from the next row is where the newest belongs
        stacked = np.roll(self.stacked_obs, -newest)
        stacked[..., -newest:] = observations
        self.stacked_obs = stacked
        return stacked, infos


class FrameStack(VecFrameStack):
    """SB3's `VecFrameStack`, faster.

    Args:
        venv: the games.
        n_stack: observations in a stack.
    """

    def __init__(self, venv: VecEnv, n_stack: int) -> None:
        super().__init__(venv, n_stack)
        self.stacked_obs = Stacks(venv.num_envs, n_stack, venv.observation_space)


class ChannelsFirst(VecTransposeImage):
    """SB3's `VecTransposeImage`, which copies a dictionary's arrays before it transposes them.

    It returns views, so games must not write into an observation later; ours do not.
    """

    def transpose_observations(self, observations: Any) -> Any:
        """Returns observations, of one game or of all, with (channels, height, width) pictures."""
        if self.skip or not isinstance(observations, dict):
            return super().transpose_observations(observations)
        turned = {key: self.transpose_image(observations[key]) for key in self.image_space_keys}
        return {**observations, **turned}


def as_shown(seen: Any, n_stack: int) -> spaces.Space[Any]:
    """Returns the space of what the network sees of observations: stacked, channels first."""
    space: Any = StackedObservations(1, n_stack, seen).stacked_observation_space
    if not isinstance(space, spaces.Dict):
        return _transposed(space)
    return spaces.Dict({key: _transposed(part) for key, part in space.items()})


def _transposed(space: Any) -> spaces.Space[Any]:
    """Returns the space of pictures as SB3 shows them to a network, other spaces as they are."""
    if not is_image_space(space) or is_image_space_channels_first(space):
        shown: spaces.Space[Any] = space
        return shown
    return VecTransposeImage.transpose_space(space)
