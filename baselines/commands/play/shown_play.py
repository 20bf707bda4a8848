"""Plays episodes and shows them: an agent's or a person's, in a window or a video."""

import json
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import torch

from baselines.checkpoints.checkpoint_file import load_policy, read_manifest
from baselines.checkpoints.manifest import Manifest
from baselines.checkpoints.trained import find_checkpoint
from baselines.playing.agent import Agent
from baselines.playing.display.panel import Panel
from baselines.playing.display.screens import (
    AGENT_HELP,
    PERSON_HELP,
    RECORD_HELP,
    Screen,
    VideoScreen,
    WindowScreen,
)
from baselines.playing.display.watched_env import WatchedEnv
from baselines.playing.play_config import PlayConfig
from baselines.playing.player import EpisodePlayer, as_seen
from baselines.playing.showing import showing
from baselines.runs.session_folder import Session, slug
from baselines.settings.game_config import GameConfig
from emerald_env.env.actions import action_set
from emerald_env.env.env import EmeraldEnv
from emerald_env.files.atomic import write_atomically
from emerald_env.files.printable import say, warn
from emerald_env.game.editions import describe_game
from emerald_env.recordings.person_way import PersonWay
from emerald_env.starts.starts import NEW_GAME, prepare_starts
from rewards import Preset, Reward, load_preset

ENDLESS = 1_000_000_000  # steps


def play_checkpoint(config: PlayConfig) -> None:
    """Plays a checkpoint and prints each episode's result.

    Raises:
        CheckpointError, FileNotFoundError, RomError: the checkpoint cannot be played.
        RuntimeError: there is no screen for a window.
    """
    checkpoint = find_checkpoint(str(config.checkpoint))
    # cheap checks first: the ROM and the start, then the weights
    game_config = read_manifest(checkpoint).env_config(config.choice, config.start)
    prepare_starts(game_config.choice, game_config.start, game_config.clock)
    policy, manifest = load_policy(checkpoint)
    if config.episode_length is not None:
        game_config = replace(game_config, episode_length=config.episode_length)
    if not config.json:
        introduce(manifest, config)
    torch.manual_seed(config.seed)
    torch.set_num_threads(1)  # one observation at a time is too little work for several threads
    agent = Agent(policy, config.greedy)
    reward = Reward(shown_reward(manifest))
    if config.video is None and config.episodes is not None:
        env = EmeraldEnv(game_config, reward, "rgb_array")
        run(config, env, game_config, manifest, agent, None)
        return
    with open_screen(config, manifest.game["name"]) as screen:
        run(config, WatchedEnv(game_config, reward, screen), game_config, manifest, agent, screen)


def shown_reward(manifest: Manifest) -> Preset:
    """Returns the reward that is shown: the checkpoint's, unless that is somebody's Python code."""
    preset = manifest.preset()
    if preset.is_loaded:
        return preset
    warn(
        f"note: it was trained for Python code, {', '.join(preset.unloaded)}, which no checkpoint "
        "brings: the reward shown is the preset default"
    )
    return load_preset()


def play_human(config: PlayConfig) -> None:
    """Lets a person play, and prints the reward that an agent would have received.

    Raises:
        FileNotFoundError, RomError, StateError: the ROM or the start cannot be used.
        RuntimeError: there is no screen for a window.
    """
    game_config = GameConfig(
        **vars(config.choice),
        start=config.start or NEW_GAME,
        observation="screen",
        episode_length=config.episode_length or ENDLESS,
        patience=None,
        start_wait=0 if config.record else GameConfig.start_wait,
    )
    preset = load_preset()
    print(PERSON_HELP)
    with open_screen(config, describe_game(config.choice)["name"]) as screen:
        env = WatchedEnv(game_config, Reward(preset), screen)
        if config.record is None:
            run(config, env, game_config, None, None, screen)
            return
        print(RECORD_HELP)
        env.way = way = PersonWay(config.record, env, preset.as_dict(), not config.no_states)
        if isinstance(screen, WindowScreen):
            screen.on_back = way.go_back
        run(config, env, game_config, None, None, screen)
    say(f"recorded {way.steps:,} steps of play: emerald replay {config.record}")


def run(
    config: PlayConfig,
    env: EmeraldEnv,
    game_config: GameConfig,
    manifest: Manifest | None,
    agent: Agent | None,
    screen: Screen | None,
) -> None:
    """Plays as many episodes as `config` says and prints each one's result.

    Raises:
        CheckpointError: the network sees something else than this game shows.
    """
    name = describe_game(config.choice)["name"]
    names = [action.name for action in action_set(env.config.action_set)], env.reward.terms
    with (
        closing(as_seen(env, game_config, manifest.n_stack if manifest else 1)) as games,
        showing(games, session_folder(config), "play", name, names) as shown,
    ):
        if manifest is not None:
            manifest.check_seen(games.observation_space)
        if screen is not None:
            screen.on_save = lambda: save_state(env, states_folder(config))
        games.seed(config.seed)
        played = []
        player = EpisodePlayer(name, env, games, agent, screen, shown)
        for number, episode in enumerate(player.episodes(), start=1):
            report = episode.pop("report")
            played.append(episode)
            if not config.json:
                print(report, flush=True)
            if number == config.n_episodes:
                break
    if config.json:
        mean = sum(episode["reward"] for episode in played) / len(played)
        print(json.dumps({"mean_reward": mean, "episodes": played}))


def states_folder(config: PlayConfig) -> Path:
    """Returns where F5 saves states."""
    if config.states is not None:
        return config.states
    return session_folder(config) or Path()


def session_folder(config: PlayConfig) -> Path | None:
    """Returns the folder of the checkpoint's session, None where it has none."""
    if config.checkpoint is None:
        return None
    session = Session.of(find_checkpoint(config.checkpoint))
    return session.folder if session.config.is_file() else None


def save_state(env: EmeraldEnv, folder: Path) -> str:
    """Writes the game's state into a file for `--start`; returns a message about it."""
    stamp = datetime.now().strftime("%Y-%m-%d_%H-%M-%S")
    path = folder / f"{slug(env.gba.cartridge_title)}_{stamp}.state"
    try:
        write_atomically(path, env.gba.get_state())
    except OSError as error:
        return f"not saved: {error.strerror}"
    say(f"saved {path}")
    return f"saved {path.name}"


def open_screen(config: PlayConfig, title: str) -> WindowScreen | VideoScreen:
    """Returns where the frames go.

    Raises:
        RuntimeError: there is no screen for a window.
        FileNotFoundError: there is no folder for the video.
    """
    panel = Panel(config.scale) if config.has_panel else None
    if config.video is not None:
        return VideoScreen(config.video, config.scale, panel)
    screen = WindowScreen(title, config.scale, config.human, not config.human, panel)
    screen.speed = config.speed
    return screen


def introduce(manifest: Manifest, config: PlayConfig) -> None:
    """Prints what will be played, and how it differs from the training."""
    say(
        f"{manifest.game['name']}, {manifest.network} CNN after {manifest.num_timesteps:,} steps, "
        f"reward {manifest.reward.get('name')}"
    )
    if describe_game(config.choice)["sha1"] != manifest.game["sha1"]:
        print("note: it was trained on another build of this game; it may play worse here")
    trained_from = manifest.env.get("start", NEW_GAME)
    if config.start is None and trained_from != NEW_GAME:
        say(f"note: it was trained from {trained_from}; give that file with --start")
    if config.has_window:
        print(AGENT_HELP)
