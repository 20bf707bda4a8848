"""Replays a recorded episode from a start of our own, and says what it reached."""

from dataclasses import replace
from typing import Any

from baselines.playing.benchmark.protocol import BenchmarkError
from emerald_env.env.actions import action_set
from emerald_env.env.versions import Version
from emerald_env.game.choice import GameChoice
from emerald_env.game.editions import Game, open_game
from emerald_env.recordings.recording import Recording
from emerald_env.recordings.replaying import memory_hash, replay, rom_sha1
from emerald_env.starts.starts import NEW_GAME, Start, prepare_starts
from emerald_env.wrappers.episode_summary import MilestoneTimes

FIXED = ("start", "clock", "frame_skip", "hold_frames", "action_set")


def check_episode(
    recording: Recording, version: Version, world: str | None, wait: int
) -> dict[str, int]:
    """Plays a recorded episode's keys from a new game; nothing else of the recording is believed.

    Args:
        recording: of the episode.
        version: of the game.
        world: of Jade; None: world 0.
        wait: frames between the new game and the episode.

    Returns:
        Slug -> steps until that milestone was reached.

    Raises:
        BenchmarkError: it was played on another version, from elsewhere, or by other keys.
    """
    choice = GameChoice(world=world)
    with open_game(choice) as gba:
        _check_version(recording, version, gba, world)
        start = _start(gba, choice, wait)
        if memory_hash(gba) != recording.hashes[0]:
            raise BenchmarkError(f"it does not begin in a new game after {wait} frames")
        return _replayed(replace(recording, start=start), gba)


def _check_version(recording: Recording, version: Version, gba: Game, world: str | None) -> None:
    found, wanted = recording.game["sha1"], rom_sha1(gba)
    if found != wanted:
        where = "" if world is None else f", world {world}"
        raise BenchmarkError(
            f"it was recorded on another version of the game: its ROM's SHA-1 is {found[:40]}, "
            f"that of {version.id}{where} is {wanted}"
        )
    for name in FIXED:
        value, needed = _plain(recording.env.get(name)), _plain(version.settings[name])
        if value != needed:
            raise BenchmarkError(f"its {name} is {value!r:.40}, {version.id} fixes {needed!r}")
    actions = action_set(version.settings["action_set"])
    if recording.actions != tuple((action.name, action.keys) for action in actions):
        raise BenchmarkError(f"its actions are not those of {version.id}")
    if recording.n_steps > version.settings["episode_length"]:
        most = version.settings["episode_length"]
        raise BenchmarkError(f"it has {recording.n_steps:,} steps, {version.id} allows {most:,}")


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _start(gba: Game, choice: GameChoice, wait: int) -> Start:
    """Puts a game where an episode begins; returns that start."""
    prepare_starts(choice, NEW_GAME)[0].restore(gba)
    gba.step(0, 0, wait, render=False)
    return Start(gba.get_state(), gba.save_data())


def _replayed(recording: Recording, gba: Game) -> dict[str, int]:
    times = MilestoneTimes()
    for moment in replay(recording, gba):
        if moment.same is False:
            raise BenchmarkError(
                f"its keys do not lead where it says: memory differs after step {moment.step:,}"
            )
        times.see(moment.state, moment.step)
    return times.reached
