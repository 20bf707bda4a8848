"""Episodes that begin in the archive: which, how long, what they count for, how they go on."""

import itertools
import json
import math
import pickle
from functools import cache
from types import SimpleNamespace

import cv2
import gymnasium
import numpy as np
import pytest
from helpers import runs
from helpers.jade_story import after
from hypothesis import given, settings
from hypothesis import strategies as st
from test_exploration import found

from baselines.checkpoints.formats.plain import from_plain, to_plain
from baselines.checkpoints.run_state_form import GAME
from baselines.commands.learn.train import main
from baselines.exploration.archive_folder import save_index
from baselines.exploration.curriculum import (
    FIRST_BACK,
    GROWTH,
    MASTERED,
    MIN_TASK_WEIGHT,
    SELDOM,
    SLACK,
    WINDOW,
    Curriculum,
    Task,
    goals_on,
)
from baselines.exploration.exploration import ExploringSchedule, RunExploration
from baselines.exploration.milestone_funnel import Funnel
from baselines.exploration.search import Search
from baselines.exploration.state_archive import Archive
from baselines.games.game import make_env
from baselines.games.vec_games import make_vec_env
from baselines.settings.game_config import GameConfig
from baselines.settings.train_config import TrainConfig
from baselines.training.callbacks.exploring_callbacks import PracticeCallback
from emerald_env.env.config import EnvConfig
from emerald_env.explorer import Cell, Explorer
from emerald_env.files.data import misfit
from emerald_env.game.savefile import SaveFileError, pack_png, read_state, unpack_png
from emerald_env.game.tables import milestones
from emerald_env.starts.starts import prepare_starts
from emerald_env.state import Mode, milestones_done
from emerald_env.wrappers.episode_limit import ALLOWANCE, STEPS_FOR_REWARD, EpisodeLimit
from emerald_env.wrappers.practice import LOST, PRACTICE, WAY, Offer, PracticeStart
from rewards.audit.new_game import NEW_GAME

WAIT = 0  # of the original actions
SETTINGS = GameConfig(observation="dict", episode_length=12, shrink=4)
SLUGS = [entry.slug for entry in milestones()]


@cache
def below_the_door():
    """A state of Jade one step from a milestone: home is entered by walking up."""
    walker = after("visited_littleroot")
    walker.settle()
    walker.go_to(0, 9, 4, 9)
    walker.face("up")
    return walker.gba.get_state()


@pytest.fixture
def door(tmp_path):
    path = tmp_path / "door.state"
    path.write_bytes(below_the_door())
    return path


def env_at(door, record="none"):
    config = GameConfig(**(vars(SETTINGS) | {"start": str(door)}))
    return make_env(config, record=record, practice=True)


def episode(env, action, **reset):
    """Plays one action to the end; returns what was paid step by step and the last info."""
    env.reset(**reset)
    return episode_from_here(env, action)


def episode_from_here(env, action):
    paid, truncated = [], False
    while not truncated:
        _, reward, _, truncated, info = env.step(action)
        paid.append(reward)
    return paid, info


def up(env):
    names = [action.name for action in env.unwrapped._actions]
    return names.index("up")


def offer_of(path, share=1.0, allowance=100):
    beginning = PracticeStart("clock_set", 5, 40, path, allowance)
    return Offer(share, (beginning,), (1.0,), frozenset())


def test_where_practice_begins_is_a_layer_of_the_map(door):
    env = make_env(SETTINGS, practice=True, number=0)
    env.reset(seed=0)
    assert "practice" not in env.take_sightings().layers
    env.get_wrapper_attr("offer_practice")(offer_of(door))
    env.reset()
    assert env.take_sightings().layers["practice"] == {(0, 9, 4, 9): 1}
    env.close()


