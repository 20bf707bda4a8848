"""Makes another world of Jade, paints it, or plays it through: `emerald jade 7 --out FILE`."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import combinations
from os.path import realpath
from pathlib import Path
from statistics import median
from time import process_time
from typing import Annotated, Literal, TypeVar

import tyro
from rich.console import Console
from rich.table import Table

from baselines.commands.command import reports_user_errors
from baselines.games.recorded_play import by_guide, record_play
from baselines.settings.game_config import GameConfig
from baselines.settings.game_defaults import game_defaults
from baselines.settings.read_flags import read_flags
from emerald_env.emulator import GBA
from emerald_env.files.data import read_toml
from emerald_env.files.output_files import check_folder, check_output, check_picture, write_output
from emerald_env.files.printable import warn
from emerald_env.game.tables import milestones
from emerald_env.jade.cartridge import JADE_IDLE_LOOP, world_rom, worlds_of
from emerald_env.jade.editing import edited, written
from emerald_env.jade.journey import STARTERS, journey
from emerald_env.jade.maps import Stuck
from emerald_env.jade.painting import paint_world
from emerald_env.jade.worlds.guidance.guide import Guide
from emerald_env.jade.worlds.guidance.world_story import Story
from emerald_env.jade.worlds.rom_tables import RomTables
from emerald_env.recordings.find_recordings import recording_in
from emerald_env.recordings.recording import Recording

T = TypeVar("T")
ENDS = ("visited_oldale", "pokedex", "visited_petalburg", "visited_rustboro", "badge_1", "badge_2")
COAST_ENDS = ("visited_slateport", "visited_mauville", "badge_3", "visited_lavaridge", "badge_4")
LONGEST_WALK = 200_000  # steps of a recording, if the guide does not reach the end of the story


@dataclass(frozen=True)
class JadeConfig:
    """Make a world of Jade from its number: the same story on other maps."""

    world: tyro.conf.Positional[str]
    """The world's number, its size, its demands: 7, 7:large, 7:demanding, 7:large:emerald,
    7:paced. 0 is Jade as it comes.

    Several are made, which proves on their tables that the story can be played, or walked:
    0..9, 1..100:large:demanding.
    """
    out: Path | None = None
    """Write its ROM into this file."""
    map: Path | None = None
    """Paint all its maps into this picture."""
    tables: Path | None = None
    """Write its tables into this file, TOML to edit: who lives in the grass, trainers, where people
    and things are, what they say and give, what is demanded."""
    changes: Annotated[Path | None, tyro.conf.arg(name="with")] = None
    """Change its tables as in this file, which --tables has written and you have edited."""
    walk: bool = False
    """Play it through by keys, and print the step of each milestone; status 1 unless all."""
    starter: Literal["left", "middle", "right", "each"] = "middle"
    """With --walk: who is chosen: Treecko, Mudkip, Torchic, or each of them in turn."""
    record: Path | None = None
    """With --walk: record a second walk, from a new game, in this folder, to teach an agent."""
    json: bool = False
    """Print one JSON object; of several worlds or walks one a line, and a summary as the last."""

    def __post_init__(self) -> None:
        """Raises ValueError where a file cannot be written, or flags do not fit."""
        if self.record is not None and not self.walk:
            raise ValueError("--record records a walk: give --walk, too")
        other = self.out or self.map or self.record or self.tables or self.changes
        if self.are_many and other:
            raise ValueError("several worlds are made or walked: give nothing, or --walk, alone")
        if self.starter != "middle" and not self.walk:
            raise ValueError(f"--starter {self.starter} is for walks: give --walk, too")
        if self.record is not None and self.changes is not None:
            raise ValueError("--record names the world, not --with: give --out, and record its ROM")
        self._check_outputs()

    def _check_outputs(self) -> None:
        """Raises ValueError where a file cannot be written, or would be written over another."""
        files = {"--out": self.out, "--map": self.map, "--tables": self.tables}
        given = [(flag, realpath(path)) for flag, path in files.items() if path is not None]
        for (flag, path), (other, same) in combinations(given, 2):
            if path == same:
                raise ValueError(f"{flag} and {other} name one file, {path}: give another to one")
        check_picture(self.map)
        check_output(self.out)
        check_output(self.tables)
        check_folder(self.record)
        if self.record is not None and recording_in(self.record, 0).exists():
            raise ValueError(
                f"{self.record} has a recording of another walk: give a new folder to --record"
            )

    @property
    def are_many(self) -> bool:
        """Whether more than one world or walk is asked for."""
        return ".." in self.world or self.starter == "each"


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Makes a world; returns the exit status, 1 where its story cannot be played to the end."""
    config = read_flags(JadeConfig, arguments)
    if config.are_many:
        return _walk_many(config) if config.walk else _make_many(config)
    rom = world_rom(config.world)
    if config.changes is not None:
        rom = edited(rom, read_toml(config.changes))
    if config.tables is not None:
        write_output(config.tables, written(rom, config.world).encode())
    if config.out is not None:
        write_output(config.out, rom)
    if config.map is not None:
        from matplotlib.image import imsave

        imsave(config.map, paint_world(RomTables(rom)))
    reached, problem = walk(rom, config.starter) if config.walk else ({}, "")
    unfinished = config.record is not None and not _record(config.record, config, rom)
    if config.json:
        print(json.dumps({"world": config.world, "steps": reached, "problem": problem}))
    elif config.walk:
        _show(reached, problem)
    elif not (config.out or config.map or config.tables):
        print(f"world {config.world} is made: --out FILE writes its ROM, --walk plays it through")
    return int(bool(problem) or unfinished)


