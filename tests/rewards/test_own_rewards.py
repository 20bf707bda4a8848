"""Rewards of your own: functions and classes in Python, here and in worker processes."""

import json
import math
import pickle
import re
import sys
import threading
import warnings
from copy import deepcopy
from dataclasses import replace
from functools import partial

import gymnasium
import numpy as np
import pytest
from helpers.fakes import START
from helpers.runs import assert_equal_runs, only_session, run

from baselines.checkpoints.checkpoint_file import read_manifest
from baselines.checkpoints.formats.plain import from_plain, to_plain
from baselines.checkpoints.run_state_form import REWARD
from baselines.cluster.sweep.plan import read_plan
from baselines.commands.check.audit import main as audit
from baselines.commands.play.play_game import main as play
from baselines.games.game import make_env
from baselines.games.vec_games import make_vec_env
from baselines.settings.game_config import GameConfig
from emerald_env.env.reward_function import RewardError
from emerald_env.files.data import misfit
from emerald_env.files.own_code import OwnName
from emerald_env.parallel.vec_env import WorkerError
from rewards import Preset, Reward, load_preset, own_preset
from rewards.audit import StatesWalk
from rewards.audit import audit as audit_walk
from rewards.audit.tourist import earned
from rewards.rescore import score
from rewards.shares.earnings import Earnings
from rewards.shares.shares import AlarmRule, Shares

TEXT = '''
open({marker!r}, "a").write("run ")

def steps_right(before, after):
    return float(after.position[0] - before.position[0])

def named(before, after):
    return {{"right": steps_right(before, after), "level": 0.0}}

class Wealth(__import__("rewards").Events):
    """Pays for each hundred of money, once."""
    needs = ("money",)
    keys = 100

    def happened(self, before, after):
        return range(1 + before.money // 100, 1 + after.money // 100)

    def holds(self, state):
        return range(1, 1 + state.money // 100)

class Failing(Wealth):
    needs = ("position", "mode", "location")

    def happened(self, before, after):
        return [frozenset([after.position])]

class Counting:
    def reset(self, state):
        self.calls = 0

    def __call__(self, before, after):
        self.calls += 1
        return self.calls

class Slotted:
    __slots__ = ("__calls", "never")

    def reset(self, state):
        self.__calls = 0

    def __call__(self, before, after):
        self.__calls += 1
        return self.__calls

class SlottedKeeping(Slotted):
    __slots__ = ("file",)

    def __init__(self):
        self.file = object()

class Keeping(Counting):
    def __init__(self):
        self.file = object()

class Telling(Keeping):
    def get_state(self):
        return {{"calls": self.calls}}

    def set_state(self, state):
        self.calls = state["calls"]

def varying(before, after):
    """Names only what it pays for."""
    right = steps_right(before, after)
    return {{"right" if right > 0 else "left": abs(right)}} if right else {{}}

nothing = 3

def broken(before, after):
    return after.no_such_field

def nan(before, after):
    return float("nan")

def slow(before, after):
    import time
    time.sleep(0.11)
    return 0.0
'''
HERE = replace(START, money=0, position=(5, 5))
RIGHT = replace(HERE, position=(7, 5))
LONG = {"observation": "screen", "episode_length": 60}


@pytest.fixture
def marker(tmp_path):
    return tmp_path / "runs.txt"


@pytest.fixture
def mine(tmp_path, marker):
    """A Python file, in a text with another path for each test, as a file runs once a process."""
    path = tmp_path / "mine.py"
    path.write_text(TEXT.format(marker=str(marker)))
    return path


def paid(preset, *states):
    """What each step over these states pays."""
    reward = Reward(preset)
    reward.reset(states[0])
    return [reward(*pair) for pair in zip(states, states[1:], strict=False)]


def test_a_function_of_two_states_pays_in_a_made_game():
    env = gymnasium.make("Emerald-v0", reward=lambda before, after: -0.25, **LONG)
    env.reset(seed=0)
    _, reward, *_, info = env.step(0)
    assert reward == -0.25 and info["reward_terms"] == {"own_reward": -0.25}
    env.close()


def test_a_dict_gives_the_terms_their_names():
    def pays(before, after):
        return {"x": 1, "y": -0.5}

    (terms,) = paid(own_preset(pays), HERE, RIGHT)
    assert terms == {"x": 1.0, "y": -0.5}


