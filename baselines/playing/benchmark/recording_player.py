"""Any player's episodes for a result: a script, a model of yours, Jade's guide."""

from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from baselines.games.game import make_env
from baselines.games.recorded_play import Player, record_episode
from baselines.playing.benchmark.protocol import EPISODES, beginning, played_in
from baselines.settings.game_config import GameConfig
from emerald_env.env.versions import FREE, JADE_V1, Version
from emerald_env.files.atomic import write_atomically
from emerald_env.recordings.find_recordings import SUFFIX


def record_benchmark(
    make_player: Callable[[], Player],
    folder: Path,
    version: Version = JADE_V1,
    episodes: int = EPISODES,
    worlds: str | None = None,
    name: Callable[[int], str] = "episode_{:04}".format,
    settings: Mapping[str, Any] | None = None,
    beside_others: bool = False,
) -> list[str]:
    """Plays the protocol's episodes with a player and records each, for `emerald benchmark FOLDER`.

    Args:
        make_player: called before each episode; returns what plays it, see `Player`.
        folder: of the recordings; created if missing.
        version: of the game.
        episodes: how many.
        worlds: see `Claim`.
        name: returns the name of an episode's file, without its suffix.
        settings: what the player observes, such as `{"observation": "screen"}`; see `FREE`.
        beside_others: the folder may have other recordings.

    Returns:
        The files' names.

    Raises:
        FileExistsError: the folder has recordings, which would count as this player's.
        ValueError: a setting is impossible, or one that the version fixes.
        OSError: the folder cannot be written.
    """
    config = _games(version, settings or {})
    if not beside_others and (there := sorted(folder.glob(f"*{SUFFIX}"))):
        raise FileExistsError(
            f"{folder} has recordings already, such as {there[0].name}: a result of the folder "
            "would count them as this player's; give a new folder"
        )
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    with closing(make_env(config, "rgb_array", "every")) as env:
        for number in range(episodes):
            seen, _ = env.reset(seed=number, options=beginning(number, worlds))
            names.append(name(number) + SUFFIX)
            write_atomically(folder / names[-1], record_episode(make_player(), env, seen).file)
    return names


def _games(version: Version, settings: Mapping[str, Any]) -> GameConfig:
    if fixed := sorted(settings.keys() - FREE):
        raise ValueError(
            f"{version.id} fixes {fixed[0]}: leave it out of the settings, which say what the "
            "player observes"
        )
    return played_in(version, GameConfig(**settings))
