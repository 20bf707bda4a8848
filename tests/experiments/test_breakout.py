"""The benchmark on Breakout: the published preprocessing and settings, and a short run."""

import json
import runpy
import sys
from collections import deque
from pathlib import Path

import cv2
import gymnasium
import numpy as np
import pytest

pytest.importorskip("ale_py")

from stable_baselines3.common.atari_wrappers import AtariWrapper
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecFrameStack
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from baselines.diagnostics.logs.logged_curves import Curves, Point
from baselines.learner.ppo import PPO
from baselines.runs.session_folder import Session
from baselines.settings.train_config import TrainConfig
from baselines.training import resources
from experiments import plot_runs
from experiments.breakout import breakout, plot_breakout
from experiments.breakout.breakout import (
    GAME,
    BreakoutConfig,
    SaveCallback,
    last_scores,
    main,
    make_game,
    make_games,
    make_model,
    restore,
    scores_file,
)
from experiments.breakout.plot_breakout import table
from experiments.plot_runs import Curve


def test_a_game_is_grey_84_by_84_and_pays_0_or_1():
    game = make_game()
    observation, _ = game.reset(seed=0)
    assert observation.shape == (84, 84, 1) and observation.dtype == np.uint8
    rewards = set()
    for step in range(400):
        _, reward, terminated, _, _ = game.step(step % 4)
        rewards.add(float(reward))
        if terminated:
            game.reset()
    game.close()
    assert rewards == {0.0, 1.0}


def test_games_are_those_of_sb3s_wrapper_to_the_bit():
    ours = make_game()
    theirs = AtariWrapper(Monitor(gymnasium.make(GAME)))
    assert np.array_equal(ours.reset(seed=5)[0], theirs.reset(seed=5)[0])
    random, scores = np.random.default_rng(0), []
    while len(scores) < 2:
        action = random.integers(4)
        seen, *rest, info = ours.step(action)
        wanted, *others, theirs_info = theirs.step(action)
        assert rest == others
        if rest[1]:
            if "episode" in info:
                scores.append(info["episode"]["r"])
                assert scores[-1] == theirs_info["episode"]["r"]
            seen, wanted = ours.reset()[0], theirs.reset()[0]
        assert np.array_equal(seen, wanted)
    assert max(scores) > 0
    ours.close()
    theirs.close()


def test_a_lost_life_ends_an_episode_and_only_the_fifth_a_game():
    game = make_game()
    game.reset(seed=0)
    episodes, games = 0, 0
    while not games:
        _, _, terminated, _, info = game.step(0)
        if terminated:
            episodes += 1
            games += "episode" in info
            game.reset()
    game.close()
    assert episodes == 5


def test_the_settings_are_the_published_ones():
    games = VecFrameStack(DummyVecEnv([make_game] * 8), 4)
    model = make_model(BreakoutConfig(), games)
    assert model.observation_space.shape == (4, 84, 84)
    assert (model.n_steps, model.batch_size, model.n_epochs) == (128, 256, 4)
    assert model.n_steps * model.n_envs // model.batch_size == 4  # minibatches
    assert (model.gamma, model.gae_lambda, model.vf_coef) == (0.99, 0.95, 0.5)
    assert (model.ent_coef, model.max_grad_norm) == (0.01, 0.5)
    for schedule, start in ((model.lr_schedule, 2.5e-4), (model.clip_range, 0.1)):
        assert [schedule(1), schedule(0.5), schedule(0)] == pytest.approx([start, start / 2, 0])
    assert sum(parameter.numel() for parameter in model.policy.parameters()) == 1_686_693
    games.close()


def test_bfloat16_reaches_the_learner_and_is_refused_where_the_processor_has_none(
    tmp_path, monkeypatch, capsys
):
    games = VecFrameStack(DummyVecEnv([make_game] * 8), 4)
    assert make_model(BreakoutConfig(bf16=True), games).policy.bf16
    assert not make_model(BreakoutConfig(), games).policy.bf16
    games.close()
    monkeypatch.setattr(resources, "processor_has_bf16", lambda: False)
    assert main(["--bf16", "--device", "cpu", "--sessions", str(tmp_path)]) == 1
    assert "--bf16 needs a processor" in capsys.readouterr().err


