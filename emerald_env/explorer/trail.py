"""The places that somebody visited one after another, with the keys pressed there."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np

from emerald_env.env.observation import observe_fully
from emerald_env.env.state_vector.menu_numbers import observe_menu
from emerald_env.env.state_vector.state_layout import LAYOUT
from emerald_env.explorer.exact_places import (
    CLOSED,
    chapter_numbers,
    menu_visits,
    places_and_grounds,
    told_apart,
    wrapped,
)
from emerald_env.explorer.random_keys import MASKS
from emerald_env.state import GameState

SCENE = 0x9E3779B97F4A7C15  # odd, so that different beginnings change a number differently


@dataclass
class Trail:
    """Places in a row: key i led from place i to place i + 1."""

    places: list[int] = field(default_factory=list)  # of `exact_places.places_and_grounds`
    progress: list[int] = field(default_factory=list)  # `StateLayout.progress` at each
    walks: list[bool] = field(default_factory=list)  # whether keys are told apart there
    keys: list[int] = field(default_factory=list)  # index in `keys.KEYS`, one fewer than places
    grounds: list[int] = field(default_factory=list)  # of the places; empty: not known
    visits: list[int] = field(default_factory=list)  # `menu_visits`; empty: no menu is told apart
    chapters: list[int] = field(default_factory=list)  # `chapter_numbers`; empty: as if all were 0
    lessons: list[bool] = field(default_factory=list)  # `has_lesson`; empty: not known

    @property
    def on_foot(self) -> list[bool]:
        """Whether the player can walk at each place: keys are told apart, and no menu is open."""
        visits = self.visits or [CLOSED] * len(self.places)
        return [visit == CLOSED and walks for visit, walks in zip(visits, self.walks, strict=True)]

    @property
    def battles(self) -> list[bool]:
        """Whether each place is in a battle; where no menu is told apart, that is not known."""
        visits = self.visits or [CLOSED - 1] * len(self.places)
        return [
            visit == CLOSED and not walks for visit, walks in zip(visits, self.walks, strict=True)
        ]

    def arrive(self, state: GameState, mask: int, menus: bool = False) -> tuple[int, int]:
        """Adds the next place, and the first key that was pressed on the way to it.

        Args:
            state: there.
            mask: of the key.
            menus: whether open menus are told apart.

        Returns:
            The numbers of the place and its ground.
        """
        if self.places:
            self.keys.append(MASKS.index(mask))
        vectors = observe_fully(state)[None]
        seen = observe_menu(state)[None] if menus else None
        (place,), (ground,) = places_and_grounds(vectors, seen)
        self.places.append(int(place))
        self.grounds.append(int(ground))
        self.chapters.append(int(chapter_numbers(vectors)[0]))
        self.progress.append(round(float(LAYOUT.progress(vectors)[0])))
        self.walks.append(bool(told_apart(vectors, seen)[0]))
        if seen is not None:
            self.visits.append(int(menu_visits(vectors, seen)[0]))
        return self.places[-1], self.grounds[-1]

    def with_scenes_told_apart(self) -> "Trail":
        """Returns it with the numbers of scenes' places changed by what began each scene.

        Words and moves that nobody can choose in look the same before a question and after either
        answer. As one place they would lead on by chance, whatever was answered. So there a place's
        number also tells at which place, and by which key, the scene began. A scene that the trail
        begins with, and the trail's last place, keep their numbers, so that trails go on where
        others end.
        """
        if not self.visits:
            return self
        places, begun = list(self.places), 0
        for at in range(1, len(places) - 1):
            if not self._is_scene(at):
                begun = 0
            elif not self._is_scene(at - 1):
                begun = (self.places[at - 1] * len(MASKS) + self.keys[at - 1] + 1) * SCENE
            places[at] = wrapped(places[at] + begun)
        return replace(self, places=places)

    def _is_scene(self, at: int) -> bool:
        """Returns whether a place shows something in which nothing can be chosen, no battle."""
        return self.visits[at] < CLOSED and not self.walks[at]

    def without_idle_menus(self) -> Iterator["Trail"]:
        """Yields its parts without the ways into and out of menus while nothing is done there.

        A menu is the same place wherever it is opened, and is closed where it was opened. So with
        these ways it would seem to lead from everywhere to everywhere. The key that did something
        leads to where the menu was closed in the end.
        """
        begin = 0
        for first, last, is_taught in self._idle_menus():
            if is_taught and last < len(self.places):
                yield self._step(first - 1, last)
            for link in self._ways_between(max(first - 1, 0), last, is_taught):
                yield self._part(begin, link + 1)
                begin = link + 1
        yield self._part(begin, len(self.places))

    def _idle_menus(self) -> Iterator[tuple[int, int, bool]]:
        """Yields where nothing more is done in a visit to the menus, and whether it was before.

        The first step of it, and the one after the visit.
        """
        for is_visit, run in groupby(range(len(self.visits)), key=self._is_visit):
            at = [*run]
            shown = [step for step in at if self.visits[step] > CLOSED]
            if not is_visit or not shown:
                continue
            done = self.visits[shown[-1]]
            earlier = [step for step in shown if self.visits[step] != done]
            first = next(step for step in shown if step > earlier[-1]) if earlier else at[0]
            last = at[-1] + 1
            ends = max(first - 1, 0), min(last, len(self.places) - 1)
            if self.progress[ends[0]] == self.progress[ends[1]]:
                yield first, last, bool(earlier)

    def _is_visit(self, step: int) -> bool:
        return self.visits[step] != CLOSED

    def _ways_between(self, begin: int, end: int, with_first: bool) -> list[int]:
        """Returns the links into and out of the menus of some steps, ascending.

        Args:
            begin: the first step.
            end: the last one, or the number of all steps.
            with_first: whether the first link counts as one, whatever it leads from.
        """
        is_open = [code > CLOSED for code in self.visits[begin : end + 1]]
        links = begin + np.flatnonzero(np.diff(is_open))
        return sorted({*links.tolist(), *([begin] if with_first else [])})

    def _step(self, begin: int, end: int) -> "Trail":
        """Returns two places of it, as if the first one's key led to the second."""
        first, second = vars(self._part(begin, begin + 1)), vars(self._part(end, end + 1))
        both = {name: values + second[name] for name, values in first.items()}
        return Trail(**{**both, "keys": self.keys[begin : begin + 1]})

    def _part(self, begin: int, end: int) -> "Trail":
        return Trail(
            self.places[begin:end],
            self.progress[begin:end],
            self.walks[begin:end],
            self.keys[begin : end - 1],
            self.grounds[begin:end],
            self.visits[begin:end],
            self.chapters[begin:end],
            self.lessons[begin:end],
        )
