"""The forecast: arithmetic on measured files."""

import json

import pytest

from emerald_env.game.tables import milestones
from experiments.forecast.__main__ import ForecastConfig, forecast, main

# 100 explored steps a second of a core, 40 that are played, the learner takes as long as the game
COSTS = {"explored": 0.01, "played": 0.025, "learnt": 0.0125}


def tables_of(tmp_path, **found):
    """Returns the lines of the forecast's tables, for a scene of round numbers."""
    files = {name: written(tmp_path / f"{name}.json", steps) for name, steps in found.items()}
    speeds = written(tmp_path / "speeds.json", {"mix": COSTS})
    return [
        table.splitlines()
        for table in forecast(ForecastConfig(speeds=speeds, **files)).split("\n\n")
    ]


def written(path, values):
    path.write_text(json.dumps(values))
    return path


def row_of(table, first):
    (row,) = [line for line in table if line.startswith(f"| {first} |")]
    return [cell.strip() for cell in row.split("|")[2:-1]]


def test_games_use_all_cores_and_the_learner_one(tmp_path):
    speeds = tables_of(tmp_path)[0]
    assert speeds[0] == "| steps a second | mix, 2 cores | mix, 16 cores |"
    assert row_of(speeds, "exploring") == ["200", "1,600"]
    assert row_of(speeds, "learning") == ["40", "71"]  # 1 / (.025 / 16 + .0125)


def test_in_the_head_start_four_steps_explore_for_each_that_is_learnt_from(tmp_path):
    of_milestones = tables_of(tmp_path, explored={"sent_upstairs": [72_000, 144_000]})[1]
    people, longer, steps, two, sixteen = row_of(of_milestones, "`sent_upstairs`")
    assert (people, longer, steps) == ("–", "–", "72 to 144 thousand")
    # 72,000 / 200 + 18,000 / 40 s
    assert two == "14 to 27 min"
    assert sixteen == "5 to 9.9 min"


def test_then_the_least_time_is_that_of_a_network_that_keeps_up_and_the_most_of_one_that_does_not(
    tmp_path,
):
    of_milestones = tables_of(tmp_path, explored={"sent_upstairs": [1_000_000] * 2})[1]
    two = row_of(of_milestones, "`sent_upstairs`")[3]
    # 5,000 s of exploring; 100,000 steps of the head start, then 600,000 times 1/3 or 9
    assert two == f"{(5_000 + 300_000 / 40) / 3600:.2g} to {(5_000 + 5_500_000 / 40) / 3600:.2g} h"


def test_with_a_recording_nothing_is_explored_first(tmp_path):
    after = tables_of(tmp_path, shown={"sent_upstairs": [90_000] * 2})[2]
    two = row_of(after, "`sent_upstairs`")[3]
    # 450 s of exploring, and 30,000 or 810,000 steps that are learnt from
    assert two == f"{(450 + 30_000 / 40) / 60:.2g} min to {(450 + 810_000 / 40) / 3600:.2g} h"


def test_the_most_is_longer_by_as_much_as_people_need_more_steps_than_the_guide(tmp_path):
    steps = dict.fromkeys(("starter_given", "rival_route103"), [1_000, 1_000])
    of_milestones = tables_of(tmp_path, explored=steps)[1]
    people, longer, _, two, _ = row_of(of_milestones, "`starter_given`")
    assert (people, longer) == ("933", "3.8")  # 933 / 248
    assert two == f"11 to {(1 / 200 + 1 / 160) * 1_000 * 933 / 248:.0f} s"
    # of the next one only this is known
    assert row_of(of_milestones, "`rival_route103`")[1::2] == ["–", two]


def test_what_takes_less_than_a_second_or_a_step_has_a_unit_too(tmp_path):
    of_milestones = tables_of(tmp_path, explored={"sent_upstairs": [0.5, 0.5]})[1]
    *_, steps, two, _ = row_of(of_milestones, "`sent_upstairs`")
    assert (steps, two) == ("0.5 steps", "0.0056 s")


def test_after_a_time_the_last_milestone_counts_that_is_surely_found(tmp_path):
    soon, later, never = [1, 2], [2, 400_000], [9e9, 9e9]
    slugs = ("clock_set", "met_rival", "starter_given", "rival_route103", "pokedex")
    explored = dict.fromkeys(slugs, soon) | {"visited_petalburg": later, "visited_rustboro": never}
    explored["hm_cut"] = never
    shown = {"badge_stone": [0, 0], "badge_knuckle": never}
    last = tables_of(tmp_path, explored=explored, shown=shown)[3]
    assert row_of(last, "an hour, from nothing") == ["`pokedex`"] * 2
    assert row_of(last, "a week, from nothing") == ["`visited_petalburg`"] * 2
    assert row_of(last, "an hour, with a recording")[0].startswith("`")


def test_milestones_are_in_the_storys_order_and_exist(tmp_path):
    order = {step.slug: step.order for step in milestones()}
    for table in tables_of(tmp_path)[1:3]:
        named = [line.split("`")[1] for line in table[2:]]
        assert [order[slug] for slug in named] == sorted(order[slug] for slug in named)
    with pytest.raises(ValueError, match="unknown milestones nowhere"):
        tables_of(tmp_path, explored={"nowhere": [1, 2]})


def test_a_missing_file_is_said_in_a_sentence(tmp_path, capsys):
    assert main(["--speeds", str(tmp_path / "none.json")]) != 0
    assert "none.json" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "it is not as experiments.forecast.speeds writes it"),
        ({}, "it is not as experiments.forecast.speeds writes it"),
        ({"mix": 3}, "mix is not as"),
        ({"mix": {"explored": "fast"}}, "mix.explored is not as"),
        ({"mix": COSTS | {"played": 0}}, "played is 0: it must be above 0"),
        ({"mix": COSTS | {"learnt": -1}}, "learnt is -1: it must be above 0"),
        ({"mix": {"explored": 1}}, "played"),
        ({"mix": COSTS | {"eaten": 1}}, "eaten"),
    ],
)
def test_costs_of_another_form_are_said_in_a_sentence(values, message, tmp_path, capsys):
    path = written(tmp_path / "speeds.json", values)
    assert main(["--speeds", str(path)]) == 1
    said = capsys.readouterr().err
    assert f"{path}: " in said and message in said and said.count("\n") == 1


@pytest.mark.parametrize("option", ["--explored", "--shown"])
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "it must be like"),
        ({"starter": 5}, "starter must be like"),
        ({"starter": ["a", 1]}, "starter.0 must be like"),
        ({"starter": [-5, 1]}, "starter.0 must be like"),
        ({"starter": [1, 2, 3]}, "starter must be like"),
        ({"starter": [2, 1]}, "the least steps until starter are more than the most"),
    ],
)
def test_explored_steps_of_another_form_are_said_in_a_sentence(
    option, values, message, tmp_path, capsys
):
    path = written(tmp_path / "steps.json", values)
    assert main([option, str(path)]) == 1
    said = capsys.readouterr().err
    assert f"{path}: {message}" in said and said.count("\n") == 1


@pytest.mark.parametrize("cores", ["0", "-4"])
def test_a_machine_has_cores(cores, capsys):
    with pytest.raises(SystemExit) as end:
        main(["--cores", cores])
    assert end.value.code == 2
    assert "it must be at least 1" in " ".join(capsys.readouterr().err.replace("│", "").split())
