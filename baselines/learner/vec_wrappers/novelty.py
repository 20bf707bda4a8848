"""A bonus for places that the games of this run have rarely visited."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from emerald_env.env.any_game.coarse_pictures import coarse
from emerald_env.env.observation import SCREEN
from emerald_env.env.observation_parts import PLAIN, as_parts
from emerald_env.env.state_vector.state_layout import LAYOUT

NOVELTY_COEF = 0.2  # of the default command, see docs/RESULTS.md
MAX_PLACES = 1_000_000  # counted; there is no end of pictures, and further ones pay nothing
Place = tuple[int, ...] | int  # see `places`


def places(observations: Any) -> list[Place]:
    """Returns where each game is: its place in the story, or a coarse picture if that is all."""
    parts = as_parts(observations)
    if "state" in parts:
        return list(LAYOUT.places(parts["state"]))
    pictures = parts[SCREEN if SCREEN in parts else PLAIN]
    return [int.from_bytes(coarse(picture), "little") for picture in pictures]


class NoveltyBonus(VecEnvWrapper):
    """Adds `coef / sqrt(n)` to the reward when an episode first reaches a place of the story.

    `n` counts the episodes of all games that have been there, including this one: places new to the
    run pay most, those that every episode passes almost nothing (Strehl & Littman 2008,
    doi:10.1016/j.jcss.2007.08.009). It is for learning only: reported rewards, curves and
    comparisons do not include it.

    Args:
        venv: games that are observed as a dictionary with "state", or as pictures.
        coef: the bonus of the run's first visit to a place.
    """

    def __init__(self, venv: VecEnv, coef: float) -> None:
        super().__init__(venv)
        self.coef = coef
        self.episodes: Counter[Place] = Counter()  # that have been at a place
        self._been: list[set[Place]] = [set() for _ in range(venv.num_envs)]

    def reset(self) -> Any:
        """Resets every game; the place where an episode begins pays nothing."""
        observations: Any = self.venv.reset()
        self._been = [{place} for place in places(observations)]
        return observations

    def get_state(self) -> dict[str, Any]:
        """Returns the visit counts, as plain values."""
        return {"episodes": dict(self.episodes), "been": [list(been) for been in self._been]}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` returned."""
        self.episodes = Counter(state["episodes"])
        self._been = [set(been) for been in state["been"]]

    def step_wait(self) -> VecEnvStepReturn:
        """Waits for all games; returns their step with the bonus in its rewards."""
        observations, rewards, dones, infos = self.venv.step_wait()
        return observations, rewards + self._bonus(observations, dones), dones, infos

    def _bonus(self, observations: Any, dones: NDArray[np.bool_]) -> NDArray[np.float32]:
        bonus = np.zeros(self.num_envs, np.float32)
        for game, place in enumerate(places(observations)):
            if dones[game]:
                self._been[game] = {place}
            elif place not in self._been[game] and (
                place in self.episodes or len(self.episodes) < MAX_PLACES
            ):
                self._been[game].add(place)
                self.episodes[place] += 1
                bonus[game] = self.coef / np.sqrt(self.episodes[place])
        return bonus
