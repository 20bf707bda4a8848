"""Measures how well a checkpoint plays, or random keys: `python baselines/evaluate.py`."""

import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import tyro
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column, Table
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.vec_env import VecEnv, VecFrameStack, VecTransposeImage

from baselines.checkpoints.checkpoint import CheckpointError, load_policy
from baselines.checkpoints.manifest import Manifest, describe_game
from baselines.checkpoints.trained import find_checkpoint
from baselines.envs import GameConfig
from baselines.playing.agent import Agent
from baselines.playing.evaluation import (
    Choose,
    Comparison,
    Evaluation,
    evaluate,
    in_order,
    is_clear,
    report,
)
from baselines.playing.evaluation_plot import plot
from baselines.playing.intervals import Estimate
from baselines.playing.showing import Showing, showing
from baselines.training.config import Address
from baselines.vec_envs import make_vec_env
from emerald_env.cli.command import INTERRUPTED, reports_user_errors
from emerald_env.cli.output_files import check_picture
from emerald_env.env.actions import action_set
from emerald_env.env.settings import check_numbers
from emerald_env.env.starts import prepare_starts
from emerald_env.files.printable import warn
from emerald_env.game.choice import GameChoice
from emerald_env.parallel.worker_process import WorkerError
from rewards import Reward, load_preset, preset_names

RANDOM = "random keys"


@dataclass(frozen=True)
class EvaluateConfig(GameChoice):
    """Play whole episodes with a checkpoint, or with random keys, and report the results."""

    checkpoint: Annotated[
        str | None,
        tyro.conf.Positional,
        tyro.conf.arg(metavar="[CHECKPOINT]", help_behavior_hint=""),
    ] = None
    """A checkpoint (.zip), "jade", a session, or "last". Left out: random keys."""
    random: bool = False
    """Compare with random keys in the same games."""
    against: str | None = None
    """Compare with another checkpoint in the same games."""
    start: str | None = None
    """Where episodes begin: a state or a .sav file. Left out: a new game."""
    reward: str | None = None
    """What pays: a preset's name or a TOML file. Left out: what the checkpoint was trained for, if
    that comes with the program."""
    episodes: int = 32
    """Episodes to play."""
    episode_length: int | None = None
    """Steps of each. Left out: as the checkpoint was trained."""
    n_envs: int = 16
    """Games played at the same time."""
    n_workers: int | None = None
    """Processes that the games are spread over. None: one for each CPU core."""
    ray: Address | None = None
    """Play on a Ray cluster: on this machine (--ray alone), or the one at an address."""
    parts: int | None = None
    """With --ray: in how many parts. None: of up to 4 games each. One part gives the same numbers
    as without Ray, to the bit."""
    seed: int = 0
    """Of the actions and the games; the same seed gives the same numbers, to the bit."""
    greedy: bool = False
    """Always take the likeliest action."""
    json: bool = False
    """Print one JSON object instead of a table."""
    plot: Path | None = None
    """Draw the rewards and milestones into this file (.png, .svg)."""

    soft_locks: Path = Path("soft_locks")
    """Folder for the states in which episodes soft-locked; `python -m emerald_env.inspect FILE
    --soft-lock` repeats the check. Created with the first."""

    def __post_init__(self) -> None:
        """Raises ValueError for an impossible setting."""
        check_numbers(self, "episodes", "n_envs", "episode_length", "n_workers", "parts")
        if self.checkpoint is None and self.against is not None:
            raise ValueError("--against compares a checkpoint with another: give both")
        check_picture(self.plot)


@dataclass(frozen=True)
class Player:
    """A player: a policy with its checkpoint's manifest, or neither for random keys."""

    name: str
    policy: ActorCriticPolicy | None = None
    manifest: Manifest | None = None
    session: Path | None = None  # the checkpoint's


Play = Callable[[Player, Player, EvaluateConfig, Callable[[], object]], Evaluation]


def players(config: EvaluateConfig) -> list[Player]:
    """Returns the players, first the one that the others are compared with.

    Raises:
        FileNotFoundError, CheckpointError: a checkpoint is missing or cannot be used.
    """
    wanted = [name for name in (config.checkpoint, config.against) if name is not None]
    names = distinct([find_checkpoint(name) for name in wanted])
    found = [
        Player(name, *load_policy(find_checkpoint(path)), find_checkpoint(path).parent.parent)
        for name, path in zip(names, wanted, strict=True)
    ]
    return found + ([Player(RANDOM)] if config.random or not found else [])


