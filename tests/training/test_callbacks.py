"""What happens beside the learning: curves, pictures, threads, progress, stopping."""

import io
import os
import shutil
import signal
from contextlib import closing
from types import SimpleNamespace

import cv2
import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from helpers.checkpoints import describe
from rich.console import Console
from rich.text import Text
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Image, KVWriter, Logger
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.learner.ppo import PPO
from baselines.runs.session_folder import Session
from baselines.settings.train_config import PPOConfig, TrainConfig
from baselines.training.callbacks.checkpoints import CheckpointCallback
from baselines.training.callbacks.episodes import EpisodeCallback, episode_means
from baselines.training.callbacks.pictures import CAPTION, GAP, PictureCallback, contact_sheet
from baselines.training.callbacks.progress_bar import ProgressCallback, SpeedColumn
from baselines.training.callbacks.recordings import RecordingCallback
from baselines.training.callbacks.stop import StopCallback, StopRequest
from baselines.training.callbacks.threads import ThreadsCallback
from baselines.training.callbacks.timing import TimingCallback
from baselines.training.model import fit_to_machine, make_games, make_model
from emerald_env.wrappers.recorder import Recorded

LENGTH = 8


class CountingGame(gymnasium.Env):
    """Eight steps; each pays 1 for "tile", the last one 2 for "badge"; says what our envs say."""

    render_mode = "rgb_array"
    observation_space = spaces.Box(0, 255, (40, 40, 1), np.uint8)
    action_space = spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return np.zeros((40, 40, 1), np.uint8), {}

    def step(self, action):
        self.steps += 1
        last = self.steps == LENGTH
        terms = {"tile": 1.0, "badge": 2.0 * last}
        info = {"reward_terms": terms}
        if last:
            info |= {
                "episode": {"r": LENGTH + 2.0, "l": LENGTH, "t": 0.1},
                "episode_terms": {"tile": float(LENGTH), "badge": 2.0},
                "milestones": ["starter"],
                "rejections": {"moving": 3},
                "place_share": 0.25,
            }
        return np.zeros((40, 40, 1), np.uint8), sum(terms.values()), False, last, info

    def render(self):
        return np.full((160, 240, 3), 10 * self.steps, np.uint8)


class Remember(KVWriter):
    """A logger's output that keeps everything."""

    def __init__(self):
        self.written = []

    def write(self, key_values, key_excluded, step=0):
        self.written.append((step, dict(key_values)))

    def close(self):
        pass


@pytest.fixture
def session(tmp_path):
    return Session.create(tmp_path, "counting")


@pytest.fixture
def model():
    games = DummyVecEnv([CountingGame, CountingGame])
    small = {"features_extractor_kwargs": {"features_dim": 8}}
    return PPO("CnnPolicy", games, n_steps=16, batch_size=16, n_epochs=1, policy_kwargs=small)


def learn(model, callbacks, updates=2):
    output = Remember()
    model.set_logger(Logger(None, [output]))
    model.learn(updates * model.n_steps * model.n_envs, callbacks, reset_num_timesteps=False)
    return output.written


def test_the_terms_curves_add_up_to_the_episode_reward(model, session):
    for _, values in learn(model, EpisodeCallback(session)):
        terms = {name: value for name, value in values.items() if name.startswith("reward/")}
        assert terms == {"reward/tile": 8.0, "reward/badge": 2.0}
        assert sum(terms.values()) == values["rollout/ep_rew_mean"]
        assert values["milestones/starter"] == values["milestones/per_episode"] == 1.0
        assert values["rejections/moving"] == 3.0
        assert values["rollout/place_share"] == 0.25


def test_every_episode_is_written_down_once(model, session):
    learn(model, EpisodeCallback(session), updates=3)
    episodes = list(session.read_episodes())
    assert len(episodes) == 3 * 2 * 16 / LENGTH
    assert episodes[-1] == {
        "num_timesteps": 3 * 2 * 16,
        "game": 1,
        "reward": 10.0,
        "length": LENGTH,
        "truncated": True,
        "terms": {"tile": 8.0, "badge": 2.0},
        "milestones": ["starter"],
        "rejections": {"moving": 3},
        "place_share": 0.25,
        "soft_lock": None,
    }


