"""Recordings as teachers: told as steps, without what was useless, then learnt from."""

import json
import re
import shutil
import zlib
from collections import defaultdict
from contextlib import closing
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from helpers.person_like import person_like, recorded

from baselines.checkpoints.checkpoint_file import load_policy, zip_bytes
from baselines.exploration.atlas.atlas import Atlas
from baselines.exploration.exploration import ExploringSchedule, RunExploration
from baselines.exploration.search import Search
from baselines.exploration.state_archive import NO_PICTURE, Archive
from baselines.games.vec_games import make_vec_env
from baselines.learner.cloning import clone
from baselines.learner.ppo import PPO
from baselines.settings.fitting import with_ways
from baselines.settings.train_config import PPOConfig, TrainConfig
from baselines.training.checks import check_ways
from baselines.training.command_line import parse, train_from_flags
from baselines.training.model import make_games, make_model
from baselines.training.teachers.recorded_ways import _trails, fill_archive, samples, tell_ways
from emerald_env.emulator import key_mask
from emerald_env.env.actions import action_set
from emerald_env.explorer import Explorer
from emerald_env.explorer.exact_places import UNKNOWN
from emerald_env.files.zips import read_members
from emerald_env.game.choice import GameChoice
from emerald_env.game.editions import open_game
from emerald_env.game.savefile import pack_png
from emerald_env.recordings.recording import HEADER, LIMITS, RecordingError
from emerald_env.recordings.told import lasting, tell
from emerald_env.starts.starts import NEW_GAME, Start, prepare_starts
from emerald_env.state import Mode, StateReader, milestones_done

SMALL = TrainConfig(
    network="tile", n_envs=2, n_workers=1, shards=1, ppo=PPOConfig(n_steps=16, batch_size=16)
)
BLIND = replace(SMALL.env, observation="state", targets=True)
RIGHT, LEFT, START = (key_mask(key) for key in ("right", "left", "start"))


@pytest.fixture(scope="module")
def way(tmp_path_factory):
    """A person-like way to the clock on the wall, as a folder."""
    folder = tmp_path_factory.mktemp("ways") / "way"
    (folder / "states").mkdir(parents=True)
    recording, states = person_like("clock_set")
    (folder / "way.recording").write_bytes(recording.to_bytes())
    return folder, recording, states


@pytest.fixture(scope="module")
def told(way):
    return tell(way[1], SMALL.env)


def test_most_of_a_persons_keys_are_told_as_an_agents_steps(told):
    assert told.pressed > 40 and told.same > 0.9 * told.pressed and told.broken_at == ()
    assert "clock_set" in milestones_done(told.steps[-1].state)


def test_advice_leads_from_a_ways_first_moment_to_its_last_milestone(told):
    """A moment that is not told must not tear it: what comes before would lead nowhere."""
    torn = tuple(
        replace(step, action=None) if n % 7 == 3 else step for n, step in enumerate(told.steps)
    )
    (trail,) = _trails(torn, SMALL.env.menus)
    assert len(trail.places) == len(told.steps)
    atlas = Atlas()
    atlas.add(trail)
    atlas.solve()
    reached = trail.progress.index(max(trail.progress))
    known = atlas.advice.look_up(np.array(trail.places[:reached]))
    assert reached > 20 and (known != UNKNOWN).all()


def until_the_clock_is_set(recording, told):
    """A recording in which no key goes down after the clock is set, as with `--until clock_set`."""
    end = next(step.frame for step in told.steps if "clock_set" in milestones_done(step.state))
    keys = [recording.actions[index][1] for index in recording.pressed[:end]]
    with open_game() as gba:
        return recorded(gba, recording.start, [*keys, *[0] * (-end % 24)])[0]


def test_what_a_recordings_last_press_leads_to_is_learnt(way, told, tmp_path, capsys):
    path = tmp_path / "clock.recording"
    path.write_bytes(until_the_clock_is_set(way[1], told).to_bytes())
    (cut,) = tell_ways([path], SMALL.env)
    *presses, end = cut.steps
    assert all("clock_set" not in milestones_done(step.state) for step in presses)
    assert "clock_set" in milestones_done(end.state) and (end.keys, end.action) == (0, None)
    assert f" {len(presses)} kept" in (said := capsys.readouterr().out) and "until clock" in said
    assert "clock_set" in filled(cut, SMALL.env, tmp_path / "archive").first_with()
    (trail,) = _trails(cut.steps, SMALL.env.menus)
    assert trail.keys[-1] != UNKNOWN and trail.progress[-1] > trail.progress[-2]
    assert len(samples([cut], SMALL.env, 1)[1]) == sum(s.action is not None for s in presses)


