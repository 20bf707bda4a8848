"""The forecast: arithmetic on measured files."""

import json

import pytest

from emerald_env.game.tables import milestones
from experiments.forecast.__main__ import ForecastConfig, forecast, main


def written(path, values):
    path.write_text(json.dumps(values))
    return path


def test_hours_are_those_of_a_run_of_which_half_explores_after_a_head_start(tmp_path):
    speeds = written(tmp_path / "speeds.json", {"mix": {"2": 100.0, "16": 800.0}})
    explored = written(tmp_path / "explored.json", {"starter_given": [360_000, 580_000]})
    lines = forecast(ForecastConfig(speeds, explored)).splitlines()
    row = next(line for line in lines if line.startswith("| `starter_given`"))
    assert row.endswith("| 360 to 580 thousand | 1 to 2.1 h | 7.5 to 16 min |")
    assert "933" in row


def test_what_takes_less_than_a_second_or_a_step_has_a_unit_too(tmp_path):
    speeds = written(tmp_path / "speeds.json", {"mix": {"2": 1e6}})
    explored = written(tmp_path / "explored.json", {"starter_given": [3_200, 3_200]})
    assert "| 3.2 thousand | 0.0032 s |" in forecast(ForecastConfig(speeds, explored))


def test_after_a_time_the_last_milestone_counts_that_is_surely_found(tmp_path):
    speeds = written(tmp_path / "speeds.json", {"mix": {"2": 100.0}})
    slow = {"starter_given": [1, 360_000], "pokedex": [2, 360_001], "rival_route103": [9e9, 9e9]}
    explored = written(tmp_path / "explored.json", slow | {"visited_petalburg": [9e9, 9e9]})
    lines = forecast(ForecastConfig(speeds, explored)).splitlines()
    assert "| an hour | `starter_given` |" in lines
    assert "| a night (10 hours) | `pokedex` |" in lines


def test_milestones_are_in_the_storys_order_and_exist(tmp_path):
    speeds = written(tmp_path / "speeds.json", {"mix": {"2": 100.0}})
    text = forecast(ForecastConfig(speeds))
    order = {step.slug: step.order for step in milestones()}
    named = [line.split("`")[1] for line in text.split("\n\n")[0].splitlines()[2:]]
    assert [order[slug] for slug in named] == sorted(order[slug] for slug in named)
    with pytest.raises(ValueError, match="unknown milestones nowhere"):
        forecast(ForecastConfig(speeds, written(tmp_path / "bad.json", {"nowhere": [1, 2]})))


def test_a_missing_file_is_said_in_a_sentence(tmp_path, capsys):
    assert main(["--speeds", str(tmp_path / "none.json")]) != 0
    assert "none.json" in capsys.readouterr().err
