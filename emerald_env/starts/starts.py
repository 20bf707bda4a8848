"""Where an episode begins: a state of the game and its cartridge's save memory."""

import multiprocessing
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path

from emerald_env.emulator import GBA, RomError, StateError, key_mask, libmgba_version
from emerald_env.files.data import read_bytes
from emerald_env.files.package_version import cache_folder
from emerald_env.files.printable import warn
from emerald_env.game.choice import Rom, choice_of
from emerald_env.game.editions import Game, open_game, rom_file, sha1_of
from emerald_env.game.savefile import (
    MAX_FILE_SIZE,
    FlashSave,
    SaveFileError,
    load,
    pack_png,
    read_state,
)
from emerald_env.starts.arrival import differences, where
from emerald_env.starts.clock import set_clock, switch_on
from emerald_env.starts.progress_line import ProgressLine
from emerald_env.starts.self_check import self_check
from emerald_env.starts.start_cache import (
    MAX_STATE_BYTES,
    keep,
    kept_file,
    read_kept,
)
from emerald_env.starts.watchdog import HANGS, Watchdog
from emerald_env.state import GameState, Rejection, StateReader, examine

NEW_GAME = "new-game"
PRESS_EVERY = 20  # frames between two presses of A: long enough for a menu to react
RECIPE = 1  # raised when new games begin in another way, so that cached ones are replaced
SETTLE = 60  # frames for which the player must stay free to walk
PARTS = ("state", "save")
MAX_SAVE_SIZE = 1 << 18
TRIAL = 60  # frames for which a state from a file is tried
GIVE_UP = 60 * 60 * 10  # frames, ten minutes of play
STUCK = "error: the emulator hangs while starting a new game or continuing a save"
UNKNOWN_ROM = (
    "WARNING: this ROM is unknown and treated as {}. Its places, flags and trainers may differ "
    "from Emerald's, and rewards may pay for the wrong things"
)
OTHERWISE = "begin episodes from your own state or save with --start FILE"


@dataclass(frozen=True)
class Start:
    """A raw mGBA state with the cartridge's save memory, which a state leaves out."""

    state: bytes
    save: bytes

    def pack(self) -> dict[str, bytes]:
        """Returns both, compressed in about a millisecond."""
        return {"state": zlib.compress(self.state, 1), "save": zlib.compress(self.save, 1)}

    @classmethod
    def unpack(cls, packed: Mapping[str, bytes]) -> "Start":
        """Returns the start from which `pack` made `content`.

        Raises:
            StateError: it is damaged, or not from `pack`.
        """
        try:
            parts = {n: zlib.decompressobj().decompress(packed[n], MAX_STATE_BYTES) for n in PARTS}
        except (KeyError, TypeError, zlib.error) as error:
            raise StateError(f"a packed state of a game is damaged: {error}") from error
        return cls(**parts)

    def restore(self, gba: GBA) -> None:
        """Puts the game into this start."""
        gba.load_save(self.save)
        gba.set_state(self.state)


def prepare_starts(rom: Rom, source: str, clock: str | None = None) -> tuple[Start, ...]:
    """Returns the starts that a setting names, made once per process for all its games.

    A file that was written anew meanwhile is read again.

    Args:
        rom: the game; None: Jade.
        source: "new-game", the path of an mGBA state (raw or PNG) or a `.sav`, or a folder of them.
        clock: the cartridge's date there, see `EnvConfig`.

    Raises:
        FileNotFoundError: the path does not exist, or the folder is empty.
        RomError: the ROM cannot be used, or is a modified one that would be misread.
        SaveFileError, StateError, SaveError: a file is broken or does not fit the game.
    """
    choice = choice_of(rom)
    files = [path for path in (choice.rom, choice.symbols) if path is not None]
    if source != NEW_GAME:
        place = Path(source)
        files += sorted(place.iterdir()) if place.is_dir() else [place]
    return made_starts(rom, source, clock, tuple(map(_version, files)))


