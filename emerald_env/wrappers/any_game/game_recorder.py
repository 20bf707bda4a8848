"""Recordings of any game's episodes, and replaying them to the bit."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium

from emerald_env.emulator import GBA
from emerald_env.env.any_game.gba_env import GBAEnv
from emerald_env.env.config import MAX_STEP
from emerald_env.files.atomic import write_atomically
from emerald_env.files.printable import printable
from emerald_env.recordings.find_recordings import SUFFIX, recording_in
from emerald_env.recordings.recording import (
    HASH_EVERY,
    MAX_ACTIONS,
    MAX_STEPS,
    UNPAID,
    Recording,
    RecordingError,
    software,
)
from emerald_env.recordings.replaying import memory_hash, rom_sha1
from emerald_env.starts.starts import Start


class GameRecorder(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Writes each episode of `GBA-v0` as a recording: its start, its keys, and hashes of memory.

    Outside of `TimeLimit` (`gymnasium.make`'s `max_episode_steps`) it also writes episodes that it
    ends. An episode that is reset before its end is dropped. Of one with more than `MAX_STEPS`,
    which is all that a recording can have, the first so many are written once they are played.

    Args:
        env: `GBA-v0`.
        folder: of the files, episode_0000.recording and so on; it is made. In one that has some
            already the numbers go on above the highest. Several may write to one folder.

    Raises:
        RecordingError: a recording cannot have so many actions or such long steps.

    Example:
        >>> import tempfile
        >>> import gymnasium, emerald_env
        >>> from emerald_env.jade.cartridge import JADE_ROM
        >>> from emerald_env.wrappers.any_game import GameRecorder, replay_game
        >>> folder = tempfile.mkdtemp()
        >>> env = GameRecorder(gymnasium.make("GBA-v0", rom=JADE_ROM, max_episode_steps=2), folder)
        >>> observation, info = env.reset(seed=0)
        >>> ends = [env.step(1)[3] for _ in range(2)]
        >>> list(replay_game(f"{folder}/episode_0000.recording", JADE_ROM))
        [True, None, True]
    """

    def __init__(self, env: gymnasium.Env[Any, Any], folder: str | Path) -> None:
        super().__init__(env)
        self._game: GBAEnv = env.unwrapped  # type: ignore[assignment]
        _check(self._game)
        self._folder = Path(folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._number = 1 + max(map(_number, self._folder.iterdir()), default=-1)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins an episode and its recording."""
        result = self.env.reset(seed=seed, options=options)
        gba = self._game.gba
        self._start = Start(gba.get_state(), gba.save_data())
        self._pressed, self._total = bytearray(), 0.0
        self._hashes = [memory_hash(gba)]
        return result

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps; writes the recording at the episode's end, or when it is full."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if len(self._pressed) < MAX_STEPS:
            self._record(int(action), float(reward), terminated or truncated)
        return observation, reward, terminated, truncated, info

    def _record(self, action: int, reward: float, over: bool) -> None:
        self._pressed.append(action)
        self._total += reward
        over = over or len(self._pressed) == MAX_STEPS
        if over or len(self._pressed) % HASH_EVERY == 0:
            self._hashes.append(memory_hash(self._game.gba))
        if over:
            self._write(self._recording().to_bytes())

    def _write(self, content: bytes) -> None:
        path = self._new_file()
        try:
            write_atomically(path, content)
        except BaseException:
            path.unlink(missing_ok=True)
            raise

    def _new_file(self) -> Path:
        """Returns the next free name, which no other recorder takes from now on."""
        self._folder.mkdir(parents=True, exist_ok=True)
        while True:
            path = recording_in(self._folder, self._number)
            self._number += 1
            try:
                path.touch(exist_ok=False)
                return path
            except FileExistsError:
                continue

    def _recording(self) -> Recording:
        game = self._game
        return Recording(
            game={
                "name": printable(game.gba.cartridge_title),
                "code": printable(game.gba.game_code),
                "sha1": rom_sha1(game.gba),
            },
            env={"frame_skip": game.frame_skip, "hold_frames": game.hold_frames},
            actions=tuple((action.name, action.keys) for action in game.actions),
            reward=UNPAID,
            total=self._total,
            milestones=(),
            hash_every=HASH_EVERY,
            versions=software(),
            start=self._start,
            pressed=bytes(self._pressed),
            hashes=tuple(self._hashes),
        )


def _check(game: GBAEnv) -> None:
    """Raises RecordingError if a recording cannot have this game's actions or steps."""
    if len(game.actions) > MAX_ACTIONS:
        raise RecordingError(
            f"a recording has at most {MAX_ACTIONS} actions, this env has {len(game.actions):,}: "
            "give it fewer actions"
        )
    if game.frame_skip > MAX_STEP:
        raise RecordingError(
            f"a step of a recording has at most {MAX_STEP:,} frames, this env's frame_skip is "
            f"{game.frame_skip:,}: give a smaller one"
        )


def _number(path: Path) -> int:
    """Returns the number of an episode's file, -1 for any other."""
    found = re.fullmatch(rf"episode_([0-9]+){re.escape(SUFFIX)}", path.name)
    return int(found[1]) if found else -1


def replay_game(path: str | Path, rom: str | Path, gba: GBA | None = None) -> Iterator[bool | None]:
    """Plays a recording of any game again.

    Args:
        path: of the recording; it may be anybody's.
        rom: the game.
        gba: a console with the game in it, to look at it after each step; None: one of its own.

    Yields:
        At the start and after each step whether memory is the recorded one; None where the
        recording has no hash.

    Raises:
        FileNotFoundError, RomError: the recording or the ROM cannot be used.
        RecordingError: the recording is damaged, or of another game.
        SaveError, StateError: its start cannot be loaded.
    """
    recording = Recording.load(Path(path))
    game = gba or GBA(rom)
    if rom_sha1(game) != recording.game["sha1"]:
        raise RecordingError(f"{path} is of {recording.game['name']}, another game than {rom}")
    recording.start.restore(game)
    yield recording.hash_after(0) == memory_hash(game)
    for step, action in enumerate(recording.pressed, start=1):
        keys = recording.actions[action][1]
        game.step(keys, recording.hold_frames, recording.frame_skip)
        recorded = recording.hash_after(step)
        yield None if recorded is None else recorded == memory_hash(game)
    if gba is None:
        game.stop()
