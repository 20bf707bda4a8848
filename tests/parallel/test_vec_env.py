import multiprocessing
import os
import pickle
import re
import select
import signal
import struct
import subprocess
import sys
from functools import partial

import gymnasium
import numpy as np
import psutil
import pytest
from gymnasium.error import ClosedEnvironmentError, NoAsyncCallError
from helpers.faulty_env import FaultyEnv, Unreadable
from helpers.sb3_games import in_process

from baselines.games.game import make_env
from baselines.games.vec_games import make_vec_env
from baselines.settings.game_config import GameConfig
from emerald_env.parallel import worker_process
from emerald_env.parallel.cpu_placement import poll_briefly
from emerald_env.parallel.vec_env import SharedMemoryVecEnv, WorkerError, WorkerLimits
from emerald_env.parallel.worker import STEP
from emerald_env.parallel.worker_process import WorkerLost, processor_seconds
from emerald_env.wrappers.episode_limit import EpisodeLimit

SHORT = GameConfig(episode_length=12)


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


@pytest.mark.usefixtures("forked_workers")
@pytest.mark.parametrize("observation", ["screen", "dict"])
@pytest.mark.parametrize("n_workers", [1, 2, 3])
def test_it_gives_what_sb3s_own_vec_env_gives(observation, n_workers):
    config = GameConfig(episode_length=12, observation=observation)
    ours = rollout(make_vec_env(config, 4, n_workers, seed=7))
    theirs = rollout(in_process(config, 4, seed=7))
    for step, (own, reference) in enumerate(zip(ours, without_terms(theirs), strict=True)):
        assert equal(own, reference), f"step {step}"


@pytest.mark.usefixtures("forked_workers")
def test_the_same_seed_gives_the_same_rollout():
    first = rollout(make_vec_env(SHORT, 3, 2, seed=1))
    assert equal(first, rollout(make_vec_env(SHORT, 3, 2, seed=1)))


@pytest.mark.usefixtures("forked_workers")
def test_observations_are_not_overwritten_by_the_next_step():
    games = make_vec_env(SHORT, 2, 1)
    first = games.reset()
    kept = first.copy()
    for _ in range(5):
        games.step(np.array([1, 3]))
    np.testing.assert_array_equal(first, kept)
    games.close()


@pytest.mark.usefixtures("forked_workers")
def test_attributes_and_methods_reach_each_game():
    games = make_vec_env(SHORT, 3, 2)
    games.reset()
    assert games.get_attr("config") == [SHORT] * 3
    assert [image.shape for image in games.get_images()] == [(160, 240, 3)] * 3
    games.set_attr("mark", 5, indices=[1])
    assert games.get_attr("mark", indices=1) == [5]
    assert games.env_is_wrapped(EpisodeLimit) == [True] * 3
    assert games.env_is_wrapped(gymnasium.wrappers.RecordVideo) == [False] * 3
    games.close()


def test_closing_ends_every_process():
    games = make_vec_env(SHORT, 4, 2)
    processes = [psutil.Process(worker.process.pid) for worker in games._workers]
    games.close()
    games.close()
    assert not [process for process in processes if process.is_running()]


def faulty_games(*faults: str) -> SharedMemoryVecEnv:
    makers = [partial(FaultyEnv, fault) for fault in faults]
    return SharedMemoryVecEnv(
        makers,
        FaultyEnv.observation_space,
        FaultyEnv.action_space,
        len(makers),
        WorkerLimits(seconds=5.0),
    )


def test_a_worker_that_dies_in_the_middle_of_its_answer_is_lost():
    games = faulty_games("")
    (worker,) = games._workers
    ours, theirs = multiprocessing.Pipe()
    worker.send(STEP)
    os.write(theirs.fileno(), struct.pack("!i", 1000) + b"half of it")
    theirs.close()
    worker._connection.close()
    worker._connection, worker._poll = ours, select.poll()
    worker._poll.register(ours.fileno(), select.POLLIN)
    with pytest.raises(WorkerLost, match="worker 0 .games 0 to 0. died"):
        worker.receive()
    games.close()


