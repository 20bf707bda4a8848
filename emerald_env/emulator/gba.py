"""One Game Boy Advance with a game in it, in the manner of PyBoy."""

import os
import struct
import tempfile
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import wraps
from pathlib import Path
from threading import RLock
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from emerald_env.emulator.grey import HEIGHT, WIDTH, GreyPlace, shrunk
from emerald_env.emulator.keys import key_mask
from emerald_env.emulator.library import ffi, lib
from emerald_env.emulator.memory import Memory, view

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")
SCREEN_SHAPE: Final = (HEIGHT, WIDTH, 3)
FRAMES_PER_SECOND: Final = (1 << 24) / 280_896  # the processor's cycles in a second and a frame
MAX_ROM_SIZE = 32 << 20
HEADER_SIZE = 0xC0
SAVE_SIZE = 128 << 10
STATE_MAGIC = 0x01000000  # mGBA's serialize.h: GBASavestateMagic; the low 24 bits are the version
# versionMagic, biosChecksum, romCrc32, masterCycles, title, id: struct GBASerializedState
STATE_HEADER = struct.Struct("<4I12s4s")
# the register VCOUNT in its part `io`: the line being drawn
STATE_LINE = struct.Struct("<1030xH")
# what the game last read from the clock (7 binary-coded decimals: years since 2000, month, day, day
# of the week, hour, minute, second) and the cartridge's devices; then bit 0: the processor sleeps
STATE_CLOCK, STATE_MISC = struct.Struct("<688x7sB"), struct.Struct("<796xI")
LINES = 228  # of a frame, including invisible ones; beyond them libmgba counts lines forever


class RomError(ValueError):
    """The file is not a Game Boy Advance ROM that can run."""


class StateError(ValueError):
    """The bytes are not a save state of this game."""


class SaveError(ValueError):
    """The bytes are not a cartridge's save memory."""


def libmgba_version() -> str:
    """Returns the version of the library that the shim was linked with, such as "0.10.1"."""
    return str(ffi.string(lib.mgba_version()).decode())


def batches_lines() -> bool:
    """Returns whether quiet lines are skipped, as with every version compared.

    Without that memory, registers and pictures are the same, but a frame takes longer. See lines.c.
    """
    return bool(lib.mgba_proved())


def is_compiled_in() -> bool:
    """Returns whether mGBA was compiled into the shim (`make fast`), not linked as a library."""
    return bool(lib.mgba_static())


