"""Measures an agent by the benchmark's protocol, or checks results: `emerald benchmark`."""

import json
import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from baselines.commands.command import reports_user_errors
from baselines.settings.read_flags import read_flags
from emerald_env.env.setting_types import Count, Natural, checked
from emerald_env.files.printable import counted, say, warn
from emerald_env.parallel.worker_error import WorkerError
from emerald_env.recordings.find_recordings import SUFFIX

if TYPE_CHECKING:
    from baselines.checkpoints.manifest import Manifest
    from baselines.playing.benchmark.result_file import Claim

RANDOM, GUIDE = "random", "guide"
GUIDE_ASSISTS = ("memory", "script")
VERIFY = "verify"
DESCRIPTION = """Play an agent's episodes by the protocol of docs/BENCHMARK.md, and write a result
with its recordings. `emerald benchmark verify FILE ...` checks results."""


@checked
@dataclass(frozen=True)
class BenchmarkConfig:
    """An agent, and what its result has to say about it."""

    agent: tyro.conf.Positional[str]
    """A checkpoint (.zip), "jade", a session, "last"; "random" for random keys, "guide" for Jade's
    guide; or a folder of recordings that a learner of yours made (`record_benchmark`)."""
    out: Path
    """The result's file (.json); the recordings go beside it."""
    assists: tuple[str, ...] = ()
    """What helped, all that applies: memory, states, teacher, script; or none. The guide
    needs no such flag."""
    episodes: Annotated[Count, tyro.conf.arg(metavar="N")] = 32
    """Episodes to play, 1000 at most."""
    worlds: str | None = None
    """Worlds of Jade that it was not trained on, such as 1001..1032. Left out: Jade, on waits that
    no training has."""
    env_steps: Natural | None = None
    """Env steps of its training, explored ones too; no fewer than its checkpoint says. Left out:
    these."""
    trained_worlds: str | None = None
    """Worlds that it was trained on. Left out: what the checkpoint says."""
    name: str | None = None
    """The agent's name in the result. Left out: the file's."""
    benchmark: str = "Jade-v1"
    """The version of the game."""

    def __post_init__(self) -> None:
        """Raises ValueError for an impossible setting."""
        if self.out.suffix != ".json":
            raise ValueError(f"--out must end in .json, got {self.out}")
        if self.trained_worlds is not None:
            from emerald_env.jade.cartridge import worlds_of  # slow to load

            try:
                worlds_of(self.trained_worlds)
            except ValueError as error:
                raise ValueError(
                    f"--trained-worlds is {self.trained_worlds!r:.60}: {error}"
                ) from None
        if not 1 <= self.episodes <= 1000:
            raise ValueError(f"episodes must be 1 to 1000, got {self.episodes}")
        if self.agent == GUIDE and self.assists and set(self.assists) != set(GUIDE_ASSISTS):
            raise ValueError(
                f"--assists is {' '.join(self.assists)!r:.60}, but the guide's are "
                f"{' '.join(GUIDE_ASSISTS)}: give these, or leave --assists out"
            )

    @property
    def shown_name(self) -> str:
        """The agent's name in the result."""
        return self.name or Path(self.agent).stem


@dataclass(frozen=True)
class VerifyConfig:
    """Replay a result's recordings and confirm each of its numbers, without anybody's code."""

    files: tyro.conf.Positional[tuple[Path, ...]]
    """Results of `emerald benchmark`. Of several in the same game, with the same assists, the mean
    is shown, too."""
    json: bool = False
    """Print one JSON object a line instead."""