@pytest.mark.parametrize(
    "fault, cause",
    [
        ("step", "worker 1(.|\n)*in step(.|\n)*the reason in the worker"),
        ("die", "worker 1 .games 1 to 1. died .* exit code -9"),
        ("hang", "worker 1 .games 1 to 1. hangs: no answer for 5 seconds"),
    ],
)
def test_a_lost_worker_is_replaced_and_its_episodes_end_truncated(fault, cause, caplog):
    games = faulty_games("", fault)
    games.reset()
    for _ in range(3):
        games.step(np.zeros(2, int))
    observations, rewards, dones, infos = games.step(np.array([0, 1]))
    assert observations.ravel().tolist() == [4.0, 0.0]
    assert (rewards.tolist(), dones.tolist()) == ([1.0, 0.0], [False, True])
    assert infos[0] == {}
    assert infos[1]["TimeLimit.truncated"] and infos[1]["terminal_observation"] == [3.0]
    assert re.search(cause, infos[1]["worker_lost"]) and re.search(cause, caplog.text)
    observations, _, dones, _ = games.step(np.zeros(2, int))
    assert (observations.ravel().tolist(), dones.tolist()) == ([5.0, 1.0], [False, False])
    assert games.restarts == 1
    games.close()


@pytest.mark.parametrize("fault, cause", [("step", "the reason in the worker"), ("die", "code -9")])
def test_a_worker_that_fails_again_and_again_ends_the_run_with_its_traceback(fault, cause):
    games = faulty_games("", fault)
    games.reset()
    for _ in range(2):
        games.step(np.array([0, 1]))
    with pytest.raises(WorkerError, match=f"3 failures in a minute(.|\n)*worker 1(.|\n)*{cause}"):
        games.step(np.array([0, 1]))
    with pytest.raises(WorkerError, match="failures in a minute"):
        games.get_attr("count")
    games.close()


def test_a_worker_lost_between_two_steps_is_replaced_and_the_next_step_tells():
    games = faulty_games("", "")
    games.reset()
    games.step(np.zeros(2, int))
    os.kill(games._workers[1].process.pid, signal.SIGKILL)
    assert games.get_attr("count") == [1, 0]
    observations, rewards, dones, infos = games.step(np.zeros(2, int))
    assert observations.ravel().tolist() == [2.0, 0.0]
    assert (rewards.tolist(), dones.tolist()) == ([1.0, 0.0], [False, True])
    assert infos[1]["terminal_observation"] == [1.0] and "code -9" in infos[1]["worker_lost"]
    games.close()


def test_a_reset_brings_back_a_lost_worker_without_an_episodes_end():
    games = faulty_games("", "")
    games.reset()
    os.kill(games._workers[0].process.pid, signal.SIGKILL)
    assert games.reset().ravel().tolist() == [0.0, 0.0]
    assert not games.step(np.zeros(2, int))[2].any()
    games.close()


def interrupted(monkeypatch, thing, name, after=False):
    """Makes a function raise what Ctrl-C does, once, in place of its work or after it."""
    whole = getattr(thing, name)

    def interrupt(*args):
        monkeypatch.undo()
        if after:
            whole(*args)
        raise KeyboardInterrupt

    monkeypatch.setattr(thing, name, interrupt)


