"""Checks this machine and, on request, a ROM: each line says what was found and how to fix it."""

import platform
import shlex
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any, Literal

import numpy as np
import psutil
from gymnasium import spaces
from rich.console import Console
from rich.table import Column, Table

from baselines.commands.check.package_check import lacking_packages
from baselines.commands.command import reports_user_errors
from baselines.settings.read_flags import read_flags
from baselines.settings.train_config import default_n_envs
from baselines.training.resources import GAME
from emerald_env.emulator import (
    GBA,
    KEYS,
    batches_lines,
    is_compiled_in,
    key_mask,
    libmgba_version,
)
from emerald_env.emulator.static.translate.translation_cache import find_record
from emerald_env.env.actions import action_set
from emerald_env.env.config import EnvConfig, ObservationKind
from emerald_env.env.env import EmeraldEnv
from emerald_env.env.observation import OPTIONS, observation_space
from emerald_env.files.installing import install_command
from emerald_env.files.package_version import package_version
from emerald_env.files.printable import for_rich, printable, reason
from emerald_env.game.choice import GameChoice, Rom, choice_of
from emerald_env.game.code_patterns import FOUND_IN_CODE, found_in_code
from emerald_env.game.editions import Game, open_game
from emerald_env.parallel.cpu_placement import available_cores
from emerald_env.starts.self_check import self_check
from emerald_env.starts.starts import NEW_GAME, prepare_starts

GIB = 1 << 30
TRAINER_BYTES = 2 * GIB
SESSION_BYTES = 2 * GIB  # checkpoints, recordings, and the archive (`state_archive.MAX_BYTES`)
SELF_TEST_STEPS = 250
GAMES_STEPS = 50

Level = Literal["ok", "note", "fail"]


@dataclass(frozen=True)
class CheckLine:
    """One line of the report."""

    level: Level
    what: str
    found: str
    remedy: str = ""


@dataclass(frozen=True)
class DoctorConfig(GameChoice):
    """Check this machine, the emulator and, with --rom, a ROM."""


def check_version() -> CheckLine:
    """Reports which version of this program it is, for whoever reads the report."""
    return CheckLine("ok", "emerald", package_version())


def check_python() -> CheckLine:
    """Reports the interpreter; pip refuses one that is too old."""
    found = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    return CheckLine("ok", "Python", found)


def check_packages() -> Iterator[CheckLine]:
    """Checks the Python packages that this program, training and playing need."""
    try:
        lacking = lacking_packages()
    except PackageNotFoundError:
        yield CheckLine("note", "packages", "not checked: run `make setup` or `pip install -e .`")
        return
    if not lacking:
        yield CheckLine("ok", "packages", "everything needed for training and playing")
    for extra, names in lacking.items():
        what = install_command(extra) if extra else "run `make setup`"
        found = f"{extra or 'every command'} lacks {', '.join(names)}"
        yield CheckLine("note" if extra else "fail", "packages", found, what)


def check_emulator() -> CheckLine:
    """Checks the version of libmgba that the shim was linked with."""
    found = libmgba_version()
    if not found.startswith("0.10."):
        return CheckLine(
            "note", "libmgba", found, "written for 0.10: install that version if games misbehave"
        )
    if not batches_lines():
        slow = f"{found}, not compared yet: games are exact but take up to twice as long"
        return CheckLine("note", "libmgba", slow, "versions 0.10.1, .2 and .5 run at full speed")
    return CheckLine("ok", "libmgba", f"{found}{', compiled in' * is_compiled_in()}")


def check_rom(rom: Rom) -> Iterator[CheckLine]:
    """Identifies a ROM file, or a world of Jade, and opens it as it was chosen."""
    choice = choice_of(rom)
    try:
        gba = open_game(choice)
        if choice.data is not None:
            EmeraldEnv(EnvConfig(**vars(choice))).close()  # has memory at every address named
    except (OSError, ValueError) as error:
        yield CheckLine("fail", "ROM", shlex.join(choice.flags()), reason(error))
        return
    with gba:
        game = gba.edition
        title = f"title {gba.cartridge_title}, code {gba.game_code}, revision {gba.revision}"
        yield CheckLine("ok", "ROM", f"{game.name}, {title}, SHA-1 {game.sha1 or 'not pinned'}")
        if game.is_read:
            yield check_addresses(gba)
        yield check_translation(gba, choice)


def check_translation(gba: GBA, choice: GameChoice) -> CheckLine:
    """Reports how much of what the game executes was compiled (`emerald translate`)."""
    if not is_compiled_in():
        return CheckLine("note", "translation", "needs mGBA compiled in", "make fast")
    record = find_record(gba.memory.rom)
    if record is None:
        command = f"emerald translate {shlex.join(choice.flags())}"
        return CheckLine("note", "translation", "none: games run as they are", command)
    found = f"{record['share']:.1%} of the instructions played when it was made, by"
    return CheckLine("ok", "translation", f"{found} {printable(record['compiler'])}")