def _version(path: Path) -> tuple[Path, int, int] | None:
    """Returns a file's name, time and size, which tell it from what it was; None: no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return path, found.st_mtime_ns, found.st_size


@lru_cache(maxsize=64)
def made_starts(
    rom: Rom, source: str, clock: str | None, versions: tuple[object, ...]
) -> tuple[Start, ...]:
    """Does what `prepare_starts` does, once for the same versions of all files."""
    with open_game(rom) as gba:
        # workers stay silent and leave the check to their parent
        is_first = multiprocessing.parent_process() is None
        if gba.edition.is_changed and is_first:
            warn_of(gba.edition.name)
        if not gba.edition.is_read:
            files = [None] if source == NEW_GAME else start_files(Path(source))
            return tuple(_at(gba, unread_start(gba, path), clock) for path in files)
        if source == NEW_GAME:
            return (_at(gba, new_game(gba, rom), clock),)
        starts = [load_start(gba, path) for path in start_files(Path(source))]
        if gba.edition.is_changed and is_first:
            check_changed(gba, starts[0])
        return tuple(_at(gba, start, clock) for start in starts)


def _at(gba: Game, start: Start, clock: str | None) -> Start:
    """Returns a start with the clock set."""
    if clock is None:
        return start
    start.restore(gba)
    set_clock(gba, clock)
    return replace(start, state=gba.get_state())


@cache
def warn_of(name: str) -> None:
    """Warns once per process that a game may be misread."""
    warn(UNKNOWN_ROM.format(name))


def check_changed(gba: Game, start: Start) -> None:
    """Plays a minute of a modified game.

    Raises:
        RomError: something does not work.
    """
    start.restore(gba)
    failed = [check for check in self_check(gba) if check.matters and not check.works]
    if failed:
        found = "; ".join(f"{check.what}: {check.found}" for check in failed)
        raise RomError(f"the ROM did not pass its check and would be misread: {found}")


def new_game(gba: Game, rom: Rom) -> Start:
    """Returns the start after a new game's intro, which is played once and then cached.

    The state is cached for the user if it is where new games begin. A damaged or missing one is
    made again; without a writable cache it is made each time.

    Args:
        gba: the game, just switched on.
        rom: its path; None: Jade.

    Raises:
        StateError: the intro does not end, or ends elsewhere; the message says where.
    """
    save, key = gba.save_data(), start_key(rom)
    kept = read_kept(cache_folder(), key)
    if kept is not None and is_start(gba, kept):
        return Start(kept, save)
    if kept is not None:
        switch_on(gba)
    play_until_free(gba)
    check_arrival(gba, key)
    state = gba.get_state()
    if gba.edition.is_changed:
        check_changed(gba, Start(state, save))
        gba.set_state(state)
    # a state has no save memory; an intro saves nothing
    if gba.save_data() == save:
        keep(cache_folder(), key, state)
    return Start(state, gba.save_data())


def check_arrival(gba: Game, key: str) -> None:
    """Checks that a game is where new games begin.

    Raises:
        StateError: it is elsewhere; a picture of it, which mGBA can load as a state, is kept.
    """
    state = StateReader.of(gba).sample()
    if found := differences(gba.edition.code, state):
        picture = keep_picture(gba, key)
        beside = f"; its picture is {picture}" if picture else ""
        raise StateError(
            f"the new game did not arrive where new games begin: {'; '.join(found)} "
            f"({where(gba, state)}){beside}. Meanwhile {OTHERWISE}"
        )


def keep_picture(gba: GBA, key: str) -> Path | None:
    """Writes a picture of the game, with its state, to the cache; returns the file, or None."""
    path = cache_folder() / f"{key}_astray.png"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(pack_png(gba.get_state(), gba.screen.rgb))
    except OSError:
        return None
    return path


def keep_new_game(rom: Rom, folder: Path) -> None:
    """Stores the state in which new games begin in a session's folder, if it has none yet.

    Raises:
        FileNotFoundError, RomError, StateError: the game cannot be started.
    """
    key = start_key(rom)
    if read_kept(folder, key) is None:
        (start,) = prepare_starts(rom, NEW_GAME)
        keep(folder, key, start.state)


def kept_new_game(rom: Rom, folder: Path) -> Path | None:
    """Returns a session's own state in which new games begin, if it differs from this machine's.

    So a session's games begin alike wherever it is resumed. The state is untrusted: it is never
    copied into the user's cache.
    """
    key = start_key(rom)
    theirs = read_kept(folder, key)
    (start,) = prepare_starts(rom, NEW_GAME)
    return None if theirs in (None, start.state) else kept_file(folder, key, theirs)


def is_start(gba: Game, state: bytes) -> bool:
    """Loads a state; returns whether a new game has just begun in it."""
    try:
        gba.set_state(state)
    except StateError:
        return False
    found = StateReader.of(gba).sample()
    return is_free(found) and not differences(gba.edition.code, found)


def start_key(rom: Rom) -> str:
    """Returns the cache key of a new game: the ROM's SHA-1, the recipe, and mGBA's version."""
    choice = choice_of(rom)
    sha1 = sha1_of(rom_file(choice))
    if choice.symbols is not None:
        sha1 += f"_{sha1_of(choice.symbols)}"
    return f"{NEW_GAME}_{sha1}_{RECIPE}_{libmgba_version()}"


def start_files(path: Path) -> list[Path]:
    """Returns the file itself, or a folder's files sorted by name.

    Raises:
        FileNotFoundError: the path does not exist.
    """
    files = sorted(p for p in path.iterdir() if p.is_file()) if path.is_dir() else [path]
    if not files or not files[0].is_file():
        raise FileNotFoundError(
            f"no start at {path}: give a state, a .sav file, a folder of them or {NEW_GAME!r}"
        )
    return files


def blank_save(gba: GBA) -> bytes:
    """Returns the save memory of a new cartridge of a game."""
    return b"\xff" * len(gba.save_data())


def load_start(gba: Game, path: Path) -> Start:
    """Returns the start in a file; a `.sav` is continued from the title screen.

    A state is tried for a second of play: if the emulator hangs in it, the program ends with a
        message. Afterwards the game is at the start.

    Raises:
        SaveFileError, StateError, SaveError: the file is broken, does not fit the game, or has no
            running game.
    """
    content = load(path)
    gba.load_save(blank_save(gba))  # nothing of another start
    if isinstance(content, FlashSave):
        check_save(gba, content, path)
        gba.load_save(read_bytes(path, MAX_FILE_SIZE))
        switch_on(gba)
        play_until_free(gba)
        return Start(gba.get_state(), gba.save_data())
    with Watchdog(HANGS.format(path)):
        gba.set_state(content.data)
        start = Start(gba.get_state(), gba.save_data())
        gba.step(0, 0, TRIAL)
    start.restore(gba)
    if examine(gba.memory.read, gba.edition) is Rejection.NOT_STARTED:
        raise StateError(
            f"{path} is at the title screen or in the menu after it, where no game is running: "
            f"save a state in the game, or use {NEW_GAME!r}"
        )
    return start


def unread_start(gba: GBA, path: Path | None) -> Start:
    """Returns a start of a game that nobody can read here.

    A state is tried for a second of play, as in `load_start`. The game is not left at it.

    Args:
        gba: the game.
        path: an mGBA state, or a save with which the console is switched on: a `.sav`, or what
            Emerald would save; None: it is switched on without one.

    Raises:
        OSError, DataError, SaveFileError, StateError, SaveError: the file is broken or does not fit
            the game.
    """
    if path is None or path.suffix == ".sav" or isinstance(load(path), FlashSave):
        gba.load_save(blank_save(gba) if path is None else read_bytes(path, MAX_SAVE_SIZE))
        switch_on(gba)
        gba.step(0, 0, 1)  # the frame in which it is switched on has no picture of its own
        return Start(gba.get_state(), gba.save_data())
    state = read_state(path)
    gba.load_save(blank_save(gba))  # nothing of another start
    with Watchdog(HANGS.format(path)):
        gba.set_state(state)
        start = Start(state, gba.save_data())
        gba.step(0, 0, TRIAL)
    return start


def check_save(gba: Game, save: FlashSave, path: Path) -> None:
    """Checks that a flash save belongs to the running game.

    Raises:
        SaveFileError: it does not.
    """
    is_jade = gba.edition.code == "JADE"
    if is_jade and save.is_emeralds:
        raise SaveFileError(f"{path} is a save of Emerald: give your Emerald ROM, too, with --rom")
    if not is_jade and not save.is_emeralds:
        raise SaveFileError(
            f"{path} is a save of Jade, not of {gba.cartridge_title}: leave --rom out"
        )


def play_until_free(gba: Game) -> None:
    """Presses A through title, menus and intro until the player can walk.

    On a terminal it shows its progress.

    Raises:
        StateError: that takes over ten minutes of play; the message says where the game is.
    """
    reader = StateReader.of(gba)
    free_since = None
    with Watchdog(STUCK) as watchdog, ProgressLine("beginning the game") as progress:
        while gba.frame_count < GIVE_UP:
            state = reader.sample()
            free = is_free(state)
            free_since = (free_since or gba.frame_count) if free else None
            if free_since is not None and gba.frame_count - free_since >= SETTLE:
                return
            watchdog.hear()
            progress.show(f"{gba.frame_count // 60} s of play")
            gba.step(0 if free else key_mask("a"), PRESS_EVERY // 2, PRESS_EVERY, render=False)
    gba.step(0, 0, 1)
    picture = keep_picture(gba, "intro")
    raise StateError(
        f"the game did not let the player walk within {GIVE_UP // 3600} minutes "
        f"({where(gba, state)}; picture: {picture}): {OTHERWISE}"
    )


def is_free(state: GameState | None) -> bool:
    """Returns whether the player can walk."""
    return state is not None and state.controllable
