"""One game as trainers use it: the environment with its reward and its wrappers.

Worker processes import this module, so it loads neither torch nor SB3.
"""

from contextlib import closing
from pathlib import Path
from typing import Any

import gymnasium
from gymnasium import spaces

from baselines.settings.game_config import GameConfig
from baselines.settings.game_defaults import game_defaults
from emerald_env.env.env import EmeraldEnv
from emerald_env.env.observation import observation_space
from emerald_env.env.setting_types import Record
from emerald_env.files.own_code import OwnName
from emerald_env.wrappers.disturbed import Disturbance, Disturbed
from emerald_env.wrappers.episode_limit import EpisodeLimit
from emerald_env.wrappers.episode_summary import EpisodeSummary
from emerald_env.wrappers.exploring import Exploring
from emerald_env.wrappers.own_wrapper import OwnWrapper
from emerald_env.wrappers.practice import Practice
from emerald_env.wrappers.publisher import Publisher
from emerald_env.wrappers.recorder import Recorder
from emerald_env.wrappers.story_end import StoryEnd
from rewards import Preset, Reward, StepReward, own_preset
from rewards.shares.earnings_wrapper import EarningsWrapper


def make_env(
    config: GameConfig | None = None,
    render_mode: str | None = None,
    record: Record = "none",
    practice: bool = False,
    number: int | None = None,
    preset: Preset | None = None,
    totals: bool = True,
    own: OwnName | None = None,
) -> gymnasium.Env[Any, Any]:
    """Returns a game with its reward, its limits and its summary.

    Args:
        config: the settings; None: the defaults.
        render_mode: as `EmeraldEnv` takes it.
        record: which episodes are recorded, see `Recorder`.
        practice: whether it may explore, and begin episodes in what was found; see `Practice`.
        number: of the game, for whoever watches it; None: nobody can.
        preset: what pays; None: what the settings name.
        totals: whether the last `info` of an episode has its "episode", as SB3's Monitor adds it.
        own: the wrapper of the user's own; None: what the settings name.

    Raises:
        FileNotFoundError, RomError, StateError, ValueError: the ROM, the start, the reward, the
            wrapper or a setting cannot be used.
    """
    config = config or GameConfig()
    reward = Reward(preset or config.preset())
    game = EmeraldEnv(config, reward, render_mode)
    return in_wrappers(game, config, reward, record, practice, number, totals, own)


def in_wrappers(
    game: EmeraldEnv,
    config: GameConfig,
    reward: Reward,
    record: Record = "none",
    practice: bool = False,
    number: int | None = None,
    totals: bool = True,
    own: OwnName | None = None,
) -> gymnasium.Env[Any, Any]:
    """Returns a game in `make_env`'s wrappers: training, evaluation and play have the same."""
    env: gymnasium.Env[Any, Any] = EarningsWrapper(game, reward)
    if config.guide:
        env = StoryEnd(env)
    env = EpisodeSummary(EpisodeLimit(env, config.episode_length, config.patience), totals)
    if record != "none":
        env = Recorder(env, record, reward.preset.as_dict())
    if config.disturb:
        # outside the recorder, which so records the actions that are played
        env = Disturbed(env, Disturbance.parse(config.disturb))
    own = own or config.own_wrapper()
    if own is not None:
        env = OwnWrapper(env, own)
    if practice:
        env = Exploring(Practice(env))
    return env if number is None else Publisher(env, number)


def game_space(config: GameConfig) -> spaces.Space[Any]:
    """Returns the space of what a game shows, in a wrapper of the user's own if it names one.

    Raises:
        FileNotFoundError, RomError, StateError, ValueError: see `make_env`.
    """
    if config.wrapper is None:
        return observation_space(config)
    with closing(make_env(config)) as env:
        return env.observation_space


def make_registered(
    render_mode: str | None = None,
    config: GameConfig | None = None,
    reward: str | Path | StepReward | None = None,
    **settings: Any,
) -> gymnasium.Env[Any, Any]:
    """Returns what `gymnasium.make("Emerald-v0", ...)` makes.

    Args:
        render_mode: as `EmeraldEnv` takes it.
        config: all settings at once; else
        reward: a preset's name, a file, or a function of two states of the game,
            `(before, after) -> float | dict[str, float]`, beside `config`, too; and
        settings: fields of `GameConfig` by name.

    Raises:
        FileNotFoundError, RomError, StateError, ValueError: see `make_env`.
        TypeError: an unknown setting, or settings beside `config`.
    """
    preset = None
    if callable(reward):
        if "reward_weights" in settings:
            raise TypeError("reward_weights are for presets: let the function weigh its own terms")
        preset = own_preset(reward)
    elif reward is not None:
        settings["reward"] = str(reward)
    if config is not None and settings:
        raise TypeError(f"give either config or single settings, got both: {', '.join(settings)}")
    if isinstance(settings.get("rom"), str):
        settings["rom"] = Path(settings["rom"])
    if config is None:
        world = settings.get("worlds") or settings.get("world")
        defaults = game_defaults(settings.get("rom"), settings.get("observation"), world)
        config = GameConfig(**(defaults | settings))
    return make_env(config, render_mode, preset=preset, totals=False)