def test_a_function_s_terms_are_all_that_it_has_named_so_far(mine):
    reward = Reward(load_preset(f"{mine}:varying"))
    assert reward.terms == ("mine.py:varying",)
    reward.reset(HERE)
    assert reward(HERE, RIGHT) == {"right": 2.0}
    assert reward(RIGHT, HERE) == {"right": 0.0, "left": 2.0}
    assert reward(HERE, HERE) == {"right": 0.0, "left": 0.0}
    resumed = Reward(load_preset(f"{mine}:varying"))
    resumed.set_state(reward.get_state())
    assert resumed.terms == reward.terms == ("right", "left")


@pytest.mark.parametrize("name", ["named", "varying"])
def test_recordings_are_scored_with_a_function_s_own_names(mine, name):
    walks = [("none", [HERE]), ("right", [HERE, RIGHT, RIGHT]), ("back", [HERE, RIGHT, HERE])]
    scores = score(walks, load_preset(f"{mine}:{name}"))
    forth, back = {"named": (2, 0), "varying": (2, 4)}[name]
    assert [episode.total for episode in scores.episodes] == [0, forth, back]
    other = {"named": "level", "varying": "left"}[name]
    assert {term: scores.terms[term] for term in ("right", other)} == {
        "named": {"right": 2 / 3, "level": 0},  # 2 and 2 - 2
        "varying": {"right": 4 / 3, "left": 2 / 3},
    }[name]
    assert scores.mean == pytest.approx(sum(scores.terms.values()))


def test_the_auditor_judges_each_name_of_a_function_whose_names_vary(mine):
    walk = StatesWalk("to and fro", [HERE, RIGHT, HERE], (0, 2))
    report = audit_walk(walk, load_preset(f"{mine}:varying"), rounds=8)
    assert report.terms == {"right": 16, "left": 16} and report.steps == 16  # 2 each a round
    assert set(report.verdicts) == {"right", "left"} and report.farmable
    idle = audit_walk(StatesWalk("idle", [HERE] * 3, (0, 2)), load_preset(f"{mine}:varying"))
    assert idle.total == 0 and not idle.farmable


def test_expert_and_tourist_earn_under_a_function_s_own_names(mine):
    sums = earned(load_preset(f"{mine}:varying"), [HERE, HERE, RIGHT, HERE], gamma=0.5)
    assert sums == {"right": 2 * 0.5, "left": 2 * 0.5**2}


def test_a_part_of_a_function_is_no_milestone_whatever_it_is_called():
    def badge_a_step(before, after):
        return {"badge": 1.0}

    preset = own_preset(badge_a_step)
    report = audit_walk(StatesWalk("to and fro", [HERE, RIGHT, HERE], (0, 2)), preset, rounds=8)
    assert "(badge: 14 in later rounds, forever)" in report.says  # of 8 rounds of 2 steps
    reward, earnings = Reward(preset), Earnings()
    shares = Shares(reward.terms)
    reward.reset(HERE)
    reward(HERE, RIGHT)
    earnings.add(reward.last_events)
    shares.add_earned(earnings.take())
    alarm = shares.report().alarm(AlarmRule(patience=1))
    assert alarm is not None and [part.term for part in alarm.parts] == ["badge"]


def test_shares_count_names_that_a_function_gives_only_when_it_is_called(mine):
    reward, earnings = Reward(load_preset(f"{mine}:varying", {"badge": 1.0})), Earnings()
    shares = Shares(reward.terms)
    reward.reset(HERE)
    for before, after in [(HERE, RIGHT), (RIGHT, HERE), (HERE, RIGHT), (RIGHT, RIGHT)]:
        reward(before, after)
        earnings.add(reward.last_events)
    shares.add_earned(earnings.take())
    report = shares.report()
    assert report.total == 6 and report.steps == 4
    expected = {"badge": 0, "mine.py:varying": 0, "right": 2 / 3, "left": 1 / 3}
    assert report.shares == pytest.approx(expected)


def test_a_function_sees_each_pair_of_states_even_equal_ones():
    seen = []
    preset = own_preset(lambda before, after: seen.append((before, after)) or 1.0)
    assert [sum(step.values()) for step in paid(preset, HERE, HERE, RIGHT, None, HERE)] == [
        1.0,
        1.0,
        0.0,  # a state that could not be read
        1.0,
    ]
    assert seen == [(HERE, HERE), (HERE, RIGHT), (RIGHT, HERE)]


