"""The callback that diagnoses a run while it trains, on real runs of PPO."""

import io
import json
import math
from dataclasses import replace

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from rich.console import Console
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.diagnostics import Finding, Severity
from baselines.diagnostics.finding import CollapseError
from baselines.diagnostics.logs import read_runs
from baselines.learner.schedules import LinearSchedule
from baselines.training.callbacks.health.diagnose_callback import (
    DiagnoseCallback,
    fitted,
    words,
)
from baselines.training.callbacks.health.health_metrics import (
    GradientNorm,
    still_share,
    top_action_share,
)


@pytest.fixture(autouse=True)
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


class Buttons(gymnasium.Env):
    """Button 0 pays; after `broken_after` steps of this env the reward is NaN."""

    def __init__(self, broken_after=math.inf):
        self.observation_space = spaces.Box(-1, 1, (3,), np.float32)
        self.action_space = spaces.Discrete(3)
        self.broken_after = broken_after
        self.steps = 0
        self.pays = 1.0

    def pay(self, reward):
        self.pays = reward

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 8
        return self.observe(), {}

    def step(self, action):
        self.steps += 1
        self.left -= 1
        reward = self.pays * float(action == 0) if self.steps <= self.broken_after else math.nan
        return self.observe(), reward, self.left == 0, False, {}

    def observe(self):
        return self.np_random.uniform(-1, 1, 3).astype(np.float32)


def model(learning_rate=1e-2, broken_after=math.inf, logger=None, **settings):
    from stable_baselines3.common.monitor import Monitor

    games = DummyVecEnv([lambda: Monitor(Buttons(broken_after))] * 2)
    made = PPO(
        "MlpPolicy",
        games,
        learning_rate=learning_rate,
        n_steps=32,
        batch_size=32,
        n_epochs=2,
        seed=1,
        device="cpu",
        policy_kwargs={"net_arch": [16]},
        **settings,
    )
    made.set_logger(logger or Logger(None, []))
    return made


def callback(path=None, **settings):
    out = io.StringIO()
    made = DiagnoseCallback(path, console=Console(file=out, width=100), **settings)
    return made, out


UPDATE = 64  # env steps


def test_a_healthy_run_is_written_down_update_by_update(tmp_path):
    watch, out = callback(tmp_path / "diagnostics.jsonl")
    logger = Logger(str(tmp_path), [TensorBoardOutputFormat(str(tmp_path))])
    model(logger=logger).learn(12 * UPDATE, watch)
    logger.close()
    lines = [json.loads(line) for line in (tmp_path / "diagnostics.jsonl").open()]
    assert [line["num_timesteps"] for line in lines] == [UPDATE * n for n in range(1, 13)]
    wanted = {
        "train/approx_kl",
        "train/entropy_loss",
        "rollout/ep_rew_mean",
        "diagnostics/entropy_share",
        "diagnostics/gradient_norm",
        "diagnostics/top_action_share",
        "diagnostics/still_share",
        "diagnostics/not_finite",
    }
    assert wanted <= lines[0]["metrics"].keys()
    curves = read_runs([tmp_path])[0].points
    assert {name for name in wanted if "diagnostics" in name} <= curves.keys()
    assert curves["diagnostics/status"][-1].value == 0
    assert "diagnostics: " in out.getvalue()
    assert out.getvalue().count("\n") == 1


def test_the_numbers_belong_to_the_update_that_they_are_written_with(tmp_path):
    seen = []

    class Spy(PPO):
        def train(self):
            super().train()
            seen.append(self.logger.name_to_value["train/approx_kl"])

    watch, _ = callback(tmp_path / "lines.jsonl")
    learner = model()
    learner.__class__ = Spy
    learner.learn(4 * UPDATE, watch)
    lines = [json.loads(line) for line in (tmp_path / "lines.jsonl").open()]
    assert [line["metrics"]["train/approx_kl"] for line in lines] == pytest.approx(seen)


