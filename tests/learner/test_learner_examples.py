"""The learners in examples/ learn for some updates."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import torch

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "learners"
EXAMPLES = sorted(path.stem for path in FOLDER.glob("learner_*.py"))
# what is not among the project's own packages; RLlib needs "tree"
NEEDED = {"learner_torchrl": "torchrl", "learner_rllib": "tree"}


def load(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_learns_for_three_updates(name, capsys):
    if name in NEEDED:
        pytest.importorskip(NEEDED[name])
    module = load(name)
    assert module.main(total_timesteps=96, n_envs=2, n_steps=16) > 0
    assert "96 samples" in capsys.readouterr().out


@pytest.mark.parametrize("name", EXAMPLES)
def test_it_can_be_read_in_one_go(name):
    assert len((FOLDER / f"{name}.py").read_text().splitlines()) < 150


def test_the_single_files_advantages_are_those_of_the_sum_that_defines_them():
    """Schulman et al. 2016, equation 16: discounted sums of errors, cut where episodes end."""
    module = load("learner_single_file")
    rng = np.random.default_rng(0)
    rewards, values = (torch.as_tensor(rng.normal(size=(9, 2))) for _ in range(2))
    last, overs = torch.as_tensor(rng.normal(size=2)), torch.zeros(9, 2)
    overs[4, 1] = 1
    found = module.advantages(rewards, values, last, overs)
    after = torch.cat([values[1:], last[None]])
    errors = rewards + module.GAMMA * (1 - overs) * after - values
    for game in range(2):
        for step in range(9):
            ends = [k for k in range(step, 9) if overs[k, game]]
            until = ends[0] + 1 if ends else 9
            shares = [(module.GAMMA * module.LAMBDA) ** (k - step) for k in range(step, until)]
            total = sum(
                s * errors[k, game] for s, k in zip(shares, range(step, until), strict=True)
            )
            assert found[step, game] == pytest.approx(float(total))