@reports_user_errors(CheckpointError, WorkerError)
def main(arguments: Sequence[str] | None = None) -> int:
    """Measures or verifies with a command line's settings; returns the exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == [VERIFY]:
        return verify_files(read_flags(VerifyConfig, given[1:], prog="emerald benchmark verify"))
    return measure(read_flags(BenchmarkConfig, given, description=DESCRIPTION))


def measure(config: BenchmarkConfig) -> int:
    """Plays the episodes and writes the result; returns the exit status.

    Raises:
        FileExistsError: one of its files is there already.
        CheckpointError, OSError, ValueError, WorkerError: they cannot be played or written; nothing
            was.
    """
    from baselines.playing.benchmark.new_files import all_or_nothing
    from baselines.playing.benchmark.result_file import make_result, write_result

    if config.agent not in (RANDOM, GUIDE) and not config.assists:
        raise ValueError(
            "--assists is missing: say what helped, memory states teacher script as they apply, "
            "or none"
        )
    config.out.parent.mkdir(parents=True, exist_ok=True)
    there = _recordings(config)  # before any is created beside the result
    found = there[: config.episodes]
    with all_or_nothing(_new_files(config, found)):
        claim, names = _recorded(config, found)
        result = make_result(claim, config.out.parent, names)
        write_result(result, config.out)
    show(result)
    _tell_count(config, len(there))
    verify = shlex.join(["emerald", "benchmark", "verify", str(config.out)])
    say(f"wrote {config.out}; check it with   {verify}")
    return 0


def _new_files(config: BenchmarkConfig, found: Sequence[Path]) -> list[Path]:
    """Returns the result's file and the recordings that will be written beside it."""
    names = [_file_name(config, n) + SUFFIX for n in range(len(found) or config.episodes)]
    pairs = zip_longest([config.out.parent / name for name in names], found)
    new = [path for path, source in pairs if source is None or not _is_same(path, source)]
    return [config.out, *new]


def _is_same(path: Path, other: Path) -> bool:
    return path.resolve() == other.resolve()


def _recordings(config: BenchmarkConfig) -> list[Path]:
    """Returns all recordings in a folder that was named as the agent; empty: there is none."""
    return [] if config.agent == GUIDE else sorted(Path(config.agent).glob(f"*{SUFFIX}"))


def _tell_count(config: BenchmarkConfig, recordings: int) -> None:
    """Says how many recordings a folder has, where that is not how many episodes were asked for."""
    if recordings and recordings != config.episodes:
        there = counted(recordings, "recording")
        used = counted(min(recordings, config.episodes), "episode")
        warn(
            f"note: {config.agent} has {there}, and --episodes is {config.episodes:,}: the result "
            f"is of {used}"
        )


def _recorded(config: BenchmarkConfig, found: Sequence[Path]) -> tuple["Claim", list[str]]:
    """Returns what a result claims, and its recordings' files, which are there afterwards."""
    if config.agent == GUIDE:
        return _by_guide(config)
    if found:
        return _from_folder(config, found)
    return _by_policy(config)


def _claim(config: BenchmarkConfig, env_steps: int, **known: Any) -> "Claim":
    from baselines.playing.benchmark.result_file import Claim

    steps = env_steps if config.env_steps is None else config.env_steps
    values = {"assists": config.assists, "trained_worlds": config.trained_worlds} | known
    return Claim(config.benchmark, config.shown_name, steps, worlds=config.worlds, **values)


def _file_name(config: BenchmarkConfig, number: int) -> str:
    stem = re.sub(r"[^\w-]", "_", config.out.stem)[:60]
    return f"{stem}_{number:04}"


def _by_guide(config: BenchmarkConfig) -> tuple["Claim", list[str]]:
    from baselines.games.recorded_play import by_guide
    from baselines.playing.benchmark.recording_player import record_benchmark

    claim = _claim(config, 0, assists=GUIDE_ASSISTS)
    return claim, record_benchmark(
        lambda: by_guide,
        config.out.parent,
        claim.version,
        config.episodes,
        config.worlds,
        lambda number: _file_name(config, number),
        {"observation": "state", "guide": True},
        beside_others=True,
    )


def _from_folder(config: BenchmarkConfig, found: Sequence[Path]) -> tuple["Claim", list[str]]:
    from emerald_env.files.atomic import write_atomically
    from emerald_env.files.data import read_bytes
    from emerald_env.recordings.recording import MAX_FILE_BYTES

    names = [_file_name(config, number) + SUFFIX for number in range(len(found))]
    claim = _claim(config, 0)
    for path, name in zip(found, names, strict=True):
        if not _is_same(path, config.out.parent / name):
            write_atomically(config.out.parent / name, read_bytes(path, MAX_FILE_BYTES))
    return claim, names


