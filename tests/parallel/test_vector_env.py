import os
import re
import signal
import subprocess
import sys
from functools import partial

import gymnasium
import numpy as np
import psutil
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import TimeLimit
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics
from helpers.faulty_env import FaultyEnv

import emerald_env  # noqa: F401
from emerald_env.emulator.cartridge.saved_formats import StateError
from emerald_env.parallel.vector_env import GamesVectorEnv
from emerald_env.parallel.worker_error import WorkerError
from emerald_env.parallel.worker_group import LOST

MODES = list(AutoresetMode)
SHORT = {"episode_length": 7, "observation": "dict", "shrink": 8}


def games(n=3, mode=AutoresetMode.NEXT_STEP, **settings):
    settings = {"n_workers": 2, "autoreset_mode": mode} | SHORT | settings
    return gymnasium.make_vec("Emerald-v0", num_envs=n, **settings)


def one_after_another(n=3, mode=AutoresetMode.NEXT_STEP):
    """Gymnasium's own vector env around single games: the reference."""
    maker = partial(gymnasium.make, "Emerald-v0", disable_env_checker=True, **SHORT)
    return SyncVectorEnv([maker] * n, autoreset_mode=mode)


def without_time(infos):
    """Wall-clock time differs from one machine's moment to the next."""
    if isinstance(infos, dict):
        kept = {key: value for key, value in infos.items() if key not in ("t", "_t")}
        return {key: without_time(value) for key, value in kept.items()}
    return infos


@pytest.mark.parametrize("seed", [5, [3, 1, 4]], ids=["one", "each"])
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_it_equals_single_games_one_after_another(mode, seed):
    ours, theirs = games(mode=mode), one_after_another(mode=mode)
    assert data_equivalence(ours.reset(seed=seed)[0], theirs.reset(seed=seed)[0])
    ours.action_space.seed(0)
    for step in range(24):
        actions = ours.action_space.sample()
        own, reference = ours.step(actions), theirs.step(actions)
        assert data_equivalence(own[:4], reference[:4], exact=True), step
        over = own[2] | own[3]
        if over.any() and mode is not AutoresetMode.DISABLED:
            assert data_equivalence(without_time(own[4]), without_time(reference[4])), step
        if over.any() and mode is AutoresetMode.DISABLED:
            first, second = ({"reset_mask": over.copy()} for _ in range(2))
            again = ours.reset(options=first)[0], theirs.reset(options=second)[0]
            assert data_equivalence(*again, exact=True)
    ours.close()
    theirs.close()


def test_its_spaces_and_metadata_are_those_of_gymnasiums_vector_envs():
    ours, theirs = games(), one_after_another()
    for name in (
        "observation_space",
        "action_space",
        "single_observation_space",
        "single_action_space",
    ):
        assert getattr(ours, name) == getattr(theirs, name)
    assert ours.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    observations, _ = ours.reset(seed=0)
    assert observations in ours.observation_space
    ours.close()
    theirs.close()


def test_gymnasiums_vector_wrappers_fit_around_it():
    env = DictInfoToList(RecordEpisodeStatistics(games(2)))
    env.reset(seed=0)
    ended = [env.step(env.action_space.sample())[4] for _ in range(7)][-1]
    assert [info["episode"]["l"] for info in ended] == [7, 7]
    env.close()


def test_reset_begins_the_chosen_games_alone():
    env = games(3, AutoresetMode.DISABLED)
    env.reset(seed=0)
    after, *_ = env.step(np.array([1, 1, 1]))
    begun, infos = env.reset(seed=5, options={"reset_mask": np.array([False, True, False])})
    first, _ = env.reset(seed=5)
    for key in after:
        np.testing.assert_array_equal(begun[key][[0, 2]], after[key][[0, 2]])
        np.testing.assert_array_equal(begun[key][1], first[key][1])
    env.close()


def test_methods_and_attributes_reach_each_game():
    env = games(3, render_mode="rgb_array")
    env.reset(seed=0)
    assert [picture.shape for picture in env.render()] == [(160, 240, 3)] * 3
    env.set_attr("mark", [1, 2, 3])
    assert env.get_attr("mark") == env.call("mark") == (1, 2, 3)
    assert [masks.shape for masks in env.call("action_masks")] == [(15,)] * 3
    env.close()


@pytest.fixture(scope="module")
def two():
    env = games(2)
    env.reset(seed=0)
    yield env
    env.close()


@pytest.mark.parametrize(
    "actions, message",
    [
        (np.array([0, 15]), "0 to 14, got .0, 15."),
        (np.array([0, -1]), "0 to 14"),
        (np.zeros(3, int), "actions must be .2,. whole numbers, got int64 .3,."),
        (np.zeros(2), "float64"),
    ],
)
def test_what_is_not_an_action_is_refused(two, actions, message):
    with pytest.raises(ValueError, match=message):
        two.step(actions)