def test_a_milestone_that_is_no_longer_reached_falls_to_zero_and_does_not_vanish():
    episode = {"terms": {"tile": 4.0}, "milestones": [], "rejections": {}, "place_share": None}
    means = episode_means([episode, episode], names={"milestones/starter"})
    assert means == {"reward/tile": 4.0, "milestones/starter": 0.0, "milestones/per_episode": 0.0}
    assert episode_means([]) == {}


def test_pictures_of_each_game_and_a_sheet_are_there_after_the_first_rollout(model, session):
    written = learn(model, PictureCallback(session, seconds=1000.0), updates=3)
    names = sorted(path.name for path in session.frames.iterdir())
    assert names == ["contact_sheet.png", "game_00.png", "game_01.png"]
    assert cv2.imread(str(session.frames / "game_01.png")).shape == (160, 240, 3)
    shown = [isinstance(values.get("games/contact_sheet"), Image) for _, values in written]
    assert shown == [True, False, False]


def test_later_pictures_come_when_their_time_has_passed_also_within_an_episode(model, session):
    learn(model, [PictureCallback(session, seconds=1e-9), StopAfter(2 * (16 + 3))])
    assert cv2.imread(str(session.frames / "game_00.png"))[0, 0, 0] == 10 * 3


def test_a_folder_that_is_removed_while_a_run_writes_into_it_is_made_again(model, session):
    recordings = RecordingCallback(session, None, {}, every=True, keep=9)

    class Remove(BaseCallback):
        def _on_rollout_start(self):
            for folder in (session.frames, session.recordings, session.checkpoints):
                shutil.rmtree(folder, ignore_errors=True)

        def _on_step(self):
            recordings._take(Recorded(b"an episode", (), float(self.num_timesteps)), 0)
            return True

    saving = CheckpointCallback(session, describe(model, num_timesteps=0), save_freq=32, keep=3)
    learn(model, [Remove(), PictureCallback(session, seconds=1e-9), saving], updates=3)
    assert len(list(session.frames.iterdir())) == 3
    assert session.recordings.joinpath("best.recording").read_bytes() == b"an episode"
    assert saving.finish() == session.latest_checkpoint() == session.checkpoint(96)


class StopAfter(BaseCallback):
    """Ends learning after so many steps."""

    def __init__(self, steps):
        super().__init__()
        self.steps = steps

    def _on_step(self):
        return self.num_timesteps < self.steps


@pytest.mark.parametrize(
    ("count", "rows", "columns"), [(1, 1, 1), (3, 2, 2), (16, 4, 4), (5, 2, 3)]
)
def test_a_sheet_has_every_picture_in_its_place(count, rows, columns):
    pictures = [np.full((160, 240, 3), 100 + index, np.uint8) for index in range(count)]
    sheet = contact_sheet(pictures, ["3 OldaleTown  7.5", *[""] * (count - 1)])
    height = 160 + CAPTION + GAP
    assert sheet.shape == (rows * height + GAP, columns * (240 + GAP) + GAP, 3)
    for index in range(count):
        row, column = divmod(index, columns)
        top, left = GAP + row * height, GAP + column * (240 + GAP)
        assert (sheet[top : top + 160, left : left + 240] == 100 + index).all()
        words = sheet[top + 160 : top + 160 + CAPTION, left : left + 240]
        assert (words.max() > 200) == (index == 0)


def test_torch_has_one_thread_while_games_run_and_all_while_it_learns(model):
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    seen = {"games": set(), "learning": set()}

    class Watch(BaseCallback):
        def _on_rollout_start(self):
            if self.num_timesteps:
                seen["learning"].add(model_threads.pop())

        def _on_step(self):
            seen["games"].add(torch.get_num_threads())
            return True

    model_threads = []
    train = model.train
    model.train = lambda: (model_threads.append(torch.get_num_threads()), train())
    learn(model, [ThreadsCallback(), Watch()], updates=3)
    assert seen == {"games": {1}, "learning": {3}}
    assert torch.get_num_threads() == 3
    torch.set_num_threads(before)


