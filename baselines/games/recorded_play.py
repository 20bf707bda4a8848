"""Plays a game with any player and records it: a script, a model of yours, Jade's guide."""

from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from baselines.games.game import make_env
from baselines.settings.game_config import GameConfig
from emerald_env.env.observation import GUIDE
from emerald_env.files.atomic import write_atomically
from emerald_env.recordings.find_recordings import recording_in
from emerald_env.wrappers.recorder import RECORDING, Recorded


class Player(Protocol):
    """Anything that plays: a function of the observation."""

    def __call__(self, observation: Any) -> int | None:
        """Returns the action's number; None ends the episode."""


def by_guide(observation: Any) -> int:
    """Returns the action of Jade's guide, which `GameConfig(guide=True)` shows.

    Episodes with a guide end with the story (`StoryEnd`).
    """
    return int(np.argmax(observation[GUIDE]))


def record_play(
    player: Player,
    folder: Path,
    config: GameConfig,
    episodes: int = 1,
    seed: int = 0,
) -> list[Path]:
    """Plays episodes and records each into a folder, as `emerald train --teacher` takes it.

    Args:
        player: chooses each action.
        folder: of the recordings; created if missing.
        config: the game.
        episodes: how many.
        seed: of the first episode; the next has the next.

    Returns:
        The recordings' files.

    Raises:
        FileNotFoundError, RomError, StateError, ValueError: the game cannot be played so.
        FileExistsError: one of the recordings is there already; nothing is played.
        OSError: the folder cannot be written.
    """
    seeds = range(seed, seed + episodes)
    paths = [recording_in(folder, each) for each in seeds]
    for path in paths:
        if path.exists():
            raise FileExistsError(f"{path} is there already: give another folder or seed")
    folder.mkdir(parents=True, exist_ok=True)
    with closing(make_env(config, "rgb_array", "every")) as env:
        for each, path in zip(seeds, paths, strict=True):
            observation, _ = env.reset(seed=each)
            write_atomically(path, record_episode(player, env, observation).file)
    return paths


def record_episode(player: Player, env: Any, observation: Any) -> Recorded:
    """Plays an episode that has begun to its end.

    Args:
        player: chooses each action.
        env: the game, with a recorder.
        observation: the first.
    """
    total, over = 0.0, False
    info: dict[str, Any] = {}
    while not over:
        action = player(observation)
        if action is None:
            so_far: Recorded = env.get_wrapper_attr("so_far")(total)
            return so_far
        observation, reward, terminated, truncated, info = env.step(action)
        total, over = total + reward, terminated or truncated
    recorded: Recorded = info[RECORDING]
    return recorded
