"""Plays an agent's episodes for a result, and records each."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import torch

from baselines.checkpoints.checkpoint_file import load_policy
from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from baselines.checkpoints.manifest import Manifest, read_manifest
from baselines.checkpoints.trained import find_checkpoint
from baselines.games.vec_games import make_vec_env
from baselines.playing.benchmark.protocol import BenchmarkError, beginning, played_in
from baselines.playing.evaluated_player import EvaluatedPlayer, open_player
from baselines.playing.evaluation import OnStep, evaluate
from baselines.playing.showing import Showing
from baselines.settings.evaluate_config import EvaluateConfig
from baselines.settings.game_config import GameConfig
from emerald_env.env.versions import Version
from emerald_env.files.atomic import write_atomically
from emerald_env.game.editions import edition
from emerald_env.recordings.find_recordings import SUFFIX

AT_ONCE = 16  # games


def load_player(name: str) -> EvaluatedPlayer:
    """Returns a checkpoint's player.

    Raises:
        FileNotFoundError, CheckpointError: it is missing, cannot be used, or needs code of the
            user's own.
    """
    path = find_checkpoint(name)
    if own := read_manifest(path).own_names:
        raise CheckpointError(
            f"{path} was trained with {' and '.join(own)}, Python code that no result is measured "
            "with: play its episodes in a program of your own with `record_benchmark`, and give "
            "the folder of their recordings (docs/BENCHMARK.md)"
        )
    return EvaluatedPlayer(name, *load_policy(path))


def trained_worlds(manifest: Manifest | None) -> str | None:
    """Returns the worlds of Jade that a checkpoint was trained on, such as 7..7:demanding for one.

    None: it was not trained, or on another game.
    """
    if manifest is None:
        return None
    worlds = manifest.env.get("worlds")
    if isinstance(worlds, str):
        return worlds
    if manifest.game["name"] == edition("JADE").name:
        return "0..0"
    if manifest.own_world is None:
        return None
    seed, colon, kind = manifest.own_world.partition(":")
    return f"{seed}..{seed}{colon}{kind}"


def games_of(player: EvaluatedPlayer, version: Version) -> GameConfig:
    """Returns the games in which a player is measured.

    Raises:
        CheckpointError, BenchmarkError: it was trained on another game, or with other keys.
    """
    if player.manifest is None:
        return played_in(version, GameConfig(observation="screen"))
    return played_in(version, player.manifest.env_config(None))


def play_episodes(
    player: EvaluatedPlayer,
    version: Version,
    worlds: str | None,
    episodes: int,
    folder: Path,
    name: Callable[[int], str],
    on_step: OnStep = lambda ended, steps: None,
) -> list[str]:
    """Plays a benchmark's episodes; writes a recording of each.

    Args:
        player: a checkpoint's, or one without a policy for random keys.
        version: of the game.
        worlds: see `Claim`.
        episodes: how many.
        folder: of the recordings.
        name: returns the name of an episode's file, without its suffix.
        on_step: called after each step of the games.

    Returns:
        The files' names, in the order of the episodes.

    Raises:
        CheckpointError, BenchmarkError, WorkerError: they cannot be played.
        OSError: the folder cannot be written.
    """
    torch.set_num_threads(1)
    how, names = games_of(player, version), []
    for first in range(0, episodes, AT_ONCE):
        numbers = range(first, min(first + AT_ONCE, episodes))

        def counted(ended: int, steps: int, before: int = first) -> None:
            on_step(before + ended, steps)

        played = _play(player, how, [beginning(n, worlds) for n in numbers], first, counted)
        for number, recording in zip(numbers, played, strict=True):
            names.append(name(number) + SUFFIX)
            write_atomically(folder / names[-1], recording)
    return names


def _play(
    player: EvaluatedPlayer,
    how: GameConfig,
    beginnings: list[dict[str, Any]],
    seed: int,
    on_step: OnStep,
) -> list[bytes]:
    """Returns the recordings of one episode for each beginning, in their order."""
    count = len(beginnings)
    config = EvaluateConfig(seed=seed, episodes=count, n_envs=count)
    with closing(make_vec_env(how, count, None, seed, "every")) as games:
        games.set_options(beginnings)
        seen, choose = open_player(player, games, config, Showing(None, count))
        done = evaluate(player.name, seen, choose, count, on_step)
    found = {episode.game: episode.recording for episode in done.episodes}
    recordings = [found.get(game) for game in range(count)]
    if done.interrupted or None in recordings:
        raise BenchmarkError("ended before all episodes were played: nothing was written of it")
    return [recording for recording in recordings if recording is not None]
