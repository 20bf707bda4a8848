"""What the diagnostics say about recorded runs, healthy and sick on purpose."""

import pytest

from baselines.diagnostics import RULES
from experiments.recorded_runs.measure import (
    DOCUMENT,
    collapse_score,
    scales,
    score,
    sick_or_healthy,
    tables,
    thresholds_table,
    total,
)
from experiments.recorded_runs.recipes import RECIPES, WORLDS
from experiments.recorded_runs.recorded_run import RUNS, load_runs


@pytest.fixture(scope="module")
def runs():
    return load_runs()


@pytest.fixture(params=[False, True], ids=["choosing half", "judging half"])
def half(runs, request):
    return [run for run in runs if run.judging == request.param]


def test_the_tables_in_the_document_are_those_of_the_data(runs):
    text = DOCUMENT.read_text(encoding="utf-8")
    assert tables(runs) in text
    assert thresholds_table() in text


def test_most_things_said_are_right_and_most_that_must_be_are_said(runs, half):
    result = total(score(half, code, scales(runs)) for code in RULES)
    assert result.precision >= 0.85 and result.recall >= 0.85


def test_sick_runs_are_told_from_healthy_ones(runs, half):
    result = sick_or_healthy(half, scales(runs))
    assert result.precision >= 0.9 and result.recall >= 0.85


def test_no_collapse_is_missed(runs, half):
    result = collapse_score(half, scales(runs))
    assert result.missed == 0 and result.precision >= 0.9


def test_recipes_name_only_findings_that_there_are():
    for recipe in RECIPES.values():
        assert recipe.must | recipe.may <= RULES.keys()
        assert recipe.world in WORLDS
        assert len(recipe.variants) % 2 == 0, "each way chooses as often as it judges"


def test_a_third_of_the_planned_runs_are_healthy_and_each_finding_is_asked_for():
    planned = [r.sick for r in RECIPES.values() for _ in r.variants]
    assert len(planned) >= 60 and 1 / 3 < sum(planned) / len(planned) < 2 / 3
    asked = set().union(*(recipe.must for recipe in RECIPES.values()))
    # these worlds have no evaluations, and their continuous actions vary as they should
    other = {"reward_constant", "reward_misleads", "actions_narrow", "actions_wide"}
    assert RULES.keys() - asked <= other


def test_the_data_is_small():
    assert sum(path.stat().st_size for path in RUNS.glob("*.json")) < 3 * 2**20
