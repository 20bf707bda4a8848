"""Labels of what a search without a network has found, in one world or in several."""

import json
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
import torch
from filelock import FileLock
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.checkpoints.manifest import read_manifest
from baselines.commands.learn.archive import main
from baselines.exploration.archive_folder import load_atlas, open_archive
from baselines.exploration.atlas.advisor import Advisor
from baselines.exploration.atlas.atlas import Atlas
from baselines.games.vec_games import make_vec_env
from baselines.learner.labels.label_teacher import STATE
from baselines.settings.game_config import GameConfig
from baselines.training.command_line import parse, train_from_flags
from baselines.training.model import as_taught
from baselines.training.teachers.atlas_teacher import AtlasTeacher
from baselines.training.teachers.chosen_teacher import shown_to_teacher
from baselines.training.teachers.explored_worlds import as_explored, folder_of, is_explored
from emerald_env.env.observation import MENU, WORLD_NUMBER
from emerald_env.env.state_vector.state_layout import LAYOUT

WORLDS = "3..4"
STUDENT = "--observation state --targets --no-coordinates".split()
GAMES, STEPS = 4, 60


@pytest.fixture(scope="module")
def explored(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explored")
    flags = ["--worlds", WORLDS, "--steps", "3000", "--n-workers", "1"]
    assert main(["explore", str(folder), *flags]) == 0
    return folder


def test_one_world_and_several_are_not_explored_at_once(tmp_path, capsys):
    flags = ["--world", "7", "--worlds", WORLDS]
    with pytest.raises(SystemExit, match="2"):
        main(["explore", str(tmp_path / "both"), *flags])
    assert "leave --world or --worlds out" in capsys.readouterr().err
    assert not (tmp_path / "both").exists()


@pytest.fixture(scope="module")
def student(explored):
    return parse(["--teacher", str(explored), "--worlds", WORLDS, *STUDENT]).env


@pytest.fixture(scope="module")
def seen(explored, student):
    """What the teacher and the student see of games in both worlds, for some steps."""
    shown = shown_to_teacher(str(explored), student).game
    steps = []
    with closing(as_taught(str(explored), student, make_vec_env(shown, GAMES, 1, 5))) as games:
        own = games.reset()
        for _ in range(STEPS):
            steps.append((copied(games.teachers), copied(own)))
            own = games.step(np.random.default_rng(len(steps)).integers(15, size=GAMES))[0]
    return steps


def copied(observations):
    return {name: part.copy() for name, part in observations.items()}


def advisor_of(explored, number):
    atlas = Atlas()
    load_atlas(folder_of(explored, GameConfig(world=str(number))), atlas)
    return Advisor(atlas, "original")


@settings(max_examples=20)
@given(data=st.data())
def test_each_game_is_labelled_by_the_atlas_of_its_own_world(explored, student, seen, data):
    teacher = AtlasTeacher.load(explored, student)
    rows = st.lists(st.integers(0, len(seen) - 1), min_size=GAMES, max_size=GAMES)
    at = data.draw(rows)
    mixed = {
        name: np.stack([seen[step][0][name][game] for game, step in enumerate(at)])
        for name in seen[0][0]
    }
    labels = teacher.label(mixed, np.zeros(GAMES, np.bool_))
    for game in range(GAMES):
        one = {name: torch.as_tensor(mixed[name][[game]]) for name in (STATE, MENU)}
        (action,) = advisor_of(explored, mixed[WORLD_NUMBER][game, 0])(one).tolist()
        assert np.flatnonzero(labels[game]).tolist() == [action] * (action >= 0)
    reached = LAYOUT.progress(mixed[STATE]).round().tolist()
    assert teacher.purposes(mixed).tolist() == reached


def test_both_worlds_are_played_and_most_steps_of_their_beginning_have_a_label(
    explored, student, seen
):
    teacher = AtlasTeacher.load(explored, student)
    numbers = {int(number) for shown, _ in seen for number in shown[WORLD_NUMBER].flat}
    assert numbers == {3, 4}
    labels = [teacher.label(shown, np.zeros(GAMES, np.bool_)) for shown, _ in seen]
    assert np.mean([label.any(axis=1).mean() for label in labels]) > 0.5


def test_the_teacher_sees_x_and_y_and_the_student_does_not(seen):
    shown, own = seen[-1]
    assert shown[STATE][:, LAYOUT.coordinates].any()
    assert not own[STATE][:, LAYOUT.coordinates].any()
    rest = np.delete(np.arange(shown[STATE].shape[1]), LAYOUT.coordinates)
    np.testing.assert_array_equal(shown[STATE][:, rest], own[STATE][:, rest])
    assert own.keys() == {STATE, "targets"}


def test_what_is_found_does_not_depend_on_the_number_of_processes(explored, tmp_path):
    flags = ["--world", "3", "--steps", "3000", "--n-workers", "2"]
    assert main(["explore", str(tmp_path), *flags]) == 0
    game = GameConfig(world="3")
    one, two = (open_archive(folder_of(folder, game)) for folder in (explored, tmp_path))
    assert one.get_state() == two.get_state()


def test_a_game_that_is_there_is_left_and_one_that_was_interrupted_begins_anew(
    explored, tmp_path, capsys
):
    half = folder_of(tmp_path, GameConfig(world="3"))
    half.mkdir()
    left = [half / name for name in (f"{'a' * 20}.ss1", ".index.json.0123abcd.part")]
    for path in left:
        path.write_bytes(b"of a search that was interrupted")
    assert not is_explored(tmp_path)
    flags = ["--world", "3", "--steps", "100", "--n-workers", "1"]
    assert main(["explore", str(tmp_path), *flags]) == 0
    assert is_explored(tmp_path) and not any(path.exists() for path in left)
    index = (half / "index.json").read_bytes()
    assert main(["explore", str(tmp_path), *flags]) == 0
    assert "is there already" in capsys.readouterr().out
    assert (half / "index.json").read_bytes() == index


def test_a_world_that_another_process_explores_is_left_to_it(tmp_path, capsys):
    own = folder_of(tmp_path, GameConfig(world="3"))
    with FileLock(f"{own}.lock"):
        flags = ["--world", "3", "--steps", "100", "--n-workers", "1"]
        assert main(["explore", str(tmp_path), *flags]) == 0
    assert "another process" in capsys.readouterr().out and not own.exists()


def test_nothing_is_written_through_a_link(tmp_path, capsys):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "found").mkdir()
    folder_of(tmp_path / "found", GameConfig(world="3")).symlink_to(tmp_path / "elsewhere")
    assert main(["explore", str(tmp_path / "found"), "--world", "3", "--steps", "100"]) == 1
    assert "link" in capsys.readouterr().err and not list((tmp_path / "elsewhere").iterdir())


