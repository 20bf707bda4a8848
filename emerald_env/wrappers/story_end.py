"""The wrapper that ends an episode where Jade's guide has nothing left to do."""

from typing import Any

import gymnasium

from emerald_env.env.observation import PURPOSE
from emerald_env.jade.worlds.guidance.errands import STORY_OVER


class StoryEnd(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Truncates an episode once the story is over: a student has nothing to learn from waiting.

    Args:
        env: a game that shows what its guide is after, under PURPOSE.
    """

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps; truncates after the guide's last errand."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        is_over = int(observation[PURPOSE][-1]) == STORY_OVER
        return observation, reward, terminated, truncated or is_over, info