@pytest.mark.slow
def test_workers_play_what_one_process_plays():
    config = BreakoutConfig(seed=3, n_workers=2)
    ours = make_games(config)
    theirs = DummyVecEnv([make_game] * 8)
    theirs.seed(3)
    theirs = VecFrameStack(theirs, 4)
    try:
        assert np.array_equal(ours.reset(), theirs.reset())
        random = np.random.default_rng(0)
        for _ in range(30):
            actions = random.integers(0, 4, 8)
            for mine, wanted in zip(ours.step(actions)[:3], theirs.step(actions)[:3], strict=True):
                assert np.array_equal(mine, wanted)
    finally:
        ours.close()
        theirs.close()


@pytest.mark.slow
def test_a_run_writes_curves_and_a_model_and_resumes(tmp_path, capfd, monkeypatch):
    quick = {"n_epochs": 1}  # a test above compares the published settings
    monkeypatch.setattr(breakout, "PPO", lambda *given, **named: PPO(*given, **named | quick))
    flags = f"--n-workers 1 --device cpu --sessions {tmp_path}".split()
    assert main([*flags, "--total-timesteps", "2048", "--save-freq", "1024"]) == 0
    (folder,) = tmp_path.iterdir()
    session = Session(folder)
    assert [path.stem for path in session.saved_checkpoints()] == [
        "ppo_1024_steps",
        "ppo_2048_steps",
    ]
    curves = EventAccumulator(str(folder)).Reload()
    names = curves.Tags()["scalars"]
    assert {"train/loss", "train/explained_variance", "time/steps_per_second"} <= set(names)
    ranges = [point.value for point in curves.Scalars("train/clip_range")]
    assert ranges == pytest.approx([0.05, 0])
    assert "mean score of the last" in capfd.readouterr().out
    assert main([*flags, "--resume", "last", "--total-timesteps", "3072"]) == 0
    assert list(tmp_path.iterdir()) == [folder]
    assert session.latest_checkpoint().stem == "ppo_3072_steps"
    curves = EventAccumulator(str(folder)).Reload()
    assert curves.Scalars("train/loss")[-1].step == 3072
    assert json.loads(session.config.read_text())["total_timesteps"] == 3072
    picture = tmp_path / "curve.png"
    assert plot_runs.main([str(folder), "--out", str(picture)]) == 0
    assert cv2.imread(str(picture)).std() > 5
    beside = tmp_path / "breakout.png"
    assert plot_breakout.main([str(folder), "--out", str(beside)]) == 0
    assert cv2.imread(str(beside)).std() > 5

    # ended by time: learning rate and clip range fall as if the run had gone on
    assert (
        main([*flags, "--resume", "last", "--minutes", "0.001", "--total-timesteps", "8192"]) == 0
    )
    assert 3072 < int(session.latest_checkpoint().stem.split("_")[1]) < 8192
    assert json.loads(session.config.read_text())["minutes"] == 0.001


def test_a_resumed_run_goes_on_with_the_mean_of_its_last_hundred_games(tmp_path):
    session = Session.create(tmp_path, "breakout")
    assert last_scores(session) == []  # one saved before scores were kept
    games = DummyVecEnv([make_game] * 8)
    model = make_model(BreakoutConfig(), games)
    model.ep_info_buffer = deque(
        [{"r": float(k), "l": 10 + k, "t": 0.5} for k in range(120)], maxlen=100
    )
    model.num_timesteps = 1024
    callback = SaveCallback(session, 1)
    callback.model = model
    callback.save()

    resumed = make_model(BreakoutConfig(), games)
    checkpoint = session.latest_checkpoint()
    restore(BreakoutConfig(), resumed, checkpoint, last_scores(session))
    resumed._setup_learn(2048, reset_num_timesteps=False)
    assert [game["r"] for game in resumed.ep_info_buffer] == list(range(20, 120))
    resumed.ep_info_buffer.append({"r": 120.0, "l": 130})
    assert [game["r"] for game in resumed.ep_info_buffer] == list(range(21, 121))
    games.close()