def test_speed_counts_games_and_learning(model):
    _, values = learn(model, TimingCallback(), updates=3)[-1]
    took = values["time/rollout_seconds"] + values["time/update_seconds"]
    assert values["time/steps_per_second"] == pytest.approx(32 / took, rel=1e-3)


@pytest.fixture
def sighup_is_taken():
    before = signal.getsignal(signal.SIGHUP)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it, which is obeyed
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_learning_at_the_next_step_and_a_second_one_at_once(
    model, number, sighup_is_taken
):
    handler = signal.getsignal(number)

    class Press(BaseCallback):
        def _on_step(self):
            os.kill(os.getpid(), number)
            return True

    with StopRequest() as stop:
        learn(model, [Press(), StopCallback(stop)], updates=50)
        assert model.num_timesteps == model.n_envs
        assert stop.received is number
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getsignal(number) is handler


def test_a_closed_terminal_that_sends_sighup_twice_asks_once(sighup_is_taken):
    with StopRequest() as stop:
        os.kill(os.getpid(), signal.SIGHUP)
        os.kill(os.getpid(), signal.SIGHUP)
        assert stop.received is signal.SIGHUP
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def progress_of(model, terminal):
    console = Console(file=io.StringIO(), force_terminal=terminal, width=100)
    progress = ProgressCallback(64, console)
    try:
        learn(model, progress)
    finally:
        progress.close()
    return console.file.getvalue()


def test_a_log_file_gets_plain_lines_of_progress(model):
    shown = progress_of(model, terminal=False)
    assert "100%  64/64 steps" in shown and "steps/s" in shown and "0:00:00 left" in shown
    assert "reward " in shown
    assert "\x1b" not in shown and shown.count("\n") == 1


def test_speed_and_time_left_count_what_was_explored_since_the_last_step(monkeypatch):
    clock = iter([0.0, 2.0])
    monkeypatch.setattr(
        "baselines.training.callbacks.progress_bar.perf_counter", lambda: next(clock)
    )
    console = Console(file=io.StringIO(), width=100)
    progress = ProgressCallback(4096, console)
    progress.model = SimpleNamespace(num_timesteps=0, ep_info_buffer=[])
    progress.on_training_start({}, {})
    progress.num_timesteps, progress.model.num_timesteps = 512, 4096
    progress.on_training_end()
    shown = console.file.getvalue()
    assert shown.startswith("100%  4,096/4,096 steps  2,048 steps/s  0:00:00 left")


@pytest.mark.parametrize("done", [7, 105_000, 9_999_999])
def test_the_bar_stays_one_line_of_80_columns(done, monkeypatch):
    monkeypatch.setattr(SpeedColumn, "render", lambda column, task: Text("123,456 steps/s"))
    console = Console(file=io.StringIO(), width=80)
    progress = ProgressCallback(10_000_000, console)
    task = progress._bar.add_task("reward -123.45", total=10_000_000, completed=0)
    progress._bar.update(task, completed=done)
    console.print(progress._bar.get_renderable())
    (line,) = console.file.getvalue().splitlines()
    assert f"{done:,}/10,000,000" in line and "123,456 steps/s" in line and "-123.45" in line


def test_a_terminal_gets_a_bar_with_speed_and_time_left_and_its_cursor_back(model, monkeypatch):
    monkeypatch.setattr("baselines.training.callbacks.progress_bar.BAR_SECONDS", 0.0)
    shown = progress_of(model, terminal=True)
    assert "64/64" in shown and "steps/s" in shown
    assert shown.rfind("\x1b[?25h") > shown.rfind("\x1b[?25l")  # shown again after it was hidden


def test_before_an_episode_has_ended_the_line_says_what_those_under_way_have_earned():
    config = fit_to_machine(
        TrainConfig(n_envs=2, n_workers=1, explore=0.0, ppo=PPOConfig(n_steps=32, batch_size=32))
    )
    console = Console(file=io.StringIO(), width=100)
    with closing(make_games(config)) as games:
        model = make_model(config, games)
        model.learn(64, ProgressCallback(64, console, games=True))
        rewards = [reward for reward, _ in games.env_method("under_way")]
    assert f"so far {sum(rewards) / 2:.2f}, " in console.file.getvalue()
