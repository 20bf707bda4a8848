"""A training whose workers are killed and stopped at random."""

import os
import random
import signal
import threading
from contextlib import closing

import psutil
import pytest
from stable_baselines3.common.callbacks import CallbackList
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import VecFrameStack

from baselines.callbacks import EpisodeCallback, WorkersCallback
from baselines.config import PPOConfig, TrainConfig
from baselines.model import make_model
from baselines.session import Session
from emerald_env import EnvConfig
from emerald_env.vec_env import Patience, make_vec_env

CONFIG = TrainConfig(
    n_envs=4,
    network="tile",
    env=EnvConfig(observation="dict", episode_length=50),
    ppo=PPOConfig(n_steps=32, batch_size=64, n_epochs=1),
)


class Chaos(threading.Thread):
    """Kills or stops one of the workers every now and then."""

    def __init__(self, games):
        super().__init__(daemon=True)
        self.games, self.done, self.ends = games, [], threading.Event()

    def run(self):
        rng = random.Random(0)
        while not self.ends.wait(rng.uniform(0.5, 2.0)):
            how = rng.choice((signal.SIGKILL, signal.SIGSTOP))
            os.kill(rng.choice(self.games._workers).process.pid, how)
            self.done.append(how)


@pytest.mark.slow
def test_training_goes_on_while_workers_are_killed_and_stopped(tmp_path, caplog):
    games = make_vec_env(CONFIG.env, 4, 2, patience=Patience(seconds=2.0, failures=1000))
    logger = Logger(None, [])
    with closing(VecFrameStack(games, 2)) as stacked:
        model = make_model(CONFIG, stacked)
        model.set_logger(logger)
        chaos = Chaos(games)
        chaos.start()
        callbacks = [WorkersCallback(), EpisodeCallback(Session.create(tmp_path, "jade"))]
        logged = []
        while {signal.SIGKILL, signal.SIGSTOP} > set(chaos.done) or games.restarts < 4:
            model.learn(4 * 32 * 4, CallbackList(callbacks), reset_num_timesteps=False)
            logged.append(logger.name_to_value["time/worker_restarts"])
        chaos.ends.set()
        chaos.join()
        assert logged == sorted(logged) and logged[-1] >= 1
        assert "exit code -9" in caplog.text and "hangs: no answer for 2 seconds" in caplog.text
        assert len(games._workers) == 2
    assert not [
        child
        for child in psutil.Process().children(recursive=True)
        if "multiprocessing-fork" in child.cmdline()
    ]
