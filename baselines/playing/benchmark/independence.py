"""Whether several results are of different episodes, as their mean takes for granted."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from baselines.playing.benchmark.protocol import BenchmarkError
from emerald_env.files.data import DataError, read_bytes
from emerald_env.recordings.recording import MAX_FILE_BYTES, Recording, RecordingError

KEY_BYTES: Final = 2  # of a step's mask
# Steps that count even if no milestone was reached in them. Two agents may well press the same few
# keys in the game's first minute, none the same ones for this long.
OPENING: Final = 256
# Keys after which it is no chance that one episode's are the beginning of another's. Half as many
# as steps, since an agent presses nothing in some.
BEGINNING: Final = OPENING // 2


class Play(NamedTuple):
    """An episode of a result, by what led to its last milestone; sorts by that."""

    sha1: str  # of the game
    keys: bytes  # see `telling_keys`
    result: int  # its number among the results
    name: str  # of the recording

    def begins(self, other: "Play") -> bool:
        """Returns whether the keys are all that another was played with, or its beginning."""
        enough = len(self.keys) >= KEY_BYTES * BEGINNING or self.keys == other.keys
        return enough and self.sha1 == other.sha1 and other.keys.startswith(self.keys)


def check_independent(files: Sequence[Path], results: Sequence[Mapping[str, Any]]) -> None:
    """Checks that no episode counts in two results, whose mean would look surer than it is.

    Args:
        files: the results'.
        results: what is in them; their recordings lie beside them.

    Raises:
        OSError: a recording cannot be read.
        BenchmarkError: an episode counts twice, or a recording cannot be used.
    """
    plays = sorted(
        _play(path.parent, episode, number)
        for number, (path, result) in enumerate(zip(files, results, strict=True))
        for episode in result["episodes"]
    )
    beginnings: list[Play] = []  # of the play at hand; sorted plays come right after theirs
    for play in plays:
        while beginnings and not beginnings[-1].begins(play):
            beginnings.pop()
        for other in beginnings:
            if other.result != play.result:
                raise BenchmarkError(
                    f"{files[other.result]} and {files[play.result]} have an episode in common, "
                    f"which their mean would count twice: the keys of {other.name} and of "
                    f"{play.name} are the same to the end of the shorter one; give results of "
                    "different episodes"
                )
        beginnings.append(play)


def _play(folder: Path, episode: Mapping[str, Any], result: int) -> Play:
    """Returns an episode of the result with a number, whose recordings lie in a folder."""
    name = episode["recording"]
    try:
        recording = Recording.from_bytes(read_bytes(folder / name, MAX_FILE_BYTES))
    except (RecordingError, DataError) as error:
        raise BenchmarkError(f"{folder / name}: {error}") from error
    steps = max(OPENING, *episode["milestones"].values(), 0)
    return Play(recording.game["sha1"], telling_keys(recording, steps), result, name)


def telling_keys(recording: Recording, steps: int) -> bytes:
    """Returns the keys of a recording's first steps, by their masks.

    Neither the wait before it nor steps without a key are in it, nor what follows: all of these can
    be changed without anybody's playing again.

    Args:
        recording: an episode's.
        steps: how many of its steps count.
    """
    masks = [recording.actions[index][1] for index in recording.pressed[:steps]]
    return b"".join(mask.to_bytes(KEY_BYTES, "little") for mask in masks if mask)
