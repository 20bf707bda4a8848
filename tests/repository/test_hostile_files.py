"""A sample of the hostile files, through the commands; `python -m tests.hostile` takes them all."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EVERY = 1201  # prime, so that all commands and kinds of file take part


@pytest.mark.slow
def test_a_sample_of_hostile_files_harms_no_command():
    command = [sys.executable, "-m", "tests.hostile", str(EVERY)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
