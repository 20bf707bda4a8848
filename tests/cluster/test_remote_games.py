"""Training on actors, without Ray: the actors are objects of this process."""

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium import spaces
from helpers.learnt import everything
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.playing.evaluation import is_clear
from baselines.playing.intervals import difference_of_means
from baselines.runs.session import Session
from baselines.training import run as training
from baselines.training.config import parse
from baselines.training.model import as_learnt, fit_to_machine, make_model
from cluster import actor as actor_module
from cluster.actor import Actor
from cluster.actors import limits_of, parts_of
from cluster.games import RemoteGames
from emerald_env.env.actions import action_set
from emerald_env.env.observation import observation_space

SMALL = (
    "--n-envs 4 --n-steps 16 --batch-size 32 --n-epochs 2 --episode-length 20 --start-wait 3 "
    "--frame-skip 8 --hold-frames 4 --device cpu --backend dummy --total-timesteps 192 "
    "--record none --explore 0"
)
OPTIONS = {
    "the default command's network": "",
    "pictures alone": "--observation screen --network small --n-stack 3",
    "an LSTM": "--recurrent --sequence-length 8 --lstm-size 16",
    "all that normalises": "--normalize-observations --normalize-returns --scale-rewards",
    "masks": "--action-masks",
    "what changes the update": "--recompute-advantage --advantage-scope batch --target-kl 0.01",
    "two networks": "--separate-networks --value-lr-ratio 2",
    "an archive and its advice": "--explore 0.4 --practice 0.5 --advice 0.5 --patience 10",
}

torch.set_num_threads(1)


class ActorsHere:
    """Stands for `Actors`: asks one after the other, and at once."""

    def __init__(self, config):
        parts = parts_of(config, [8])
        self.games = [part.games for part in parts]
        self.firsts = [own.start for own in self.games]
        self.losses = 0
        self.actors = [Actor(part) for part in parts]

    def use_joined(self):
        pass

    def share(self, weights):
        return weights

    def bring(self, paths):
        assert all(path.is_file() for path in paths)

    def each(self, method, arguments):
        return [getattr(a, method)(*own) for a, own in zip(self.actors, arguments, strict=True)]

    def send(self, questions):
        return [getattr(self.actors[q.seat], q.method)(*q.arguments) for q in questions]

    def answers(self, questions, sent):
        return sent

    def ask(self, questions):
        return self.answers(questions, self.send(questions))

    def close(self):
        pass


def open_games(config):
    return as_learnt(config, RemoteGames(config, ActorsHere(config)))


def trained(sessions, flags, *more):
    """Trains; returns the session."""
    config = parse([*SMALL.split(), *flags.split(), *more, "--sessions", str(sessions)])
    how = {} if config.ray is None else {"open_games": open_games}
    assert training.train(config, **how) == 0
    (folder,) = sessions.iterdir()
    return Session(folder)


@pytest.mark.parametrize("flags", OPTIONS.values(), ids=OPTIONS)
def test_one_actor_learns_the_same_to_the_bit_as_no_actor(flags, tmp_path):
    here = trained(tmp_path / "here", flags)
    there = trained(tmp_path / "there", flags, "--ray", "--actors", "1")
    assert everything(there) == everything(here)


@pytest.mark.parametrize("flags", ["", OPTIONS["an LSTM"]], ids=["plain", "an LSTM"])
def test_several_actors_learn_the_same_whenever_they_are_asked(flags, tmp_path):
    one, other = (
        trained(tmp_path / name, flags, "--ray", "--actors", "3", "--novelty-coef", "0.2")
        for name in "ab"
    )
    assert everything(one) == everything(other)


def test_what_several_actors_count_is_what_one_would_count(tmp_path):
    """Episodes end after so many steps, whatever is done in them: there are as many of them."""
    several = trained(tmp_path / "several", "--ray --actors 3")
    one = trained(tmp_path / "one", "--ray --actors 1")
    lengths = [[(e["game"], e["num_timesteps"]) for e in s.read_episodes()] for s in (several, one)]
    assert lengths[0] == lengths[1]


