"""One Game Boy Advance with a game in it, in the manner of PyBoy."""

import os
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import wraps
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, BinaryIO, Concatenate, Final, Literal, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from emerald_env.emulator.keys import key_mask
from emerald_env.emulator.library import ffi, lib
from emerald_env.emulator.parts.memory import Memory
from emerald_env.emulator.pictures.grey import HEIGHT, WIDTH, GreyPlace, shrunk
from emerald_env.emulator.pictures.lcd import Lcd
from emerald_env.emulator.rom_check import (
    HEADER_SIZE,
    SAVE_SIZE,
    STATE_CLOCK,
    STATE_HEADER,
    STATE_MISC,
    SaveError,
    StateError,
    check_state,
    open_rom,
)
from emerald_env.files.atomic import write_atomically

if TYPE_CHECKING:
    from emerald_env.emulator.pictures.window import Window

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
SCREEN_SHAPE: Final = (HEIGHT, WIDTH, 3)
FRAMES_PER_SECOND: Final = (1 << 24) / 280_896  # the processor's cycles in a second and a frame
STOPPED = "this GBA was stopped: open a new one"


def batches_lines() -> bool:
    """Returns whether quiet lines are skipped, as with every version compared.

    Without that memory, registers and pictures are the same, but a frame takes longer. See lines.c.
    """
    return bool(lib.mgba_proved())


def is_compiled_in() -> bool:
    """Returns whether mGBA was compiled into the shim (`make fast`), not linked as a library."""
    return bool(lib.mgba_static())


