"""A game that somebody else's program plays key by key, as an episode of the benchmark."""

import os
from itertools import chain, count
from pathlib import Path
from threading import RLock
from typing import Any, Final

import cv2
import numpy as np

from baselines.games.game import make_env
from baselines.playing.benchmark.new_files import create, taken
from baselines.playing.benchmark.protocol import MEMORY, BenchmarkError, beginning, played_in
from baselines.playing.benchmark.result_file import (
    Claim,
    assemble,
    describe_episode,
    write_result,
)
from baselines.settings.game_config import GameConfig
from emerald_env.env.actions import action_set
from emerald_env.files.atomic import write_atomically
from emerald_env.files.output_files import check_output
from emerald_env.game.choice import GameChoice
from emerald_env.recordings.find_recordings import SUFFIX
from emerald_env.state import GameState

DEFAULT_OUT: Final = Path("served.json")
MAX_KEYS: Final = 64  # of one call
SAVE_EVERY: Final = 256  # steps between two savings
SCALE: Final = 2  # pixels shown for each pixel of the game
MINUTE: Final = 3600  # frames


class ServedGame:
    """One episode of a game; its recording, and for Jade a result, are written as it goes on.

    Threads may call it at the same time: each call waits until the one before it is done. Nothing
    is written before the first key.

    Args:
        claim: what the result says; its assists decide what may be asked.
        choice: the game; with a ROM only the recording is written.
        out: the result's file; the recording goes beside it. None: `DEFAULT_OUT`, with a number
            from 2 on if that is taken.
        seed: of the wait before an episode with a ROM.

    Raises:
        FileExistsError: the result or its recording is there already.
        FileNotFoundError, RomError, StateError, ValueError: the game cannot be played, or its
            files not be written.
    """

    def __init__(
        self, claim: Claim, choice: GameChoice, out: Path | None = None, seed: int = 0
    ) -> None:
        self._claim, self._is_jade = claim, choice.rom is None
        self._is_numbered = out is None
        self._out = _unused(out)
        self._one_at_a_time = RLock()
        config = GameConfig(**vars(choice), observation="full" if self.shows_memory else "screen")
        how = played_in(claim.version, config)
        self._frames, self._most = how.frame_skip, how.episode_length
        self._actions = {a.name: number for number, a in enumerate(action_set(how.action_set))}
        self._env: Any = make_env(how, "rgb_array", "every")
        self._env.reset(seed=seed, options=self._beginning())
        self._total, self._steps, self._saved, self._over = 0.0, 0, 0, False

    def _beginning(self) -> dict[str, Any]:
        return beginning(0, self._claim.worlds) if self._is_jade else {}

    @property
    def shows_memory(self) -> bool:
        """Whether the game's state may be asked for."""
        return MEMORY in self._claim.assists

    @property
    def keys(self) -> list[str]:
        """What can be pressed: single keys, several at once, or none ("wait")."""
        return list(self._actions)

    def press(self, keys: list[str]) -> dict[str, Any]:
        """Presses keys one after another, each for a step of 24 frames; returns the time.

        Raises:
            BenchmarkError: a key is unknown, there are too many, or the episode is over; then
                nothing was pressed.
            OSError: a file cannot be written; if the first one cannot, nothing was pressed.
        """
        if strangers := [key for key in keys if key not in self._actions]:
            raise BenchmarkError(f"no key {strangers[0]!r:.40}: there are {', '.join(self.keys)}")
        if not 1 <= len(keys) <= MAX_KEYS:
            raise BenchmarkError(f"give 1 to {MAX_KEYS} keys at a time, got {len(keys)}")
        with self._one_at_a_time:
            if self._over:
                raise BenchmarkError("the episode is over")
            if not self._steps:
                self._take_name()
            self._press(keys)
            if self._over or not self._saved or self._steps - self._saved >= SAVE_EVERY:
                self.save()
            return self.time()

    def _take_name(self) -> None:
        """Creates the recording's file, which another server may have done meanwhile."""
        while True:
            try:
                create(recording_of(self._out))
                return
            except FileExistsError:
                if not self._is_numbered:
                    raise
                self._out = _unused(None)

    def _press(self, keys: list[str]) -> None:
        for key in keys:
            _, reward, terminated, truncated, _ = self._env.step(np.int64(self._actions[key]))
            self._total, self._steps = self._total + float(reward), self._steps + 1
            if terminated or truncated:
                self._over = True
                break

    def time(self) -> dict[str, Any]:
        """Returns the steps so far and those left, the minutes of game, and whether it is over."""
        minutes = round(self._steps * self._frames / MINUTE, 2)
        left = 0 if self._over else self._most - self._steps
        return {"steps": self._steps, "left": left, "minutes": minutes, "over": self._over}

    def look(self) -> bytes:
        """Returns the screen as a PNG of 480 x 320 pixels."""
        size = tuple(SCALE * side for side in (240, 160))
        with self._one_at_a_time:
            picture = cv2.resize(self._env.render(), size, interpolation=cv2.INTER_NEAREST)
        return bytes(cv2.imencode(".png", picture[:, :, ::-1])[1])

    @property
    def state(self) -> GameState | None:
        """What can be read in the game's memory; None where there is no game yet.

        Raises:
            BenchmarkError: the declared assists do not allow it.
        """
        if not self.shows_memory:
            raise BenchmarkError("memory may not be read: it is not a declared assist")
        with self._one_at_a_time:
            state: GameState | None = self._env.unwrapped.state
            return state

    def save(self) -> Path | None:
        """Writes the recording, and for Jade the result; returns the recording's file.

        None: no key was pressed, and nothing is written.

        Raises:
            OSError: a file cannot be written.
        """
        with self._one_at_a_time:
            if self._steps != self._saved:
                self._write(recording_of(self._out))
            return recording_of(self._out) if self._saved else None

    def _write(self, path: Path) -> None:
        content = self._env.get_wrapper_attr("so_far")(self._total).file
        write_atomically(path, content)
        if self._is_jade:
            times = self._env.get_wrapper_attr("milestone_steps")
            reached = {slug: step for slug, step in times.items() if step}
            line = describe_episode(path.name, content, self._steps, reached)
            write_result(assemble(self._claim, [line]), self._out)
        self._saved = self._steps

    def close(self) -> None:
        """Saves and switches the game off."""
        with self._one_at_a_time:
            self.save()
            self._env.close()


def recording_of(out: Path) -> Path:
    """Returns the file of the recording beside a result."""
    return out.with_name(f"{out.stem}_0000{SUFFIX}")


def _unused(out: Path | None) -> Path:
    """Returns a result's file that can be written; None: of the default name and its numbers.

    Raises:
        FileExistsError: it or its recording is there already.
        ValueError: it cannot be written.
    """
    numbered = (DEFAULT_OUT.with_stem(f"{DEFAULT_OUT.stem}-{n}") for n in count(2))
    path = out or next(p for p in chain([DEFAULT_OUT], numbered) if not _present(p))
    if there := _present(path):
        raise taken(there[0])
    for file in (path, recording_of(path)):
        check_output(file)
    return path


def _present(out: Path) -> list[Path]:
    return [path for path in (out, recording_of(out)) if os.path.lexists(path)]
