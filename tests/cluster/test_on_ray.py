"""Training, evaluating and sweeping on a real Ray cluster, whose machines are on this one."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch
from helpers import actors_here, match
from helpers.learnt import everything
from helpers.own_code import own_code
from helpers.person_like import person_like
from stable_baselines3.common.callbacks import BaseCallback

from baselines.cluster import actor, home, remote_training, seat
from baselines.cluster.actors import Actors
from baselines.cluster.start import import_ray
from baselines.cluster.sweep.plan import Plan
from baselines.cluster.sweep.results import Result, Results
from baselines.commands.learn import sweep as sweep
from baselines.commands.learn import train
from baselines.commands.play import evaluate
from baselines.runs.session_folder import Session
from baselines.training.command_line import parse
from baselines.training.model import fit_to_machine, make_model
from emerald_env.game.editions import JADE_ROM
from emerald_env.parallel.vec_env import WorkerError

ray = pytest.importorskip("ray")
pytestmark = pytest.mark.slow

DOOR = Path(__file__).resolve().parents[2] / "baselines" / "run_baseline_parallel_fast.py"
SMALL = (
    "--n-envs 4 --n-workers 1 --n-steps 16 --batch-size 32 --n-epochs 1 --episode-length 20 "
    "--start-wait 3 --frame-skip 8 --hold-frames 4 --device cpu --record none --explore 0"
).split()

torch.set_num_threads(1)


@pytest.fixture(scope="module")
def cluster():
    """A cluster of one machine with two CPUs, as Ray counts them."""
    from ray.cluster_utils import Cluster

    folder = Path(tempfile.mkdtemp(prefix="ray", dir="/tmp"))  # sockets want a short path
    with pytest.MonkeyPatch.context() as patch:
        import_ray()  # sets what Ray reads when it starts
        patch.setenv("RAY_TMPDIR", str(folder))
        head = {"num_cpus": 2, "include_dashboard": False}
        machines = Cluster(initialize_head=True, head_node_args=head)
        ray.init(address=machines.address, logging_level="warning")
        yield machines
        ray.shutdown()
        machines.shutdown()
    shutil.rmtree(folder, ignore_errors=True)


class Watch(BaseCallback):
    """Keeps why episodes were lost, and does something after the first rollout."""

    def __init__(self, then):
        super().__init__()
        self.then, self.lost, self.learnt_from = then, [], 0

    def _on_step(self):
        infos = self.locals["infos"]
        self.lost += [info["worker_lost"] for info in infos if "worker_lost" in info]
        self.learnt_from += len(infos)
        return True

    def _on_rollout_end(self):
        if self.then is not None:
            self.then()
            self.then = None


@contextmanager
def learner(*flags):
    """A learner whose games are on two actors."""
    config = parse([*SMALL, "--ray", "--actors", "2", *flags])
    config = fit_to_machine(config)
    with closing(remote_training.open_games(config)) as games:
        yield make_model(config, games)


def seats(model):
    return model.get_env().unwrapped._actors._seats


def trained(sessions, *flags):
    command = [*SMALL, "--total-timesteps", "192", "--sessions", str(sessions), *flags]
    assert train.main(command) == 0
    (folder,) = sessions.iterdir()
    return Session(folder)


def test_one_actor_with_code_of_ones_own_learns_the_same_to_the_bit_as_no_ray(cluster, tmp_path):
    _, flags = own_code(tmp_path)
    here = trained(tmp_path / "here", *flags.split())
    there = trained(tmp_path / "there", *flags.split(), "--ray", "--actors", "1")
    assert (there.folder / "reward.toml").read_text().count("mine.py:Steps")
    assert everything(there) == everything(here)


def test_a_checkpoint_of_ray_resumes_without_it_and_back_to_the_bit(cluster, tmp_path, capsys):
    session = trained(tmp_path / "a", "--total-timesteps", "64", "--ray", "--actors", "1")
    go_on = ["--resume", str(session.folder), "--sessions", str(tmp_path / "a")]
    assert train.main([*go_on, "--total-timesteps", "128"]) == 0
    assert train.main([*go_on, "--total-timesteps", "192", "--ray", "--actors", "1"]) == 0
    assert everything(session) == everything(trained(tmp_path / "whole"))
    capsys.readouterr()
    played = ["--episodes", "1", "--n-envs", "1", "--episode-length", "30", "--json"]
    assert evaluate.main([str(session.latest_checkpoint()), *played]) == 0
    assert len(json.loads(capsys.readouterr().out)["players"][0]["episodes"]) == 1


def test_a_recorded_way_teaches_on_ray_what_it_teaches_without(cluster, tmp_path):
    recording, _ = person_like("sent_upstairs")
    path = tmp_path / "way.recording"
    path.write_bytes(recording.to_bytes())
    flags = ["--teacher", str(path), "--clone", "2", "--explore", "0.1", "--frame-skip", "24"]
    flags += ["--hold-frames", "12", "--total-timesteps", "128"]
    here = trained(tmp_path / "here", *flags)
    there = trained(tmp_path / "there", *flags, "--ray", "--actors", "1")
    assert everything(there) == everything(here)
    assert len(json.loads((here.folder / "archive" / "index.json").read_text())["nodes"]) > 5


def test_a_teacher_labels_on_ray_as_it_does_without(cluster, tmp_path):
    flags = "--teacher guide --n-stack 1 --n-steps 24 --batch-size 96 --sequence-length 24"
    flags += " --lstm-size 16 --labels.stored 96 --labels.lanes 4 --labels.reads 2"
    here = trained(tmp_path / "here", *flags.split())
    there = trained(tmp_path / "there", *flags.split(), "--ray", "--actors", "1")
    assert everything(there) == everything(here)
    assert trained(tmp_path / "two", *flags.split(), "--ray", "--actors", "2", "--overlap")


@pytest.fixture
def four_actors(cluster, monkeypatch):
    """Opens `Match` on four actors of two machines."""
    monkeypatch.setattr(seat, "Actor", match.MatchActor)
    ray.cloudpickle.register_pickle_by_value(match)  # actors cannot import what is among tests
    machine = cluster.add_node(num_cpus=2)

    def open_games(config):
        games = remote_training.open_games(config)
        seats = games.unwrapped._actors._seats
        assert all(seat.seated for seat in seats), "a machine has two CPUs: both have two actors"
        assert len({ray.get(seat.handle.pid.remote()) for seat in seats}) == 4
        return games

    yield open_games
    cluster.remove_node(machine)
    ray.cloudpickle.unregister_pickle_by_value(match)


def test_four_actors_of_two_machines_learn_the_same_to_the_bit_as_in_one_process(
    four_actors, monkeypatch
):
    flags = ["--ray", "--actors", "4"]
    there, right = match.trained(0, four_actors, *flags, samples=1024)
    monkeypatch.setattr(actor, "plain_games", match.match_games)
    here, same = match.trained(0, actors_here.open_games, *flags, samples=1024)
    np.testing.assert_array_equal(right, same)
    for name, weights in there.policy.state_dict().items():
        assert torch.equal(weights, here.policy.state_dict()[name]), name


@pytest.mark.long
def test_four_actors_learn_as_much_as_none(four_actors):
    alone, four = (
        [match.trained(seed, open_games, *flags)[1].mean() for seed in range(3)]
        for open_games, flags in ((match.match_here, []), (four_actors, ["--ray", "--actors", "4"]))
    )
    match.assert_equivalent(alone, four)


def test_a_killed_actor_is_replaced_and_its_episodes_are_cut(cluster, caplog):
    with learner("--actors", "1") as model:
        watch = Watch(lambda: ray.kill(seats(model)[0].handle))
        model.learn(192, watch)
        assert len(watch.lost) == 4, "every game once"
        assert watch.learnt_from == 192 and model.get_env().unwrapped.restarts == 1
        assert "the actor of games 0 to 3 died" in caplog.text


@pytest.mark.long
def test_a_run_says_that_actors_share_cpus(cluster, caplog):
    with learner("--actors", "4") as model:
        assert sum(seat.seated for seat in seats(model)) == 2
        assert "2 of 4 actors share the others' CPUs: no machine has 1 of its own" in caplog.text
        model.learn(64)


@pytest.mark.long
def test_an_actor_that_hangs_is_replaced(cluster, caplog):
    with learner("--worker-seconds", "3") as model:
        watch = Watch(lambda: os.kill(ray.get(seats(model)[0].handle.pid.remote()), signal.SIGSTOP))
        model.learn(128, watch)
        assert len(watch.lost) == 2
        assert "the actor of games 0 to 1 hangs" in caplog.text


@pytest.mark.long
def test_a_lost_machine_is_done_without_and_one_that_joins_is_used(cluster, caplog):
    machine = cluster.add_node(num_cpus=1)
    with learner("--actors", "3", "--n-envs", "3") as model:
        watch = Watch(lambda: cluster.remove_node(machine, allow_graceful=False))
        model.learn(96, watch)
        assert len(watch.lost) == 1
        shared = [seat for seat in seats(model) if not seat.seated]
        assert len(shared) == 1, "three actors on two CPUs"
        another = cluster.add_node(num_cpus=1)
        watch = Watch(None)
        while not all(seat.seated for seat in seats(model)):  # Ray looks for room now and then
            model.learn(48, watch, reset_num_timesteps=False)
        assert not watch.lost, "the games went on where they were"
        assert "has moved to" in caplog.text
    cluster.remove_node(another)


@pytest.mark.long
def test_a_rollout_that_was_played_but_is_lost_with_its_machine_is_played_again(cluster, caplog):
    machine = cluster.add_node(num_cpus=1)
    with learner("--actors", "3", "--n-envs", "3") as model:
        games, watch = model.get_env().unwrapped, Watch(None)
        model.learn(48)
        games._set_off(model)
        _, sent = games._flight
        answers = [each.answer for each in sent]
        assert len(ray.wait(answers, num_returns=3, fetch_local=False)[0]) == 3
        cluster.remove_node(machine, allow_graceful=False)
        model.learn(48, watch, reset_num_timesteps=False)
        assert len(watch.lost) == 1 and watch.learnt_from == 48


@pytest.mark.long
def test_a_run_whose_learner_is_killed_resumes_without_ray(cluster, tmp_path):
    flags = [*SMALL, "--sessions", str(tmp_path), "--save-freq", "64"]
    command = [sys.executable, str(DOOR), *flags, "--total-timesteps", "100000"]
    remote = ["--ray", cluster.address, "--actors", "2"]
    root = str(DOOR.parents[1])
    run = subprocess.Popen([*command, *remote], env=os.environ | {"PYTHONPATH": root})
    while not list(tmp_path.glob("*/checkpoints/*.zip")):
        assert run.poll() is None
        time.sleep(0.2)
    run.kill()
    run.wait()
    (folder,) = tmp_path.iterdir()
    saved = Session(folder).latest_checkpoint()
    steps = int(saved.stem.split("_")[1])
    resumed = ["--resume", str(folder), "--total-timesteps", str(steps + 64)]
    assert train.main([*resumed, "--sessions", str(tmp_path)]) == 0
    assert Session(folder).latest_checkpoint().stem == f"ppo_{steps + 64}_steps"


@pytest.mark.long
def test_ctrl_c_to_everything_saves_and_ends_ray(tmp_path):
    flags = [*SMALL, "--sessions", str(tmp_path), "--total-timesteps", "100000", "--ray"]
    environment = os.environ | {"PYTHONPATH": str(DOOR.parents[1])}
    command = [sys.executable, str(DOOR), *flags]
    run = subprocess.Popen(command, env=environment, start_new_session=True)
    while not list(tmp_path.glob("*/episodes.jsonl")):
        assert run.poll() is None
        time.sleep(0.2)
    os.killpg(run.pid, signal.SIGINT)
    assert run.wait() == 128 + signal.SIGINT
    (folder,) = tmp_path.iterdir()
    assert Session(folder).latest_checkpoint() is not None
    with pytest.raises(ProcessLookupError):  # nothing of it is left
        os.killpg(run.pid, 0)


@pytest.mark.long
def test_a_cluster_of_this_machine_starts_no_worker_that_nobody_asked_for():
    code = """
