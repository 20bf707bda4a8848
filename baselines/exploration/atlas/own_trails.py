"""The agent's own episodes as trails, so that the atlas knows the paths back from where it went."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.exploration.atlas.chapter_model import A
from emerald_env.emulator import key_mask
from emerald_env.env.actions import action_set
from emerald_env.env.state_vector.state_layout import LAYOUT
from emerald_env.explorer import Advice, Trail
from emerald_env.explorer.exact_places import (
    UNKNOWN,
    chapter_numbers,
    has_lesson,
    menu_visits,
    newest_menus,
    places_and_grounds,
    told_apart,
)
from emerald_env.explorer.random_keys import DIRECTIONS, KEYS, MASKS

# the equivalent of masks in `keys.KEYS`; a direction with B held still walks (or runs)
BY_MASK = {mask: index for index, mask in enumerate(MASKS)}
OFTEN = 4  # visits of a place within a rollout
LONG = 64  # steps of a battle in which no opponent loses HP: some six turns
BY_MASK |= {key_mask(key, "b"): KEYS.index(key) for key in DIRECTIONS}


def keys_of_actions(name: str) -> NDArray[np.int8]:
    """Returns the equivalent of each action in `keys.KEYS`; UNKNOWN: there is none."""
    return np.array([BY_MASK.get(action.keys, UNKNOWN) for action in action_set(name)], np.int8)


def own_trails(
    observations: Mapping[str, Any], keys: NDArray[np.int8], starts: NDArray[Any]
) -> Iterator[Trail]:
    """Yields the unbroken trails of a rollout.

    Where keys are not told apart, one without an equivalent counts as A: a battle is seldom won
    without any of them, and a way with gaps would lead nowhere.

    Args:
        observations: stacked vectors of `observe_fully` under "state", and perhaps of
            `observe_menu` under "menu", the newest last, each (n_steps + 1, n_envs, size): the last
            ones are those with which the next rollout begins, or trails would not go on there.
        keys: of the actions taken, (n_steps, n_envs); UNKNOWN breaks a trail where keys are told
            apart.
        starts: whether an episode began with a state, (n_steps + 1, n_envs).
    """
    for game, (newest, menus) in enumerate(_each_game(observations)):
        seen, grounds = (numbers.tolist() for numbers in places_and_grounds(newest, menus))
        progress = np.rint(LAYOUT.progress(newest)).astype(int).tolist()
        walks = told_apart(newest, menus)
        chapters = chapter_numbers(newest).tolist()
        own = np.where((keys[:, game] == UNKNOWN) & ~walks[:-1], A, keys[:, game])
        visits = [] if menus is None else menu_visits(newest, menus).tolist()
        lessons = [] if menus is None else has_lesson(menus).tolist()
        no_game = ~LAYOUT.is_game(newest)
        broken = starts[1:, game].astype(bool) | (own == UNKNOWN)
        broken |= no_game[1:] | no_game[:-1]
        cuts = (np.flatnonzero(broken) + 1).tolist()
        for begin, end in zip([0, *cuts], [*cuts, len(seen)], strict=True):
            part = slice(begin, end)
            yield Trail(
                seen[part],
                progress[part],
                walks[part].tolist(),
                own[begin : end - 1].tolist(),
                grounds[part],
                visits[part],
                chapters[part],
                lessons[part],
            )


def circled(trail: Trail, advice: Advice) -> list[int]:
    """Returns the places where a trail did as advised again and again, and gained nothing.

    Keys are told apart in them, on foot or in a menu, and another key would be better. Who comes
    back without having followed the advice, as an agent does that has learnt nothing yet, says
    nothing against it.
    """
    grounds = np.array(trail.grounds) if trail.grounds else None
    lessons = np.array(trail.lessons) if trail.lessons else None
    advised = advice.look_up(np.array(trail.places), grounds, lessons)
    steps = zip(trail.places, trail.walks, trail.keys, advised.tolist(), strict=False)
    visits = Counter(place for place, walks, key, told in steps if walks and key == told)
    return [place for place, count in visits.items() if count >= OFTEN]


def drawn_out(observations: Mapping[str, Any], starts: NDArray[Any]) -> list[int]:
    """Returns the places of a rollout's battles in which no opponent had lost HP for `LONG` steps.

    Args:
        observations: as for `own_trails`.
        starts: whether an episode began with a state, (n_steps, n_envs).
    """
    places: set[int] = set()
    for game, (states, menus) in enumerate(_each_game(observations)):
        late = _unchanged(states, starts[:, game]) >= LONG
        if late.any():
            there = places_and_grounds(states[late], None if menus is None else menus[late])[0]
            places.update(there.tolist())
    return sorted(places)


def _each_game(
    observations: Mapping[str, Any],
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32] | None]]:
    """Yields each game's newest vectors of `observe_fully` and `observe_menu`, (n_steps, size)."""
    for game in range(observations["state"].shape[1]):
        parts = {name: part[:, game] for name, part in observations.items()}
        yield LAYOUT.newest(parts["state"]), newest_menus(parts)


def _unchanged(states: NDArray[np.float32], starts: NDArray[Any]) -> NDArray[np.int64]:
    """Returns for how many steps each state's battle shows the same opponents' HP, (n_steps,)."""
    foes = np.column_stack([states[:, LAYOUT.foe_left], states[:, LAYOUT.opponent]])
    changes = ~LAYOUT.in_battle(states) | starts.astype(bool)
    changes[1:] |= (foes[1:] != foes[:-1]).any(axis=1)
    changes[0] = True
    steps = np.arange(len(states))
    unchanged: NDArray[np.int64] = steps - np.maximum.accumulate(np.where(changes, steps, 0))
    return unchanged