def test_a_file_s_function_is_a_reward_by_its_address(mine):
    preset = load_preset(f"{mine}:steps_right", {"badge": 1.0})
    (terms,) = paid(preset, HERE, RIGHT)
    assert terms == {"badge": 0.0, "mine.py:steps_right": 2.0}
    assert load_preset(f"{mine}:named").code == {
        "mine.py:named": preset.code["mine.py:steps_right"]
    }


def test_a_file_can_have_dataclasses_whose_annotations_are_text_and_hides_no_module(tmp_path):
    (tmp_path / "math.py").write_text(
        "from __future__ import annotations\n"
        "from dataclasses import dataclass\n"
        "@dataclass\n"
        "class Account:\n"
        "    paid: float = 0.5\n"
        "def account(): return Account()\n"
    )
    account = OwnName.read(f"{tmp_path}/math.py:account").get()()
    assert account.paid == 0.5 and pickle.loads(pickle.dumps(account)) == account
    assert sys.modules["math"] is math


def test_a_class_is_made_anew_for_each_game_and_told_of_each_episode(mine):
    preset = load_preset(f"{mine}:Counting")
    first, second = Reward(preset), Reward(preset)
    for reward in (first, second, first):
        reward.reset(HERE)
        assert [sum(reward(HERE, HERE).values()) for _ in range(3)] == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("name", ["Counting", "Telling", "Slotted"])
def test_a_game_resumes_exactly_with_a_reward_that_remembers(mine, name):
    config = GameConfig(**LONG, reward=f"{mine}:{name}", frame_skip=4, hold_frames=2)
    env, other = make_env(config), make_env(config)
    env.reset(seed=0)
    assert [env.step(0)[1] for _ in range(3)] == [1.0, 2.0, 3.0]
    state = env.get_wrapper_attr("get_state")()
    later = [env.step(0)[1] for _ in range(3)]
    for game in (env, other):
        game.get_wrapper_attr("set_state")(from_plain(*to_plain(state)))
        assert [game.step(0)[1] for _ in range(3)] == later == [4.0, 5.0, 6.0]
        game.close()


class Steps:
    """Pays how many steps it has seen."""

    def __init__(self):
        self.calls = 0

    def __call__(self, before, after):
        self.calls += 1
        return self.calls


class First:
    """Pays for the first step, which it knows by an attribute that it gets there."""

    def __call__(self, before, after):
        is_first = not hasattr(self, "money")
        self.money = after.money
        return float(is_first)


@pytest.mark.parametrize("reward", [Steps(), Steps().__call__, partial(Steps())])
def test_an_object_is_copied_for_each_game(reward):
    preset = own_preset(reward)
    games = [Reward(preset), Reward(preset)]
    for game in games:
        game.reset(HERE)
    pay = [[sum(game(HERE, HERE).values()) for game in games] for _ in range(3)]
    assert pay == [[1, 1], [2, 2], [3, 3]]


class Keeper(Steps):
    """Pays by a method of its own, and begins each episode anew."""

    def reset(self, state):
        self.calls = 0

    def pay(self, before, after):
        return self(before, after)


@pytest.mark.parametrize("reward", [Keeper().pay, partial(Keeper()), partial(Keeper().pay)])
def test_what_keeps_a_method_s_object_is_saved_and_told_of_episodes(reward):
    game = Reward(own_preset(reward))
    game.reset(HERE)
    game(HERE, HERE)
    saved = from_plain(*to_plain(game.get_state()))
    (kept,) = saved["own"].values()
    assert kept == {"calls": 1}
    for _ in range(2):
        game.set_state(saved)
        assert [sum(game(HERE, HERE).values()) for _ in range(2)] == [2.0, 3.0]
    game.reset(HERE)
    assert sum(game(HERE, HERE).values()) == 1.0
    game.set_state({**saved, "own": dict.fromkeys(saved["own"], {})})  # of an older version
    assert sum(game(HERE, HERE).values()) == 2.0


