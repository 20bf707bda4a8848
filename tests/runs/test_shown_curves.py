"""Curves in tensorboard's files: those of a run in two parts are those of a whole one."""

from time import sleep

import pytest
from stable_baselines3.common.logger import Logger
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from baselines.checkpoints.formats.plain import from_plain, to_plain
from baselines.runs.curves import CurvesFormat, curves_of
from baselines.training.session_callbacks import restore

VALUES = {"late": [0, 0, 5, 0], "never": [0, 0, 0, 0], "at once": [3, 0, 0, 1], "odd": [0, 2, 0, 0]}
LENGTH = 4


def write(folder, steps, state=None):
    """Writes the values of some steps; returns the state after them, as a `.resume` keeps it."""
    curves = CurvesFormat(str(folder), 10 * steps.start)
    if state is not None:
        restore({"curves_begun": curves}, {"curves_begun": state})
    for step in steps:
        values = {name: float(points[step]) for name, points in VALUES.items()}
        curves.write(values, dict.fromkeys(values, ()), 10 * (step + 1))
    curves.close()
    return from_plain(*to_plain(curves.get_state()))


def shown(folder):
    events = EventAccumulator(str(folder), {"scalars": 0}).Reload()
    return {
        name: [(point.step, point.value) for point in events.Scalars(name)]
        for name in events.Tags()["scalars"]
    }


def test_a_curve_begins_with_its_first_value_that_is_not_0_and_a_0_before_it(tmp_path):
    write(tmp_path, range(LENGTH))
    assert shown(tmp_path) == {
        "late": [(20, 0), (30, 5), (40, 0)],
        "at once": [(10, 3), (20, 0), (30, 0), (40, 1)],
        "odd": [(10, 0), (20, 2), (30, 0), (40, 0)],
    }


@pytest.mark.parametrize("cut", range(1, LENGTH))
def test_a_run_in_two_parts_shows_the_curves_of_a_whole_one(tmp_path, cut):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    write(whole, range(LENGTH))
    state = write(parts, range(cut))
    sleep(1)  # tensorboard reads files in the order of the seconds in their names
    write(parts, range(cut, LENGTH), state)
    assert shown(parts) == shown(whole)


def test_a_run_that_resumes_without_a_state_hides_nothing(tmp_path):
    write(tmp_path, range(2, LENGTH))
    assert shown(tmp_path)["never"] == [(30, 0), (40, 0)]


@pytest.mark.parametrize(
    "state",
    [
        None,
        [],
        {"begun": None},
        {"begun": "x", "zeros": {}},
        {"begun": [1], "zeros": {}},
        {"begun": [], "zeros": {"x": "y"}},
    ],
)
def test_a_state_of_another_form_is_refused(tmp_path, state):
    curves = curves_of(Logger(None, [CurvesFormat(str(tmp_path), 0)]))
    with pytest.raises(CheckpointError, match="damaged"):
        restore({"curves_begun": curves}, {"curves_begun": state})
    curves.close()


def test_the_settings_of_a_run_are_shown_as_a_text(tmp_path):
    CurvesFormat(str(tmp_path), 0, {"gamma": 0.99, "reward": "default"}).close()
    events = EventAccumulator(str(tmp_path), {"tensors": 0}).Reload()
    (text,) = events.Tensors("settings/text_summary")
    (table,) = text.tensor_proto.string_val
    assert table.decode().splitlines()[2:] == ["| gamma | 0.99 |", "| reward | default |"]
