"""What `info` tells at each step, and that it costs nothing where nobody reads it."""

import copy
import json
import pickle
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
from helpers.fakes import START
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import DummyVecEnv

from emerald_env.env import step_info
from emerald_env.env.step_info import READ, UNKNOWN, StepInfo
from emerald_env.game.flags import BADGES
from emerald_env.state import milestones_done
from rewards.audit.new_game import STARTER

SETTINGS = {"observation": "screen", "episode_length": 40, "shrink": 4}
KEYS = {"place", "position", "badges", "party", "milestones"}


def fail(state):
    """In place of what reads a key."""
    raise AssertionError("read")


def test_reset_and_step_say_where_the_game_is():
    env = gymnasium.make("Emerald-v0", **SETTINGS)
    _, first = env.reset(seed=0)
    assert set(first) == KEYS
    for _ in range(30):
        _, _, _, _, info = env.step(9)  # right, out of the truck
    state = env.unwrapped.state
    assert set(info) == KEYS | {"reward_terms"}
    assert first["place"] == "Truck" and info["place"] == "Littleroot Town"
    assert info["position"] == state.position
    assert info["milestones"] == list(milestones_done(state)) == ["visited_littleroot"]
    assert info["badges"] == 0 and info["party"] == []
    env.close()


def test_badges_are_counted_and_the_party_is_listed():
    flags = bytearray(START.flags)
    for badge in BADGES[:2]:
        flags[badge >> 3] |= 1 << (badge & 7)
    info = StepInfo(replace(START, flags=bytes(flags), party=(STARTER,)))
    assert info["badges"] == 2
    one = STARTER
    expected = {"name": one.name, "level": one.level, "hp": one.hp, "max_hp": one.max_hp}
    assert info["party"][0] == expected


def test_without_a_game_there_is_nothing_to_tell():
    assert dict(StepInfo(None)) == UNKNOWN
    StepInfo(None)["party"].append(1)
    assert StepInfo(None)["party"] == []


def make():
    # gymnasium's checker reads the first step's
    return gymnasium.make("Emerald-v0", disable_env_checker=True, **SETTINGS)


def test_learners_and_wrappers_read_none_of_it_at_a_step(monkeypatch):
    env = gymnasium.wrappers.RecordEpisodeStatistics(make())
    env.reset(seed=0)
    games = DummyVecEnv([make, make])
    games.reset()
    monkeypatch.setattr(step_info, "READ", dict.fromkeys(READ, fail))
    for _ in range(SETTINGS["episode_length"]):
        *_, truncated, info = env.step(0)
    assert truncated and info["episode"]["l"] == 40 and info.get("absent") is None
    env.close()
    for _ in range(39):
        _, _, _, infos = games.step([0, 0])
    assert "reward_terms" in infos[0] and "absent" not in infos[0]
    games.close()


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda info: info | {}, dict])
def test_a_copy_tells_the_same(copied):
    info = StepInfo(START, {"a": 1})
    assert copied(info) == {"a": 1, **{key: READ[key](START) for key in KEYS}}
    assert copied(info)["place"] == info["place"]


def test_another_process_gets_plain_values():
    info = pickle.loads(pickle.dumps(StepInfo(START, {"a": 1})))
    assert type(info) is dict and info == StepInfo(START, {"a": 1})
    json.dumps(info)


def test_a_dict_behaves_as_one():
    info = StepInfo(START)
    assert len(info) == 5 == len(list(info.items())) == len(list(info.values())) == len(info.keys())
    assert info == {**info} and "place" in info and info.get("place") == info["place"]
    del info["place"]
    assert "place" not in info and "place" not in repr(info)
    with pytest.raises(KeyError, match="place"):
        info["place"]
    info["place"] = "elsewhere"
    assert info["place"] == "elsewhere"


@pytest.mark.parametrize("other", [StepInfo, lambda *info: dict(StepInfo(*info))])
def test_equal_ones_are_equal_and_others_are_not_whoever_was_read(other):
    for extra, same in (({"a": 1}, True), ({"a": 2}, False), ({}, False)):
        for left, right in ((StepInfo, other), (other, StepInfo)):
            assert (left(START, {"a": 1}) == right(START, extra)) is same
            assert (left(START, {"a": 1}) != right(START, extra)) is not same
    assert StepInfo(START) != StepInfo(None) and StepInfo(START) != 3


def test_a_reset_is_written_as_json_with_all_its_keys():
    env = make()
    _, info = env.reset(seed=0)
    expected = {"place": "Truck", "position": [1, 2], "badges": 0, "party": [], "milestones": []}
    assert json.loads(json.dumps(info)) == expected
    info = env.step(0)[-1]
    assert json.loads(json.dumps(info)) == expected | {"reward_terms": info["reward_terms"]}
    env.close()


VALUES = {"a": 1}, {}
CHANGES = {
    "pop": lambda info: info.pop("place"),
    "pop another": lambda info: info.pop("absent", 5),
    "pop none": lambda info: info.pop("absent"),
    "popitem": lambda info: len(info.popitem()),
    "del": lambda info: info.__delitem__("badges"),
    "del none": lambda info: info.__delitem__("absent"),
    "setdefault": lambda info: info.setdefault("badges", 9),
    "setdefault another": lambda info: info.setdefault("b", 9),
    "clear": lambda info: info.clear(),
    "clear and set": lambda info: (info.clear(), info.setdefault("badges", 9)),
    "update": lambda info: info.update(badges=9),
    "reversed": lambda info: [*reversed(info)],
    "copy": lambda info: (info.copy().pop("place"), info.copy() == info),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("values", VALUES)
def test_it_is_changed_as_any_dict_is(change, values):
    def result_on(info):
        try:
            result = CHANGES[change](info)
        except KeyError as error:
            result = error.args
        return result, len(info), "place" in info, info.get("badges"), dict(info)

    plain = values | {key: READ[key](START) for key in READ}
    assert result_on(StepInfo(START, values)) == result_on(plain)


def test_the_last_of_the_other_keys_takes_none_with_it():
    info = StepInfo(START, {"a": 1})
    del info["a"]
    assert set(json.loads(json.dumps(info))) == KEYS


def test_what_is_written_is_not_read_over():
    info = StepInfo(START, {"a": 1})
    info["place"] = "mine"
    assert dict(info)["place"] == "mine"


def test_masks_come_by_the_method_that_sb3_contrib_asks_for_whatever_is_observed():
    games = make_vec_env("Emerald-v0", 2, env_kwargs={**SETTINGS, "action_set": "full"})
    assert isinstance(games.observation_space, gymnasium.spaces.Box)
    assert is_masking_supported(games)
    model = MaskablePPO("CnnPolicy", games, n_steps=8, batch_size=8, n_epochs=1, device="cpu")
    model.learn(16)
    masks = get_action_masks(games)
    assert masks.shape == (2, 17) and masks.dtype == bool and masks.any(axis=1).all()
    chosen, _ = model.predict(games.reset(), action_masks=get_action_masks(games))
    assert np.take_along_axis(get_action_masks(games), chosen[:, None], 1).all()
    games.close()