def test_a_method_of_a_class_is_called_without_an_object():
    class Shared:
        def reset(self, state):
            raise AssertionError("there is no object to tell")

        @classmethod
        def pay(cls, before, after):
            return 1.0

    (terms,) = paid(own_preset(Shared.pay), HERE, RIGHT)
    assert terms == {"pay": 1.0}


def test_an_object_that_cannot_be_copied_is_reported_with_what_to_do():
    reward = Steps()
    reward.lock = threading.Lock()
    with pytest.raises(RewardError, match="Steps that cannot be copied.*give its class instead"):
        Reward(own_preset(reward))


def test_what_a_reward_has_remembered_since_it_was_saved_is_forgotten():
    reward = Reward(own_preset(First))
    reward.reset(HERE)
    saved = reward.get_state()
    for _ in range(2):
        reward.set_state(from_plain(*to_plain(saved)))
        assert [sum(reward(HERE, HERE).values()) for _ in range(3)] == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("saved", [None, {}])
def test_a_reward_that_could_not_be_saved_remains_as_it_was_made(mine, saved):
    """Older versions saved {}, newer ones None."""
    reward = Reward(load_preset(f"{mine}:Keeping"))
    reward.reset(HERE)
    reward.set_state({**reward.get_state(), "own": {"mine.py:Keeping": saved}})
    assert sum(reward(HERE, HERE).values()) == 1.0


@pytest.mark.parametrize("name", ["Keeping", "SlottedKeeping"])
def test_a_reward_that_cannot_be_saved_is_reported_once(mine, caplog, name):
    reward = Reward(load_preset(f"{mine}:{name}"))
    reward.reset(HERE)
    for _ in range(2):
        assert reward.get_state()["own"] == {f"mine.py:{name}": None}
    (told,) = caplog.messages
    assert f"mine.py:{name} keeps a object in file, which cannot be saved" in told


@pytest.mark.parametrize(
    ("told", "is_saved"),
    [
        ({"a": [1.5, ("b", None)], "c": {1: True}}, True),
        ({"seen": {1, 2}}, False),
        ({"seen": np.arange(3)}, False),  # no resume file may hold it there
        ({1: 2}, False),
        (7, False),
        ({frozenset(): 1}, False),
    ],
)
def test_what_get_state_returns_is_saved_where_a_checkpoint_can_hold_it(told, is_saved, caplog):
    reward = Reward(own_preset(type("Tells", (Steps,), {"get_state": lambda self: told})))
    reward.reset(HERE)
    (kept,) = reward.get_state()["own"].values()
    assert (kept is not None) == is_saved
    resumed = from_plain(*to_plain(reward.get_state()))
    assert misfit(resumed, REWARD) is None
    shown = "Tells returns from get_state() what is no dict of plain values by name, which"
    assert [shown in message for message in caplog.messages] == [True] * (not is_saved)


@pytest.mark.parametrize(
    ("made", "error"),
    [
        ("def __init__(self, x): ...", "TypeError: .*'x'"),
        ("def __init__(self): 1 / 0", r"ZeroDivisionError: division by zero \(line 2 of own.py"),
    ],
)
def test_a_class_that_cannot_be_made_is_an_error_in_one_line(tmp_path, made, error):
    own = tmp_path / "own.py"
    own.write_text(f"class f:\n  {made}\n  def __call__(self, before, after): ...\n")
    preset = load_preset(f"{own}:f")
    with pytest.raises(RewardError, match=f"the reward own.py:f raised {error}") as told:
        Reward(preset)
    assert "\n" not in str(told.value)


def test_a_run_resumes_to_the_bit_with_a_reward_that_remembers(mine, tmp_path):
    own = ("--reward", f"{mine}:Counting")
    assert run(tmp_path / "whole", "--total-timesteps", "64", *own) == 0
    assert run(tmp_path / "parts", "--total-timesteps", "32", *own) == 0
    begun = only_session(tmp_path / "parts")
    more = ("--resume", begun.folder.name, "--total-timesteps", "64")
    assert run(tmp_path / "parts", *more, *own) == 0
    assert_equal_runs(begun, only_session(tmp_path / "whole"))


