"""Lets a person play, in a window or a video; an agent's episodes go the same way."""

from __future__ import annotations

import json
import shlex
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from baselines.checkpoints.trained import find_checkpoint
from baselines.games.game import in_wrappers
from baselines.playing.display.panel import Panel
from baselines.playing.display.screens import (
    PERSON_HELP,
    RECORD_HELP,
    Screen,
    VideoScreen,
    WindowScreen,
)
from baselines.playing.display.watched_env import Listener, WatchedEnv
from baselines.playing.play_config import PlayConfig
from baselines.playing.player import EpisodePlayer, SingleGame
from baselines.playing.showing import showing
from baselines.runs.session_folder import Session, slug
from baselines.settings.game_config import GameConfig
from emerald_env.env.actions import action_set
from emerald_env.env.env import EmeraldEnv
from emerald_env.files.atomic import write_atomically
from emerald_env.files.printable import say
from emerald_env.game.editions import describe_game
from emerald_env.recordings.person_way import PersonWay
from emerald_env.starts.starts import NEW_GAME
from rewards import Reward, load_preset

if TYPE_CHECKING:  # a person needs neither torch nor SB3
    from stable_baselines3.common.vec_env import VecEnv

    from baselines.playing.agent import Agent

ENDLESS = 1_000_000_000  # steps


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
    reward = Reward(load_preset())
    print(PERSON_HELP)
    with open_screen(config, describe_game(config.choice)["name"]) as screen:
        env = WatchedEnv(game_config, reward, screen, heard_by(screen, config), goes_back=True)
        if isinstance(screen, WindowScreen):
            screen.on_back = env.go_back
        if config.record is None:
            play_alone(config, env, game_config, reward, screen)
            return
        print(RECORD_HELP)
        env.way = way = PersonWay(config.record, env, reward.preset.as_dict(), not config.no_states)
        play_alone(config, env, game_config, reward, screen)
    replay = shlex.join(["emerald", "replay", str(config.record)])
    say(f"recorded {way.steps:,} steps of play: {replay}")


def play_alone(
    config: PlayConfig, env: EmeraldEnv, game_config: GameConfig, reward: Reward, screen: Screen
) -> None:
    """Lets a person play on a screen."""
    game = in_wrappers(env, game_config, reward, number=0)
    run(config, env, SingleGame(game), None, screen)


def run(
    config: PlayConfig,
    env: EmeraldEnv,
    games: VecEnv | SingleGame,
    agent: Agent | None,
    screen: Screen | None,
) -> None:
    """Plays as many episodes as `config` says and prints each one's result.

    Args:
        config: the command line.
        env: the game.
        games: the same as the player sees it.
        agent: the player; None: a person.
        screen: shows the game; None: it is not shown.
    """
    name = describe_game(config.choice)["name"]
    names = [action.name for action in action_set(env.config.action_set)], env.reward.terms
    with (
        closing(games),
        showing(games, session_folder(config), "play", name, names) as shown,
    ):
        if screen is not None:
            screen.on_save = lambda: save_state(env, states_folder(config))
        games.seed(config.seed)
        played = []
        player = EpisodePlayer(name, env, games, agent, screen, shown)
        if isinstance(env, WatchedEnv):
            env.on_back = player.take_back
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
    screen = WindowScreen(
        title, config.scale, config.human, not config.human, panel, sounds=config.sound
    )
    screen.speed = config.speed
    return screen


def heard_by(screen: Screen, config: PlayConfig) -> Listener | None:
    """Returns who hears the game on a screen, None where nobody does."""
    return screen.hear if config.sound and isinstance(screen, WindowScreen) else None
