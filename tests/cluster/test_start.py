"""Starting Ray on this machine; without Ray."""

import subprocess

import psutil
import pytest

from baselines.cluster.start import ATTEMPTS, start_here


class NeverReady:
    """Stands for Ray on a machine that is too busy: it starts a process, and gives up."""

    def __init__(self):
        self.left = []

    def init(self, **settings):
        self.left.append(subprocess.Popen(["sleep", "60"]))
        raise RuntimeError("half a minute is over")

    def shutdown(self):
        pass


def test_what_a_failed_start_leaves_behind_is_ended_and_nothing_else(tmp_path):
    ray = NeverReady()
    other = subprocess.Popen(["sleep", "60"])
    try:
        with pytest.raises(OSError, match="does not start on this machine: half a minute is over"):
            start_here(ray, tmp_path, 1 << 20, 1)
        assert len(ray.left) == ATTEMPTS
        assert all(process.wait() < 0 for process in ray.left), "killed"
        assert psutil.pid_exists(other.pid) and other.poll() is None
    finally:
        other.kill()
        other.wait()
