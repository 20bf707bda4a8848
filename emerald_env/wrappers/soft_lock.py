"""Soft-locks: distinguishes games from which nothing new can be reached from slow ones."""

import random
from collections.abc import Container, Hashable
from typing import Final

from emerald_env.env.actions import action_set
from emerald_env.env.config import EnvConfig
from emerald_env.game.editions import Game
from emerald_env.state import GameState, StateReader, milestone_bits

QUIET: Final = 2_048
"""Steps without a new tile or milestone after which an episode's end is checked."""
TRIES: Final = 4
STEPS: Final = 512


def is_soft_locked(
    game: Game,
    seen: Container[Hashable],
    config: EnvConfig | None = None,
    tries: int = TRIES,
    steps: int = STEPS,
) -> bool:
    """Returns whether random keys find nothing new from here in any try.

    New means a tile that is not in `seen`, a milestone, or more experience. The keys of each try
    depend only on its number, so the same game gives the same answer. False is certain: there is a
    way out. True means that `tries` times `steps` steps did not find one.

    Args:
        game: unchanged afterwards.
        seen: places that the episode has been to, as `(location, position)`.
        config: for the keys and the length of a step; None: the defaults.
        tries: number of tries from the same state.
        steps: of each try.
    """
    config = config or EnvConfig()
    begun, before = game.get_state(), StateReader.of(game).sample()
    try:
        return not any(
            _finds_something(game, seen, before, config, random.Random(number), steps)
            for number in range(tries)
            if game.set_state(begun) is None
        )
    finally:
        game.set_state(begun)


def _finds_something(
    game: Game,
    seen: Container[Hashable],
    before: GameState | None,
    config: EnvConfig,
    chance: random.Random,
    steps: int,
) -> bool:
    reader = StateReader.of(game)
    keys = [action.keys for action in action_set(config.action_set)]
    for _ in range(steps):
        game.step(chance.choice(keys), config.hold_frames, config.frame_skip, render=False)
        state = reader.sample()
        if state is not None and _is_new(state, seen, before):
            return True
    return False


def _is_new(state: GameState, seen: Container[Hashable], before: GameState | None) -> bool:
    if before is None or (state.location, state.position) not in seen:
        return True
    if _experience(state) > _experience(before):
        return True
    return milestone_bits(state) & ~milestone_bits(before) != 0


def _experience(state: GameState) -> int:
    return sum(pokemon.exp for pokemon in state.party)
