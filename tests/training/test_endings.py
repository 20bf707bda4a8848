"""How a run ends: signals, a closed terminal, a reader that is gone, a second run beside it."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from baselines.checkpoints.checkpoint_file import load_policy
from baselines.commands.learn.train import main
from baselines.runs.session_folder import HOLDER, Session

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "baselines" / "run_baseline_parallel_fast.py"
SMALL = (
    "--n-envs 4 --n-workers 2 --n-steps 16 --batch-size 32 --n-epochs 1 --episode-length 20 "
    "--start-wait 3 --frame-skip 8 --hold-frames 4 --device cpu --observation screen "
    "--network small --n-stack 1"
).split()


def command(sessions, *flags):
    return [sys.executable, str(SCRIPT), *SMALL, "--sessions", str(sessions), *flags]


class Trainer:
    """The script as a user starts it, in a process group of its own."""

    def __init__(self, sessions):
        self.log = sessions / "log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command(sessions, "--total-timesteps", "100000"),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.sessions = sessions

    def wait_until_it_learns(self):
        """Returns the worker processes, once the first update is behind it."""
        while not list(self.sessions.glob("*/episodes.jsonl")):
            assert self.process.poll() is None, self.log.read_text()
            time.sleep(0.1)
        return psutil.Process(self.process.pid).children(recursive=True)

    def wait_for_words(self, words):
        while words not in self.log.read_text():
            assert self.process.poll() is None, self.log.read_text()
            time.sleep(0.1)

    def session(self):
        (config,) = self.sessions.glob("*/config.json")
        return Session(config.parent)


@pytest.fixture
def trainer(tmp_path):
    trainer = Trainer(tmp_path)
    yield trainer
    if trainer.process.poll() is None:
        os.killpg(trainer.process.pid, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_all_of_its_processes_saves_and_leaves_none(trainer, number):
    workers = trainer.wait_until_it_learns()
    assert len(workers) >= 2
    os.killpg(trainer.process.pid, number)  # as a terminal does on Ctrl-C, and systemd on stop
    assert trainer.process.wait() == 128 + number
    psutil.wait_procs(workers)  # they end by themselves
    _, manifest = load_policy(trainer.session().latest_checkpoint())
    assert manifest.num_timesteps >= 64 and manifest.num_timesteps % 64 == 0
    assert "Traceback" not in trainer.log.read_text() and "died" not in trainer.log.read_text()


@pytest.mark.slow
def test_a_worker_that_dies_is_replaced_and_killing_the_trainer_leaves_no_process(trainer):
    workers = trainer.wait_until_it_learns()
    next(w for w in workers if "spawn_main" in " ".join(w.cmdline())).kill()
    trainer.wait_for_words("a new worker takes over")
    assert "died without a message, exit code -9" in trainer.log.read_text()
    workers = psutil.Process(trainer.process.pid).children(recursive=True)
    trainer.process.kill()
    trainer.process.wait()
    psutil.wait_procs(workers)  # they end by themselves


@pytest.fixture
def saved(tmp_path):
    """A session of one update."""
    sessions = tmp_path / "sessions"
    assert main([*SMALL, "--sessions", str(sessions), "--total-timesteps", "64"]) == 0
    (folder,) = sessions.iterdir()
    return Session(folder)


def in_a_terminal(arguments):
    """Starts a program in a terminal of its own; returns its process and the terminal's end."""
    pid, terminal = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # which nohup has it ignore
        os.execv(arguments[0], arguments)
    return psutil.Process(pid), terminal


def read_until(terminal, happened):
    """Reads what is written on a terminal until something happens; returns it."""
    text = b""
    while not happened():
        if select.select([terminal], [], [], 0.05)[0]:
            text += os.read(terminal, 1 << 16)
    return text


@pytest.mark.slow
def test_a_second_resume_is_told_who_is_at_work_and_a_closed_terminal_saves(saved, capsys):
    more = ("--resume", str(saved.folder), "--total-timesteps", "100000")
    process, terminal = in_a_terminal(command(saved.folder.parent, *more))
    try:
        before = len(list(saved.read_diagnostics()))
        read_until(terminal, lambda: len(list(saved.read_diagnostics())) > before + 1)
        capsys.readouterr()
        assert main(list(more)) == 1
        assert f"is in use by process {process.pid} on " in capsys.readouterr().err
        workers = process.children(recursive=True)
        os.close(terminal)  # as when an ssh ends: SIGHUP, and nothing can be printed any more
        assert process.wait() == 128 + signal.SIGHUP
        psutil.wait_procs(workers)  # they end by themselves
    finally:
        if process.is_running():
            process.kill()
    _, manifest = load_policy(saved.latest_checkpoint())
    assert manifest.num_timesteps > 64
    assert not (saved.folder / HOLDER).exists()


@pytest.mark.slow
def test_a_reader_of_the_first_line_ends_a_run_silently_and_with_a_checkpoint(tmp_path):
    process = subprocess.Popen(
        command(tmp_path / "sessions", "--total-timesteps", "128", "--record", "none"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout.readline().startswith(b"game ")
    process.stdout.close()
    with process.stderr:
        errors = process.stderr.read()
    assert (process.wait(), errors) == (128 + signal.SIGPIPE, b"")
    (folder,) = (tmp_path / "sessions").iterdir()
    load_policy(Session(folder).latest_checkpoint())


SLOW_MODULE = """
import pathlib, time
pathlib.Path({marker!r}).write_text("")
time.sleep(60)
"""
DOORS = (
    [str(SCRIPT)],
    [str(ROOT / "baselines" / "play.py"), "jade"],
    ["-c", "import baselines.commands.emerald; baselines.commands.emerald.main()", "evaluate"],
    ["-m", "baselines", "audit"],
    ["-m", "baselines", "doctor"],
    ["-m", "experiments.benchmarks"],
)


@pytest.mark.parametrize("door", DOORS, ids=lambda door: Path(door[-1]).name)
def test_ctrl_c_while_modules_load_ends_a_command_with_a_message(door, tmp_path):
    marker = tmp_path / "loading"
    for name in ("numpy", "torch"):
        (tmp_path / f"{name}.py").write_text(SLOW_MODULE.format(marker=str(marker)))
    process = subprocess.Popen(
        [sys.executable, *door], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    inside = psutil.Process(process.pid)
    # in its sleep: an interrupt in a clean-up of Python's own would be printed and lost
    while not (marker.exists() and inside.status() == psutil.STATUS_SLEEPING):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate()
    assert b"ended by Ctrl-C" in errors and b"Traceback" not in errors and not out
    assert process.returncode in (128 + signal.SIGINT, -signal.SIGINT)  # the same to a shell


BESIDE_PARENT = """
import os, time
os.environ["EMERALD_STARTER"] = {parent}
from baselines.runs.parent import end_with_parent
print("begun", flush=True)
end_with_parent()
time.sleep(600)
"""


@pytest.mark.parametrize("parent", ["str(os.getppid())", "'1234567890'"], ids=["killed", "gone"])
def test_what_a_killed_run_has_started_ends_with_it(parent):
    code = BESIDE_PARENT.format(parent=parent)
    starts = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}])"
    parent = subprocess.Popen([sys.executable, "-c", starts], stdout=subprocess.PIPE, cwd=ROOT)
    assert parent.stdout.readline() == b"begun\n"
    parent.kill()
    assert parent.stdout.read() == b"", "which the child has open as long as it runs"