def test_a_collapse_is_said_while_it_happens_and_only_once(tmp_path):
    watch, out = callback(tmp_path / "lines.jsonl")
    logger = Logger(str(tmp_path), [TensorBoardOutputFormat(str(tmp_path))])
    model(learning_rate=3.0, logger=logger).learn(20 * UPDATE, watch)
    logger.close()
    assert watch.diagnosis.status >= Severity.WARNING
    assert out.getvalue().count("warning: kl_blow_up, ") >= 1
    assert "set learning_rate: 3 -> 0.0003" in out.getvalue()
    assert "diagnostics: too little" not in out.getvalue()
    kinds = ("warning: ", "critical: ", "now ", "over: ", "diagnostics: ", "note: ")
    assert all(line.startswith(kinds) for line in out.getvalue().splitlines()), "a line each"
    told = [f for line in (tmp_path / "lines.jsonl").open() for f in json.loads(line)["findings"]]
    assert {"kl_blow_up"} <= {finding["code"] for finding in told}
    curve = read_runs([tmp_path])[0].points["diagnostics/finding/kl_blow_up"]
    assert (
        max(p.value for p in curve) >= 2
    )  # 1 note, 2 warning, 3 critical; 0 while it does not hold


def test_what_gets_worse_is_said_in_one_line_and_not_explained_again():
    finding = Finding(
        "one_action", Severity.WARNING, 100, 200, None, "85% are the same", "Hm.", ("do",)
    )
    assert words(finding, 200).splitlines() == [
        "warning: one_action, 85% are the same; do",
        "  Hm.",
        "  - do",
    ]
    worse = replace(finding, severity=Severity.CRITICAL, evidence="99% are the same")
    assert words(worse, 300) == "now critical: one_action, 99% are the same"
    assert words(replace(worse, until=400), 400) == "over: one_action, from step 100 to 400"


def test_a_finding_fits_a_line_of_a_terminal():
    line = "warning: kl_blow_up, approx_kl 14.5 in one update; set learning_rate: 3 -> 0.0003"
    assert fitted(f"{line} (updates replace the policy)", len(line)) == line
    assert fitted(line, 80) == f"{line[:79]}…"
    assert fitted("over: one_action, from step 1 to 2", 80) == "over: one_action, from step 1 to 2"


def test_stop_ends_the_run(tmp_path):
    watch, out = callback(on_collapse="stop")
    learner = model(learning_rate=3.0)
    learner.learn(40 * UPDATE, watch)
    assert learner.num_timesteps < 10 * UPDATE
    assert "ending the run: kl_blow_up" in out.getvalue()
    with pytest.raises(CollapseError, match="the run was ended: kl_blow_up, approx_kl"):
        watch.check_end()


def test_lower_lr_follows_the_size_of_the_updates_and_waits_before_the_next_time():
    watch, _ = callback(on_collapse="lower_lr")
    learner = model(learning_rate=3.0)
    learner.learn(8 * UPDATE, watch)
    # an approx_kl far above 1: a tenth, not only half
    assert learner.lr_schedule(1.0) == pytest.approx(0.3)


def test_what_stays_critical_is_acted_on_again_until_the_run_is_ended():
    watch, out = callback(on_collapse="lower_lr")
    learner = model(learning_rate=3.0)
    learner.env.env_method("pay", 0.0)  # nothing to learn from, so nothing helps
    learner.learn(80 * UPDATE, watch)
    assert out.getvalue().count("lowered the learning rate") == 3
    assert learner.num_timesteps < 60 * UPDATE
    with pytest.raises(CollapseError, match="the run was ended"):
        watch.check_end()


@pytest.mark.parametrize(
    ("now", "record", "rate", "said"),
    [
        (3.0, {"learning_rate": 3.0}, 1.5, "lower the learning rate to 0.5 of it"),
        (3.0, {}, 1.5, "lower the learning rate to 0.5 of it"),  # of older versions
        (1e-3, {"learning_rate": 3.0}, 1e-3, "lowered another learning rate"),
        (
            LinearSchedule(3.0, 0.0),
            {"learning_rate": 3.0},
            1.5,
            "lower the learning rate to 0.5 of it",
        ),
    ],
)
def test_a_resume_lowers_the_learning_rate_again_unless_another_is_set(
    now, record, rate, said, tmp_path
):
    lowered = {"num_timesteps": UPDATE, "action": "lower_lr", "to": 1.5, "factor": 0.5} | record
    (tmp_path / "lines.jsonl").write_text(f"{json.dumps(lowered)}\n")
    learner = model(learning_rate=now)
    learner.num_timesteps = UPDATE
    watch, out = callback(tmp_path / "lines.jsonl", on_collapse="lower_lr")
    watch.init_callback(learner)
    watch.on_training_start({}, {})
    assert learner.lr_schedule(1.0) == pytest.approx(rate)
    assert said in out.getvalue() and out.getvalue().count("\n") == 1


