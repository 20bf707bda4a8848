"""The page, the list of sessions and `diagnose` say the same of a session."""

import io
import math
from types import SimpleNamespace

import pytest
from gymnasium.spaces import Discrete
from rich.console import Console
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat

from baselines.commands.learn import diagnose
from baselines.commands.learn.session import summarise
from baselines.diagnostics import Severity
from baselines.diagnostics.logs import read_runs
from baselines.runs.session_folder import Session
from baselines.settings.train_config import TrainConfig
from baselines.training.callbacks.health.diagnose_callback import DiagnoseCallback
from baselines.viewer.run_report import Report

UPDATES = 60
SAID = {0: "healthy", 1: "warnings", 2: "collapsed", 4: "too little to judge"}


def numbers(update, reward, kl=0.008):
    """What an update of four actions logs."""
    return {
        "rollout/ep_rew_mean": reward + 0.2 * math.sin(9 * update),
        "rollout/ep_len_mean": 200.0,
        "train/approx_kl": kl,
        "train/entropy_loss": -math.log(4) * (0.99 - 0.6 * update / UPDATES),
        "train/value_loss": 0.5,
        "train/learning_rate": 3e-4,
        "diagnostics/steps_per_second": 500.0,
    }


def lost(update):
    left = max(0.0, 1 - max(0, update - 30) / 10)
    return numbers(update, 10 + 50 * left * min(1, update / 20), 0.008 if update < 30 else 0.4)


RUNS = {
    "healthy": lambda update: numbers(update, 10 + 100 * update / UPDATES),
    "warnings": lambda update: numbers(update, 10, kl=0.06),
    "collapsed": lost,
    "too little to judge": lambda update: None if update > 3 else numbers(update, 10),
}


def fallen_and_back(update):
    """Everything is lost from update 30 on, until 40; then it is learnt once more."""
    return lost(update) if update < 40 else numbers(update, 10 + 3 * (update - 40))


def session_of(run, folder, on_collapse="warn"):
    """Writes a session as training does: what it logs, and what it says of it."""
    session = Session.create(folder, "jade")
    TrainConfig().save(session.config)
    logger = Logger(str(session.folder), [TensorBoardOutputFormat(str(session.folder))])
    console = Console(file=io.StringIO())
    callback = DiagnoseCallback(session.diagnostics, on_collapse, lambda before: None, console)
    callback.model = SimpleNamespace(
        logger=logger,
        action_space=Discrete(4),
        learning_rate=3e-4,
        lr_schedule=lambda left: 3e-4,
        _current_progress_remaining=0.5,
    )
    callback._start_afresh()
    for update in range(1, UPDATES + 1):
        if (row := run(update)) is None:
            break
        callback.num_timesteps, callback._row = 2048 * update, row
        for name, value in row.items():
            logger.record(name, value)
        callback._judge()
        if on_collapse == "rollback" and callback.diagnosis.status is Severity.CRITICAL:
            callback._rescue(callback.diagnosis.active[0])
        logger.dump(callback.num_timesteps)
    logger.close()
    return session


@pytest.mark.parametrize("health", RUNS)
def test_the_page_the_list_and_the_diagnosis_agree(health, tmp_path):
    session = session_of(RUNS[health], tmp_path)
    page, listed = Report(session).update(), summarise(session)
    (report,) = [diagnose.examine(run) for run in read_runs([session.folder])]
    assert page["health"] == listed.health == SAID[report.status] == health
    codes = {finding.code for finding in report.diagnosis.active if finding.severity}
    assert set(page["wrong"]) == set(listed.findings) == codes
    assert page["lacking"] == report.diagnosis.lacking
    still = {one["code"] for one in page["findings"] if one["until"] is None and one["severity"]}
    assert codes <= still


@pytest.mark.parametrize("updates", [60, 34])
def test_a_session_that_went_back_is_judged_afresh_by_all(updates, tmp_path):
    run = lambda update: fallen_and_back(update) if update <= updates else None  # noqa: E731
    session = session_of(run, tmp_path, "rollback")
    (back,) = [line for line in session.read_diagnostics() if line.get("action") == "rollback"]
    page, listed = Report(session).update(), summarise(session)
    (report,) = [diagnose.examine(run) for run in read_runs([session.folder])]
    health = SAID[report.status]
    assert page["health"] == listed.health == health
    early = [f for f in report.diagnosis.findings if f.since <= back["num_timesteps"]]
    assert "reward_collapse" in {f.code for f in early}
    assert all(f.until <= back["num_timesteps"] for f in early)
    assert health == ("healthy" if updates == 60 else "too little to judge")


def test_numbers_of_the_update_that_was_undone_are_no_finding_about_what_follows(tmp_path):
    """An update's loss is logged with the rollout after it."""
    session = session_of(RUNS["healthy"], tmp_path)
    for path in session.folder.glob("*tfevents*"):
        path.unlink()
    logger = Logger(str(session.folder), [TensorBoardOutputFormat(str(session.folder))])
    for update in range(1, UPDATES + 1):
        for name, value in RUNS["healthy"](update).items():
            undone = update == 58 and name == "train/value_loss"
            logger.record(name, math.nan if undone else value)
        logger.dump(2048 * update)
    logger.close()
    with session.diagnostics.open("a") as file:
        file.write('{"num_timesteps": 116736, "action": "rollback", "before": 116736}\n')
    (report,) = [diagnose.examine(run) for run in read_runs([session.folder])]
    told = [(f.code, f.since, f.until) for f in report.diagnosis.findings]
    assert told == [("not_a_number", 116_736, 116_736)]
    assert report.status == diagnose.TOO_LITTLE


def test_the_page_ends_what_was_found_before_a_run_went_back(tmp_path):
    session = session_of(RUNS["collapsed"], tmp_path)
    with session.diagnostics.open("a") as file:
        file.write('{"num_timesteps": 122880, "action": "rollback", "before": 61440}\n')
    told = Report(session).update()
    assert told["wrong"] == () and all(one["until"] for one in told["findings"])
    assert summarise(session).findings == ()
