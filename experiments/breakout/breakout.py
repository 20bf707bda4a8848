"""The learner on Breakout with the published settings, for which scores are known.

It has a short trainer of its own, made of parts of `baselines.training`, whose own trainer saves
manifests, recordings and archives of a Game Boy game, which Breakout does not have.
"""

import io
import json
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import ale_py
import gymnasium
import numpy as np
import tyro
from stable_baselines3.common.atari_wrappers import (
    ClipRewardEnv,
    EpisodicLifeEnv,
    FireResetEnv,
    NoopResetEnv,
    WarpFrame,
)
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.utils import get_device, safe_mean
from stable_baselines3.common.vec_env import VecEnv, VecFrameStack

from baselines.learner.ppo import PPO, Speed
from baselines.learner.schedules import LinearSchedule
from baselines.learner.shards import suitable_shards
from baselines.runs.curves import CurvesFormat
from baselines.runs.session_folder import Session, checkpoint_steps
from baselines.training.callbacks.progress_bar import ProgressCallback
from baselines.training.callbacks.stop import StopCallback, StopRequest
from baselines.training.callbacks.threads import ThreadsCallback
from baselines.training.callbacks.timing import TimingCallback
from baselines.training.resources import check_bf16, check_device, check_folder
from emerald_env.env.setting_types import Count, Seed, checked, from_json
from emerald_env.files.atomic import write_atomically
from emerald_env.files.data import is_number, read_json
from emerald_env.files.printable import complain
from emerald_env.parallel.vec_env import SharedMemoryVecEnv
from emerald_env.recordings.find_recordings import SESSIONS

GAME = "BreakoutNoFrameskip-v4"
N_STACK = 4
N_GAMES = 8
BATCH_SIZE = 256
MEAN_OF = 100  # games


@checked
@dataclass(frozen=True)
class BreakoutConfig:
    """Train PPO on Atari's Breakout with the published settings.

    After 10 million steps rl-baselines3-zoo reports a score of 398 +- 33, CleanRL 415 +- 28; after
    one million it is about 26. A random policy scores about 2. plot_breakout.py draws a run beside
    the published one.
    """

    total_timesteps: Count = 10_000_000
    """Steps of all games together, four frames each. Learning rate and clip range fall to 0 by the
    end, so a shorter run is not a prefix of a long one: for that use --minutes."""
    minutes: float | None = None
    """Time after which the run ends; the learning rate falls as if it continued, which --resume
    last does. None: no limit."""
    seed: Seed = 0
    """Of the network, the sampled actions and the games."""
    n_workers: Count = 8
    """Processes for the eight games."""
    device: str = "auto"
    """Where the network runs: cpu, cuda, or auto."""
    bf16: bool = False
    """Compute what the CNN sees in bfloat16, as `emerald train --bf16` does: updates take six
    tenths of the time on a processor with AVX512-BF16."""
    save_freq: Count = 500_000
    """Steps between two checkpoints; there is always one at the end."""
    resume: str | None = None
    """Resume this session (a folder, a name, or "last"); its settings are the defaults."""
    sessions: Path = SESSIONS
    """Folder in which each run makes its own; `tensorboard --logdir` it."""

    def __post_init__(self) -> None:
        """Raises ValueError for an impossible setting, with its value and bounds."""
        if self.minutes is not None and self.minutes <= 0:
            raise ValueError(f"minutes is {self.minutes:g}: it must be above 0")


