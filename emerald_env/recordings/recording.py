"""Recorded episodes as files: the start, every action, and hashes to check a replay.

A recording is a zip of `recording.json`, four members of plain bytes, and what rewards could see.
It may be untrusted: reading it runs nothing, unpacks nothing to disk and needs little memory.
"""

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from annotated_types import Predicate
from pydantic import Field
from typing_extensions import TypedDict

from emerald_env.emulator import KEYS, libmgba_version
from emerald_env.env.config import MAX_STEP
from emerald_env.files.data import MEBIBYTE, DataError, fits, misfit, parse_json, read_bytes
from emerald_env.files.package_version import PROGRAM, package_version
from emerald_env.files.zips import ZipError, read_members
from emerald_env.game.editions import WORLD
from emerald_env.jade.cartridge import world_of
from emerald_env.recordings.find_recordings import SUFFIX
from emerald_env.starts.starts import Start
from emerald_env.state import NOWHERE, GameState, TrackError, read_track

SCHEMA_VERSION = 1
# Settings of games that a recording's `env` leaves out: files, and what pays.
ELSEWHERE = (
    "rom", "core", "symbols", "data", "reward", "reward_weights", "reward_code", "wrapper",
)  # fmt: skip
HEADER, STATE, SAVE = "recording.json", "start.state", "start.sav"
ACTIONS, HASHES, TRACK = "actions.bin", "hashes.bin", "states.json"
MAX_FILE_BYTES = 64 * MEBIBYTE
MAX_ACTIONS = 256  # one byte per step
HASH_EVERY = 32  # steps; a hash takes a tenth of a step's time
UNPAID = {"name": "none"}  # the reward in recordings of `GameRecorder`
# 74 days of an agent's play, 78 hours of a person's, whose steps are single frames: no more, so
# that `SMALL_LIMIT` of zips lets hours without a key shrink to nothing
MAX_STEPS = 16 * MEBIBYTE
# The most that each member may unpack to.
LIMITS = {HEADER: MEBIBYTE, STATE: MEBIBYTE, SAVE: MEBIBYTE, ACTIONS: MAX_STEPS}
LIMITS |= {HASHES: 4 * (1 + MAX_STEPS // HASH_EVERY), TRACK: 16 * MEBIBYTE}
KEYS_ALONE = Start(b"", b"")  # the start of a recording without states: a new game
Plain = Annotated[str, Predicate(str.isprintable)]
Mask = Annotated[int, Field(ge=0, lt=1 << len(KEYS))]
Action = Annotated[Any, Predicate(lambda action: _is_action(action))]  # a name, a mask of keys


def _with(*names: str) -> Predicate:
    return Predicate(lambda values: values.keys() >= set(names))


class HeaderFile(TypedDict):
    """What `recording.json` must be; `Recording` says what it means."""

    game: Annotated[dict[Plain, Plain], _with("name", "code", "sha1")]
    env: Annotated[dict[str, Any], _with("frame_skip", "hold_frames")]
    actions: Annotated[list[Action], Field(min_length=1, max_length=MAX_ACTIONS)]
    reward: Annotated[dict[str, Any], Predicate(lambda reward: fits(reward.get("name"), Plain))]
    total: float
    milestones: list[Plain]
    hash_every: int
    versions: dict[Plain, Plain]


FIELDS = tuple(HeaderFile.__annotations__)


class RecordingError(ValueError):
    """A recording cannot be used; the message says what was found and what to do."""


@dataclass(frozen=True)
class Recording:
    """An episode. Equal recordings give equal bytes; they contain no paths of a machine.

    Raises:
        RecordingError: the parts do not fit together; the message says which.
    """

    game: Mapping[str, str]  # name, code (cartridge header), sha1 of the ROM
    env: Mapping[str, Any]  # EnvConfig without ROM and reward; a start from a file: only its name
    actions: tuple[tuple[str, int], ...]  # the table that `pressed` points into: name, mask of keys
    reward: Mapping[str, Any]  # the preset with all its weights
    total: float  # reward of the episode
    milestones: tuple[str, ...]  # slugs reached in the episode, in the story's usual order
    hash_every: int  # steps between hashes
    versions: Mapping[str, str]  # of the software that recorded it
    start: Start  # after the reset and its random wait
    pressed: bytes  # index of each step's action
    hashes: tuple[int, ...]  # CRC32 of the game's memory, see `hash_after`
    track: bytes = b""  # see `emerald_env.state.track`; empty in recordings of older versions

    def __post_init__(self) -> None:
        _check_count("env's frame_skip", self.env["frame_skip"], MAX_STEP)
        _check_count("env's hold_frames", self.env["hold_frames"], self.env["frame_skip"], 0)
        _check_count("hash_every", self.hash_every, MAX_STEPS)
        _check_count("sampled_every", self.env.get("sampled_every", 1), MAX_STEP)
        if self.pressed and max(self.pressed) >= len(self.actions):
            raise RecordingError(
                f"it has {len(self.actions)} actions, but a step uses number {max(self.pressed)}"
            )
        wanted = 1 - -len(self.pressed) // self.hash_every
        if len(self.hashes) != wanted:
            raise RecordingError(
                f"{len(self.pressed)} steps hashed every {self.hash_every} have "
                f"{wanted} hashes, not {len(self.hashes)}"
            )

    @property
    def n_steps(self) -> int:
        """The number of steps."""
        return len(self.pressed)

    @property
    def frame_skip(self) -> int:
        """Frames of a step."""
        return int(self.env["frame_skip"])

    @property
    def sampled_every(self) -> int:
        """Steps between two samples of what rewards see; a person's steps are single frames."""
        return int(self.env.get("sampled_every", 1))

    @property
    def hold_frames(self) -> int:
        """Frames of a step for which its keys are held."""
        return int(self.env["hold_frames"])

    @property
    def world(self) -> str | None:
        """The world of Jade that the game's name has; None where it has none."""
        before, _, world = self.game["name"].partition(WORLD)
        try:
            return None if before else str(world_of(world))
        except ValueError:
            return None

    def hash_after(self, step: int) -> int | None:
        """Returns the hash after a number of steps, None if there is none.

        There is one for the start, one every `hash_every` steps and one for the end.
        """
        if step == self.n_steps:
            return self.hashes[-1]
        index, rest = divmod(step, self.hash_every)
        return self.hashes[index] if rest == 0 else None

    def states(self) -> Iterator[GameState | None]:
        """Yields what rewards could see at the start and after each step, without a game.

        Raises:
            RecordingError: the track is missing, or has another number of steps.
        """
        if not self.track:
            raise RecordingError(
                f"it has no {TRACK}: a person's recording, or an older version's, has none"
            )
        try:
            yield from read_track(self.track, self.n_steps + 1, self._empty_state())
        except TrackError as error:
            raise RecordingError(f"its {TRACK} cannot be used: {error}") from error

    def _empty_state(self) -> GameState:
        """Returns what all states have in common; in Jade as it comes, ``world`` is None."""
        own = self.world if self.world is not None and world_of(self.world).seed else None
        return replace(NOWHERE, game=self.game["code"], world=own)

    def to_bytes(self) -> bytes:
        """Returns the file's contents, 10 to 60 kB for a few hundred steps."""
        header = {name: getattr(self, name) for name in FIELDS}
        header["schema_version"] = SCHEMA_VERSION
        members = {
            HEADER: (json.dumps(header, indent=2, ensure_ascii=False) + "\n").encode(),
            STATE: self.start.state,
            SAVE: self.start.save,
            ACTIONS: self.pressed,
            HASHES: np.asarray(self.hashes, "<u4").tobytes(),
            TRACK: self.track,
        }
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for name, content in members.items():
                # without a date, so that the same episode gives the same file
                archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> "Recording":
        """Returns the recording from which `to_bytes` made `content`, after checking all of it.

        Raises:
            RecordingError: it is not a recording, or one that we cannot use.
        """
        members = _members(content)
        values = _check_header(members[HEADER])
        return cls(
            **values,
            start=Start(members[STATE], members[SAVE]),
            pressed=members[ACTIONS],
            hashes=_numbers(members[HASHES]),
            track=members[TRACK],
        )

    @classmethod
    def load(cls, path: Path) -> "Recording":
        """Returns the recording in a file.

        Raises:
            FileNotFoundError: the file does not exist.
            RecordingError: it is not a recording, or one that we cannot use; the message names it.
        """
        if not path.is_file():
            raise FileNotFoundError(f"no recording at {path}: give a {SUFFIX} file")
        try:
            return cls.from_bytes(read_bytes(path, MAX_FILE_BYTES))
        except (RecordingError, DataError) as error:
            raise RecordingError(f"{path}: {error}") from error


def software() -> dict[str, str]:
    """Returns the versions of the software that records."""
    versions = {PROGRAM: package_version()}
    return versions | {"libmgba": libmgba_version()}


def check_steps(recording: Recording, path: Path) -> None:
    """Checks that a recording is a person's.

    Raises:
        RecordingError: its steps are not single frames.
    """
    if recording.frame_skip != 1 or recording.n_steps % recording.sampled_every:
        raise RecordingError(f"{path} is not a person's recording: give another folder")


def _members(content: bytes) -> dict[str, bytes]:
    """Returns all members; a recording of an older version has no track."""
    try:
        members = {TRACK: b""} | read_members(content, LIMITS)
    except ZipError as error:
        raise RecordingError(str(error)) from error
    if lacking := [name for name in LIMITS if name not in members]:
        raise RecordingError(f"not a recording: it has no {lacking[0]}")
    return members


def _numbers(content: bytes) -> tuple[int, ...]:
    if len(content) % 4:
        raise RecordingError(f"{HASHES} has {len(content)} bytes, not four per hash")
    return tuple(np.frombuffer(content, "<u4").tolist())


def _check_header(text: bytes) -> dict[str, Any]:
    """Returns the header's values in the form of the class's fields."""
    try:
        values = parse_json(text)
    except DataError as error:
        raise RecordingError(f"its {HEADER} is {error}") from error
    if not isinstance(values, dict) or values.get("schema_version") != SCHEMA_VERSION:
        found = values.get("schema_version") if isinstance(values, dict) else None
        raise RecordingError(
            f"its {HEADER} has schema version {found!r}; this program reads {SCHEMA_VERSION}: "
            "if that is newer, update the program (git pull)"
        )
    if place := misfit(values, HeaderFile):
        raise RecordingError(f"its {HEADER} is damaged: {place} is not what it must be")
    return {name: values[name] for name in FIELDS} | {
        "actions": tuple(map(tuple, values["actions"])),
        "milestones": tuple(values["milestones"]),
    }


def _is_action(entry: Any) -> bool:
    return fits(entry, list) and len(entry) == 2 and fits(entry[0], Plain) and fits(entry[1], Mask)


def _check_count(what: str, value: Any, most: int, least: int = 1) -> None:
    if type(value) is not int or not least <= value <= most:
        raise RecordingError(f"its {what} is {value!r}: it must be a number from {least} to {most}")