@dataclass
class ManyWalks:
    """What came of many walks, and what they cost.

    Attributes:
        played: how many there were.
        ended: how many of them reached the end of the story.
        making: seconds of processor time for each world.
        walking: the same for each walk.
    """

    played: int = 0
    ended: int = 0
    making: list[float] = field(default_factory=list)
    walking: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.ended:,} of {self.played:,} walks reach the end of the story; processor time, "
            f"median and longest: making a world {_range(self.making)}, a walk "
            f"{_range(self.walking)}"
        )


def _make_many(config: JadeConfig) -> int:
    """Prints a line for each world that cannot be played, and a summary; returns 1 for such."""
    seconds: list[float] = []
    failed = 0
    for world in worlds_of(config.world).names():
        try:
            _timed(seconds, partial(world_rom, world))
        except Stuck as problem:
            failed += 1
            row = {"world": world, "problem": str(problem)}
            print(json.dumps(row) if config.json else problem, flush=True)
    made = {"made": len(seconds), "failed": failed, "seconds": seconds}
    text = (
        f"{len(seconds):,} of {len(seconds) + failed:,} worlds made, in which the story can be "
        f"played to its end; processor time, median and longest: {_range(seconds)}"
    )
    print(json.dumps(made) if config.json else text)
    return int(failed > 0)


def _walk_many(config: JadeConfig) -> int:
    """Prints a line for each walk, and a summary; returns 1 unless all reach the story's end."""
    walks = ManyWalks()
    for world in worlds_of(config.world).names() if ".." in config.world else [config.world]:
        rom = _timed(walks.making, partial(world_rom, world))
        for starter in STARTERS if config.starter == "each" else [config.starter]:
            reached, problem = _timed(walks.walking, partial(walk, rom, starter))
            walks.played += 1
            walks.ended += not problem
            row = {"world": world, "starter": starter, "steps": reached, "problem": problem}
            ends = (*ENDS, *(name for name in COAST_ENDS if name in reached))
            text = ", ".join(f"{name} {reached.get(name, '-')}" for name in ends)
            line = f"{world} {starter}: {text} {problem}".rstrip()
            print(json.dumps(row) if config.json else line, flush=True)
    print(json.dumps(asdict(walks)) if config.json else walks)
    return int(walks.ended < walks.played)


def _timed(spent: list[float], work: Callable[[], T]) -> T:
    """Returns what some work gives, and adds the processor time that it took."""
    begin = process_time()
    result = work()
    spent.append(process_time() - begin)
    return result


def _range(seconds: list[float]) -> str:
    if not seconds:
        return "none"
    return f"{median(seconds):.2f} and {max(seconds):.2f} s"


def walk(rom: bytes, starter: str = "middle") -> tuple[dict[str, int], str]:
    """Returns the step in which a guide's keys reach each milestone, and what stopped them."""
    reached: dict[str, int] = {}
    with GBA(rom, idle_loop=JADE_IDLE_LOOP) as gba:
        try:
            for name, step in journey(gba, Guide(rom), starter=starter):
                reached[name] = step
        except Stuck as problem:
            return reached, str(problem)
    return reached, ""


def _record(folder: Path, config: JadeConfig, rom: bytes) -> bool:
    """Records a walk and says so; returns whether it reaches the end of the story."""
    path = record_walk(folder, config.world, config.starter)
    recording = Recording.load(path)
    warn(
        f"recorded {path}, {recording.n_steps:,} steps: another walk of the guide "
        "than the one shown, begun after another wait"
    )
    last = Story(rom).errands[-1]
    slugs = {(each.kind, each.id): each.slug for each in milestones()}
    if slugs[last.kind, last.number] in recording.milestones:
        return True
    warn(f"{path} does not reach {last.name}, the end of the story: try another --starter")
    return False


def record_walk(folder: Path, world: str, starter: str) -> Path:
    """Plays a world by its guide, from a new game, and returns the recording's file.

    The game ends with the story, or after `LONGEST_WALK` steps without its end.

    Raises:
        OSError: the folder cannot be written.
    """
    named = None if world == "0" else world
    game = GameConfig(
        world=named,
        observation="dict",
        guide=True,
        episode_length=LONGEST_WALK,
        patience=None,
        disturb=() if starter == "middle" else (f"starter={STARTERS.index(starter) + 1}",),
        **game_defaults(None, "dict", named),
    )
    return record_play(by_guide, folder, game)[0]


def _show(reached: dict[str, int], problem: str) -> None:
    table = Table("milestone", "step", box=None)
    for name, step in reached.items():
        table.add_row(name, f"{step:,}")
    console = Console(highlight=False)
    console.print(table)
    if problem:
        console.print(problem)