def _by_policy(config: BenchmarkConfig) -> tuple["Claim", list[str]]:
    from baselines.commands.play.evaluation_report import shown_progress
    from baselines.playing.benchmark.measuring import games_of, load_player, play_episodes
    from baselines.playing.benchmark.protocol import check_declared
    from baselines.playing.evaluated_player import EvaluatedPlayer

    player = EvaluatedPlayer(RANDOM) if config.agent == RANDOM else load_player(config.agent)
    claim = _claim_of(config, player.manifest)
    check_declared(vars(games_of(player, claim.version)), claim.assists)
    with shown_progress(config.shown_name, config.episodes) as on_step:
        names = play_episodes(
            player,
            claim.version,
            config.worlds,
            config.episodes,
            config.out.parent,
            lambda number: _file_name(config, number),
            on_step,
        )
    return claim, names


def _claim_of(config: BenchmarkConfig, manifest: "Manifest | None") -> "Claim":
    """Returns what a checkpoint's result claims; flags may add to its training, not take away.

    Args:
        config: the flags.
        manifest: the checkpoint's; None: random keys.

    Raises:
        ValueError: a flag says less than the checkpoint.
        BenchmarkError: see `Claim`; or the checkpoint was trained on the worlds it is measured in.
    """
    from baselines.playing.benchmark.measuring import trained_worlds
    from baselines.playing.benchmark.protocol import check_unseen

    steps, worlds = 0 if manifest is None else manifest.num_timesteps, trained_worlds(manifest)
    if config.env_steps is not None and config.env_steps < steps:
        raise ValueError(
            f"--env-steps is {config.env_steps:,}, but {config.agent} was trained for {steps:,}: "
            "give all steps of its training, or leave --env-steps out"
        )
    check_unseen(config.worlds, worlds)
    return _claim(config, steps, trained_worlds=config.trained_worlds or worlds)


def verify_files(config: VerifyConfig) -> int:
    """Verifies results; returns the exit status.

    Raises:
        OSError, BenchmarkError: one cannot be read, or is not true; or the mean would count an
            episode twice.
        ValueError: there is none.
    """
    from baselines.playing.benchmark.independence import check_independent
    from baselines.playing.benchmark.result_file import read_result, verify
    from baselines.playing.intervals import mean

    if not config.files:
        raise ValueError("give the files of results, as `emerald benchmark --out FILE` writes them")
    stated = [read_result(path) for path in config.files]
    has_mean = len(stated) > 1 and are_alike(stated) and not config.json
    if has_mean:
        check_independent(config.files, stated)
    for path in config.files:
        result = verify(path)
        if config.json:
            print(json.dumps(result))
        else:
            say(f"verified: {path}")
            show(result)
    if has_mean:
        value, low, high = mean([result["score"][0] for result in stated])
        low, high = max(low, 0.0), min(high, 1.0)
        say(f"mean score of {len(stated)} results: {value:.3f} ({low:.3f} to {high:.3f})")
    return 0


def are_alike(results: Sequence[dict[str, Any]]) -> bool:
    """Returns whether results are of the same game, with the same assists."""
    kinds = {(r["benchmark"], r["worlds"], tuple(sorted(r["assists"]))) for r in results}
    return len(kinds) == 1


def show(result: dict[str, Any]) -> None:
    """Prints a result for people."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console(highlight=False)
    where = f"worlds {result['worlds']}" if result["worlds"] else "unseen waits"
    table = Table("milestone", "reached in")
    for slug, (value, low, high) in result["shares"].items():
        table.add_row(slug, f"{value:.0%} ({100 * low:.0f} to {100 * high:.0f})")
    console.print(table)
    value, low, high = result["score"]
    episodes = counted(len(result["episodes"]), "episode")
    console.print(
        f"{escape(result['agent'])} on {result['benchmark']}, {where}, {episodes}, "
        f"trained for {result['env_steps']:,} env steps, assists: "
        f"{', '.join(result['assists']) or 'none'}"
    )
    console.print(f"[bold]score {value:.3f}[/] ({low:.3f} to {high:.3f})")
