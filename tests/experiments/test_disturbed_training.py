"""A training that is disturbed at random: what ends it."""

import random
import subprocess
import sys

import pytest

from experiments.chaos.__main__ import Chaos, ChaosConfig


@pytest.mark.parametrize("status", [1, 2, 70])
def test_a_run_that_fails_undisturbed_is_not_started_again(status, tmp_path, monkeypatch):
    starts = []

    def start(self):
        starts.append(self)
        assert len(starts) == 1
        (self.sessions / "log.txt").write_text("no such setting")
        return subprocess.Popen(
            [sys.executable, "-c", f"raise SystemExit({status})"], start_new_session=True
        )

    monkeypatch.setattr(Chaos, "start", start)
    message = rf"fails undisturbed \(exit status {status}\):\nno such setting"
    with pytest.raises(RuntimeError, match=message):
        Chaos(tmp_path, ChaosConfig(), random.Random(0)).run(0.0, 0.0)


def test_a_run_has_at_least_one_rollout():
    assert ChaosConfig(steps=256).steps == 256
    with pytest.raises(ValueError, match="steps is 255: it must be at least 256"):
        ChaosConfig(steps=255)