def test_a_term_of_ones_own_keeps_the_rules_of_its_kind_beside_ours(mine, tmp_path):
    (tmp_path / "p.toml").write_text('[weights]\nbadge = 5.0\n"mine.py:Wealth" = 0.5\n')
    preset = load_preset(tmp_path / "p.toml", code=[mine])
    rich = replace(HERE, money=250)
    steps = paid(preset, HERE, rich, HERE, rich)
    assert [step["mine.py:Wealth"] for step in steps] == [1.0, 0.0, 0.0]  # two keys, once
    assert Reward(preset).bound == 8 * 5.0 + 100 * 0.5


TERM = """
from enum import Enum
from rewards import Events, Marks

class Own(Enum):
    A = 1

class f({kind}):
    needs = ("money",)
    keys = 100
    scales = (100.0,)

    def happened(self, before, after):
        return [after.money]

    def holds(self, state):
        return []

    def values(self, state):
        return {{"money": state.money}}

    def stage(self, state):
        return 0

    {change}
"""
RICH = replace(HERE, money=250)


def own_term(folder, change, kind="Events"):
    (folder / "own.py").write_text(TERM.format(kind=kind, change=change.replace("\n", "\n    ")))
    return load_preset(f"{folder / 'own.py'}:f")


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        ("Events", "decay = 2.0", "own.py:f: decay is 2.0: it must be a number above 0 and at"),
        ("Events", "decay = 0", "own.py:f: decay is 0: it must be a number above 0"),
        ("Events", "keys = None", "own.py:f: keys is None: it must be how many there can be"),
        ("Events", "keys = '100'", "own.py:f: keys is '100': it must be how many"),
        ("Events", "buckets = 0", "own.py:f: buckets is 0: it must be a number of at least 1"),
        ("Events", "needs = 'money'", "own.py:f: needs is 'money': give fields, such as"),
        (
            "Marks",
            "scales = (0,)",
            r"own.py:f: scales is \(0,\): it must be a tuple",
        ),
        ("Marks", "scales = ()", r"own.py:f: scales is \(\): it must be a tuple"),
        ("Events", "def __init__(self): 1 / 0", "own.py:f raised ZeroDivisionError.*of own.py"),
        ("Events", "def __init__(self, x): ...", "own.py:f raised TypeError: .*'x'"),
    ],
)
def test_a_term_of_ones_own_with_an_impossible_number_is_refused(tmp_path, kind, change, message):
    with pytest.raises(ValueError, match=message) as told:
        own_term(tmp_path, change, kind)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        (
            "Events",
            "def happened(self, *_): return 1 / 0",
            "raised ZeroDivisionError: .*of own.py",
        ),
        (
            "Events",
            "def happened(self, *_): yield 1 / 0",
            "raised ZeroDivisionError: .*of own.py",
        ),
        ("Events", "def holds(self, state): return 1 / 0", "raised ZeroDivisionError: .*own.py"),
        ("Events", "def happened(self, *_): return None", "returned None from happened: it must"),
        (
            "Events",
            "def happened(self, *_): return [[1]]",
            "returned the key .*1.* from happened: a key",
        ),
        (
            "Events",
            "def happened(self, b, a): return [(1, frozenset())]",
            "returned the key .1, frozenset... from happened: a key must be a number, a text",
        ),
        (
            "Events",
            "def holds(self, state): return [object()]",
            "returned the key <object .* from holds",
        ),
        (
            "Events",
            "def holds(self, state): return [Own.A]",
            "returned the key <Own.A: 1>",
        ),
        ("Events", "def bucket(self, key): return {}", "returned the key {} from bucket"),
        (
            "Events",
            "def worth(self, *_): return float('nan')",
            "returned nan from worth: it must",
        ),
        (
            "Events",
            "def worth(self, *_): return -5.0",
            "returned -5.0 from worth: it must be a",
        ),
        (
            "Events",
            "def worth(self, *_): return 1.5",
            "returned 1.5 from worth: it must be a",
        ),
        ("Marks", "def values(self, _): return 1 / 0", "raised ZeroDivisionError: .*own.py"),
        (
            "Marks",
            "def values(self, _): return [1]",
            r"returned \[1\] from values: it must",
        ),
        (
            "Marks",
            "def values(self, _): return {1: float('nan')}",
            "returned nan from values",
        ),
        (
            "Marks",
            "def stage(self, s): return 5",
            "returned 5 from stage: it must be",
        ),
        ("Marks", "def stage(self, s): return -1", "returned -1 from stage: it must be an index"),
    ],
)
def test_a_term_of_ones_own_that_fails_is_an_error_in_a_line(tmp_path, kind, change, message):
    preset = own_term(tmp_path, change, kind)
    with pytest.raises(RewardError, match=f"the reward own.py:f {message}") as told:
        paid(preset, HERE, RICH)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    "keys",
    [
        "a.mode",
        "(a.location, 'x', None, True, 0.5)",
        "__import__('numpy').int64(7)",
    ],
)
def test_the_keys_that_a_term_of_ones_own_may_have_are_saved(tmp_path, keys):
    preset = own_term(tmp_path, f"def happened(self, b, a): return [{keys}]")
    reward = Reward(preset)
    reward.reset(HERE)
    assert reward(HERE, RICH) == {"own.py:f": 1.0}
    resumed = Reward(preset)
    saved = from_plain(*to_plain(reward.get_state()))
    assert misfit(saved, REWARD) is None
    resumed.set_state(saved)
    assert resumed(RICH, HERE) == {"own.py:f": 0.0}