from time import sleep
import psutil
from baselines.cluster.start import running
with running("local") as ray:
    ray.get(ray.remote(num_cpus=1)(lambda: None).remote())
    sleep(5)
    print(*(child.name() for child in psutil.Process().children(recursive=True)))
"""
    found = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True).stdout
    assert "raylet" in found and "ray::IDLE" not in found


@pytest.mark.long
def test_an_actors_traceback_reaches_the_learner(cluster, tmp_path, monkeypatch):
    rom = tmp_path / "rom.gba"
    rom.write_bytes(JADE_ROM.read_bytes())
    config = fit_to_machine(parse([*SMALL, "--ray", "--actors", "1", "--rom", str(rom)]))
    monkeypatch.setattr(home, "hash_of", lambda path: "0" * 40)  # of the learner's file
    with pytest.raises(WorkerError, match="differs from the learner's ROM; a ROM is never sent"):
        Actors(config)


@pytest.mark.long
def test_an_evaluation_in_one_part_gives_the_same_numbers_as_without_ray(cluster, capsys):
    flags = "--episodes 4 --n-envs 2 --episode-length 30 --json".split()
    assert evaluate.main([*flags]) == 0
    here = json.loads(capsys.readouterr().out)
    assert evaluate.main([*flags, "--ray", "--parts", "1"]) == 0
    assert json.loads(capsys.readouterr().out) == here
    assert evaluate.main([*flags, "--ray", "--parts", "2"]) == 0
    assert len(json.loads(capsys.readouterr().out)["players"][0]["episodes"]) == 4


@pytest.mark.long
def test_optuna_proposes_settings_and_is_told_what_was_tried(cluster, tmp_path, capsys):
    file = tmp_path / "search.toml"
    flags = " ".join([*SMALL, "--total-timesteps 64"])
    space = "learning-rate = {low = 1e-5, high = 1e-2, log = true}\ngamma = [0.9, 0.99]"
    file.write_text(f'flags = "{flags}"\nseeds = 2\ntrials = 1\n[settings]\n{space}\n')
    assert sweep.main([str(file)]) == 0
    file.write_text(file.read_text().replace("trials = 1", "trials = 2"))
    assert sweep.main([str(file)]) == 0
    lines = (tmp_path / "search" / "results.jsonl").read_text().splitlines()
    tried = [json.loads(line) for line in lines]
    assert [run["seed"] for run in tried].count(0) == 2 and len(tried) == 4
    rates = {run["settings"]["learning-rate"] for run in tried}
    assert len(rates) == 2 and all(1e-5 <= rate <= 1e-2 for rate in rates)
    assert {run["settings"]["gamma"] for run in tried} <= {0.9, 0.99}


def test_optuna_is_told_no_score_of_settings_without_an_episode(tmp_path):
    from baselines.cluster.sweep.sweep_search import optuna, search_space

    gamma = {"low": 0.8, "high": 0.99}
    plan = Plan(settings={"gamma": gamma}, score="reward", trials=3, seeds=2)
    results, empty = Results(tmp_path / "results.jsonl"), {"steps": 0, "episodes": 0}
    results.add(Result({"gamma": 0.9}, 0, empty))
    results.add(Result({"gamma": 0.95}, 0, empty))
    paid = {"steps": 64, "episodes": 2, "milestones": 0.0, "reward": -3.0}
    results.add(Result({"gamma": 0.95}, 1, paid))
    search = optuna(plan, results, left=2)
    search.set_search_properties("reward", "max", search_space(plan))
    for scores in ((np.nan, -2.0), (np.nan, np.nan)):
        for seed, score in enumerate(scores):
            search.suggest(f"{scores} {seed}")
            search.on_trial_complete(f"{scores} {seed}", {"reward": score})
    told = [(trial.value, trial.state.name) for trial in search.searcher._ot_study.trials]
    assert told == [(-3.0, "COMPLETE"), (-2.0, "COMPLETE"), (None, "FAIL")]
