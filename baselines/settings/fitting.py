"""Default settings that depend on the game, and on whether there is a teacher."""

from collections.abc import Callable, Sequence
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Any

from baselines.settings.game_defaults import game_defaults, is_jade
from baselines.settings.train_config import DEFAULT_BATCHES, LONG, TrainConfig, whole_number
from emerald_env.recordings.find_recordings import SUFFIX

EYES, AUTO = "--observation", "auto"
NONE = "None"  # the value of a flag that might as well be left out
SEES = {
    EYES, "--network", "--wrapper", "--n-stack", "--colour", "--shrink", "--normalize-observations",
    "--init-from", "--resume", "--teacher", "--data",
}  # fmt: skip
"""Flags that say what the network sees, or that it exists."""
EMERALD_STEPS = 10_000_000
"""An estimate, not measured on Emerald, which takes longer than Jade: an expert has left the
laboratory with the first Pokémon after 222 steps in Jade, in Emerald a good player before 933, and
has badge 1 after at most 20,070. The rest is as on Jade, see docs/EXPLORATION.md."""

PATIENCE = 2048
"""Steps of a long run: time to come back after a defeat (docs/RESULTS.md). In a short one episodes
would hardly end."""

STUDENT: dict[str, Any] = {
    "total_timesteps": 460_800,
    "n_envs": 32,
    "n_stack": 1,
    "explore": 0.0,
    "practice": 0.0,
    "advice": 0.0,
    "env": {"observation": "screen", "episode_length": 5000, "patience": 2500},
    "ppo": {
        "n_steps": 192,
        "batch_size": DEFAULT_BATCHES[1],
        "sequence_length": 24,
        "max_grad_norm": 1.0,
    },
    "policy": {
        "recurrent": True,
        "lstm_size": 320,
        "value_memory": False,
        "memory_bypass": True,
        "embed_places": False,
    },
    "labels": {"stored": 460_800},
}
"""Measured on Jade, see docs/RESULTS.md."""


def fitting(arguments: Sequence[str]) -> dict[str, Any]:
    """Returns the settings that fit a command line's game and teacher, as JSON would have them."""
    rom, teacher, eyes = (chosen(arguments, flag) for flag in ("--rom", "--teacher", EYES))
    world = chosen(arguments, "--worlds") or chosen(arguments, "--world")
    if teacher is not None:
        eyes = eyes or STUDENT["env"]["observation"]
    game: dict[str, Any] = {}
    if chosen(arguments, "--data") is None:
        game = {} if is_jade(rom) else {"total_timesteps": EMERALD_STEPS}
        game["env"] = game_defaults(rom, eyes, world)
        if _total(arguments, game) >= LONG:
            game["env"]["patience"] = PATIENCE
    if teacher is None:
        return game
    return game | STUDENT | {"teacher": teacher, "env": game.get("env", {}) | STUDENT["env"]}


def _total(arguments: Sequence[str], game: dict[str, Any]) -> int:
    """Returns the steps of a run; what is no number is refused later."""
    usual: int = game.get("total_timesteps", TrainConfig.total_timesteps)
    try:
        return whole_number(given(arguments, "--total-timesteps") or "")
    except ValueError:
        return usual


def with_hyphens(arguments: Sequence[str]) -> list[str]:
    """Returns a command line whose flags have hyphens where "_" may stand as well."""
    words = []
    for word in arguments:
        flag, equals, value = word.partition("=")
        is_flag = flag.startswith("--")
        words.append(flag.replace("_", "-") + equals + value if is_flag else word)
    return words


def with_ways(arguments: Sequence[str]) -> list[str]:
    """Returns a command line in which recordings as `--teacher` are `--ways`."""
    words = [part for word in arguments for part in _apart(word)]
    for at, (flag, value) in enumerate(pairwise(words)):
        if flag == "--teacher" and is_way(Path(value)):
            words[at] = "--ways"
    return words


def with_eyes(arguments: Sequence[str], has_gpu: Callable[[], bool]) -> list[str]:
    """Returns a command line in which `--observation auto` is what was measured to be best.

    That is the default, except where something else says what the network sees. A teacher's
    student, and who plays a game without a reader, sees the screen. Everybody else sees what can be
    walked to, and the picture only where a GPU makes it cheap (docs/LEARNER_SPEED.md).

    Args:
        arguments: the command line.
        has_gpu: says whether the run learns on a GPU; asked only if that matters.
    """
    words = [part for word in arguments for part in _apart(word)]
    said = SEES - {flag for flag in SEES if given(words, flag) == NONE}
    if said.isdisjoint(word.partition("=")[0] for word in words):
        words = [EYES, AUTO, *words]
    if (EYES, AUTO) not in pairwise(words):
        return words
    if any(chosen(words, flag) is not None for flag in ("--teacher", "--data")):
        eyes = ["screen"]
    else:
        eyes = ["full" if has_gpu() else "state", "--targets"]
    at = list(pairwise(words)).index((EYES, AUTO))
    return words[: at + 1] + eyes + words[at + 2 :]


def is_way(path: Path) -> bool:
    """Returns whether a teacher is a recording, or a folder of recordings."""
    return path.suffix == SUFFIX or (path.is_dir() and any(path.glob(f"*{SUFFIX}")))


def ways_of(paths: Sequence[Path]) -> list[Path]:
    """Returns the recordings that files and folders name.

    Raises:
        FileNotFoundError: one is not there.
    """
    found: list[Path] = []
    for path in paths:
        files = sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]
        if not files or not files[0].is_file():
            raise FileNotFoundError(f"no recording at {path}: give a {SUFFIX} file, or a folder")
        found += files
    return found


def _apart(word: str) -> list[str]:
    flag, _, value = word.partition("=")
    return [flag, value] if flag in ("--teacher", EYES) and value else [word]


def given(arguments: Sequence[str], flag: str) -> str | None:
    """Returns a flag's last value in a command line, given as two words or with "="."""
    found = None
    for word, following in zip_longest(arguments, arguments[1:]):
        if word == flag:
            found = following
        elif word.startswith(f"{flag}="):
            found = word.partition("=")[2]
    return found


def chosen(arguments: Sequence[str], flag: str) -> str | None:
    """Returns a flag's last value; None if that is NONE, too."""
    value = given(arguments, flag)
    return None if value == NONE else value