def test_an_ended_episode_that_was_not_reset_is_refused_where_nothing_resets_it():
    env = games(2, AutoresetMode.DISABLED, episode_length=1)
    env.reset(seed=0)
    env.step(np.zeros(2, int))
    with pytest.raises(ValueError, match=r"games \[0, 1\] have ended: reset them"):
        env.step(np.zeros(2, int))
    env.close()


@pytest.mark.parametrize(
    "given, message",
    [
        ({"seed": [1, 2, 3]}, "seed must have one for each of 2, got 3"),
        ({"options": {"reset_mask": np.zeros(2, bool)}}, "reset_mask must be"),
        ({"options": {"reset_mask": [1, 0]}}, "reset_mask must be"),
    ],
)
def test_an_impossible_reset_is_refused(two, given, message):
    with pytest.raises(ValueError, match=message):
        two.reset(**given)


@pytest.fixture
def counted():
    """Three games on two workers after two steps."""
    env = GamesVectorEnv([partial(FaultyEnv, "")] * 3, 2)
    env.reset(seed=3)
    for _ in range(2):
        env.step(np.zeros(3, int))
    yield env
    env.close()


@pytest.mark.parametrize(
    "given, error, message",
    [
        ({"seed": -1}, gymnasium.error.Error, "Seed must be greater or equal to zero"),
        ({"seed": [1, 2, -1]}, gymnasium.error.Error, "Seed must be greater or equal to zero"),
        ({"seed": 1, "options": {"count": -1}}, ValueError, "^below 0$"),
        ({"options": {"count": -1}}, WorkerError, "NegativeError: count is -1"),
        ({"options": {"count": "1"}}, WorkerError, "reset cannot be answered: worker 0(.|\n)*'<'"),
    ],
)
def test_a_reset_that_a_game_refuses_raises_what_it_raised(counted, given, error, message):
    with pytest.raises(error, match=message):
        counted.reset(**given)
    seen, _ = counted.reset(seed=3, options={"count": 7})
    assert seen.tolist() == [[7], [7], [7]]
    assert counted.step(np.zeros(3, int))[0].tolist() == [[8], [8], [8]]


def test_a_refused_reset_costs_no_worker_and_tells_what_the_worker_saw(counted):
    for _ in range(3):
        with pytest.raises(ValueError) as refused:
            counted.reset(seed=1, options={"count": -1})
    assert "worker 0 (games 0 to 0) failed; its own traceback" in str(refused.value.__cause__)
    assert counted._group.restarts == 0
    assert counted.get_attr("count") == (-1, -1, 2)  # a worker's later games are left as they were


@pytest.mark.parametrize(
    "option", [{"wait": "7"}, {"wait": -1}, {"state": None}, {"allowance": []}]
)
def test_an_option_of_another_type_is_refused_and_costs_no_worker(two, option):
    for _ in range(4):
        with pytest.raises(ValueError, match="must be .*, got"):
            two.reset(options=option)
    assert two._group.restarts == 0 and len(two.reset(seed=1)[0]) == 2


def test_a_save_state_that_is_none_is_refused_as_it_is_by_a_single_game(two):
    with pytest.raises(StateError):
        two.reset(seed=1, options={"state": b"junk"})
    two.reset(seed=0)


def test_games_begin_as_they_were_told_where_their_worker_is_lost_before(counted):
    _, before = counted.reset(seed=5)
    os.kill(counted._group.workers[0].process.pid, signal.SIGKILL)
    seen, infos = counted.reset(seed=5, options={"count": 7})
    assert seen.tolist() == [[7], [7], [7]]
    assert infos["drawn"].tolist() == before["drawn"].tolist()
    seen, _, _, truncated, _ = counted.step(np.zeros(3, int))
    assert seen.tolist() == [[8], [8], [8]] and not truncated.any()
    assert counted._group.restarts == 1


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_a_lost_workers_games_that_a_reset_leaves_out_end_truncated_in_the_next_step(mode):
    env = GamesVectorEnv([partial(FaultyEnv, "")] * 3, 2, mode)
    env.reset(seed=0)
    for _ in range(2):
        env.step(np.zeros(3, int))
    os.kill(env._group.workers[1].process.pid, signal.SIGKILL)  # games 1 and 2
    seen, _ = env.reset(options={"reset_mask": np.array([False, True, False]), "count": 7})
    assert seen.tolist() == [[2], [7], [2]]
    same = mode is AutoresetMode.SAME_STEP
    seen, rewards, terminated, truncated, infos = env.step(np.zeros(3, int))
    assert seen.tolist() == [[3], [8], [0 if same else 2]]
    assert rewards.tolist() == [1, 1, 0] and not terminated.any()
    assert truncated.tolist() == [False, False, True]
    told = infos["final_info"] if same else infos
    assert told["_" + LOST].tolist() == [False, False, True] and "code -9" in told[LOST][2]
    if mode is AutoresetMode.DISABLED:
        assert env.reset(options={"reset_mask": truncated})[0].tolist() == [[3], [8], [0]]
    seen, rewards, _, truncated, _ = env.step(np.zeros(3, int))
    begins = mode is AutoresetMode.NEXT_STEP
    assert seen.tolist() == [[4], [9], [0 if begins else 1]] and not truncated.any()
    assert rewards.tolist() == [1, 1, 0 if begins else 1]
    assert env.step(np.zeros(3, int))[0].tolist() == [[5], [10], [1 if begins else 2]]
    env.close()


