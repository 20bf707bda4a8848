"""Plays a checkpoint: `python baselines/play.py CHECKPOINT`, or lets a person play: `--human`."""

import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import tyro
from gymnasium.wrappers import TimeLimit
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecFrameStack, VecTransposeImage

from baselines.checkpoint import CheckpointError, load_policy
from baselines.config import SESSIONS
from baselines.manifest import Manifest, describe_game
from baselines.screens import HELP, HUMAN_HELP, WindowClosed, WindowScreen
from baselines.session import Session
from baselines.space_json import space_to_json
from baselines.tally import Tally
from baselines.video import VideoFile
from baselines.watched_env import Watch, WatchedEnv
from emerald_env.config import EnvConfig
from emerald_env.emulator import RomError, SaveError, StateError
from emerald_env.episode import EpisodeSummary
from emerald_env.starts import NEW_GAME
from emerald_env.state import milestones_done
from rewards import Reward

Choose = Callable[[Any], NDArray[np.int64]]  # observations of one game -> its action, (1,)
ENDLESS = 1_000_000_000  # steps
USER_ERRORS = (FileNotFoundError, RomError, StateError, SaveError, CheckpointError)


@dataclass(frozen=True)
class PlayConfig:
    """Watch a checkpoint play, in a window or as a video; or play yourself."""

    checkpoint: Annotated[
        str | None,
        tyro.conf.Positional,
        tyro.conf.arg(metavar="[CHECKPOINT]", help_behavior_hint=""),
    ] = None
    """A checkpoint (.zip), a session, or "last". Left out: a person plays (--human)."""
    rom: Path | None = None
    """The ROM that it was trained on. Left out: the built-in game Jade."""
    video: Path | None = None
    """Write an mp4 instead of opening a window."""
    steps: int | None = None
    """Steps to play. Left out: one episode for a video, until ESC in a window."""
    start: str | None = None
    """Where to begin: a state or a .sav file. Left out: a new game."""
    seed: int = 0
    """Of the sampled actions and the start."""
    greedy: bool = False
    """Always take the likeliest action; without it actions are sampled as in training."""
    human: bool = False
    """Play with the keyboard."""
    scale: int = 3
    """Pixels shown for one of the game's."""

    def __post_init__(self) -> None:
        """Raises ValueError with what does not go together."""
        if self.human and self.video is not None:
            raise ValueError("--human needs a window: leave --video out")
        if (self.checkpoint is None) != self.human:
            raise ValueError("give either a checkpoint to watch, or --human to play yourself")
        for name in ("steps", "scale"):
            if getattr(self, name) is not None and getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}: it must be at least 1")


def main(arguments: Sequence[str] | None = None) -> int:
    """Plays with the settings of a command line, None for this process's own.

    Returns:
        The exit status: 0, or 1 after an error that the user can mend.
    """
    config = tyro.cli(PlayConfig, args=arguments)
    try:
        play_human(config) if config.human else play_checkpoint(config)
    except (*USER_ERRORS, RuntimeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def play_checkpoint(config: PlayConfig) -> None:
    """Lets a checkpoint's network play, and prints what each episode brought.

    Raises:
        CheckpointError, FileNotFoundError, RomError: it cannot be played; the message says why.
        RuntimeError: there is no screen for a window.
    """
    policy, manifest = load_policy(find_checkpoint(str(config.checkpoint)))
    env_config = manifest.env_config(config.rom, config.start)
    if config.steps is not None:
        env_config = replace(env_config, episode_length=config.steps)
    introduce(manifest, config)
    torch.manual_seed(config.seed)
    torch.set_num_threads(1)  # one picture at a time is too little to share

    def choose(observation: Any) -> NDArray[np.int64]:
        return policy.predict(observation, deterministic=config.greedy)[0]

    with open_screen(config, manifest.game["name"]) as screen:
        env, games = watched_games(env_config, manifest.n_stack, screen)
        with closing(games):
            if space_to_json(games.observation_space) != manifest.observation_space:
                raise CheckpointError(
                    f"its network sees {manifest.observation_space}, this program's game shows "
                    f"{space_to_json(games.observation_space)}"
                )
            env.reward = Reward(manifest.preset())
            games.seed(config.seed)
            play(env, games, choose, endless=config.video is None and config.steps is None)


def play_human(config: PlayConfig) -> None:
    """Lets a person play, and prints what it would have paid an agent.

    Raises:
        FileNotFoundError, RomError, StateError: the ROM or the start cannot be used.
        RuntimeError: there is no screen for a window.
    """
    env_config = EnvConfig(
        rom=config.rom, start=config.start or NEW_GAME, episode_length=config.steps or ENDLESS
    )
    print(HUMAN_HELP)
    with open_screen(config, describe_game(config.rom)["name"]) as screen:
        env, games = watched_games(env_config, 1, screen)
        with closing(games):
            play(env, games, lambda _: np.zeros(1, np.int64), endless=False)


def play(env: WatchedEnv, games: VecEnv, choose: Choose, endless: bool) -> None:
    """Plays one episode, or one after the other, until the window is closed; prints each's sums."""
    observation, tally = games.reset(), Tally()
    try:
        while True:
            observation, _, dones, infos = games.step(choose(observation))
            tally.add(infos[0]["reward_terms"])
            if dones[0]:
                print(tally.report(infos[0]["milestones"]), flush=True)
                if not endless:
                    return
                tally = Tally()
    except (WindowClosed, KeyboardInterrupt):
        print(tally.report(milestones_done(env.state) if env.state is not None else ()))


def watched_games(config: EnvConfig, n_stack: int, watch: Watch) -> tuple[WatchedEnv, VecEnv]:
    """Returns one game that `watch` sees every frame of, and the same as the network sees it."""
    env = WatchedEnv(config, watch)
    summed = EpisodeSummary(TimeLimit(env, max_episode_steps=config.episode_length))
    return env, VecTransposeImage(VecFrameStack(DummyVecEnv([lambda: summed]), n_stack))


def open_screen(config: PlayConfig, title: str) -> WindowScreen | VideoFile:
    """Returns where the frames go.

    Raises:
        RuntimeError: there is no screen for a window.
        FileNotFoundError: there is no folder for the video.
    """
    if config.video is not None:
        return VideoFile(config.video, config.scale)
    return WindowScreen(title, config.scale, config.human)


def find_checkpoint(name: str) -> Path:
    """Returns the checkpoint called `name`: a file, a session's latest, or the "last" session's.

    Raises:
        FileNotFoundError: there is none.
    """
    if name.endswith(".zip"):
        return Path(name)
    session = Session.find(SESSIONS, name)
    checkpoint = session.latest_checkpoint()
    if checkpoint is None:
        raise FileNotFoundError(f"nothing is saved in {session.folder} yet")
    return checkpoint


def introduce(manifest: Manifest, config: PlayConfig) -> None:
    """Prints what is going to be played, and where it differs from how it was trained."""
    print(
        f"{manifest.game['name']}, {manifest.network} CNN after {manifest.num_timesteps:,} steps, "
        f"reward {manifest.reward.get('name')}"
    )
    if describe_game(config.rom)["sha1"] != manifest.game["sha1"]:
        print("note: it was trained on another build of this game; it may play worse here")
    trained_from = manifest.env.get("start", NEW_GAME)
    if config.start is None and trained_from != NEW_GAME:
        print(f"note: it was trained from {trained_from}; give that file with --start")
    if config.video is None:
        print(HELP)


if __name__ == "__main__":
    sys.exit(main())
