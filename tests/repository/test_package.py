"""The wheel works in an environment of its own, away from the repository."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from baselines.commands.emerald import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
SMALL = (
    "--total-timesteps 64 --n-envs 2 --n-workers 2 --n-steps 16 --batch-size 32 --episode-length 16"
)


@pytest.fixture(scope="module")
def emerald(tmp_path_factory):
    """Runs a command line of a freshly installed wheel, in an empty folder; returns its output."""
    folder = tmp_path_factory.mktemp("installed")
    source = folder / "source"
    for package in (marker.parent for marker in ROOT.glob("*/py.typed")):
        ignored = shutil.ignore_patterns("__pycache__", "*.so")
        shutil.copytree(package, source / package.name, ignore=ignored)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source)]
    subprocess.run([*pip, *build], check=True, capture_output=True, text=True)
    venv.create(folder / "venv")
    python = folder / "venv" / "bin" / "python"
    (wheel,) = folder.glob("*.whl")
    install = ["--python", str(python), "install", "--no-deps", str(wheel)]
    subprocess.run([*pip, *install], check=True, capture_output=True, text=True)
    # the packages that the wheel depends on are those of these tests
    (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    home = folder / "home"
    home.mkdir()
    environment = {**os.environ, "HOME": str(home), "SDL_VIDEODRIVER": "dummy"}
    environment.pop("PYTHONPATH", None)

    def run(*arguments: str) -> str:
        command = [str(python.with_name("emerald")), *arguments]
        done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.mark.slow
def test_an_installed_wheel_trains_plays_and_evaluates_jade(emerald):
    trained = emerald("train", *SMALL.split())
    assert "session  sessions/" in trained and "saved sessions/" in trained
    assert '"episodes"' in emerald(
        "play", "last", "--episodes", "1", "--episode-length", "4", "--json"
    )
    (player,) = json.loads(emerald("evaluate", "last", "--episodes", "2", "--json"))["players"]
    assert len(player["episodes"]) == 2
    assert "_jade_" in emerald("session", "list")


@pytest.mark.slow
def test_the_installed_command_lists_what_there_is(emerald):
    listed = emerald()
    for name in COMMANDS:
        assert f"emerald {name}" in listed
    assert "usage: emerald rescore" in emerald("rescore", "--help")
