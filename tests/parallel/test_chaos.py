"""A training whose workers are killed and stopped at random."""

import json
import os
import random
import signal
import threading
from contextlib import closing

import psutil
import pytest
from stable_baselines3.common.callbacks import CallbackList
from stable_baselines3.common.logger import configure
from stable_baselines3.common.vec_env import VecFrameStack

from baselines.games.vec_games import make_vec_env
from baselines.runs.session_folder import Session
from baselines.settings.game_config import GameConfig
from baselines.settings.train_config import PPOConfig, TrainConfig
from baselines.training.callbacks.episodes import EpisodeCallback
from baselines.training.callbacks.timing import TimingCallback
from baselines.training.model import make_model
from emerald_env.parallel.vec_env import WorkerLimits

CONFIG = TrainConfig(
    n_envs=4,
    network="tile",
    env=GameConfig(observation="dict", episode_length=50),
    ppo=PPOConfig(n_steps=32, batch_size=64, n_epochs=1),
)


class Chaos(threading.Thread):
    """Kills or stops a worker at random moments, each time some steps after the last."""

    def __init__(self, games, model):
        super().__init__(daemon=True)
        self.games, self.model = games, model
        self.done, self.ends = [], threading.Event()

    def run(self):
        rng, last = random.Random(0), 0
        while not self.ends.wait(rng.uniform(0.05, 0.5)):
            if self.model.num_timesteps < last + 100:
                continue
            how = (signal.SIGKILL, signal.SIGSTOP)[len(self.done) % 2]
            os.kill(rng.choice(self.games._workers).process.pid, how)
            self.done.append(how)
            last = self.model.num_timesteps


@pytest.mark.slow
def test_training_continues_while_workers_are_killed_and_stopped(tmp_path, caplog):
    games = make_vec_env(CONFIG.env, 4, 2, limits=WorkerLimits(seconds=2.0, failures=1000))
    with closing(VecFrameStack(games, 2)) as stacked:
        model = make_model(CONFIG, stacked)
        model.set_logger(configure(str(tmp_path), ["json"]))
        chaos = Chaos(games, model)
        chaos.start()
        callbacks = [TimingCallback(), EpisodeCallback(Session.create(tmp_path, "jade"))]
        while games.restarts < 3:
            model.learn(4 * 32 * 2, CallbackList(callbacks), reset_num_timesteps=False)
        chaos.ends.set()
        chaos.join()
        lines = (tmp_path / "progress.json").read_text().splitlines()
        logged = [json.loads(line)["time/worker_restarts"] for line in lines]
        assert logged == sorted(logged) and 1 <= logged[-1] <= games.restarts
        assert "exit code -9" in caplog.text and "hangs: no answer for 2 seconds" in caplog.text
        assert len(games._workers) == 2
    assert not [
        child
        for child in psutil.Process().children(recursive=True)
        if "multiprocessing-fork" in child.cmdline()
    ]
