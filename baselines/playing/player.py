"""Playing one game, step by step, with an agent or a person."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from baselines.playing.display.panel import PanelStatus
from baselines.playing.display.screens import Screen, WindowClosed
from baselines.playing.episode_totals import EpisodeTotals
from baselines.playing.showing import Showing
from emerald_env.env.actions import action_set
from emerald_env.env.env import EmeraldEnv
from emerald_env.state import milestones_done

if TYPE_CHECKING:  # a person needs neither torch nor SB3
    from stable_baselines3.common.vec_env import VecEnv

    from baselines.playing.agent import Agent, PolicyOutput

CURVE = 300  # steps whose values the panel shows


class SingleGame:
    """A game with the methods of SB3's `VecEnv` that a player needs, without SB3.

    Args:
        env: the game.
    """

    num_envs = 1

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        self._env = env
        self._seed: int | None = None

    def seed(self, seed: int) -> None:
        """Sets the seed of the next reset."""
        self._seed = seed

    def reset(self) -> Any:
        """Returns an episode's first observation."""
        observation, _ = self._env.reset(seed=self._seed)
        self._seed = None
        return observation

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Steps; after an episode's end the observation is the next one's first."""
        observation, reward, terminated, truncated, info = self._env.step(int(actions[0]))
        over = terminated or truncated
        if over:
            observation = self.reset()
        return observation, np.array([reward], np.float32), np.array([over]), [info]

    def env_method(self, method_name: str, *method_args: Any) -> list[Any]:
        """Returns what a method of the game returns."""
        return [self._env.get_wrapper_attr(method_name)(*method_args)]

    def close(self) -> None:
        """Closes the game."""
        self._env.close()


class EpisodePlayer:
    """Plays episodes, shows every step on the screen, and totals the reward.

    Args:
        name: of the game.
        env: the game itself.
        games: the same game as a policy sees it.
        agent: chooses the actions; None: a person at the screen's keyboard does.
        screen: shows the game; None: it is not shown.
        shown: receives the agent's output, for `emerald watch`.
    """

    def __init__(
        self,
        name: str,
        env: EmeraldEnv,
        games: VecEnv | SingleGame,
        agent: Agent | None,
        screen: Screen | None,
        shown: Showing | None = None,
    ) -> None:
        self._name = name
        self._env = env
        self._games = games
        self._agent = agent
        self._screen = screen
        self._shown = shown
        self._totals = EpisodeTotals()
        self._actions = [action.name for action in action_set(env.config.action_set)]

    def episodes(self) -> Iterator[dict[str, Any]]:
        """Yields each episode's results, see `EpisodeTotals.as_dict`, with a text as "report".

        It ends with what has been played so far when the window is closed or Ctrl-C is pressed.
        """
        observation, starts, number = self._games.reset(), np.ones(1, np.bool_), 1
        values = deque[float](maxlen=CURVE)
        try:
            while True:
                output = self._think(observation, starts)
                self._tell(number, output, values)
                action = np.zeros(1, np.int64) if output is None else output.actions
                observation, _, starts, infos = self._games.step(action)
                self._totals.add(infos[0]["reward_terms"])
                if starts[0]:
                    yield _summary(self._totals, infos[0]["milestones"])
                    self._totals, number = EpisodeTotals(), number + 1
                    values.clear()
        except (WindowClosed, KeyboardInterrupt):
            yield _summary(self._totals, self._milestones())

    def take_back(self, steps: int) -> None:
        """Takes back what the latest steps paid: the game went back by that many."""
        self._totals.take_back(steps)

    def _think(self, observation: Any, starts: Any) -> PolicyOutput | None:
        if self._agent is None:
            return None
        output = self._agent.think(observation, starts)
        if self._shown is not None:
            self._shown.tell(output)
        return output

    def _tell(self, number: int, output: PolicyOutput | None, values: deque[float]) -> None:
        if self._screen is None:
            return
        totals = self._totals
        title = f"{self._name}     episode {number}     step {totals.steps}"
        status = PanelStatus(
            title, terms=totals.terms, paid=totals.paid, milestones=self._milestones()
        )
        if output is not None:
            values.append(float(output.values[0]))
            status = replace(
                status,
                actions=self._actions,
                probabilities=output.probabilities[0].tolist(),
                chosen=int(output.actions[0]),
                values=tuple(values),
                attention=output.attention,
            )
        self._screen.tell(status)

    def _milestones(self) -> tuple[str, ...]:
        return milestones_done(self._env.state) if self._env.state is not None else ()


def _summary(totals: EpisodeTotals, milestones: Sequence[str]) -> dict[str, Any]:
    return totals.as_dict(milestones) | {"report": totals.report(milestones)}
