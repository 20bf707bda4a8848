"""Nothing in a resume file from a stranger runs, and what is not one of ours is said to be none."""

import copy
import json
import shutil
import tracemalloc
import zipfile
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
import torch
from helpers.examples import examples
from helpers.malicious import files_of_tensors
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import load
from stable_baselines3.common.logger import Logger

from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from baselines.checkpoints.formats.plain import from_plain, to_plain
from baselines.checkpoints.resume import (
    ARRAYS,
    TREE,
    read_run_state,
    restore_run_state,
    run_state_to_bytes,
)
from baselines.checkpoints.run_state_form import Found, Home
from baselines.commands.learn import train as training
from baselines.runs.session_folder import Session
from baselines.settings.game_config import GameConfig
from baselines.settings.policy_config import PolicyConfig
from baselines.settings.train_config import PPOConfig, TrainConfig
from baselines.training.model import make_games, make_model
from emerald_env.files.data import fits
from rewards.audit.new_game import NEW_GAME

CONFIG = TrainConfig(
    total_timesteps=8,
    n_envs=1,
    device="cpu",
    network="small",
    novelty_coef=0.2,
    picture_seconds=1000,
    env=GameConfig(observation="dict", shrink=4, start_wait=0, frame_skip=2, hold_frames=1),
    policy=PolicyConfig(features_dim=8, recurrent=True, lstm_size=4),
    ppo=PPOConfig(n_steps=8, batch_size=8, n_epochs=1),
)

