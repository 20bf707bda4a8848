import hashlib
from dataclasses import fields
from pathlib import Path

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

import emerald_env  # noqa: F401
from baselines.games.recorded_play import by_guide
from baselines.settings.game_config import GameConfig
from emerald_env.env.versions import FREE, JADE_V1, VERSIONS
from emerald_env.game import editions
from emerald_env.game.tables import milestones
from emerald_env.jade.cartridge import JADE_ROM

# of a checkout's Jade: if this fails, the game has changed. Before a release, give the version in
# VERSIONS the new hash; afterwards keep the old ROM playable and add a version with its errata.
CHANGED = "the game has changed, and a version of it is what people compare results on"


def test_jade_v1_is_the_game_that_comes_with_the_program():
    assert hashlib.sha1(JADE_ROM.read_bytes()).hexdigest() == JADE_V1.sha1, CHANGED


@pytest.mark.parametrize("version", VERSIONS.values(), ids=list(VERSIONS))
def test_a_version_decides_every_setting_that_a_learner_may_not_choose(version):
    settings = {field.name for field in fields(GameConfig)}
    of_the_rom = {"rom", "symbols", "allow_unknown_rom", "data"}
    assert settings - FREE - of_the_rom == version.settings.keys()
    assert version.errata and version.id in gymnasium.registry


def test_the_page_of_the_benchmark_names_what_a_learner_may_choose_to_observe():
    page = (Path(__file__).resolve().parents[2] / "docs" / "BENCHMARK.md").read_text()
    of_the_run = {"render_mode", "core", "reward_weights", "reward_code"}
    assert not [name for name in FREE - of_the_run if f"`{name}`" not in page]


def test_a_versions_story_is_in_the_storys_order():
    order = [milestone.slug for milestone in milestones()]
    assert list(JADE_V1.story) == sorted(JADE_V1.story, key=order.index)


@pytest.mark.parametrize("name", ["frame_skip", "episode_length", "start", "disturb", "rom"])
def test_what_a_version_fixes_cannot_be_chosen(name):
    with pytest.raises(ValueError, match=f"Jade-v1 fixes {name}: .*Emerald-v0"):
        gymnasium.make("Jade-v1", **{name: 4})


def test_another_game_than_the_versions_is_refused(monkeypatch):
    monkeypatch.setattr(editions, "describe_game", lambda rom: {"sha1": "0" * 40})
    with pytest.raises(RuntimeError, match="Jade-v1 is the game with SHA-1 8fcb.* has 0000"):
        gymnasium.make("Jade-v1")


@pytest.mark.parametrize("observation", ["screen", "state"])
def test_gymnasium_finds_nothing_to_complain_about_in_jade_v1(observation, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = gymnasium.make("Jade-v1", observation=observation, render_mode="rgb_array")
    check_env(env.unwrapped, skip_render_check=False)
    env.close()


def test_a_versions_spec_survives_json():
    spec = gymnasium.spec("Jade-v1")
    assert type(spec).from_json(spec.to_json()) == spec


def test_the_whole_story_pays_one_for_each_of_its_milestones():
    env = gymnasium.make("Jade-v1", observation="state", guide=True)
    observation, _ = env.reset(seed=3)
    paid, truncated = 0.0, False
    while not truncated:
        observation, reward, _, truncated, _ = env.step(by_guide(observation))
        paid += reward
    reached = set(env.get_wrapper_attr("milestone_steps"))
    assert paid == len(reached) and reached >= set(JADE_V1.story)
    env.close()
