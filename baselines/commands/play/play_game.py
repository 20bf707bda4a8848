"""Plays a checkpoint: `python baselines/play.py CHECKPOINT`, or lets a person play: `--human`."""

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated

import torch
import tyro
from pydantic import Field

from baselines.checkpoints.checkpoint_file import CheckpointError, load_policy, read_manifest
from baselines.checkpoints.manifest import Manifest
from baselines.checkpoints.trained import find_checkpoint
from baselines.commands.command import reports_user_errors
from baselines.playing.agent import Agent
from baselines.playing.display.panel import Panel
from baselines.playing.display.screens import (
    AGENT_HELP,
    FASTEST,
    PERSON_HELP,
    RECORD_HELP,
    SLOWEST,
    Screen,
    VideoScreen,
    WindowScreen,
)
from baselines.playing.display.video import check_scale
from baselines.playing.display.watched_env import WatchedEnv
from baselines.playing.player import EpisodePlayer, as_seen
from baselines.playing.showing import showing
from baselines.runs.session_folder import Session, slug
from baselines.settings.game_config import GameConfig
from emerald_env.env.actions import action_set
from emerald_env.env.env import EmeraldEnv
from emerald_env.env.setting_types import Count, Seed, checked
from emerald_env.files.atomic import write_atomically
from emerald_env.files.output_files import check_video
from emerald_env.files.printable import say, warn
from emerald_env.game.choice import GameChoice
from emerald_env.game.editions import describe_game
from emerald_env.recordings.person_way import PersonWay
from emerald_env.starts.starts import NEW_GAME, prepare_starts
from rewards import Preset, Reward, load_preset

ENDLESS = 1_000_000_000  # steps


@checked
@dataclass(frozen=True)
class PlayConfig(GameChoice):
    """Watch a checkpoint play, in a window or as a video; or play yourself."""

    checkpoint: Annotated[
        str | None,
        tyro.conf.Positional,
        tyro.conf.arg(metavar="[CHECKPOINT]", help_behavior_hint=""),
    ] = None
    """A checkpoint (.zip), "jade" for the trained agent that comes with the program, a session, or
    "last". Left out: a person plays (--human)."""
    video: Path | None = None
    """Write an mp4 instead of opening a window."""
    panel: bool = False
    """Show the agent's probabilities and rewards in a video, too; a window always does."""
    steps: Count | None = None
    """Steps of an episode. Left out: as in training, or endless for a person."""
    episodes: Count | None = None
    """Episodes to play; without a video, no window is opened and they go as fast as they can. Left
    out: one for a video, until ESC in a window."""
    json: bool = False
    """With --episodes: print one JSON object."""
    start: str | None = None
    """Where to begin: a state or a .sav file. Left out: a new game."""
    seed: Seed = 0
    """Of the sampled actions and the start."""
    greedy: bool = False
    """Always take the likeliest action; without it actions are sampled as in training."""
    human: bool = False
    """Play with the keyboard."""
    record: Path | None = None
    """With --human: record your way in this folder, or go on with the one there, to play it again
    (`emerald replay FOLDER`) or to learn from it (`emerald train --teacher FOLDER`)."""
    no_states: bool = False
    """With --record: keep keys and hashes alone, from a new game, for anybody with the same ROM."""
    speed: Annotated[float, Field(ge=SLOWEST, le=FASTEST)] = 1.0
    """The game's speed in a window; + and - change it."""
    scale: int = 3
    """Magnification: pixels shown for each pixel of the game."""
    states: Path | None = None
    """Folder for the states that F5 saves. Left out: the checkpoint's session, or where you are."""

    def __post_init__(self) -> None:
        """Raises ValueError for flags that exclude each other."""
        if self.human and (self.video is not None or self.episodes is not None):
            raise ValueError("--human needs a window: leave --video and --episodes out")
        if (self.checkpoint is None) != self.human:
            raise ValueError("give either a checkpoint to watch, or --human to play yourself")
        if self.json and self.episodes is None:
            raise ValueError("--json prints the numbers of some episodes: give --episodes, too")
        if self.record is not None and not self.human:
            raise ValueError("--record is for --human; `emerald evaluate --record` records agents")
        if self.no_states and self.record is None:
            raise ValueError("--no-states has nothing to do without --record")
        check_scale(self.scale)
        check_video(self.video)
        if self.panel and self.scale < 2:
            raise ValueError("the panel needs --scale 2 or more to be read")

    @property
    def has_window(self) -> bool:
        """Whether it is played in a window."""
        return self.video is None and self.episodes is None

    @property
    def n_episodes(self) -> int | None:
        """How many episodes are played; None: until the window is closed."""
        return self.episodes or (None if self.has_window and self.steps is None else 1)

    @property
    def has_panel(self) -> bool:
        """Whether the panel is shown."""
        return self.panel or (self.has_window and self.scale > 1)


@reports_user_errors(CheckpointError, RuntimeError)
def main(arguments: Sequence[str] | None = None) -> int:
    """Plays with the settings of a command line, None for this process's own.

    Returns:
        The exit status: 0, or 1 after an error that the user can mend.
    """
    config = tyro.cli(PlayConfig, args=arguments)
    play_human(config) if config.human else play_checkpoint(config)
    return 0


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
    if config.steps is not None:
        game_config = replace(game_config, episode_length=config.steps)
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
        episode_length=config.steps or ENDLESS,
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
    path = folder / f"{slug(env.gba.title)}_{stamp}.state"
    try:
        write_atomically(path, env.gba.save_state())
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
