"""The container installs what the project needs, and runs as nobody special."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINES = (ROOT / "Containerfile").read_text("utf-8").replace("\\\n", " ").splitlines()


def arguments(instruction):
    return [line.partition(" ")[2] for line in LINES if line.startswith(f"{instruction} ")]


def test_it_runs_emerald_as_a_user_who_may_write_into_the_volume_alone():
    assert arguments("USER") == ["player"] and arguments("ENTRYPOINT") == ['["emerald"]']
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