@pytest.mark.parametrize("record", ["none", "best"])
def test_an_episode_with_states_along_its_way_fits_in_a_resume_file(door, record):
    env = env_at(door, record)
    env.get_wrapper_attr("offer_practice")(Offer(known=frozenset()))
    env.reset(seed=0)
    for _ in range(8):
        env.step(up(env))  # to a milestone that the archive lacks
    state = from_plain(*to_plain(env.get_wrapper_attr("get_state")()))
    assert len(state[WAY]) == 1 and misfit(state, GAME) is None
    (cell, *rest), others = state[WAY][0], state[WAY][1:]
    assert len(cell) == len(Cell._fields)
    for wrong in (cell[:7], (*cell, 0), ([], *cell[1:])):
        assert misfit(state | {WAY: [(wrong, *rest), *others]}, GAME) is not None
    where = [None, (0, 9), *Mode]  # what the summary counts steps by
    summary = state["summary"] if record == "best" else state
    summary["places"] = dict.fromkeys(where, 1)
    assert misfit(from_plain(*to_plain(state)), GAME) is None
    older = state | {WAY: [(cell[:8], *rest)]}
    assert misfit(older, GAME) is None
    env.get_wrapper_attr("set_state")(older)
    assert env.get_wrapper_attr("get_state")()[WAY][0][0] == (*cell[:8], 0, 0, 0, 0, 0)
    env.close()


# ---- which states


def archive_with(folder, lengths):
    """An archive with one way: each milestone takes so many steps, a state every ten."""
    archive = Archive(folder)
    node, total, reached = archive.add(found(Cell(0, *[0] * 7)), None), 0, 0
    for number, length in enumerate(lengths):
        for step in range(10, length, 10):
            node = archive.add(found(Cell(reached, 0, 0, 0, 0, step, 0, 0), total + step), node)
        total, reached = total + length, reached | 1 << number
        node = archive.add(found(Cell(reached, *[0] * 7), total), node)
    return archive


def test_the_goals_are_the_milestones_of_the_way_to_the_furthest_state(tmp_path):
    archive = archive_with(tmp_path, [50, 30, 80])
    archive.add(found(Cell(1, 9, *[0] * 6), 10), 0)  # beside the way
    way = archive.chain(archive.furthest())
    goals = goals_on(way, archive)
    assert [slug for slug, _ in goals] == SLUGS[:3]
    assert [archive.nodes[way[at]].length for _, at in goals] == [50, 80, 160]


def test_episodes_begin_a_little_before_each_goal_and_no_further_back_than_is_practised(tmp_path):
    archive = archive_with(tmp_path, [100, 100, 100, 100])
    curriculum = Curriculum(archive, 0.5, seed=0)
    curriculum.tasks[SLUGS[3]] = Task(back=150.0)
    for _ in range(20):
        offer = curriculum.offer()
        assert math.isclose(sum(offer.chances), 1.0) and offer.share == 0.5
        assert offer.known == frozenset(SLUGS[:4])
        for beginning in offer.beginnings:
            goal = 100 * (SLUGS.index(beginning.task) + 1)
            back = curriculum.tasks[beginning.task].back
            distance = goal - beginning.length
            assert 0 < distance < back + 10
            assert beginning.allowance == 2 * distance + SLACK
            assert archive.path(beginning.node) == beginning.file and beginning.file.is_file()


def test_a_task_moves_back_when_its_beginnings_are_mastered_and_not_before(tmp_path):
    curriculum = Curriculum(archive_with(tmp_path, [400, 400]), 0.5, seed=0)
    curriculum.offer()
    backs = []
    for number in range(4 * WINDOW):
        curriculum.count(SLUGS[1], [SLUGS[1]] if number % 2 else [])
        curriculum.offer()
        backs.append(curriculum.tasks[SLUGS[1]].back)
    moves = [
        number for number, (a, b) in enumerate(itertools.pairwise([FIRST_BACK, *backs])) if a < b
    ]
    assert moves == [WINDOW * n - 1 for n in range(1, 5)]
    assert backs[-1] == pytest.approx(FIRST_BACK * GROWTH**4)
    assert curriculum.tasks[SLUGS[0]].back == FIRST_BACK
    for _ in range(50):
        curriculum.count(SLUGS[0], [])  # one that always fails stays where it is
        curriculum.offer()
    assert curriculum.tasks[SLUGS[0]].back == FIRST_BACK


