"""Exporting states of an archive, and importing states into one."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from baselines.exploration.archive_folder import open_archive
from baselines.exploration.curriculum import goals_on
from baselines.exploration.state_archive import Archive
from emerald_env.emulator import StateError
from emerald_env.env.config import EnvConfig
from emerald_env.explorer import Explorer, Found, cell_of
from emerald_env.files.atomic import write_atomically
from emerald_env.game.choice import Rom
from emerald_env.game.editions import Game, open_game
from emerald_env.game.savefile import pack_png, read_state
from emerald_env.starts.starts import load_start
from emerald_env.state import GameState, StateReader, milestones_done, milestones_in

APART = 64  # steps between two exported states, except at milestones
FRAMES = 60  # of the game's clock in a second


def export_way(archive: Archive, rom: Rom, folder: Path) -> list[Path]:
    """Writes the states on the path to the furthest one, each with its picture.

    Args:
        archive: the states.
        rom: their game; None: Jade.
        folder: where to write; created if missing.

    Raises:
        StateError, OSError: a state is of another game, or a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with open_game(rom) as gba:
        return [_export(gba, archive, number, folder) for number in _worth_giving(archive)]


def _worth_giving(archive: Archive) -> list[int]:
    way = archive.chain(archive.furthest())
    chosen = {0, len(way) - 1} | {index for _, index in goals_on(way, archive)}
    last = 0
    for index, node in enumerate(way):
        if archive.nodes[node].length - last >= APART:
            chosen.add(index)
            last = archive.nodes[node].length
    return [way[index] for index in sorted(chosen)]


def _export(gba: Game, archive: Archive, number: int, folder: Path) -> Path:
    state = read_state(archive.path(number))
    gba.set_state(state)
    sample = StateReader.of(gba).sample()
    reached = milestones_done(sample) if sample is not None else ()
    name = f"{archive.nodes[number].length:06}-{reached[-1] if reached else 'home'}.ss1"
    write_atomically(folder / name, pack_png(state, gba.screen.rgb))
    return folder / name


def import_states(files: Sequence[Path], config: EnvConfig, archive: Archive) -> int:
    """Imports states into an archive; returns how many were kept.

    All are tried in the game before anything is written. A state's distance from the start comes
    from the game's own clock, and its parent is the latest earlier state whose milestones it all
    has.

    Args:
        files: states of mGBA.
        config: the game, where episodes begin in it, and how long a step is.
        archive: an empty archive, or one of the same game.

    Raises:
        FileNotFoundError, SaveFileError, StateError: a file is not a state of the game. A
            state in which the emulator hangs ends the program with a message.
        ValueError: a state lacks a milestone that episodes of the archive begin with.
    """
    homes = [] if archive.nodes else Explorer(config).home()
    cells = [found.cell for found in homes] or [node.cell for node in archive.nodes.values()]
    needed = cells[0].milestones
    with open_game(config.choice) as gba:
        states = sorted(_tried(gba, files, needed), key=lambda pair: frames_played(pair[0]))
    for found in homes:
        archive.add(found, None)
    home = next(iter(archive.nodes))
    kept = [(needed, home)]
    start = clock_at(archive.path(home), config.choice)
    for state, raw in states:
        cell = cell_of(state)
        length = max(frames_played(state) - start, 0) // config.frame_skip
        parent = next(n for bits, n in reversed(kept) if not bits & ~cell.milestones)
        found = Found.of(state, length, raw)
        if (number := archive.add(found, parent)) is not None:
            kept.append((cell.milestones, number))
    archive.tidy()
    return len(kept) - 1


def _tried(gba: Game, files: Iterable[Path], needed: int) -> Iterator[tuple[GameState, bytes]]:
    """Yields states with their raw forms; each must have the needed milestones, as bits."""
    for file in files:
        raw = load_start(gba, file).state
        state = _sample(gba, raw)
        if lacking := needed & ~cell_of(state).milestones:
            slug = next((entry.slug for entry in milestones_in(lacking)), "a milestone")
            raise ValueError(
                f"{file} lacks {slug}, which episodes of the archive begin with: leave it out, or "
                "import it into another archive"
            )
        yield state, raw


def _sample(gba: Game, raw: bytes) -> GameState:
    gba.set_state(raw)
    state = StateReader.of(gba).sample()
    if state is None:
        raise ValueError("no game is running in this state, so practice cannot begin in it")
    return state


def check_archive(folder: Path, rom: Rom) -> None:
    """Checks that an archive is there, and of a game.

    Raises:
        FileNotFoundError: there is none, or one of its states is missing.
        ValueError: it is damaged, or of another game.
    """
    archive = open_archive(folder)
    for lost in archive.lost:
        raise FileNotFoundError(f"{archive.path(lost)} is missing, a state of the archive {folder}")
    file = archive.path(next(iter(archive.nodes)))
    with open_game(rom) as gba:
        try:
            gba.set_state(read_state(file))
        except StateError as error:
            raise StateError(
                f"{folder} is an archive of another game, or of another world (give its --world): "
                f"{error}"
            ) from error


def clock_at(file: Path, rom: Rom) -> int:
    """Returns for how many frames the game's own clock had run in an archive's state.

    Raises:
        SaveFileError, StateError, ValueError: it is not a state of the game, or no game is running.
    """
    with open_game(rom) as gba:
        return frames_played(_sample(gba, read_state(file)))


def frames_played(state: GameState) -> int:
    """Returns for how many frames the game's own clock has run."""
    hours, minutes, seconds, frames = state.play_time
    return FRAMES * (3600 * hours + 60 * minutes + seconds) + frames
