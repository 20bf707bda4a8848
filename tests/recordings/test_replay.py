"""Replaying recordings from the command line: the check, the tables, videos and clips."""

import json
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import closing
from dataclasses import replace as changed
from time import sleep

import gymnasium
import imageio_ffmpeg
import numpy as np
import pytest
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.commands.play import clip as clips
from baselines.commands.play import replay
from baselines.games.game import make_env
from baselines.runs.session_folder import Session
from baselines.settings.game_config import GameConfig
from baselines.training.callbacks import recordings
from baselines.training.callbacks.recordings import ClipMaker, RecordingCallback
from emerald_env.jade.cartridge import JADE_ROM
from emerald_env.recordings.recording import Recording, RecordingError
from emerald_env.recordings.replaying import open_recorded
from emerald_env.recordings.replaying import replay as replayed
from emerald_env.state import milestones_done
from emerald_env.wrappers.any_game import GameRecorder, replay_game
from emerald_env.wrappers.recorder import RECORDING, Recorded
from rewards import load_preset

SHORT = GameConfig(observation="screen", episode_length=512, patience=None)
REACHED = {"visited_littleroot", "entered_home", "sent_upstairs"}  # by the random keys of this seed


@pytest.fixture(scope="module")
def episode():
    """The info of an episode of random keys, and after how many steps each milestone was there."""
    dice = np.random.default_rng(0)
    steps = {}
    with closing(
        make_env(
            GameConfig(observation="screen", episode_length=512, patience=None),
            "rgb_array",
            "every",
        )
    ) as env:
        env.reset(seed=0)
        done = False
        for step in range(1, 513):
            *_, done, info = env.step(dice.integers(15))
            for slug in REACHED & set(milestones_done(env.unwrapped.state)):
                steps.setdefault(slug, step)
        assert done
    return info, steps


@pytest.fixture
def file(episode, tmp_path):
    path = tmp_path / "episode.recording"
    path.write_bytes(episode[0][RECORDING].file)
    return path


