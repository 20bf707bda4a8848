"""Checkpoints as teachers: what they and their students may see of one game."""

from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.checkpoints.checkpoint_file import build_policy, policy_members, zip_bytes
from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from baselines.checkpoints.manifest import Manifest
from baselines.learner.vec_wrappers.frame_stack import as_shown
from baselines.settings.game_config import GameConfig
from baselines.settings.policy_config import PolicyConfig
from baselines.training.command_line import train_from_flags
from baselines.training.model import as_taught
from baselines.training.teachers.chosen_teacher import ChosenCheckpoint
from emerald_env.env.actions import action_set
from emerald_env.env.observation import observation_space
from emerald_env.env.state_vector.state_layout import LAYOUT

SMALL = PolicyConfig(features_dim=8, embed_places=False)
ADDED = ("tiles", "targets", "menus", "visited", "bag", "text", "guide", "action_masks")
FLAGS = (*ADDED, "world_number", "coordinates", "colour")


class DrawnGame(gymnasium.Env):
    """A game whose first observation is drawn from its space."""

    def __init__(self, game):
        self.observation_space, self.action_space = observation_space(game), spaces.Discrete(15)
        self.observation_space.seed(0)

    def reset(self, seed=None, options=None):
        return self.observation_space.sample(), {}


def teacher_of(folder, game, n_stack=1, **said):
    """Writes a checkpoint that was trained on a game, and returns its path as text."""
    seen = as_shown(observation_space(game), n_stack)
    actions = spaces.Discrete(len(action_set(game.action_set)))
    manifest = Manifest.describe(game, "tile", n_stack, seen, actions, SMALL)
    path = folder / "teacher.zip"
    policy = build_policy(manifest)
    path.write_bytes(zip_bytes(policy_members(policy, replace(manifest, **said))))
    return str(path)


def taught(teacher, student):
    """Returns what a student sees of games in which a teacher labels, and the labels."""
    shown = ChosenCheckpoint(teacher).shown(student).game
    view = as_taught(teacher, student, DummyVecEnv([lambda: DrawnGame(shown)] * 2))
    seen = view.reset()
    labels = ChosenCheckpoint(teacher).load(student).label(view.teachers, np.ones(2, np.bool_))
    return view, seen, labels


@st.composite
def games(draw, observations):
    observation = draw(st.sampled_from(observations))
    flags = {flag: draw(st.booleans()) for flag in FLAGS}
    if observation == "state":
        flags["colour"] = False
    return GameConfig(observation=observation, shrink=draw(st.sampled_from((2, 4))), **flags)


def check_pair(folder, teacher, student, n_stack=1):
    """Checks that a teacher is refused where a run is checked, or that it labels."""
    path = teacher_of(folder, teacher, n_stack)
    try:
        ChosenCheckpoint(path).check(student)
    except CheckpointError as error:
        assert "give" in str(error) or "a teacher must see more" in str(error)
        return
    view, seen, labels = taught(path, student)
    space = view.observation_space
    assert space == observation_space(student)
    several = isinstance(space, spaces.Dict)
    for game in range(2):
        own = {part: seen[part][game] for part in seen} if several else seen[game]
        assert space.contains(own)
    np.testing.assert_allclose(labels.sum(axis=1), 1.0, rtol=1e-5)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    teacher=games(("screen", "dict", "full", "state")),
    student=games(("screen", "state")),
    n_stack=st.sampled_from((1, 3)),
)
def test_a_teacher_labels_or_is_refused_at_once_whatever_both_observe(
    tmp_path, teacher, student, n_stack
):
    check_pair(tmp_path, teacher, student, n_stack)