def test_a_rescue_writes_down_which_learning_rate_it_lowered(tmp_path):
    watch, _ = callback(tmp_path / "lines.jsonl", on_collapse="lower_lr")
    model(learning_rate=3.0).learn(8 * UPDATE, watch)
    lines = [json.loads(line) for line in (tmp_path / "lines.jsonl").open()]
    assert [line["learning_rate"] for line in lines if "action" in line] == [3.0]


class PayMore(BaseCallback):
    """Button 0 pays more after each update."""

    def _on_step(self):
        return True

    def _on_rollout_start(self):
        self.training_env.env_method("pay", 1.0 + self.num_timesteps / UPDATE)


def test_a_run_that_gets_better_is_not_rescued_again_also_when_it_is_resumed(tmp_path, monkeypatch):
    monkeypatch.setattr(DiagnoseCallback, "_does_harm", lambda self, finding: True)
    watch, out = callback(tmp_path / "lines.jsonl", on_collapse="lower_lr")
    learner = model(learning_rate=0.1)
    learner.learn(45 * UPDATE, [watch, PayMore()])
    assert out.getvalue().count("lowered the learning rate") == 1
    resumed, out = callback(tmp_path / "lines.jsonl", on_collapse="lower_lr")
    learner.learn(30 * UPDATE, [resumed, PayMore()], reset_num_timesteps=False)
    assert out.getvalue().count("lowered the learning rate") == 0
    learner.env.env_method("pay", 0.0)  # worse than at the first rescue
    learner.learn(30 * UPDATE, resumed, reset_num_timesteps=False)
    assert out.getvalue().count("lowered the learning rate") == 1


def test_rollback_goes_to_before_the_trouble_and_halves_the_learning_rate(tmp_path):
    learner = model(learning_rate=lambda left: 5.0 if left < 0.5 else 1e-2)
    saved = {}
    asked = []

    def go_back(before):
        asked.append(before)
        learner.policy.load_state_dict(saved[max(step for step in saved if step < before)])

    class Keep(DiagnoseCallback):
        def _on_rollout_start(self):
            super()._on_rollout_start()
            weights = learner.policy.state_dict().items()
            saved[learner.num_timesteps] = {name: value.clone() for name, value in weights}

    out = io.StringIO()
    watch = Keep(
        tmp_path / "lines.jsonl", "rollback", go_back, Console(file=out, width=100, no_color=True)
    )
    learner.learn(30 * UPDATE, watch)
    assert asked and all(before > 10 * UPDATE for before in asked)
    assert learner.lr_schedule(0.0) <= 2.5
    actions = [json.loads(line).get("action") for line in (tmp_path / "lines.jsonl").open()]
    assert actions.count("rollback") == len(asked) <= 3
    assert f"went back to before step {asked[0]:,}" in out.getvalue()


def test_rollback_without_a_checkpoint_says_so_and_goes_on_with_a_lower_rate():
    def go_back(before):
        raise FileNotFoundError("nothing is saved yet")

    watch, out = callback(on_collapse="rollback", rollback=go_back)
    learner = model(learning_rate=3.0)
    learner.learn(8 * UPDATE, watch)
    assert "cannot go back: nothing is saved yet" in out.getvalue()
    assert learner.lr_schedule(1.0) < 1.5
    with pytest.raises(CollapseError, match="was not saved in time"):
        watch.check_end()