class RewardTerms(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Adds to each `info` what our workers expect: the reward by name."""

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps; the one term is the reward itself."""
        observation, reward, terminated, truncated, info = super().step(action)
        info["reward_terms"] = {"reward": reward}
        return observation, reward, terminated, truncated, info


class FourFrames(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Holds an action for four frames; shows the brighter value of each pixel of the last two.

    The pictures equal those of SB3's `MaxAndSkipEnv`, but the first two frames are not drawn.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        game: Any = self.unwrapped
        self._ale = game.ale
        self._keys = self._ale.getMinimalActionSet()

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps; the reward is the sum over the frames, the picture (210, 160, 3) uint8."""
        ale, key, reward, drawn = self._ale, self._keys[action], 0.0, []
        for frame in range(4):
            reward += ale.act(key)
            over, cut = ale.game_over(with_truncation=False), ale.game_truncated()
            if frame >= 2 or over or cut:
                drawn.append(ale.getScreenRGB())
            if over or cut:
                break
        return np.maximum(drawn[0], drawn[-1]), reward, over, cut, {}


def make_game() -> gymnasium.Env[Any, Any]:
    """Returns Breakout as SB3's `AtariWrapper` prepares it: grey, 84 x 84, every fourth frame.

    A lost life ends an episode for the learner; `info["episode"]` counts whole games, unclipped.
    """
    gymnasium.register_envs(ale_py)
    ale_py.ALEInterface.setLoggerMode(ale_py.LoggerMode.Error)  # no banner for each game
    frames = FourFrames(NoopResetEnv(gymnasium.make(GAME), noop_max=30))
    lives = FireResetEnv(EpisodicLifeEnv(Monitor(frames)))
    return RewardTerms(ClipRewardEnv(WarpFrame(lives)))


def make_games(config: BreakoutConfig) -> VecEnv:
    """Returns eight games on worker processes, four pictures to an observation."""
    one = make_game()
    spaces = one.observation_space, one.action_space
    one.close()
    games = SharedMemoryVecEnv([make_game] * N_GAMES, *spaces, config.n_workers)
    games.seed(config.seed)
    return VecFrameStack(games, N_STACK)


def make_model(config: BreakoutConfig, games: VecEnv) -> PPO:
    """Returns the learner with the settings of rl-baselines3-zoo's `ppo.yml`, "atari"."""
    on_cpu = get_device(config.device).type == "cpu"
    return PPO(
        "CnnPolicy",
        games,
        learning_rate=LinearSchedule(2.5e-4, 0.0),
        clip_range=LinearSchedule(0.1, 0.0),
        n_steps=128,
        batch_size=BATCH_SIZE,
        n_epochs=4,
        gamma=0.99,
        gae_lambda=0.95,
        vf_coef=0.5,
        ent_coef=0.01,
        max_grad_norm=0.5,
        stats_window_size=MEAN_OF,
        seed=config.seed,
        device=config.device,
        speed=Speed(True, True, True, suitable_shards(BATCH_SIZE)) if on_cpu else Speed(),
        bf16=config.bf16,
    )


def parse(arguments: Sequence[str] | None) -> tuple[BreakoutConfig, Session | None]:
    """Returns the settings of a command line, and the session to resume if it names one.

    Raises:
        SystemExit: after `--help`, or after an error message about a flag.
        FileNotFoundError: the session does not exist, or nothing is saved in it.
        ValueError: the session is not one of Breakout.
    """
    config = tyro.cli(BreakoutConfig, args=arguments)
    if config.resume is None:
        return config, None
    session = Session.find(config.sessions, config.resume)
    if session.latest_checkpoint() is None:
        raise FileNotFoundError(f"nothing is saved in {session.folder}: start a new run")
    try:
        saved = from_json(BreakoutConfig, json.loads(session.config.read_text()))
    except ValueError as error:
        raise ValueError(
            f"{session.folder} is not a session of Breakout ({error}): name one with --resume"
        ) from error
    return tyro.cli(BreakoutConfig, args=arguments, default=saved), session


def main(arguments: Sequence[str] | None = None) -> int:
    """Trains with the settings of a command line, None for this process's own.

    However it ends, the weights are saved in the session's folder.

    Returns:
        The exit status: 0 when all steps were done, 128 + the signal's number when one ended it, 1
        after an error that the user can fix.
    """
    try:
        config, session = parse(arguments)
        check_folder(config.sessions if session is None else session.folder)
        check_device(config.device)
        check_bf16(config.bf16, config.device)
        old = None if session is None else session.latest_checkpoint()
        scores = [] if session is None else last_scores(session)
        session = session or Session.create(config.sessions, "breakout")
    except (OSError, ValueError) as error:
        return complain(error)
    print(f"writing to {session.folder}", flush=True)
    settings = asdict(replace(config, resume=None))
    write_atomically(session.config, (json.dumps(settings, indent=2, default=str) + "\n").encode())
    with StopRequest() as stop:
        games = make_games(config)
        try:
            model = make_model(config, games)
            if old is not None:
                restore(config, model, old, scores)
            learn(config, model, session, stop)
        finally:
            games.close()
    return 0 if stop.received is None else 128 + stop.received


def scores_file(session: Session) -> Path:
    """Returns where a run keeps its last scores."""
    return session.folder / "last_scores.json"


def last_scores(session: Session) -> list[dict[str, float]]:
    """Returns the score "r" and the length "l" of a run's last games, the last one at the end.

    A run that was never saved, or by a version that did not keep them, has none.

    Raises:
        ValueError: the file holds something else.
    """
    path = scores_file(session)
    if not path.exists():
        return []
    try:
        games = read_json(path)
    except ValueError:
        games = None
    if not isinstance(games, list) or not all(map(is_game, games)):
        raise ValueError(f"{path} holds no scores: remove it, and their mean begins anew")
    return games


def is_game(value: Any) -> bool:
    """Whether something from JSON is a game's score and length."""
    return (
        isinstance(value, dict) and set(value) == {"r", "l"} and all(map(is_number, value.values()))
    )


def restore(
    config: BreakoutConfig, model: PPO, checkpoint: Path, scores: Sequence[dict[str, float]]
) -> None:
    """Puts weights, optimiser, step count and last scores of a run into the model.

    None of the checkpoint's pickled parts is opened.
    """
    model.set_parameters(str(checkpoint), device=model.device)
    model.num_timesteps = checkpoint_steps(checkpoint)
    model.ep_info_buffer = deque(scores, maxlen=MEAN_OF)
    model.ep_success_buffer = deque(maxlen=MEAN_OF)
    model.set_random_seed(config.seed + model.num_timesteps)  # not the same random numbers again
    print(f"resuming from {checkpoint}", flush=True)


class SaveCallback(BaseCallback):
    """Saves every `save_freq` steps, at the start of a rollout, when all samples are used."""

    def __init__(self, session: Session, save_freq: int) -> None:
        super().__init__()
        self._session, self._save_freq, self._saved_at = session, save_freq, 0

    def _on_training_start(self) -> None:
        self._saved_at = self.num_timesteps

    def _on_rollout_start(self) -> None:
        if self.model.num_timesteps - self._saved_at >= self._save_freq:
            self.save()

    def _on_step(self) -> bool:
        return True

    def save(self) -> None:
        """Writes a checkpoint and the last scores, each atomically."""
        games = [{"r": game["r"], "l": game["l"]} for game in self.model.ep_info_buffer or ()]
        write_atomically(scores_file(self._session), json.dumps(games).encode())
        buffer = io.BytesIO()
        self.model.save(buffer)
        self._saved_at = self.model.num_timesteps
        write_atomically(self._session.checkpoint(self._saved_at), buffer.getvalue())


class DeadlineCallback(BaseCallback):
    """Ends `learn` after some minutes; schedules are not affected.

    Args:
        minutes: from the beginning of `learn`; None: never.
    """

    def __init__(self, minutes: float | None) -> None:
        super().__init__()
        self._seconds = float("inf") if minutes is None else 60 * minutes

    def _on_training_start(self) -> None:
        self._started = perf_counter()

    def _on_step(self) -> bool:
        return perf_counter() - self._started < self._seconds


def learn(config: BreakoutConfig, model: PPO, session: Session, stop: StopRequest) -> None:
    """Trains until all steps are done or a stop is requested, and saves in any case."""
    progress = ProgressCallback(config.total_timesteps)
    save = SaveCallback(session, config.save_freq)
    callbacks: list[BaseCallback] = [
        StopCallback(stop),
        DeadlineCallback(config.minutes),
        TimingCallback(),
        progress,
        save,
    ]
    if model.device.type == "cpu":
        callbacks.append(ThreadsCallback())
    curves = CurvesFormat(str(session.folder), model.num_timesteps)
    model.set_logger(Logger(str(session.folder), [curves]))
    try:
        left = max(0, config.total_timesteps - model.num_timesteps)
        model.learn(left, callbacks, reset_num_timesteps=False)
    finally:
        progress.close()
        model.logger.dump(model.num_timesteps)
        model.logger.close()
        save.save()
    scores = [episode["r"] for episode in model.ep_info_buffer or []]
    mean = f"{safe_mean(scores):.1f}" if scores else "no game has ended yet"
    print(f"mean score of the last {len(scores)} games: {mean}", flush=True)
