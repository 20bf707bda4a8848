"""A release is of one version, which the tag, the project and the changelog name."""

import importlib.util
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
PROJECT = (ROOT / "pyproject.toml").read_text("utf-8")
CHANGELOG = (ROOT / "CHANGELOG.md").read_text("utf-8")
RELEASE = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text("utf-8"))
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
VERSION = re.findall(r'^version = "(.+)"$', PROJECT, re.MULTILINE)[0]


@pytest.fixture(scope="module")
def notes():
    path = ROOT / ".ci" / "release_notes.py"
    spec = importlib.util.spec_from_file_location("release_notes", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.notes


def test_the_notes_are_the_changelog_between_two_headings(notes):
    changelog = (
        f"# C\n## Unreleased\n- a\n## {VERSION} (2026-01-02)\n\n- b\n- c\n\n## 0.1 (x)\n- d\n"
    )
    assert notes(f"v{VERSION}", PROJECT, changelog) == "- b\n- c"
    assert "\n- " in notes(f"v{VERSION}", PROJECT, CHANGELOG)


@pytest.mark.parametrize(
    ("tag", "changelog", "message"),
    [
        ("v9.9.9", CHANGELOG, "tag v"),
        (VERSION, CHANGELOG, "tag v"),
        (f"v{VERSION}", "## Unreleased\n- a\n", "needs one heading"),
        (f"v{VERSION}", f"## {VERSION} (2026-01-02)\n\n## 0.1\n- d\n", "needs one heading"),
    ],
)
def test_a_release_that_the_changelog_does_not_have_is_refused(notes, tag, changelog, message):
    with pytest.raises(ValueError, match=message):
        notes(tag, PROJECT, changelog)


def test_only_what_every_job_before_it_made_is_published():
    publish = RELEASE["jobs"]["publish"]
    assert {*publish["needs"], "publish"} == RELEASE["jobs"].keys()
    assert publish["if"] == "github.event_name == 'release'" and publish["environment"] == "pypi"


def test_what_the_jobs_made_is_all_in_the_release():
    steps = [step for job in RELEASE["jobs"].values() for step in job["steps"]]

    def names(action, key):
        used = [s["with"] for s in steps if s.get("uses", "").startswith(f"actions/{action}@")]
        return {one[key].partition("-")[0] for one in used if key in one}

    taken = names("download-artifact", "name") | names("download-artifact", "pattern")
    assert names("upload-artifact", "name") == taken == {"sbom", "wheel"}
    (upload,) = (s["run"] for s in steps if "gh release upload" in s.get("run", ""))
    assert {"dist/*", "SHA256SUMS", "sbom.json"} <= set(upload.split())


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_reads_and_a_job_that_writes_says_so(path):
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert workflow["permissions"] == {"contents": "read"}
    text = path.read_text("utf-8")
    assert "password" not in re.sub(r"#.*", "", text) and "secrets." not in text