def check_addresses(gba: Game) -> CheckLine:
    """Reports how well the addresses are known, and compares them with those in the code."""
    game, screens = gba.edition, f"{len(gba.edition.screens)} screens known"
    if game.code == "JADE":
        return CheckLine("ok", "addresses", f"Jade's own; {screens}")
    code = found_in_code(gba.memory.rom.tobytes())
    equal = sum(getattr(game.addresses, name) == address for name, address in code.items())
    how = "verified on states of the game" if game.is_proved else "not yet verified in the game"
    found = f"{how}; {equal} of {len(FOUND_IN_CODE)} found in the code, {screens}"
    if equal == len(FOUND_IN_CODE):
        return CheckLine("ok", "addresses", found)
    remedy = "check what the rewards pay for, and paste this table into an issue"
    return CheckLine("note", "addresses", found, remedy)


def check_play(rom: Rom) -> Iterator[CheckLine]:
    """Plays a minute of the user's game, and reports what works."""
    remedy = "paste this table into an issue; until then try your own state with --start FILE"
    slower = "games are still exact; paste this table into an issue"
    try:
        (start,) = prepare_starts(rom, NEW_GAME)
        yield CheckLine("ok", "new game", "begins where new games should")
        with open_game(rom) as gba:
            start.restore(gba)
            for what, works, found, matters in self_check(gba):
                if works:
                    yield CheckLine("ok", what, found)
                elif matters:
                    yield CheckLine("fail", what, found, remedy)
                else:
                    yield CheckLine("note", what, found, slower)
    except (OSError, ValueError) as error:
        yield CheckLine("fail", "new game", "could not be started", reason(error))


def fingerprint(gba: GBA) -> str:
    """Returns a hash of the game's work memory and picture."""
    parts = (gba.memory.ewram, gba.memory.iwram, gba.screen.rgb)
    return sha256(b"".join(part.tobytes() for part in parts)).hexdigest()


def play(gba: GBA) -> str:
    """Presses each key in turn; returns the fingerprint at the end."""
    for step in range(SELF_TEST_STEPS):
        gba.step(key_mask(KEYS[step * 7 % len(KEYS)]), hold=8, frames=24)
    return fingerprint(gba)


def check_self_test() -> Iterator[CheckLine]:
    """Runs the built-in game: speed, repeatability, save states."""
    with open_game() as gba, open_game() as other:
        gba.tick(100)
        state = gba.get_state()
        begin = time.perf_counter()
        first = play(gba)
        speed = SELF_TEST_STEPS * 24 / (time.perf_counter() - begin)
        other.set_state(state)
        same = play(other) == first
        gba.set_state(state)
        round_trip = gba.get_state() == state
    found = f"{speed:,.0f} frames/s on one core, {speed / 60:,.0f} times as fast as a console"
    yield CheckLine("ok", "Jade: speed", found)
    remedy = "reinstall libmgba 0.10 and run `make setup` again; report it if that does not help"
    yield CheckLine(
        "ok" if same else "fail", "Jade: repeat", "yes" if same else "no", remedy * (not same)
    )
    found = "restore the same state" if round_trip else "change"
    yield CheckLine(
        "ok" if round_trip else "fail", "Jade: states", found, remedy * (not round_trip)
    )


def check_env(rom: Rom) -> CheckLine:
    """Measures one game in the env, the built-in one or the user's own."""
    seconds, name = _step_seconds(EnvConfig(**vars(choice_of(rom)), start_wait=0))
    return CheckLine("ok", "env", f"{1 / seconds:,.0f} steps/s of {name} on one core")


def check_observations(rom: Rom) -> CheckLine:
    """Measures what each optional part of an observation adds to a step."""
    game = vars(choice_of(rom)) | {"start_wait": 0}
    options: dict[ObservationKind, tuple[str, ...]]
    options = {"state": tuple(OPTIONS), "screen": ("colour",)}
    costs = []
    for observation, names in options.items():
        usual = EnvConfig(**game, observation=observation)
        seconds, _ = _step_seconds(usual)
        for name in names:
            option: dict[str, Any] = {name: True}
            more = _step_seconds(replace(usual, **option))[0] - seconds
            costs.append(f"{name} {max(more, 0.0) * 1e6:,.0f}")
    return CheckLine("ok", "observations", f"more for each step, in µs: {', '.join(costs)}")


def _step_seconds(config: EnvConfig) -> tuple[float, str]:
    """Returns the seconds of one step, and the game's name."""
    with closing(EmeraldEnv(config)) as env:
        env.reset(seed=0)
        begin = time.perf_counter()
        for step in range(SELF_TEST_STEPS):
            env.step(np.int64(step % 15))
        return (time.perf_counter() - begin) / SELF_TEST_STEPS, env.gba.edition.name


