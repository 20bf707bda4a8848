"""Results as files: JSON with the recordings beside it, which anybody can check."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, Final

from annotated_types import Predicate
from pydantic import Field
from typing_extensions import TypedDict

from baselines.playing.benchmark.episode_check import check_episode
from baselines.playing.benchmark.protocol import (
    BenchmarkError,
    check_assists,
    check_declared,
    check_unseen,
    wait_of,
    world_of,
)
from baselines.playing.intervals import Estimate, wilson
from emerald_env.env.versions import VERSIONS, Version
from emerald_env.files.atomic import write_atomically
from emerald_env.files.data import Count, DataError, PlainText, misfit, read_bytes, read_json
from emerald_env.files.printable import MAX_CHARACTERS
from emerald_env.recordings.find_recordings import SUFFIX
from emerald_env.recordings.recording import (
    MAX_FILE_BYTES,
    Recording,
    RecordingError,
    software,
)

FORMAT, SCHEMA_VERSION = "emerald-benchmark", 1
MAX_EPISODES: Final = 1000
NAME: Final = re.compile(rf"[\w-]{{1,80}}\{SUFFIX}")
MAX_BYTES: Final = 8 << 20
ROUNDING: Final = 1e-9

Share = Annotated[float, Field(ge=0, le=1)]
Interval = Annotated[list[Share], Field(min_length=3, max_length=3)]
FileName = Annotated[str, Predicate(lambda name: NAME.fullmatch(name) is not None)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class EpisodeResult(TypedDict):
    """An episode's line in a result."""

    recording: FileName
    sha256: Digest
    steps: Count
    milestones: dict[PlainText, Count]


class ClaimedFields(TypedDict):
    """What a result's JSON object says that its recordings cannot show, see `Claim`."""

    benchmark: PlainText
    agent: PlainText
    env_steps: Count
    assists: list[PlainText]
    worlds: PlainText | None
    trained_worlds: PlainText | None


class ResultFile(ClaimedFields):
    """A result's JSON object."""

    format: PlainText
    schema_version: Count
    episodes: Annotated[list[EpisodeResult], Field(min_length=1, max_length=MAX_EPISODES)]
    shares: dict[PlainText, Interval]
    score: Interval
    versions: dict[PlainText, PlainText]


@dataclass(frozen=True)
class Claim:
    """What a result says that its recordings cannot show.

    Raises:
        BenchmarkError: an unknown benchmark or assist, a value that no result's file may have, or
            the worlds are not unseen ones.
    """

    benchmark: str
    agent: str
    env_steps: int  # of the training, exploration counted; 0: it was not trained
    assists: tuple[str, ...]
    worlds: str | None = None  # in which it is measured; None: Jade's world 0
    trained_worlds: str | None = None

    def __post_init__(self) -> None:
        if self.benchmark not in VERSIONS:
            known = ", ".join(VERSIONS)
            raise BenchmarkError(f"no benchmark {self.benchmark!r:.60}: there are {known}")
        object.__setattr__(self, "assists", check_assists(self.assists))
        if (name := misfit(self.fields, ClaimedFields)) is not None:
            raise BenchmarkError(
                f"{name} cannot be {self.fields[name]!r:.60}: a text has up to {MAX_CHARACTERS:,} "
                "characters, all of them printable, and a number is from 0 to 10**15"
            )
        check_unseen(self.worlds, self.trained_worlds)

    @property
    def fields(self) -> dict[str, Any]:
        """See `ClaimedFields`, in the order of a result's file."""
        return vars(self) | {"assists": list(self.assists)}

    @property
    def version(self) -> Version:
        """The version of the game."""
        return VERSIONS[self.benchmark]


def make_result(claim: Claim, folder: Path, names: Sequence[str]) -> dict[str, Any]:
    """Replays recordings and returns the result that they and a claim make.

    Args:
        claim: the rest of it.
        folder: of the recordings.
        names: of the recordings' files, in the order of the episodes.

    Raises:
        BenchmarkError: an episode was not played as the protocol says; the message names it.
        OSError: a file cannot be read.
    """
    return assemble(
        claim, [_episode(claim, folder, name, number) for number, name in enumerate(names)]
    )