@pytest.mark.parametrize("there", [("--ray", "--actors", "1"), ("--ray", "--actors", "2")], ids=len)
def test_a_checkpoint_of_actors_resumes_without_them_and_back(there, tmp_path):
    session = trained(tmp_path / "a", "--ray --actors 1", "--total-timesteps", "64")
    go_on = ["--resume", str(session.folder), "--sessions", str(tmp_path / "a")]
    for steps, flags in ((128, ()), (192, there)):
        config = parse([*go_on, "--total-timesteps", str(steps), *flags])
        how = {} if config.ray is None else {"open_games": open_games}
        assert training.train(config, **how) == 0
    if there[-1] == "1":
        assert everything(session) == everything(trained(tmp_path / "whole", ""))
    assert session.latest_checkpoint().name == "ppo_192_steps.zip"


def test_with_overlap_a_rollout_is_played_with_the_weights_from_before_the_update(monkeypatch):
    config = fit_to_machine(parse([*SMALL.split(), "--ray", "--actors", "2", "--overlap"]))
    games = open_games(config)
    model = make_model(config, games)
    played = []
    real = Actor.play

    def play(actor, weights, beginning):
        played.append({name: part.copy() for name, part in weights.items()})
        return real(actor, weights, beginning)

    monkeypatch.setattr(Actor, "play", play)
    known = []
    monkeypatch.setattr(model, "train", recording(model.train, known, model))
    model.learn(192)
    # each rollout is played by two actors; the first two know the weights before any update
    versions = [0, 0, 1, 2]
    assert len(played) == 8
    for number, version in enumerate(versions):
        for weights in played[2 * number : 2 * number + 2]:
            for name, part in weights.items():
                np.testing.assert_array_equal(known[version][name], part)


def test_what_parts_of_the_policy_share_is_sent_once(monkeypatch):
    config = fit_to_machine(parse([*SMALL.split(), "--ray", "--actors", "1"]))
    model = make_model(config, open_games(config))
    sent = []
    monkeypatch.setattr(
        ActorsHere, "share", lambda actors, weights: sent.append(weights) or weights
    )
    model.learn(64)
    whole = {part.data_ptr() for part in model.policy.state_dict().values()}
    assert len(sent[0]) == len(whole) < len(model.policy.state_dict())


def recording(train, known, model):
    def weights():
        return {name: part.numpy().copy() for name, part in model.policy.state_dict().items()}

    def recorded():
        if not known:
            known.append(weights())
        train()
        known.append(weights())

    return recorded


def test_an_actor_has_longer_to_start_than_to_answer():
    assert [limits_of(seconds).start_seconds for seconds in (3, 300)] == [120, 1200]
    assert limits_of(300).seconds == 300


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
    space, actions = observation_space(config.env), len(action_set(config.env.action_set))
    games = DummyVecEnv([lambda: Monitor(Match(space, actions))] * config.n_envs)
    games.seed(config.seed)
    return games


@pytest.mark.long
def test_four_actors_learn_as_much_as_none(monkeypatch):
    monkeypatch.setattr(actor_module, "plain_games", match_games)
    flags = (
        "--observation screen --network small --n-envs 8 --n-steps 32 --batch-size 128 --device cpu"
    )

    def score(seed, open_match, *more):
        """The share of right keys in the last quarter of a short training."""
        config = fit_to_machine(
            parse([*flags.split(), "--device", "cpu", "--seed", str(seed), *more])
        )
        model = make_model(config, open_match(config))
        rewards = []
        model.learn(6144, lambda local, _: rewards.append(local["rewards"].mean()) or True)
        return float(np.mean(rewards[-len(rewards) // 4 :]))

    def here(config):
        return as_learnt(config, match_games(config))

    alone = [score(seed, here) for seed in range(3)]
    four = [score(seed, open_games, "--ray", "--actors", "4") for seed in range(3)]
    print(alone, four)
    assert min(alone + four) > 0.5, "a guess among fifteen keys is right in a fifteenth"
    assert not is_clear(difference_of_means(alone, four)), (alone, four)
