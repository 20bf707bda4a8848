"""Commands end as a shell expects it."""

import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from baselines.commands.command import complain, reports_user_errors

ROOT = Path(__file__).resolve().parents[2]
LONG = 200_000  # lines, more than any pipe holds

WRITES = f"""
import sys
from baselines.commands.command import run_command
def main():
    for number in range({LONG}):
        print(number)
    return 3
run_command(main)
"""


def read_one_line(command):
    """Returns status and errors of a command of whose output only the first line is read."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)
    process.stdout.readline()
    process.stdout.close()
    with process.stderr:
        errors = process.stderr.read().decode()
    return process.wait(), errors


def test_a_closed_pipe_ends_a_command_silently():
    assert read_one_line([sys.executable, "-c", WRITES]) == (128 + 13, "")


def test_help_that_is_not_read_to_its_end_is_no_error():
    status, errors = read_one_line([sys.executable, "-m", "baselines", "train", "--help"])
    assert errors == "" and status in (0, 128 + 13)  # 0: all of it went into the pipe at once


def test_a_command_that_is_read_to_its_end_has_its_own_status():
    done = subprocess.run([sys.executable, "-c", WRITES], capture_output=True, text=True)
    assert done.returncode == 3 and done.stdout.count("\n") == LONG and not done.stderr


WAITS = """
import sys, time
from baselines.commands.command import run_command
def main():
    try:
        print("begun", flush=True)
        time.sleep(60)
    finally:
        sys.stdin.read()
        print("tidied up", flush=True)
run_command(main)
"""


def waiting(number, handler):
    """Starts a command that inherits what happens on a signal, and waits until it runs."""
    process = subprocess.Popen(
        [sys.executable, "-c", WAITS], cwd=ROOT,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=partial(signal.signal, number, handler),
    )  # fmt: skip
    assert process.stdout.readline() == b"begun\n"
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_command_with_a_message_after_clean_up(number):
    # these tests may themselves run in the background, where a shell has SIGINT ignored
    process = waiting(number, signal.SIG_DFL)
    process.send_signal(number)
    out, errors = process.communicate()
    assert (process.returncode, out) == (128 + number, b"tidied up\n")
    assert errors.startswith(b"\nended by") and b"Traceback" not in errors


def test_a_closed_terminal_that_sends_sighup_twice_leaves_time_to_clean_up():
    process = waiting(signal.SIGHUP, signal.SIG_DFL)
    process.send_signal(signal.SIGHUP)
    assert process.stderr.readline() + process.stderr.readline() == b"\nended by SIGHUP\n"
    process.send_signal(signal.SIGHUP)
    assert process.communicate()[0] == b"tidied up\n"
    assert process.returncode == 128 + signal.SIGHUP


def test_ctrl_c_does_not_end_a_command_in_the_background():
    process = waiting(signal.SIGINT, signal.SIG_IGN)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    assert process.communicate() == (b"tidied up\n", b"\nended by SIGTERM\n")


def test_what_a_user_can_mend_is_one_line_and_what_a_programmer_can_is_not(capsys):
    @reports_user_errors(KeyError, status=3)
    def main(error):
        raise error

    assert main(ValueError("no such thing: give another")) == 3
    assert main(KeyError("x")) == 3
    assert main(FileNotFoundError(2, "No such file or directory", "/a b")) == 3
    said = "no such thing: give another", "'x'", "/a b: No such file or directory"
    assert capsys.readouterr().err == "".join(f"error: {line}\n" for line in said)
    with pytest.raises(RuntimeError):
        main(RuntimeError("a bug"))
    with pytest.raises(BrokenPipeError):
        main(BrokenPipeError())


def test_an_error_steers_no_terminal(capsys):
    assert complain(ValueError("\x1b[2Jname")) == 1
    assert capsys.readouterr().err == "error: \\x1b[2Jname\n"
