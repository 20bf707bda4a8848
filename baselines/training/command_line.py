"""A training from its command line: the settings, their checks, and what errors become."""

import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from baselines.checkpoints.downloads import is_address
from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from baselines.checkpoints.manifest import read_manifest
from baselines.checkpoints.trained import checkpoint_to_resume, find_checkpoint
from baselines.diagnostics.finding import CollapseError
from baselines.runs.session_folder import Session
from baselines.settings.fitting import chosen, fitting, given, with_eyes, with_hyphens, with_ways
from baselines.settings.game_config import GameConfig
from baselines.settings.read_flags import read_flags
from baselines.settings.train_config import ONLY_BY_FLAG, TrainConfig
from baselines.training.same_network import WITHOUT_PLACES, same_network
from emerald_env.env.setting_types import from_json
from emerald_env.files.own_code import parse_address
from emerald_env.files.printable import complain, warn
from emerald_env.game.rom_file import game_code
from emerald_env.parallel.worker_error import WorkerError
from emerald_env.recordings.find_recordings import SESSIONS

# What a run begins with; one that resumes has its name, weights, archive and clone already.
ONLY_AT_FIRST = ("name", "init_from", "archive", "ways", "clone")
COLLAPSED = 3  # exit status
GPUS = (Path("/dev/nvidiactl"), Path("/dev/dxg"))  # what the drivers make; the second under WSL


def train_from_flags(
    arguments: Sequence[str] | None = None, trainer: Callable[[TrainConfig], int] | None = None
) -> int:
    """Trains with the settings of a command line.

    Args:
        arguments: the command line; None: this process's own.
        trainer: runs the training. None: `baselines.training.phases.train`.

    Returns:
        The exit status: 0 when all steps were done, 128 + the signal's number when one ended it
        (all is saved, unless it was the second one), 1 after an error that the user can mend, 3 if
        the policy collapsed and `--on-collapse` ended the run or could not save it.
    """
    try:
        config = parse(arguments)
        if config.env.rom is not None:
            game_code(config.env.rom)
        if config.resume is not None:
            # quick, and what follows loads slowly
            checkpoint_to_resume(Session(Path(config.resume)), config.total_timesteps)
        from baselines.training.checks import check  # slow to load

        fitted = check(config)
        from baselines.training import phases  # slower

        return _trained(fitted, trainer or phases.train)
    except (CheckpointError, OSError, ValueError, WorkerError) as error:
        return complain(error)


def _trained(config: TrainConfig, trainer: Callable[[TrainConfig], int]) -> int:
    try:
        return trainer(config)
    except CollapseError as error:
        return complain(error, COLLAPSED)
    except KeyboardInterrupt:
        print("ended at once: everything after the last checkpoint is lost", file=sys.stderr)
        return 128 + signal.SIGINT


def parse(arguments: Sequence[str] | None = None) -> TrainConfig:
    """Returns the settings of a command line, None for this process's own.

    With `--resume` the session's settings are the defaults, without it those that fit the game and
    the teacher, and with `--init-from` those of the checkpoint's network; flags change them.

    Raises:
        SystemExit: after `--help`, or after saying what is wrong with a flag.
        FileNotFoundError: there is no such session.
        FileNotFoundError, DownloadError, CheckpointError: see `begun_with`.
        ValueError: see `check_places`, `check_own_code`, `check_teacher` and `check_beginning`.
    """
    words = with_ways(with_hyphens(sys.argv[1:] if arguments is None else arguments))
    words = with_eyes(words, lambda: learns_on_gpu(words))
    resumed = chosen(words, "--resume")
    if resumed is None:
        default = from_json(TrainConfig, begun_with(words, fitting(words)))
        begun: TrainConfig = read_flags(TrainConfig, words, default=default)
        check_places(begun)
        return begun
    session = Session.find(sessions_of(words), resumed)
    saved = without_unpaid(TrainConfig.load(session.config), session.folder)
    check_own_code(saved, words, session.folder)
    check_teacher(saved, words, session.folder)
    default = without_flags(saved, given(words, "--reward"))
    config: TrainConfig = read_flags(TrainConfig, words, default=default)
    check_beginning(saved, config, session.folder)
    begun_as = {name: getattr(saved, name) for name in ONLY_AT_FIRST}
    return replace(config, resume=str(session.folder), **begun_as)


def sessions_of(words: Sequence[str]) -> Path:
    """Returns the folder of the sessions."""
    return Path(given(words, "--sessions") or SESSIONS)


def begun_with(words: Sequence[str], settings: dict[str, Any]) -> dict[str, Any]:
    """Returns settings with those of the checkpoint's network that a command line begins with.

    Raises:
        FileNotFoundError, DownloadError, CheckpointError: there is no such checkpoint, or it cannot
            be used.
    """
    name = chosen(words, "--init-from")
    if name is None:
        return settings
    same = same_network(read_manifest(find_checkpoint(name, sessions_of(words))))
    if chosen(words, "--worlds") is not None:
        same |= WITHOUT_PLACES  # of one world
    return settings | same | {"env": settings.get("env", {}) | same["env"]}