def test_what_is_mastered_from_home_begins_at_home_and_is_complete(tmp_path):
    archive = archive_with(tmp_path, [50, 50, 50])
    curriculum = Curriculum(archive, 0.5, seed=0)
    for _ in range(40 * WINDOW):
        curriculum.offer()
        for slug in SLUGS[:3]:
            curriculum.count(slug, SLUGS[:3])
    tasks = curriculum.tasks
    assert all(tasks[slug].complete for slug in SLUGS[:3])
    assert tasks[SLUGS[0]].back == 50 and tasks[SLUGS[1]].back == 100
    assert tasks[SLUGS[2]].back == 100  # joins the two before, which join home
    earliest = {b.task: b.length for _ in range(60) for b in curriculum.offer().beginnings}
    assert earliest.keys() == set(SLUGS[:3])


@given(st.lists(st.booleans(), max_size=40))
def test_a_task_is_mastered_by_its_latest_episodes_alone(results):
    task = Task()
    for success in results:
        task.count(success)
    latest = results[-WINDOW:]
    assert task.mastered == (len(latest) == WINDOW and sum(latest) >= MASTERED * WINDOW)


def test_most_is_practised_where_half_of_the_episodes_succeed():
    def weight(successes):
        return Task(results=[True] * successes + [False] * (WINDOW - successes)).weight

    weights = [weight(n) for n in range(WINDOW + 1)]
    assert weights[0] == weights[-1] == MIN_TASK_WEIGHT and max(weights) == weights[WINDOW // 2]
    assert Task().weight == weights[WINDOW // 2]


def test_what_the_episodes_from_home_reach_is_practised_seldom(tmp_path):
    curriculum = Curriculum(archive_with(tmp_path, [50, 50, 50]), 0.5, seed=0)
    offer = curriculum.offer({SLUGS[0]: 1.0, SLUGS[1]: 0.4})
    chance = dict.fromkeys(SLUGS[:3], 0.0)
    for beginning, share in zip(offer.beginnings, offer.chances, strict=True):
        chance[beginning.task] += share
    # no task has been tried, so they differ by nothing else
    assert chance[SLUGS[0]] / chance[SLUGS[2]] == pytest.approx(SELDOM)
    assert chance[SLUGS[1]] / chance[SLUGS[2]] == pytest.approx(0.6)


def test_a_curriculum_resumes_unchanged(tmp_path):
    archive = archive_with(tmp_path, [100, 100, 100])
    curriculum = Curriculum(archive, 0.4, seed=3)
    for number in range(30):
        curriculum.offer()
        curriculum.count(SLUGS[number % 3], SLUGS[:2])
    again = Curriculum(archive, 0.4, seed=0)
    again.set_state(json.loads(json.dumps(curriculum.get_state())))
    assert [again.offer() for _ in range(5)] == [curriculum.offer() for _ in range(5)]


def test_without_a_state_every_episode_begins_at_the_start(tmp_path):
    offer = Curriculum(Archive(tmp_path), 0.9, seed=0).offer()
    assert offer.choose(np.random.default_rng(0)) is None and not offer.wants("clock_set")
    assert Offer(0.9).choose(np.random.default_rng(0)) is None


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_the_share_of_the_episodes_that_practise_is_the_one_asked_for(share, tmp_path):
    offer = Curriculum(archive_with(tmp_path, [50, 50]), share, seed=0).offer()
    offer = pickle.loads(pickle.dumps(offer))  # as on its way to a worker
    dice = np.random.default_rng(1)
    chosen = [offer.choose(dice) for _ in range(4000)]
    practised = sum(beginning is not None for beginning in chosen) / 4000
    assert abs(practised - share) <= 4 * math.sqrt(share * (1 - share) / 4000)


@pytest.mark.parametrize("content", [b"", b"no state", NEW_GAME.flags * 1000])
def test_what_is_not_a_state_is_refused_by_name(content, tmp_path):
    path = tmp_path / "odd.ss1"
    path.write_bytes(content)
    with pytest.raises(SaveFileError, match=r"odd.ss1: "):
        read_state(path)
    with pytest.raises(SaveFileError, match=r"nowhere.ss1: No such file"):
        read_state(tmp_path / "nowhere.ss1")


def test_a_packed_state_is_a_picture_with_the_state_in_it(jade):
    jade.tick(90)
    packed = pack_png(jade.get_state(), jade.screen.rgb)
    assert unpack_png(packed) == jade.get_state()
    picture = cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR)
    assert np.array_equal(picture[:, :, ::-1], jade.screen.rgb) and picture.std() > 5


# ---- how long


class Paying(gymnasium.Env):
    """What EpisodeLimit needs of a game: rewards from an iterator, and a state."""

    state = None

    def __init__(self, rewards):
        self.rewards = iter(rewards)

    def reset(self, **_):
        return None, {}

    def step(self, _):
        return None, next(self.rewards), False, False, {}


def length_of(rewards, most=10**6, patience=None, **options):
    limit = EpisodeLimit(Paying(rewards), most, patience)
    limit.reset(options=options)
    return next(n for n in itertools.count(1) if limit.step(0)[3])


@given(st.integers(1, 50), st.integers(1, 40), st.integers(1, 20))
def test_an_episode_ends_after_its_patience_from_the_last_reward_that_refills_it(
    patience, paid, most_factor
):
    full = patience / STEPS_FOR_REWARD + 1
    rewards = itertools.chain([full] * paid, itertools.repeat(0.0))
    most = most_factor * 10
    assert length_of(rewards, most, patience) == min(paid + patience, most)


def test_a_reward_buys_steps_in_proportion():
    quarter = itertools.cycle([1 / STEPS_FOR_REWARD, 0, 0, 0])  # pays for one step in four
    assert length_of(quarter, patience=90) == pytest.approx(90 / (3 / 4), abs=4)
    assert length_of(itertools.repeat(1 / STEPS_FOR_REWARD), most=777, patience=9) == 777


def test_an_allowance_is_spent_whatever_is_paid():
    assert length_of(itertools.repeat(9.0), patience=30, **{ALLOWANCE: 12}) == 12


# ---- in the game


def test_the_states_on_the_way_are_handed_over(door, monkeypatch):
    env = env_at(door)
    assert WAY not in episode(env, up(env))[1]  # nobody has asked for any
    env.get_wrapper_attr("offer_practice")(Offer(known=frozenset(), home=7))
    paid, info = episode(env, up(env))
    parent, (inside, end) = info[WAY]
    assert parent == 7 and sum(paid) > 0 and "episode" in info
    assert info["milestone_steps"].keys() == {"entered_home"}
    assert inside.length == info["milestone_steps"]["entered_home"]
    assert inside.cell.milestones & 1 << SLUGS.index("entered_home")
    assert end.length == info["episode"]["l"] == 12
    # a milestone that is known only counts where it lies on the way
    env.get_wrapper_attr("offer_practice")(Offer(known=frozenset(["entered_home"])))
    monkeypatch.setattr("emerald_env.wrappers.practice.STRIDE", 5)
    lengths = [found.length for found in episode(env, up(env))[1][WAY].found]
    assert lengths == [5, 10, 12]


def test_a_step_that_reaches_a_known_milestone_behind_a_wanted_one_is_kept(door, monkeypatch):
    def with_another(state):
        done = milestones_done(state)
        return (*done, "another") if "entered_home" in done else done

    monkeypatch.setattr("emerald_env.wrappers.episode_summary.milestones_done", with_another)
    env = env_at(door)
    env.get_wrapper_attr("offer_practice")(Offer(known=frozenset(["another"])))
    _, info = episode(env, up(env))
    assert list(info["milestone_steps"]) == ["entered_home", "another"]
    inside, end = info[WAY].found
    assert (inside.length, end.length) == (info["milestone_steps"]["entered_home"], 12)


def test_nothing_leads_on_from_a_soft_lock(door, monkeypatch):
    env = env_at(door)
    env.get_wrapper_attr("offer_practice")(Offer(known=frozenset()))
    monkeypatch.setattr("emerald_env.wrappers.episode_summary.QUIET", 3)
    monkeypatch.setattr("emerald_env.wrappers.episode_summary.is_soft_locked", lambda *_: True)
    _, info = episode(env, WAIT)
    assert info["soft_lock"] and WAY not in info


def test_practice_begins_with_a_state_which_pays_nothing_and_counts_apart(door, tmp_path):
    env = env_at(door)
    env.get_wrapper_attr("offer_practice")(Offer(known=frozenset()))
    at_door, info = episode(env, up(env))
    archive = Archive(tmp_path / "archive")
    archive.add(info[WAY].found[0], None)
    env.get_wrapper_attr("offer_practice")(offer_of(archive.path(0)))
    inside, info = episode(env, WAIT)
    assert "entered_home" in milestones_done(env.unwrapped.state)
    assert info["milestone_steps"] == {}
    assert "episode" not in info and info[PRACTICE]["task"] == "clock_set"
    assert info[PRACTICE]["r"] == pytest.approx(sum(inside)) and info[PRACTICE]["l"] == 12
    assert sum(inside) < sum(at_door)
    assert inside[0] == 0  # standing still where everything is known
    # it ends where it gets no further
    env.get_wrapper_attr("offer_practice")(offer_of(archive.path(0), allowance=5))
    assert episode(env, WAIT)[1][PRACTICE]["l"] == 5
    # a seed asks for the start itself
    assert episode(env, up(env), seed=3)[1]["milestone_steps"].keys() == {"entered_home"}


@pytest.mark.parametrize("content", [None, b"", b"no state", "another game's"])
def test_a_state_that_cannot_be_read_lets_the_episode_begin_at_the_start(door, tmp_path, content):
    env, path = env_at(door), tmp_path / "lost.ss1"
    if content == "another game's":
        raw = bytearray(below_the_door())
        raw[0x10:0x20] = bytes(16)
        path.write_bytes(bytes(raw))
    elif content is not None:
        path.write_bytes(content)
    env.get_wrapper_attr("offer_practice")(offer_of(path))
    _, info = episode(env, up(env))
    assert info[LOST] == [5] and PRACTICE not in info
    assert info["episode"]["l"] == 12 and "entered_home" in info["milestone_steps"]


def test_a_way_continues_from_where_its_episode_began(door, tmp_path):
    env = env_at(door)
    path = tmp_path / "begin.state"
    path.write_bytes(below_the_door())
    env.get_wrapper_attr("offer_practice")(offer_of(path))
    _, info = episode(env, up(env))
    parent, (inside, end) = info[WAY]
    assert parent == 5 and end.length == 40 + 12
    assert inside.length == 40 + info["milestone_steps"]["entered_home"]


@pytest.fixture
def two_starts(tmp_path):
    """A folder of starts: a new game, and the door with a milestone more."""
    folder = tmp_path / "starts"
    folder.mkdir()
    (folder / "door.state").write_bytes(below_the_door())
    (start,) = prepare_starts(None, "new-game")
    (folder / "new.state").write_bytes(start.state)
    return folder


def explored_from(starts, folder):
    """Returns an archive that has the starts, and where episodes may begin."""
    search = Search(Archive(folder), Explorer(EnvConfig(start=str(starts))), seed=0)
    search.begin()
    return search.archive, Curriculum(search.archive, 0.5, seed=0).offer()


def test_of_several_starts_each_episode_goes_on_from_its_own(two_starts, tmp_path):
    archive, offer = explored_from(two_starts, tmp_path / "archive")
    assert len(archive.nodes) == 2 and offer.beginnings == ()
    env = env_at(two_starts)
    env.get_wrapper_attr("offer_practice")(offer)
    env.reset(seed=0)
    maps = set()
    for _ in range(8):
        begun = env.unwrapped.state.location
        _, info = episode_from_here(env, WAIT)
        root = archive.nodes[info[WAY].parent]
        assert root.parent is None and (root.cell.group, root.cell.number) == begun
        maps.add(begun)
        env.reset()
    assert maps == {(0, 9), (25, 40)}


def test_an_episode_remembers_its_start_in_another_env(two_starts, tmp_path):
    _, offer = explored_from(two_starts, tmp_path / "archive")
    envs = one, other = env_at(two_starts), env_at(two_starts)
    for env in envs:
        env.get_wrapper_attr("offer_practice")(offer)
    one.reset(seed=0)
    parents = set()
    for _ in range(8):
        other.get_wrapper_attr("set_state")(
            from_plain(*to_plain(one.get_wrapper_attr("get_state")()))
        )
        ways = [episode_from_here(env, WAIT)[1][WAY] for env in envs]
        assert ways[0] == ways[1]
        parents.add(ways[0].parent)
        one.reset()
    assert parents == {0, 1}
    older = one.get_wrapper_attr("get_state")()
    del older["home"]
    assert misfit(older, GAME) is None
    other.get_wrapper_attr("set_state")(older)
    assert episode_from_here(other, WAIT)[1][WAY].parent == offer.home
    assert misfit(older | {"home": (1, 2)}, GAME) is not None


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
@pytest.mark.parametrize("record", ["none", "every"])
def test_a_game_that_practises_continues_in_another_env_to_the_bit(door, steps, record):
    one, other = env_at(door, record), env_at(door, record)
    offer = offer_of(door, share=0.7, allowance=9)
    for env in (one, other):
        env.get_wrapper_attr("offer_practice")(offer)
    one.reset(seed=2)
    for _ in range(steps):
        one.step(up(one))
    other.get_wrapper_attr("set_state")(
        pickle.loads(pickle.dumps(one.get_wrapper_attr("get_state")()))
    )
    begun = []
    for _ in range(60):
        *_, truncated, ours = one.step(up(one))
        *_, theirs = other.step(up(one))
        if truncated:
            begun.append(PRACTICE in ours)
            assert ours.keys() == theirs.keys()
            assert ours.get(WAY) == theirs.get(WAY)
            assert np.array_equal(one.reset()[0]["screen"], other.reset()[0]["screen"])
    assert {True, False} == set(begun) and len(begun) >= 5


def test_workers_practise_what_they_are_offered(door):
    config = GameConfig(**(vars(SETTINGS) | {"episode_length": 3}))
    games = make_vec_env(config, 2, 2, practice=True)
    try:
        games.reset()
        games.env_method("offer_practice", offer_of(door))
        kinds = []
        for _ in range(9):
            *_, dones, infos = games.step(np.zeros(2, np.int64))
            kinds += [PRACTICE in info for info, done in zip(infos, dones, strict=True) if done]
        assert kinds == [False] * 2 + [True] * 4
    finally:
        games.close()


# ---- the funnel


@settings(max_examples=30)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5)), max_size=150))
def test_the_funnel_counts_each_episode_where_it_began(tmp_path_factory, episodes):
    funnel = Funnel()
    for number, (practised, reached) in enumerate(episodes):
        funnel.count(SLUGS[:reached], practised, number)
    again = Funnel()
    again.set_state(json.loads(json.dumps(funnel.get_state())))
    archive = archive_with(tmp_path_factory.mktemp("a"), [30, 20])
    rows = again.rows(archive, {SLUGS[0]: 0, SLUGS[1]: 30})
    assert rows == funnel.rows(archive, {SLUGS[0]: 0, SLUGS[1]: 30})
    home = [reached for practised, reached in episodes if not practised]
    for row in rows:
        index = SLUGS.index(row["milestone"])
        assert row["home"] == sum(reached > index for reached in home)
        assert row["practice"] == sum(p and reached > index for p, reached in episodes)
        latest = [reached > index for reached in home[-100:]]
        assert row["home_latest"] == pytest.approx(sum(latest) / max(len(latest), 1))
        recent = [reached > index for reached in home[-20:]]
        assert funnel.latest(20).get(row["milestone"], 0) == sum(recent) / max(len(recent), 1)
        assert (row["first_home"] is None) == (row["home"] == 0)
    assert sum(row["states"] for row in rows) == sum(1 for cell in archive.cells if cell.milestones)
    furthest = max(home[-100:], default=0)
    shown = f"from home {SLUGS[furthest - 1] if furthest else 'none'}"
    assert shown in funnel.summary(archive) and "explored entered_home" in funnel.summary(archive)
    assert funnel.episodes == {"home": len(home), "practice": len(episodes) - len(home)}


