"""The container installs what the project needs, and runs as nobody special."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINTERS = [
    "hadolint Containerfile",
    "zizmor --offline --quiet .github/workflows",
    "check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/ci.yml "
    ".github/workflows/docs.yml .github/workflows/release.yml",
]
LINES = (ROOT / "Containerfile").read_text("utf-8").replace("\\\n", " ").splitlines()


def arguments(instruction):
    return [line.partition(" ")[2] for line in LINES if line.startswith(f"{instruction} ")]


def test_it_runs_emerald_as_a_user_who_may_write_into_the_volume_alone():
    assert arguments("USER") == ["1000"] and arguments("ENTRYPOINT") == ['["emerald"]']
    assert arguments("VOLUME") == arguments("WORKDIR") == ["/data"]
    assert any("chown player /data" in line for line in arguments("RUN"))


def test_it_has_the_torch_and_the_system_packages_of_the_makefile():
    (torch,) = re.findall(r"^TORCH := (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert f"TORCH={torch}+cpu" in arguments("ARG")
    (packages,) = re.findall(r'packages="(.+)"', (ROOT / ".ci/system_packages").read_text())[:1]
    assert set(packages.split()) <= set(" ".join(arguments("RUN")).split())


def test_what_it_copies_is_what_the_source_distribution_is_made_of():
    allowed = [
        line[1:]
        for line in (ROOT / ".dockerignore").read_text().splitlines()
        if line.startswith("!")
    ]
    assert {"baselines", "emerald_env", "rewards", "pyproject.toml", "setup.py"} <= set(allowed)
    assert all(list(ROOT.glob(name)) for name in allowed)


@pytest.mark.parametrize("command", LINTERS, ids=lambda command: command.split()[0])
def test_linters_find_nothing_wrong_with_the_container_and_the_workflows(command):
    name, *arguments = command.split()
    folders = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    if (linter := shutil.which(name, path=folders)) is None:
        pytest.skip(f"{name} is not installed")
    done = subprocess.run([linter, *arguments], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_dev_container_installs_as_everybody_does_and_shows_the_page():
    settings = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text())
    assert settings["postCreateCommand"] == "make setup" and 8050 in settings["forwardPorts"]
