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


def session_of(run, folder):
    """Writes a session as training does: what it logs, and what it says of it."""
    session = Session.create(folder, "jade")
    TrainConfig().save(session.config)
    logger = Logger(str(session.folder), [TensorBoardOutputFormat(str(session.folder))])
    callback = DiagnoseCallback(session.diagnostics, console=Console(file=io.StringIO()))
    callback.model = SimpleNamespace(logger=logger, action_space=Discrete(4))
    callback._start_afresh()
    for update in range(1, UPDATES + 1):
        if (row := run(update)) is None:
            break
        callback.num_timesteps, callback._row = 2048 * update, row
        for name, value in row.items():
            logger.record(name, value)
        callback._judge()
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


def test_the_page_ends_what_was_found_before_a_run_went_back(tmp_path):
    session = session_of(RUNS["collapsed"], tmp_path)
    with session.diagnostics.open("a") as file:
        file.write('{"num_timesteps": 122880, "action": "rollback", "before": 61440}\n')
    told = Report(session).update()
    assert told["wrong"] == () and all(one["until"] for one in told["findings"])
    assert summarise(session).findings == ()