@pytest.mark.parametrize("text", ["{}", "[3]", '[{"r": 1}]', '[{"r": "1", "l": 2}]', "[{", "NaN"])
def test_scores_that_are_none_are_refused_by_name(tmp_path, text, capsys):
    session = Session.create(tmp_path, "breakout")
    session.config.write_text("{}")
    session.checkpoint(5).parent.mkdir(exist_ok=True)
    session.checkpoint(5).write_bytes(b"")
    scores_file(session).write_text(text)
    assert main(["--resume", "last", "--sessions", str(tmp_path)]) == 1
    assert "last_scores.json" in capsys.readouterr().err


def test_a_run_is_compared_with_the_published_one_as_far_as_it_has_come():
    longer = Curve((0, 100_000, 200_000), (0, 1, 2), (1.0, 3.0, 5.0))
    shorter = Curve((0, 110_000), (0, 1), (1.0, 3.2))
    assert list(table([longer, shorter])) == [
        "| steps | published | run 1 | run 2 |",
        "|---|---|---|---|",
        "| 50,000 | 2.1 | 2.0 | 2.0 |",
        "| 100,000 | 3.2 | 3.0 | 3.0 |",
        "| 150,000 | 6.0 | 4.0 |  |",
        "| 200,000 | 8.9 | 5.0 |  |",
    ]


def test_time_in_which_a_run_stood_still_does_not_count():
    steady = [100.0 + 6 * k for k in range(11)]
    assert plot_runs.active_minutes(steady) == pytest.approx([k / 10 for k in range(11)])
    resumed = [*steady, *(5000.0 + 6 * k for k in range(11))]  # an hour later
    assert plot_runs.active_minutes(resumed) == pytest.approx([k / 10 for k in range(22)])
    slow = [0.0, 50.0, 100.0, 155.0]  # that is how it always is
    assert plot_runs.active_minutes(slow) == pytest.approx([t / 60 for t in slow])


def test_a_score_that_comes_late_is_drawn_late():
    def points(times):
        return [Point(step=int(time), value=time, time=1000.0 + time) for time in times]

    run = Curves(Path("run"), {"train/loss": points(range(0, 3600, 6)), "score": points([1800])})
    assert plot_runs.curve(run, "score").minutes == pytest.approx([30.0])


def test_what_a_user_can_mend_is_said_in_one_line(tmp_path, capsys):
    assert main(["--resume", "last", "--sessions", str(tmp_path)]) == 1
    assert "train one first" in capsys.readouterr().err
    for plot in (plot_breakout, plot_runs):
        assert plot.main([str(tmp_path)]) == 1
        assert "no log in" in capsys.readouterr().err
        assert plot.main([str(tmp_path / "nowhere")]) == 1
        assert "nowhere does not exist" in capsys.readouterr().err
    session = Session.create(tmp_path, "jade")
    TrainConfig().save(session.config)
    session.checkpoint(5).write_bytes(b"")
    assert main(["--resume", "last", "--sessions", str(tmp_path)]) == 1
    assert "not a session of Breakout" in capsys.readouterr().err


def test_no_action_sticks_and_no_frame_is_skipped_by_the_game_itself():
    game = make_game()
    ale = game.unwrapped.ale
    assert ale.getFloat("repeat_action_probability") == 0
    assert ale.getInt("frame_skip") == 1 and game.unwrapped._frameskip == 1
    assert game.unwrapped.get_action_meanings() == ["NOOP", "FIRE", "RIGHT", "LEFT"]
    game.close()


def test_without_ale_py_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ale_py", None)
    monkeypatch.delitem(sys.modules, "experiments.breakout.breakout")
    script = Path(__file__).resolve().parents[2] / "experiments/breakout"
    with pytest.raises(SystemExit, match="pip install ale-py"):
        runpy.run_path(str(script), run_name="__main__")
