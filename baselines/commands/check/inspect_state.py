"""Prints what is in a state, a save or a running game: `emerald inspect`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.table import Table
from rich.text import Text

from baselines.commands.check.state_report import Report, report, storage_report, unknown_report
from baselines.commands.command import reports_user_errors
from baselines.settings.read_flags import read_flags
from emerald_env.game import symbols as sym
from emerald_env.game.choice import GameChoice, Rom, choice_of
from emerald_env.game.editions import Edition, Game, can_read, edition, open_game
from emerald_env.game.savefile import FlashSave, SaveFileError, load
from emerald_env.starts.starts import load_start, play_until_free
from emerald_env.state import (
    GameState,
    Rejection,
    Storage,
    decode_save,
    decode_storage,
    examine,
    examine_title,
    milestones_done,
    read_storage,
)
from emerald_env.state.describe import lines
from emerald_env.wrappers.soft_lock_file import SoftLock

BAD_INPUT = 2  # exit status
CRC32 = {
    "BPEE": 0x1F1C08FB,
    "BPED": 0x34C9DF89,
    "BPEF": 0xA3FDCCB1,
    "BPEI": 0xA0AEC80A,
    "BPES": 0x8C4D3108,
    "BPEJ": 0x4881F3F8,
}
"""Of the revisions that the addresses apply to: mGBA's overrides.c."""


@dataclass(frozen=True)
class Options(GameChoice):
    """Print what is in a save state, a flash save or a running game."""

    file: tyro.conf.Positional[Annotated[Path | None, tyro.conf.arg(metavar="[FILE]")]] = None
    """A raw or PNG save state of mGBA, or a 128 KiB flash save. Without it, --rom or --world starts
    a new game."""
    rom: Path | None = None
    """Emerald's ROM, your own file: plays on from FILE, or a new game. Left out: --world plays
    Jade; without it FILE is read alone."""
    data: tyro.conf.Suppress[tyro.conf.Fixed[Path | None]] = None
    """Not of this command: what `--data` plays has a memory that nobody can read here."""
    json: tyro.conf.FlagCreatePairsOff[bool] = False
    """Print one JSON object; unknown values are null."""
    soft_lock: tyro.conf.FlagCreatePairsOff[bool] = False
    """Repeat the check of a soft-lock saved by `emerald evaluate`; exit status 1: there is a way
    out."""


@dataclass(frozen=True)
class Inspected:
    """What was found in a file or a game."""

    facts: Report  # about the file and the screen, beside the state
    state: GameState | None
    storage: Storage | None


def inspect(file: Path | None, rom: Rom) -> Inspected:
    """Inspects a file or a running game.

    Raises:
        OSError, RomError, SaveError, SaveFileError, StateError: a file cannot be used.
    """
    choice = choice_of(rom)
    if choice.rom is not None or choice.world is not None:
        with open_game(rom) as gba:
            start(gba, file)
            return look(
                gba.memory.read,
                gba.edition,
                {"kind": "running_game", "rom_title": gba.cartridge_title},
            )
    if file is None:
        raise SaveFileError("nothing to inspect: give a FILE, --rom ROM, or --world 0 for Jade")
    content = load(file)
    if isinstance(content, FlashSave):
        return look_into_save(content)
    if not can_read(content.code):
        raise SaveFileError(
            f"{file}: a state of {content.title!r} ({content.code}), whose memory is laid out "
            "differently; only those of Pokémon Emerald and of Jade can be read"
        )
    facts = {
        "kind": "mgba_savestate",
        "rom_title": content.title,
        "rom_code": content.code,
        "rom_crc32": f"{content.rom_crc32:08X}",
    }
    if content.code in CRC32 and content.rom_crc32 != CRC32[content.code]:
        facts["warning"] = "an unknown ROM, whose memory may be laid out differently"
    return look(content.read, edition(content.code), facts)


