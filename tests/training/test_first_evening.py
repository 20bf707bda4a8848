"""The commands of the guide for a first evening work, on Jade."""

import re
import shlex
from pathlib import Path

import pytest
from helpers.at_the_keyboard import at_the_keyboard

from baselines.commands.learn import archive, funnel
from baselines.commands.play import jade_world, replay
from baselines.training.command_line import train_from_flags
from emerald_env.recordings.recording import Recording

GUIDE = Path(__file__).parents[2] / "docs" / "TEACHING.md"
SMALL = "--n-envs 2 --n-workers 1 --n-steps 32 --batch-size 32 --total-timesteps 128 --explore 0.1"
MAINS = {
    "replay": replay.main,
    "archive": archive.main,
    "funnel": funnel.main,
    "jade": jade_world.main,
}


def commands():
    """The commands of the guide, as words; without the ROM, which Jade does not need."""
    text = GUIDE.read_text().split("## A first evening")[1].split("\n## ")[0]
    for line in re.findall(r"^    emerald (.*)$", text, re.MULTILINE):
        yield shlex.split(line.replace("--rom emerald.gba", ""))


@pytest.mark.long
def test_the_commands_of_a_first_evening_work(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    done = []
    for name, *words in commands():
        done.append(name)
        if name == "play":
            with at_the_keyboard(monkeypatch, *words[1:]) as person:
                for _ in range(8):
                    person.keyboard.hold(30, "right")
                    person.keyboard.hold(30)
            assert Recording.load(tmp_path / "way" / "way.recording").n_steps > 400
        elif name == "train":
            assert train_from_flags([*words, *SMALL.split()]) == 0
            assert "key presses told as steps" in capsys.readouterr().out
        elif name != "watch":
            assert MAINS[name](words) == 0
    assert done == ["play", "replay", "train", "archive", "funnel", "watch", "jade"]
