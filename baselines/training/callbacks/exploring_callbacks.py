"""Exploring during training, and starting episodes in the states found."""

import json
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from baselines.exploration.atlas.advisor import Advisor
from baselines.exploration.atlas.atlas import Atlas
from baselines.exploration.atlas.own_trails import circled, drawn_out, keys_of_actions, own_trails
from baselines.exploration.curriculum import ANYWHERE, Curriculum
from baselines.exploration.exploration import RunExploration
from baselines.exploration.milestone_funnel import Funnel
from baselines.exploration.search import Search
from baselines.training.callbacks.rollout_callback import RolloutCallback
from emerald_env.env.observation import MENU
from emerald_env.files.atomic import WriteWarning, write_atomically
from emerald_env.wrappers.practice import LOST, PRACTICE, WAY


class ExplorationCallback(RolloutCallback):
    """Explores after each rollout as long as the run's pace says so.

    Explored steps count towards the run's; `explore/steps` is their number, `explore/frontier` the
    share of the latest episodes that reach the furthest milestone explored, and
    `time/explore_seconds` what the exploring after the latest rollout took.

    Args:
        explored: what explores, and at which pace.
    """

    def __init__(self, explored: RunExploration) -> None:
        super().__init__()
        self._explored, self._search = explored, explored.search
        self._warning = WriteWarning("a state of the archive")

    def _on_rollout_end(self) -> None:
        # at the end: the run is saved when a rollout starts, and must not explore once more then
        begun = perf_counter()
        goal = self._explored.due(self.model.num_timesteps - self._search.steps)
        with self._warning:
            while self._search.steps < goal and self._room() >= self._search.round_steps:
                before = self._search.steps
                self._search.explore(self._room())
                self.model.num_timesteps += self._search.steps - before
        self.logger.record("time/explore_seconds", perf_counter() - begun)
        self.logger.record("explore/steps", self._search.steps)
        self.logger.record("explore/cells", len(self._search.archive))
        self.logger.record("explore/milestones", len(self._search.first_seen))
        self.logger.record("explore/frontier", self._explored.frontier())

    def _room(self) -> int:
        """Returns how many steps are left of the run."""
        end: int = self.model._total_timesteps
        return end - self.model.num_timesteps


class OwnTrailsCallback(RolloutCallback):
    """Adds the agent's own episodes to the atlas, and tells the advisor where they got nowhere.

    Args:
        atlas: to which their transitions are added.
        actions: the name of the agent's action set.
        advisor: of the agent.
    """

    def __init__(self, atlas: Atlas, actions: str, advisor: Advisor) -> None:
        super().__init__()
        self._atlas, self._advisor = atlas, advisor
        self._keys = keys_of_actions(actions)

    def _on_rollout_end(self) -> None:
        buffer: Any = self.locals["rollout_buffer"]
        keys = self._keys[buffer.actions[..., 0].astype(int)]
        seen = {
            name: np.append(part, [self.locals["new_obs"][name]], 0)
            for name, part in buffer.observations.items()
            if name in ("state", MENU)
        }
        starts = np.append(buffer.episode_starts, [self.locals["dones"]], 0)
        trails = list(own_trails(seen, keys, starts))
        for trail in trails:
            self._atlas.add(trail)
        advice = self._atlas.advice
        self._atlas.give_up([place for trail in trails for place in circled(trail, advice)])
        self._advisor.drawn_out = drawn_out(buffer.observations, buffer.episode_starts)
        if self._atlas.due():
            self._atlas.solve()


class PracticeCallback(BaseCallback):
    """Offers the curriculum's beginnings to all games, and updates the funnel.

    `practice/back_<milestone>` is the number of steps of the archive's path before a milestone from
    which it is practised, where there is no advice; `practice/rate_<milestone>` the share of the
    latest such episodes that reach it.

    Args:
        search: its archive takes in what episodes find.
        curriculum: where episodes begin.
        funnel: what is counted.
        path: where the funnel is written after each rollout, as JSON.
    """

    def __init__(self, search: Search, curriculum: Curriculum, funnel: Funnel, path: Path) -> None:
        super().__init__()
        self._search, self._curriculum, self._funnel = search, curriculum, funnel
        self._path = path
        self._warning = WriteWarning("the funnel or a state of the archive")

    def _on_rollout_start(self) -> None:
        # each time, since a replaced worker knows nothing
        self.training_env.env_method(
            "offer_practice", self._curriculum.offer(self._funnel.latest())
        )

    def _on_step(self) -> bool:
        for game in self.locals["dones"].nonzero()[0]:
            info = self.locals["infos"][game]
            if "milestone_steps" not in info:
                continue  # its process died
            for node in info.get(LOST, ()):
                self._search.lose(node)
            practised = info.get(PRACTICE)
            reached = list(info["milestone_steps"])
            self._funnel.count(reached, practised is not None, self.num_timesteps)
            if practised is not None:
                self._curriculum.count(practised["task"], reached)
            if WAY in info:
                with self._warning:
                    self._search.take(*info[WAY])
                self._search.archive.tidy()
                self._search.see()
        return True

    def _on_training_end(self) -> None:
        print(self._funnel.summary(self._search.archive), flush=True)

    def _on_rollout_end(self) -> None:
        rows = self._funnel.rows(self._search.archive, self._search.first_seen)
        for row in rows:
            self.logger.record(f"funnel/home_{row['milestone']}", row["home_latest"])
            self.logger.record(f"funnel/practice_{row['milestone']}", row["practice"])
            self.logger.record(f"funnel/states_{row['milestone']}", row["states"])
        for slug, task in self._curriculum.tasks.items():
            if task.back < ANYWHERE:
                self.logger.record(f"practice/back_{slug}", task.back)
            self.logger.record(f"practice/rate_{slug}", task.rate)
        content = {"episodes": self._funnel.episodes, "explored": self._search.steps, "rows": rows}
        with self._warning:
            write_atomically(self._path, (json.dumps(content, indent=1) + "\n").encode())
