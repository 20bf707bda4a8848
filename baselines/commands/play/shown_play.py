"""Plays a checkpoint's episodes and shows them in a window or a video."""

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import torch
from gymnasium import spaces
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.checkpoints.checkpoint_file import load_policy, read_manifest
from baselines.checkpoints.manifest import Manifest
from baselines.checkpoints.trained import TRAINED, find_checkpoint
from baselines.commands.play.human_play import heard_by, open_screen, run
from baselines.games.game import in_wrappers
from baselines.playing.agent import Agent, as_stacked
from baselines.playing.display.screens import AGENT_HELP
from baselines.playing.display.watched_env import WatchedEnv
from baselines.playing.play_config import PlayConfig
from baselines.settings.game_config import PAYS_NOTHING, fallback_preset
from emerald_env.env.env import EmeraldEnv
from emerald_env.env.observation import SCREEN
from emerald_env.files.own_code import OwnName
from emerald_env.files.printable import say, warn
from emerald_env.game.choice import GameChoice
from emerald_env.game.editions import describe_game
from emerald_env.starts.starts import NEW_GAME, prepare_starts
from rewards import Preset, Reward


def play_checkpoint(config: PlayConfig) -> None:
    """Plays a checkpoint and prints each episode's result.

    Raises:
        CheckpointError, FileNotFoundError, RomError: the checkpoint cannot be played.
        RuntimeError: there is no screen for a window.
    """
    checkpoint = find_checkpoint(str(config.checkpoint))
    # cheap checks first: the ROM and the start, then the weights
    about = read_manifest(checkpoint)
    game_config = about.env_config(config.choice, config.start, config.wrapper)
    prepare_starts(game_config.choice, game_config.start, game_config.clock)
    own = None if config.network is None else OwnName.read(config.network)
    policy, manifest = load_policy(checkpoint, own=own)
    if config.episode_length is not None:
        game_config = replace(game_config, episode_length=config.episode_length)
    if not config.json:
        introduce(manifest, config, checkpoint.parent == TRAINED)
    for changed in manifest.changed_code(own, game_config.own_wrapper()):
        warn(f"note: {changed} is not what it was in training: its file has changed since")
    torch.manual_seed(config.seed)
    torch.set_num_threads(1)  # one observation at a time is too little work for several threads
    if config.attention:
        check_looks(policy.observation_space)
    agent = Agent(policy, config.greedy, config.attention)
    reward = Reward(shown_reward(manifest, config.choice))
    is_shown = config.video is not None or config.episodes is None
    with open_screen(config, manifest.game["name"]) if is_shown else nullcontext() as screen:
        if screen is None:
            env = EmeraldEnv(game_config, reward, "rgb_array")
        else:
            env = WatchedEnv(game_config, reward, screen, heard_by(screen, config))
        game = in_wrappers(env, game_config, reward, number=0)
        games = as_stacked(DummyVecEnv([lambda: game]), manifest.n_stack)
        manifest.check_seen(games.observation_space)
        run(config, env, games, agent, screen)


def check_looks(seen: spaces.Space[Any]) -> None:
    """Checks that an agent sees the screen.

    Raises:
        ValueError: it does not.
    """
    pictures = seen.spaces if isinstance(seen, spaces.Dict) else {SCREEN: seen}
    if SCREEN not in pictures:
        raise ValueError("it plays from memory and sees no screen: leave --attention out")


def shown_reward(manifest: Manifest, game: GameChoice) -> Preset:
    """Returns the reward that is shown: the checkpoint's, if its terms are ours and can be read."""
    trained, fallback = manifest.preset(), fallback_preset(game)
    if trained.is_loaded and game.data is None:
        return trained
    if code := [term for term in trained.unloaded if term != PAYS_NOTHING]:
        shown = "the preset default" if game.data is None else "nothing"
        warn(
            f"note: it was trained for Python code, {', '.join(code)}, which no checkpoint "
            f"brings: the reward shown is {shown}"
        )
    return fallback


def introduce(manifest: Manifest, config: PlayConfig, shipped: bool) -> None:
    """Prints what will be played, and how it differs from the training.

    Args:
        manifest: the checkpoint's.
        config: what to play.
        shipped: whether the agent comes with the program, and was tried with its build of Jade.
    """
    say(
        f"{manifest.game['name']}, {manifest.network_title} after {manifest.num_timesteps:,} "
        f"steps, reward {manifest.reward.get('name')}"
    )
    if not shipped and describe_game(config.choice)["sha1"] != manifest.game["sha1"]:
        print("note: it was trained on another build of this game; it may play worse here")
    trained_from = manifest.env.get("start", NEW_GAME)
    if config.start is None and trained_from != NEW_GAME:
        say(f"note: it was trained from {trained_from}; give that file with --start")
    if config.has_window:
        print(AGENT_HELP)