@pytest.fixture
def three_steps():
    """Two games on two workers after three steps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker_process, "START_METHOD", "forkserver")
        games = faulty_games("", "")
        games.reset()
        for _ in range(3):
            games.step(np.zeros(2, int))
        yield games
        games.close()


@pytest.mark.parametrize("number", [0, 1])
def test_answers_follow_their_questions_after_an_interrupted_step(number, three_steps, monkeypatch):
    games = three_steps
    interrupted(monkeypatch, games._workers[number], "_await")
    with pytest.raises(KeyboardInterrupt):
        games.step(np.zeros(2, int))
    assert games.get_attr("count") == [4, 4]
    assert games.step(np.zeros(2, int))[0].ravel().tolist() == [5.0, 5.0]
    interrupted(monkeypatch, games._workers[number], "_await")
    with pytest.raises(KeyboardInterrupt):
        games.step(np.zeros(2, int))
    assert games.reset().ravel().tolist() == [0.0, 0.0]
    observations, _, dones, infos = games.step(np.zeros(2, int))
    assert (observations.ravel().tolist(), dones.tolist()) == ([1.0, 1.0], [False, False])
    assert infos == [{}, {}] and games.restarts == 0


@pytest.mark.parametrize("name", ["recv_bytes", "send_bytes"])
def test_a_worker_interrupted_in_the_middle_of_a_message_is_lost(name, three_steps, monkeypatch):
    games = three_steps
    interrupted(monkeypatch, games._workers[1]._connection, name, after=True)
    with pytest.raises(KeyboardInterrupt):
        games.step(np.zeros(2, int))
    observations, _, dones, infos = games.step(np.zeros(2, int))
    assert (observations.ravel().tolist(), dones.tolist()) == ([5.0, 0.0], [False, True])
    assert "worker 1 (games 1 to 1) died" in infos[1]["worker_lost"]
    assert games.get_attr("count") == [5, 0]


@pytest.mark.usefixtures("forked_workers")
def test_a_worker_lost_before_anything_was_observed_is_replaced():
    games = faulty_games("")
    observations, _, dones, infos = games.step(np.zeros(1, int))  # not reset, it has no count
    assert (observations.tolist(), dones.tolist()) == ([[0.0]], [True])
    assert infos[0]["terminal_observation"] == [0.0] and "'count'" in infos[0]["worker_lost"]
    assert games.step(np.zeros(1, int))[0].tolist() == [[1.0]] and games.restarts == 1
    games.close()


def test_a_step_that_nobody_waits_for_is_dropped(three_steps):
    games = three_steps
    games.step_async(np.zeros(2, int))
    assert games.get_attr("count") == [4, 4]
    with pytest.raises(NoAsyncCallError, match="there is no step to wait for: start one"):
        games.step_wait()
    games.step_async(np.zeros(2, int))
    assert games.step(np.zeros(2, int))[0].ravel().tolist() == [6.0, 6.0]
    games.step_async(np.zeros(2, int))
    assert games.reset().ravel().tolist() == [0.0, 0.0]
    assert games.restarts == 0


@pytest.mark.usefixtures("forked_workers")
def test_a_reward_that_raises_in_every_worker_is_told_once(caplog):
    games = faulty_games("reward", "reward", "")
    games.reset()
    with pytest.raises(WorkerError, match="^the reward raised$"):
        games.step(np.array([1, 1, 0]))
    observations, _, dones, infos = games.step(np.zeros(3, int))
    assert (observations.ravel().tolist(), dones.tolist()) == ([0, 0, 2], [True, True, False])
    assert infos[0]["worker_lost"] == "worker 0 (games 0 to 0) ended: the reward raised"
    assert games.step(np.zeros(3, int))[0].ravel().tolist() == [1, 1, 3]
    assert caplog.messages == []  # no report of a crash
    games.close()


@pytest.mark.parametrize("pending", [False, True])
def test_closed_games_say_so_and_start_no_worker(pending, three_steps):
    games, before = three_steps, worker_processes()
    if pending:
        games.step_async(np.zeros(2, int))
    games.close()
    for call in (
        games.reset,
        partial(games.step, np.zeros(2, int)),
        partial(games.get_attr, "count"),
    ):
        with pytest.raises(ClosedEnvironmentError, match="the games are closed: make them anew"):
            call()
    with pytest.raises(NoAsyncCallError):
        games.step_wait()
    assert worker_processes() <= before and games.restarts == 0


@pytest.mark.usefixtures("forked_workers")
def test_a_method_that_fails_is_the_callers_error_and_costs_no_worker():
    games = faulty_games("", "")
    games.reset()
    with pytest.raises(WorkerError, match="the reason in the method"):
        games.env_method("fail", indices=[1])
    games.step(np.zeros(2, int))
    assert games.get_attr("count") == [1, 1] and games.restarts == 0
    games.close()


@pytest.mark.usefixtures("forked_workers")
@pytest.mark.parametrize(
    "method, message",
    [
        ("unsendable", "worker 1 .games 1 to 1. failed(.|\n)*[Cc]an't (pickle|get) local object"),
        ("unreadable", "worker 1 .games 1 to 1. answered what cannot be read: .*no number"),
    ],
)
def test_what_cannot_be_sent_is_the_callers_error_and_costs_no_worker(method, message):
    games = faulty_games("", "")
    games.reset()
    with pytest.raises(WorkerError, match=message):
        games.env_method(method, indices=[1])
    with pytest.raises(WorkerError, match="worker 1(.|\n)*no number"):
        games.set_attr("mark", Unreadable(), indices=[1])
    games.step(np.zeros(2, int))
    assert games.get_attr("count") == [1, 1] and games.restarts == 0
    games.close()


def test_a_method_that_ends_every_worker_is_the_callers_error_and_the_games_go_on():
    games = faulty_games("", "", "")
    games.reset()
    games.step(np.zeros(3, int))
    with pytest.raises(WorkerError, match="call cannot be answered: worker 0 .* exit code -9"):
        games.env_method("die", indices=[0])
    assert games.get_attr("count") == [0, 1, 1]
    observations, _, dones, _ = games.step(np.zeros(3, int))
    assert (observations.ravel().tolist(), dones.tolist()) == ([0, 2, 2], [True, False, False])
    assert games.step(np.zeros(3, int))[0].ravel().tolist() == [1, 3, 3]
    games.close()


def worker_processes():
    children = psutil.Process().children(recursive=True)
    return {child for child in children if "spawn_main" in " ".join(child.cmdline())}


def test_a_worker_that_cannot_be_started_leaves_none_of_those_before_it():
    before = worker_processes()
    makers = [partial(FaultyEnv, ""), lambda: FaultyEnv("")]  # the second cannot be sent
    with pytest.raises((AttributeError, pickle.PicklingError)):
        SharedMemoryVecEnv(makers, FaultyEnv.observation_space, FaultyEnv.action_space, 2)
    assert worker_processes() <= before


def test_an_env_that_cannot_be_made_is_reported_and_leaves_no_process():
    before = set(psutil.Process().children(recursive=True))
    with pytest.raises(WorkerError, match="this env cannot be made"):
        faulty_games("", "make")
    after = [p for p in psutil.Process().children(recursive=True) if p not in before]
    assert not [p for p in after if "spawn_main" in " ".join(p.cmdline())]


def test_impatience_is_an_error():
    for wrong in ({"seconds": 0}, {"start_seconds": -1}, {"failures": 0}):
        with pytest.raises(ValueError, match="seconds must be above 0 and failures at least 1"):
            WorkerLimits(**wrong)


KILLED_TRAINER = """
import sys, time
import numpy as np
from baselines.settings.game_config import GameConfig
from baselines.games.vec_games import make_vec_env