torch.set_num_threads(1)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A session with a checkpoint and its resume file."""
    sessions = tmp_path_factory.mktemp("sessions")
    training.train(replace(CONFIG, sessions=sessions))
    (folder,) = sessions.iterdir()
    return Session(folder)


@pytest.fixture
def session(finished, tmp_path):
    shutil.copytree(finished.folder, tmp_path / "session")
    return Session(tmp_path / "session")


@pytest.fixture(scope="module")
def model(finished):
    with closing(make_games(CONFIG)) as games:
        model = make_model(CONFIG, games)
        model.set_logger(Logger(None, []))
        games.reset()
        yield model


def resume_file(session):
    return session.latest_checkpoint().with_suffix(".resume")


def rewrite(path, method=zipfile.ZIP_STORED, **changes):
    """Replaces members of a zip."""
    with zipfile.ZipFile(path) as old:
        members = {name: old.read(name) for name in old.namelist()} | changes
    with zipfile.ZipFile(path, "w", method) as new:
        for name, content in members.items():
            new.writestr(name, content)


def tree_of(path):
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read(TREE))


def read_or_refused(path, owner):
    try:
        return read_run_state(path, owner)
    except CheckpointError:
        return None


def test_no_pickle_in_a_resume_file_runs_wherever_it_is(session, tmp_path):
    marker, path, owner = tmp_path / "it ran", resume_file(session), session.latest_checkpoint()
    good = path.read_bytes()
    assert read_run_state(path, owner)["num_timesteps"] == 8
    for form, content in files_of_tensors(marker):
        for name in (TREE, ARRAYS, "state.pkl", None):
            path.write_bytes(content if name is None else good)
            if name is not None:
                rewrite(path, **{name: content})
            found = read_or_refused(path, owner)
            assert not marker.exists(), (form, name)
            assert (found is not None) == (name == "state.pkl"), (form, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [TREE, ARRAYS])
def test_a_run_resumes_without_a_resume_file_that_holds_a_pickle(session, tmp_path, capsys, name):
    marker = tmp_path / "it ran"
    rewrite(resume_file(session), **{name: dict(files_of_tensors(marker))["protocol 2"]})
    assert training.main(["--resume", str(session.folder), "--total-timesteps", "16"]) == 0
    assert "but the games start afresh" in capsys.readouterr().out
    assert not marker.exists()


CALLS = [
    {"record": ["mkdir", ["x"]]},
    {"record": ["os.mkdir", ["x"]]},
    {"choice": ["eval", "1"]},
    {"py/reduce": ["os.mkdir", "x"]},
    {":serialized:": "gASVAAAA"},
    {"record": ["GameState", ["x"] * 29]},
    {"record": ["Pokemon", []]},
]


@pytest.mark.parametrize("call", CALLS)
def test_a_tree_that_names_something_to_call_is_refused(session, call):
    path = resume_file(session)
    rewrite(path, **{TREE: json.dumps(tree_of(path) | {"moment": {"dict": [["a", call]]}})})
    with pytest.raises(CheckpointError, match="damaged"):
        read_run_state(path, session.latest_checkpoint())


@pytest.mark.parametrize(
    ("milestones", "group", "good"), [(5, -1, True), (-5, 0, False), (5, -2, False)]
)
def test_a_cell_with_negative_numbers_is_refused_but_for_the_group_of_menus(
    milestones, group, good
):
    cell = (milestones, 0, 0, group, 9, 3, 4, 0)
    assert fits(cell, Home) == good
    assert fits((cell, 10, (1.0, 5), b""), Found) == good


def test_a_record_whose_values_are_of_other_types_is_refused():
    for change in ({"money": "much"}, {"flags": [1]}, {"position": (1, "x")}, {"party": (5,)}):
        with pytest.raises(CheckpointError, match=f"{next(iter(change))} of a GameState is a"):
            from_plain(*to_plain(replace(NEW_GAME, **change)))


def test_bombs_are_refused_before_they_unpack(session):
    path, owner = resume_file(session), session.latest_checkpoint()
    good = path.read_bytes()
    for name in (TREE, ARRAYS):
        path.write_bytes(good)
        rewrite(path, zipfile.ZIP_DEFLATED, **{name: b" " * (40 << 20)})
        with pytest.raises(CheckpointError, match="times its size"):
            read_run_state(path, owner)


def test_arrays_may_fill_the_file_however_large_and_unpack_to_no_more(session):
    path, owner = resume_file(session), session.latest_checkpoint()
    with zipfile.ZipFile(path) as archive:
        stored = archive.getinfo(ARRAYS)
    assert stored.file_size == stored.compress_size, "arrays of any size are read"
    half = np.random.default_rng(0).integers(0, 4, 1 << 20, np.uint8).tobytes()
    rewrite(path, zipfile.ZIP_DEFLATED, **{ARRAYS: half})
    with pytest.raises(CheckpointError, match="unpacks to more than"):
        read_run_state(path, owner)


def test_an_array_that_is_named_over_and_over_is_taken_once():
    tracemalloc.start()
    with pytest.raises(CheckpointError, match="damaged"):
        from_plain([{"bytes": "0"}] * 1000, {"0": np.zeros(10 << 20, np.uint8)})
    assert tracemalloc.get_traced_memory()[1] < 40 << 20
    tracemalloc.stop()


def places(tree, path=()):
    """Yields the path to every value in a tree."""
    for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


ODD = st.sampled_from([None, -1, 2**70, 1.5, "x", [], {}, [[]], {"array": "0"}, {"tuple": [1]}])


@pytest.mark.slow
@given(st.data(), ODD)
@settings(
    max_examples=examples(150),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_a_moment_that_was_changed_on_purpose_is_used_or_refused(finished, model, data, value):
    with zipfile.ZipFile(resume_file(finished)) as archive:
        arrays = archive.read(ARRAYS)
    tree = tree_of(resume_file(finished))["moment"]
    *path, last = data.draw(st.sampled_from(list(places(tree))))
    target = tree
    for key in path:
        target = target[key]
    target[last] = value
    try:
        restore_run_state(model, from_plain(tree, load(arrays)))
    except CheckpointError as error:
        assert "damaged" in str(error)


def changed_leaf(state, *path, value):
    """A copy of a state with one value replaced."""
    changed = copy.copy(state)
    changed[path[0]] = changed_leaf(state[path[0]], *path[1:], value=value) if path[1:] else value
    return changed


BOOK = ("games", 0, "env", "reward", "book", "terms")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ((*BOOK, "milestone", "allowance"), float("nan")),
        ((*BOOK, "milestone", "known"), {"x": float("nan")}),
        ((*BOOK, "experience", "progress"), {0: -1.0}),
        (("curves", ("a", "b")), (1.0, None)),
        (("curves", "train/loss"), (1.0, 5)),
        (("random", "numpy", "state", "pos"), 10**6),
        (("episodes",), [{"r": float("nan"), "l": 1}]),
        (("games", 0, "limit", "left"), "many"),
        (("games", 0, "env", "state"), 5),
        (("reward_shares", "shares", "chunks"), [(1, {"badge": 1e300}, {})]),
    ],
)
def test_a_value_that_no_run_writes_is_refused_with_its_place(session, path, value):
    file, owner = resume_file(session), session.latest_checkpoint()
    state = read_run_state(file, owner)
    if "summary" in state["games"][0] and path[0] == "games":
        path = (*path[:2], "summary", *path[2:])
    content = run_state_to_bytes(changed_leaf(state, *path, value=value), owner.read_bytes())
    file.write_bytes(content)
    with pytest.raises(CheckpointError, match=rf"damaged: {path[0]}.* has an impossible value"):
        read_run_state(file, owner)