def test_a_reward_with_a_term_of_ones_own_has_a_pickle_with_its_state(mine):
    reward = Reward(load_preset(f"{mine}:Wealth"))
    reward.reset(HERE)
    reward(HERE, RICH)
    for copy in (pickle.loads(pickle.dumps(reward)), deepcopy(reward)):
        assert copy.get_state() == reward.get_state()
        assert copy(RICH, replace(HERE, money=300)) == {"mine.py:Wealth": 1.0}


def test_no_preset_runs_a_file_that_is_not_named_beside_it(mine, marker, tmp_path):
    toml = tmp_path / "p.toml"
    toml.write_text('[weights]\n"mine.py:Wealth" = 0.5\n')
    with pytest.raises(ValueError, match="if it is yours, name its file, too: --reward-code mine"):
        load_preset(toml)
    known = load_preset(toml, code=[mine])
    marker.unlink()
    again = Preset.from_dict(json.loads(json.dumps(known.as_dict())))
    assert again == known and not again.is_loaded
    with pytest.raises(ValueError, match="Python code, mine.py:Wealth, which no checkpoint"):
        Reward(again)
    assert not marker.exists()


def test_a_preset_with_a_hash_takes_no_other_file(mine, tmp_path):
    toml = tmp_path / "p.toml"
    toml.write_text(load_preset(f"{mine}:named").to_toml())
    assert load_preset(toml, code=[mine]).weights == {"mine.py:named": 1.0}
    mine.write_text(mine.read_text() + "\n")
    with pytest.raises(ValueError, match="has the SHA-256 .* was made with"):
        load_preset(toml, code=[mine])


@pytest.mark.parametrize("name", ["my reward.py", "mine (1).py"])
@pytest.mark.parametrize("is_code", [False, True])
def test_a_file_that_no_term_can_name_is_refused_with_what_its_name_may_have(
    tmp_path, name, is_code
):
    (tmp_path / name).write_text("def ok(before, after):\n    return 0.0\n")
    message = f"'{re.escape(name)}' cannot be .* letters, digits, '_', '-' and '.' only: rename"
    with pytest.raises(ValueError, match=message):
        if is_code:
            load_preset(code=[tmp_path / name])
        else:
            load_preset(f"{tmp_path / name}:ok")


