"""What a run prints before it starts."""

import shlex
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from baselines.checkpoints.manifest import Manifest
from baselines.learner.policy.cnn.networks import count_parameters
from baselines.learner.ppo import PPO
from baselines.settings.train_config import TrainConfig
from baselines.training.model import fit_to_machine
from baselines.training.resources import Needs
from baselines.training.run import Run
from emerald_env.emulator import is_compiled_in
from emerald_env.emulator.cartridge.rom import MAX_ROM_SIZE
from emerald_env.emulator.static.translate.translation_cache import find_record
from emerald_env.env.observation_parts import as_parts
from emerald_env.files.data import MEBIBYTE, read_bytes
from emerald_env.files.printable import printable

WIDTH = 9  # characters of the subjects
COPIED = ("session", "curves", "watch", "faster")  # paths and commands: they are not broken
FRAMES_PER_SECOND = 60  # of the game
PARTS = {"env": "", "ppo": "", "policy": "", "labels": "labels."}  # with their flags' prefix
NO_CURVES = (
    "; the student plays no game alone, so that no episode counts in the curves and there is no "
    "best checkpoint: for those give --n-envs 2 or more, and not --labels.alone 0"
)
SAID_ELSEWHERE = (*PARTS, "total_timesteps", "resume", "sessions", "rom", "symbols")


def announce(run: Run) -> None:
    """Prints what will be played, learnt and written, and how to watch it."""
    show(lines(run), Console(highlight=False))


def show(said: Sequence[tuple[str, str]], console: Console) -> None:
    """Prints (subject, text) pairs; a terminal's lines are broken between words, under the text."""
    for subject, text in said:
        words = Text(printable(text))
        if console.is_terminal and subject not in COPIED:
            row = Table.grid(Column(width=WIDTH), Column())
            row.add_row(Text(subject, "bold"), words)
            console.print(row)
        else:
            console.print(Text(f"{subject:<{WIDTH}}", "bold") + words, soft_wrap=True)


def lines(run: Run) -> list[tuple[str, str]]:
    """Returns the announcement, as (subject, text) pairs."""
    config, manifest, model, session = run.config, run.manifest, run.model, run.session
    return [
        ("game", game_line(config, manifest)),
        ("reward", reward_line(manifest)),
        ("network", network_line(config, manifest, model)),
        ("learner", learner_line(config, model)),
        ("options", options_line(config)),
        ("needs", str(Needs.of(config))),
        *session_lines(session.folder),
        *faster_line(config),
    ]


def session_lines(folder: Path) -> list[tuple[str, str]]:
    """Returns where the session is, and the shell's commands that show it."""
    return [
        ("session", str(folder)),
        ("curves", shlex.join(["tensorboard", "--logdir", str(folder)])),
        ("watch", shlex.join(["emerald", "watch", str(folder)])),
    ]


def reward_line(manifest: Manifest) -> str:
    """Returns the reward's name and its terms, once where it is one term of that name."""
    name, terms = manifest.reward["name"], ", ".join(manifest.reward["weights"])
    return terms if name == terms else f"{name}: {terms}"


def game_line(config: TrainConfig, manifest: Manifest) -> str:
    """Returns the game, the number of games, and how long a step and an episode last."""
    step = config.env.frame_skip / FRAMES_PER_SECOND
    return (
        f"{manifest.game['name']}, {config.n_envs} at a time in {config.workers} processes; "
        f"a step is {step:.2g} s of game, an episode {config.env.episode_length:,} steps "
        f"({step * config.env.episode_length / 60:.1f} min)"
    )


def network_line(config: TrainConfig, manifest: Manifest, model: PPO) -> str:
    """Returns the network, its size, its device and what it sees."""
    stacked = f"; sees {config.n_stack} steps at once" if config.n_stack > 1 else ""
    return (
        f"{manifest.whole_network_title}, {count_parameters(model.policy):,} parameters on "
        f"{model.device}{stacked}; {len(manifest.actions)} actions"
    )


def learner_line(config: TrainConfig, model: PPO) -> str:
    """Returns how long it learns and what an update takes."""
    samples = model.n_steps * model.n_envs
    steps = steps_text(config.total_timesteps, model.num_timesteps, samples)
    if config.teacher is not None:
        labels = config.labels
        unseen = "" if labels.n_alone(model.n_envs) else NO_CURVES
        return (
            f"labels of {config.teacher}, {steps}; rounds of {samples:,} samples; the newest "
            f"{labels.stored:,} are kept, each is read {labels.reads:g} times{unseen}"
        )
    return (
        f"PPO, {steps}; updates of {samples:,} samples in batches "
        f"of {model.batch_size}; {buffer_bytes(model) / MEBIBYTE:.0f} MiB of samples"
    )


def steps_text(total: int, begun: int, samples: int) -> str:
    """Returns how many steps a run takes, to its last whole update of `samples` samples."""
    text = f"{total:,} steps" + (f", from {begun:,} on" if begun else "")
    whole = begun + -(-(total - begun) // samples) * samples
    return text if whole == total else f"{text}, up to a whole update (about {whole:,})"


def options_line(config: TrainConfig) -> str:
    """Returns the settings that differ from the defaults on this machine, by name."""
    default = fit_to_machine(TrainConfig())
    pairs = [("", config, default)]
    pairs += [(p, getattr(config, part), getattr(default, part)) for part, p in PARTS.items()]
    changed = [
        f"{prefix}{setting.name} {_words(getattr(chosen, setting.name))}"
        for prefix, chosen, usual in pairs
        for setting in fields(chosen)
        if setting.name not in SAID_ELSEWHERE
        and getattr(chosen, setting.name) != getattr(usual, setting.name)
    ]
    return ", ".join(changed) or "the defaults"


def _words(value: Any) -> str:
    """Returns a setting's value as a command line has it."""
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def faster_line(config: TrainConfig) -> list[tuple[str, str]]:
    """Returns how to make a ROM of the user's run faster, where that was not done."""
    if config.env.rom is None or not is_compiled_in():
        return []
    if find_record(read_bytes(config.env.rom, MAX_ROM_SIZE)) is not None:
        return []
    flags = shlex.join(config.env.choice.flags())
    return [("faster", f"compile what the game executes, once: emerald translate {flags}")]


def buffer_bytes(model: PPO) -> int:
    """Returns the memory that one rollout's observations take."""
    return sum(part.nbytes for part in as_parts(model.rollout_buffer.observations).values())
