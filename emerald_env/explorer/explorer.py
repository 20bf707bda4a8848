"""A game that plays bursts of keys from known states and returns what it finds."""

import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from emerald_env.env.actions import START, action_set
from emerald_env.env.config import EnvConfig
from emerald_env.explorer.battles.fights import Fight, Fights
from emerald_env.explorer.battles.move_search import MoveSearch
from emerald_env.explorer.cells import Cell, Strength, cell_of, strength_of
from emerald_env.explorer.exact_places import Advice
from emerald_env.explorer.menu_walks import known_menu
from emerald_env.explorer.random_keys import MASKS, RandomKeys
from emerald_env.explorer.trail import Trail
from emerald_env.game.editions import open_game
from emerald_env.game.savefile import read_state
from emerald_env.starts.starts import prepare_starts
from emerald_env.state import GameState, StateReader
from emerald_env.state.parts.around.targets import targets

WORTH = 12.0  # steps by which a state must be better to replace another
FIGHTS = 0.5  # chance that a burst chooses moves in battles; others also run away or throw balls
PACKING = 1  # zlib's level: 400 kB become 10 in 0.7 ms


@dataclass(frozen=True)
class Job:
    """A burst to play."""

    node: int  # of the archive, where the burst begins
    file: Path  # the state there, an mGBA state
    length: int  # steps from the start
    seed: int
    steps: int
    guided: float = 0.0  # chance of each step to follow the advice, if there is any
    searched: float = math.inf  # most steps in search of the best move


@dataclass(frozen=True)
class Round:
    """Bursts for all explorers together, and the news for them."""

    number: int
    jobs: tuple[Job, ...]
    news: Mapping[Cell, float]  # cell -> its best state's cost, if that changed last round
    advice: Advice | None = None  # None: as before


@dataclass(frozen=True)
class Found:
    """A state of an unknown cell, or a better state of a known one."""

    cell: Cell
    length: int  # steps from the start
    strength: Strength
    state: bytes = field(repr=False)  # raw, packed by zlib

    @classmethod
    def of(cls, state: GameState, length: int, raw: bytes) -> "Found":
        """Returns the finding for a state, `length` steps from the start."""
        return cls.packed(state, length, zlib.compress(raw, PACKING))

    @classmethod
    def packed(cls, state: GameState, length: int, raw: bytes) -> "Found":
        """Returns the finding for a state whose raw form zlib has packed."""
        return cls(cell_of(state), length, strength_of(state), raw)

    @property
    def cost(self) -> float:
        """Cost in steps; lower is better."""
        return self.strength.cost(self.length)


@dataclass
class Burst:
    """The result of a job."""

    found: list[Found] = field(default_factory=list)  # in the order of the path
    trail: Trail = field(default_factory=Trail)
    fights: list[Fight] = field(default_factory=list)
    searched: int = 0  # steps in search of the best move


class Explorer:
    """Plays bursts in its own emulator, so that no episode is disturbed; no reward is paid.

    What it finds depends on the job and on the costs known at the start of the round, not on other
    jobs, so any number of explorers together find the same.

    Args:
        config: whose ROM, start and step are used.
        number: of this explorer, from 0.
        count: of explorers that share the jobs of a round.
    """

    def __init__(self, config: EnvConfig, number: int = 0, count: int = 1) -> None:
        self._config = config
        self._share = slice(number, None, count)
        self._starts = prepare_starts(config.choice, config.start, config.clock)
        self._gba = open_game(config.choice)
        self._starts[0].restore(self._gba)
        self._reader = StateReader.of(self._gba)
        self._opens_menus = START in action_set(config.action_set)
        self._known: dict[Cell, float] = {}
        self._advice = Advice()
        self._heard = -1  # number of the last round

    def home(self) -> list[Found]:
        """Returns the states that episodes begin in."""
        found = []
        for start in self._starts:
            state = self._load(start.state)
            if state is not None:
                found.append(self._found(state, 0))
        return found

    def play(self, work: Round) -> list[Burst | None] | None:
        """Plays its share of a round's jobs.

        Returns:
            The result of each job, or None if its state cannot be read. None instead of the list: a
            new process has missed earlier rounds and must be told everything, as round 0.
        """
        if work.number and work.number != self._heard + 1:
            return None
        if not work.number:
            self._known.clear()
        self._heard = work.number
        self._known.update(work.news)
        self._advice = self._advice if work.advice is None else work.advice
        return [self._burst(job) for job in work.jobs[self._share]]

    def _burst(self, job: Job) -> Burst | None:
        try:
            state = self._load(read_state(job.file))
        except (OSError, ValueError):
            return None
        dice = Random(job.seed)
        keys = RandomKeys(dice, self._look_around, self._opens_menus)
        search = MoveSearch(self._gba, self._reader, self._config, Random(job.seed))
        fights = Fights(search, self._advice, dice.random() < FIGHTS, job.searched)
        best: dict[Cell, float] = {}
        burst = Burst()
        menus = self._config.menus
        place = burst.trail.arrive(state, 0, menus) if state is not None else None
        pressed: int | None = None  # the first key since the last place
        for length in range(job.length + 1, job.length + job.steps + 1):
            apart = state and (state.controllable or (menus and known_menu(state)))
            follows = apart and dice.random() < job.guided
            advised = self._advised(place) if follows else None
            mask = fights.next_mask(state) or advised or keys.choose(state)
            self._gba.step(mask, self._config.hold_frames, self._config.frame_skip, render=False)
            pressed = mask if pressed is None else pressed
            doubts = self._reader.rejections.total()
            state = self._reader.sample()
            doubtful = self._reader.rejections.total() > doubts
            if state is None or (doubtful and not self._shows(state)):
                continue  # the memory is not in a consistent state
            place, pressed = burst.trail.arrive(state, pressed, menus), None
            cell = cell_of(state)
            cost = strength_of(state).cost(length)
            if cost < best.get(cell, self._known.get(cell, float("inf"))) - WORTH:
                best[cell] = cost
                burst.found.append(self._found(state, length))
        burst.fights, burst.searched = fights.found, search.steps
        return burst

    def _shows(self, state: GameState) -> bool:
        """Returns whether a menu is open, and menus matter: nothing else changes meanwhile."""
        return bool((self._opens_menus or self._config.menus) and known_menu(state))

    def _look_around(self, state: GameState) -> NDArray[np.uint8]:
        return targets(self._gba.memory.read, state, self._gba.edition)

    def _advised(self, place: tuple[int, int] | None) -> int | None:
        """Returns the mask of the advised key, None without advice."""
        if place is None:
            return None
        here, ground = np.array(place, np.int64)[:, None]
        key = int(self._advice.look_up(here, ground)[0])
        return MASKS[key] if key >= 0 else None

    def _load(self, raw: bytes) -> GameState | None:
        self._gba.set_state(raw)
        self._reader.reset()
        return self._reader.sample()

    def _found(self, state: GameState, length: int) -> Found:
        return Found.of(state, length, self._gba.get_state())