def test_two_different_files_of_one_name_are_refused(mine, tmp_path):
    other = tmp_path / "other" / "mine.py"
    other.parent.mkdir()
    other.write_text("def ok(before, after):\n    return 0.0\n")
    for reward, code in (("default", [mine, other]), (f"{mine}:named", [other])):
        with pytest.raises(ValueError, match="two different files are named mine.py.*rename one"):
            load_preset(reward, code=code)
    other.write_bytes(mine.read_bytes())
    assert load_preset(f"{mine}:named", code=[other]).weights == {"mine.py:named": 1.0}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("absent", "mine.py has no absent; it has: Counting, .*Wealth"),
        ("nothing", "mine.py:nothing is a int: it must be a function of two states"),
    ],
)
def test_a_file_without_a_reward_is_reported_in_one_line(mine, name, message):
    with pytest.raises(ValueError, match=message):
        load_preset(f"{mine}:{name}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(:", "SyntaxError: .*bad.py"),
        ("1 / 0", r"ZeroDivisionError: division by zero \(line 1 of bad.py\)"),
        ("import rewards\nclass f(rewards.Events): ...", "bad.py:f lacks needs, happened, holds"),
        (
            "import rewards\nclass f(rewards.Marks):\n  needs = ('gold',)\n  scales = (1,)\n"
            "  def values(self, state): ...\n  def stage(self, state): ...",
            "f needs gold, which no state has; it has: mode, ",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_reported_in_one_line(tmp_path, text, message):
    bad = tmp_path / "bad.py"
    bad.write_text(text)
    with pytest.raises(ValueError, match=message) as told:
        load_preset(f"{bad}:f")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("returned", "shown"),
    [
        (math.nan, "nan"),
        (math.inf, "inf"),
        ("1", "'1'"),
        (None, "None"),
        ({"a": math.nan}, "nan"),
        (1e39, r"1e\+39"),
        ({"a": 0.0, "b": -2e12}, "-2000000000000.0"),
        ({"a": 10**309}, "a number beyond 1e308"),
        ({"a": -(10**5000)}, "a number beyond 1e308"),  # more digits than Python writes
    ],
)
def test_what_is_not_a_finite_number_is_an_error_that_names_it(returned, shown):
    with pytest.raises(RewardError, match=f"pays returned {shown}: it must return a finite number"):
        paid(own_preset(type("pays", (), {"__call__": lambda *_: returned})()), HERE, RIGHT)


@pytest.mark.parametrize(
    ("returned", "weight", "total"),
    [({"a": 1e12, "b": 1e12}, 1.0, r"2e\+12"), (-1e9, 1e9, r"-1e\+18")],
)
def test_a_weighted_sum_that_no_network_can_learn_from_is_an_error(returned, weight, total):
    def pays(before, after):
        return returned

    preset = own_preset(pays)
    with pytest.raises(RewardError, match=f"pays pays {total} for a step.*from -1e.12 to 1e.12"):
        paid(preset.with_weights({"pays": weight}), HERE, RIGHT)


def test_an_error_in_a_function_names_its_line(mine):
    line = 1 + mine.read_text().splitlines().index("    return after.no_such_field")
    message = f"broken raised AttributeError: .*no_such_field.* \\(line {line} of mine.py\\)"
    with pytest.raises(RewardError, match=message):
        paid(load_preset(f"{mine}:broken"), HERE, RIGHT)


def test_a_slow_function_is_reported_once(mine, caplog):
    paid(load_preset(f"{mine}:slow"), HERE, RIGHT, HERE)
    (told,) = caplog.messages
    assert "the reward mine.py:slow took 0.1 seconds for a step" in told


def test_a_function_that_cannot_be_sent_to_workers_is_reported():
    with pytest.raises(
        ValueError, match="cannot be sent to worker processes .*name a reward's file"
    ):
        make_vec_env(GameConfig(), 1, 1, reward=lambda before, after: 0.0)

    with pytest.raises(
        ValueError, match="cannot be sent to worker processes .*name a reward's file"
    ):
        gymnasium.make_vec("Emerald-v0", 1, reward=lambda before, after: 0.0)


@pytest.mark.parametrize(
    "text",
    [
        'flags = "--reward {}"\n[settings]\ngamma = [0.9]',
        'flags = "--reward={}"\n[settings]\ngamma = [0.9]',
        'flags = "--reward-code mine.py"\n[settings]\ngamma = [0.9]',
        '[settings]\nreward = ["{}"]',
        '[options]\nmine = "--reward {}"',
    ],
)
def test_a_sweep_s_file_brings_no_python(mine, marker, tmp_path, text):
    plan = tmp_path / "sweep.toml"
    plan.write_text(text.format(f"{mine}:named") + "\n")
    with pytest.raises(ValueError, match="a sweep's file may not set"):
        read_plan(plan)
    assert not marker.exists()


def test_reward_weights_are_for_presets():
    with pytest.raises(TypeError, match="let the function weigh"):
        gymnasium.make("Emerald-v0", reward=lambda *_: 0.0, reward_weights={"badge": 1})


def test_an_unknown_term_is_refused_with_where_it_must_be_listed():
    with pytest.raises(ValueError, match="listed in rewards/terms/__init__.py; your own are FILE"):
        load_preset(overrides={"wealth": 1.0})


