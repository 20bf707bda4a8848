"""What is written about the console runs."""

import re
import runpy
from pathlib import Path

import pytest

from emerald_env.emulator.pictures.window import Window

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "GBA.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
EXAMPLES = sorted((ROOT / "examples" / "console").glob("*.py"))
SAID = {
    "screenshot": r"JADE 420 \(160, 240, 4\)",
    "watch_memory": r"(0x0300\w{4} changed \d+ times and is \d+\n){5}",
    "count_calls": r"0x080000E0 was reached [1-9]\d* times in 10 frames\n  with lr = 0x08",
    "find_value": r"[1-9]\d* bytes counted up six times: 0x0300.*\n.* is now held at 77",
    "go_back": r"at frame 660\n(18\d|19\d|2[0-3]\d) frames back.*\nthe saved state: at frame 60",
    "film_strip": r"15 pictures of \(240, 160\)",
    "random_bot": r"[1-9] values of 0x02037360 with (\w+ ?){8}, frame 792\n",
    "play_in_window": r"JADE was closed after 1 frames",
    "layers": r"background \d tiles[\s\S]* sprites [\s\S]*\n48\d{3} samples",
}


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_the_code_on_the_page_runs(block, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "GBA.md", "exec"), {})
    assert capsys.readouterr().out


def test_every_public_name_of_the_console_is_on_the_page(jade):
    parts = [jade, jade.memory_scanner, jade.gameshark, jade.register_file, jade.screen]
    parts += [jade.get_sprite(0), jade.get_background(0)]
    names = {name for part in parts for name in dir(part) if not re.match(r"_|r\d", name)}
    assert len(names) > 60
    assert not sorted(name for name in names if not re.search(rf"\b{name}\b", PAGE))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_says_what_it_should(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setattr(Window, "show", lambda *_, **__: False)  # somebody closes it at once
    assert len(path.read_text().splitlines()) < 60
    runpy.run_path(str(path))["main"]()
    assert re.match(SAID[path.stem], capsys.readouterr().out)


def test_the_programs_of_pyboy_s_kind_use_its_names_alone():
    """The first column of the page's table has PyBoy's names."""
    names = " ".join(re.findall(r"^\| ([^|]*)\|", PAGE, re.MULTILINE))
    texts = {path: path.read_text() for path in EXAMPLES}
    programs = {path: text for path, text in texts.items() if "GBA as PyBoy" in text}
    assert len(programs) == 3
    for path, text in programs.items():
        for name in set(re.findall(r"pyboy\.([\w.]+)", text)):
            assert re.search(
                rf"\b{name.removesuffix('.convert').removesuffix('.size')}\b", names
            ), (path, name)