def test_a_replay_finds_the_milestones_and_the_reward_that_were_recorded(file, episode, capsys):
    info, steps = episode
    assert replay.main([str(file), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["milestones"] == steps and set(steps) == REACHED
    assert found["different_at"] is None and found["checked"] == 1 + 512 // 32
    assert {k: v for k, v in found["terms"].items() if v} == pytest.approx(
        {k: v for k, v in info["episode_terms"].items() if v}
    )
    assert found["total"] == pytest.approx(info["episode"]["r"], abs=1e-5)


def test_the_table_says_bit_equal_milestones_with_steps_and_terms(file, episode, capsys):
    assert replay.main([str(file)]) == 0
    shown = capsys.readouterr().out
    assert "bit-equal: all 17 hashes of 512 steps agree" in shown
    for slug, step in episode[1].items():
        assert slug in shown and str(step) in shown
    assert "milestone" in shown and "together" in shown and "note" not in shown


def test_a_session_means_its_best_recording_or_else_its_last(file, tmp_path, monkeypatch):
    folder = tmp_path / "sessions" / "2026-01-01_00-00-00_jade_0000" / "recordings"
    folder.mkdir(parents=True)
    (folder.parent / "config.json").write_text("{}")
    for name in ("first_starter.recording", "steps_5_game_1.recording"):
        shutil.copy(file, folder / name)
    monkeypatch.chdir(tmp_path)
    assert replay.best_recording("last").name == "steps_5_game_1.recording"
    shutil.copy(file, folder / "best.recording")
    for name in ("last", folder.parent.name, str(folder.parent), str(folder)):
        assert replay.best_recording(name).name == "best.recording"
    with pytest.raises(FileNotFoundError, match="no recordings at 'nowhere'"):
        replay.best_recording("nowhere")


def test_a_changed_recording_is_found_out_with_the_step(file, capsys):
    recording = Recording.load(file)
    pressed = bytearray(recording.pressed)
    pressed[100:110] = bytes([7, 7, 7, 7, 7, 4, 4, 4, 4, 4])  # of the table: down+a, up+a
    file.write_bytes(changed(recording, pressed=bytes(pressed)).to_bytes())
    assert replay.main([str(file)]) == 2
    shown = " ".join(capsys.readouterr().out.split())
    assert "memory agrees up to step 96 but not at step 128 of 512" in shown


def test_a_reward_whose_rules_have_changed_is_noted_and_one_that_is_unknown_too(file, capsys):
    recording = Recording.load(file)
    file.write_bytes(changed(recording, total=recording.total + 1).to_bytes())
    assert replay.main([str(file)]) == 0
    assert "the reward's rules have changed" in " ".join(capsys.readouterr().out.split())
    odd = dict(recording.reward) | {"weights": {"nonsense": 1.0}}
    file.write_bytes(changed(recording, reward=odd).to_bytes())
    assert replay.main([str(file)]) == 0
    shown = capsys.readouterr().out
    assert "bit-equal" in shown and "nonsense" in shown


def test_a_reward_of_the_users_own_is_not_asked_for_by_a_flag_that_replay_lacks(file, capsys):
    recording, own = Recording.load(file), {"name": "rw.py:pay", "weights": {"rw.py:pay": 1.0}}
    file.write_bytes(changed(recording, reward=own).to_bytes())
    assert replay.main([str(file)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "its reward has Python code, rw.py:pay, which no recording brings" in shown
    assert "bit-equal" in shown and "--reward" not in shown


def test_a_recording_of_any_game_is_sent_to_where_it_is_replayed(tmp_path, capsys):
    env = gymnasium.make("GBA-v0", rom=JADE_ROM, max_episode_steps=2)
    with closing(GameRecorder(env, tmp_path)) as recorder:
        recorder.reset(seed=0)
        recorder.step(1)
        recorder.step(1)
    path = tmp_path / "episode_0000.recording"
    assert all(same is not False for same in replay_game(path, JADE_ROM))
    for command in (replay.main, clips.main):
        assert command([str(path)]) == 1
        said = capsys.readouterr()
        assert "recorded by GameRecorder, which plays any game: replay it with" in said.err
        assert "DIFFERENT" not in said.out


def test_a_video_shows_every_second_frame_of_the_episode_at_any_scale(file, tmp_path):
    recording = Recording.load(file)
    short = changed(recording, pressed=recording.pressed[:20], hashes=recording.hashes[:2])
    file.write_bytes(short.to_bytes())
    video = tmp_path / "episode.mp4"
    # its last hash is of step 32, so it differs there, after all has been shown
    assert replay.main([str(file), "--video", str(video), "--scale", "1"]) == 2
    assert imageio_ffmpeg.count_frames_and_secs(str(video))[0] == 20 * 24 // 2
    assert next(imageio_ffmpeg.read_frames(str(video)))["size"] == (240, 160)


def test_where_nothing_was_played_no_video_is_said_to_be_there(file, tmp_path, capsys):
    recording = Recording.load(file)
    first, *others = recording.hashes
    for name, values in {
        "empty": {"pressed": b"", "hashes": (first,), "total": 0.0, "milestones": ()},
        "other": {"hashes": (first ^ 1, *others)},
    }.items():
        path = tmp_path / f"{name}.recording"
        path.write_bytes(changed(recording, **values).to_bytes())
        video = tmp_path / f"{name}.mp4"
        replay.main([str(path), "--video", str(video)])
        assert "no frame was played: no video" in capsys.readouterr().out and not video.exists()
    assert clips.main([str(tmp_path / "empty.recording"), "--folder", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "no milestone was reached: no clip\n"


@pytest.mark.parametrize("script", [replay, clips])
def test_files_that_cannot_be_used_are_answered_in_a_line(script, tmp_path, file, capsys):
    (tmp_path / "bad.recording").write_bytes(file.read_bytes()[:-30])
    other = changed(Recording.load(file), game={"name": "X", "code": "XXXX", "sha1": "0" * 40})
    (tmp_path / "other.recording").write_bytes(other.to_bytes())
    for name, message in (("none", "no recording at"), ("bad", "end record"), ("other", "--rom")):
        assert script.main([str(tmp_path / f"{name}.recording")]) == 1
        error = capsys.readouterr().err
        assert message in error and error.count("\n") == 1
    assert script.main([str(file), "--rom", "no.gba"]) == 1
    assert "no ROM at no.gba" in capsys.readouterr().err


def test_a_clip_is_the_seconds_around_the_milestone(file, episode, tmp_path, capsys):
    flags = ["--folder", str(tmp_path), "--milestones", "sent_upstairs"]
    assert clips.main([str(file), *flags, "--before", "2", "--after", "0.8", "--scale", "1"]) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "sent_upstairs.mp4")
    frames, _ = imageio_ffmpeg.count_frames_and_secs(str(tmp_path / "sent_upstairs.mp4"))
    assert frames == (5 + 2) * 24 // 2
    assert clips.main([str(file), "--milestones", "champion"]) == 1
    assert "did not reach champion" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == [file.name, "sent_upstairs.mp4"]


@pytest.mark.parametrize("after, steps", [("0", 1), ("0.1", 1), ("0.8", 1 + 2)])
def test_the_shortest_clip_is_the_step_of_the_milestone(file, after, steps, tmp_path, capsys):
    short = ["--folder", str(tmp_path), "--milestones", "sent_upstairs", "--before", "0.1"]
    assert clips.main([str(file), *short, "--after", after, "--scale", "1"]) == 0
    film = capsys.readouterr().out.strip()
    assert imageio_ffmpeg.count_frames_and_secs(film)[0] == steps * 24 // 2


def run_to_its_end(code):
    """Runs a program; returns its exit status and what it printed."""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return ended.returncode, ended.stdout, ended.stderr


def test_a_program_that_hangs_outside_of_python_is_ended_with_a_message():
    code = (
        "import time\nfrom emerald_env.starts import watchdog\n"
        "watchdog.MAX_SILENCE_SECONDS = 5.0\n"
        "with watchdog.Watchdog('it hangs') as dog:\n"
        "    for _ in dog.follow(range(3)): pass\n"
        "print('well', flush=True)\n"
        "watchdog.MAX_SILENCE_SECONDS = 0.2\n"
        "with watchdog.Watchdog('it hangs'): time.sleep(100)\n"
    )
    assert run_to_its_end(code) == (1, "well\n", "it hangs\n")


def test_a_program_that_leaves_the_watch_just_as_a_sign_of_life_is_seen_goes_on():
    code = (
        "import threading\nfrom emerald_env.starts import watchdog\n"
        "watchdog.MAX_SILENCE_SECONDS = 0.5\n"
        "dog, leaves = watchdog.Watchdog('it hangs'), threading.Event()\n"
        "class Heard(threading.Event):\n"
        "    def clear(self):\n"
        "        leaves.set()\n"
        "        while not dog._done or not self.is_set(): pass\n"
        "        super().clear()\n"
        "dog._heard = Heard()\n"
        "with dog:\n"
        "    dog.hear()\n"
        "    leaves.wait()\n"
        "print('well')\n"
    )
    assert run_to_its_end(code) == (0, "well\n", "")


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="this system stops no program")
def test_a_program_that_was_stopped_for_long_does_not_hang():
    code = (
        "import time\nfrom emerald_env.starts import watchdog\n"
        "watchdog.MAX_SILENCE_SECONDS, watchdog.SLICE_SECONDS = 2.0, 0.1\n"
        "with watchdog.Watchdog('it hangs') as dog:\n"
        "    dog.hear()\n"
        "    print('begun', flush=True)\n"
        "    time.sleep(0.3)\n"  # in which it is stopped
        "print('well')\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as program:
        assert program.stdout.readline() == b"begun\n"
        program.send_signal(signal.SIGSTOP)
        sleep(3)
        program.send_signal(signal.SIGCONT)
        assert (program.communicate(timeout=60)[0], program.returncode) == (b"well\n", 0)


def callback(session, **settings):
    usual = {"reward": load_preset().as_dict(), "every": False, "keep": 2}
    made = RecordingCallback(session, None, **usual | settings)
    made.num_timesteps = 0
    return made


def end_episode(made, recorded, steps, game=0):
    made.num_timesteps = steps
    made.locals = {"dones": np.arange(2) == game, "infos": [{}, {}]}
    made.locals["infos"][game] = {RECORDING: recorded} if recorded else {}
    assert made._on_step()


def names(session):
    return sorted(path.name for path in session.recordings.glob("*"))


@pytest.fixture
def session(tmp_path):
    return Session.create(tmp_path, "jade")


@pytest.fixture
def no_clips(monkeypatch):
    """Leaves out what another test covers."""
    monkeypatch.setattr(ClipMaker, "start_next", lambda self: None)


def test_the_first_to_reach_a_milestone_and_the_best_are_kept(session, no_clips):
    made = callback(session)
    end_episode(made, Recorded(b"a", ("starter",), 1.0), 10)
    end_episode(made, Recorded(b"b", ("starter",), 0.5), 20)
    end_episode(made, None, 30)
    end_episode(made, Recorded(b"c", ("starter", "first_badge", "second"), 0.7), 40, game=1)
    assert names(session) == ["best.recording", "first_second.recording", "first_starter.recording"]
    assert (session.recordings / "best.recording").read_bytes() == b"a"
    assert (session.recordings / "first_second.recording").read_bytes() == b"c"
    end_episode(made, Recorded(b"d", ("first_badge",), 2.0), 50)
    assert (session.recordings / "best.recording").read_bytes() == b"d"
    assert len(names(session)) == 3


def test_a_resumed_run_knows_what_it_had_reached(session, no_clips):
    session.append_episodes([{"num_timesteps": 5, "milestones": ["starter"], "reward": 3.0}])
    made = callback(session)
    end_episode(made, Recorded(b"a", ("starter",), 2.0), 10)
    assert names(session) == ["best.recording"], "and nothing was recorded before"


def kept(session, file, name, **changes):
    """Puts a recording of 40.0 and two milestones, of an episode of practice, into a session."""
    session.recordings.mkdir(exist_ok=True)
    values = {"total": 40.0, "milestones": ("starter", "badge_stone")} | changes
    (session.recordings / name).write_bytes(changed(Recording.load(file), **values).to_bytes())


def test_a_resumed_run_keeps_recordings_of_episodes_that_are_in_no_list(session, file, no_clips):
    for name in ("best.recording", "first_badge_stone.recording"):
        kept(session, file, name)
    before = [path.read_bytes() for path in sorted(session.recordings.iterdir())]
    made = callback(session)
    end_episode(made, Recorded(b"worse", ("starter", "badge_stone"), 6.0), 10)
    assert names(session) == ["best.recording", "first_badge_stone.recording"]
    assert [path.read_bytes() for path in sorted(session.recordings.iterdir())] == before
    end_episode(made, Recorded(b"better", (), 41.0), 20)
    assert (session.recordings / "best.recording").read_bytes() == b"better"


def test_what_was_paid_by_another_reward_is_not_compared(session, file, no_clips):
    kept(session, file, "best.recording")
    made = callback(session, reward=load_preset("default", {"milestone": 0.1}).as_dict())
    end_episode(made, Recorded(b"of the new reward", (), 1.0), 10)
    assert (session.recordings / "best.recording").read_bytes() == b"of the new reward"


def test_a_damaged_recording_in_a_session_is_replaced(session, no_clips):
    session.recordings.mkdir()
    (session.recordings / "best.recording").write_bytes(b"PK damaged")
    end_episode(callback(session), Recorded(b"whole", (), 1.0), 10)
    assert (session.recordings / "best.recording").read_bytes() == b"whole"


def test_of_every_episode_the_latest_are_kept(session, no_clips):
    made = callback(session, every=True)
    for steps in (900, 1000, 1100):
        end_episode(made, Recorded(b"x", (), -float(steps)), steps)
    assert names(session) == [
        "best.recording",
        "steps_1000_game_00.recording",
        "steps_1100_game_00.recording",
    ]


def test_a_disk_that_is_full_does_not_end_the_run(session, monkeypatch, no_clips, capsys):
    def full(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("baselines.training.callbacks.recordings.write_atomically", full)
    end_episode(callback(session), Recorded(b"a", ("starter",), 1.0), 10)
    assert "not recorded: [Errno 28] No space left" in capsys.readouterr().err


@pytest.fixture
def usual_priority(monkeypatch):
    """On a busy machine a process of the lowest priority would make a test last forever."""
    start = ClipMaker._start

    def start_at_usual_priority(maker, command):
        start(maker, [word for word in command if word != "--background"])

    monkeypatch.setattr(ClipMaker, "_start", start_at_usual_priority)
    monkeypatch.setattr(recordings, "PATIENCE", float("inf"))


@pytest.mark.slow
def test_the_clips_of_a_run_are_made_beside_it(session, episode, usual_priority):
    made = callback(session)
    end_episode(made, episode[0][RECORDING], 512)
    made.close()
    assert {path.stem for path in session.clips.glob("*")} == REACHED


@pytest.mark.slow
def test_a_clip_for_which_no_time_is_left_leaves_no_half_and_is_made_later(
    session, file, monkeypatch, capsys, usual_priority
):
    maker = ClipMaker(session.clips, None)
    maker.add(file, sorted(REACHED))
    maker.start_next()
    while not list(session.clips.glob(".*.part.mp4")):
        sleep(0.01)
    monkeypatch.setattr(recordings, "PATIENCE", 0.0)
    maker.close()
    assert not list(session.clips.iterdir())
    _, said = capsys.readouterr().err.split("make it with   emerald clip ")
    assert clips.main(shlex.split(said)) == 0
    assert {path.stem for path in session.clips.glob("*.mp4")} == REACHED


def test_a_clip_that_cannot_be_made_is_said_and_harms_nothing(
    session, tmp_path, capsys, usual_priority
):
    maker = ClipMaker(session.clips, None)
    maker.add(tmp_path / "none.recording", ["starter"])
    maker.close()
    assert "a clip was not made: error: no recording at" in capsys.readouterr().err


def test_clips_that_find_no_place_to_go_do_not_end_the_run(session, capsys):
    session.clips.write_bytes(b"where the folder should be")
    made = callback(session)
    end_episode(made, Recorded(b"a", ("starter",), 1.0), 10)
    end_episode(made, Recorded(b"b", ("first_badge",), 2.0), 20)
    made.close()
    assert capsys.readouterr().err.count("note: a clip was not made: [Errno 17]") == 2
    assert len(names(session)) == 3


def test_recording_changes_nothing_that_a_policy_sees():
    dice = np.random.default_rng(2)
    plain, recorded = (
        DummyVecEnv(
            [lambda r=r: make_env(GameConfig(observation="screen", episode_length=20), None, r)]
        )
        for r in ("none", "every")
    )
    for games in (plain, recorded):
        games.seed(4)
    assert (plain.reset() == recorded.reset()).all()
    for _ in range(50):
        action = dice.integers(15, size=1)
        seen, rewards, dones, _ = plain.step(action)
        others = recorded.step(action)
        assert (seen == others[0]).all() and rewards == others[1] and dones == others[2]
    plain.close()
    recorded.close()


def test_a_recording_of_another_world_of_jade_is_replayed_without_naming_the_world(tmp_path):
    config = changed(SHORT, episode_length=40, world="7:demanding")
    with closing(make_env(config, "rgb_array", "every")) as env:
        env.reset(seed=0)
        done = False
        while not done:
            *_, done, info = env.step(1)
    recording = Recording.from_bytes(info[RECORDING].file)
    with open_recorded(recording) as gba:
        assert all(step.same is not False for step in replayed(recording, gba))
    for name in ("Jade, world 8", "Jade, world ../8", "Jade"):
        with pytest.raises(RecordingError, match="it was recorded on Jade"):
            open_recorded(changed(recording, game=recording.game | {"name": name}))
