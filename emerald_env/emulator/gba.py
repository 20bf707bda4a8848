"""One Game Boy Advance with a game in it, in the manner of PyBoy."""

import os
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from emerald_env.emulator.cartridge.real_time_clock import read_clock, set_clock, time_read
from emerald_env.emulator.cartridge.rom import HEADER_SIZE, Header, open_rom
from emerald_env.emulator.cartridge.saved_formats import STATE_MISC
from emerald_env.emulator.cartridge.saving import Saving
from emerald_env.emulator.keys import Keypad, key_mask, keyboard_mask
from emerald_env.emulator.library import ffi, lib, one_at_a_time
from emerald_env.emulator.parts.cheats import Cheats
from emerald_env.emulator.parts.hooks import Hook, Hooks
from emerald_env.emulator.parts.memory import Memory
from emerald_env.emulator.parts.memory_scanner import MemoryScanner
from emerald_env.emulator.parts.registers import RegisterFile
from emerald_env.emulator.parts.rewind import Rewind
from emerald_env.emulator.parts.sound_output import SoundOutput
from emerald_env.emulator.parts.symbol_table import look_up, read_symbol_table
from emerald_env.emulator.pictures.backgrounds import Background
from emerald_env.emulator.pictures.grey import HEIGHT, WIDTH, GreyPlace, shrunk
from emerald_env.emulator.pictures.lcd import Lcd
from emerald_env.emulator.pictures.pace import Pace
from emerald_env.emulator.pictures.sprites import Sprite
from emerald_env.emulator.pictures.tile_pixels import read_palettes
from emerald_env.emulator.static.translate import Core
from emerald_env.emulator.static.translate.processor import use_core
from emerald_env.files.atomic import write_atomically

if TYPE_CHECKING:
    from emerald_env.emulator.pictures.window import Window

SCREEN_SHAPE: Final = (HEIGHT, WIDTH, 3)
STOPPED = "this GBA was stopped: open a new one"
Part = TypeVar("Part")