def learns_on_gpu(words: Sequence[str]) -> bool:
    """Returns whether a command line's run learns on a GPU; not on a device that torch refuses."""
    device = given(words, "--device") or "auto"
    if device == "auto" and not any(path.exists() for path in GPUS):
        return False
    from stable_baselines3.common.utils import get_device  # slow to load

    try:
        return get_device(device).type != "cpu"
    except RuntimeError:  # no such device, which `check_device` reports
        return False


def check_places(config: TrainConfig) -> None:
    """Checks that the network of a new run embeds no places that it is shown normalised.

    Sessions and checkpoints of earlier versions may have both: they resume, and a run may begin
    with their network.

    Raises:
        ValueError: it does.
    """
    game, policy = config.env, config.policy
    ours = game.wrapper is None and parse_address(config.network) is None
    embeds = ours and policy.embed_places and game.observation != "screen"
    if embeds and policy.normalize_observations and config.init_from is None:
        raise ValueError(
            "the embedding of places looks maps and tiles up, which normalised numbers no longer "
            "name: with --normalize-observations give --no-embed-places"
        )


def without_unpaid(saved: TrainConfig, folder: Path) -> TrainConfig:
    """Returns a session's settings without a preset's weights and code beside `data`.

    Versions that took them there paid nothing for them.
    """
    game = saved.env
    unpaid = (*game.reward_weights, *game.reward_code)
    if game.data is None or game.reward != GameConfig.reward or not unpaid:
        return saved
    warn(
        f"note: {folder} has {' '.join(unpaid)} of a preset, which reads Emerald's memory and with "
        "--data paid nothing: the run goes on without"
    )
    return replace(saved, env=replace(game, reward_weights=(), reward_code=()))


def check_own_code(saved: TrainConfig, words: Sequence[str], folder: Path) -> None:
    """Checks that Python files that a session names are named on the command line again.

    Raises:
        ValueError: neither they nor others in their place are.
    """
    left_out = [flag for flag in saved.own_code if given(words, flag.split()[0]) is None]
    if left_out:
        raise ValueError(
            f"{folder} has Python code of its owner's, which runs only if the command line names "
            f"it: if it is yours, give {' '.join(left_out)} again"
        )


def check_teacher(saved: TrainConfig, words: Sequence[str], folder: Path) -> None:
    """Checks that a teacher that the session may not or cannot name is on the command line.

    Raises:
        ValueError: it is not.
    """
    if given(words, "--teacher") is not None or saved.teacher is None:
        return
    if is_address(saved.teacher):
        raise ValueError(
            f"{folder} has a teacher at an address, which is loaded only if the command line names "
            f"it: if you trust it, give --teacher {saved.teacher} again"
        )
    if saved.teacher == "last":  # of a version that did not keep the path
        raise ValueError(
            f'{folder} was begun with --teacher last, and "last" may be another checkpoint now: '
            "give --teacher FILE with the one that it was"
        )


def check_beginning(saved: TrainConfig, config: TrainConfig, folder: Path) -> None:
    """Checks that a resumed run is not to begin with anything else than its session did.

    Raises:
        ValueError: it is; the message names the flag.
    """
    for name in ONLY_AT_FIRST:
        before, now = getattr(saved, name), getattr(config, name)
        if now == before or (name == "init_from" and _same_weights(before, now, config)):
            continue
        flag = with_hyphens([f"--{name}"])[0]
        was = f"with {flag} {_shown(before)}" if before else f"without {flag}"
        raise ValueError(
            f"{flag} {_shown(now)}: only a new run begins with it, and {folder} was begun {was}: "
            f"leave {flag} out, or leave --resume out to begin a new run"
        )


def _same_weights(saved: str | None, named: str | None, config: TrainConfig) -> bool:
    """Returns whether a checkpoint may be the one that a session began with, by another name."""
    if saved is None or named is None:
        return False
    if named == "last" or is_address(named):
        return True  # which one it was then is kept
    begun_with = Path(saved)  # perhaps the latest then of a session
    places = [
        Path(named).resolve(),
        *((folder / named).resolve() for folder in (config.sessions, SESSIONS)),
    ]
    return begun_with in places or begun_with.parent.parent in places


def _shown(value: Any) -> str:
    """Returns a setting as a command line has it."""
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def without_flags(config: TrainConfig, reward: str | None = None) -> TrainConfig:
    """Returns settings with the defaults of those that only a flag may switch on.

    So a session, which may be anybody's, starts no command, runs no Python file and names no
    address of a teacher.

    Args:
        config: the session's settings.
        reward: that the command line names: if it is the session's, which is the user's own, it
            keeps the session's weights, which run nothing.
    """
    marked: dict[str, Any] = {
        setting.name: setting.default
        for setting in fields(config)
        if ONLY_BY_FLAG.keys() <= setting.metadata.keys()
    }
    game = replace(config.env, wrapper=None)
    if config.env.own_reward:
        again = reward is not None and Path(reward).name == Path(config.env.reward).name
        weights = config.env.reward_weights if again else ()
        game = replace(game, reward=GameConfig.reward, reward_weights=weights, reward_code=())
    network = config.network if parse_address(config.network) is None else TrainConfig.network
    teacher = None if is_address(config.teacher or "") else config.teacher
    return replace(config, **marked, env=game, network=network, teacher=teacher)
