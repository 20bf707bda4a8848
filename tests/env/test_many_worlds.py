"""Episodes in many worlds of Jade."""

import json
from contextlib import closing
from itertools import zip_longest

import gymnasium
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.settings.evaluate_config import EvaluateConfig
from baselines.settings.game_config import GameConfig
from baselines.settings.train_config import TrainConfig
from emerald_env.env.config import EnvConfig
from emerald_env.env.env import EmeraldEnv
from emerald_env.jade.cartridge import world_of, world_rom, worlds_of
from emerald_env.jade.worlds.rom_tables import RomTables


def test_each_episode_draws_its_world_and_a_state_brings_its_own():
    config = EnvConfig(guide=True, observation="screen", worlds="1..2")
    games = [EmeraldEnv(config) for _ in range(2)]
    drawn, seen = set(), []
    for seed in range(6):
        games[0].reset(seed=seed)
        drawn.add(games[0].config.world)
    assert drawn == {"1:small", "2:small"}
    while games[1].config.world == games[0].config.world:
        games[1].reset()
    games[1].set_state(games[0].get_state())
    for game in games:
        pictures = []
        for _ in range(20):
            observation, *_ = game.step(np.int64(1))
            pictures.append((observation["screen"].copy(), observation["guide"].copy()))
        seen.append(pictures)
        game.close()
    np.testing.assert_equal(*seen)


FRAMES_SHOWN = 0x030022E0  # gMain.vblankCounter1, which each frame raises


def test_a_reward_of_values_reads_the_world_that_is_played(tmp_path):
    data, seen = tmp_path / "data.json", []
    data.write_text(json.dumps({"info": {"frames": {"address": FRAMES_SHOWN, "type": "|u1"}}}))

    def note(before, after):
        seen.append((before["frames"], after["frames"]))
        return 0.0

    def play_a_step():
        before = game.gba.memory[FRAMES_SHOWN]
        game.step(1)
        assert seen.pop() == (before, (before + 24) % 256) and not seen

    env = gymnasium.make("Emerald-v0", data=data, reward=note, worlds="1..2")
    game = env.unwrapped
    for options in ({}, {"world": "1:small"}, {"world": "2:small"}):
        env.reset(seed=0, options=options)
        play_a_step()
    state = game.get_state()
    env.reset(options={"world": "1:small"})
    game.set_state(state)
    assert game.config.world == "2:small"
    play_a_step()
    env.close()


@pytest.mark.parametrize("world", ["nonsense", 7])
@pytest.mark.parametrize("guide", [False, True])
def test_a_reset_into_no_world_leaves_the_game_as_it_was(world, guide):
    with closing(EmeraldEnv(EnvConfig(world="1", guide=guide))) as env:
        env.reset(seed=0)
        game = env.gba
        with pytest.raises(ValueError, match="world"):
            env.reset(options={"world": world})
        assert env.gba is game and env.config.world == "1"
        env.reset(seed=0)
        env.step(np.int64(1))
        env.reset(options={"world": "2"})
        assert env.config.world == "2"
        with pytest.raises(ValueError, match="was stopped"):
            game.tick()


def test_a_refused_reset_draws_no_world_and_an_option_s_world_is_entered_alone(monkeypatch):
    with closing(EmeraldEnv(EnvConfig(worlds="1..60"))) as env:
        env.reset(seed=3)
        game, world, frames = env.gba, env.config.world, env.gba.frame_count
        for wrong in ({"world": "x"}, {"world": 7}, {"wait": -1}):
            with pytest.raises(ValueError, match=next(iter(wrong))):
                env.reset(options=wrong)
        assert (env.gba, env.config.world, env.gba.frame_count) == (game, world, frames)
        entered, enter = [], env._enter
        monkeypatch.setattr(
            env, "_enter", lambda config: (entered.append(config.world), enter(config))
        )
        env.reset(seed=4, options={"world": "2"})
        assert entered == ["2"]


@pytest.mark.parametrize("names", ["7", "1..", "3..2", "1:large..2", "1..2:huge", "a..b"])
def test_what_names_no_worlds_is_refused(names):
    with pytest.raises(ValueError, match="world"):
        EnvConfig(worlds=names)


def test_either_one_world_is_chosen_or_several():
    for chosen in ({"world": "7"}, {"worlds": "1..3"}):
        TrainConfig(env=GameConfig(**chosen), explore=0)
        EvaluateConfig(**chosen)
    both = {"world": "7", "worlds": "1..3"}
    with pytest.raises(ValueError, match="world is 7 and worlds are 1..3: .*leave --world or"):
        TrainConfig(env=GameConfig(**both), explore=0)
    with pytest.raises(ValueError, match="world is 7 and worlds are 1..3"):
        EvaluateConfig(**both)


def test_worlds_have_the_size_behind_the_last():
    assert [*worlds_of("1..3:large").names()] == ["1:large", "2:large", "3:large"]


KINDS = ["", ":large", ":demanding", ":large:emerald", ":paced"]
RANGE = st.tuples(st.integers(0, 30), st.integers(0, 9), st.sampled_from(KINDS))


@given(RANGE, RANGE)
def test_two_ranges_share_the_first_number_that_both_have_at_the_same_size(one, other):
    names = [f"{first}..{first + more}{kind}" for first, more, kind in (one, other)]
    both = {*range(one[0], sum(one[:2]) + 1)} & {*range(other[0], sum(other[:2]) + 1)}
    alike = ("large" in one[2]) == ("large" in other[2]) or min(both, default=1) == 0
    shared = worlds_of(names[0]).shared_with(worlds_of(names[1]))
    assert shared == (str(world_of(f"{min(both)}{one[2]}")) if both and alike else None)


def test_what_a_world_demands_hardly_changes_its_maps_but_its_size_does():
    names = ("1002", "1002:demanding", "1002:emerald", "1002:large")
    plain, *others = (RomTables(world_rom(name)) for name in names)

    def differing(tables):
        grids = [(plain.grid(at), tables.grid(at)) for at in plain.headers]
        cells = [a != b for both in grids for a, b in zip_longest(*both)]
        return sum(cells) / len(cells)

    demanding, emerald, large = map(differing, others)
    assert demanding < 0.02 and emerald < 0.02 and large > 0.2


def test_a_billion_worlds_can_be_drawn_from_though_none_is_named_before():
    worlds = worlds_of("1..1000000000")
    assert worlds.name(999_999_999) == "1000000000:small"
    assert worlds.shared_with(worlds_of("999999999..1000000000")) == "999999999:small"