def test_a_damaged_atlas_is_named(explored, tmp_path, capsys):
    own = folder_of(tmp_path / "found", GameConfig(world="3"))
    own.mkdir(parents=True)
    (own / "atlas.npz").write_bytes(b"PK no atlas")
    flags = ["--teacher", str(tmp_path / "found"), "--world", "3", *STUDENT, "--n-envs", "2"]
    flags += ["--batch-size", "48", "--sessions", str(tmp_path / "sessions")]
    assert train_from_flags(flags) == 1
    assert "atlas.npz is damaged" in capsys.readouterr().err


def test_a_world_that_was_not_explored_is_named_before_anything_starts(explored, tmp_path, capsys):
    flags = ["--teacher", str(explored), "--worlds", "3..5", *STUDENT]
    assert train_from_flags([*flags, "--sessions", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert "5-small" in said and "archive explore" in said and not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", [0, 12])
def test_the_number_of_the_world_is_observed_after_each_reset(number):
    game = replace(as_explored(GameConfig(world=str(number))), world_number=True)
    with closing(make_vec_env(game, 1, 1)) as games:
        assert games.reset()[WORLD_NUMBER].tolist() == [[number]]


def test_a_student_of_the_screen_learns_from_it_and_its_checkpoint_does_not_see_the_world(
    explored, tmp_path
):
    flags = (
        "--n-envs 4 --n-workers 1 --n-steps 24 --batch-size 96 --lstm-size 8 --features-dim 16 "
        "--labels.lanes 4 --labels.reads 4 --labels.stored 400 --total-timesteps 192 --device cpu"
    ).split()
    where = ["--teacher", str(explored), "--worlds", WORLDS, "--sessions", str(tmp_path)]
    assert train_from_flags([*where, *flags]) == 0
    (session,) = tmp_path.iterdir()
    (checkpoint,) = session.glob("checkpoints/*.zip")
    update = json.loads((session / "diagnostics.jsonl").read_text().splitlines()[-1])
    assert update["metrics"]["labels/known"] > 0
    seen = read_manifest(checkpoint).spaces()[0]
    assert WORLD_NUMBER not in getattr(seen, "spaces", {})
    assert train_from_flags(["--resume", str(session), "--sessions", str(tmp_path),
                             "--total-timesteps", "288"]) == 0  # fmt: skip
