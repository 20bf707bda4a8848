"""Presets: what comes with the package, what a file may say, and what errors tell."""

import json
from dataclasses import replace

import pytest

from rewards import TERMS, Preset, Reward, load_preset, parse_weights, preset_names
from rewards.terms.story import MILESTONE_TERMS


def write(tmp_path, text):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    return path


def test_three_presets_come_with_the_package():
    assert preset_names() == ["default", "exploration", "milestones", "original_2023"]


@pytest.mark.parametrize("name", ["default", "exploration", "original_2023"])
def test_each_preset_makes_a_reward_and_says_what_it_is_about(name):
    preset = load_preset(name)
    assert preset.name == name and preset.about
    assert set(Reward(preset).terms) == set(preset.weights)


def test_the_default_preset_weighs_every_term():
    assert set(load_preset().weights) == set(TERMS)


def test_under_the_default_preset_nothing_pays_more_between_two_milestones_than_a_milestone():
    preset = load_preset()
    for term in preset.weights.keys() - {"milestone"}:
        assert preset.most_between_milestones(term) <= preset.weights["milestone"], term


def test_all_side_content_together_pays_at_most_a_milestone_between_two_milestones():
    preset = load_preset()
    side = preset.weights.keys() - MILESTONE_TERMS - {"way"}
    most = sum(map(preset.most_between_milestones, side))
    assert most <= preset.weights["milestone"] + 1e-9
    ground = sum(map(preset.most_between_milestones, ("map", "tile", "search")))
    assert ground <= preset.weights["milestone"] / 4


def test_over_the_whole_story_ground_pays_at_most_half_of_what_the_story_pays():
    preset = load_preset()
    ground = sum(preset.bound_of(term) for term in ("tile", "map", "search"))
    story = sum(preset.bound_of(term) for term in ("milestone", "badge", "champion"))
    assert ground <= story / 2


def test_single_weights_can_be_replaced_and_added():
    preset = load_preset("exploration", overrides={"badge": 7.0, "map": 0.5})
    assert preset.weights["badge"] == 7.0 and preset.weights["map"] == 0.5
    assert "badge" in Reward(preset).terms
    assert load_preset("exploration").weights["map"] == 0.3


def test_a_preset_survives_json():
    for name in preset_names():
        preset = load_preset(name, overrides={"badge": 1.5})
        assert Preset.from_dict(json.loads(json.dumps(preset.as_dict()))) == preset


def test_a_file_of_ones_own_is_a_preset_by_its_path(tmp_path):
    path = write(tmp_path, "[weights]\nbadge = 2\ntile = 0.1\n[decay]\ntile = 0.9\n")
    preset = load_preset(path)
    assert preset.name == "mine" and preset.weights == {"badge": 2, "tile": 0.1}
    assert preset.decay_of("tile") == 0.9


@pytest.mark.parametrize("about", ["plain", 'with "quotes", \\ and\na line', "Pokémon \x7f\x01 😀"])
def test_a_preset_survives_toml(tmp_path, about):
    for name in preset_names():
        preset = replace(load_preset(name, {"badge": 1.5}), name="mine", about=about)
        assert load_preset(write(tmp_path, preset.to_toml())) == preset


def test_weights_are_read_from_texts():
    assert parse_weights(["badge=2", "search=0", " tile = 1e-3 "]) == {
        "badge": 2.0,
        "search": 0.0,
        "tile": 0.001,
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("badge", "'badge' is not a weight: give TERM=NUMBER"),
        ("badge=much", "'badge=much' is not a weight"),
        ("bagde=2", "unknown term 'bagde'; did you mean badge.* There are: badge, caught"),
        ("=2", "unknown term ''"),
    ],
)
def test_a_weight_that_cannot_be_is_refused_with_what_can_be(text, message):
    with pytest.raises(ValueError, match=message):
        parse_weights([text])


def test_an_unknown_preset_gets_the_list_of_those_there_are():
    with pytest.raises(FileNotFoundError, match="default, exploration, milestones, original"):
        load_preset("defualt")


def test_a_python_file_without_the_name_of_its_reward_is_told_how_it_is_given(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text("def reward(before, after):\n    return 1.0\n")
    with pytest.raises(FileNotFoundError, match="FILE.py:NAME for a function or class of your own"):
        load_preset(path)


def test_an_unknown_term_gets_the_list_of_those_there_are():
    with pytest.raises(ValueError, match="'bagde'.*badge"):
        load_preset("default", overrides={"bagde": 1.0})
    with pytest.raises(ValueError, match="'level'.*visit_city"):
        load_preset("original_2023", overrides={"level": 1.0})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("weights = [", "not a TOML file"),
        ("", r"no \[weights\]"),
        ("[weights]\n", "has no weights; terms: milestone"),
        ("weights = 3", "must be a table"),
        ("about = 3\n[weights]\nbadge = 1", "about must be a text"),
        ("[weights]\nbadge = 1\n[wieghts]\nbadge = 1", "unknown wieghts; a preset has: about"),
        ("[weights]\nbadge = '5'", "weight of badge must be a number, got '5'"),
        ("[weights]\nbadge = true", "must be a number"),
        ("[weights]\nbadge = -1", "finite and from 0"),
        ("[weights]\nbadge = inf", "finite"),
        ("[weights]\nbadge = 1e19", r"badge must be finite and from 0 to 1e\+12, got 1e\+19"),
        ("[weights]\nbadge = nan", "finite"),
        ("[weights]\nbadge = 1\n[decay]\nbadge = 1.5", "decay of badge"),
        ("[weights]\nbadge = 1\n[decay]\nexperience = 0.5", "unknown term 'experience' in decay"),
        ("[weights]\nbadge = 1\n[limits]\nbadge = -1", "limit of badge"),
        ("[weights]\nbadge = 1\n[limits]\nbagde = 1", "unknown term 'bagde' in limits"),
        ("[weights]\ntile = 1\n[decay]\ntile = 1.0", "tile has no end of keys"),
        ("formula = 'twice'\n[weights]\nbadge = 1", "unknown formula 'twice'; there are: once"),
        (
            "formula = 'original_2023'\n[weights]\nbadge = 1\n[limits]\nbadge = 1",
            r"the formula original_2023 has no \[limits\]: leave it out",
        ),
        (
            "formula = 'original_2023'\n[weights]\nbadge = 1\n[decay]\nbadge = 0.5",
            r"the formula original_2023 has no \[decay\]: leave it out",
        ),
        (
            "formula = 'original_2023'\n[weights]\nbadge = 1\n'my.py:f' = 1",
            "original_2023 pays its own terms only, not my.py:f: a term of your own needs the",
        ),
    ],
)
def test_a_malformed_file_is_refused_with_what_is_wrong(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        load_preset(write(tmp_path, text))
