"""Training on actors, without Ray: the actors are objects of this process."""

import numpy as np
import pytest
import torch
from helpers.actors_here import ActorsHere, open_games
from helpers.learnt import everything
from helpers.own_code import own_code

from baselines.cluster.actor import Actor
from baselines.cluster.actors import limits_of
from baselines.runs.session_folder import Session
from baselines.training import phases
from baselines.training.command_line import parse
from baselines.training.model import fit_to_machine, make_model
from baselines.training.run import Run

SMALL = (
    "--n-envs 4 --n-steps 16 --batch-size 32 --n-epochs 2 --episode-length 20 --start-wait 3 "
    "--frame-skip 8 --hold-frames 4 --device cpu --n-workers 1 --total-timesteps 192 "
    "--record none --explore 0"
)
STUDENT = (
    "--observation screen --n-stack 1 --n-steps 24 --batch-size 96 --sequence-length 24 "
    "--lstm-size 16 --labels.stored 96 --labels.lanes 4 --labels.reads 2 --total-timesteps 288"
)
OPTIONS = {
    "the default command's network": "",
    "pictures alone": "--observation screen --network small --n-stack 3",
    "an LSTM": "--recurrent --sequence-length 8 --lstm-size 16",
    "all that normalises": (
        "--normalize-observations --no-embed-places --normalize-returns --scale-rewards"
    ),
    "masks": "--action-masks",
    "what changes the update": "--recompute-advantage --advantage-scope batch --target-kl 0.01",
    "two networks": "--separate-networks --value-lr-ratio 2",
    "labels of a guide": f"--teacher guide {STUDENT}",
    "labels of a network, after an episode of the student": (
        f"--teacher jade --seed 5 --frame-skip 24 --hold-frames 12 {STUDENT}"
    ),
    "an archive and its advice": "--explore 0.4 --practice 0.5 --advice 0.5 --patience 10",
}
torch.set_num_threads(1)


def trained(sessions, flags, *more):
    """Trains; returns the session."""
    config = parse([*SMALL.split(), *flags.split(), *more, "--sessions", str(sessions)])
    assert carried_out(config) == 0
    (folder,) = sessions.iterdir()
    return Session(folder)


def carried_out(config):
    """Trains, with actors in this process where the settings ask for a cluster."""
    games = phases.make_games if config.ray is None else open_games
    return phases.carry_out(Run(fit_to_machine(config)), games)


@pytest.mark.parametrize("flags", OPTIONS.values(), ids=OPTIONS)
def test_one_actor_learns_the_same_to_the_bit_as_no_actor(flags, tmp_path):
    here = trained(tmp_path / "here", flags)
    there = trained(tmp_path / "there", flags, "--ray", "--actors", "1")
    assert everything(there) == everything(here)


def test_an_actor_runs_code_of_ones_own_as_no_actor_does(tmp_path):
    """The same to the bit: a reward that counts, a term beside ours, a wrapper, a network."""
    for number, flags in enumerate(own_code(tmp_path)):
        flags += " --total-timesteps 64"
        here = trained(tmp_path / f"here{number}", flags)
        there = trained(tmp_path / f"there{number}", flags, "--ray", "--actors", "1")
        assert everything(there) == everything(here)


@pytest.mark.parametrize("name", ["the default command's network", "an LSTM", "labels of a guide"])
def test_several_actors_learn_the_same_whenever_they_are_asked(name, tmp_path):
    flags = [OPTIONS[name], "--ray", "--actors", "3", "--novelty-coef", "0.2"]
    one, other = (trained(tmp_path / run, *flags) for run in "ab")
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
        assert carried_out(config) == 0
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


def test_no_two_rollouts_actors_or_seeds_have_the_same_random_numbers(monkeypatch):
    drawn = []
    real = Actor._begin

    def begin(actor, weights, beginning):
        real(actor, weights, beginning)
        drawn.append(tuple(torch.rand(4).tolist()))
        beginning.dice.restore()

    monkeypatch.setattr(Actor, "_begin", begin)
    for seed in "01":
        flags = ["--ray", "--actors", "3", "--seed", seed]
        config = fit_to_machine(parse([*SMALL.split(), *flags]))
        make_model(config, open_games(config)).learn(192)
    assert len(drawn) == len(set(drawn)) == 2 * 3 * 3, "seeds, rollouts and actors"


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
