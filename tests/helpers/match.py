"""A game that is learnt within seconds, for actors in this process and on a cluster."""

from contextlib import closing

import gymnasium
import numpy as np
from gymnasium import spaces
from scipy import stats
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.cluster import actor
from baselines.playing.evaluation import is_clear
from baselines.playing.intervals import difference_of_means
from baselines.training.command_line import parse
from baselines.training.model import as_learnt, fit_to_machine, make_model
from emerald_env.env.actions import action_set
from emerald_env.env.observation import observation_space

FLAGS = "--observation screen --network small --n-envs 8 --n-steps 32 --batch-size 128 --device cpu"


class Match(gymnasium.Env):
    """Shows a dark or a bright picture; the first key is right for one, the second else."""

    def __init__(self, space, n_actions):
        self.observation_space, self.action_space = space, spaces.Discrete(n_actions)

    def _show(self):
        self._bright = int(self.np_random.integers(2))
        return np.full(self.observation_space.shape, 40 + 170 * self._bright, np.uint8)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._left = 8
        return self._show(), {}

    def step(self, action):
        reward = float(action == self._bright)
        self._left -= 1
        return self._show(), reward, self._left == 0, False, {}


def match_games(config, first=0):
    """Stands for `plain_games`."""
    space, actions = observation_space(config.env), len(action_set(config.env.action_set))
    games = DummyVecEnv([lambda: Monitor(Match(space, actions))] * config.n_envs)
    games.restarts = 0  # as our own vector env counts them
    games.seed(config.seed)
    return games


def match_here(config):
    """The games of a run without actors."""
    return as_learnt(config, match_games(config))


class MatchActor(actor.Actor):
    """An actor that plays this game, in whatever process it is."""

    def __init__(self, part):
        actor.plain_games = match_games
        super().__init__(part)


def trained(seed, open_games, *flags, samples=12_288):
    """Trains; returns the model and the share of right keys in each step of all games."""
    config = fit_to_machine(parse([*FLAGS.split(), "--seed", str(seed), *flags]))
    with closing(open_games(config)) as games:
        model, right = make_model(config, games), []
        model.learn(samples, lambda local, _: right.append(local["rewards"].mean()) or True)
    return model, np.array(right)


def assert_equivalent(some, others):
    """Two one-sided tests of equivalence (Schuirmann 1987), with the shares of right keys of runs.

    A guess among fifteen keys is right in a fifteenth. A difference of 0.15 would be a quarter of
    what is learnt.
    """
    print(some, others)
    assert min(some + others) > 0.5
    assert not is_clear(difference_of_means(some, others)), (some, others)
    low, high = stats.ttest_ind(some, others, equal_var=False).confidence_interval(0.9)
    assert -0.15 < low < high < 0.15, (low, high)