def test_an_end_that_was_not_recorded_is_not_learnt(way, told):
    recording = until_the_clock_is_set(way[1], told)
    hashes = (*recording.hashes[:-1], recording.hashes[-1] ^ 1)
    changed = tell(replace(recording, hashes=hashes), SMALL.env)
    assert changed.broken_at == (recording.n_steps,)
    assert all(step.keys for step in changed.steps)


def test_a_told_step_leads_from_its_state_where_the_person_went(told):
    keys = [action.keys for action in action_set("original")]
    walked = [
        (step, following)
        for step, following in zip(told.steps, told.steps[1:], strict=False)
        if step.action is not None and step.state.controllable and following.state.controllable
    ]
    with open_game() as gba:
        for step, following in walked[:20]:
            gba.set_state(zlib.decompress(step.packed))
            gba.step(keys[step.action], 12, 24)
            for _ in range(24):
                if (state := StateReader.of(gba).sample()) and state.mode != Mode.TRANSITION:
                    break
                gba.step(0, 4, 4)  # a door
            assert lasting(state) == lasting(following.state)
    assert len(walked) > 5


def test_a_state_whose_name_is_no_number_is_left_out(way, told, tmp_path):
    path = tmp_path / "\u00b25.ss1"  # a superscript two, which is a digit to Python and no number
    path.write_bytes(b"")
    assert tell(way[1], SMALL.env, [path]).broken_at == told.broken_at


def test_pauses_ways_there_and_back_and_menus_are_not_kept():
    (start,) = prepare_starts(None, NEW_GAME)
    there, back, menu = [RIGHT] * 12 + [0] * 12, [LEFT] * 12 + [0] * 12, [START] * 4 + [0] * 56
    nothing = [0] * 600
    keys = [*nothing, *there, *back, *there, *back, *menu, *menu, *nothing, *there, *there]
    with open_game() as gba:
        recording, _ = recorded(gba, start, [*keys, *[0] * (-len(keys) % 24)])
    told = tell(recording, SMALL.env)
    places = [lasting(step.state) for step in told.steps]
    assert told.pressed >= 6 and len(told.steps) <= 3
    assert len(set(places)) == len(places)


@pytest.mark.parametrize("env", [SMALL.env, BLIND], ids=["full", "state and targets"])
def test_the_way_fills_archive_atlas_and_curriculum_in_order(env, way, told, tmp_path, monkeypatch):
    told = told if env is SMALL.env else tell(way[1], env)
    config = replace(SMALL, env=env, ways=(way[0],))
    check_ways(config)
    with closing(make_vec_env(env, 2, 1, practice=True)) as games:
        exploration = RunExploration(
            tmp_path / "archive", games, 0.5, True, 0, ExploringSchedule(0.5, 1000)
        )
        fill_archive(exploration.search, told, env)
    exploration.search.atlas.solve()
    exploration.due(0)
    assert exploration.search.before is None
    exploration.schedule.stuck = True  # as after 300,000 steps without a gain
    monkeypatch.setattr(exploration.schedule, "due", lambda *_: 0)
    exploration.due(0)
    assert exploration.search.before == "clock_set"
    archive: Archive = exploration.archive
    first = archive.first_with()
    lengths = [archive.nodes[number].length for number in archive.chain(archive.furthest())]
    assert lengths == sorted(lengths) and len(lengths) > 10 and "clock_set" in first
    assert len(exploration.search.atlas.advice.places) > 10
    assert {one.task for one in exploration.curriculum.offer().beginnings} >= {"clock_set"}


def test_a_network_clones_the_way_and_stays_close_to_it_at_first(told):
    with closing(make_games(SMALL)) as games:
        model = make_model(SMALL, games)
        seen, actions = samples([told], SMALL.env, SMALL.n_stack)
        assert {key: part.shape[1:] for key, part in seen.items()} == {
            key: space.shape for key, space in model.observation_space.spaces.items()
        }
        before = clone(model, seen, actions, 0, 0)
        after = clone(model, seen, actions, 120, 0)
        assert after > 0.9 > before
        model.clone_kl = 1.0
        model.learn(32)
        assert "train/clone_kl" in model.logger.name_to_value
        model._current_progress_remaining = 0.5
        assert model._kept() == 0.0
        model._current_progress_remaining = 1.0
        assert model._kept() == 1.0


