"""What is installed and what builds releases is written down exactly."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

try:
    import tomllib
except ImportError:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
LOCKED = ("train", "play", "watch", "serve", "wandb", "dev")


def needed():
    lines = [*PROJECT["dependencies"], *(line for name in LOCKED for line in EXTRAS[name])]
    return [Requirement(line.partition("#")[0]) for line in lines]


def locked(name="requirements.lock"):
    """Yields each locked package's requirement and its hashes."""
    text = (ROOT / name).read_text("utf-8").replace("\\\n", " ")
    for line in text.splitlines():
        if line and not line.lstrip().startswith("#"):
            requirement, *hashes = line.split(" --hash=")
            yield Requirement(requirement.strip()), [one.strip() for one in hashes]


def test_requirements_txt_installs_what_pyproject_lists_and_the_makefile_s_torch():
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    torch, own = [line for line in lines if line and not line.startswith("#")]
    assert own == f"-e .[{','.join(LOCKED)}]" and set(LOCKED) == EXTRAS.keys() - {
        "docs",
        "hub",
        "minari",
        "notebook",
        "ray",
    }
    assert f"TORCH := {torch}\n" in (ROOT / "Makefile").read_text("utf-8")
    assert any(f"{wanted.name}{wanted.specifier}" == torch for wanted, _ in locked())


def test_every_package_is_locked_with_hashes():
    found = {}
    for requirement, hashes in locked():
        (pin,) = requirement.specifier
        assert pin.operator == "==" and hashes, requirement
        assert all(re.fullmatch("sha256:[0-9a-f]{64}", one) for one in hashes)
        found.setdefault(canonicalize_name(requirement.name), []).append(pin.version)
    for wanted in needed():
        versions = found.get(canonicalize_name(wanted.name), [])
        assert any(wanted.specifier.contains(v, prereleases=True) for v in versions), wanted


def test_torch_without_cuda_is_locked_at_the_same_version():
    ((cpu, hashes),) = locked("requirements-cpu.lock")
    assert "TORCH := " + str(cpu).removesuffix("+cpu") in (ROOT / "Makefile").read_text("utf-8")
    assert all(re.fullmatch("sha256:[0-9a-f]{64}", one) for one in hashes)
    assert len(set(hashes)) == len(hashes) >= 10  # five Pythons on two kinds of machine


@pytest.mark.parametrize("path", sorted((ROOT / ".github").rglob("*.yml")), ids=lambda p: p.name)
def test_actions_are_pinned_by_commit(path):
    used = re.findall(r"uses: (\S+)", path.read_text("utf-8"))
    assert used and all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", one) for one in used), used


def shell(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.mark.parametrize(
    "said, tries, status", [("Could not get lock lists/lock", 3, 0), ("no network", 1, 1)]
)
def test_another_apt_is_waited_for_but_nothing_else(tmp_path, said, tries, status):
    count = tmp_path / "count"
    known = f"[ $(wc -l < {count}) -ge 3 ] && exit 0"
    shell(tmp_path / "apt-get", f"echo >> {count}; {known}; echo 'E: {said}' >&2; exit 100")
    shell(tmp_path / "sudo", '"$@"')
    shell(tmp_path / "sleep", "true")
    environment = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run([ROOT / ".ci" / "apt", "update"], env=environment, capture_output=True)
    assert (done.returncode, len(count.read_text())) == (status, tries)
    assert (said in done.stderr.decode()) == (status == 1)
