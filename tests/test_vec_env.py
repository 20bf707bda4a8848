import os
import signal
import subprocess
import sys
import time
from functools import partial

import gymnasium
import numpy as np
import psutil
import pytest
from gymnasium import spaces
from gymnasium.wrappers import TimeLimit

from emerald_env import EnvConfig
from emerald_env.episode import make_env
from emerald_env.vec_env import SharedMemoryVecEnv, WorkerError, make_vec_env

SHORT = EnvConfig(episode_length=12)


def rollout(games, steps=30):
    """Everything that a trainer sees, with the wall-clock time taken out."""
    rng = np.random.default_rng(0)
    trace = [games.reset()]
    for _ in range(steps):
        observations, rewards, dones, infos = games.step(rng.integers(15, size=games.num_envs))
        for info in infos:
            info.get("episode", {}).pop("t", None)
        trace.append((observations, rewards, dones, infos))
    games.close()
    return trace


def equal(left, right) -> bool:
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(equal(left[k], right[k]) for k in left)
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(equal, left, right))
    return bool(np.all(np.asarray(left) == np.asarray(right)))


def without_terms(trace):
    """SB3's workers send every info; ours only those of an episode's end."""
    first, *steps = trace
    return [
        first,
        *(
            (
                observations,
                rewards,
                dones,
                [info if done else {} for info, done in zip(infos, dones, strict=True)],
            )
            for observations, rewards, dones, infos in steps
        ),
    ]


@pytest.mark.parametrize("observation", ["screen", "dict"])
@pytest.mark.parametrize("n_workers", [1, 2, 3])
def test_it_gives_what_sb3s_own_vec_env_gives(observation, n_workers):
    config = EnvConfig(episode_length=12, observation=observation)
    ours = rollout(make_vec_env(config, 4, n_workers, seed=7))
    theirs = rollout(make_vec_env(config, 4, seed=7, backend="dummy"))
    for step, (own, reference) in enumerate(zip(ours, without_terms(theirs), strict=True)):
        assert equal(own, reference), f"step {step}"


def test_the_same_seed_gives_the_same_rollout():
    first = rollout(make_vec_env(SHORT, 3, 2, seed=1))
    assert equal(first, rollout(make_vec_env(SHORT, 3, 2, seed=1)))


def test_observations_are_not_overwritten_by_the_next_step():
    games = make_vec_env(SHORT, 2, 1)
    first = games.reset()
    kept = first.copy()
    for _ in range(5):
        games.step(np.array([1, 3]))
    np.testing.assert_array_equal(first, kept)
    games.close()


def test_terms_of_the_last_step_add_up_to_its_rewards():
    games = make_vec_env(SHORT, 3, 2)
    games.reset()
    rng = np.random.default_rng(0)
    for _ in range(40):
        _, rewards, _, _ = games.step(rng.integers(15, size=3))
        np.testing.assert_allclose(games.terms.sum(axis=1), rewards, atol=1e-5)
    assert games.terms.shape == (3, len(games.term_names))
    games.close()


def test_attributes_and_methods_reach_each_game():
    games = make_vec_env(SHORT, 3, 2)
    games.reset()
    assert games.get_attr("config") == [SHORT] * 3
    assert [image.shape for image in games.get_images()] == [(160, 240, 3)] * 3
    games.set_attr("mark", 5, indices=[1])
    assert games.get_attr("mark", indices=1) == [5]
    assert games.env_is_wrapped(TimeLimit) == [True] * 3
    assert games.env_is_wrapped(gymnasium.wrappers.RecordVideo) == [False] * 3
    games.close()


def test_closing_ends_every_process():
    games = make_vec_env(SHORT, 4, 2)
    processes = [psutil.Process(process.pid) for process in games._processes]
    games.close()
    games.close()
    assert not [process for process in processes if process.is_running()]


class FaultyEnv(gymnasium.Env):
    observation_space = spaces.Box(0, 1, (1,), np.float32)
    action_space = spaces.Discrete(2)

    def __init__(self, fault: str) -> None:
        self.fault = fault
        if fault == "make":
            raise ValueError("this env cannot be made")

    def reset(self, *, seed=None, options=None):
        return np.zeros(1, np.float32), {}

    def step(self, action):
        if self.fault == "step":
            raise ZeroDivisionError("the reason in the worker")
        if self.fault == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        return np.zeros(1, np.float32), 0.0, False, False, {"reward_terms": {"only": 0.0}}


def faulty_games(*faults: str) -> SharedMemoryVecEnv:
    makers = [partial(FaultyEnv, fault) for fault in faults]
    return SharedMemoryVecEnv(
        makers, FaultyEnv.observation_space, FaultyEnv.action_space, ("only",), len(makers)
    )


def test_an_exception_in_a_worker_reaches_the_user_with_its_traceback():
    games = faulty_games("", "step")
    games.reset()
    with pytest.raises(WorkerError, match="worker 1(.|\n)*in step(.|\n)*the reason in the worker"):
        games.step(np.zeros(2, int))
    games.close()


def test_an_env_that_cannot_be_made_is_reported_and_leaves_no_process():
    before = set(psutil.Process().children(recursive=True))
    with pytest.raises(WorkerError, match="this env cannot be made"):
        faulty_games("", "make")
    after = [p for p in psutil.Process().children(recursive=True) if p not in before]
    assert not [p for p in after if "spawn_main" in " ".join(p.cmdline())]


def test_a_killed_worker_is_named():
    games = faulty_games("", "die")
    games.reset()
    with pytest.raises(WorkerError, match="worker 1 .games 1 to 1. died .* exit code -9"):
        games.step(np.zeros(2, int))
    games.close()


KILLED_TRAINER = """
import sys, time
import numpy as np
from emerald_env import EnvConfig
from emerald_env.vec_env import make_vec_env
if __name__ == "__main__":
    games = make_vec_env(EnvConfig(), 2, 2)
    games.reset()
    print(*[process.pid for process in games._processes], flush=True)
    while True:
        games.step(np.zeros(2, int))
"""


def test_a_killed_trainer_leaves_no_process_and_no_shared_memory(tmp_path):
    script = tmp_path / "trainer.py"
    script.write_text(KILLED_TRAINER)
    shared_before = set(os.listdir("/dev/shm"))
    trainer = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    workers = [psutil.Process(int(pid)) for pid in trainer.stdout.readline().split()]
    assert len(workers) == 2
    trainer.kill()
    trainer.wait()
    _, alive = psutil.wait_procs(workers, timeout=10)
    assert not alive
    deadline = time.monotonic() + 10
    while set(os.listdir("/dev/shm")) - shared_before and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not {name for name in set(os.listdir("/dev/shm")) - shared_before if "pym" in name}


def test_workers_do_without_torch():
    games = make_vec_env(SHORT, 1, 1)
    maps = open(f"/proc/{games._processes[0].pid}/maps").read()
    games.close()
    assert "libtorch" not in maps


def test_fewer_than_one_game_is_an_error():
    with pytest.raises(ValueError, match="n_envs must be at least 1, got 0"):
        make_vec_env(SHORT, 0)


def test_make_env_is_what_every_backend_runs():
    env = make_env(SHORT)
    assert isinstance(env.env, TimeLimit)
    env.close()