def in_file(raw, path):
    path.write_bytes(pack_png(raw, NO_PICTURE))
    return path


def filled(told, env, folder):
    """An archive with a way, in which an explorer of a game's starts fills in the first states."""
    explorers = Mock(home=Explorer(env).home)
    search = Search(Archive(folder), explorers, 0)
    fill_archive(search, told, env)
    return search.archive


def test_a_way_is_as_long_as_it_is_from_where_episodes_begin(tmp_path):
    """The game's clock had run for 2,400 frames, a hundred steps, where they do."""
    (start,) = prepare_starts(None, NEW_GAME)
    with open_game() as gba:
        start.restore(gba)
        gba.step(0, 0, 2400, render=False)
        late = Start(gba.get_state(), gba.save_data())
        recording, _ = recorded(gba, late, ([RIGHT] * 12 + [0] * 12) * 4)
    env = replace(SMALL.env, start=str(in_file(late.state, tmp_path / "late.ss1")))
    archive = filled(tell(recording, env), env, tmp_path / "archive")
    lengths = [node.length for node in archive.nodes.values()]
    assert len(lengths) > 1 and lengths == sorted(lengths) and max(lengths) <= 4
    anew = filled(tell(recording, SMALL.env), SMALL.env, tmp_path / "anew")
    others = [node.length for node in anew.nodes.values()][1:]
    assert others and all(100 <= length <= 104 for length in others)


def test_of_several_starts_a_way_begins_in_its_own(tmp_path):
    (start,) = prepare_starts(None, NEW_GAME)
    folder = tmp_path / "starts"
    folder.mkdir()
    in_file(start.state, folder / "0.ss1")
    with open_game() as gba:
        start.restore(gba)
        for _ in range(5):  # out of the room
            gba.step(RIGHT, 12, 24, render=False)
        later = Start(gba.get_state(), gba.save_data())
        recording, _ = recorded(gba, later, ([LEFT] * 12 + [0] * 12) * 4)
    in_file(later.state, folder / "1.ss1")
    env = replace(SMALL.env, start=str(folder))
    archive = filled(tell(recording, env), env, tmp_path / "archive")
    _, second = archive.homes().values()
    way = archive.chain(max(archive.nodes))
    assert len(way) > 1 and way[0] == second and archive.nodes[way[-1]].length <= 4


def test_a_clone_sees_the_scale_of_observations_that_it_was_taught_with(told):
    """Else the first rollout's means would rescale all that it sees."""
    policy = replace(SMALL.policy, normalize_observations=True)
    with closing(make_games(SMALL)) as games:
        model = make_model(replace(SMALL, policy=policy), games)
        seen, actions = samples([told], SMALL.env, SMALL.n_stack)
        for _ in range(2):  # who begins with known scales keeps them
            clone(model, seen, actions, 1, 0)
            moments = model.policy.normalizer.moments["state"]
            assert moments.count == len(actions)
            mean = torch.as_tensor(seen["state"].mean(axis=0))
            torch.testing.assert_close(moments.mean, mean, rtol=1e-4, atol=1e-5)
        assert model.clone.normalizer.moments["state"].count == len(actions)
        model.learn(32)
        assert model.policy.normalizer.moments["state"].count == len(actions) + 32


def test_a_way_without_an_action_of_ours_has_nothing_to_clone(told):
    unknown = replace(told, steps=[replace(step, action=None) for step in told.steps])
    with pytest.raises(RecordingError, match="is an action of --action-set story, so there"):
        samples([unknown], replace(SMALL.env, action_set="story"), 1)


@pytest.mark.slow
def test_a_run_with_a_clone_is_resumed_exactly(way, tmp_path, monkeypatch):
    kept, train = tmp_path / "kept", PPO.train

    def keep_half_way(learner):
        if learner.num_timesteps == 96:  # the checkpoint of step 64 is there
            shutil.copytree(session() / "checkpoints", kept)
        train(learner)

    def session():
        (folder,) = tmp_path.glob("*jade*")
        return folder

    def weights():
        return load_policy(session() / "checkpoints" / "ppo_160_steps.zip")[0].state_dict()

    monkeypatch.setattr(PPO, "train", keep_half_way)
    flags = "--n-envs 2 --n-workers 1 --n-steps 16 --batch-size 16 --save-freq 32 --record none "
    flags += "--explore 0 --practice 0 --advice 0 --total-timesteps 160 --clone 1 --network small"
    where = ["--sessions", str(tmp_path)]
    assert train_from_flags([*flags.split(), *where, "--teacher", str(way[0])]) == 0
    whole = weights()
    monkeypatch.undo()
    shutil.rmtree(session() / "checkpoints")
    shutil.move(kept, session() / "checkpoints")
    assert train_from_flags(["--resume", str(session()), *where]) == 0
    assert [name for name, part in weights().items() if not torch.equal(part, whole[name])] == []


