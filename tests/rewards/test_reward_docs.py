"""The code in the pages on rewards runs."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.fakes import START

from rewards import load_preset, own_preset
from rewards.reward import Reward

ROOT = Path(__file__).resolve().parents[2]
OWN = (ROOT / "docs/OWN_REWARDS.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", OWN, re.DOTALL)
FUNCTIONS = [block for block in BLOCKS if "def reward" in block]


def test_the_functions_of_the_page_pay():
    assert len(FUNCTIONS) == 2
    made = {}
    for block in FUNCTIONS:
        names = {}
        exec(compile(block, "OWN_REWARDS.md", "exec"), names)
        reward = Reward(own_preset(names["reward"]))
        reward.reset(START)
        made |= reward(START, replace(START, position=(9, 9)))
        if "env" in names:
            names["env"].reset(seed=0)
            assert names["env"].step(0)[4]["reward_terms"].keys() == {"reward"}
            names["env"].close()
    assert made == {"reward": pytest.approx(0.009), "moved": 0.01, "level": 0.0}


def test_the_term_and_the_preset_of_the_page_fit_together(tmp_path):
    (term,) = re.findall(r"```python\n(# my_terms.py.*?)```", OWN, re.DOTALL)
    (preset,) = re.findall(r"```toml\n(.*?)```", OWN, re.DOTALL)
    (tmp_path / "my_terms.py").write_text(term)
    (tmp_path / "mine.toml").write_text(preset)
    loaded = load_preset(tmp_path / "mine.toml", code=[tmp_path / "my_terms.py"])
    assert loaded.most_between_milestones("my_terms.py:Wealth") == 0.2


def test_three_edits_add_a_term_to_the_package_and_its_tests_agree(tmp_path):
    page = (ROOT / "docs/REWARDS.md").read_text()
    (term,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len([line for line in term.splitlines() if line]) <= 20
    shutil.copytree(ROOT / "rewards", tmp_path / "rewards")
    terms, default = tmp_path / "rewards/terms", tmp_path / "rewards/presets/default.toml"
    (terms / "wealth.py").write_text(term)
    listed = (terms / "__init__.py").read_text()
    listed = listed.replace("\n\nTERMS", "\nfrom rewards.terms.wealth import Wealth\n\nTERMS")
    (terms / "__init__.py").write_text(listed.replace("Healing(),", "Healing(), Wealth(),"))
    weights, limits = default.read_text().split("\n[limits]\n")
    limits = limits.replace("experience = 0.95", "experience = 0.9") + "wealth = 0.05\n"
    default.write_text(f"{weights}\nwealth = 0.001\n\n[limits]\n{limits}")
    tests = ROOT / "tests/rewards"
    names = [f"{tests}/test_rewards_presets.py", f"{tests}/test_rewards.py", "-k", "preset or says"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-x", *names],
        env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
