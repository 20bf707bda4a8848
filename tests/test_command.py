"""Commands end as a shell expects it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LONG = 200_000  # lines, more than any pipe holds

WRITES = f"""
import sys
from emerald_env.command import run_command
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


def test_a_reader_that_has_had_enough_ends_a_command_without_a_word():
    assert read_one_line([sys.executable, "-c", WRITES]) == (128 + 13, "")


def test_a_command_that_is_read_to_its_end_has_its_own_status():
    done = subprocess.run([sys.executable, "-c", WRITES], capture_output=True, text=True)
    assert done.returncode == 3 and done.stdout.count("\n") == LONG and not done.stderr
