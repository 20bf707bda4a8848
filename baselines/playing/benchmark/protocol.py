"""How an agent's episodes are played for a result: docs/BENCHMARK.md in code."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Final

from baselines.settings.game_config import GameConfig
from emerald_env.env.config import WAIT, WORLD
from emerald_env.env.observation import ADDED
from emerald_env.env.versions import Version
from emerald_env.jade.cartridge import worlds_of

EPISODES: Final = 32
FIRST_WAIT, NEXT_WAIT = 60, 7  # frames; training's waits are at most 31
MEMORY, STATES, TEACHER, SCRIPT = "memory", "states", "teacher", "script"
NONE: Final = "none"
# What a result has to declare, and what it means.
ASSISTS: Final = {
    MEMORY: "the agent reads the game's memory, not the screen alone",
    STATES: "episodes of its training began in saved states",
    TEACHER: "its training learnt from another player's labels, keys or recordings",
    SCRIPT: "a program that knows the game chose keys while it played",
}


class BenchmarkError(ValueError):
    """A result cannot be used; the message is one line and says why."""


def wait_of(episode: int) -> int:
    """Returns the frames that an episode waits before it begins, by its number from 0."""
    return FIRST_WAIT + NEXT_WAIT * episode


def world_of(episode: int, worlds: str | None) -> str | None:
    """Returns the world that an episode is played in; None: Jade's world 0.

    Raises:
        ValueError: there are no such worlds.
    """
    if worlds is None:
        return None
    drawn = worlds_of(worlds)
    return drawn.name(episode % len(drawn.seeds))


def beginning(episode: int, worlds: str | None) -> dict[str, Any]:
    """Returns the options of `reset` with which an episode begins."""
    world = world_of(episode, worlds)
    return {WAIT: wait_of(episode)} | ({} if world is None else {WORLD: world})


def played_in(version: Version, config: GameConfig) -> GameConfig:
    """Returns the games that an agent is measured in.

    Args:
        version: of the game.
        config: what the agent was trained on.

    Raises:
        BenchmarkError: it presses other keys, or for another time.
    """
    for name in ("action_set", "frame_skip", "hold_frames"):
        found, wanted = getattr(config, name), version.settings[name]
        if found != wanted:
            raise BenchmarkError(f"the agent's {name} is {found}, {version.id} fixes {wanted}")
    settings = {**version.settings, "reward": version.reward, "reward_weights": ()}
    return replace(config, **settings, world=None, worlds=None)


def assists_shown(env: Mapping[str, Any]) -> set[str]:
    """Returns the assists that the settings of an env, a recording's too, show by themselves."""
    shown = {MEMORY} if env.get("observation") != "screen" else set()
    if any(env.get(name) for name in ADDED):
        shown.add(MEMORY)
    return shown | ({SCRIPT} if env.get("guide") else set())


def check_declared(env: Mapping[str, Any], declared: Collection[str]) -> None:
    """Checks that all assists that the settings of an env show are declared.

    Raises:
        BenchmarkError: one is not; the message says what to declare.
    """
    shown = assists_shown(env)
    if missing := sorted(shown - set(declared)):
        wanted = " ".join(name for name in ASSISTS if name in shown | set(declared))
        raise BenchmarkError(
            f"found an assist that is not declared: {missing[0]}; give --assists {wanted}"
        )


def check_assists(names: tuple[str, ...]) -> tuple[str, ...]:
    """Returns declared assists in the table's order; "none" stands for none.

    Raises:
        BenchmarkError: one is unknown.
    """
    if strangers := sorted(set(names) - ASSISTS.keys() - {NONE}):
        known = ", ".join(ASSISTS)
        raise BenchmarkError(f"no assist {strangers[0]!r}: there are {known}, or {NONE}")
    if NONE in names and len(names) > 1:
        raise BenchmarkError(f"assists are {NONE} and others: declare one or the other")
    return tuple(name for name in ASSISTS if name in names)


def check_unseen(worlds: str | None, trained: str | None) -> None:
    """Checks that an agent was not trained on the worlds in which it is measured.

    Raises:
        BenchmarkError: it was trained on some.
    """
    if worlds is None or trained is None:
        return
    if (both := worlds_of(worlds).shared_with(worlds_of(trained))) is not None:
        raise BenchmarkError(
            f"the agent was trained on world {both}, or on its maps with other demands: worlds "
            f"{worlds} and {trained} overlap"
        )