def test_milestones_of_an_archive_that_a_run_begins_with_or_that_an_episode_brings_are_counted(
    tmp_path,
):
    first, second = (next(m.slug for m in milestones() if m.bit == bit) for bit in (0, 1))
    save_index(archive_with(tmp_path / "given", [20]))
    games, schedule = SimpleNamespace(leaders=[0]), ExploringSchedule(0.0, 1000)
    run = RunExploration(tmp_path / "own", games, 0.5, True, 0, schedule)
    run.begin_with(tmp_path / "given")
    assert run.search.first_seen == {first: 0}
    callback = PracticeCallback(run.search, run.curriculum, run.funnel, tmp_path / "funnel.json")
    further = found(Cell(0b11, *[0] * 7), 40)
    ended = {"milestone_steps": {}, WAY: (run.archive.furthest(), [further])}
    callback.locals = {"dones": np.array([True]), "infos": [ended]}
    assert callback._on_step()
    assert run.search.first_seen == {first: 0, second: 0}


# ---- in a training


@pytest.mark.parametrize("name", ["practice", "explore"])
@pytest.mark.parametrize("share", [-0.1, 1.0, float("nan")])
def test_a_share_that_leaves_nothing_for_the_start_is_refused(name, share):
    with pytest.raises(ValueError, match=f"{name} is"):
        TrainConfig(**{name: share})


