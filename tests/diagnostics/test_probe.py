"""The probe worlds: our learner solves them, and one whose part is broken is found by its world."""

import pytest

from baselines.commands.check import probe as probes
from baselines.learner import ppo


def test_our_learner_works_in_all_five_worlds(capsys):
    assert probes.main([]) == 0
    assert capsys.readouterr().out.count("works") == 5


def test_a_learner_that_does_not_discount_is_broken_in_the_third_world(monkeypatch, capsys):
    class Undiscounted(ppo.PPO):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **{**kwargs, "gamma": 1.0})

    monkeypatch.setattr(ppo, "PPO", Undiscounted)
    monkeypatch.setattr(probes, "PROBES", probes.PROBES[1:3])
    assert probes.main([]) == probes.BROKEN
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["works", "broken"]


@pytest.mark.parametrize(
    "flags, problem", [("--steps 0", "at least 1"), ("--steps -1", "at least"), ("--seed -1", "0")]
)
def test_a_training_of_no_steps_is_refused_before_the_learner_is_called_broken(
    flags, problem, capsys
):
    with pytest.raises(SystemExit) as end:
        probes.main(flags.split())
    said = capsys.readouterr()
    assert end.value.code and problem in said.err and not said.out


@pytest.mark.parametrize("probe", probes.PROBES, ids=lambda probe: probe.tests)
def test_a_world_pays_what_its_values_say_to_a_perfect_player(probe):
    env = probes.ProbeEnv(probe)
    for seed in range(8):
        seen, _ = env.reset(seed=seed)
        start, factor, done = float(seen[0]), 1.0, False
        rewards = []
        while not done:
            best = max(range(probe.actions), key=lambda a: probe.reward(start, a))
            _, reward, done, _, _ = env.step(best)
            rewards.append(factor * reward)
            factor *= probes.GAMMA
        assert sum(rewards) == probe.values[start]
