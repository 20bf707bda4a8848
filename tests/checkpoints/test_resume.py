"""A run resumed from a checkpoint equals one that was never stopped."""

import contextlib
import json
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
import types
import zipfile
from collections import deque
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import psutil
import pytest
import torch
from helpers.checkpoints import describe, make_model
from helpers.runs import (
    STEPS,
    TINY,
    Interrupt,
    assert_equal_runs,
    curves,
    only_session,
    run,
    steps_of,
)

from baselines.checkpoints.best import Score, read_score, score_to_beat
from baselines.checkpoints.checkpoint_file import load_policy, read_manifest
from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from baselines.checkpoints.formats.plain import from_plain, to_plain
from baselines.checkpoints.resume import differences, read_run_state
from baselines.checkpoints.run_state_form import Key
from baselines.commands.learn.train import main
from baselines.runs.json_lines import append_lines, cut_after
from baselines.runs.session_folder import Session
from baselines.settings.train_config import TrainConfig
from baselines.training.callbacks.checkpoints import CheckpointCallback
from baselines.training.callbacks.health.diagnose_callback import DiagnoseCallback
from emerald_env.files.data import Count, JsonLines, fits, parse_json
from emerald_env.state import Facing, Mode
from rewards.audit.new_game import NEW_GAME, STARTER

torch.set_num_threads(1)