def distinct(paths: Sequence[Path]) -> list[str]:
    """Returns the checkpoints' names in a report: the file's, with its session's if needed."""
    names = [path.stem for path in paths]
    if len(set(names)) < len(names):
        names = [f"{path.resolve().parent.parent.name} {path.stem}" for path in paths]
    return [f"{name} ({n})" if names.count(name) > 1 else name for n, name in enumerate(names, 1)]


def settings(player: Player, first: Player, config: EvaluateConfig) -> GameConfig:
    """Returns a player's games: its own actions and observation, the first player's reward.

    Raises:
        CheckpointError, FileNotFoundError, RomError: it was trained on another game.
    """
    trained = player.manifest or first.manifest
    own = GameConfig(**vars(config.choice), start=config.start or GameConfig.start)
    measured = own
    if trained is not None:
        own = trained.env_config(config.choice, config.start)
    if first.manifest is not None:
        measured = first.manifest.env_config(config.choice, config.start)
    return replace(
        own,
        episode_length=config.episode_length or measured.episode_length,
        reward=config.reward or trained_for(first.manifest),
    )


def trained_for(manifest: Manifest | None) -> str:
    """Returns the name of the preset that a checkpoint was trained for, or "default"."""
    name = "default" if manifest is None else str(manifest.reward.get("name"))
    return name if name in preset_names() else "default"


def open_player(
    player: Player, games: VecEnv, config: EvaluateConfig, shown: Showing
) -> tuple[VecEnv, Choose]:
    """Returns the games as a player sees them, and how it chooses.

    Raises:
        CheckpointError: the network sees something else than these games show.
    """
    if player.policy is None or player.manifest is None:
        dice = np.random.default_rng(config.seed)
        n_actions = int(games.action_space.n)  # type: ignore[attr-defined]
        return games, lambda seen, starts: dice.integers(n_actions, size=games.num_envs)
    torch.manual_seed(config.seed)
    agent = Agent(player.policy, config.greedy)
    stacked = VecTransposeImage(VecFrameStack(games, player.manifest.n_stack))
    player.manifest.check_seen(stacked.observation_space)

    def choose(seen: Any, starts: NDArray[np.bool_]) -> NDArray[np.int64]:
        output = agent.think(seen, starts)
        shown.tell(output)
        return output.actions

    return stacked, choose


def evaluate_all(config: EvaluateConfig, play: Play | None = None) -> Iterator[Evaluation]:
    """Yields each player's results.

    Args:
        config: the settings.
        play: plays one player's episodes in place of `play_here`.

    Raises:
        FileNotFoundError, RomError, StateError, CheckpointError, WorkerError: the checkpoint, the
            ROM or the start cannot be used.
    """
    check(config)
    if config.ray is not None and play is None:
        raise ValueError("--ray is for `emerald evaluate` and evaluate.py")
    first, *others = players(config)
    for player in (first, *others):
        with progress_bar() as bar:
            task = bar.add_task(escape(player.name), total=config.episodes)
            played = (play or play_here)(player, first, config, partial(bar.advance, task))
        yield played
        if played.interrupted:
            return


def play_here(
    player: Player, first: Player, config: EvaluateConfig, on_episode: Callable[[], object]
) -> Evaluation:
    """Plays one player's episodes on this machine.

    Args:
        player: who plays.
        first: the one that it is compared with.
        config: the settings.
        on_episode: called after each episode.

    Raises:
        KeyboardInterrupt: Ctrl-C before the first episode ended.
    """
    n_envs = min(config.n_envs, config.episodes)
    how = settings(player, first, config)
    names = [action.name for action in action_set(how.action_set)], Reward(how.preset()).terms
    game = describe_game(config.choice)["name"]
    with (
        closing(make_vec_env(how, n_envs, config.n_workers, config.seed, watched=True)) as games,
        showing(games, player.session, "evaluate", game, names) as shown,
    ):
        seen, choose = open_player(player, games, config, shown)
        return evaluate(player.name, seen, choose, config.episodes, on_episode)


