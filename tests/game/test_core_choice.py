"""One switch chooses what runs the processor; nothing but speed depends on it."""

from dataclasses import fields

import pytest

from baselines.checkpoints.manifest import describe_env
from baselines.commands.play.replay import ReplayConfig
from baselines.playing.play_config import PlayConfig
from baselines.settings.evaluate_config import EvaluateConfig
from baselines.settings.game_config import GameConfig
from emerald_env.emulator import is_compiled_in
from emerald_env.env.env import EmeraldEnv
from emerald_env.game.choice import GameChoice
from emerald_env.game.editions import open_game

STEPS = 20


@pytest.mark.parametrize("settings", [GameConfig, PlayConfig, EvaluateConfig, ReplayConfig])
def test_every_command_that_plays_has_the_switch(settings):
    assert {field.name: field.default for field in fields(settings)}["core"] == "auto"


def test_the_switch_reaches_the_console_and_other_commands():
    choice = GameChoice(core="plain")
    assert choice.choice == choice and choice.flags() == ["--core", "plain"]
    with open_game(choice) as gba:
        assert gba.core == "plain"


def test_a_missing_core_is_refused_with_what_to_do():
    with pytest.raises(ValueError, match="emerald translate|make fast"):
        open_game(GameChoice(core="translated"))


def test_checkpoints_do_not_know_the_core():
    assert describe_env(GameConfig(core="plain")) == describe_env(GameConfig())


@pytest.mark.skipif(not is_compiled_in(), reason="there is one core only: make fast")
def test_an_env_does_the_same_with_each_core():
    envs = [EmeraldEnv(GameConfig(core=core, start_wait=0)) for core in ("plain", "cached")]
    for env in envs:
        env.reset(seed=0)
        for step in range(STEPS):
            env.step(step % env.action_space.n)
    plain, cached = (env.gba.get_state() for env in envs)
    assert plain == cached
    for env in envs:
        env.close()
