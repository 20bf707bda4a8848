"""The story against sightseeing: what an expert and a tourist earn in the same number of steps.

Both play Jade. The expert follows the guide to the story; the tourist begins in a milestone's state
and walks to the nearest tiles that it has not visited, some of each map, and talks to nobody.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from emerald_env.game.choice import GameChoice
from emerald_env.game.editions import Game, open_game
from emerald_env.jade import menus
from emerald_env.jade.cartridge import world_rom
from emerald_env.jade.journey import press
from emerald_env.jade.maps import Place, Stuck, plan
from emerald_env.jade.worlds.guidance.guide import Guide, Look
from emerald_env.state import GameState, StateReader, milestones_done
from rewards.audit.jade_walks import Sampler
from rewards.preset import Preset
from rewards.reward import Reward

TILES_A_MAP = 22  # that a tourist visits on each map
DETOUR = 60  # steps to a nurse that an expert takes as soon as it is hurt
PLAYS = 4  # of the story, of which an expert's legs are the shortest
BATTLE_TYPE, TRAINER = 0x02022FEC, 8  # gBattleTypeFlags


@dataclass
class Leg:
    """The expert's way from one milestone to the next.

    Attributes:
        milestone: the one it begins with, at the sample that first had it.
        world: of Jade that it leads through; None: the game as it comes.
        game: the emulator's state there.
        states: one a step, that with the milestone first and that with the next milestone last.
    """

    milestone: str
    world: str | None
    game: bytes
    states: list[GameState | None] = field(default_factory=list)

    @property
    def first(self) -> GameState:
        """The state that it begins with."""
        state = self.states[0]
        assert state is not None
        return state

    @property
    def steps(self) -> int:
        """How many steps it takes."""
        return len(self.states) - 1


def story_legs(world: str | None = None) -> list[Leg]:
    """Plays the story as an expert; returns its legs, each to a milestone.

    An expert does as the guide says, but rests where a nurse is near. Chance still decides which
    battles it loses, and after a lost one it walks a long way again. So it plays the story several
    times, and of each leg the shortest counts. Takes some ten seconds.

    Args:
        world: of Jade; None: the game as it comes.
    """
    shortest: dict[str, Leg] = {}
    guide = Guide(world_rom(world or "0"), DETOUR)
    for wait in range(PLAYS):
        for leg in _play(world, guide, wait):
            best = shortest.setdefault(leg.milestone, leg)
            if leg.steps < best.steps:
                shortest[leg.milestone] = leg
    return list(shortest.values())


def _play(world: str | None, guide: Guide, wait: int) -> list[Leg]:
    """Returns the legs of one play, which begins some steps after power-on."""
    legs: list[Leg] = []
    done: set[str] = set()
    with open_game(GameChoice(world=world)) as gba:
        reader = StateReader.of(gba)
        for _ in range(wait):
            press(gba, frozenset())
        while not done or guide.errand(Look(gba.memory)) is not None:
            press(gba, guide.labels(gba.memory))
            state = reader.sample()
            if legs:
                legs[-1].states.append(state)
            reached = milestones_done(state) if state else ()
            if new := [name for name in reached if name not in done]:
                done.update(new)
                legs.append(Leg(new[-1], world, gba.get_state(), [state]))
    return legs[:-1]


def sightseeing(leg: Leg) -> list[GameState | None]:
    """Returns what a tourist sees where a leg begins, in as many steps as the expert takes for it.

    The walk ends before the step in which the tourist reaches a milestone by chance, since the rest
    would no longer be sightseeing.
    """
    states = tour(leg, leg.steps)
    for number, state in enumerate(states):
        if state is not None and set(milestones_done(state)) - set(milestones_done(leg.first)):
            return states[:number]
    return states


class _Unseen(Container[Place]):
    """The tiles that are new to a tourist, on maps of which it has not seen enough."""

    def __init__(self, seen: set[Place], counts: Counter[tuple[int, int]]) -> None:
        self._seen = seen
        self._counts = counts

    def __contains__(self, place: object) -> bool:
        return place not in self._seen and self._counts[place[:2]] < TILES_A_MAP  # type: ignore[index]


class _Enough(Exception):
    """The tourist has taken all its steps."""


class Tourist(Sampler):
    """A walker that explores and talks to nobody.

    It walks to the nearest tile that is new to it, up to 22 on each map. It presses A only in
    battles: it runs if it can and fights if it must.

    Args:
        gba: the running game.
        steps: after which it has enough.
    """

    def __init__(self, gba: Game, steps: int) -> None:
        self._steps = steps
        super().__init__(gba)

    def walk(self) -> list[GameState | None]:
        """Returns the states of the walk, the one it begins with first; less if it gets stuck."""
        try:
            self.settle()
            self._wander()
        except (Stuck, _Enough):
            pass
        return self.states

    def _wander(self) -> None:
        seen = {self.place}
        counts = Counter([self.place[:2]])
        refused: set[Place] = set()
        while True:
            way = plan(self.world, self.place, _Unseen(seen, counts), self._standing() | refused)
            for direction, after in way:
                before = self.place
                self.step(direction)
                if self.place == before:
                    refused.add(after)
                if self.place not in seen:
                    seen.add(self.place)
                    counts[self.place[:2]] += 1
                if self.place != after or self.place in refused:
                    break

    def settle(self, limit: int = 9000, answer: str = "b") -> None:
        """Waits for steps and fades, closes messages with B, runs from battles."""
        while self.in_battle:
            if self.number(menus.BATTLE_FUNCTION) == menus.CHOOSING and not self._no_running:
                for key in ("down", "right"):
                    self.press(key)
            self.press("a")
        super().settle(limit, answer)

    @property
    def _no_running(self) -> bool:
        return bool(self.number(BATTLE_TYPE) & TRAINER)

    def _look(self) -> None:
        super()._look()
        if len(self.states) > self._steps:
            raise _Enough


def tour(leg: Leg, steps: int) -> list[GameState | None]:
    """Returns the states of a tourist who begins where a leg does, at most that many steps."""
    with open_game(GameChoice(world=leg.world)) as gba:
        gba.set_state(leg.game)
        return Tourist(gba, steps).walk()


def earned(
    preset: Preset, states: Sequence[GameState | None], gamma: float = 1.0
) -> dict[str, float]:
    """Returns what each term pays for a walk, discounted by gamma for each step."""
    reward = Reward(preset)
    reward.reset(states[0])
    terms: dict[str, float] = defaultdict(float)
    for step, (before, after) in enumerate(pairwise(states)):
        for term, amount in reward(before, after).items():
            terms[term] += amount * gamma**step
    return {term: terms[term] for term in reward.terms}  # a function has named its own by now


@dataclass(frozen=True)
class LegComparison:
    """What the expert and the tourist earn in the steps of one leg, by term."""

    milestone: str
    steps: int
    expert: dict[str, float]
    tourist: dict[str, float]

    @property
    def ratio(self) -> float:
        """How many times as much as the tourist the expert earns.

        Infinite where only the expert earns anything; NaN where neither does.
        """
        expert, tourist = sum(self.expert.values()), sum(self.tourist.values())
        if tourist > 0:
            return expert / tourist
        return math.inf if expert > 0 else math.nan


Walks = Sequence[tuple[Leg, list[GameState | None]]]


def walks(world: str | None = None) -> Walks:
    """Returns the legs of the story in a world, each with what a tourist sees in its steps."""
    return [(leg, sightseeing(leg)) for leg in story_legs(world)]


def compare(preset: Preset, walks: Walks, gamma: float = 1.0) -> list[LegComparison]:
    """Returns what expert and tourist earn on each leg of the story, discounted."""
    return [
        LegComparison(
            leg.milestone,
            leg.steps,
            earned(preset, leg.states, gamma),
            earned(preset, tour, gamma),
        )
        for leg, tour in walks
    ]