KINDS = {
    "shared": "--reward default",
    "dummy": "--reward original_2023 --observation screen",
    "annealed": "--anneal-learning-rate --anneal-clip-range --clip-range-warmup 0.3"
    " --normalize-observations --no-embed-places --normalize-returns --separate-networks"
    " --value-lr-ratio 0.5 --scale-rewards --clip-range-vf 0.2 --clip-range-vf-max",
    "recurrent": "--recurrent --lstm-size 8 --novelty-coef 0.2",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_stopped_run_resumes_to_bit_identical_weights(tmp_path, kind, capsys):
    flags = [*KINDS[kind].split(), "--total-timesteps", str(6 * STEPS), "--save-freq", str(STEPS)]
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert run(whole, *flags) == 0
    Interrupt(parts).start()
    assert run(parts, *flags) == 128 + signal.SIGINT
    assert STEPS <= read_manifest(only_session(parts).latest_checkpoint()).num_timesteps < 6 * STEPS
    capsys.readouterr()
    assert main(["--sessions", str(parts), "--resume", "last"]) == 0
    assert "note:" not in capsys.readouterr().out
    assert_equal_runs(only_session(parts), only_session(whole))
    assert curves(only_session(parts)) == curves(only_session(whole))


def test_what_moves_the_policy_is_saved_and_restored(tmp_path, monkeypatch):
    restored = []
    monkeypatch.setattr(DiagnoseCallback, "set_state", lambda self, state: restored.append(state))
    assert run(tmp_path, "--total-timesteps", str(STEPS)) == 0
    end = ["--total-timesteps", str(2 * STEPS)]
    assert main(["--sessions", str(tmp_path), "--resume", "last", *end]) == 0
    assert restored == [{"due": 0, "share": None}]  # nobody teaches


# ---- killed at any moment

MAX_WAIT_SECONDS = 4.0  # seconds before a kill: a busy machine must not make a long test longer

FORKED = multiprocessing.get_context("forkserver")  # see conftest.py: only the first start is slow


def train_quietly(log, arguments):
    """A whole run in a process of its own, as from the command line."""
    with open(log, "a") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    torch.set_num_threads(1)
    sys.exit(main(arguments))


class Killed:
    """A session that is trained in pieces, each in a process that is killed."""

    def __init__(self, folder):
        self.sessions = folder
        self.log = folder / "log"
        self.log.touch()
        self.pids = []

    def start(self, *flags):
        own = ["--resume", "last"] if list(self.sessions.glob("*/checkpoints/ppo*")) else TINY
        arguments = [*own, "--sessions", str(self.sessions), *flags]
        self.process = FORKED.Process(target=train_quietly, args=(str(self.log), arguments))
        self.process.start()
        self.pids.append(self.process.pid)

    def wait_until(self, happened):
        while not happened():
            assert self.process.is_alive(), self.log.read_text()
            time.sleep(0.01)

    def kill(self):
        assert self.process.is_alive(), self.log.read_text()
        children = psutil.Process(self.process.pid).children(recursive=True)
        self.process.kill()
        self.process.join()
        psutil.wait_procs(children)  # they end by themselves

    @property
    def session(self):
        return only_session(self.sessions)


@pytest.fixture
def killed(tmp_path):
    session = Killed(tmp_path)
    yield session
    if session.process.is_alive():
        session.kill()


def assert_all_is_readable(session, lost_at_most):
    """Every file that a kill left can be used, and nothing but the latest update is missing."""
    saved = session.saved_checkpoints()
    for path in [*saved, *session.checkpoints.glob("best.zip")]:
        load_policy(path)
    latest = saved[-1]
    assert read_run_state(latest.with_suffix(".resume"), latest)["num_timesteps"] == steps_of(
        latest
    )
    TrainConfig.load(session.config)
    for picture in session.frames.glob("*.png"):
        assert cv2.imread(str(picture)) is not None
    seen = [line["num_timesteps"] for line in JsonLines(session.diagnostics)]
    assert not seen or seen[-1] - steps_of(latest) <= lost_at_most
    return steps_of(latest)


def shared_memory_of(pids):
    return [path for pid in pids for path in Path("/dev/shm").glob(f"pym-{pid}-*")]


@pytest.mark.slow
def test_a_run_that_is_killed_3_times_ends_with_the_weights_of_one_that_was_not(tmp_path, killed):
    dice = random.Random(1)
    flags = ["--save-freq", str(STEPS), "--keep-checkpoints", "2", "--record", "none"]
    begun = time.monotonic()
    killed.start(*flags)
    killed.wait_until(lambda: list(tmp_path.glob("*/checkpoints/ppo*.zip")))
    usual = time.monotonic() - begun
    reached = 0
    for _ in range(3):
        killed.kill()
        now = assert_all_is_readable(killed.session, lost_at_most=STEPS)
        assert now >= reached
        reached = now
        killed.start()
        time.sleep(dice.uniform(0, min(usual, MAX_WAIT_SECONDS)))
    killed.kill()
    reached = assert_all_is_readable(killed.session, lost_at_most=STEPS)
    assert not shared_memory_of(killed.pids)
    (tmp_path / "whole").mkdir()
    end = ["--total-timesteps", str(reached + 2 * STEPS)]
    assert main(["--sessions", str(tmp_path), "--resume", "last", *end]) == 0
    assert run(tmp_path / "whole", *flags, *end) == 0
    (parts,) = tmp_path.glob("*_jade_*")
    assert_equal_runs(Session(parts), only_session(tmp_path / "whole"))
    assert not list(parts.rglob("*.part")), "halves of files are cleared away"
    assert "note:" not in killed.log.read_text() and "Traceback" not in killed.log.read_text()


@pytest.mark.slow
def test_a_second_signal_while_the_first_one_is_saved_ends_at_once_and_harms_nothing(
    tmp_path, killed
):
    assert run(tmp_path, "--total-timesteps", str(STEPS)) == 0
    killed.start("--total-timesteps", "1000000")
    session = killed.session
    killed.wait_until(lambda: len(list(JsonLines(session.diagnostics))) > 1)
    workers = psutil.Process(killed.process.pid).children(recursive=True)
    os.kill(killed.process.pid, signal.SIGINT)
    while killed.process.is_alive() and not list(session.checkpoints.glob(".*.part")):
        time.sleep(0.0002)
    os.kill(killed.process.pid, signal.SIGINT)
    killed.process.join()
    assert killed.process.exitcode == 128 + signal.SIGINT
    psutil.wait_procs(workers)
    assert "Traceback" not in killed.log.read_text()
    reached = assert_all_is_readable(session, lost_at_most=1000)
    end = ["--total-timesteps", str(reached + STEPS)]
    assert main(["--resume", str(session.folder), *end]) == 0


# ---- a disk that is full, or cannot be written


ON_SMALL_DISK = ["--keep-checkpoints", "1"]


@pytest.fixture
def disk(tmp_path):
    """A disk of 256 MiB: more than a run asks for that keeps one checkpoint."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", str(folder)])
    if made.returncode:
        pytest.skip("only root can mount a small disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(disk, room=0):
    with (disk / "filler").open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12):
            with contextlib.suppress(OSError):
                while file.write(bytes(size)) == size:
                    pass
        file.truncate(file.tell() - room)


class FillLater(threading.Thread):
    """Fills a disk as soon as a checkpoint is there."""

    def __init__(self, disk):
        super().__init__(daemon=True)
        self.disk = disk

    def run(self):
        while not list(self.disk.glob("*/checkpoints/ppo_*.zip")):
            time.sleep(0.001)
        fill(self.disk)


@pytest.mark.slow
def test_a_full_disk_ends_no_training_and_the_last_weights_are_saved_elsewhere(
    disk, tmp_path, monkeypatch, capsys
):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(elsewhere))
    flags = [*ON_SMALL_DISK, "--save-freq", str(STEPS), "--picture-seconds", "0.01"]
    FillLater(disk).start()
    assert run(disk, *flags, "--total-timesteps", str(20 * STEPS)) == 1
    output = capsys.readouterr()
    said = output.err
    assert "was not saved" in said and "No space left" in said and "the last good one is" in said
    assert "training continues" in said and "Traceback" not in said
    (folder,) = disk.glob("*_jade_*")
    session = Session(folder)
    assert_all_is_readable(session, lost_at_most=20 * STEPS)
    assert not list(folder.rglob("*.part"))
    (saved,) = elsewhere.glob("*_jade_*")
    assert f"saved as {saved}" in said
    (disk / "filler").unlink()
    for path in saved.iterdir():
        shutil.move(path, session.checkpoints)
    capsys.readouterr()
    end = ["--total-timesteps", str(21 * STEPS)]
    assert main(["--sessions", str(disk), "--resume", "last", *end]) == 0
    assert "note:" not in capsys.readouterr().out
    assert steps_of(session.latest_checkpoint()) == 21 * STEPS


def test_a_checkpoint_that_cannot_be_written_is_tried_again_and_the_last_one_stays(
    disk, monkeypatch, capsys
):
    monkeypatch.setattr("baselines.training.callbacks.checkpoints.RETRY_SECONDS", 0.0)
    model = make_model()
    session = Session.create(disk, "fake")
    manifest = describe(model, num_timesteps=0)
    callback = CheckpointCallback(session, manifest, save_freq=16, keep=3)
    model.learn(32, callback)
    (good,) = session.saved_checkpoints()
    fill(disk)
    model.learn(32, callback, reset_num_timesteps=False)
    said = capsys.readouterr().err
    assert f"No space left on device: '{session.checkpoint(48)}'" in said
    assert f"the last good one is {good.name}; training continues" in said
    load_policy(good)
    (disk / "filler").unlink()
    model.learn(32, callback, reset_num_timesteps=False)
    assert callback.finish() == session.checkpoint(96)
    assert [steps_of(path) for path in session.saved_checkpoints()] == [64, 80, 96]


def test_a_disk_with_room_for_half_a_checkpoint_keeps_the_last_one_only(disk):
    model = make_model()
    session = Session.create(disk, "fake")
    manifest = describe(model, num_timesteps=0)
    callback = CheckpointCallback(session, manifest, save_freq=16, keep=1, take=lambda: {"a": 1})
    model.learn(32, callback)
    (good,) = session.saved_checkpoints()
    kept = {path.name: path.read_bytes() for path in session.checkpoints.iterdir()}
    assert set(kept) == {good.name, f"{good.stem}.resume"}
    resume = kept[f"{good.stem}.resume"]
    room = len(kept[good.name]) // 2
    assert len(resume) + (1 << 13) < room, "there is room for the .resume"
    fill(disk, room)
    with pytest.raises(OSError, match="No space left"):
        callback._write(session.checkpoint(48))
    assert {path.name: path.read_bytes() for path in session.checkpoints.iterdir()} == kept


@pytest.fixture
def read_only(disk):
    """A finished session on a disk that cannot be written any more."""
    assert run(disk, *ON_SMALL_DISK, "--total-timesteps", str(STEPS)) == 0
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    return disk


def test_a_disk_that_cannot_be_written_is_said_in_one_line(read_only, capsys):
    assert run(read_only, *ON_SMALL_DISK) == 1
    said = capsys.readouterr().err
    assert "nothing can be written in" in said and "Read-only file system" in said
    flags = ["--sessions", str(read_only), "--resume", "last", "--total-timesteps", "1000"]
    assert main(flags) == 1
    said = capsys.readouterr().err
    assert said.startswith("error: ") and "Read-only file system" in said
    load_policy(only_session(read_only).latest_checkpoint())


# ---- what is kept, and what is read back


def test_what_a_run_saves_until_its_session_is_free_is_what_is_resumed(tmp_path, monkeypatch):
    run(tmp_path, "--total-timesteps", str(2 * STEPS), "--save-freq", "1")
    session = only_session(tmp_path)
    later = [path for path in session.checkpoints.iterdir() if str(2 * STEPS) in path.name]
    kept = {path: path.read_bytes() for path in later}
    locked = Session.locked

    @contextlib.contextmanager
    def after_a_while(self):
        for path, content in kept.items():
            path.write_bytes(content)
        with locked(self):
            yield

    for path in later:
        path.unlink()
    monkeypatch.setattr(Session, "locked", after_a_while)
    assert main(["--resume", str(session.folder), "--total-timesteps", str(3 * STEPS)]) == 0
    steps = [line["num_timesteps"] for line in JsonLines(session.diagnostics)]
    assert steps == sorted(set(steps)), "nothing is learnt twice"
    (session.folder / "gone").symlink_to("nowhere")
    with pytest.raises(ValueError, match="is a link"):
        session.check_own_files()


def test_the_best_checkpoint_is_kept_beside_the_latest(tmp_path):
    model = make_model()
    session = Session.create(tmp_path, "fake")
    manifest = describe(model, num_timesteps=0)
    callback = CheckpointCallback(session, manifest, save_freq=16, keep=1)
    callback.init_callback(model)
    for steps, reward in ((16, 1.0), (32, 7.0), (48, 3.0), (64, 5.0)):
        model.num_timesteps = steps
        model.ep_info_buffer = deque([{"r": reward, "l": 1, "t": 0.0}] * 100, maxlen=100)
        callback._after_update()
        callback.save()
    assert [path.name for path in session.saved_checkpoints()] == ["ppo_64_steps.zip"]
    assert steps_of(session.best) == 32
    assert read_score(session.best) == Score(32, 7.0, 100)
    load_policy(session.best)
    again = CheckpointCallback(session, manifest.at(64), save_freq=16, keep=1)
    again.init_callback(model)
    model.num_timesteps = 80
    again._after_update()
    again.save()
    assert steps_of(session.best) == 32, "a resumed run knows the best score so far"
    renamed = replace(manifest.at(80), reward=manifest.reward | {"name": "mine", "about": "mine"})
    assert score_to_beat(session.best, renamed) == Score(32, 7.0, 100)
    weights = manifest.reward["weights"] | {"milestone": 0.5}
    other = replace(manifest.at(80), reward=manifest.reward | {"weights": weights})
    resumed = CheckpointCallback(session, other, save_freq=16, keep=1)
    resumed.init_callback(model)
    model.num_timesteps = 96
    resumed._after_update()
    resumed.save()
    assert steps_of(session.best) == 96, "what another reward paid is not compared"


def test_a_mean_over_few_episodes_gives_way_to_one_over_more():
    lucky, usual, better = Score(1, 9.0, 3), Score(2, 4.0, 100), Score(3, 5.0, 100)
    assert usual.beats(lucky) and better.beats(usual)
    assert not lucky.beats(usual) and not usual.beats(better) and not usual.beats(usual)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    sessions = tmp_path_factory.mktemp("finished")
    assert run(sessions, "--total-timesteps", str(2 * STEPS)) == 0
    return sessions


def copy_of(finished, tmp_path):
    shutil.copytree(finished, tmp_path / "copy")
    return only_session(tmp_path / "copy")


@pytest.mark.parametrize("damage", ["missing", "cut", "no json", "of another"])
def test_without_its_resume_file_a_run_resumes_approximately_and_says_so(
    finished, tmp_path, capsys, damage
):
    session = copy_of(finished, tmp_path)
    (path,) = session.checkpoints.glob("*.resume")
    if damage == "missing":
        path.unlink()
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:-100])
    elif damage == "no json":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("resume.json", "{")
            archive.writestr("arrays.safetensors", b"")
    else:
        run(tmp_path / "other", "--total-timesteps", str(STEPS))
        (other,) = only_session(tmp_path / "other").checkpoints.glob("*.resume")
        shutil.copy(other, path)
    end = ["--total-timesteps", str(3 * STEPS)]
    assert main(["--resume", str(session.folder), *end]) == 0
    said = capsys.readouterr().out
    assert "note: weights, optimiser and step count of ppo_64_steps.zip are restored" in said
    assert steps_of(session.latest_checkpoint()) == 3 * STEPS


def test_other_games_begin_anew_and_say_what_is_different(finished, tmp_path, capsys):
    session = copy_of(finished, tmp_path)
    flags = ["--total-timesteps", str(3 * STEPS), "--n-envs", "4", "--reward", "exploration"]
    assert main(["--resume", str(session.folder), *flags]) == 0
    said = capsys.readouterr().out
    assert "n_envs: 2 then, 4 now" in said and "reward: " in said


@pytest.mark.parametrize(
    ("then", "now", "said"),
    [
        ("--record milestones", "--record none", "record: none now"),
        ("--record none", "--record every", "record: none then"),
        ("--novelty-coef 0", "--novelty-coef 0.2", None),
        ("--novelty-coef 0.2", "--novelty-coef 0", None),
    ],
)
def test_recording_and_the_novelty_bonus_may_begin_or_end_in_a_resumed_run(
    tmp_path, capsys, then, now, said
):
    flags = ["--total-timesteps"]
    assert run(tmp_path, *flags, str(STEPS), *then.split()) == 0
    capsys.readouterr()
    again = [*flags, str(2 * STEPS), *now.split(), "--sessions", str(tmp_path)]
    assert main(["--resume", "last", *again]) == 0
    output = capsys.readouterr().out
    assert said in output if said else "note:" not in output


@pytest.mark.parametrize("run_state", [{}, {"games": 5}, {"games": [None]}])
def test_a_moment_without_games_is_refused(run_state):
    same = types.SimpleNamespace(game={}, env={}, reward={}, n_stack=2)
    with pytest.raises(CheckpointError, match="damaged"):
        differences(run_state, same, same, n_envs=1, recorded=True)


def test_what_was_written_after_the_checkpoint_is_forgotten(tmp_path):
    path = tmp_path / "lines.jsonl"
    append_lines(path, [json.dumps({"num_timesteps": steps}) for steps in (10, 20, 20, 30, 40)])
    with path.open("a") as file:
        file.write('{"num_timesteps": 5')  # a kill in the middle of a line
    cut_after(path, 20)
    assert [line["num_timesteps"] for line in JsonLines(path)] == [10, 20, 20]
    cut_after(path, 20)
    append_lines(path, ['{"num_timesteps": 21}'])
    assert len(path.read_text().splitlines()) == 4
    cut_after(tmp_path / "no such file", 1)


VALUES = [
    {"a": 1, (2, (3, 4)): [1.5, None, True], Mode.MENU: b"\0" * 300, Facing.UP: float("-inf")},
    NEW_GAME,
    [STARTER, "text", (), {}, 2**70],
]


@pytest.mark.parametrize("value", VALUES)
def test_plain_values_come_back_equal_and_of_the_same_types(value):
    tree, arrays = to_plain(value)
    back = from_plain(json.loads(json.dumps(tree)), arrays)
    assert back == value and repr(back) == repr(value)


@pytest.mark.parametrize("number", [(1 << 864) - 1, (1 << 768) - 1], ids=["trainers", "picture"])
def test_a_number_for_all_trainers_or_a_coarse_picture_is_read_back(number):
    tree, arrays = to_plain({"counts": {(1, number): 5}})
    written = json.dumps({"moment": tree})
    read = from_plain(parse_json(written)["moment"], arrays)
    assert read == {"counts": {(1, number): 5}} and fits(read["counts"], dict[Key, Count])


def test_what_was_one_object_is_one_object_again():
    tree, arrays = to_plain({"before": NEW_GAME, "after": NEW_GAME})
    back = from_plain(json.loads(json.dumps(tree)), arrays)
    assert back["before"] is back["after"] is not NEW_GAME


def test_arrays_keep_shape_and_type():
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    back = from_plain(*to_plain([array, array.T]))
    assert np.array_equal(back[0], array) and np.array_equal(back[1], array.T)
    assert back[0].dtype == np.float32


@pytest.mark.parametrize(
    "tree",
    [
        {"record": ["Popen", ["ls"]]},
        {"choice": ["Mode", "nowhere"]},
        {"record": ["GameState", []]},
        {"again": 7},
        {"array": "none"},
        {"unknown": 1},
        {"tuple": 5},
        {},
    ],
)
def test_a_tree_that_nobody_wrote_is_refused(tree):
    with pytest.raises(CheckpointError, match="damaged"):
        from_plain(tree, {})
    with pytest.raises(TypeError, match="no plain form"):
        to_plain(object())


@pytest.mark.slow
def test_a_run_whose_episodes_have_been_everywhere_resumes_exactly(tmp_path, capsys):
    """Short runs hold few kinds of places and no states along an episode's way."""
    flags = "--n-envs 4 --n-workers 1 --n-steps 512 --explore 0.3 --device cpu --record none"
    sessions = ["--sessions", str(tmp_path)]
    assert main([*flags.split(), *sessions, "--total-timesteps", "5600"]) == 0
    session = only_session(tmp_path)
    path = session.latest_checkpoint()
    games = read_run_state(path.with_suffix(".resume"), path)["games"]
    assert any(game["way"] for game in games), "an episode has kept a state"
    capsys.readouterr()
    more = ["--resume", str(session.folder), *sessions, "--total-timesteps", "9400"]
    assert main(more) == 0
    assert "afresh" not in "".join(capsys.readouterr())
