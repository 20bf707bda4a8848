"""The public alternatives on the same work; those that are not installed are skipped."""

import hashlib
import importlib
import importlib.util
import multiprocessing
import struct
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from time import process_time
from typing import Any, Protocol

import numpy as np

from emerald_env.emulator import KEYS
from experiments.benchmarks.scenes import Work

PYTHON_MGBA, PYGBA, PYGBA_REWARD, RETRO = (
    "mgba 0.10.2, drawing only",
    "PyGBA without reward",
    "PyGBA with its Emerald reward",
    "stable-retro",
)
EMERALD_SIZE, NUM_SPECIES = 16 << 20, 412
NATIONAL_NUMBERS = 0x31DC82  # sSpeciesToNationalPokedexNum in PyGBA 0.2.9
PACKAGES = {PYTHON_MGBA: "mgba", PYGBA: "pygba", PYGBA_REWARD: "pygba", RETRO: "stable_retro"}
PATIENCE = 120.0  # seconds


class Rival:
    """One alternative in a process of its own: they conflict with each other and with ours.

    Raises:
        ImportError: it is not installed.
        TimeoutError: it hangs.
    """

    def __init__(self, name: str, work: Work, folder: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self._name = name
        self._pipe, theirs = context.Pipe()
        arguments = (theirs, name, work, folder)
        self._process = context.Process(target=serve, args=arguments, daemon=True)
        self._process.start()
        missing = self._receive()
        if missing:
            raise ImportError(missing)

    @property
    def alive(self) -> bool:
        """Whether it has neither hung nor crashed so far."""
        return self._process.is_alive()

    def _receive(self) -> Any:
        if not self._pipe.poll(PATIENCE):
            self._process.kill()
            self._process.join()
            raise TimeoutError(f"{self._name} hangs: no answer for {PATIENCE:g} seconds")
        return self._pipe.recv()

    def begin(self, work: Work) -> None:
        """Returns to the beginning of the work."""
        self._ask(work.part(0, 0))

    def run(self, work: Work) -> float:
        """Runs only the first step of this block, since it is slow.

        Returns its microseconds of processor time, NaN if it hangs.
        """
        return self._ask(work.part(0, 1))

    def _ask(self, work: Work) -> float:
        if not self.alive:
            return float("nan")
        self._pipe.send(work)
        try:
            return float(self._receive())
        except (TimeoutError, EOFError):
            return float("nan")


class Alternative(Protocol):
    """One of the public alternatives, here in its own process."""

    def load(self, state: bytes) -> None:
        """Loads an mGBA save state."""

    def step(self, keys: int) -> None:
        """Does a step with these keys."""


def serve(pipe: Connection, name: str, work: Work, folder: Path) -> None:
    """Makes one of the alternatives and serves requests until there are no more."""
    warnings.simplefilter("ignore")
    try:
        alternative = MAKERS[name](work, folder)
    except ImportError as error:
        pipe.send(str(error))
        return
    pipe.send("")
    while True:
        try:
            asked: Work = pipe.recv()
        except EOFError:
            return
        if not len(asked.actions):
            alternative.load(asked.state)
        begin = process_time()
        for keys in asked.keys:
            alternative.step(keys)
        pipe.send((process_time() - begin) / max(1, len(asked.actions)) * 1e6)


def rivals(work: Work, folder: Path) -> tuple[dict[str, Rival], list[str]]:
    """Returns the available alternatives, and why others are not.

    Args:
        work: gives ROM and frame skip; the work of every run has the same.
        folder: for copies of the ROM.
    """
    here, missing = {}, []
    for name in MAKERS:
        try:
            if importlib.util.find_spec(PACKAGES[name]) is None:
                raise ImportError(f"there is no {PACKAGES[name]} for this Python")
            here[name] = Rival(name, work, folder)
        except (ImportError, TimeoutError) as error:
            missing.append(
                f"{name}: skipped, {error} (see experiments/benchmarks/requirements.txt)"
            )
    return here, missing


class PythonMgba:
    """The public binding: one Python call per frame, every frame drawn."""

    def __init__(self, work: Work, folder: Path) -> None:
        self._frames, self._hold = work.config.frame_skip, work.config.hold_frames
        self._core, self.load = mgba_core(work)

    def step(self, keys: int) -> None:
        """Does a step with these keys."""
        core = self._core
        core._core.setKeys(core._core, keys)
        for frame in range(self._frames):
            if frame == self._hold:
                core._core.setKeys(core._core, 0)
            core.run_frame()


def mgba_core(work: Work) -> tuple[Any, Callable[[bytes], None]]:
    """Returns a core of the public binding with the game, and a function that loads a state."""
    core_module = importlib.import_module("mgba.core")
    image_module = importlib.import_module("mgba.image")
    importlib.import_module("mgba.log").silence()
    ffi = importlib.import_module("mgba._pylib").ffi
    core = core_module.load_path(str(work.rom))
    core.picture = image_module.Image(240, 160)  # kept alive with the core
    core.set_video_buffer(core.picture)
    core.reset()
    return core, lambda state: core.load_raw_state(ffi.from_buffer(state))


def padded(rom: Path, folder: Path) -> Path:
    """Returns a copy of the ROM of Emerald's size, with the one table that PyGBA needs.

    Without the table its reward raises an IndexError; the size matters, since it copies the ROM.
    """
    data = rom.read_bytes().ljust(EMERALD_SIZE, b"\0")
    end = NATIONAL_NUMBERS + 2 * NUM_SPECIES
    numbers = struct.pack(f"<{NUM_SPECIES}H", *(1 + n % 386 for n in range(NUM_SPECIES)))
    copy = folder / "padded.gba"
    copy.write_bytes(data[:NATIONAL_NUMBERS] + numbers + data[end:])
    return copy


class PyGBA:
    """PyGBA's gymnasium env, in colour (its grey raises ValueError); keys are never released."""

    def __init__(self, work: Work, folder: Path, with_reward: bool) -> None:
        package = importlib.import_module("pygba")
        if with_reward:
            work = replace(work, rom=padded(work.rom, folder))
        core, self.load = mgba_core(work)
        wrapper = package.PokemonEmerald() if with_reward else None
        skip = work.config.frame_skip - 1
        self._env = package.PyGBAEnv(package.PyGBA(core), wrapper, frameskip=skip)

    def step(self, keys: int) -> None:
        """Does a step with these keys."""
        self._env.step(pygba_action(self._env, keys))


def pygba_action(env: Any, keys: int) -> int:
    """Returns the number of PyGBA's action that presses these keys."""
    pressed = {name for bit, name in enumerate(KEYS) if keys >> bit & 1}
    arrow = next(iter(pressed & {"up", "down", "left", "right"}), None)
    button = next((name.upper() for name in pressed & {"a", "b"}), None)
    return int(env.get_action_id(arrow, button))


class StableRetro:
    """stable-retro's env on its own mGBA core, stepped frame by frame."""

    def __init__(self, work: Work, parent: Path) -> None:
        retro = importlib.import_module("stable_retro")
        rom = work.rom.read_bytes()
        folder = parent / "Benchmark-GbAdvance-v0"
        folder.mkdir()
        (folder / "rom.gba").write_bytes(rom)
        (folder / "rom.sha").write_text(hashlib.sha1(rom).hexdigest())
        for name, text in RETRO_FILES.items():
            (folder / name).write_text(text)
        retro.data.Integrations.add_custom_path(str(folder.parent))
        self._frames, self._hold = work.config.frame_skip, work.config.hold_frames
        self._env = retro.make(
            folder.name,
            state=retro.State.NONE,
            inttype=retro.data.Integrations.CUSTOM_ONLY,
            use_restricted_actions=retro.Actions.ALL,
            render_mode="rgb_array",
        )
        self._env.reset()

    def load(self, state: bytes) -> None:
        """Loads an mGBA save state."""
        # its core has another BIOS, whose checksum is in the state's first eight bytes
        self._env.em.set_state(self._env.em.get_state()[:8] + state[8:])

    def step(self, keys: int) -> None:
        """Does a step with these keys."""
        names = self._env.buttons
        buttons = [bool(name) and bool(keys >> KEYS.index(name.lower()) & 1) for name in names]
        held, none = np.array(buttons, np.int8), np.zeros(len(buttons), np.int8)
        for frame in range(self._frames):
            self._env.step(held if frame < self._hold else none)


RETRO_FILES = {
    "data.json": '{"info": {}}',
    "scenario.json": '{"done": {}, "reward": {}}',
    "metadata.json": "{}",
}
Maker = Callable[[Work, Path], Alternative]
MAKERS: dict[str, Maker] = {
    PYTHON_MGBA: PythonMgba,
    PYGBA: partial(PyGBA, with_reward=False),
    PYGBA_REWARD: partial(PyGBA, with_reward=True),
    RETRO: StableRetro,
}
