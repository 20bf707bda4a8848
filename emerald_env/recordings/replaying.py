"""Replaying a recorded episode bit for bit, and reporting where it differs."""

import hashlib
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from emerald_env.emulator import GBA, SaveError, StateError
from emerald_env.game.choice import GameChoice, Rom, choice_of
from emerald_env.game.editions import Game, open_game
from emerald_env.recordings.recording import KEYS_ALONE, UNPAID, Recording, RecordingError
from emerald_env.starts.clock import switch_on
from emerald_env.starts.starts import play_until_free
from emerald_env.state import GameState, StateReader

FrameViewer = Callable[[NDArray[np.uint8]], object]  # takes each frame, (160, 240, 3) uint8 RGB


@dataclass(frozen=True)
class ReplayStep:
    """The state of the game after some steps of a recording."""

    step: int  # steps so far, 0 at the start
    state: GameState | None  # from the env's reader
    same: bool | None  # whether memory's hash is the recorded one; None: this step has none


def memory_hash(gba: GBA) -> int:
    """Returns the CRC32 of the game's working memory, EWRAM then IWRAM; it takes about 50 µs."""
    return zlib.crc32(gba.memory.iwram.data, zlib.crc32(gba.memory.ewram.data))


def rom_sha1(gba: GBA) -> str:
    """Returns the SHA-1 of the running game's ROM, in hexadecimal digits."""
    return hashlib.sha1(gba.memory.rom.data).hexdigest()


def identity(gba: Game) -> dict[str, str]:
    """Returns the name, the cartridge's code and the hash of a running game, for a recording."""
    return {"name": gba.edition.name, "code": gba.game_code, "sha1": rom_sha1(gba)}


def begin(recording: Recording, gba: Game) -> None:
    """Puts a game where a recording begins; keys alone begin with a new game.

    Raises:
        RecordingError: its start cannot be loaded.
    """
    try:
        if recording.start != KEYS_ALONE:
            recording.start.restore(gba)
            return
        switch_on(gba)
        play_until_free(gba)
        gba.step(0, 0, 1)  # as an env without a wait
    except (SaveError, StateError) as error:
        raise RecordingError(f"its start cannot be used: {error}") from error


def check_known_game(recording: Recording) -> None:
    """Checks that a recording is of a game whose memory can be read here.

    Raises:
        RecordingError: `GameRecorder` made it, on a console that skips no known game's idle loop,
            so that memory would differ here.
    """
    if recording.reward == UNPAID:
        raise RecordingError(
            "it was recorded by GameRecorder, which plays any game: replay it with `replay_game` "
            "(docs/ANOTHER_GAME.md)"
        )


def recorded_choice(recording: Recording, choice: GameChoice) -> GameChoice:
    """Returns the choice of a recording's game: without a ROM or a world, the one that it names."""
    if choice.rom is None and choice.world is None:
        return replace(choice, world=recording.world)
    return choice


def open_recorded(recording: Recording, rom: Rom = None) -> Game:
    """Opens the game of a recording.

    Args:
        recording: of the game.
        rom: the game; None: Jade, in the world that the recording names.

    Raises:
        FileNotFoundError, RomError: the ROM cannot be used.
        RecordingError: it was recorded on another game, or another build of this one.
    """
    check_known_game(recording)
    choice = recorded_choice(recording, choice_of(rom))
    gba = open_game(choice)
    path = choice.rom
    found = rom_sha1(gba)
    if found != recording.game["sha1"]:
        gba.stop()
        name = "the built-in Jade" if path is None else str(path)
        raise RecordingError(
            f"it was recorded on {recording.game['name']} (SHA-1 {recording.game['sha1']}), "
            f"but {name} has {found}: give the recording's ROM with --rom, or leave --rom out "
            "for a recording of Jade"
        )
    return gba


def replay(
    recording: Recording, gba: Game, watch: FrameViewer | None = None, watch_from: int = 0
) -> Iterator[ReplayStep]:
    """Plays a recording, and yields the state of the game at the start and after each step.

    Args:
        recording: the episode.
        gba: its game, from `open_recorded`.
        watch: receives each frame; None: nothing is drawn, which is many times faster.
        watch_from: number of steps before that, which are not drawn.

    Raises:
        RecordingError: its start cannot be loaded into the game.
    """
    begin(recording, gba)
    reader = StateReader.of(gba)
    yield _replay_step(recording, gba, reader, 0)
    for step, action in enumerate(recording.pressed, start=1):
        keys = recording.actions[action][1]
        if watch is None or step <= watch_from:
            gba.step(keys, recording.hold_frames, recording.frame_skip, render=False)
        else:
            show_step(recording, gba, keys, watch)
        yield _replay_step(recording, gba, reader, step)


def show_step(recording: Recording, gba: Game, keys: int, watch: FrameViewer) -> None:
    """Runs a step frame by frame, and passes each frame to the watcher."""
    for frame in range(recording.frame_skip):
        gba.step(keys if frame < recording.hold_frames else 0, 1, 1)
        watch(gba.screen.rgb)


def _replay_step(recording: Recording, gba: Game, reader: StateReader, step: int) -> ReplayStep:
    recorded = recording.hash_after(step)
    same = None if recorded is None else recorded == memory_hash(gba)
    return ReplayStep(step, reader.sample(), same)