def test_a_worker_lost_again_before_its_end_is_told_ends_its_episodes_once(counted):
    for _ in range(2):
        os.kill(counted._group.workers[1].process.pid, signal.SIGKILL)
        assert counted.get_attr("count") == (2, 0, 0)
    seen, _, _, truncated, _ = counted.step(np.zeros(3, int))
    assert (seen.tolist(), truncated.tolist()) == ([[3], [2], [2]], [False, True, True])
    seen, _, _, truncated, infos = counted.step(np.zeros(3, int))
    assert (seen.tolist(), truncated.any(), infos) == ([[4], [0], [0]], False, {})
    assert counted.step(np.zeros(3, int))[0].tolist() == [[5], [1], [1]]


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_a_worker_lost_after_an_episodes_last_step_does_not_end_that_episode_again(mode):
    makers = [partial(FaultyEnv, ""), partial(TimeLimit, FaultyEnv(""), 2)]
    env = GamesVectorEnv(makers, 2, mode)
    env.reset(seed=0)
    env.step(np.zeros(2, int))
    truncated = env.step(np.zeros(2, int))[3]
    assert truncated.tolist() == [False, True]
    os.kill(env._group.workers[1].process.pid, signal.SIGKILL)
    if mode is AutoresetMode.DISABLED:
        assert env.reset(options={"reset_mask": truncated})[0].tolist() == [[2], [0]]
    seen, rewards, _, truncated, infos = env.step(np.zeros(2, int))
    if mode is AutoresetMode.SAME_STEP:  # another one had begun, and is lost
        assert truncated.tolist() == [False, True] and "code -9" in infos["final_info"][LOST][1]
    else:
        begins = mode is AutoresetMode.NEXT_STEP
        assert seen.tolist() == [[3], [0 if begins else 1]]
        assert rewards.tolist() == [1, 0 if begins else 1]
        assert not truncated.any() and infos == {}
    env.close()


@pytest.mark.parametrize("n_workers", [-1, 0, 1.5, "2", True])
def test_what_is_no_number_of_workers_is_refused(n_workers):
    message = re.escape(f"n_workers must be a whole number of at least 1, got {n_workers!r}:")
    with pytest.raises(ValueError, match=message):
        GamesVectorEnv([partial(FaultyEnv, "")] * 2, n_workers)


def test_a_number_of_workers_may_be_numpys():
    env = GamesVectorEnv([partial(FaultyEnv, "")] * 3, np.int64(2))
    assert [worker.games for worker in env._group.workers] == [range(1), range(1, 3)]
    env.close()


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_a_lost_workers_episodes_end_truncated_with_what_was_last_seen(mode):
    env = GamesVectorEnv([partial(FaultyEnv, fault) for fault in ("", "die")], 2, mode)
    env.reset(seed=0)
    env.step(np.array([0, 0]))
    seen, rewards, terminated, truncated, infos = env.step(np.array([0, 1]))
    assert rewards.tolist() == [1, 0]
    assert not terminated.any() and truncated.tolist() == [False, True]
    last = {AutoresetMode.SAME_STEP: [[2], [0]]}.get(mode, [[2], [1]])
    assert seen.tolist() == last
    told = infos["final_info"] if mode is AutoresetMode.SAME_STEP else infos
    assert "exit code -9" in told[LOST][1]
    if mode is AutoresetMode.SAME_STEP:
        assert infos["final_obs"][1].tolist() == [1]
    if mode is AutoresetMode.DISABLED:
        env.reset(options={"reset_mask": truncated})
    seen, rewards, _, truncated, _ = env.step(np.array([0, 0]))
    begins = mode is AutoresetMode.NEXT_STEP  # with the next step instead of playing
    assert seen.tolist() == [[3], [0 if begins else 1]]
    assert rewards.tolist() == [1, 0 if begins else 1] and not truncated.any()
    assert env.step(np.array([0, 0]))[0].tolist() == [[4], [1 if begins else 2]]
    env.close()


def test_closing_ends_every_process():
    env = games(2)
    processes = [psutil.Process(worker.process.pid) for worker in env._group.workers]
    env.close()
    env.close()
    assert not [process for process in processes if process.is_running()]


def test_it_needs_neither_sb3_nor_torch(tmp_path):
    script = tmp_path / "many.py"
    script.write_text(
        "import sys\n"
        "sys.modules['torch'] = sys.modules['stable_baselines3'] = None\n"
        "import gymnasium, emerald_env\n"
        "if __name__ == '__main__':\n"
        "    env = gymnasium.make_vec('Jade-v1', num_envs=2, n_workers=1)\n"
        "    env.reset(seed=0)\n"
        "    print(env.step(env.action_space.sample())[1])\n"
        "    env.close()\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert done.stdout == "[0. 0.]\n", done.stderr
