"""Episodes that begin where earlier ones came to: which, what they count for, how they go on."""

import itertools
import math
import pickle
from functools import cache

import cv2
import numpy as np
import pytest
import test_resume
from hypothesis import given, settings
from hypothesis import strategies as st
from jade_story import after

from baselines.envs import GameConfig, make_env
from baselines.training.config import TrainConfig
from baselines.training.practice import PracticeArchive
from baselines.training.run import main
from baselines.vec_envs import make_vec_env
from emerald_env.emulator import StateError
from emerald_env.game.savefile import pack_png, unpack_png
from emerald_env.state import milestones_done
from emerald_env.wrappers.practice import (
    FRONTIER,
    MOST,
    PRACTICE,
    Frontier,
    Offer,
    read_state,
    state_file,
)
from rewards.audit.new_game import NEW_GAME

WAIT = 0  # of the original actions
SLUGS = ("entered_home", "clock_set", "met_rival", "badge_1")
SETTINGS = GameConfig(observation="dict", episode_length=12, shrink=4)


@cache
def below_the_door():
    """A state of Jade one step from a milestone: home is entered by walking up."""
    walker = after("visited_littleroot")
    walker.settle()
    walker.go_to(0, 9, 4, 9)
    walker.face("up")
    return walker.gba.save_state()


@pytest.fixture
def door(tmp_path):
    path = tmp_path / "door.state"
    path.write_bytes(below_the_door())
    return path


def env_at(door):
    return make_env(GameConfig(**(vars(SETTINGS) | {"start": str(door)})), practice=True)


def episode(env, action, **reset):
    """Plays one action to the end; returns what was paid step by step and the last info."""
    env.reset(**reset)
    paid, truncated = [], False
    while not truncated:
        _, reward, _, truncated, info = env.step(action)
        paid.append(reward)
    return paid, info


def up(env):
    names = [action.name for action in env.unwrapped._actions]
    return names.index("up")


def archive_with(folder, **counts):
    archive = PracticeArchive(folder)
    for slug, count in counts.items():
        for number in range(count):
            archive.add(Frontier(slug, f"{slug} {number}".encode()))
    return archive


# ---- which states


def test_a_milestone_is_practised_in_proportion_to_who_came_to_it_and_got_no_further(tmp_path):
    archive = archive_with(tmp_path / "states", entered_home=3, clock_set=1, badge_1=1)
    for _ in range(6):
        archive.count(["entered_home", "clock_set"], began=None)
    for _ in range(2):
        archive.count(["entered_home"], began=None)
    for _ in range(4):
        archive.count([], began="clock_set")
    archive.count(["met_rival"], began="clock_set")
    archive.count([], began=None)  # which came to nothing
    offer = archive.offer(0.5)
    # one hundredth is added, so that nothing is ever given up; nobody has begun with badge_1 yet
    weights = {"entered_home": 2 / 8 + 0.01, "clock_set": 10 / 11 + 0.01, "badge_1": 1.01}
    for slug, weight in weights.items():
        assert offer.chances[slug] == pytest.approx(weight / sum(weights.values()))
    assert offer.states == {"entered_home": 3, "clock_set": 1, "badge_1": 1}
    assert archive.gained == 1 / 5


def test_what_nobody_stays_at_any_more_is_practised_less_and_less(tmp_path):
    archive = archive_with(tmp_path / "states", entered_home=1, clock_set=1)
    for _ in range(1000):
        archive.count(["entered_home"], began=None)
    chances = []
    for _ in range(400):
        archive.count(["entered_home", "clock_set"], began=None)
        chances.append(archive.offer(0.5).chances["entered_home"])
    assert all(later < earlier for earlier, later in itertools.pairwise(chances))
    # of a mean that forgets a hundredth each time; clock_set's weight is 1.01
    left = 0.99**400
    assert chances[-1] == pytest.approx((left + 0.01) / (left + 1.02))


@settings(deadline=None)  # it writes files
@given(
    st.dictionaries(st.sampled_from(SLUGS), st.integers(1, MOST), min_size=1),
    st.floats(0, 1, exclude_max=True),
    st.lists(st.sampled_from(SLUGS)),
)
def test_what_is_chosen_is_always_there(tmp_path_factory, states, share, reached):
    archive = archive_with(tmp_path_factory.mktemp("a") / "states", **states)
    archive.count(list(dict.fromkeys(reached)), began=None)
    offer = pickle.loads(pickle.dumps(archive.offer(share)))  # as on its way to a worker
    assert math.isclose(sum(offer.chances.values()), 1.0)
    dice = np.random.default_rng(0)
    for _ in range(30):
        if (slug := offer.choose(dice)) is not None:
            assert offer.file(slug, dice).is_file()
    assert all(offer.wants(slug) == (share > 0 and states.get(slug, 0) < MOST) for slug in SLUGS)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_the_share_of_the_episodes_that_practise_is_the_one_asked_for(share, tmp_path):
    offer = archive_with(tmp_path / "states", entered_home=2).offer(share)
    dice = np.random.default_rng(1)
    chosen = [offer.choose(dice) for _ in range(4000)]
    practised = sum(slug is not None for slug in chosen) / 4000
    assert abs(practised - share) <= 4 * math.sqrt(share * (1 - share) / 4000)