def progress_bar() -> Progress:
    """Returns a progress bar of the episodes played, shown on a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    return Progress(
        *columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal
    )


def check(config: EvaluateConfig) -> None:
    """Checks the files here, because workers could report errors only as tracebacks.

    Raises:
        FileNotFoundError, RomError, StateError, ValueError: the ROM, the start or the reward cannot
            be used.
    """
    describe_game(config.choice)
    if config.start is not None:
        prepare_starts(config.choice, config.start)
    if config.reward is not None:
        load_preset(config.reward)


def show(evaluations: Sequence[Evaluation], console: Console) -> None:
    """Prints the report for people."""
    first, *others = evaluations
    compared = ["first has more by"] if others else []
    rewards = Table(player_column(), "episodes", "mean reward (95 %)", *compared)
    for each in evaluations:
        more = [] if each is first else [mark(Comparison(first, each).reward, "{:+.2f}")]
        count = str(len(each.episodes))
        rewards.add_row(escape(each.name), count, words(each.reward, "{:.2f}"), *more)
    console.print(rewards)
    for each in evaluations:
        if each.soft_locks.value:
            share = words(each.soft_locks, "{:.0%}")
            console.print(f"{escape(each.name)}: {share} of the episodes ended in a soft-lock")
    reached = any(each.milestones for each in evaluations)
    table = milestone_table(evaluations, compared)
    console.print(table if reached else "no milestone was reached")
    if others:
        console.print("[bold]bold[/]: a difference whose 95 % interval leaves 0 out")


def milestone_table(evaluations: Sequence[Evaluation], compared: Sequence[str]) -> Table:
    """Returns the table of milestones, a line for each player.

    Args:
        evaluations: one a player.
        compared: the heading over what the first one has more than each other; empty where it is
            alone.
    """
    first = evaluations[0]
    table = Table("milestone", player_column(), "reached in", "after steps (median)", *compared)
    for slug in in_order({slug for each in evaluations for slug in each.milestones}):
        for each in evaluations:
            more = []
            if each is not first:
                more = [mark(Comparison(first, each).reached(slug), "{:+.0%}")]
            share = words(each.reached(slug), "{:.0%}")
            steps = words(each.steps(slug), "{:,.0f}", "never")
            table.add_row(slug if each is first else "", escape(each.name), share, steps, *more)
        table.add_section()
    return table


def player_column() -> Column:
    """Returns a column that shows long names in full."""
    return Column("player", overflow="fold")


def words(estimate: Estimate, form: str, infinite: str = "-") -> str:
    """Returns a number with its interval, such as "50% (33 to 67)"."""
    value, low, high = (infinite if math.isinf(n) else form.format(n) for n in estimate)
    if value == low == high:
        return value
    return f"{value} ({low.rstrip('%')} to {high.rstrip('%')})"


def mark(difference: Estimate, form: str) -> str:
    """Returns a difference, bold where it is clear."""
    text = words(difference, form)
    return f"[bold]{text}[/]" if is_clear(difference) else text


def save_soft_locks(evaluations: Sequence[Evaluation], config: EvaluateConfig) -> None:
    """Writes the state of each soft-lock, and names it.

    Raises:
        OSError: a file cannot be written.
    """
    for number, each in enumerate(evaluations, 1):
        for count, episode in enumerate(each.episodes, 1):
            if episode.evidence is not None:
                path = config.soft_locks / f"player_{number}_episode_{count}.ss1"
                episode.evidence.save(path, config.choice)
                warn(f"soft-lock: wrote {path}")


@reports_user_errors(CheckpointError, WorkerError)
def main(arguments: Sequence[str] | None = None, play: Play | None = None) -> int:
    """Evaluates with the settings of a command line; returns the exit status.

    Args:
        arguments: the command line; None: this process's own.
        play: plays one player's episodes in place of `play_here`.
    """
    config = tyro.cli(EvaluateConfig, args=arguments)
    console = Console(highlight=False)
    evaluations = list(evaluate_all(config, play))
    if config.json:
        print(json.dumps(report(evaluations)))
    else:
        show(evaluations, console)
    if evaluations[-1].interrupted:
        count = len(evaluations[-1].episodes)
        print(f"ended by Ctrl-C after {count} of {config.episodes} episodes", file=sys.stderr)
    save_soft_locks(evaluations, config)
    if config.plot is not None:
        plot(evaluations, config.plot)
        warn(f"wrote {config.plot}")
    return INTERRUPTED if evaluations[-1].interrupted else 0
