"""Scenes that last about as long as Emerald's: more words, and frames that pass by themselves."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from emerald_env.files.data import read_toml
from emerald_env.jade.maps import MapId
from emerald_env.jade.worlds.rom_tables import (
    ASK,
    COMMAND,
    GOTO,
    IF_VAR_BELOW,
    NOTE,
    PAUSE,
    SAY,
    RomTables,
)

EMERALD_SCENES: Final = Path(__file__).with_name("emerald_scenes.toml")
SCRIPTS = 8  # offset in a map's header: what it runs when the player arrives, and when he can walk
LONGEST: Final = 900  # letters that one command speaks (jade/src/text/text.c has room for some 980)
CHALLENGE = 4  # in a fight that somebody asks for (jade/src/events/trainer.h)
END: Final = bytes(COMMAND.size)


def lengthen(tables: RomTables) -> None:
    """Lets the scenes of a world last as `EMERALD_SCENES` says.

    Args:
        tables: of a world that jade_full.gba runs.

    Raises:
        ValueError: nobody speaks words that are to be added to.
    """
    scenes = read_toml(EMERALD_SCENES)
    speeches = list(spoken(tables))
    for start, scene in scenes["said"].items():
        found = [(command, text) for command, text in speeches if text.startswith(start)]
        if not found:
            raise ValueError(f"{EMERALD_SCENES.name}: nobody says {start!r}")
        for command, text in found:
            _add(tables, command, scene.get("pause", 0), _joined(text, scene.get("more", "")))
    duels = [each.script for at in tables.headers for each in tables.people(at) if each.fights]
    for start, more in scenes["challenged"].items():
        for duel in duels:
            text = tables.text(tables.word(duel + CHALLENGE))
            if text.startswith(start):
                tables.pack("<I", duel + CHALLENGE, tables.add_text(_joined(text, more)))
                break
        else:
            raise ValueError(f"{EMERALD_SCENES.name}: nobody asks for a fight by {start!r}")
    for name, scene in scenes["entered"].items():
        group, number = map(int, name.split("."))
        _enter(tables, (group, number), scene)


def _joined(text: str, more: str) -> str:
    return "\n".join(filter(None, (text, more)))


def spoken(tables: RomTables) -> Iterator[tuple[int, str]]:
    """Yields the addresses of all commands that speak, with what they say."""
    for command in sorted(set().union(*map(tables.map_commands, tables.headers))):
        operation, *_, pointer = COMMAND.unpack(tables.read(command, COMMAND.size))
        if operation in (SAY, ASK, NOTE):
            yield command, tables.text(pointer)


def _add(tables: RomTables, command: int, pause: int, text: str) -> None:
    """Puts a pause before a command that speaks, and other words into it."""
    operation, who, *numbers, _ = COMMAND.unpack(tables.read(command, COMMAND.size))
    *before, last = _speeches(text)
    rows = [COMMAND.pack(PAUSE, 0, pause, 0, 0, 0)]
    rows += [COMMAND.pack(SAY, 0, 0, 0, 0, tables.add_text(speech)) for speech in before]
    rows.append(COMMAND.pack(operation, who, *numbers, tables.add_text(last)))
    rows.append(COMMAND.pack(GOTO, 0, 0, 0, 0, command + COMMAND.size))
    tables.pack(COMMAND.format, command, GOTO, 0, 0, 0, 0, tables.add(b"".join(rows)))


def _speeches(text: str) -> list[str]:
    """Returns the pages of a text in parts that are short enough for the engine."""
    speeches = [""]
    for page in text.split("\n"):
        joined = _joined(speeches[-1], page)
        if len(joined) > LONGEST:
            speeches.append(page)
        else:
            speeches[-1] = joined
    return speeches


def _enter(tables: RomTables, at: MapId, scene: dict[str, int | str]) -> None:
    """Gives a map that runs nothing when the player enters it a scene of its own."""
    arrive, enter = tables.map_scripts(at)
    if enter:
        raise ValueError(f"{EMERALD_SCENES.name}: map {at} has a scene already")
    rows = COMMAND.pack(PAUSE, 0, scene["pause"], 0, 0, 0)
    if "says" in scene:
        rows += COMMAND.pack(SAY, 0, 0, 0, 0, tables.add_text(str(scene["says"])))
    shown = tables.add(rows + END)
    asked = COMMAND.pack(IF_VAR_BELOW, 0, scene["variable"], scene["below"], 0, shown)
    scripts = arrive.to_bytes(4, "little") + tables.add(asked + END).to_bytes(4, "little")
    tables.pack("<I", tables.headers[at] + SCRIPTS, tables.add(scripts))