if __name__ == "__main__":
    games = make_vec_env(GameConfig(), 2, 2)
    games.reset()
    print(*[worker.process.pid for worker in games._workers], flush=True)
    while True:
        games.step(np.zeros(2, int))
"""


def test_a_killed_trainer_leaves_no_process_and_no_shared_memory(tmp_path):
    script = tmp_path / "trainer.py"
    script.write_text(KILLED_TRAINER)
    trainer = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    workers = [psutil.Process(int(pid)) for pid in trainer.stdout.readline().split()]
    assert len(workers) == 2
    trainer.kill()
    trainer.wait()
    psutil.wait_procs(workers)  # they end by themselves
    assert not [name for name in os.listdir("/dev/shm") if f"pym-{trainer.pid}-" in name]


def test_workers_do_without_torch():
    games = make_vec_env(SHORT, 1, 1)
    maps = open(f"/proc/{games._workers[0].process.pid}/maps").read()
    games.close()
    assert "libtorch" not in maps


def test_fewer_than_one_game_is_an_error():
    with pytest.raises(ValueError, match="n_envs must be at least 1, got 0"):
        make_vec_env(SHORT, 0)


def test_make_env_is_what_a_worker_runs():
    env = make_env(SHORT)
    assert isinstance(env.env, EpisodeLimit)
    env.close()


@pytest.fixture
def two_cores():
    """Two of this machine's cores, which this process keeps to."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:2])
    yield os.sched_getaffinity(0)
    os.sched_setaffinity(0, before)


@pytest.mark.skipif(not hasattr(os, "sched_setscheduler"), reason="Linux only")
@pytest.mark.parametrize("more", [0, 1])
def test_workers_have_a_core_each_only_where_there_is_one_for_each(two_cores, more):
    n_workers = len(two_cores) + more
    games = make_vec_env(SHORT, n_workers, n_workers)
    pids = [worker.process.pid for worker in games._workers]
    own = [os.sched_getaffinity(pid) for pid in pids]
    assert all(os.sched_getscheduler(pid) == os.SCHED_BATCH for pid in pids)
    games.close()
    assert own == [two_cores] * n_workers if more else own == [{core} for core in sorted(two_cores)]
    assert os.sched_getaffinity(0) == two_cores and os.sched_getscheduler(0) == os.SCHED_OTHER


@pytest.mark.skipif(not hasattr(os, "sched_yield"), reason="not on this system")
def test_a_message_is_awaited_without_sleep_for_a_short_time_only():
    reading, writing = os.pipe()
    poll = select.poll()
    poll.register(reading, select.POLLIN)
    assert not poll_briefly(poll, seconds=0.01)
    os.write(writing, b"s")
    assert poll_briefly(poll, seconds=0.0)
    assert os.read(reading, 1) == b"s"
    os.close(writing)
    assert poll_briefly(poll)  # that the trainer is gone is for the reader to notice
    os.close(reading)


def test_only_a_process_that_computes_has_processor_seconds():
    script = "import sys\nwhile True:\n    if {}: sys.stdin.read()"
    for asleep in (True, False):
        argument = [sys.executable, "-c", script.format(asleep)]
        with subprocess.Popen(argument, stdin=subprocess.PIPE) as process:
            used = (processor_seconds(process.pid) for _ in iter(int, 1))
            if asleep:
                while next(used) is not None:  # until it has started
                    pass
            else:
                first = next(filter(None, used))
                assert next(later for later in used if later is not None and later > first)
            process.kill()
        assert processor_seconds(process.pid) is None