def one_at_a_time(
    method: Callable[Concatenate["GBA", Parameters], Result],
) -> Callable[Concatenate["GBA", Parameters], Result]:
    """Makes a second thread wait: the shim releases Python's lock, and libmgba has none."""

    @wraps(method)
    def locked(self: "GBA", /, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        with self._lock:
            return method(self, *args, **kwargs)

    return locked


class GBA:
    """A Game Boy Advance that runs as fast as it can, silently, with a clock of its own.

    Names and meanings are PyBoy's. The cartridge has a flash
    memory of 128 KiB for saves, like Emerald's, unless mGBA knows of another kind for the game.
    Nothing is written beside the ROM unless `stop` is asked to. The clock starts at 2024-01-01 and
    advances with the frames, so the same keys from the same state give the same memory and
    pictures in any process. `clock` sets it; states store when it began.

    Args:
        rom: path of a `.gba` file, or its bytes.
        window: "null" for none, "SDL2" for one that shows each drawn picture of `tick`, at the
            console's speed, and takes no keys.
        scale: the window's pixels per pixel of the game.
        idle_loop: address of the game's wait loop, which is then skipped; None: what mGBA knows.

    Raises:
        FileNotFoundError: the file does not exist.
        RomError: it is not a ROM that can run.
        RuntimeError: no window can be opened here.
        ValueError: there is no such kind of window.

    Example:
        >>> from emerald_env import GBA
        >>> from emerald_env.jade.cartridge import JADE_ROM
        >>> with GBA(JADE_ROM) as gba:
        ...     runs = gba.tick(60)
        ...     gba.cartridge_title, gba.frame_count, runs
        ('JADE', 60, True)
    """

    def __init__(
        self,
        rom: str | os.PathLike[str] | bytes,
        *,
        window: Literal["null", "SDL2"] = "null",
        scale: int = 3,
        idle_loop: int | None = None,
    ) -> None:
        if window not in ("null", "SDL2"):
            raise ValueError(f'window must be "null" or "SDL2", got {window!r}')
        self._lock = RLock()
        self._rom = None if isinstance(rom, bytes) else Path(rom)
        self._game: Any = open_rom(rom, idle_loop)
        self._memory: Memory | None = Memory(self._game)
        self._screen: Lcd | None = Lcd(self._game)
        self._held = 0
        self._tapped: dict[int, int] = {}  # mask of a key -> frames until it is released
        self._state_size = int(lib.game_state_size(self._game))
        self._own_state = self.get_state()[: STATE_HEADER.size]
        self.crc32: Final = int(lib.game_crc32(self._game))
        header = self.memory.rom[:HEADER_SIZE].tobytes()
        self.cartridge_title: Final = header[0xA0:0xAC].rstrip(b"\0").decode("ascii", "replace")
        self.game_code: Final = header[0xAC:0xB0].decode("ascii", "replace")
        self.revision: Final = header[0xBC]
        self._speed, self._due = (1.0 if window == "SDL2" else 0.0), 0.0
        self._window = self._open_window(scale) if window == "SDL2" else None

    def _open_window(self, scale: int) -> "Window":
        from emerald_env.emulator.pictures.window import Window  # it needs pygame

        return Window(self.cartridge_title, scale)

    def __enter__(self) -> "GBA":
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    @one_at_a_time
    def stop(self, save: bool = False) -> None:
        """Switches the console off. Its memory lives as long as a view of it.

        Args:
            save: whether the cartridge's save memory is written beside the ROM, as `NAME.sav`.

        Raises:
            ValueError: the ROM that should be saved beside was given as bytes.
            OSError: the save cannot be written.
        """
        if save and self._game is not None:
            if self._rom is None:
                raise ValueError("the ROM was given as bytes, so there is no place for its save")
            write_atomically(self._rom.with_suffix(".sav"), self.save_data())
        if self._window is not None:
            self._window.close()
        self._game = self._memory = self._screen = self._window = None

    @property
    def _running(self) -> Any:
        if self._game is None:
            raise ValueError(STOPPED)
        return self._game

    @property
    def memory(self) -> Memory:
        """The game's memory: `memory[address]`, `memory[start:stop]` and views of each region."""
        if self._memory is None:
            raise ValueError(STOPPED)
        return self._memory

    @property
    def screen(self) -> Lcd:
        """The last drawn picture: `screen.image`, `screen.ndarray`, `screen.raw_buffer`."""
        if self._screen is None:
            raise ValueError(STOPPED)
        return self._screen

    @property
    def frame_count(self) -> int:
        """Frames since power-on, as the game's own clock counts them."""
        return int(lib.game_frame(self._running))

    @property
    def clock(self) -> datetime:
        """The date and time of the cartridge's clock, without a time zone."""
        return datetime(1970, 1, 1) + timedelta(seconds=int(lib.game_clock(self._running)))

    @clock.setter
    def clock(self, now: datetime) -> None:
        lib.game_set_clock(self._running, int((now - datetime(1970, 1, 1)).total_seconds()))

    def shown_time(self) -> datetime | None:
        """Returns what the game last read from the clock, None if it never did."""
        digits, devices = STATE_CLOCK.unpack_from(self.get_state())
        year, month, day, _, hour, minute, second = (byte // 16 * 10 + byte % 16 for byte in digits)
        try:
            return datetime(2000 + year, month, day, hour, minute, second) if devices & 1 else None
        except ValueError:
            return None

    @property
    def sleeps(self) -> bool:
        """Whether the processor sleeps until the frame ends, which costs no emulation time."""
        (bits,) = STATE_MISC.unpack_from(self.get_state())
        return bool(bits & 1)

    @one_at_a_time
    def reset(self) -> None:
        """Switches the console off and on; the cartridge keeps its save."""
        lib.game_reset(self._running)

    def button_press(self, key: str) -> None:
        """Presses a key; it stays down during `tick` until released.

        Raises:
            ValueError: an unknown key.
        """
        self._held |= key_mask(key)

    def button_release(self, key: str) -> None:
        """Releases a key.

        Raises:
            ValueError: an unknown key.
        """
        self._held &= ~key_mask(key)

    def button(self, key: str, delay: int = 1) -> None:
        """Presses a key for the next `delay` frames of `tick`, then releases it.

        Raises:
            ValueError: an unknown key, or a delay below 1.
        """
        if delay < 1:
            raise ValueError(f"delay must be at least 1 frame, got {delay}")
        self._tapped[key_mask(key)] = delay

    @one_at_a_time
    def tick(self, count: int = 1, render: bool = True) -> bool:
        """Runs some frames with the pressed keys held.

        Args:
            count: of the frames.
            render: whether the last one is drawn.

        Returns:
            Whether the game goes on: False once its window was closed.

        Raises:
            ValueError: `count` is negative.
        """
        if count < 0:
            raise ValueError(f"count must be at least 0 frames, got {count}")
        left = count
        while self._tapped and left:
            part = min(left, *self._tapped.values())
            left -= part
            keys = self._held | sum(self._tapped)
            lib.game_run(self._running, keys, part, part, render and not left)
            self._tapped = {key: n - part for key, n in self._tapped.items() if n > part}
        if left:
            lib.game_run(self._running, self._held, left, left, render)
        if self._speed:
            self._wait(count)
        return self._window is None or self._window.show(self.screen.rgb, fps=0)

    def set_emulation_speed(self, target_speed: float) -> None:
        """Makes `tick` wait, so that the game runs this many times as fast as the console.

        Args:
            target_speed: 1 is the console's 59.7 frames a second; 0 does not wait.

        Raises:
            ValueError: it is negative.
        """
        if not target_speed >= 0:
            raise ValueError(f"target_speed must be at least 0, got {target_speed}")
        self._speed = target_speed

    def _wait(self, frames: int) -> None:
        """Sleeps until the time at which these frames are over; time lost is not made up for."""
        now = time.monotonic()
        self._due = max(self._due, now - 1 / FRAMES_PER_SECOND) + frames / (
            self._speed * FRAMES_PER_SECOND
        )
        time.sleep(max(0.0, self._due - now))

    @one_at_a_time
    def step(self, keys: int, hold: int, frames: int, render: bool = True) -> None:
        """Runs one step of an agent: hold keys, release them, run on, draw the last frame.

        Args:
            keys: mask of the keys to hold (`key_mask`).
            hold: for how many frames they are held.
            frames: of the whole step.
            render: whether the last frame is drawn.
        """
        lib.game_run(self._running, keys, hold, frames, render)

    def step_grey(self, keys: int, hold: int, frames: int, place: GreyPlace) -> None:
        """Does what `step` and then `grey` do, in one call of C."""
        with self._lock:  # not `one_at_a_time`: every call of Python counts here
            game = self._game if self._game is not None else self._running
            lib.game_step(game, keys, hold, frames, place.factor, place.pointer)

    @one_at_a_time
    def grey(self, place: GreyPlace) -> None:
        """Writes the last drawn picture in grey, averaged over squares of pixels."""
        lib.game_grey(self._running, place.factor, place.pointer)

    @one_at_a_time
    def colours(self, every: int = 1) -> NDArray[np.uint16]:
        """Returns the last drawn picture in the console's own 32,768 colours: nothing is lost.

        Args:
            every: only each such pixel of each such line; a divisor of 80.

        Returns:
            (160/every, 240/every): five bits each of red (the lowest), green and blue.

        Raises:
            ValueError: the picture cannot be divided so.
        """
        picture = np.empty(shrunk("every", every), np.uint16)
        lib.game_colours(self._running, every, ffi.from_buffer("uint16_t *", picture))
        return picture

    def save_state(self, file: BinaryIO) -> None:
        """Writes a raw mGBA save state to a file that is open for writing bytes."""
        file.write(self.get_state())

    def load_state(self, file: BinaryIO) -> None:
        """Continues from a raw mGBA save state in an open file, as `set_state` does.

        Raises:
            StateError: it is not a state of this game.
        """
        self.set_state(file.read(self._state_size + 1))

    @one_at_a_time
    def get_state(self) -> bytes:
        """Returns a raw mGBA save state of 397,312 bytes, without the cartridge's save memory."""
        state = bytearray(self._state_size)
        if not lib.game_save_state(self._running, ffi.from_buffer(state)):
            raise StateError("libmgba could not save the state")
        return bytes(state)

    @one_at_a_time
    def set_state(self, state: bytes) -> None:
        """Continues from a raw mGBA save state; `screen` shows the frame that follows it.

        Raises:
            StateError: wrong size, not a state, another game's, or refused by libmgba. The game is
                then unchanged.
        """
        check_state(state, self._state_size, self._own_state)
        if not lib.game_load_state(self._running, ffi.from_buffer(state)):
            raise StateError("libmgba refused the state: its processor values are impossible")
        # a state has no picture: run one frame to draw it, then return
        lib.game_run(self._game, 0, 1, 1, True)
        lib.game_load_state(self._game, ffi.from_buffer(state))

    @one_at_a_time
    def save_data(self) -> bytes:
        """Returns the cartridge's save memory (a `.sav` file's contents), 128 KiB for Emerald."""
        data = bytearray(SAVE_SIZE)
        size = lib.game_read_save(self._running, ffi.from_buffer(data), SAVE_SIZE)
        return bytes(data[:size])

    @one_at_a_time
    def load_save(self, data: bytes) -> None:
        """Loads a `.sav` file's contents into the cartridge; the game reads it at its next `reset`.

        Args:
            data: the save memory, without what mGBA appends for the clock.

        Raises:
            SaveError: the size differs from that of this game's cartridge.
        """
        size = SAVE_SIZE
        if not size <= len(data) <= size + 64:
            raise SaveError(f"a save of this game has {size:,} bytes, this has {len(data):,}")
        if not lib.game_write_save(self._running, ffi.from_buffer(data[:size]), size):
            raise SaveError("libmgba refused the save")
