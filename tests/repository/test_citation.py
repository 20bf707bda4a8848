"""What papers and lists are told is what this checkout is."""

import re
from pathlib import Path

import gymnasium
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

import emerald_env  # noqa: F401
from emerald_env.env.versions import JADE_V1

try:
    import tomllib
except ImportError:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
LISTED = (ROOT / "docs" / "GYMNASIUM_LIST.md").read_text("utf-8")


def test_the_citation_has_what_the_format_demands_and_names_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert citation["version"] == PROJECT["version"] and citation["license"] == PROJECT["license"]


def test_the_draft_names_the_gymnasium_that_is_needed():
    (needed,) = (r for r in map(Requirement, PROJECT["dependencies"]) if r.name == "gymnasium")
    (badge,) = re.findall(r"badge/Gymnasium-v([\d.]+)-", LISTED)
    assert needed.specifier.contains(badge) and Version(gymnasium.__version__) >= Version(badge)


def test_the_drafts_numbers_are_those_of_the_version():
    assert f"{len(JADE_V1.story)} milestones" in LISTED
    assert f"{JADE_V1.settings['episode_length']:,} steps" in LISTED
