"""The page of the library: its code runs, and no public name is left out."""

import re
from pathlib import Path

import gymnasium
import pytest

import emerald_env
import rewards
from baselines import diagnostics

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "LIBRARY.md").read_text()
CODE = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))


@pytest.fixture(scope="module")
def names():
    """What the page's code leaves behind."""
    found = {}
    exec(compile(CODE, "LIBRARY.md", "exec"), found)
    yield found
    found["env"].close()


def missing(public):
    return [name for name in public if not re.search(rf"\b{name}\b", CODE)]


def test_every_name_of_the_packages_is_used():
    everything = {*emerald_env.__all__, *rewards.__all__, *diagnostics.__all__}
    assert missing(everything - {"GBA"}) == []  # docs/GBA.md has that


@pytest.mark.parametrize("name", ["env", "reward", "preset", "diagnosis", "worst"])
def test_every_public_member_is_used(names, name):
    members = {member for member in dir(names[name]) if member[0] != "_"}
    if name == "env":
        members -= set(dir(gymnasium.Env)) - {"step", "reset", "render", "close", "metadata"}
    assert len(members) > 5 and missing(members) == []
