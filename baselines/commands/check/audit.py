"""Audits walks: `emerald audit [WALK ...] [--reward PRESET ...]`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from baselines.commands.command import reports_user_errors
from baselines.settings.read_flags import read_flags
from emerald_env.env.setting_types import Count, Share, checked
from emerald_env.files.output_files import check_picture
from emerald_env.game.choice import GameChoice
from emerald_env.game.editions import open_game
from emerald_env.jade.cartridge import worlds_of
from emerald_env.jade.maps import Stuck
from emerald_env.recordings.find_recordings import SESSIONS, SUFFIX, best_recording
from emerald_env.recordings.recording import Recording
from emerald_env.starts.progress_line import ProgressLine
from rewards.audit.audit_tables import (
    closest_cell,
    detail,
    markdown,
    story_table,
    summary,
    terms_table,
    worlds_table,
)
from rewards.audit.audited_walk import Walk
from rewards.audit.auditor import ROUNDS, AuditReport, audits
from rewards.audit.jade_walks import (
    PREFIX,
    JadeWalk,
    check_winnable,
    jade_walk_names,
    recorded_walk,
)
from rewards.audit.scripted import walk_names
from rewards.audit.sources import open_walk
from rewards.audit.tourist import compare, walks
from rewards.preset import Preset, distinct, load_presets, parse_weights, preset_names

WALKS = (
    f"What to follow: a scripted walk ({', '.join(walk_names())}), a file of JSON lines (see "
    f"rewards/audit/scripted.py), a save state of mGBA, a recorded episode ({SUFFIX}; or "
    f'a session or "last", for its best), which is played again, or'
    f" an exploit that is played in the built-in game "
    f'({", ".join(jade_walk_names())}; "jade": all of them). Without any, all scripted '
    f"walks are audited."
)
PRESETS = f"{', '.join(preset_names())}, TOML files, or my_reward.py:reward."


@checked
@dataclass(frozen=True)
class AuditConfig(GameChoice):
    """Follow walks through the game and report what paid, for which keys, and what can be farmed.

    The exit status is 1 if a loop can be farmed, 2 if something cannot be read.
    """

    walks: tyro.conf.Positional[
        Annotated[tuple[str, ...], tyro.conf.arg(metavar="[WALK ...]", help=WALKS)]
    ] = ()
    reward: Annotated[tuple[str, ...], tyro.conf.arg(help=PRESETS)] = ("default",)
    weight: Annotated[tuple[str, ...], tyro.conf.arg(aliases=("--reward-weights",))] = ()
    """Weights in place of the presets', each as term=weight."""
    reward_code: tuple[str, ...] = ()
    """Python files of your own with terms that a preset lists, as my_terms.py:Wealth."""
    rounds: Count = ROUNDS
    """How many times to repeat the loop."""
    json: tyro.conf.FlagCreatePairsOff[bool] = False
    """Print the reports as JSON."""
    markdown: tyro.conf.FlagCreatePairsOff[bool] = False
    """Print the rounds as a Markdown table, a row per walk and a column per preset."""
    picture: Path | None = None
    """Plot what was paid over time into this file."""
    terms: tyro.conf.FlagCreatePairsOff[bool] = False
    """Only list the presets' terms, and what each can pay between two milestones."""
    story: tyro.conf.FlagCreatePairsOff[bool] = False
    """Only play Jade's story, and compare it with sightseeing from each milestone on."""
    gamma: Share = 1.0
    """With --story: the discount of each step; training's default is 0.997."""
    worlds: str | None = None
    """With --story: several worlds, such as 0..9 or 1..5:emerald. Print for each where the story
    pays fewest times what sightseeing does, without a discount and with that of --gamma."""

    def __post_init__(self) -> None:
        """Raises ValueError if no term pays, for a bad picture path, or an output of no walk."""
        if not self.reward:
            raise ValueError("--reward names no preset")
        if (self.terms or self.story) and (self.json or self.markdown or self.picture):
            given = "--terms" if self.terms else "--story"
            raise ValueError(
                f"--json, --markdown and --picture are for audited walks: {given} prints a table "
                "for people, leave them out"
            )
        if self.json and self.markdown:
            raise ValueError("--json and --markdown are two outputs: leave one out")
        if self.gamma != 1.0 and not self.story:
            raise ValueError("--gamma is for --story: add it, or leave --gamma out")
        self._check_worlds()
        check_picture(self.picture)

    def _check_worlds(self) -> None:
        if self.worlds is not None:
            if not self.story or self.world is not None:
                raise ValueError("--worlds is for --story, in place of --world")
            worlds_of(self.worlds)