@pytest.mark.parametrize(("kl", "kept"), [(0.01, [30 * UPDATE]), (5.0, [])])
def test_a_resume_keeps_a_copy_of_the_policy_only_if_nothing_was_wrong(kl, kept, tmp_path):
    lines = [
        {"num_timesteps": n * UPDATE, "metrics": {"train/approx_kl": kl if n > 20 else 0.01}}
        for n in range(1, 31)
    ]
    (tmp_path / "lines.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    learner, copies = model(), []
    learner.num_timesteps = 30 * UPDATE
    watch, _ = callback(
        tmp_path / "lines.jsonl",
        on_collapse="rollback",
        rollback=lambda before: None,
        keep=lambda: copies.append(learner.num_timesteps),
    )
    watch.init_callback(learner)
    watch.on_training_start({}, {})
    assert copies == kept


def test_rollback_needs_to_know_how():
    with pytest.raises(ValueError, match="needs the function"):
        DiagnoseCallback(on_collapse="rollback")


def test_nan_rewards_end_the_run_before_anything_is_learnt_from_them():
    watch, out = callback(on_collapse="stop")
    learner = model(broken_after=32 * 6)
    with pytest.raises(CollapseError, match="NaN or infinite"):
        learner.learn(40 * UPDATE, watch)
    assert learner.num_timesteps == 7 * UPDATE
    assert all(torch.isfinite(value).all() for value in learner.policy.parameters())
    assert "critical: not_a_number" in out.getvalue()


def test_nan_weights_are_restored_before_they_act():
    learner = model()
    healthy = {name: value.clone() for name, value in learner.policy.state_dict().items()}

    class Broken(DiagnoseCallback):
        def _on_rollout_start(self):
            if learner.num_timesteps == 12 * UPDATE and not self._rescues:
                learner.logger.record("train/loss", math.nan)
                for value in learner.policy.parameters():
                    value.data.fill_(math.nan)
            super()._on_rollout_start()

    watch = Broken(
        on_collapse="rollback",
        rollback=lambda before: learner.policy.load_state_dict(healthy) and None,
        console=Console(file=io.StringIO()),
    )
    learner.learn(15 * UPDATE, watch)
    assert all(torch.isfinite(value).all() for value in learner.policy.parameters())


def test_the_gradient_norm_is_that_of_the_first_gradient_step_before_clipping():
    learner = model(max_grad_norm=1e-3, normalize_advantage=False)
    norms = []

    class Spy(DiagnoseCallback):
        def _finish_update(self):
            if self._row:
                norms.append(self._health._gradient.read())
            super()._finish_update()

    expected = []
    clip = torch.nn.utils.clip_grad_norm_

    def note(parameters, limit):
        norm = clip(parameters, limit)
        expected.append(float(norm))
        return norm

    torch.nn.utils.clip_grad_norm_ = note
    try:
        learner.learn(3 * UPDATE, Spy(console=Console(file=io.StringIO())))
    finally:
        torch.nn.utils.clip_grad_norm_ = clip
    per_update = len(expected) // 3
    assert norms == pytest.approx(expected[::per_update], rel=1e-5)
    assert not any(p._post_accumulate_grad_hooks for p in learner.policy.parameters())


def test_no_gradient_no_norm():
    gradient = GradientNorm()
    gradient.watch(torch.nn.Linear(2, 2))
    assert gradient.read() is None


def test_the_commonest_action():
    actions = np.array([[0, 1], [1, 1], [2, 1]], np.float32)[..., None]
    assert top_action_share(actions, spaces.Discrete(3)) == pytest.approx(4 / 6)
    assert top_action_share(actions, spaces.Box(-1, 1, (1,))) is None
    assert top_action_share(actions - 1, spaces.Discrete(3, start=-1)) == pytest.approx(4 / 6)


class Rollout:
    def __init__(self, observations, episode_starts):
        self.observations, self.episode_starts = observations, episode_starts


def test_standing_still_is_an_observation_that_stays():
    pictures = np.zeros((5, 1, 8, 8, 1), np.uint8)
    pictures[2:] = 9
    starts = np.zeros((5, 1))
    assert still_share(Rollout(pictures, starts)) == 3 / 4
    starts[4] = 1  # an episode begins there: what it shows at first does not count
    assert still_share(Rollout(pictures, starts)) == 2 / 3
    assert still_share(Rollout({"clock": pictures[..., 0, 0], "screen": pictures}, starts)) == 2 / 3
    assert still_share(Rollout(pictures[:1], starts[:1])) is None


def test_without_a_picture_whatever_changes_is_movement():
    starts, memory = np.zeros((5, 1)), np.zeros((5, 1, 9))
    tiles = np.arange(5).reshape(5, 1, 1, 1) // 2 * np.ones((5, 1, 3, 2))  # 0 0 1 1 2
    assert still_share(Rollout({"state": memory}, starts)) == 1
    assert still_share(Rollout({"state": memory, "tiles": tiles}, starts)) == 1 / 2


@pytest.mark.parametrize("channels_last", [False, True])
def test_something_small_that_moves_in_a_large_picture_is_seen(channels_last):
    pictures = np.zeros((6, 1, 80, 120, 2) if channels_last else (6, 1, 2, 80, 120), np.uint8)
    if channels_last:
        pictures = pictures.transpose(0, 1, 4, 2, 3)
    for step in range(3):
        pictures[step, :, :, 30:38, 40 + 8 * step : 48 + 8 * step] = 200
    assert still_share(Rollout(pictures, np.zeros((6, 1)))) == 2 / 5