def test_without_a_state_every_episode_begins_at_the_start():
    assert Offer(0.9).choose(np.random.default_rng(0)) is None


def test_no_more_states_are_kept_than_are_wanted_and_the_first_ones_stay(tmp_path):
    archive = archive_with(tmp_path / "states", clock_set=MOST + 5)
    assert len(list((tmp_path / "states").iterdir())) == MOST and len(archive) == 1
    assert state_file(tmp_path / "states", "clock_set", 1).read_bytes() == b"clock_set 0"
    assert not archive.offer(0.5).wants("clock_set") and archive.offer(0.5).wants("badge_1")


def test_an_archive_goes_on_as_it_stood_and_writes_over_what_came_later(tmp_path):
    archive = archive_with(tmp_path / "states", clock_set=2, met_rival=1)
    archive.count(["clock_set", "met_rival"], began="entered_home")
    state, offer, gained = archive.get_state(), archive.offer(0.4), archive.gained
    archive.add(Frontier("clock_set", b"later"))
    again = PracticeArchive(tmp_path / "states")
    again.set_state(state)
    assert again.offer(0.4) == offer and again.gained == gained
    again.add(Frontier("clock_set", b"anew"))
    assert state_file(tmp_path / "states", "clock_set", 3).read_bytes() == b"anew"


def test_a_state_that_is_gone_is_named_and_a_strangers_name_is_no_path(tmp_path):
    state = archive_with(tmp_path / "states", clock_set=2).get_state()
    state_file(tmp_path / "states", "clock_set", 2).unlink()
    with pytest.raises(FileNotFoundError, match="clock_set-2.ss1 is gone"):
        PracticeArchive(tmp_path / "states").set_state(state)
    archive = PracticeArchive(tmp_path / "states")
    archive.set_state(
        {"states": {"../../etc/passwd": 1}, "episodes": {}, "stayed": {}, "gained": []}
    )
    assert len(archive) == 0


@pytest.mark.parametrize("content", [b"", b"no state", NEW_GAME.flags * 1000])
def test_what_is_no_state_is_refused_by_name(content, tmp_path):
    path = tmp_path / "odd.ss1"
    path.write_bytes(content)
    with pytest.raises(StateError, match=r"odd.ss1 cannot be practised"):
        read_state(path)
    with pytest.raises(StateError, match=r"nowhere.ss1 cannot be practised"):
        read_state(tmp_path / "nowhere.ss1")


def test_a_packed_state_is_a_picture_with_the_state_in_it(jade):
    jade.tick(90)
    packed = pack_png(jade.save_state(), jade.screen)
    assert unpack_png(packed) == jade.save_state()
    picture = cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR)
    assert np.array_equal(picture[:, :, ::-1], jade.screen) and picture.std() > 5


# ---- in the game


def test_the_state_of_a_new_milestone_is_handed_over_once_it_is_wanted(door, tmp_path):
    env = env_at(door)
    assert FRONTIER not in episode(env, up(env))[1]  # nobody has asked for any
    env.get_wrapper_attr("offer_practice")(Offer(0.5))
    paid, info = episode(env, up(env))
    (found,) = info[FRONTIER]
    assert found.milestone == "entered_home" and sum(paid) > 0
    assert info["milestone_steps"].keys() == {"entered_home"} and "episode" in info
    enough = Offer(0.5, tmp_path, {"entered_home": MOST}, {"entered_home": 1.0})
    assert enough.wants("clock_set") and not enough.wants("entered_home")


def test_practice_begins_with_the_milestone_which_then_pays_nothing_and_counts_apart(
    door, tmp_path
):
    env = env_at(door)
    env.get_wrapper_attr("offer_practice")(Offer(0.5))
    at_door, info = episode(env, up(env))
    path = state_file(tmp_path, "entered_home", 1)
    path.write_bytes(info[FRONTIER][0].file)
    always = Offer(1.0, tmp_path, {"entered_home": 1}, {"entered_home": 1.0})
    env.get_wrapper_attr("offer_practice")(always)
    inside, info = episode(env, WAIT)
    assert "entered_home" in milestones_done(env.unwrapped.state)
    assert info["milestone_steps"] == {} and FRONTIER not in info
    assert "episode" not in info and info[PRACTICE]["milestone"] == "entered_home"
    assert info[PRACTICE]["r"] == pytest.approx(sum(inside)) and info[PRACTICE]["l"] == 12
    assert sum(inside) < sum(at_door)
    assert inside[0] == 0  # standing still where everything is known
    # a seed asks for the start itself
    assert episode(env, up(env), seed=3)[1]["milestone_steps"].keys() == {"entered_home"}


