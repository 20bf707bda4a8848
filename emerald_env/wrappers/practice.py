"""Episodes that begin in a state found before, to practise what comes after it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from emerald_env.emulator import StateError
from emerald_env.env.env import EmeraldEnv
from emerald_env.explorer import Cell, Found, Strength, cell_of
from emerald_env.game.savefile import SaveFileError, read_state
from emerald_env.wrappers.episode_limit import ALLOWANCE

PRACTICE = "practice"  # replaces "episode" in the last `info` of a practice episode
HOME = "home"  # key of `get_state`: the cell in which the episode began, if at a start
WAY = "way"  # key of the last `info`: states along the episode, for the archive
LOST = "lost"  # key of the last `info`: nodes of the archive whose states cannot be read
STRIDE = 256  # steps between states along an episode: they take a thousandth of the time


@dataclass(frozen=True)
class PracticeStart:
    """A state of the archive that an episode may begin in."""

    task: str  # the milestone to be reached from there
    node: int
    length: int  # steps from home
    file: Path
    allowance: int  # steps that the episode may go without a new milestone


@dataclass(frozen=True)
class Offer:
    """Where episodes may begin."""

    share: float = 0.0  # of the episodes that begin at one of `beginnings`
    beginnings: tuple[PracticeStart, ...] = ()
    chances: tuple[float, ...] = ()  # of each, sum 1
    known: frozenset[str] | None = None  # the archive's milestones; None: there is no archive
    home: int = 0  # the node of a start that is not in `homes`
    homes: Mapping[Cell, int] = field(default_factory=dict)  # the node of each start, by its cell

    def choose(self, dice: np.random.Generator) -> PracticeStart | None:
        """Returns where an episode begins, None for the start."""
        if not self.beginnings or dice.random() >= self.share:
            return None
        return self.beginnings[int(dice.choice(len(self.beginnings), p=self.chances))]

    def home_of(self, cell: Cell | None) -> int:
        """Returns the node of the start in a cell; None: nobody knows in which."""
        return self.home if cell is None else self.homes.get(cell, self.home)

    def wants(self, milestone: str) -> bool:
        """Returns whether a state with this milestone is wanted."""
        return self.known is not None and milestone not in self.known


class Way(NamedTuple):
    """States that an episode passed through, for the archive."""

    parent: int  # node of the archive in which the episode began
    found: list[Found]  # in the order of the episode


class Practice(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Lets a share of the episodes begin in states that the archive offers.

    The last `info` of such an episode has its summary under PRACTICE instead of "episode", so that
    only episodes from the start are counted. What a state already has pays nothing, as after every
    reset. A reset with a seed always begins at the start.

    If there is an archive, the last `info` also has the episode's `Way`: its states after every
    `STRIDE` steps, where it reached a milestone that the archive lacks, and at its end. So the
    archive learns the agent's shorter paths, and the search continues where the agent gets lost.

    Args:
        env: `EpisodeSummary` around a game, perhaps with a `Recorder` around that.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self._offer = Offer()
        self._began: Mapping[str, Any] | None = None  # None: at the start
        self._home: Cell | None = None  # of the start; None: not there, or nobody can read it
        self._found: list[Found] = []
        self._lost: list[int] = []  # nodes whose states could not be read
        self._reached: Mapping[str, int] = {}
        self._n_reached = 0

    @property
    def _game(self) -> EmeraldEnv:
        return self.env.unwrapped  # type: ignore[return-value]

    @property
    def _length(self) -> int:
        length: int = self.env.get_wrapper_attr("length")
        return length

    @property
    def practises(self) -> bool:
        """Whether the episode began in a state of the archive."""
        return self._began is not None

    def offer_practice(self, offer: Offer) -> None:
        """Sets where the next episodes may begin."""
        self._offer = offer

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins an episode, at the start or in a state of the archive."""
        beginning = self._offer.choose(self._game.np_random) if seed is None else None
        result = None if beginning is None else self._begin_in(beginning, options or {})
        if result is None:
            result = super().reset(seed=seed, options=options)
            self._began = None
        state = self._game.state
        self._home = None if self._began or state is None else cell_of(state)
        self._begin([])
        return result

    def _begin_in(
        self, beginning: PracticeStart, options: dict[str, Any]
    ) -> tuple[Any, dict[str, Any]] | None:
        """Begins in a state of the archive; returns None if it cannot be read."""
        try:
            state = {"state": read_state(beginning.file), ALLOWANCE: beginning.allowance}
            result = super().reset(options=options | state)
        except (SaveFileError, StateError):
            self._lost.append(beginning.node)
            return None
        self._began = {
            "task": beginning.task,
            "node": beginning.node,
            "length": beginning.length,
        }
        return result

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps; keeps some states along the way."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        ends = terminated or truncated
        if self._offer.known is not None and (self._is_new() or ends or not self._length % STRIDE):
            self._keep()
        if ends:
            info = self._finish(info)
        return observation, reward, terminated, truncated, info

    def _is_new(self) -> bool:
        """Returns whether the step reached a milestone that the archive lacks."""
        if len(self._reached) == self._n_reached:
            return False
        latest = list(self._reached)[self._n_reached :]  # one step may reach several
        self._n_reached = len(self._reached)
        return any(map(self._offer.wants, latest))

    def get_state(self) -> dict[str, Any]:
        """Returns how the episode began and what it found, with the game's own state."""
        inner: dict[str, Any] = self.env.get_wrapper_attr("get_state")()
        way = [
            (tuple(found.cell), found.length, tuple(found.strength), found.state)
            for found in self._found
        ]
        began = None if self._began is None else dict(self._began)
        home = None if self._home is None else tuple(self._home)
        return inner | {PRACTICE: began, HOME: home, WAY: way}

    def set_state(self, state: dict[str, Any]) -> None:
        """Resumes what `get_state` returned, of an env with or without this wrapper."""
        self.env.get_wrapper_attr("set_state")(state)
        self._began = state.get(PRACTICE)
        home = state.get(HOME)
        self._home = None if home is None else Cell(*home)
        found = [
            Found(Cell(*cell), length, Strength(*strength), packed)
            for cell, length, strength, packed in state.get(WAY, ())
        ]
        self._begin(found)

    def _begin(self, found: list[Found]) -> None:
        self._found = found
        self._reached = self.env.get_wrapper_attr("milestone_steps")
        self._n_reached = len(self._reached)

    def _keep(self) -> None:
        if (state := self._game.state) is None:
            return
        length = self._length + (self._began["length"] if self._began else 0)
        self._found.append(Found.of(state, length, self._game.gba.get_state()))

    def _finish(self, info: dict[str, Any]) -> dict[str, Any]:
        if self._began is not None:
            info = info | {PRACTICE: info["episode"] | self._began}
            del info["episode"]
        if self._lost:
            info, self._lost = info | {LOST: self._lost}, []
        if info["soft_lock"] or not self._found:
            return info  # a game cannot continue from a soft-lock
        parent = self._began["node"] if self._began else self._offer.home_of(self._home)
        return info | {WAY: Way(parent, self._found)}
