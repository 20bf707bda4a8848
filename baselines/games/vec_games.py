"""Many games at once behind SB3's `VecEnv`."""

from functools import partial

from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from baselines.games.game import game_space, make_env
from baselines.settings.game_config import GameConfig
from emerald_env.env.actions import action_set
from emerald_env.env.setting_types import Record
from emerald_env.parallel.sendable import check_sendable
from emerald_env.parallel.vec_env import DEFAULT_LIMITS, SharedMemoryVecEnv
from emerald_env.parallel.worker import EnvMaker
from emerald_env.parallel.worker_process import WorkerLimits
from rewards import Preset, StepReward, own_preset


def make_vec_env(
    config: GameConfig,
    n_envs: int,
    n_workers: int | None = None,
    seed: int = 0,
    record: Record = "none",
    limits: WorkerLimits = DEFAULT_LIMITS,
    practice: bool = False,
    watched: bool = False,
    first: int = 0,
    reward: StepReward | None = None,
) -> VecEnv:
    """Returns `n_envs` games that step together.

    Args:
        config: the settings of each game.
        n_envs: how many games.
        n_workers: processes; None: one a CPU core.
        seed: game `i` is seeded with `seed + i` at the first reset.
        record: which episodes are recorded, see `Recorder`.
        limits: when a worker is replaced, and when the run gives up.
        practice: whether games may explore, and begin episodes in what was found.
        watched: whether `emerald watch` may see them, see `Publisher`.
        first: number of the first game, where these are some of a run's games.
        reward: a function of two states, in place of the reward of the settings.

    Raises:
        WorkerError, FileNotFoundError, RomError: the games cannot be made.
        ValueError: `n_envs` is below 1, or the reward cannot be used in other processes.
    """
    if n_envs < 1:
        raise ValueError(f"n_envs must be at least 1, got {n_envs}")
    preset = config.preset() if reward is None else sendable(reward)
    one = partial(make_env, config, "rgb_array", record, practice, own=config.own_wrapper())
    makers: list[EnvMaker] = [
        partial(one, number=game if watched else None, preset=preset)
        for game in range(first, first + n_envs)
    ]
    actions = spaces.Discrete(len(action_set(config.action_set)))
    vec_env = SharedMemoryVecEnv(makers, game_space(config), actions, n_workers, limits)
    vec_env.seed(seed)
    return vec_env


def sendable(reward: StepReward) -> Preset:
    """Returns the preset of a function of two states that worker processes can load.

    Raises:
        ValueError: it has no name in a module, or holds what cannot be sent.
    """
    preset = own_preset(reward)
    check_sendable(preset, f"the reward {preset.name}")
    return preset