def assemble(claim: Claim, episodes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Returns the result of episodes, see `describe_episode`."""
    reached = [episode["milestones"] for episode in episodes]
    shares = shares_of(reached, claim.version.story)
    return {
        "format": FORMAT,
        "schema_version": SCHEMA_VERSION,
        **claim.fields,
        "score": list(score_of(shares)),
        "shares": {slug: list(share) for slug, share in shares.items()},
        "episodes": list(episodes),
        "versions": software(),
    }


def _episode(claim: Claim, folder: Path, name: str, number: int) -> dict[str, Any]:
    try:
        content = read_bytes(folder / name, MAX_FILE_BYTES)
        recording = Recording.from_bytes(content)
        check_declared(recording.env, claim.assists)
        world = world_of(number, claim.worlds)
        milestones = check_episode(recording, claim.version, world, wait_of(number))
    except (RecordingError, BenchmarkError, DataError) as error:
        raise BenchmarkError(f"{name}: {error}") from error
    return describe_episode(name, content, recording.n_steps, milestones)


def describe_episode(
    name: str, content: bytes, steps: int, milestones: dict[str, int]
) -> dict[str, Any]:
    """Returns an episode's line in a result.

    Args:
        name: of the recording's file.
        content: of the file.
        steps: of the episode.
        milestones: slug -> steps until it was reached.
    """
    return {
        "recording": name,
        "sha256": hashlib.sha256(content).hexdigest(),
        "steps": steps,
        "milestones": milestones,
    }


def shares_of(reached: Sequence[Mapping[str, int]], story: Sequence[str]) -> dict[str, Estimate]:
    """Returns the share of episodes that reach each milestone of the story."""
    return {slug: wilson(sum(slug in each for each in reached), len(reached)) for slug in story}


def score_of(shares: Mapping[str, Estimate]) -> Estimate:
    """Returns the mean share, with the means of the bounds.

    No mean varies more than its parts do on average, so these bounds hold at least as often as
    theirs.
    """
    value, low, high = (fmean(bound) for bound in zip(*shares.values(), strict=True))
    return Estimate(value, low, high)


def write_result(result: Mapping[str, Any], path: Path) -> None:
    """Writes a result's file.

    Raises:
        OSError: it cannot be written.
    """
    write_atomically(path, (json.dumps(result, indent=2, ensure_ascii=False) + "\n").encode())


def read_result(path: Path) -> dict[str, Any]:
    """Returns the result in a file, in which nothing has been checked but its form.

    Raises:
        OSError: it cannot be read.
        BenchmarkError: it is no result, or one of a newer program.
    """
    try:
        values = read_json(path, MAX_BYTES)
    except DataError as error:
        raise BenchmarkError(f"{path} is no result: {error}") from error
    kind = values.get("format") if isinstance(values, dict) else None
    if kind != FORMAT:
        raise BenchmarkError(f"{path} is no result of `emerald benchmark`")
    if values.get("schema_version") != SCHEMA_VERSION:
        found = values.get("schema_version")
        raise BenchmarkError(
            f"{path} has schema version {found!r:.40}; this program reads {SCHEMA_VERSION}: if "
            "that is newer, update the program"
        )
    if (problem := misfit(values, ResultFile)) is not None:
        raise BenchmarkError(f"{path} is no result: its {problem} is not as it must be")
    result: dict[str, Any] = values
    return result


def verify(path: Path) -> dict[str, Any]:
    """Replays a result's recordings and confirms each of its numbers; returns it.

    Raises:
        OSError: a file cannot be read.
        BenchmarkError: a number is not what the recordings give, or see `make_result`.
    """
    stated = read_result(path)
    names = [episode["recording"] for episode in stated["episodes"]]
    try:
        claim = Claim(**{name: stated[name] for name in ClaimedFields.__annotations__})
        _check_digests(stated["episodes"], path.parent)
        found = make_result(claim, path.parent, names)
        _compare(stated, found)
    except ValueError as error:
        raise BenchmarkError(f"{path}: {error}") from error
    return stated


def _check_digests(episodes: Sequence[Mapping[str, Any]], folder: Path) -> None:
    """Compares all files' hashes first, since that takes no time."""
    for episode in episodes:
        content = read_bytes(folder / episode["recording"], MAX_FILE_BYTES)
        if hashlib.sha256(content).hexdigest() != episode["sha256"]:
            raise BenchmarkError(f"{episode['recording']} is not the file that the result names")


def _compare(stated: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    for own, other in zip(stated["episodes"], found["episodes"], strict=True):
        for name in ("steps", "milestones"):
            if own[name] != other[name]:
                difference = _difference(own[name], other[name])
                raise BenchmarkError(f"{own['recording']}: its {name} are not true: {difference}")
    if stated["shares"].keys() != found["shares"].keys():
        raise BenchmarkError(f"its shares are not those of {stated['benchmark']}'s milestones")
    stated_numbers = {"score": stated["score"], **stated["shares"]}
    for name, numbers in {"score": found["score"], **found["shares"]}.items():
        if any(abs(a - b) > ROUNDING for a, b in zip(stated_numbers[name], numbers, strict=True)):
            raise BenchmarkError(
                f"its {name} is {_rounded(stated_numbers[name])}, its recordings give "
                f"{_rounded(numbers)}"
            )


def _difference(stated: Any, found: Any) -> str:
    if not isinstance(stated, dict):
        return f"{stated:,} are stated, the recording has {found:,}"
    slug = min(k for k in stated.keys() | found.keys() if stated.get(k) != found.get(k))
    return f"{slug} at step {stated.get(slug)} is stated, the recording has {found.get(slug)}"


def _rounded(numbers: Sequence[float]) -> str:
    value, low, high = numbers
    return f"{value:.3f} ({low:.3f} to {high:.3f})"
