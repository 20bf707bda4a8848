"""The source distribution is whole, and works in an environment away from the repository."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
from pathlib import Path

import pytest

from baselines.commands.emerald import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
SMALL = (
    "--total-timesteps 64 --n-envs 2 --n-workers 2 --n-steps 16 --batch-size 32 --episode-length 16"
)


PACKAGES = ("emerald_env", "rewards", "baselines")
BUILD = "import sys; from setuptools.build_meta import build_sdist; build_sdist(sys.argv[1])"


def tracked(*patterns: str) -> list[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """The source distribution, made from what is in the repository alone."""
    folder = tmp_path_factory.mktemp("sdist")
    for name in (*tracked(*PACKAGES), *tracked(":(glob)*")):
        (folder / "source" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / "source" / name)
    command = [sys.executable, "-c", BUILD, str(folder)]
    subprocess.run(command, cwd=folder / "source", check=True, capture_output=True)
    (made,) = folder.glob("*.tar.gz")
    return made


def test_the_source_distribution_has_every_file_of_the_packages(sdist):
    with tarfile.open(sdist) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
        (information,) = (name for name in archive.getnames() if name.count("/") == 1
                          and name.endswith("/PKG-INFO"))  # fmt: skip
        metadata = archive.extractfile(information).read().decode()
    assert "emerald_env/emulator/static/known.sha256" in held
    assert not set(tracked(*PACKAGES, "setup.py", "pyproject.toml", "LICENSE")) - held
    assert not [name for name in held if name.endswith(".so")]
    for field in ("Author", "Keywords", "Classifier", "License-File"):
        assert f"\n{field}: " in metadata, field


@pytest.fixture(scope="module")
def emerald(sdist, tmp_path_factory):
    """Runs a command line of an installed source distribution, in an empty folder, for output."""
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(sdist)]
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

    def run(*arguments: str, name: str = "emerald") -> str:
        command = [str(python.with_name(name)), *arguments]
        done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.mark.slow
def test_an_installed_wheel_trains_plays_and_evaluates_jade(emerald):
    trained = emerald("train", *SMALL.split())
    assert "session  sessions/" in trained and "saved sessions/" in trained
    assert "play it with   emerald play " in trained
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


@pytest.mark.slow
def test_what_is_missing_is_installed_from_the_file_that_was_installed(emerald):
    code = "from emerald_env.files.installing import install_command as c; print(c('watch'))"
    assert emerald("-c", code, name="python").strip().endswith(".whl[watch]'")
