"""The wrapper that summarises an episode."""

import time
from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Any

import gymnasium

from emerald_env.env.env import EmeraldEnv
from emerald_env.state import GameState, Mode, milestones_done
from emerald_env.wrappers.soft_lock import QUIET, is_soft_locked
from emerald_env.wrappers.soft_lock_file import SoftLock

PLAYING = (Mode.OVERWORLD, Mode.DIALOG)


class EpisodeSummary(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Adds a summary to the last `info` of an episode.

    Keys: "episode" as SB3's Monitor gives it ("r" reward, "l" steps, "t" seconds since the wrapper
    was made), "episode_terms" (sum of each reward term), "milestones" (slugs reached, in the
    game's order), "milestone_steps" (slug to the step at which it was reached, for those that the
    start did not have), "rejections" (how often a state could not be read, by reason),
    "place_share" (of the steps, those in the commonest place; see `place`) and "soft_lock"
    (whether nothing new came in the last `QUIET` steps and random keys find nothing new either;
    the `SoftLock` itself is then under "soft_lock_file").

    Args:
        env: a game.
        totals: whether to add "episode"; gymnasium's RecordEpisodeStatistics wants to add its own.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], totals: bool = True) -> None:
        super().__init__(env)
        self._totals = totals
        self._game: EmeraldEnv = env.unwrapped  # type: ignore[assignment]
        self._started = time.monotonic()
        self._terms: dict[str, float] = {}
        self._places: Counter[Hashable] = Counter()
        self._length = 0
        self._latest = 0  # step of the latest new place or milestone
        self._progress = MilestoneTimes()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts a new summary."""
        result = super().reset(seed=seed, options=options)
        self._terms = {}
        self._places.clear()
        self._length = self._latest = 0
        self._progress = MilestoneTimes()
        self._progress.see(self._game.state, 0)
        return result

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps and counts; at the end of the episode `info` has the summary."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._length += 1
        terms = info["reward_terms"]
        if any(terms.values()) or not self._terms:
            for name, value in terms.items():
                self._terms[name] = self._terms.get(name, 0.0) + value
        state = self._game.state
        if (where := place(state)) is not None:
            if where not in self._places:
                self._latest = self._length
            self._places[where] += 1
        if self._progress.see(state, self._length):
            self._latest = self._length
        if terminated or truncated:
            info = info | self._summary() | {"soft_lock": not terminated and self._is_locked()}
            if info["soft_lock"]:
                raw = self._game.gba.get_state()
                info["soft_lock_file"] = SoftLock.of(raw, self._places, self._game.config)
        return observation, reward, terminated, truncated, info

    @property
    def length(self) -> int:
        """The steps of the episode so far."""
        return self._length

    @property
    def milestone_steps(self) -> Mapping[str, int]:
        """The milestones of the episode so far, see `MilestoneTimes.steps`; a live view."""
        return self._progress.steps

    def under_way(self) -> tuple[float, int]:
        """Returns the episode's reward so far, and how many milestones were reached in it."""
        return sum(self._terms.values()), len(self._progress.reached)

    def get_state(self) -> dict[str, Any]:
        """Returns the sums so far and the game's own state, see `EmeraldEnv.get_state`."""
        return {
            "env": self._game.get_state(),
            "limit": self.env.get_wrapper_attr("get_state")(),
            "length": self._length,
            "latest": self._latest,
            "terms": dict(self._terms),
            "places": dict(self._places),
            "milestone_steps": dict(self._progress.steps),
            "seconds": time.monotonic() - self._started,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Resumes from what `get_state` returned, including the time limit's count."""
        self._game.set_state(state["env"])
        self.env.get_wrapper_attr("set_state")(state["limit"])
        self._length = state["length"]
        self._latest = state.get("latest", self._length)
        self._terms = dict(state["terms"])
        self._places = Counter(state["places"])
        self._progress = MilestoneTimes(state["milestone_steps"])
        self._started = time.monotonic() - state["seconds"]

    def _is_locked(self) -> bool:
        if self._length - self._latest < QUIET or not self._game.gba.edition.is_read:
            return False
        return is_soft_locked(self._game.gba, self._places, self._game.config)

    def _summary(self) -> dict[str, Any]:
        env = self._game
        seconds = time.monotonic() - self._started
        total = sum(self._terms.values())
        episode = {"r": round(total, 6), "l": self._length, "t": round(seconds, 6)}
        return {
            **({"episode": episode} if self._totals else {}),
            "episode_terms": dict(self._terms),
            "milestones": list(milestones_done(env.state)) if env.state is not None else [],
            "milestone_steps": self._progress.reached,
            "rejections": dict(env.reader.rejections),
            "place_share": max(self._places.values(), default=0) / self._length,
        }


class MilestoneTimes:
    """When each milestone was reached.

    Args:
        steps: what is already known, see the attribute of the same name.

    Attributes:
        steps: slug -> the step at which it was reached, 0 for those that the start had.
    """

    def __init__(self, steps: Mapping[str, int] | None = None) -> None:
        self.steps = dict(steps or {})
        self._known: tuple[bytes, bytes, int] | None = None

    @property
    def reached(self) -> dict[str, int]:
        """The steps without those of milestones that the start had."""
        return {slug: step for slug, step in self.steps.items() if step}

    def see(self, state: GameState | None, step: int) -> bool:
        """Records a state; returns whether it has a new milestone.

        A state with the flags, variables and size of the party of the last one costs nothing.
        """
        if state is None or self._known == (state.flags, state.vars, len(state.party)):
            return False
        self._known = (state.flags, state.vars, len(state.party))
        known = len(self.steps)
        for slug in milestones_done(state):
            self.steps.setdefault(slug, step)
        return len(self.steps) > known


def place(state: GameState | None) -> Hashable | None:
    """Returns where a game can get stuck: its tile, or the menu; None otherwise."""
    if state is None:
        return None
    if state.mode in PLAYING:
        return (state.location, state.position)
    return state.mode if state.mode is Mode.MENU else None
