"""Going back after a collapse, with the session, checkpoints and PPO that train the games."""

import io

import pytest
import torch
from helpers.checkpoints import describe, make_model
from rich.console import Console
from stable_baselines3.common.logger import Logger
from test_diagnose_callback import model as buttons

from baselines.checkpoints.checkpoint_file import save_checkpoint
from baselines.diagnostics import RULES, Severity
from baselines.diagnostics.finding import CollapseError
from baselines.runs.session_folder import Session
from baselines.training.callbacks.health.diagnose_callback import DiagnoseCallback
from baselines.training.callbacks.health.rollback import SessionRollback


@pytest.fixture
def model():
    made = make_model()
    made.set_logger(Logger(None, []))
    return made


@pytest.fixture
def session(tmp_path):
    return Session.create(tmp_path, "game")


def save(model, session, manifest, steps, weight):
    for value in model.policy.parameters():
        value.data.fill_(weight)
    save_checkpoint(model, session.checkpoint(steps), manifest.at(steps))


def test_it_takes_the_last_checkpoint_before_the_trouble_and_removes_the_later_ones(model, session):
    manifest = describe(model)
    for steps, weight in ((100, 0.1), (200, 0.2), (300, 0.3)):
        save(model, session, manifest, steps, weight)
    model.num_timesteps = 350
    SessionRollback(model, session, manifest)(250)
    assert model.num_timesteps == 350
    assert all(torch.all(value == 0.2) for value in model.policy.parameters())
    assert session.saved_checkpoints() == [session.checkpoint(100), session.checkpoint(200)]


def test_without_a_checkpoint_from_before_it_says_so_and_changes_nothing(model, session):
    manifest = describe(model)
    save(model, session, manifest, 300, 0.3)
    with pytest.raises(FileNotFoundError, match="from before step 250"):
        SessionRollback(model, session, manifest)(250)
    assert session.saved_checkpoints() == [session.checkpoint(300)]


def test_a_copy_kept_while_all_was_well_is_newer_than_the_last_checkpoint(model, session):
    manifest = describe(model)
    save(model, session, manifest, 100, 0.1)
    rollback = SessionRollback(model, session, manifest)
    for steps, weight in ((200, 0.2), (300, 0.3), (400, 0.4)):
        model.num_timesteps = steps
        for value in model.policy.parameters():
            value.data.fill_(weight)
        rollback.keep()
    rollback(350)
    assert model.num_timesteps == 400
    assert all(torch.all(value == 0.3) for value in model.policy.parameters())
    # another process finds the newest one in the folder
    SessionRollback(model, session, manifest)(500)
    assert all(torch.all(value == 0.4) for value in model.policy.parameters())


def test_the_learner_of_the_games_shows_all_its_health_metrics(model):
    watch = DiagnoseCallback(console=Console(file=io.StringIO()))
    model.learn(3 * 16, watch)
    row = watch.diagnosis.history.row
    assert 0 < row["diagnostics/top_action_share"] <= 1
    assert 0 <= row["diagnostics/still_share"] < 0.2  # these pictures are noise
    assert row["diagnostics/gradient_norm"] > 0
    assert row["diagnostics/steps_per_second"] > 0
    assert row["diagnostics/entropy_share"] == pytest.approx(1, abs=0.05)
    assert row["diagnostics/not_finite"] == 0


FAR_TOO_HIGH = {"learning_rate": 3.0}
WRONG_SIGN = {"ent_coef": -1.0}
RAMP = {"learning_rate": lambda left: 1e-2 * 300 ** (1 - left)}


@pytest.mark.parametrize(
    ("settings", "on_collapse"),
    [
        (FAR_TOO_HIGH, "stop"),
        (FAR_TOO_HIGH, "lower_lr"),
        (FAR_TOO_HIGH, "rollback"),
        (WRONG_SIGN, "rollback"),
        (RAMP, "lower_lr"),
        (RAMP, "rollback"),
    ],
)
def test_a_sick_run_gets_its_reward_back_or_ends_with_its_reason(settings, on_collapse):
    learner = buttons(**settings)
    copies = [learner.policy.state_dict()]

    def keep():
        copies.append({name: value.clone() for name, value in learner.policy.state_dict().items()})

    keep()
    watch = DiagnoseCallback(
        on_collapse=on_collapse,
        rollback=lambda before: learner.policy.load_state_dict(copies[-1]) and None,
        keep=keep,
        console=Console(file=io.StringIO()),
    )
    learner.learn(60 * 64, watch)
    reward = watch.diagnosis.history.row["rollout/ep_rew_mean"]
    try:
        watch.check_end()
    except CollapseError as error:
        assert "the run was ended" in str(error) or "was not saved in time" in str(error)
        assert any(code in str(error) for code in RULES)
    else:
        # of 8; dice get 2.7
        assert reward > 5 or watch.diagnosis.status is Severity.WARNING
