"""A mistake is answered before anything slow is loaded, and help reads well."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from baselines.commands.emerald import COMMANDS, NEEDED, main
from baselines.settings.read_flags import field_texts, read_flags
from baselines.settings.train_config import TrainConfig

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = 80
SLOW = {
    "PIL", "cv2", "matplotlib", "pandas", "pygame", "ray", "scipy", "stable_baselines3",
    "tensorboard", "torch", "uvicorn", "wandb",
}  # fmt: skip
# what loads libmgba and a hundred libraries with it, what builds the rewards' tables, and what tyro
# would load to check the types of defaults
SLOW_FOR_EVERYDAY = {
    "asyncio", "emerald_env.emulator.library", "emerald_env.state", "rewards", "typeguard",
}  # fmt: skip
EVERYDAY = "train watch play evaluate benchmark diagnose session compare funnel checkpoint".split()
WRONG = [
    "train --rom missing.gba", "train --resume last", "train --start missing.sav",
    "train --init-from missing.zip", "train --teacher missing/", "train --alert missing",
    "watch missing", "sweep missing.toml", "play missing.zip", "play last", "evaluate missing.zip",
    "evaluate jade --against last", "diagnose missing", "session list", "archive list last",
    "funnel last", "checkpoint inspect missing.zip", "checkpoint convert missing.zip out.zip "
    "--manifest original_2023", "checkpoint export last out.zip", "replay last", "clip last",
    "audit missing.jsonl", "rescore last", "inspect missing.sav", "jade x",
]  # fmt: skip
HERE = [  # commands whose packages are installed
    name
    for name, (_, needs, _) in COMMANDS.items()
    if not needs or importlib.util.find_spec(NEEDED[needs][0])
]
RUN = """
import json, sys
from baselines.commands.emerald import main
answers = []
for line in json.loads(sys.argv[1]):
    sys.argv = ["emerald", *line.split()]
    try:
        main()
    except SystemExit as end:
        answers.append(end.code)
import gc
assert gc.isenabled()  # it waits only while a command is loaded
with open("answers.json", "w") as file:
    json.dump([answers, sorted(sys.modules)], file)
"""


def run_all(lines, folder):
    """Returns the status of each command, what was printed, and the modules that were loaded."""
    paths = os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": str(COLUMNS)}
    done = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(lines)],
        cwd=folder, env=paths, capture_output=True, text=True, check=True,
    )  # fmt: skip
    status, loaded = json.loads((folder / "answers.json").read_text())
    return status, done, set(loaded)


def test_help_is_answered_without_loading_anything_slow(tmp_path):
    status, done, loaded = run_all([f"{name} --help" for name in HERE], tmp_path)
    assert status == [0] * len(HERE) and not loaded & SLOW
    assert done.stdout.count("usage: emerald ") == len(HERE)
    assert [line for line in done.stdout.splitlines() if len(line) > COLUMNS] == []
    assert not re.search(r"None[}|]|\(default: (None|False)?\)|\[\[|\bSTR\b", done.stdout)


def test_everyday_commands_answer_without_the_emulator_and_the_rewards(tmp_path):
    names = [name for name in EVERYDAY if name in HERE]
    asked = [f"{name} {flag}" for name in names for flag in ("--help", "--no-such-flag")]
    wrong = ["train --rom no.gba", "play no.zip", "evaluate no.zip", "diagnose no", "session list"]
    status, _, loaded = run_all(asked + wrong, tmp_path)
    assert len(status) == len(asked + wrong)
    assert loaded & SLOW_FOR_EVERYDAY == set()


def test_a_misspelt_flag_is_answered_without_loading_anything_slow(tmp_path):
    status, done, loaded = run_all([f"{name} --no-such-flag" for name in HERE], tmp_path)
    assert set(status) == {2, 3} and not loaded & SLOW  # diagnose has its own
    assert "Traceback" not in done.stderr


def test_a_missing_file_is_answered_without_loading_anything_slow(tmp_path):
    status, done, loaded = run_all(WRONG, tmp_path)
    assert set(status) <= {1, 2, 3} and not loaded & SLOW
    said = done.stderr.splitlines()
    assert len(said) == len(WRONG) and all(line.startswith("error: ") for line in said), said


@pytest.mark.parametrize("word", ["help", "--help", "-h"])
def test_help_lists_every_command(word, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["emerald", word])
    with pytest.raises(SystemExit) as end:
        main()
    said = capsys.readouterr().out
    assert not end.value.code and all(f"emerald {name} " in said for name in COMMANDS)


def test_the_version_is_that_of_the_package(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["emerald", "--version"])
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code
    assert capsys.readouterr().out == version("pokemon-emerald-agent") + "\n"


def test_a_misspelt_command_is_answered_with_the_nearest(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["emerald", "trian"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 1 and "did you mean train?" in capsys.readouterr().err


def test_flags_that_exclude_each_other_are_one_line_without_a_class_name(capsys):
    with pytest.raises(SystemExit) as end:
        read_flags(TrainConfig, ["--actors", "2"])
    assert end.value.code == 2
    assert capsys.readouterr().err == "error: actors and overlap have nothing to do without --ray\n"


def test_a_setting_that_may_be_none_takes_a_value_or_the_word():
    assert read_flags(TrainConfig, ["--patience", "7"]).env.patience == 7
    assert read_flags(TrainConfig, ["--patience", "None"]).env.patience is None


def test_every_setting_has_a_text_of_one_line():
    texts = field_texts(TrainConfig)
    assert texts.keys() >= {"seed", "n_envs", "ray"} and "\n" not in "".join(texts.values())
