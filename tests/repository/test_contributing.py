"""CONTRIBUTING.md leads a newcomer to what he wants to change."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()
ROWS = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", TEXT, re.MULTILINE))
# what to change -> what must be found in a file that the row names
TEN = {
    "a reward's weight": "milestone =",
    "a reward term": "class Badges",
    "an action set": "ACTION_SETS",
    "a network": "CNNS = {",
    "a diagnostic rule": "Rule(",
    "the progress bar": "class ProgressCallback",
    "the format of a recording": "class Recording",
    "a kind of start": "def load_start",
    "a checkpoint's manifest": "class Manifest",
    "an edition (language) of the game": '"BPEJ": "Japanese"',
}


def files_of(row):
    """The files that the paths of a row name: files, folders or patterns."""
    for path in re.findall(r"`(\w+/[\w./*]+)`", row):
        found = list(ROOT.glob(f"{path}*" if path.endswith("/") else path))
        assert found, f"{path} leads nowhere"
        yield from (file for file in found if file.is_file())


@pytest.mark.parametrize("what", TEN)
def test_the_table_leads_to_what_is_to_be_changed(what):
    assert any(TEN[what] in path.read_text() for path in files_of(ROWS[what]))


@pytest.mark.parametrize("row", ROWS.values())
def test_every_path_in_the_tables_is_there(row):
    list(files_of(row))


def test_every_folder_in_the_tree_is_there():
    above = ROOT
    for indent, names in re.findall(r"^    ( *)((?:\w+/ ?)+)  ", TEXT, re.MULTILINE):
        above = above if indent else ROOT / names.split("/")[0]
        for name in names.split():
            assert ((above if indent else ROOT) / name).is_dir(), name


@pytest.mark.skipif(shutil.which("make") is None, reason="no make")
def test_make_help_lists_the_targets():
    told = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    targets = [line.split()[1] for line in told.stdout.splitlines()]
    assert targets == ["train", "test", "setup", "docs", "fast", "help"]
