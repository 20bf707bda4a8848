"""A bonus for places that the games of this run have rarely visited."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from emerald_env.env.state_vector.state_layout import LAYOUT

NOVELTY_COEF = 0.2  # of the default command, see docs/RESULTS.md
Place = tuple[int, ...]  # see `LAYOUT.places`


class NoveltyBonus(VecEnvWrapper):
    """Adds `coef / sqrt(n)` to the reward when an episode first reaches a place of the story.

    `n` counts the episodes of all games that have been there, including this one: places new to the
    run pay most, those that every episode passes almost nothing (Strehl & Littman 2008,
    doi:10.1016/j.jcss.2007.08.009). It is for learning only: reported rewards, curves and
    comparisons do not include it.

    Args:
        venv: games that are observed as a dictionary with "state".
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
        self._been = [{place} for place in LAYOUT.places(observations["state"])]
        return observations

    def get_state(self) -> dict[str, Any]:
        """Returns the visit counts, as plain values."""
        return {"episodes": dict(self.episodes), "been": [list(places) for places in self._been]}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Resumes from what `get_state` returned."""
        self.episodes = Counter(state["episodes"])
        self._been = [set(places) for places in state["been"]]

    def step_wait(self) -> VecEnvStepReturn:
        """Waits for all games; returns their step with the bonus in its rewards."""
        observations, rewards, dones, infos = self.venv.step_wait()
        states: Any = observations["state"]  # type: ignore[call-overload]
        return observations, rewards + self._bonus(states, dones), dones, infos

    def _bonus(self, states: NDArray[np.float32], dones: NDArray[np.bool_]) -> NDArray[np.float32]:
        bonus = np.zeros(self.num_envs, np.float32)
        for game, place in enumerate(LAYOUT.places(states)):
            if dones[game]:
                self._been[game] = {place}
            elif place not in self._been[game]:
                self._been[game].add(place)
                self.episodes[place] += 1
                bonus[game] = self.coef / np.sqrt(self.episodes[place])
        return bonus