def test_staying_close_to_the_clone_draws_no_random_numbers(told):
    with closing(make_games(SMALL)) as games:
        model = make_model(SMALL, games)
        clone(model, *samples([told], SMALL.env, SMALL.n_stack), 1, 0)
        model.clone_kl = 1.0
        model.learn(32)
        batch = next(model.rollout_buffer.in_order(16))
        kept = torch.get_rng_state()
        losses = [model.parts(batch, defaultdict(list), model.policy)[2] for _ in range(2)]
        assert torch.equal(torch.get_rng_state(), kept)
        assert float(losses[0]) == float(losses[1]) > 0


def test_teacher_takes_recordings_as_well_as_agents(way, tmp_path):
    folder = str(way[0])
    assert with_ways(["--teacher", folder, "b.recording", "--seed", "1"])[0] == "--ways"
    assert with_ways([f"--teacher={folder}"]) == ["--ways", folder]
    assert with_ways(["--teacher", "jade"]) == ["--teacher", "jade"]
    config = parse(["--teacher", folder, folder, "--clone", "2"])
    assert config.ways == (way[0], way[0]) and config.teacher is None
    assert config.env.observation != "screen", "no student of the screen"


def test_where_keys_do_not_fit_the_way_continues_from_the_next_state(way, tmp_path):
    _, recording, states = way
    pressed = bytearray(recording.pressed)
    middle = recording.n_steps // 2
    pressed[middle : middle + 200] = bytes(200)  # edited
    edited = replace(recording, pressed=bytes(pressed))
    files = []
    for step, state in states.items():
        files.append(tmp_path / f"{step:09}.ss1")
        files[-1].write_bytes(state)
    alone, with_states = tell(edited, SMALL.env), tell(edited, SMALL.env, files)
    assert len(alone.broken_at) == 1 and middle < alone.broken_at[0] <= middle + 200 + 768
    assert alone.steps[-1].frame < alone.broken_at[0]
    assert with_states.steps[-1].frame > alone.broken_at[0]
    assert "clock_set" in milestones_done(with_states.steps[-1].state)


def test_an_edited_way_names_the_step_where_it_differs(way, tmp_path, capsys):
    middle = way[1].n_steps // 2
    pressed = way[1].pressed[:middle] + bytes(200) + way[1].pressed[middle + 200 :]
    path = tmp_path / "edited.recording"
    path.write_bytes(replace(way[1], pressed=pressed).to_bytes())
    tell_ways([path], SMALL.env)
    (line,) = capsys.readouterr().err.splitlines()
    (step,) = map(int, re.findall(r"memory differs at step (\d+)", line))
    assert middle < step * 24 <= middle + 200 + 768 and str(path) in line


def test_somebody_who_never_left_the_first_room_teaches_only_its_tiles(tmp_path, capsys):
    (start,) = prepare_starts(None, NEW_GAME)
    with open_game() as gba:
        recording, _ = recorded(gba, start, ([RIGHT] * 12 + [0] * 12 + [LEFT] * 12 + [0] * 12) * 6)
    path = tmp_path / "room.recording"
    path.write_bytes(recording.to_bytes())
    (told,) = tell_ways([path], SMALL.env)
    assert len(told.steps) <= 3 and len({step.state.location for step in told.steps}) == 1
    assert "before any milestone" in capsys.readouterr().out


def changed(content, **values):
    """A recording with other values in its header."""
    members = read_members(content, LIMITS)
    members[HEADER] = json.dumps(json.loads(members[HEADER]) | values).encode()
    return zip_bytes(members)


