"""A sample of the hostile files, through the commands; `python tests/hostile.py` takes them all."""

import subprocess
import sys
from pathlib import Path

import pytest

RUNNER = Path(__file__).parents[1] / "hostile.py"
EVERY = 211  # prime, so that all commands and kinds of file take part


@pytest.mark.slow
def test_a_sample_of_hostile_files_harms_no_command():
    command = [sys.executable, str(RUNNER), str(EVERY)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
