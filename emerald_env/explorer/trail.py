"""The places that somebody visited one after another, with the keys pressed there."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np

from emerald_env.env.observation import observe_fully
from emerald_env.env.state_vector.menu_numbers import observe_menu
from emerald_env.explorer.exact_places import (
    CLOSED,
    chapter_numbers,
    menu_visits,
    places_and_grounds,
    told_apart,
    wrapped,
)
from emerald_env.explorer.random_keys import MASKS
from emerald_env.state import GameState, milestone_bits

SCENE = 0x9E3779B97F4A7C15  # odd, so that different beginnings change a number differently


@dataclass
class Trail:
    """Places in a row: key i led from place i to place i + 1."""

    places: list[int] = field(default_factory=list)  # see `exact_places.place_numbers`
    progress: list[int] = field(default_factory=list)  # milestones reached at each
    walks: list[bool] = field(default_factory=list)  # whether keys are told apart there
    keys: list[int] = field(default_factory=list)  # index in `keys.KEYS`, one fewer than places
    grounds: list[int] = field(default_factory=list)  # of the places; empty: not known
    visits: list[int] = field(default_factory=list)  # `menu_visits`; empty: no menu is told apart
    chapters: list[int] = field(default_factory=list)  # `chapter_numbers`; empty: as if all were 0

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
        self.progress.append(milestone_bits(state).bit_count())
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

    def without_idle_visits(self) -> Iterator["Trail"]:
        """Yields its parts without the ways into and out of menus in which nothing was done.

        A menu is the same place wherever it is opened, and is closed where it was opened. So with
        these ways it would seem to lead from everywhere to everywhere.
        """
        begin = 0
        for link in self._idle_links():
            yield self._part(begin, link + 1)
            begin = link + 1
        yield self._part(begin, len(self.places))

    def _idle_links(self) -> list[int]:
        """Returns the links into and out of menus in whose visit nothing changed, ascending."""
        idle: list[int] = []
        steps = enumerate(self.visits)
        for is_visit, run in groupby(steps, key=lambda step: step[1] != CLOSED):
            if not is_visit:
                continue
            at = [step for step, _ in run]
            before, after = max(at[0] - 1, 0), min(at[-1] + 1, len(self.places) - 1)
            shown = {code for code in self.visits[at[0] : at[-1] + 1] if code > CLOSED}
            if len(shown) == 1 and self.progress[before] == self.progress[after]:
                is_open = [code > CLOSED for code in self.visits[before : after + 1]]
                idle += (before + np.flatnonzero(np.diff(is_open))).tolist()
        return idle

    def _part(self, begin: int, end: int) -> "Trail":
        return Trail(
            self.places[begin:end],
            self.progress[begin:end],
            self.walks[begin:end],
            self.keys[begin : end - 1],
            self.grounds[begin:end],
            self.visits[begin:end],
            self.chapters[begin:end],
        )