def test_without_an_offer_the_wrapper_changes_nothing(door):
    config = GameConfig(**(vars(SETTINGS) | {"start": str(door)}))
    envs = [make_env(config, practice=practice) for practice in (False, True)]
    first = [env.reset(seed=5)[0] for env in envs]
    dice = np.random.default_rng(0)
    for _ in range(40):
        action = int(dice.integers(15))
        seen = [env.step(action) for env in envs]
        (ours, *rest), (theirs, *expected) = seen
        assert all(np.array_equal(ours[key], theirs[key]) for key in ours)
        assert rest[:3] == expected[:3]
        if rest[2]:
            assert rest[3].keys() == expected[3].keys()
            first = [env.reset()[0] for env in envs]
        assert all(np.array_equal(first[0][key], first[1][key]) for key in first[0])


@pytest.mark.parametrize("steps", [0, 2, 7])
def test_a_game_that_practises_goes_on_in_another_env_to_the_bit(door, tmp_path, steps):
    one, other = env_at(door), env_at(door)
    one.get_wrapper_attr("offer_practice")(Offer(0.5))
    _, info = episode(one, up(one))
    state_file(tmp_path, "entered_home", 1).write_bytes(info[FRONTIER][0].file)
    offer = Offer(0.7, tmp_path, {"entered_home": 1}, {"entered_home": 1.0})
    for env in (one, other):
        env.get_wrapper_attr("offer_practice")(offer)
    one.reset()
    for _ in range(steps):
        one.step(up(one))
    other.get_wrapper_attr("set_state")(one.get_wrapper_attr("get_state")())
    begun = []
    for _ in range(60):
        *_, truncated, ours = one.step(up(one))
        *_, theirs = other.step(up(one))
        if truncated:
            begun.append(PRACTICE in ours)
            assert ours.keys() == theirs.keys()
            assert ours.get(FRONTIER) == theirs.get(FRONTIER)
            assert np.array_equal(one.reset()[0]["screen"], other.reset()[0]["screen"])
    assert len(begun) == 5


def test_workers_practise_what_they_are_offered(door, tmp_path):
    state_file(tmp_path, "entered_home", 1).write_bytes(below_the_door())
    config = GameConfig(**(vars(SETTINGS) | {"episode_length": 3}))
    games = make_vec_env(config, 2, 2, practice=True)
    try:
        games.reset()
        offer = Offer(1.0, tmp_path, {"entered_home": 1}, {"entered_home": 1.0})
        games.env_method("offer_practice", offer)
        kinds = []
        for _ in range(9):
            *_, dones, infos = games.step(np.zeros(2, np.int64))
            kinds += [PRACTICE in info for info, done in zip(infos, dones, strict=True) if done]
        assert kinds == [False] * 2 + [True] * 4
    finally:
        games.close()


# ---- in a training


@pytest.mark.parametrize("share", [-0.1, 1.0, float("nan")])
def test_a_share_that_leaves_no_episode_at_the_start_is_refused(share):
    with pytest.raises(ValueError, match="practice is"):
        TrainConfig(practice=share)


@pytest.mark.slow
def test_a_stopped_run_that_practises_goes_on_to_the_same_weights_bit_by_bit(
    door, tmp_path, capsys
):
    steps = 14 * test_resume.STEPS
    flags = (
        f"--backend dummy --start {door} --frame-skip 24 --hold-frames 12 --practice 0.6 "
        f"--total-timesteps {steps} --save-freq {test_resume.STEPS} --record none"
    ).split()
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert test_resume.run(whole, *flags) == 0
    test_resume.Interrupt(parts).start()
    assert test_resume.run(parts, *flags) != 0
    capsys.readouterr()
    assert main(["--sessions", str(parts), "--resume", "last"]) == 0
    assert "note:" not in capsys.readouterr().out
    ours, theirs = test_resume.only_session(parts), test_resume.only_session(whole)
    test_resume.assert_equal_runs(ours, theirs)
    curves = test_resume.curves(ours)
    assert curves == test_resume.curves(theirs)
    assert curves["practice/gained"] and curves["practice/milestones"][-1][1] >= 1
    states = {path.name: path.read_bytes() for path in ours.practice.iterdir()}
    assert states == {path.name: path.read_bytes() for path in theirs.practice.iterdir()}
    # episodes that practised are in no curve of the episodes
    assert len(list(ours.read_episodes())) < steps // 23