@pytest.mark.parametrize("flag", FLAGS)
@pytest.mark.parametrize("has", ["teacher", "student"])
def test_a_teacher_and_its_student_may_differ_in_what_is_beside_the_picture(tmp_path, flag, has):
    plain = GameConfig(observation="full", coordinates=False)
    other = replace(plain, **{flag: True})
    teacher, student = (other, plain) if has == "teacher" else (plain, other)
    student = replace(student, observation="screen")
    path = teacher_of(tmp_path, teacher)
    if flag != "colour":
        check_pair(tmp_path, teacher, student)
        ChosenCheckpoint(path).check(student)
        return
    wanted = "--shrink 2 --colour" if has == "teacher" else "--shrink 2 --no-colour"
    with pytest.raises(CheckpointError, match=f"so give {wanted}$"):
        ChosenCheckpoint(path).check(student)


def test_a_teacher_that_fits_no_student_of_these_flags_is_refused_before_there_is_a_session(
    tmp_path, capsys
):
    path = teacher_of(tmp_path, GameConfig(observation="full", colour=True))
    sessions = tmp_path / "sessions"
    assert (
        train_from_flags(["--teacher", path, "--device", "cpu", "--sessions", str(sessions)]) == 1
    )
    assert "the student has --shrink 2 --no-colour" in capsys.readouterr().err
    assert not sessions.exists() or not any(sessions.iterdir())


def test_a_teacher_sees_its_own_picture_where_its_student_has_none(tmp_path):
    path = teacher_of(tmp_path, GameConfig(observation="full", colour=True, shrink=4))
    shown = ChosenCheckpoint(path).shown(GameConfig(observation="state")).game
    assert (shown.observation, shown.colour, shown.shrink) == ("full", True, 4)


def test_a_student_sees_x_and_y_where_its_teacher_does_not(tmp_path):
    path = teacher_of(tmp_path, GameConfig(observation="state", coordinates=False), n_stack=2)
    student = GameConfig(observation="state")
    view, seen, labels = taught(path, student)
    assert (seen["state"][:, LAYOUT.coordinates] != 0).all()
    vectors = view.teachers["state"].reshape(2, 2, -1)  # a view of it
    vectors[..., LAYOUT.coordinates] = 0.25
    moved = ChosenCheckpoint(path).load(student).label(view.teachers, np.ones(2, np.bool_))
    np.testing.assert_array_equal(moved, labels)


def test_a_teacher_of_other_actions_is_refused_at_once(tmp_path):
    path = teacher_of(tmp_path, GameConfig(observation="state", action_set="simple"))
    with pytest.raises(CheckpointError, match="student has original: give --action-set simple$"):
        ChosenCheckpoint(path).check(GameConfig(observation="screen"))


@pytest.mark.parametrize(
    ("frame_skip", "hold_frames"), [(8, 4), (48, 12), (24, 24)], ids=["step", "longer step", "hold"]
)
def test_a_teacher_of_another_pace_is_refused_at_once(tmp_path, frame_skip, hold_frames):
    path = teacher_of(tmp_path, GameConfig(observation="state"))
    student = GameConfig(observation="screen", frame_skip=frame_skip, hold_frames=hold_frames)
    message = (
        f"was trained with --frame-skip 24 --hold-frames 12, the student has --frame-skip "
        f"{frame_skip} --hold-frames {hold_frames}: both press the same keys for as long, so give "
        "--frame-skip 24 --hold-frames 12$"
    )
    with pytest.raises(CheckpointError, match=message):
        ChosenCheckpoint(path).check(student)
    ChosenCheckpoint(path).check(GameConfig(observation="screen", frame_skip=24, hold_frames=12))


def test_a_teacher_with_python_code_of_somebodys_own_is_refused_at_once(tmp_path):
    path = teacher_of(tmp_path, GameConfig(observation="state"), network="mine.py:Net")
    with pytest.raises(CheckpointError, match="trained with mine.py:Net, Python code"):
        ChosenCheckpoint(path).check(GameConfig(observation="screen"))


@pytest.mark.parametrize("name", ["nothing/", "empty"])
def test_who_names_no_teacher_is_told_all_that_can_teach(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    message = "takes guide, a folder of recordings, and a folder of `emerald archive explore`$"
    with pytest.raises(FileNotFoundError, match=message):
        ChosenCheckpoint(name).check(GameConfig(observation="screen"))
