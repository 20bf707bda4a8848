"""The guide is right: its code runs, its sums are sums, its tables and names are the code's."""

import ast
import importlib.util
import math
import re
from pathlib import Path
from typing import get_args

import pytest
from helpers.runs import STEPS, only_session, run
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from baselines.diagnostics import RULES
from baselines.diagnostics import metrics as m
from baselines.settings.train_config import PPOConfig
from baselines.training.callbacks.health.diagnose_callback import (
    MAX_RESCUES,
    RATE_FACTOR,
    OnCollapse,
)
from rewards.shares.shares import WINDOW, AlarmRule

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs" / "PPO_ELI15.md"
TEXT = GUIDE.read_text(encoding="utf-8")
SECONDS_PER_STEP = 24 / 59.7275
HEADINGS = re.findall(r"^### (.+)$", TEXT, re.MULTILINE)


def test_the_code_of_the_guide_runs():
    blocks = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert len(blocks) >= 5
    names = {}
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), names)
    assert "objective" in names and "advantages" in names


def test_the_objective_of_the_guide_takes_ten_lines():
    block = re.search(r"```python\n(import numpy.*?)```", TEXT, re.DOTALL)[1]
    assert len([line for line in block.splitlines() if line.strip()]) <= 10


SUMS = [
    (left, right)
    for left, right in re.findall(r"`([^`\n]+) = (-?[\d.,]+)`", TEXT)
    if re.search(r"[-+*/]|ln\(", left)
]


@pytest.mark.parametrize(("left", "right"), SUMS, ids=[f"{a} = {b}" for a, b in SUMS])
def test_a_sum_in_the_text_is_right_to_its_last_digit(left, right):
    value = eval(compile(ast.parse(left, mode="eval"), "sum", "eval"), {"ln": math.log})
    digits = len(right.partition(".")[2])
    assert round(value, digits) == float(right)


def test_there_are_sums_to_check():
    assert len(SUMS) >= 15


def test_the_table_of_gamma_is_right():
    rows = re.findall(r"^\| ([\d.]+) \| (\d+) \| (\d+) s \| (\d+) s \|$", TEXT, re.MULTILINE)
    assert len(rows) >= 6
    for gamma, steps, horizon, half in rows:
        exact = 1 / (1 - float(gamma))
        assert round(exact) == int(steps)
        assert round(exact * SECONDS_PER_STEP) == int(horizon)
        assert round(math.log(0.5) / math.log(float(gamma)) * SECONDS_PER_STEP) == int(half)


def test_the_settings_that_the_guide_calls_ours_are_ours():
    ours = PPOConfig()
    assert (ours.n_steps, ours.batch_size, ours.n_epochs) == (128, 512, 3)
    assert (ours.ent_coef, ours.vf_coef, ours.max_grad_norm) == (0.02, 0.5, 0.5)
    assert "1e-3 with 512 is what we begin with" in TEXT
    assert (ours.learning_rate, ours.clip_range) == (1e-3, 0.2)


def test_the_thresholds_that_the_guide_names_are_those_of_the_diagnosis():
    for code, row in {
        "kl_blow_up": "above 0.053 for several updates | above 0.1, or one above 0.5",
        "entropy_collapse": "below 0.15 while the reward is poor | below 0.05",
        "one_action": "above 0.8 | above 0.95",
        "reward_collapse": "lost 25 % of what was learnt | lost 40 %",
    }.items():
        assert f"| {row} |" in TEXT
        numbers = [float(number) for number in re.findall(r"[\d.]+(?= |,|$|\b)", row)]
        limits = (round(RULES[code].limit({}), 3), RULES[code].critical)
        assert all(limit in numbers or limit * 100 in numbers for limit in limits)


def test_what_the_guide_says_the_program_does_by_itself_is_what_it_does():
    assert "The program does just that by itself, up to three times" in TEXT
    assert (MAX_RESCUES, RATE_FACTOR) == (3, 0.5)
    assert "the last 50,000 steps" in TEXT and "60 % or more is earned by anything but" in TEXT
    assert (WINDOW, AlarmRule().share) == (50_000, 0.6)
    assert "--on-collapse rollback" in TEXT and "rollback" in get_args(OnCollapse)


def logged_names():
    """Every name in the code that is given to the logger, SB3's included."""
    import stable_baselines3.common.on_policy_algorithm as on_policy
    from stable_baselines3.ppo import ppo

    sources = [
        Path(on_policy.__file__),
        Path(ppo.__file__),
        ROOT / "baselines" / "learner" / "ppo.py",
    ]
    sources += sorted((ROOT / "baselines" / "training" / "callbacks").rglob("*.py"))
    names = set()
    for source in sources:
        pattern = r'record\(\s*f?"([a-z_]+/[^"]+)"(?![^\n]*exclude="tensorboard")'
        names |= set(re.findall(pattern, source.read_text()))
    constants = (value for name, value in vars(m).items() if name.isupper())
    return names | {value for value in constants if isinstance(value, str)}


def explained_names():
    """The names in the headings, and the beginnings of those that end in a <part>."""
    explained = {name for heading in HEADINGS for name in re.findall(r"`([^`]+)`", heading)}
    return explained, {name.partition("<")[0] for name in explained if "<" in name}


def test_what_a_short_run_logs_has_a_heading(tmp_path):
    advised = "--observation full --explore 0.5 --practice 0.5 --advice 0.5 --no-embed-places"
    assert run(tmp_path, *advised.split(), "--total-timesteps", str(3 * STEPS)) == 0
    explained, families = explained_names()
    tags = set(EventAccumulator(str(only_session(tmp_path).folder)).Reload().Tags()["scalars"])
    assert "train/approx_kl" in tags
    assert {t for t in tags - explained if not t.startswith(tuple(families))} == set()


def test_every_number_that_is_logged_has_a_heading():
    explained, families = explained_names()
    missing = {
        name
        for name in logged_names()
        if name not in explained
        and "train/{" not in name
        and name.partition("{")[0] not in families
        and name != "rollout/success_rate"  # only envs that call an episode a success have it
    }
    assert not missing


def test_every_picture_is_there_and_every_heading_of_a_number_has_one():
    for path in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", TEXT):
        assert (GUIDE.parent / path).is_file(), path
    sections = TEXT.partition("## Every number that we log")[2].split("\n### ")[1:]
    for section in sections:
        explained = "no picture" in section or section.startswith("`games/contact_sheet`")
        assert "![" in section or explained, section[:40]
    assert "![](" not in TEXT, "each picture says what it shows"


def test_sixty_lines_grow_from_the_policy_gradient_to_ppo_and_learn_cartpole():
    path = GUIDE.parent / "ppo_sixty_lines.py"
    code = re.sub(r'""".*?"""', "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len([line for line in code.splitlines() if line.strip()]) <= 66
    spec = importlib.util.spec_from_file_location("ppo_sixty_lines", path)
    sixty = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sixty)
    curve = sixty.learn("ppo", updates=12, seed=1)
    assert curve[0] < 40 and max(curve[-4:]) > 120
    for method in ("gradient", "baseline"):
        assert len(sixty.learn(method, updates=1)) == 1


def test_links_within_the_guide_lead_somewhere():
    anchors = {
        re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.+)$", TEXT, re.MULTILINE)
    }
    for anchor in re.findall(r"\]\(#([^)]+)\)", TEXT):
        assert anchor in anchors
    for path in re.findall(r"\]\(((?!http|#)[^)]+)\)", TEXT):
        assert (GUIDE.parent / path).exists(), path
