"""Telling a command of the user's what the diagnostics say."""

import io
import re
import sys
import time

import pytest
from rich.console import Console
from test_diagnose_callback import UPDATE, callback, model

from baselines.runs.alert import CommandAlert
from baselines.runs.session_folder import Session
from baselines.settings.train_config import TrainConfig
from baselines.training.command_line import parse


def test_a_run_that_blows_up_tells_a_command_what_and_what_is_done_about_it(tmp_path):
    script, told = tmp_path / "tell.py", tmp_path / "told"
    script.write_text(f"import sys; open({str(told)!r}, 'a').write(sys.argv[1] + '\\n')")
    alert = CommandAlert(f"{sys.executable} -S {script}")
    watch, _ = callback(on_collapse="stop", alert=alert)
    model(learning_rate=3.0).learn(40 * UPDATE, watch)
    wanted = ("warning: kl_blow_up, ", "diagnostics: ending the run: kl_blow_up")
    deadline = time.monotonic() + 60
    while not (told.exists() and all(w in told.read_text() for w in wanted)):
        assert time.monotonic() < deadline, (
            told.read_text() if told.exists() else "nothing was told"
        )
        time.sleep(0.02)


def test_words_of_a_text_are_never_a_shells(tmp_path):
    alert = CommandAlert(sys.executable + " -S -c pass")
    alert(f"$(touch {tmp_path}/run); touch {tmp_path}/run")
    alert._running[0].wait()
    assert not (tmp_path / "run").exists() and alert._running[0].returncode == 0


@pytest.mark.parametrize("command", ["", "no-such-command-at-all x", "echo 'open", "echo \\"])
def test_a_command_that_is_none_is_refused_before_anything_starts(command):
    with pytest.raises(ValueError, match=f"^--alert is {re.escape(repr(command))}: "):
        CommandAlert(command)


def test_a_command_that_vanishes_does_not_end_the_run(tmp_path):
    command = tmp_path / "tell"
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    out = io.StringIO()
    alert = CommandAlert(str(command), Console(file=out))
    command.unlink()
    alert("news")
    assert "--alert" in out.getvalue()


def test_a_session_that_is_resumed_brings_no_command_along(tmp_path):
    session = Session.create(tmp_path, "game")
    TrainConfig(alert="rm -r /", n_envs=5).save(session.config)
    resumed = parse(["--sessions", str(tmp_path), "--resume", str(session.folder)])
    assert resumed.n_envs == 5 and resumed.alert is None
