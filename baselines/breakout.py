"""The learner on Breakout with the published settings: what it should reach is known."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ale_py
import gymnasium
import tyro
from stable_baselines3.common.atari_wrappers import AtariWrapper
from stable_baselines3.common.callbacks import BaseCallback, CheckpointCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.utils import get_device, safe_mean
from stable_baselines3.common.vec_env import VecEnv, VecFrameStack

from baselines.callbacks import (
    ProgressCallback,
    StopCallback,
    StopRequest,
    ThreadsCallback,
    TimingCallback,
)
from baselines.config import SESSIONS
from baselines.curves import CurvesFormat
from baselines.ppo import PPO
from baselines.schedules import LinearSchedule
from baselines.session import Session
from emerald_env.vec_env import SharedMemoryVecEnv

GAME = "BreakoutNoFrameskip-v4"
N_STACK = 4
SAVE_FREQ = 500_000  # steps of all games between two checkpoints


@dataclass(frozen=True)
class BreakoutConfig:
    """Train PPO on Atari's Breakout with the published settings.

    After 10 million steps rl-baselines3-zoo reports a score of 398 +- 33, CleanRL 415 +- 28; after
    one million it is still below 50. A random policy scores about 2.
    """

    total_timesteps: int = 10_000_000
    """Steps of all games together, four frames each. Learning rate and clip range fall to 0 on the
    way, so a short run is no prefix of a long one."""
    seed: int = 0
    """Of the network, the sampled actions and the games."""
    n_workers: int = 8
    """Processes that the eight games are spread over."""
    device: str = "auto"
    """Where the network runs: cpu, cuda, or auto."""
    sessions: Path = SESSIONS
    """Folder in which each run makes its own; `tensorboard --logdir` it."""


class RewardTerms(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Adds to each `info` what our workers hand over: the reward by name."""

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps; the one term is the reward itself."""
        observation, reward, terminated, truncated, info = super().step(action)
        info["reward_terms"] = {"reward": reward}
        return observation, reward, terminated, truncated, info


def make_game() -> gymnasium.Env[Any, Any]:
    """Returns Breakout as SB3's wrappers prepare it: grey, 84 x 84, every fourth frame.

    A lost life ends an episode for the learner; `info["episode"]` counts whole games, unclipped.
    """
    gymnasium.register_envs(ale_py)
    return RewardTerms(AtariWrapper(Monitor(gymnasium.make(GAME))))


def make_games(config: BreakoutConfig) -> VecEnv:
    """Returns eight games on worker processes, four pictures to an observation."""
    one = make_game()
    spaces = one.observation_space, one.action_space
    one.close()
    games = SharedMemoryVecEnv([make_game] * 8, *spaces, ("reward",), config.n_workers)
    games.seed(config.seed)
    return VecFrameStack(games, N_STACK)


def make_model(config: BreakoutConfig, games: VecEnv) -> PPO:
    """Returns the learner with the settings of rl-baselines3-zoo's `ppo.yml`, "atari"."""
    return PPO(
        "CnnPolicy",
        games,
        learning_rate=LinearSchedule(2.5e-4, 0.0),
        clip_range=LinearSchedule(0.1, 0.0),
        n_steps=128,
        batch_size=256,
        n_epochs=4,
        gamma=0.99,
        gae_lambda=0.95,
        vf_coef=0.5,
        ent_coef=0.01,
        max_grad_norm=0.5,
        seed=config.seed,
        device=config.device,
        channels_last=get_device(config.device).type == "cpu",
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Trains with the settings of a command line, None for this process's own.

    Whatever ends it, what has been learnt is saved in the session's folder.

    Returns:
        The exit status: 0 when all steps were done, 128 + the signal's number when one ended it.
    """
    config = tyro.cli(BreakoutConfig, args=arguments)
    session = Session.create(config.sessions, "breakout")
    print(f"writing to {session.folder}", flush=True)
    with StopRequest() as stop:
        games = make_games(config)
        try:
            learn(config, make_model(config, games), session.folder, stop)
        finally:
            games.close()
    return 0 if stop.received is None else 128 + stop.received


def learn(config: BreakoutConfig, model: PPO, folder: Path, stop: StopRequest) -> None:
    """Trains until all steps are done or a stop is requested, and saves whatever happens."""
    progress = ProgressCallback(config.total_timesteps)
    often = SAVE_FREQ // model.n_envs
    checkpoints = CheckpointCallback(often, str(folder / "checkpoints"), "breakout")
    callbacks: list[BaseCallback] = [StopCallback(stop), TimingCallback(), progress, checkpoints]
    if model.device.type == "cpu":
        callbacks.append(ThreadsCallback())
    model.set_logger(Logger(str(folder), [CurvesFormat(str(folder), 0)]))
    try:
        model.learn(config.total_timesteps, callbacks)
    finally:
        progress.close()
        model.logger.dump(model.num_timesteps)
        model.logger.close()
        model.save(folder / "breakout.zip")
    scores = [episode["r"] for episode in model.ep_info_buffer or []]
    print(f"mean score of the last {len(scores)} games: {safe_mean(scores):.1f}", flush=True)
