"""Some hostile files, through the commands; `python -m tests.hostile` takes them all."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_good_files_are_accepted_and_randomly_changed_ones_harm_no_command():
    command = [sys.executable, "-m", "tests.hostile", "--random", "--tries", "40"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