def start(gba: Game, file: Path | None) -> None:
    """Puts a game into the state to inspect: a save state, a continued save, or a new game.

    Raises:
        OSError, SaveError, SaveFileError, StateError: the file cannot be used with this game.
    """
    if file is not None:
        load_start(gba, file)
    else:
        gba.reset()
        play_until_free(gba)


def look(read: sym.Read, game: Edition, facts: Report) -> Inspected:
    """Returns what a game's memory says."""
    found = examine(read, game)
    playing = read(game.addresses.s_play_time_counter_state, 1)[0]
    started = playing in sym.PLAY_TIME_STATES
    facts = facts | {
        "game_started": started,
        "callback1": callback_name(read, game, sym.MAIN_CALLBACK1),
        "callback2": callback_name(read, game, sym.MAIN_CALLBACK2),
    }
    if isinstance(found, Rejection) and not started:
        found = examine_title(read, game)
    if isinstance(found, Rejection):
        return Inspected(facts | {"unreadable": found.value}, None, None)
    return Inspected(facts, found, read_storage(read, game))


def look_into_save(save: FlashSave) -> Inspected:
    """Returns what is in a flash save."""
    facts: Report = {
        "kind": "flash_save",
        "newest_slot": save.slot,
        "save_counter": save.counter,
        "game_started": None,
        "callback1": None,
        "callback2": None,
    }
    state = decode_save(save.block1, save.block2)
    if isinstance(state, Rejection):
        return Inspected(facts | {"unreadable": state.value}, None, None)
    return Inspected(facts, state, decode_storage(save.storage))


def callback_name(read: sym.Read, game: Edition, offset: int) -> str | None:
    """Returns the name of one of gMain's callbacks, None for null, its address if unknown."""
    pointer = int.from_bytes(read(game.addresses.g_main + offset, 4), "little")
    if not pointer:
        return None
    known = game.screens.get(pointer)
    return known.name if known else f"0x{pointer:08X}"


def as_json(finding: Inspected) -> Report:
    """Returns a finding as one JSON object; keys are always the same, unknown values null."""
    result = finding.facts | unknown_report() | {"pc_storage": None}
    if finding.state is not None:
        result |= report(finding.state)
    if finding.facts["kind"] == "flash_save":
        result |= {"mode": None, "controllable_now": None}
    if finding.storage is not None:
        result["pc_storage"] = storage_report(finding.storage)
    return result


def as_table(finding: Inspected) -> Table:
    """Returns a finding as a table for people."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    rows = [(name.replace("_", " "), str(value)) for name, value in finding.facts.items()]
    if finding.state is not None:
        rows += lines(finding.state)
        rows.append(("done", ", ".join(milestones_done(finding.state)) or "nothing"))
    if finding.storage is not None:
        boxes = finding.storage
        rows.append(("boxes", f"{len(boxes.pokemon)} Pokémon, {boxes.broken} broken"))
    for name, value in rows:
        table.add_row(Text(name), Text(value))
    return table


def check_soft_lock(file: Path | None, rom: Rom) -> int:
    """Repeats the check of a saved soft-lock; returns 0 if it is one, else 1.

    Raises:
        OSError, RomError, SaveFileError, StateError, DataError: a file cannot be used.
    """
    if file is None:
        raise SaveFileError("nothing to check: give the FILE that `emerald evaluate` wrote")
    locked = SoftLock.load(file).is_locked(rom)
    print("a soft-lock: random keys find nothing new" if locked else "no soft-lock: a way out")
    return 0 if locked else 1


@reports_user_errors(status=BAD_INPUT)
def main(arguments: list[str] | None = None) -> int:
    """Runs the command; returns its exit status, 2 if a file cannot be used."""
    options = read_flags(Options, arguments)
    if options.soft_lock:
        return check_soft_lock(options.file, options.choice)
    finding = inspect(options.file, options.choice)
    if options.json:
        facts = {"file": options.file and options.file.name}
        print(json.dumps(facts | as_json(finding)))
    else:
        Console().print(as_table(finding))
    return 0
