"""A bonus for pictures that the episodes have rarely shown."""

from collections import Counter
from typing import Any

import gymnasium

from emerald_env.env.any_game.coarse_pictures import coarse, is_dividable


class PictureNovelty(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Adds `coef / sqrt(n)` to the reward when an episode first shows a coarse picture.

    `n` counts the episodes of this env that have shown it, including this one (Strehl & Littman
    2008, doi:10.1016/j.jcss.2007.08.009); pictures are coarse as in Go-Explore (Ecoffet et al.
    2021), so that no reader of the game's state is needed. `info["novelty"]` has the bonus.

    Args:
        env: observes a picture (height, width, 1) uint8, of at least 8 x 12, as `GBA-v0` does.
        coef: the bonus of a picture that no episode has shown.

    Raises:
        ValueError: the observation is no such picture.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], coef: float = 0.1) -> None:
        super().__init__(env)
        if not is_dividable(getattr(env.observation_space, "shape", None) or ()):
            raise ValueError(f"PictureNovelty needs a grey picture, got {env.observation_space}")
        self._coef = coef
        self.episodes: Counter[bytes] = Counter()  # that have shown a coarse picture
        self._seen: set[bytes] = set()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins an episode; its first picture pays nothing."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._seen = {coarse(observation)}
        return observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps, with the bonus in the reward."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        picture, bonus = coarse(observation), 0.0
        if picture not in self._seen:
            self._seen.add(picture)
            self.episodes[picture] += 1
            bonus = self._coef / self.episodes[picture] ** 0.5
        return observation, float(reward) + bonus, terminated, truncated, info | {"novelty": bonus}
