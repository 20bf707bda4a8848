"""Playing a checkpoint's episodes, or random keys', for an evaluation."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.vec_env import VecEnv

from baselines.checkpoints.checkpoint_file import load_policy
from baselines.checkpoints.manifest import Manifest
from baselines.checkpoints.trained import find_checkpoint
from baselines.games.vec_games import make_vec_env
from baselines.playing.agent import Agent, as_stacked
from baselines.playing.evaluation import Choose, Evaluation, OnStep, evaluate
from baselines.playing.showing import Showing, showing
from baselines.settings.evaluate_config import EvaluateConfig
from baselines.settings.game_config import GameConfig
from emerald_env.env.actions import action_set
from emerald_env.env.observation import OPTIONS
from emerald_env.env.setting_types import Record
from emerald_env.files.own_code import OwnName
from emerald_env.game.editions import describe_game
from emerald_env.wrappers.disturbed import ALL
from rewards import Reward, preset_names

RANDOM = "random keys"
UNDISTURBED = "undisturbed"
ALL_KINDS = ("all",)


@dataclass(frozen=True)
class EvaluatedPlayer:
    """A player: a policy with its checkpoint's manifest, or neither for random keys."""

    name: str
    policy: ActorCriticPolicy | None = None
    manifest: Manifest | None = None
    session: Path | None = None  # the checkpoint's
    disturb: tuple[str, ...] = ()  # how its games are disturbed


def players(config: EvaluateConfig) -> list[EvaluatedPlayer]:
    """Returns the players, first the one that the others are compared with.

    Raises:
        FileNotFoundError, CheckpointError: a checkpoint is missing or cannot be used.
    """
    wanted = [name for name in (config.checkpoint, config.against) if name is not None]
    own = None if config.network is None else OwnName.read(config.network)
    names = distinct([find_checkpoint(name) for name in wanted])
    found = [
        EvaluatedPlayer(
            name, *load_policy(find_checkpoint(path), own=own), find_checkpoint(path).parent.parent
        )
        for name, path in zip(names, wanted, strict=True)
    ]
    found += [EvaluatedPlayer(RANDOM)] if config.random or not found else []
    if config.disturb != ALL_KINDS:
        return [replace(player, disturb=config.disturb) for player in found]
    seen = None if found[0].manifest is None else found[0].manifest.env
    reads = seen is None or seen.get("observation") != "screen" or any(map(seen.get, OPTIONS))
    kinds = [kind for kind in ALL if reads or kind != ("no-vector",)]
    return [replace(found[0], name=" ".join(kind) or UNDISTURBED, disturb=kind) for kind in kinds]


def distinct(paths: Sequence[Path]) -> list[str]:
    """Returns the checkpoints' names in a report: the file's, with its session's if needed."""
    names = [path.stem for path in paths]
    if len(set(names)) < len(names):
        names = [f"{path.resolve().parent.parent.name} {path.stem}" for path in paths]
    return [f"{name} ({n})" if names.count(name) > 1 else name for n, name in enumerate(names, 1)]


def settings(player: EvaluatedPlayer, first: EvaluatedPlayer, config: EvaluateConfig) -> GameConfig:
    """Returns a player's games: its own actions and observation, else those of the first player.

    Raises:
        CheckpointError, FileNotFoundError, RomError: it was trained on another game.
    """
    trained = player.manifest or first.manifest
    own = GameConfig(**vars(config.choice), start=config.start or GameConfig.start)
    measured = own
    if trained is not None:
        own = trained.env_config(config.choice, config.start, config.wrapper)
    if first.manifest is not None:
        measured = first.manifest.env_config(config.choice, config.start, config.wrapper)
    return replace(
        own,
        episode_length=config.episode_length or measured.episode_length,
        patience=config.patience or measured.patience,
        start_wait=measured.start_wait,
        clock=measured.clock,
        reward=config.reward or trained_for(first.manifest),
        reward_code=config.reward_code,
        disturb=player.disturb,
        worlds=config.worlds,
    )


def trained_for(manifest: Manifest | None) -> str:
    """Returns the name of the preset that a checkpoint was trained for, or "default"."""
    name = "default" if manifest is None else str(manifest.reward.get("name"))
    return name if name in preset_names() else "default"


def judged_by(how: GameConfig) -> str:
    """Returns the name, file or address of what pays; "nothing" where no reward can be read."""
    return "nothing" if how.data is not None and not how.own_reward else how.reward


def open_player(
    player: EvaluatedPlayer, games: VecEnv, config: EvaluateConfig, shown: Showing
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
    stacked = as_stacked(games, player.manifest.n_stack)
    player.manifest.check_seen(stacked.observation_space)

    def choose(seen: Any, starts: NDArray[np.bool_]) -> NDArray[np.int64]:
        output = agent.think(seen, starts)
        shown.tell(output)
        return output.actions

    return stacked, choose


def has_splits(config: EvaluateConfig) -> bool:
    """Returns whether the game is one whose episodes are told in the contest's splits."""
    return describe_game(config.choice)["code"] != "JADE"


def play_here(
    player: EvaluatedPlayer,
    first: EvaluatedPlayer,
    config: EvaluateConfig,
    on_step: OnStep,
) -> Evaluation:
    """Plays one player's episodes on this machine.

    Args:
        player: who plays.
        first: the one that it is compared with.
        config: the settings.
        on_step: called after each step of the games.

    Raises:
        KeyboardInterrupt: Ctrl-C before the first episode ended.
    """
    torch.set_num_threads(1)  # the games need the cores, and its threads would wait for each other
    n_envs = min(config.n_envs, config.episodes)
    how = settings(player, first, config)
    recorded: Record = "every" if config.record or has_splits(config) else "none"
    names = [action.name for action in action_set(how.action_set)], Reward(how.preset()).terms
    game = describe_game(config.choice)["name"]
    with (
        closing(
            make_vec_env(how, n_envs, config.n_workers, config.seed, recorded, watched=True)
        ) as games,
        showing(games, player.session, "evaluate", game, names) as shown,
    ):
        seen, choose = open_player(player, games, config, shown)
        played = evaluate(player.name, seen, choose, config.episodes, on_step)
    return replace(played, judged_by=judged_by(how))