def check_rom(header: bytes, size: int, name: str) -> None:
    """Checks what must hold before libmgba may see a ROM.

    Args:
        header: the first 192 bytes, or fewer where there are no more.
        size: bytes of the whole ROM.
        name: what messages call it.

    Raises:
        RomError: this is not a complete Game Boy Advance cartridge.
    """
    if len(header) < HEADER_SIZE:
        raise RomError(f"{name} has {size} bytes, fewer than a ROM's header of {HEADER_SIZE}")
    # GBATEK, "GBA Cartridge Header": the entry is a branch (0xEA), byte 0xB2 is always 0x96
    if header[3] != 0xEA or header[0xB2] != 0x96:
        raise RomError(
            f"{name} is not a Game Boy Advance ROM: bytes 3 and 0xB2 are 0x{header[3]:02X} and "
            f"0x{header[0xB2]:02X}, not 0xEA and 0x96 (is it zipped, or of another console?)"
        )
    if size > MAX_ROM_SIZE or size & (size - 1):
        raise RomError(
            f"{name} has {size:,} bytes; a cartridge's size is a power of two, at most "
            f"{MAX_ROM_SIZE:,}: the file is cut off or has something appended"
        )


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

    The cartridge has a flash memory of 128 KiB for saves, like Emerald's, unless mGBA knows of
    another kind for the game. Nothing is written beside the ROM. The clock starts at 2024-01-01 and
    advances with the frames, so the same keys from the same state give the same memory and
    pictures in any process. `clock` sets it; states store when it began.

    Args:
        rom: path of a `.gba` file, or its bytes.
        idle_loop: address of the game's wait loop, which is then skipped; None: what mGBA knows.

    Raises:
        FileNotFoundError: the file does not exist.
        RomError: it is not a ROM that can run.

    Example:
        >>> from emerald_env.game.editions import JADE_ROM
        >>> with GBA(JADE_ROM) as gba:
        ...     gba.tick(60)
        ...     gba.title, gba.screen.shape
        ('JADE', (160, 240, 3))
    """

    def __init__(self, rom: str | Path | bytes, idle_loop: int | None = None) -> None:
        self._lock = RLock()
        self._game: Any = _open(rom, idle_loop)
        self._memory: Memory | None = Memory(self._game)
        self._held = 0
        self._tapped: dict[int, int] = {}  # mask of a key -> frames until it is released
        self._state_size = int(lib.game_state_size(self._game))
        (self._state_magic,) = struct.unpack_from("<I", self.save_state())
        # mGBA's 32-bit pixels are red, green, blue, unused in memory order
        pixels = view(self._game, lib.game_pixels(self._game), WIDTH * HEIGHT * 4)
        self._pixels = np.frombuffer(pixels, np.uint8).reshape(HEIGHT, WIDTH, 4)
        self._screen = self._pixels[:, :, :3]
        self._screen.flags.writeable = self._pixels.flags.writeable = False
        self.crc32: Final = int(lib.game_crc32(self._game))
        header = self.memory.rom[:HEADER_SIZE].tobytes()
        self.title: Final = header[0xA0:0xAC].rstrip(b"\0").decode("ascii", "replace")
        self.game_code: Final = header[0xAC:0xB0].decode("ascii", "replace")
        self.revision: Final = header[0xBC]

    def __enter__(self) -> "GBA":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Switches the console off. Its memory lives as long as a view of it."""
        self._game = self._memory = None

    @property
    def _running(self) -> Any:
        if self._game is None:
            raise ValueError("this GBA was closed: open a new one")
        return self._game

    @property
    def memory(self) -> Memory:
        """The game's memory: `memory[address]`, `memory[start:stop]` and views of each region."""
        if self._memory is None:
            raise ValueError("this GBA was closed: open a new one")
        return self._memory

    @property
    def frame(self) -> int:
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
        digits, devices = STATE_CLOCK.unpack_from(self.save_state())
        year, month, day, _, hour, minute, second = (byte // 16 * 10 + byte % 16 for byte in digits)
        try:
            return datetime(2000 + year, month, day, hour, minute, second) if devices & 1 else None
        except ValueError:
            return None

    @property
    def sleeps(self) -> bool:
        """Whether the processor sleeps until the frame ends, which costs no emulation time."""
        (bits,) = STATE_MISC.unpack_from(self.save_state())
        return bool(bits & 1)

    @property
    def screen(self) -> NDArray[np.uint8]:
        """The last drawn picture: (160, 240, 3) uint8 RGB, a read-only live view."""
        return self._screen

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """The same as stored: (160, 240, 4) uint8, the fourth channel unused."""
        return self._pixels

    @one_at_a_time
    def reset(self) -> None:
        """Switches the console off and on; the cartridge keeps its save."""
        lib.game_reset(self._running)

    def press(self, *keys: str | Sequence[str]) -> None:
        """Presses keys, single or in lists; they stay down during `tick` until released."""
        self._held |= key_mask(*_names(keys))

    def release(self, *keys: str | Sequence[str]) -> None:
        """Releases the given keys, all if none is given."""
        self._held = self._held & ~key_mask(*_names(keys)) if keys else 0

    def button(self, key: str, delay: int = 1) -> None:
        """Presses a key for the next `delay` frames of `tick`, then releases it.

        Raises:
            ValueError: an unknown key, or a delay below 1.
        """
        if delay < 1:
            raise ValueError(f"delay must be at least 1 frame, got {delay}")
        self._tapped[key_mask(key)] = delay

    @one_at_a_time
    def tick(self, frames: int = 1, render: bool = True) -> None:
        """Runs some frames with the pressed keys held; draws the last one if `render`.

        Raises:
            ValueError: `frames` is negative.
        """
        if frames < 0:
            raise ValueError(f"frames must be at least 0, got {frames}")
        while self._tapped and frames:
            part = min(frames, *self._tapped.values())
            frames -= part
            keys = self._held | sum(self._tapped)
            lib.game_run(self._running, keys, part, part, render and not frames)
            self._tapped = {key: n - part for key, n in self._tapped.items() if n > part}
        if frames:
            lib.game_run(self._running, self._held, frames, frames, render)

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

    @one_at_a_time
    def save_state(self) -> bytes:
        """Returns a raw mGBA save state of 397,312 bytes, without the cartridge's save memory."""
        state = bytearray(self._state_size)
        if not lib.game_save_state(self._running, ffi.from_buffer(state)):
            raise StateError("libmgba could not save the state")
        return bytes(state)

    @one_at_a_time
    def load_state(self, state: bytes) -> None:
        """Continues from a raw mGBA save state; `screen` shows the frame that follows it.

        Raises:
            StateError: wrong size, not a state, another game's, or refused by libmgba. The game is
                then unchanged.
        """
        self._check_state(state)
        if not lib.game_load_state(self._running, ffi.from_buffer(state)):
            raise StateError("libmgba refused the state: its processor values are impossible")
        # a state has no picture: run one frame to draw it, then return
        lib.game_run(self._game, 0, 1, 1, True)
        lib.game_load_state(self._game, ffi.from_buffer(state))

    def _check_state(self, state: bytes) -> None:
        if len(state) != self._state_size:
            raise StateError(
                f"a state of mGBA has {self._state_size:,} bytes, this has {len(state):,}"
            )
        magic, _, crc32, _, title, code = STATE_HEADER.unpack_from(state)
        if magic >> 24 != STATE_MAGIC >> 24:
            raise StateError(
                f"not a state of mGBA's Game Boy Advance: it begins with 0x{magic:08X}"
            )
        if magic > self._state_magic:
            raise StateError(
                f"the state was made by a newer mGBA (state version 0x{magic & 0xFFFFFF:02X}, "
                f"this reads up to 0x{self._state_magic & 0xFFFFFF:02X}, version "
                f"{libmgba_version()}): use the game's own save (.sav) instead"
            )
        (line,) = STATE_LINE.unpack_from(state)
        if line >= LINES:
            raise StateError(
                f"the state is in line {line} of a frame of {LINES}, which no game reaches: it was "
                "damaged or made by hand, and libmgba would hang in it"
            )
        own = self.memory.rom[0xA0:0xB0].tobytes()
        if title + code != own or crc32 != self.crc32:
            raise StateError(
                f"the state belongs to {_name(title + code)} with ROM CRC32 {crc32:08X}, "
                f"the running game is {_name(own)} with {self.crc32:08X}: give the state's game "
                "with --rom"
            )

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

    def read(self, address: int, size: int) -> bytes:
        """Returns memory as the game sees it; see `Memory.read`."""
        return self.memory.read(address, size)


def _open(rom: str | Path | bytes, idle_loop: int | None) -> Any:
    if isinstance(rom, bytes):
        with tempfile.TemporaryFile() as file:
            file.write(rom)
            file.flush()
            return _open_file(file.fileno(), "the ROM", idle_loop)
    path = Path(rom)
    if not path.is_file():
        raise FileNotFoundError(f"no ROM at {path}")
    with path.open("rb") as file:
        return _open_file(file.fileno(), str(path), idle_loop)


def _open_file(descriptor: int, name: str, idle_loop: int | None) -> Any:
    check_rom(os.pread(descriptor, HEADER_SIZE, 0), os.fstat(descriptor).st_size, name)
    game = lib.game_open(descriptor, idle_loop or 0)
    if game == ffi.NULL:
        raise RomError(f"libmgba could not open {name}")
    return ffi.gc(game, lib.game_close)


def _names(keys: Sequence[str | Sequence[str]]) -> list[str]:
    return [name for key in keys for name in ([key] if isinstance(key, str) else key)]


def _name(title_and_code: bytes) -> str:
    return title_and_code.replace(b"\0", b" ").decode("ascii", "replace")
