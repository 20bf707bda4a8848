"""The programs in examples/ run, and say what they promise."""

import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import imageio
import pygame
import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
RUNS = {  # what each prints, with few steps
    "ppo_with_sb3.py": ("128", r"places: \[['\"]\w+"),
    "own_reward.py": ("40", r"begins in Truck(.|\n)*'time': -0\.4"),
    "train_any_game.py": ("64", r"replayed 32 steps, 2 hashes are equal"),
    "another_game.py": ("40", r"picture \(80, 120, 1\) values \{'frames': \d+, 'x': -?\d+\}"),
}


def ended(name, *arguments, folder):
    command = [sys.executable, str(EXAMPLES / name), *arguments]
    paths = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=folder, env=paths, capture_output=True, text=True)


def run(name, *arguments, folder):
    done = ended(name, *arguments, folder=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_an_example_runs(name, tmp_path):
    steps, expected = RUNS[name]
    assert re.search(expected, run(name, steps, folder=tmp_path))


def test_a_film_is_as_long_as_the_game(tmp_path):
    printed = run("film.py", "my films/film.mp4", "5", folder=tmp_path)
    assert printed == "121 frames, 2.0 seconds\n"  # the first, and five steps of 24
    film = imageio.get_reader(tmp_path / "my films" / "film.mp4").get_meta_data()
    assert film["duration"] == pytest.approx(121 / 59.7275, rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("film.py", "", "usage: python examples/film.py FILE.mp4 [STEPS]\n"),
        ("film.py", "film 5", "usage: python examples/film.py FILE.mp4 [STEPS]\n"),
        ("film.py", "film.mp4 many", "usage: python examples/film.py FILE.mp4 [STEPS]\n"),
        ("another_game.py", "no.gba", "usage: python examples/another_game.py [STEPS] [ROM]\n"),
        (
            "another_game.py",
            "5 no.gba",
            "error: no ROM at no.gba\nusage: python examples/another_game.py [STEPS] [ROM]\n",
        ),
        ("own_reward.py", "-1", "usage: python examples/own_reward.py [STEPS]\n"),
        ("ppo_with_sb3.py", "1 2", "usage: python examples/ppo_with_sb3.py [STEPS]\n"),
        ("train_any_game.py", "a", "usage: python examples/train_any_game.py [STEPS] [ROM]\n"),
        ("train_any_game.py", "5 no.gba", "error: no ROM at no.gba\n"),
    ],
)
def test_an_argument_that_an_example_cannot_use_is_answered_with_what_it_takes(
    name, arguments, expected, tmp_path
):
    done = ended(name, *arguments.split(), folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", expected)


def test_the_keyboard_plays(monkeypatch, capsys):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import keyboard

    def press():
        while not (pygame.display.get_init() and pygame.display.get_surface()):
            time.sleep(0.1)
        for _ in range(12):
            pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_RIGHT))
            time.sleep(0.2)
        pygame.event.post(pygame.event.Event(pygame.QUIT))

    hand = threading.Thread(target=press)
    hand.start()
    keyboard.main()
    hand.join()
    assert "+0.01 in Truck" in capsys.readouterr().out


def test_every_example_is_tried_and_short():
    tried = {*RUNS, "film.py", "keyboard.py"}
    assert tried <= {path.name for path in EXAMPLES.glob("*.py")}
    for path in EXAMPLES.glob("*.py"):
        assert len(path.read_text().splitlines()) < 60, path