@reports_user_errors(Stuck, status=2)
def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    config = read_flags(AuditConfig, arguments)
    if config.choice != GameChoice():
        open_game(config.choice).stop()
    weights, code = parse_weights(config.weight), config.reward_code
    presets = load_presets(config.reward, weights, code)
    if config.terms:
        Console().print(*(terms_table(preset) for preset in presets))
        return 0
    if config.story:
        _show_story(config, presets)
        return 0
    names = _names(config)
    if config.picture and len(names) * len(presets) != 1:
        found = len(names) * len(presets)
        raise ValueError(f"--picture draws one walk under one preset, got {found} of them")
    reports = _audit(config, names, presets)
    if config.picture:
        _plot(reports[0], config.picture)
    _show(reports, config)
    return int(any(report.farmable for report in reports))


def _show_story(config: AuditConfig, presets: Sequence[Preset]) -> None:
    if config.worlds is None:
        played = walks(config.world)
        tables = (story_table(each, compare(each, played, config.gamma)) for each in presets)
        Console().print(*tables)
        return
    kinds = [(preset, gamma) for preset in presets for gamma in sorted({1.0, config.gamma})[::-1]]
    table = worlds_table([f"{preset.name}, discount {gamma:g}" for preset, gamma in kinds])
    with ProgressLine("playing the story") as progress:
        for world in worlds_of(config.worlds).names():
            progress.show(f"in world {world}")
            played = walks(world)
            cells = (closest_cell(compare(preset, played, gamma)) for preset, gamma in kinds)
            table.add_row(world, *cells)
    Console().print(table)


def _names(config: AuditConfig) -> Sequence[str]:
    """Returns the walks that are meant; "jade" means all exploits."""
    names = config.walks or walk_names()
    if "jade" in names:
        return [name for name in names if name != "jade"] + jade_walk_names()
    return names


def _audit(
    config: AuditConfig, names: Sequence[str], presets: Sequence[Preset]
) -> list[AuditReport]:
    openers = [_opener(name, config.choice) for name in names]  # all, before the first is played
    reports = []
    with ProgressLine("auditing") as progress:
        for number, (name, opener) in enumerate(zip(names, openers, strict=True), 1):
            progress.show(f"{name}, {number} of {len(names)}")
            reports.append(_audit_walk(opener(), presets, config.rounds))
    own = distinct([on_walk[0].walk for on_walk in reports], names)
    pairs = zip(own, reports, strict=True)
    return [replace(report, walk=name) for name, on_walk in pairs for report in on_walk]


def _audit_walk(walk: Walk, presets: Sequence[Preset], rounds: int) -> list[AuditReport]:
    with closing(walk) if isinstance(walk, JadeWalk) else nullcontext():
        return audits(walk, presets, rounds)


def _opener(name: str, choice: GameChoice) -> Callable[[], Walk]:
    """Returns what opens a walk; whatever can be refused without a game is refused here."""
    if name in jade_walk_names():
        check_winnable(name, choice.world)
        return partial(JadeWalk, name.removeprefix(PREFIX), world=choice.world)
    if name.startswith(PREFIX) and not Path(name).is_file():
        raise FileNotFoundError(f"no walk {name!r}: there are {', '.join(jade_walk_names())}")
    if name.endswith(SUFFIX) or name == "last" or _is_session(name):
        path = best_recording(name)
        Recording.load(path)
        return partial(recorded_walk, path, choice)
    walk = open_walk(name)
    return lambda: walk


def _is_session(name: str) -> bool:
    return name not in walk_names() and any((p / name).is_dir() for p in (Path(), SESSIONS))


def _plot(report: AuditReport, path: Path) -> None:
    # matplotlib is slow to import
    from rewards.audit.audit_plot import plot

    plot(report, path)


def _show(reports: Sequence[AuditReport], config: AuditConfig) -> None:
    if config.json:
        print(json.dumps([report.as_dict() for report in reports], indent=2))
    elif config.markdown:
        print(markdown(reports))
    elif len(reports) == 1:
        Console().print(detail(reports[0]))
    else:
        Console().print(summary(reports))
