"""Whether several results are of different episodes, as their mean takes for granted."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from baselines.playing.benchmark.protocol import BenchmarkError
from emerald_env.files.data import DataError, read_bytes
from emerald_env.recordings.recording import MAX_FILE_BYTES, Recording, RecordingError

# Steps that count even if no milestone was reached in them. Two agents may well press the same few
# keys in the game's first minute, none the same ones for this long.
OPENING: Final = 256


def check_independent(files: Sequence[Path], results: Sequence[Mapping[str, Any]]) -> None:
    """Checks that no episode counts in two results, whose mean would look surer than it is.

    Args:
        files: the results'.
        results: what is in them; their recordings lie beside them.

    Raises:
        OSError: a recording cannot be read.
        BenchmarkError: an episode counts twice, or a recording cannot be used.
    """
    owners: dict[tuple[str, bytes], Path] = {}
    for path, result in zip(files, results, strict=True):
        plays = {_play(path.parent, episode): episode for episode in result["episodes"]}
        for play in plays.keys() & owners.keys():
            raise BenchmarkError(
                f"{owners[play]} and {path} have an episode in common, which their mean would "
                f"count twice: the keys of {plays[play]['recording']} were pressed in both; give "
                "results of different episodes"
            )
        owners |= dict.fromkeys(plays, path)


def _play(folder: Path, episode: Mapping[str, Any]) -> tuple[str, bytes]:
    """Returns what makes an episode one of its own: its game, and the keys that led to its end."""
    name = episode["recording"]
    try:
        recording = Recording.from_bytes(read_bytes(folder / name, MAX_FILE_BYTES))
    except (RecordingError, DataError) as error:
        raise BenchmarkError(f"{folder / name}: {error}") from error
    steps = max(OPENING, *episode["milestones"].values(), 0)
    return recording.game["sha1"], telling_keys(recording, steps)


def telling_keys(recording: Recording, steps: int) -> bytes:
    """Returns the keys of a recording's first steps, by their masks.

    Neither the wait before it nor steps without a key are in it, nor what follows: all of these can
    be changed without anybody's playing again.

    Args:
        recording: an episode's.
        steps: how many of its steps count.
    """
    masks = [recording.actions[index][1] for index in recording.pressed[:steps]]
    return b"".join(mask.to_bytes(2, "little") for mask in masks if mask)