@pytest.mark.slow
def test_a_stopped_run_that_explores_continues_to_the_same_weights_bit_by_bit(
    door, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr("baselines.exploration.search.JOBS", 2)
    monkeypatch.setattr("baselines.exploration.search.STEPS", 20)
    learnt = 12 * runs.STEPS
    flags = (
        f"--n-workers 1 --start {door} --frame-skip 24 --hold-frames 12 --practice 0.6 "
        f"--explore 0.5 --total-timesteps {2 * learnt} --save-freq {runs.STEPS} "
        "--record none --observation full --advice 0.5 --embed-places"
    ).split()
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    assert runs.run(whole, *flags) == 0
    runs.Interrupt(parts).start()
    assert runs.run(parts, *flags) != 0
    capsys.readouterr()
    assert main(["--sessions", str(parts), "--resume", "last"]) == 0
    assert "note:" not in capsys.readouterr().out
    ours, theirs = runs.only_session(parts), runs.only_session(whole)
    runs.assert_equal_runs(ours, theirs)
    curves = runs.curves(ours)
    assert curves == runs.curves(theirs)
    explored = curves["explore/steps"][-1][1]
    assert abs(explored - learnt) < 2 * 20, "up to a round"
    assert curves["practice/rate_entered_home"]
    assert "practice/back_entered_home" not in curves, "with advice from anywhere on the way"
    assert ours.funnel.read_bytes() == theirs.funnel.read_bytes()
    states = {path.name: path.read_bytes() for path in ours.archive.iterdir()}
    assert states == {path.name: path.read_bytes() for path in theirs.archive.iterdir()}
    assert json.loads(ours.funnel.read_text())["episodes"]["practice"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("is_lost", [False, True])
def test_a_run_goes_on_with_what_it_explored_when_its_games_start_afresh(
    door, tmp_path, capsys, monkeypatch, is_lost
):
    monkeypatch.setattr("baselines.exploration.search.JOBS", 2)
    monkeypatch.setattr("baselines.exploration.search.STEPS", 20)
    steps = 12 * runs.STEPS
    flags = f"--n-workers 1 --start {door} --explore 0.5 --record none --observation full".split()
    assert runs.run(tmp_path, *flags, "--total-timesteps", str(steps)) == 0
    session = runs.only_session(tmp_path)
    before = json.loads(session.funnel.read_text())["explored"]
    states = {path.name for path in session.archive.glob("*.ss1")}
    if is_lost:
        session.latest_checkpoint().with_suffix(".resume").unlink()
    more = ["--n-envs", "4", "--total-timesteps", str(2 * steps)]
    assert main(["--resume", str(session.folder), "--sessions", str(tmp_path), *more]) == 0
    assert "start afresh" in capsys.readouterr().out
    after = json.loads(session.funnel.read_text())["explored"]
    now = {path.name for path in session.archive.glob("*.ss1")}
    if is_lost:
        assert after <= steps / 2, "nothing is due for the steps before"
    else:
        assert before < after <= before + steps / 2 + 2 * 20
        assert len(now & states) > len(states) / 2