class GBA:
    """A Game Boy Advance that runs as fast as it can, silently, with a clock of its own.

    Names and meanings are PyBoy's; docs/GBA.md compares them one by one. The cartridge has a flash
    memory of 128 KiB for saves, like Emerald's, unless mGBA knows of another kind for the game.
    Nothing is written beside the ROM unless `stop` is asked to. The clock starts at 2024-01-01 and
    advances with the frames, so the same keys from the same state give the same memory and
    pictures in any process. `clock` sets it; states store when it began.

    Args:
        rom: path of a `.gba` file, or its bytes.
        window: "null" for none, "SDL2" for one that shows each drawn picture of `tick`, at the
            console's speed, and whose keys play: the arrows, x for A, z for B, Return for Start,
            Backspace for Select, a and s for L and R.
        scale: the window's pixels per pixel of the game.
        symbols: a .sym file, a linker's .map file or an ELF file with the addresses' names.
        sound_sample_rate: pairs of samples per second in `sound`, 8,000 to 192,000; None: no sound
            is mixed, which is faster.
        rewind: states kept to go back to, one a second; 0: none.
        idle_loop: address of the game's wait loop, which is then skipped; None: what mGBA knows.
        core: what runs the processor: "plain" mGBA's own interpreter, "cached" that of `make fast`,
            "translated" a library that `emerald translate` made for this ROM, "auto" the fastest
            that there is. All do the same, to the bit.

    Raises:
        FileNotFoundError: the ROM does not exist.
        RomError: it is not a ROM that can run.
        RuntimeError: no window can be opened here.
        SymbolError: the symbols are damaged, or those of another ROM.
        ValueError: there is no such kind of window or core, or no such sample rate.

    Examples:
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
        symbols: str | os.PathLike[str] | None = None,
        sound_sample_rate: int | None = None,
        rewind: int = 0,
        idle_loop: int | None = None,
        core: Core = "auto",
    ) -> None:
        if window not in ("null", "SDL2"):
            raise ValueError(f'window must be "null" or "SDL2", got {window!r}')
        self._lock = RLock()
        self._rom = None if isinstance(rom, bytes) else Path(rom)
        self._game: Any = open_rom(rom, idle_loop)
        self._memory: Memory | None = Memory(self._game)
        self._screen: Lcd | None = Lcd(self._game)
        self._keypad = Keypad()
        self.core: Final = use_core(self._game, core, self.memory.rom)
        self._saving: Saving | None = Saving(self._game)
        self.crc32: Final = int(lib.game_crc32(self._game))
        header = Header.of(self.memory.rom[:HEADER_SIZE].tobytes())
        self.cartridge_title: Final = header.title
        self.game_code: Final = header.game_code
        self.revision: Final = header.revision
        self._hooks: Hooks | None = None  # until the first one is registered
        self._symbols = (
            {} if symbols is None else read_symbol_table(Path(symbols), self.memory.rom.tobytes())
        )
        self._sound = (
            None if sound_sample_rate is None else SoundOutput(self._game, sound_sample_rate)
        )
        self._rewind = Rewind(rewind) if rewind else None
        self._scanner = MemoryScanner(self.memory)
        self._registers = RegisterFile(self._game)
        self._cheats = Cheats(self._game)
        self._pace = Pace(1.0 if window == "SDL2" else 0.0)
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
        self._check_outside_hook()
        if save and self._game is not None:
            if self._rom is None:
                raise ValueError("the ROM was given as bytes, so there is no place for its save")
            write_atomically(self._rom.with_suffix(".sav"), self.save_data())
        if self._window is not None:
            self._window.close()
        self._game = self._memory = self._screen = self._saving = self._window = None

    @property
    def _running(self) -> Any:
        if self._game is None:
            raise ValueError(STOPPED)
        return self._game

    def _on(self, part: Part | None) -> Part:
        """Returns a part of the console, which must not be stopped."""
        if self._game is None or part is None:
            raise ValueError(STOPPED)
        return part

    def _check_outside_hook(self) -> None:
        if self._hooks is not None and self._hooks.is_inside:
            raise RuntimeError("a hook cannot run, load or stop the game: do so after `tick`")

    @property
    def _saved(self) -> Saving:
        return self._on(self._saving)

    @property
    def memory(self) -> Memory:
        """The game's memory: `memory[address]`, `memory[start:stop]` and views of each region."""
        return self._on(self._memory)

    @property
    def screen(self) -> Lcd:
        """The last drawn picture: `screen.image`, `screen.ndarray`, `screen.raw_buffer`."""
        return self._on(self._screen)

    @property
    def frame_count(self) -> int:
        """Frames since power-on, as the game's own clock counts them."""
        return int(lib.game_frame(self._running))

    @property
    def clock(self) -> datetime:
        """The date and time of the cartridge's clock, without a time zone.

        Raises:
            ValueError: it is set to a date before 2000 or after 2099, or with a time zone.
        """
        return read_clock(self._running)

    @clock.setter
    def clock(self, now: datetime) -> None:
        set_clock(self._running, now)

    def shown_time(self) -> datetime | None:
        """Returns what the game last read from the clock, None if it never did."""
        return time_read(self.get_state())

    @property
    def sleeps(self) -> bool:
        """Whether the processor sleeps until the frame ends, which costs no emulation time."""
        (bits,) = STATE_MISC.unpack_from(self.get_state())
        return bool(bits & 1)

    @one_at_a_time
    def reset(self) -> None:
        """Switches the console off and on; the cartridge keeps its save, its clock continues."""
        self._check_outside_hook()
        lib.game_reset(self._running)
        if self._rewind is not None:
            self._rewind.forget()

    def button_press(self, key: str) -> None:
        """Presses a key; it stays down during `tick` until released.

        Raises:
            ValueError: an unknown key.
        """
        self._keypad.held |= key_mask(key)

    def button_release(self, key: str) -> None:
        """Releases a key.

        Raises:
            ValueError: an unknown key.
        """
        self._keypad.held &= ~key_mask(key)

    def button(self, key: str, delay: int = 1) -> None:
        """Presses a key for the next `delay` frames of `tick`, then releases it.

        Raises:
            ValueError: an unknown key, or a delay below 1.
        """
        self._keypad.tap(key, delay)

    @one_at_a_time
    def tick(self, count: int = 1, render: bool = True, sound: bool = True) -> bool:
        """Runs some frames with the pressed keys held.

        Args:
            count: of the frames.
            render: whether the last one is drawn.
            sound: whether `sound` is mixed, if the console was opened with a sample rate.

        Returns:
            Whether the game continues: False once its window was closed.

        Raises:
            HookError: a hook raised; the frames have run all the same, without further hooks.
            RuntimeError: a hook called this.
            ValueError: `count` is negative.
        """
        if count < 0:
            raise ValueError(f"count must be at least 0 frames, got {count}")
        self._on(self._game)
        self._check_outside_hook()
        if self._sound:
            self._sound.begin(sound)
        played = keyboard_mask(self._window.keys_down()) if self._window is not None else 0
        left = count
        for keys, frames in self._keypad.stretches(count, played):
            left -= frames
            self._run(keys, frames, render and not left)
        return self._after(count)

    def _run(self, keys: int, frames: int, render: bool) -> None:
        """Runs frames of a tick, and keeps the states to go back to."""
        while frames:
            part = frames if self._rewind is None else min(frames, self._keep_state(self._rewind))
            frames -= part
            if self._sound:
                self._sound.run(keys, part, render and not frames)
            else:
                lib.game_run(self._game, keys, part, part, render and not frames)

    def _keep_state(self, rewind: Rewind) -> int:
        """Keeps the state if one is due; returns in how many frames the next one is."""
        now = self.frame_count
        if not rewind.due_in(now):
            rewind.keep(now, self.get_state())
        return rewind.due_in(now)

    def _after(self, frames: int) -> bool:
        """Does what may follow a tick; returns whether the game continues."""
        if self._hooks is not None:
            self._hooks.check()
        if self._pace.speed:
            self._pace.wait(frames)
        return self._window is None or self._window.show(self.screen.rgb, fps=0)

    @one_at_a_time
    def rewind(self, frames: int = 60) -> int:
        """Goes back by at least this many frames, as far as the states kept allow.

        Returns:
            By how many: up to 60 more, since `tick` keeps one state a second.

        Raises:
            ValueError: none so old is kept, as after a state of another play was loaded, or
                `frames` is negative.
        """
        if frames < 0:
            raise ValueError(f"frames must be at least 0, got {frames}")
        if self._rewind is None:
            raise ValueError("this GBA keeps no states: open it with rewind=STATES")
        now = self.frame_count
        frame, state = self._rewind.back(now - frames)
        self.set_state(state)
        return now - frame

    def hook_register(self, address: int | str, callback: Hook, context: Any = None) -> None:
        """Calls `callback(context)` each time before the instruction at an address runs.

        While any hook is registered the processor runs an instruction at a time, which takes longer
        and changes nothing else; while none is, this costs nothing. A hook may read and write
        memory and registers, but not run, load or stop the game.

        Args:
            address: of an instruction, or a symbol.
            callback: takes the context; what it returns is ignored.
            context: anything.

        Raises:
            ValueError: there is a hook at this address, no code can be there, or no such symbol.
        """
        with self._lock:
            if self._hooks is None:
                self._hooks = Hooks(self._running)
            self._hooks.register(self._address_of(address), callback, context)

    def hook_deregister(self, address: int | str) -> None:
        """Removes the hook at an address.

        Raises:
            ValueError: there is none, or no such symbol.
        """
        place = self._address_of(address)
        with self._lock:
            if self._hooks is None:
                raise ValueError(f"there is no hook at 0x{place:08X}")
            self._hooks.deregister(place)

    def _address_of(self, place: int | str) -> int:
        return self.symbol_lookup(place) if isinstance(place, str) else place

    def symbol_lookup(self, symbol: str) -> int:
        """Returns a symbol's address.

        Raises:
            ValueError: there is no such symbol, or the GBA was opened without any.
        """
        return look_up(self._symbols, symbol)

    @property
    def sound(self) -> SoundOutput:
        """The sound of the last `tick`: `sound.ndarray`, `sound.sample_rate`.

        Raises:
            ValueError: the GBA was opened without sound.
        """
        self._on(self._game)
        if not self._sound:
            raise ValueError("this GBA mixes no sound: open it with sound_sample_rate=48000")
        return self._sound

    @one_at_a_time
    def mix_sound(self, sample_rate: int = 48_000) -> SoundOutput:
        """Mixes sound from now on, for `step` too; the result's `take` returns what was mixed.

        Args:
            sample_rate: pairs of samples per second, 8,000 to 192,000.

        Raises:
            ValueError: another sample rate.
        """
        sound = self._sound = SoundOutput(self._running, sample_rate)
        sound.begin(on=True)
        return sound

    def get_sprite(self, sprite_index: int) -> Sprite:
        """Returns one of the 128 sprites as it is now.

        Raises:
            ValueError: there is no such sprite.
        """
        return Sprite(self.memory, sprite_index)

    def get_background(self, number: int) -> Background:
        """Returns one of the four backgrounds as it is now.

        Raises:
            ValueError: there is no such background.
        """
        return Background(self.memory, number)

    @property
    def palettes(self) -> NDArray[np.uint8]:
        """(32, 16, 4) uint8 RGBA: 16 palettes of backgrounds, 16 of sprites; colour 0 is clear."""
        return read_palettes(self.memory.palette)

    @property
    def register_file(self) -> RegisterFile:
        """The processor's registers: `register_file.r0`, `register_file.pc`."""
        return self._on(self._registers)

    @property
    def memory_scanner(self) -> MemoryScanner:
        """Finds addresses by their values: `memory_scanner.scan_memory(25)`."""
        return self._on(self._scanner)

    @property
    def gameshark(self) -> Cheats:
        """Cheats: `gameshark.add("02024284:0001")`."""
        return self._on(self._cheats)

    def set_emulation_speed(self, target_speed: float) -> None:
        """Makes `tick` wait, so that the game runs this many times as fast as the console.

        Args:
            target_speed: 1 is the console's 59.7 frames a second; 0 does not wait.

        Raises:
            ValueError: it is negative.
        """
        self._pace = Pace(target_speed)

    def step(self, keys: int, hold: int, frames: int, render: bool = True) -> None:
        """Runs one step of an agent: hold keys, release them, run on, draw the last frame.

        Args:
            keys: mask of the keys to hold (`key_mask`).
            hold: for how many frames they are held.
            frames: of the whole step.
            render: whether the last frame is drawn.
        """
        with self._lock:  # not `one_at_a_time`: every call of Python counts here
            if self._hooks is not None:
                self._check_outside_hook()
            lib.game_run(self._running, keys, hold, frames, render)
            if self._hooks is not None:
                self._hooks.check()

    def step_grey(self, keys: int, hold: int, frames: int, place: GreyPlace) -> None:
        """Does what `step` and then `grey` do, in one call of C."""
        with self._lock:
            game = self._game if self._game is not None else self._running
            lib.game_step(game, keys, hold, frames, place.factor, place.pointer)
            if self._hooks is not None:
                self._hooks.check()

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
        self.set_state(file.read(self._saved.state_size + 1))

    @one_at_a_time
    def get_state(self) -> bytes:
        """Returns a raw mGBA save state of 397,312 bytes, without the cartridge's save memory."""
        state = self._saved.state()
        if self._rewind is not None:
            self._rewind.saved(state)
        return state

    @one_at_a_time
    def set_state(self, state: bytes) -> None:
        """Continues from a raw mGBA save state; `screen` shows the frame that follows it.

        Raises:
            StateError: wrong size, not a state, another game's, or refused by libmgba. The game is
                then unchanged.
        """
        self._check_outside_hook()
        self._saved.load_state(state)
        # a state has no picture: run one frame to draw it, unheard and without hooks, then return
        if self._hooks is not None:
            self._hooks.pause(True)
        with self._sound.unheard() if self._sound is not None else nullcontext():
            lib.game_run(self._game, 0, 1, 1, True)
        if self._hooks is not None:
            self._hooks.pause(False)
        lib.game_load_state(self._game, ffi.from_buffer(state))
        if self._rewind is not None:
            self._rewind.loaded(state)

    @one_at_a_time
    def save_data(self) -> bytes:
        """Returns the cartridge's save memory (a `.sav` file's contents), 128 KiB for Emerald.

        It is empty for a cartridge that cannot save.
        """
        return self._saved.save_memory()

    @one_at_a_time
    def load_save(self, data: bytes) -> None:
        """Loads a `.sav` file's contents into the cartridge; the game reads it at its next `reset`.

        Args:
            data: the save memory, without what mGBA appends for the clock.

        Raises:
            SaveError: the size differs from that of this game's cartridge.
        """
        self._saved.load_save_memory(data)
