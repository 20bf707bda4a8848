"""What the README says is true of this checkout."""

import doctest
import re
import subprocess
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
HOW_TO = (ROOT / "docs" / "HOW_TO.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", HOW_TO, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_code_in_the_how_to_runs(block, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "HOW_TO.md", "exec"), {})
    assert capsys.readouterr().out


def test_there_is_code_in_the_how_to():
    assert len(BLOCKS) == 2


@pytest.mark.parametrize("page", [README, *(p.read_text() for p in ROOT.glob("docs/*.md"))])
def test_links_and_pictures_lead_somewhere(page):
    base = ROOT if page is README else ROOT / "docs"
    for target in re.findall(r"\]\(([^)#]+?)\)", page):
        if not target.startswith("http"):
            assert (base / target).exists(), target


def test_the_readme_fits_one_screen_and_documents_are_short():
    assert len(README.splitlines()) <= 60
    for path in ROOT.glob("docs/*.md"):
        assert path.name == "PPO_ELI15.md" or len(path.read_text().splitlines()) <= 250, path.name


def test_no_page_exports_twice_into_one_file():
    """A file that is there is not written over."""
    for page in (ROOT / "docs").glob("*.md"):
        files = re.findall(r"emerald checkpoint export \S+ (\S+)", page.read_text())
        assert len(files) == len(set(files)), page.name


def anchors(text):
    """The anchors that GitHub gives a page's headings."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}


def test_links_to_headings_lead_to_one():
    for path in [ROOT / "README.md", *ROOT.glob("docs/*.md")]:
        for page, anchor in re.findall(r"\]\(([^)#]*?)#([^)]+)\)", path.read_text()):
            if not page.startswith("http"):
                target = path.parent / page if page else path
                assert anchor in anchors(target.read_text()), f"{path.name}: {page}#{anchor}"


def test_scripts_that_the_readme_runs_exist():
    for script in re.findall(r"python (\S+\.py)", README):
        assert (ROOT / script).is_file(), script


def test_nothing_tracked_names_a_path_of_one_machine():
    pattern = re.compile(r"/(work|root|tmp|home|Users)/\w")
    for path in [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("baselines/**/*.py")]:
        assert not pattern.search(path.read_text()), path


def tracked(*patterns):
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [path for name in done.stdout.splitlines() if (path := ROOT / name).is_file()]


NAMED = re.compile(
    r"(?<![\w/.*-])((?:baselines|docs|emerald_env|experiments|jade|rewards|tests)/[\w./-]*\w"
    r"\.(?:c|csv|gba|h|json|md|mp4|png|py|toml|zip))\b"
)


def test_every_file_that_a_document_or_a_comment_names_exists():
    missing = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in tracked("*.md", "*.py", "*.c", "*.h", "Makefile")
        if path.name != "CHANGELOG.md" and "data" not in path.relative_to(ROOT).parts
        for name in NAMED.findall(path.read_text(errors="replace"))
        if not (ROOT / name).is_file()
    ]
    assert not missing


def test_the_examples_in_docstrings_give_what_they_show():
    folders = ("emerald_env", "rewards", "baselines")
    files = [path for folder in folders for path in ROOT.glob(f"{folder}/**/*.py")]
    shown = [path.relative_to(ROOT) for path in files if ">>> " in path.read_text()]
    tried = [doctest.testmod(import_module(".".join(path.with_suffix("").parts))) for path in shown]
    assert sum(found.attempted for found in tried) >= 12
    assert [found.failed for found in tried] == [0] * len(tried)