def check_games(rom: Rom) -> CheckLine:
    """Measures as many of the user's games at once as the memory check suggests."""
    try:  # needs stable-baselines3, which only training installs
        from emerald_env.parallel.vec_env import SharedMemoryVecEnv
    except ModuleNotFoundError:
        return CheckLine(
            "note", "games", "several at once not measured", "pip install -e '.[train]'"
        )
    config, games = EnvConfig(**vars(choice_of(rom)), start_wait=0), suggested_games()
    actions = spaces.Discrete(len(action_set(config.action_set)))
    makers = [partial(EmeraldEnv, config)] * games
    with closing(SharedMemoryVecEnv(makers, observation_space(config), actions)) as envs:
        envs.reset()
        begin = time.perf_counter()
        for step in range(GAMES_STEPS):
            envs.step(np.full(games, step % int(actions.n)))
        seconds = time.perf_counter() - begin
    return CheckLine(
        "ok", "games", f"{GAMES_STEPS * games / seconds:,.0f} steps/s of {games} games"
    )


def suggested_games() -> int:
    """Returns how many games to run at once: as many as a training does, if memory allows."""
    fits = int((psutil.virtual_memory().available - TRAINER_BYTES) / GAME)
    return max(1, min(default_n_envs(), fits))


def check_memory() -> CheckLine:
    """Checks that memory suffices for training, and suggests how many games to run."""
    free = psutil.virtual_memory().available
    cores = available_cores()
    games = suggested_games()
    found = f"{free / GIB:.1f} GiB free, {cores} cores: run {games} games (--n-envs {games})"
    if free < TRAINER_BYTES:
        return CheckLine(
            "fail", "memory", found, f"training needs {TRAINER_BYTES / GIB:.0f} GiB: close programs"
        )
    return CheckLine("ok", "memory", found)


def check_disk() -> CheckLine:
    """Checks that the disk has room for a session."""
    free = shutil.disk_usage(Path.cwd()).free
    if free < SESSION_BYTES:
        remedy = "a session may take 2 GiB: free some, or use --sessions on another disk"
        return CheckLine("fail", "disk", f"{free / GIB:.1f} GiB free", remedy)
    return CheckLine("ok", "disk", f"{free / GIB:.1f} GiB free")


def check_gpu() -> CheckLine:
    """Looks for an NVIDIA GPU."""
    if shutil.which("nvidia-smi") is None:
        faster = "train with --bf16, which is faster on this CPU" if cpu_has_amx() else ""
        return CheckLine("note", "GPU", "none found: the network runs on the CPU", faster)
    query = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader"]
    answer = subprocess.run(query, capture_output=True, text=True)
    if answer.returncode:
        return CheckLine("fail", "GPU", answer.stdout.strip(), "the driver does not answer: reboot")
    return CheckLine("ok", "GPU", answer.stdout.strip())


def cpu_has_amx(info: Path = Path("/proc/cpuinfo")) -> bool:
    """Returns whether the processor multiplies matrices in bfloat16 (Intel's AMX)."""
    return info.is_file() and "amx_bf16" in info.read_text()


def examine(choice: GameChoice) -> Iterator[CheckLine]:
    """Yields every finding as it is made; a check that crashes is a finding, too.

    Args:
        choice: the game to play; Jade as it comes is checked in less detail.
    """
    parts = (check_version, check_python, check_emulator, check_memory, check_disk, check_gpu)
    for check in parts:
        yield from _surviving(check.__name__, check)
    yield from _surviving("packages", check_packages)
    yield from _surviving("Jade", check_self_test)
    if choice == GameChoice():
        yield from _surviving("env", check_env, None)
        yield from _surviving("observations", check_observations, None)
        return
    findings = list(_surviving("ROM", check_rom, choice))
    yield from findings
    if any(finding.level == "fail" for finding in findings):
        return
    has_state = choice.data is None  # another game's cannot be read
    if has_state:
        yield from _surviving("new game", check_play, choice)
    yield from _surviving("env", check_env, choice)
    if has_state:
        yield from _surviving("observations", check_observations, choice)
    yield from _surviving("games", check_games, choice)


def _surviving(
    what: str, check: Callable[..., CheckLine | Iterator[CheckLine]], *arguments: Rom
) -> Iterator[CheckLine]:
    what = what.removeprefix("check_")
    try:
        found = check(*arguments)
        yield from [found] if isinstance(found, CheckLine) else found
    except (OSError, ValueError) as error:  # their messages say what to do
        yield CheckLine("fail", what, reason(error))
    except Exception as error:
        told = f"the check itself failed: {type(error).__name__}: {reason(error)}"
        yield CheckLine("fail", what, told, "paste this table into an issue")


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the report; returns 1 if something must be fixed, else 0."""
    config = read_flags(DoctorConfig, arguments)
    console = Console(highlight=False)
    colours = {"ok": "green", "note": "yellow", "fail": "red"}
    failed = False
    for finding in examine(config.choice):
        failed = failed or finding.level == "fail"
        colour = colours[finding.level]
        line = Table.grid(
            Column(min_width=4, justify="right"), Column(min_width=12), padding=(0, 1)
        )
        line.add_row(f"[{colour}]{finding.level}[/]", finding.what, for_rich(finding.found))
        if finding.remedy:
            line.add_row("", "", f"-> {for_rich(finding.remedy)}")
        console.print(line)
    return int(failed)
