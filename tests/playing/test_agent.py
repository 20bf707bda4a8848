"""A policy as a player: the same actions as SB3's own `predict`, with its memory carried on."""

import numpy as np
import pytest
import torch
from gymnasium import spaces

from baselines.learner.masks_in_observation import MASKS
from baselines.learner.policy.policies import ActorCritic
from baselines.learner.policy.recurrent import RecurrentActorCritic
from baselines.playing.agent import Agent

N_ENVS, N_ACTIONS = 3, 5
SEEN = spaces.Box(-1, 1, (4,), np.float32)
ACTIONS = spaces.Discrete(N_ACTIONS)


def observations(count):
    dice = np.random.default_rng(0)
    return [dice.uniform(-1, 1, (N_ENVS, 4)).astype(np.float32) for _ in range(count)]


@pytest.fixture(params=[False, True], ids=["plain", "recurrent"])
def policy(request):
    torch.manual_seed(0)
    made = (RecurrentActorCritic if request.param else ActorCritic)(SEEN, ACTIONS, lambda _: 0.0)
    with torch.no_grad():
        made.action_net.weight.mul_(50)  # so that the likeliest action changes with what is seen
    made.set_training_mode(False)
    return made


@pytest.mark.parametrize("greedy", [False, True])
def test_an_agent_acts_as_predict_does_with_its_memory_carried_on(policy, greedy):
    starts = np.ones(N_ENVS, bool)
    agent, state = Agent(policy, greedy), None
    for number, seen in enumerate(observations(12)):
        if isinstance(policy, RecurrentActorCritic):
            torch.manual_seed(number)
            wanted, state = policy.predict(seen, state, starts, deterministic=greedy)
        else:
            torch.manual_seed(number)
            wanted, _ = policy.predict(seen, deterministic=greedy)
        torch.manual_seed(number)
        thoughts = agent.think(seen, starts)
        assert (thoughts.actions == wanted).all()
        assert thoughts.probabilities.shape == (N_ENVS, N_ACTIONS)
        assert thoughts.probabilities.sum(1) == pytest.approx(np.ones(N_ENVS), abs=1e-5)
        assert thoughts.values.shape == (N_ENVS,)
        if greedy:
            assert (thoughts.probabilities.argmax(1) == wanted).all()
        starts = np.array([number == 5, number % 4 == 0, False])  # some episodes start again


def test_memory_begins_anew_where_an_episode_does(policy):
    if not isinstance(policy, RecurrentActorCritic):
        pytest.skip("it has none")
    first, second = observations(2)
    fresh, used = Agent(policy, greedy=True), Agent(policy, greedy=True)
    used.think(first, np.ones(N_ENVS, bool))
    carried_on = used.think(second, np.zeros(N_ENVS, bool)).probabilities
    afresh = fresh.think(second, np.ones(N_ENVS, bool)).probabilities
    assert np.abs(carried_on - afresh).max() > 1e-4
    begun = Agent(policy, greedy=True)
    begun.think(first, np.ones(N_ENVS, bool))
    again = begun.think(second, np.ones(N_ENVS, bool)).probabilities
    assert again == pytest.approx(afresh, abs=1e-6)


@pytest.mark.parametrize("kind", [ActorCritic, RecurrentActorCritic])
def test_a_masked_action_has_no_probability_and_is_never_taken(kind):
    space = spaces.Dict({"seen": SEEN, MASKS: spaces.Box(0, 1, (N_ACTIONS,), np.uint8)})
    agent = Agent(kind(space, ACTIONS, lambda _: 0.0))
    masks = np.tile(np.array([0, 1, 0, 1, 0], np.uint8), (N_ENVS, 1))
    for seen in observations(10):
        thoughts = agent.think({"seen": seen, MASKS: masks}, np.zeros(N_ENVS, bool))
        assert (thoughts.probabilities[:, masks[0] == 0] == 0).all()
        assert set(thoughts.actions) <= {1, 3}