@pytest.mark.parametrize(
    "kind", ["cut", "another ROM", "nothing pressed", "newer", "other keys", "bad start"]
)
def test_a_bad_recording_is_said_in_one_line_and_teaches_nothing(kind, way, tmp_path, capsys):
    content = way[1].to_bytes()
    if kind == "cut":
        content = content[: len(content) // 2]
    if kind == "another ROM":
        content = replace(way[1], game=way[1].game | {"sha1": "0" * 40}).to_bytes()
    if kind == "nothing pressed":
        with open_game() as gba:
            content = recorded(gba, way[1].start, [0] * 48)[0].to_bytes()
    if kind == "newer":
        content = changed(content, schema_version=2)
    if kind == "other keys":
        content = changed(content, actions=[["turbo", 1 << 10]])
    if kind == "bad start":
        content = replace(way[1], start=Start(b"no state", b"")).to_bytes()
    path = tmp_path / "bad.recording"
    path.write_bytes(content)
    with pytest.raises(RecordingError, match="no recording can be used"):
        tell_ways([path], SMALL.env)
    said = capsys.readouterr()
    assert (said.out + said.err).count("\n") == 1 and "bad.recording" in said.out + said.err
    good = tell_ways([path, way[0]], SMALL.env)
    assert len(good) == 1


def test_where_no_recording_can_be_used_no_session_is_left(in_worlds, tmp_path, capsys):
    (start,) = prepare_starts(None, NEW_GAME)
    with open_game() as gba:
        only_start, _ = recorded(gba, start, ([START] * 4 + [0] * 68) * 2)
    path = tmp_path / "first.recording"
    flags = "--n-envs 2 --n-workers 1 --n-steps 16 --batch-size 16 --network tile".split()
    flags += ["--sessions", str(tmp_path / "sessions"), "--teacher", str(path)]
    for recording, more, message in (
        (in_worlds["7"], ["--explore", "0.5"], "no recording can be used"),
        (only_start, ["--clone", "1"], "--action-set original, so there is nothing to clone"),
    ):
        path.write_bytes(recording.to_bytes())
        assert train_from_flags([*flags, *more]) == 1
        assert message in capsys.readouterr().err
    assert not (tmp_path / "sessions").exists()


@pytest.fixture(scope="module")
def in_worlds(tmp_path_factory):
    """Recordings of a few steps in worlds 0 and 7."""
    found = {}
    for world in ("0", "7"):
        choice = GameChoice(world=world)
        (start,) = prepare_starts(choice, NEW_GAME)
        with open_game(choice) as gba:
            keys = ([RIGHT] * 12 + [0] * 12 + [LEFT] * 12 + [0] * 12) * 2
            found[world], _ = recorded(gba, start, keys)
    return found


@pytest.mark.parametrize(
    ("world", "worlds"), [("7", "7..8"), ("7", "0..7"), ("0", "0..3"), ("0", "0..3:large")]
)
def test_where_a_run_plays_in_several_worlds_a_way_is_told_in_its_own(
    world, worlds, in_worlds, tmp_path
):
    path = tmp_path / "first.recording"
    path.write_bytes(in_worlds[world].to_bytes())
    (told,) = tell_ways([path], replace(BLIND, worlds=worlds))
    (alone,) = tell_ways([path], replace(BLIND, world=world))
    assert told.same == alone.same > 0
    assert [step.packed for step in told.steps] == [step.packed for step in alone.steps]


@pytest.mark.parametrize(
    ("world", "worlds"),
    [("7", "8..9"), ("0", "1..4"), ("7", "1..8:large"), ("7", "7..8:demanding")],
)
def test_a_way_of_none_of_a_runs_worlds_is_named(world, worlds, in_worlds, tmp_path, capsys):
    path = tmp_path / "first.recording"
    path.write_bytes(in_worlds[world].to_bytes())
    with pytest.raises(RecordingError, match="no recording can be used"):
        tell_ways([path], replace(BLIND, worlds=worlds))
    assert f"which is none of --worlds {worlds}" in capsys.readouterr().err


@pytest.mark.long
def test_a_run_learns_from_a_way_and_resumes(way, tmp_path, capsys):
    flags = ["--n-envs", "2", "--n-workers", "1", "--n-steps", "32", "--batch-size", "32"]
    flags += ["--sessions", str(tmp_path), "--save-freq", "64", "--explore", "0.1"]
    first = ["--teacher", str(way[0]), "--clone", "2", "--total-timesteps", "128"]
    assert train_from_flags([*first, *flags]) == 0
    said = capsys.readouterr().out
    assert "key presses told as steps" in said and "cloned" in said
    (session,) = tmp_path.glob("*jade*")
    assert (session / "clone.zip").is_file() and (session / "archive" / "index.json").is_file()
    again = ["--resume", str(session), "--total-timesteps", "256", "--sessions", str(tmp_path)]
    assert train_from_flags(again) == 0
    assert "told" not in capsys.readouterr().out
    assert not np.isnan(TrainConfig.load(session / "config.json").clone_kl)