def test_the_auditor_judges_a_function_of_ones_own(mine, capsys):
    """Walking there and back pays nothing: but each step right pays forever."""
    mine.write_text(
        mine.read_text() + "\ndef only_gains(before, after):\n"
        "    return max(0.0, steps_right(before, after))\n"
    )
    arguments = ["pacing", "--rounds", "10", "--json", "--reward"]
    assert audit([*arguments, f"{mine}:only_gains"]) == 1
    (report,) = json.loads(capsys.readouterr().out)
    assert report["farmable"] and report["terms"]["mine.py:only_gains"] > 0
    assert audit([*arguments, "default"]) == 0


@pytest.mark.parametrize("reward", ["brackets", "Bracketed"])
def test_the_auditor_prints_names_of_ones_own_as_they_are(mine, reward, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "160")
    mine.write_text(
        mine.read_text() + "\ndef brackets(before, after):\n"
        "    return {'[/max]': float(after.position != before.position)}\n"
        "class Bracketed(Wealth):\n"
        "    needs = ('position',)\n"
        "    def happened(self, before, after):\n        return ['[/max]']\n"
    )
    for others in ([], ["exploration"]):  # the whole report, and a line for each
        arguments = ["pacing", "--rounds", "10", "--reward", f"{mine}:{reward}", *others]
        assert audit(arguments) == (reward == "brackets")
        assert "[/max]" in capsys.readouterr().out or (others and reward == "Bracketed")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A session whose reward is a file of your own, where that writes when it runs, and how often
    it ran."""
    folder = tmp_path_factory.mktemp("own")
    mine, marker = folder / "mine.py", folder / "runs.txt"
    mine.write_text(TEXT.format(marker=str(marker)))
    sessions = folder / "sessions"
    assert run(sessions, "--total-timesteps", "32", "--reward", f"{mine}:steps_right") == 0
    return only_session(sessions), mine, marker, len(marker.read_text().split())


def test_workers_load_the_file_and_the_manifest_names_it_with_its_hash(trained):
    session, mine, _, times = trained
    assert times == 2  # this process and the worker's
    reward = read_manifest(session.latest_checkpoint()).reward
    assert reward["weights"] == {"mine.py:steps_right": 1.0}
    expected = load_preset(f"{mine}:steps_right").code
    assert reward["code"] == expected and str(mine.parent) not in json.dumps(reward)


def test_neither_playing_nor_resuming_somebody_s_session_runs_its_file(trained, capfd):
    session, mine, marker, _ = trained
    marker.write_text("")
    checkpoint = str(session.latest_checkpoint())
    assert play([checkpoint, "--episodes", "1", "--episode-length", "3", "--json"]) == 0
    assert "Python code, mine.py:steps_right, which no checkpoint brings" in capfd.readouterr().err
    sessions = session.folder.parent
    more = ("--resume", session.folder.name, "--total-timesteps", "64")
    assert run(sessions, *more) == 1
    assert f"give --reward {mine}:steps_right again" in capfd.readouterr().err
    assert marker.read_text() == ""
    assert run(sessions, *more, "--reward", f"{mine}:steps_right") == 0
    assert session.latest_checkpoint().name == "ppo_64_steps.zip"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("broken", "raised AttributeError"),
        ("nan", "returned nan: it must"),
        ("Failing", "returned the key frozenset"),
    ],
)
def test_a_reward_that_fails_ends_a_run_in_a_line_with_its_checkpoint(
    trained, tmp_path, capfd, name, message
):
    _, mine, _, _ = trained
    assert run(tmp_path / "s", "--total-timesteps", "64", "--reward", f"{mine}:{name}") == 1
    error = capfd.readouterr().err
    assert f"error: the reward mine.py:{name} {message}" in error
    assert "Traceback" not in error
    assert only_session(tmp_path / "s").latest_checkpoint() is not None


def test_a_failing_reward_is_reported_without_a_traceback_by_the_games_themselves(mine):
    games = make_vec_env(GameConfig(**LONG, reward=f"{mine}:broken"), 1, 1)
    games.reset()
    games.step_async([0])
    with warnings.catch_warnings(), pytest.raises(WorkerError) as told:
        games.step_wait()
    assert "\n" not in str(told.value) and "raised AttributeError" in str(told.value)
    games.close()
