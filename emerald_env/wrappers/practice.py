"""Episodes that begin where a milestone was reached before, to practise what comes after it.

First return, then explore: Ecoffet et al. 2021, doi:10.1038/s41586-020-03157-9.
"""

from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from emerald_env.emulator import StateError
from emerald_env.env.env import EmeraldEnv
from emerald_env.game.savefile import MemoryImage, load, pack_png

PRACTICE = "practice"  # takes the place of "episode" in the last `info` of a practice episode
FRONTIER = "frontier"  # key of the last `info` of an episode that came to wanted states
MOST = 8  # states of a milestone: it can be reached in many ways


@dataclass(frozen=True)
class Frontier:
    """A state in which a milestone had just been reached, on its way to the trainer."""

    milestone: str
    file: bytes  # a PNG state of mGBA


@dataclass(frozen=True)
class Offer:
    """Where episodes may begin."""

    share: float = 0.0  # of the episodes, those that begin in a state of `folder`
    folder: Path = Path()
    states: Mapping[str, int] = field(default_factory=dict)  # milestone -> its states in `folder`
    chances: Mapping[str, float] = field(default_factory=dict)  # milestone -> of those, sum 1

    def wants(self, milestone: str) -> bool:
        """Returns whether more states of a milestone are wanted."""
        return self.share > 0 and self.states.get(milestone, 0) < MOST

    def choose(self, dice: np.random.Generator) -> str | None:
        """Returns the milestone after which an episode begins, None for the start."""
        if not self.states or dice.random() >= self.share:
            return None
        return str(dice.choice(list(self.chances), p=list(self.chances.values())))

    def file(self, milestone: str, dice: np.random.Generator) -> Path:
        """Returns one of a milestone's states, each as likely as the others."""
        return state_file(self.folder, milestone, 1 + int(dice.integers(self.states[milestone])))


class Practice(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Lets a share of the episodes begin in states that earlier ones came to.

    The last `info` of such an episode has its sums under PRACTICE in place of "episode": whoever
    counts episodes counts those that begin at the start. What is true in a state pays nothing, as
    at every reset. A reset with a seed begins at the start, too.

    Args:
        env: `EpisodeSummary` around a game, perhaps with a `Recorder` around that.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self._offer = Offer()
        self._milestone: str | None = None  # that this episode began with
        self._found: list[Frontier] = []
        self._reached: Mapping[str, int] = {}
        self._n_reached = 0

    @property
    def _game(self) -> EmeraldEnv:
        return self.env.unwrapped  # type: ignore[return-value]

    def offer_practice(self, offer: Offer) -> None:
        """Says where the next episodes may begin."""
        self._offer = offer

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins an episode, at the start or where another one came to."""
        dice = self._game.np_random
        self._milestone = self._offer.choose(dice) if seed is None else None
        if self._milestone is not None:
            state = read_state(self._offer.file(self._milestone, dice))
            options = (options or {}) | {"state": state}
        result = super().reset(seed=seed, options=options)
        self._begin([])
        return result

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps; keeps the state where a milestone was reached that is still wanted."""
        observation, reward, terminated, truncated, info = super().step(action)
        if len(self._reached) > self._n_reached:
            self._n_reached = len(self._reached)
            *_, latest = self._reached
            self._keep(latest)
        if terminated or truncated:
            info = self._finish(info)
        return observation, reward, terminated, truncated, info

    def get_state(self) -> dict[str, Any]:
        """Returns how the episode began and what it found, with the game's own state."""
        inner: dict[str, Any] = self.env.get_wrapper_attr("get_state")()
        found = [astuple(frontier) for frontier in self._found]
        return inner | {PRACTICE: self._milestone, FRONTIER: found}

    def set_state(self, state: dict[str, Any]) -> None:
        """Goes on from what `get_state` returned, of an env with or without this wrapper."""
        self.env.get_wrapper_attr("set_state")(state)
        self._milestone = state.get(PRACTICE)
        self._begin([Frontier(*found) for found in state.get(FRONTIER, ())])

    def _begin(self, found: list[Frontier]) -> None:
        self._found = found
        self._reached = self.env.get_wrapper_attr("milestone_steps")
        self._n_reached = len(self._reached)

    def _keep(self, milestone: str) -> None:
        if self._offer.wants(milestone):
            gba = self._game.gba
            self._found.append(Frontier(milestone, pack_png(gba.save_state(), gba.screen)))

    def _finish(self, info: dict[str, Any]) -> dict[str, Any]:
        if self._milestone is not None:
            info = info | {PRACTICE: info["episode"] | {"milestone": self._milestone}}
            del info["episode"]
        return info | {FRONTIER: self._found} if self._found else info


def state_file(folder: Path, milestone: str, number: int) -> Path:
    """Returns where a milestone's state is, the first having the number 1."""
    return folder / f"{milestone}-{number}.ss1"


def read_state(file: Path) -> bytes:
    """Returns the raw state in a file.

    Raises:
        StateError: it holds none, or cannot be read.
    """
    try:
        image = load(file)
    except (OSError, ValueError) as error:
        raise StateError(f"{file} cannot be practised: {error}") from error
    if not isinstance(image, MemoryImage):
        raise StateError(f"{file} cannot be practised: it is a cartridge's save")
    return image.data
