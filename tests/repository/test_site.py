"""The documents as a site: everything it links to is there, and every command it shows is one."""

import os
import re
import shlex
import subprocess
import sys
from html import unescape
from importlib import import_module
from pathlib import Path
from types import FunctionType
from urllib.parse import unquote

import pytest

from baselines.commands.emerald import COMMANDS
from baselines.settings.read_flags import field_texts
from baselines.settings.train_config import TrainConfig

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]
API = [
    "emerald_env.emulator.gba.GBA",
    "emerald_env.env.env.EmeraldEnv",
    "rewards.reward.Reward",
    "baselines.diagnostics.diagnosis.Diagnosis",
]
NOTEBOOK = ROOT / "docs" / "first_steps.ipynb"
SUBCOMMANDS = {
    "archive": "list export import",
    "checkpoint": "inspect convert export",
    "recording": "export import",
}
HELP = """
import sys
from baselines.commands.emerald import main
for line in sys.argv[1:]:
    sys.argv = ["emerald", *line.split(), "--help"]
    print("HELP OF", line)
    try:
        main()
    except SystemExit:
        pass
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("material", reason="pip install '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)],
        cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


def test_every_link_and_picture_of_the_site_leads_somewhere_in_it(site):
    pages = {page: page.read_text("utf-8") for page in site.glob("*.html")}
    assert len(pages) >= len(PAGES) and (site / "index.html") in pages
    for page, text in pages.items():
        for link in re.findall(r'(?:href|src)="([^"]+)"', text):
            target, _, anchor = unquote(unescape(link)).partition("#")
            if re.match(r"https?:|mailto:|data:|/", target) or page.name == "404.html":
                continue
            path = (page.parent / target) if target else page
            assert path.exists(), f"{page.name}: {link}"
            if anchor and path in pages and not anchor.startswith("__"):
                assert f'id="{anchor}"' in pages[path], f"{page.name}: {link}"


def test_nothing_of_the_site_is_fetched_from_elsewhere(site):
    for page in site.glob("*.html"):
        fetched = re.findall(
            r'<(?:script|img|link)[^>]*(?:src|href)="(https?://[^"]+)"', page.read_text("utf-8")
        )
        assert not fetched, f"{page.name}: {fetched}"


def test_the_page_of_settings_has_every_setting(site):
    text = (site / "SETTINGS.html").read_text("utf-8")
    for name in field_texts(TrainConfig).keys() - {"env", "ppo", "policy", "labels"}:
        assert f"--{name.replace('_', '-')}</code>" in text, name


@pytest.mark.parametrize("name", API)
def test_the_page_of_the_api_has_every_public_method_and_property(site, name):
    text = (site / "API.html").read_text("utf-8")
    module, _, title = name.rpartition(".")
    for member, value in vars(getattr(import_module(module), title)).items():
        if isinstance(value, FunctionType | property) and value.__doc__ and member[0] != "_":
            assert f'id="{name}.{member}"' in text, member


def shown_commands():
    """Yields each line of a document that runs `emerald`, as its words."""
    for page in PAGES:
        for line in re.findall(
            r"^(?:    )?(emerald [a-z].*)$",
            page.read_text("utf-8").replace("\\\n", " "),
            re.MULTILINE,
        ):
            words = shlex.split(re.split(r"\s{2,}#|\s#\s|\s\|\s", line)[0].replace("'", ""))
            if words[1] in COMMANDS:
                yield page, words[1:]
    for line in re.findall(r'"!(emerald [^|"]+)', NOTEBOOK.read_text("utf-8")):
        yield NOTEBOOK, line.split()[1:]


def test_every_command_that_a_document_shows_has_the_flags_that_it_gives():
    lines = [name for name in COMMANDS if name not in SUBCOMMANDS]
    lines += [f"{name} {sub}" for name, subs in SUBCOMMANDS.items() for sub in subs.split()]
    done = subprocess.run(
        [sys.executable, "-c", HELP, *lines],
        cwd=ROOT, env=os.environ | {"COLUMNS": "200"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    texts = dict(part.split("\n", 1) for part in done.stdout.split("HELP OF ")[1:])
    shown = list(shown_commands())
    assert len(shown) > 50
    for page, words in shown:
        name = " ".join(words[:2]) if words[0] in SUBCOMMANDS else words[0]
        if "usage:" in texts.get(name, ""):  # else it needs packages that are not installed
            flags = [word.partition("=")[0] for word in words if word.startswith("--")]
            unknown = [flag for flag in flags if not re.search(rf"{flag}\b", texts[name])]
            assert not unknown, f"{page.name}: emerald {' '.join(words)}: {unknown}"
