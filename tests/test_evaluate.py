import json

import numpy as np
import pytest
from gymnasium import Env, spaces
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.evaluate import Evaluation, evaluate, main, wilson


class Countdown(Env):
    """An env whose episodes have a length of its own and pay it."""

    observation_space = spaces.Box(0, 1, (1,), np.float32)
    action_space = spaces.Discrete(2)

    def __init__(self, length: int) -> None:
        self.length = length

    def reset(self, *, seed=None, options=None):
        self.left = self.length
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.left -= 1
        info = {"milestones": ["done"]}
        if not self.left:
            info["episode"] = {"r": float(self.length), "l": self.length, "t": 0.0}
        return np.zeros(1, np.float32), 0.0, False, not self.left, info


def test_each_game_counts_the_same_however_long_its_episodes_are():
    games = DummyVecEnv([lambda n=n: Countdown(n) for n in (1, 10)])
    result = evaluate(games, lambda _: np.zeros(2, int), episodes=6)
    assert sorted(result.rewards) == [1.0] * 3 + [10.0] * 3
    assert result.milestones == {"done": 6}


def test_the_margin_is_the_normal_approximations():
    result = Evaluation((1.0, 3.0), {})
    assert result.mean == 2.0
    assert result.margin == pytest.approx(1.96 * np.sqrt(2) / np.sqrt(2))
    assert Evaluation((1.0,), {}).margin == np.inf


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (5, 10), (10, 10), (1, 1000)])
def test_wilsons_interval_solves_its_equation(successes, trials):
    share = successes / trials
    for bound in wilson(successes, trials):
        # |share - p| = z sqrt(p (1 - p) / n) at both ends
        assert (share - bound) ** 2 == pytest.approx(1.96**2 * bound * (1 - bound) / trials)


def test_random_keys_are_evaluated_on_jade_and_repeat(capsys):
    command = ["--episodes", "2", "--n-envs", "2", "--episode-length", "30", "--json"]
    assert main(command) == 0
    first = json.loads(capsys.readouterr().out)
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out) == first
    assert len(first["rewards"]) == 2


def test_a_checkpoint_that_is_not_there_is_an_error(capsys):
    assert main(["none.zip"]) == 1
    assert "none.zip" in capsys.readouterr().err
