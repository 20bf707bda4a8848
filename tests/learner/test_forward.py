"""What a policy does while it plays is SB3's, to the bit."""

import numpy as np
import pytest
import torch
from gymnasium import spaces
from stable_baselines3.common.policies import ActorCriticPolicy

from baselines.learner.policy.cnn.networks import policy_kwargs
from baselines.learner.policy.policies import ActorCritic
from emerald_env.env.action_masks import MASKS

SCREEN = spaces.Box(0, 255, (2, 40, 60), np.uint8)
STATE = spaces.Box(-1, 1, (9,), np.float32)
MASK = spaces.Box(0, 1, (15,), np.uint8)
SEEN = {
    "picture": SCREEN,
    "both": spaces.Dict({"screen": SCREEN, "state": STATE}),
    "masks": spaces.Dict({"screen": SCREEN, "state": STATE, MASKS: MASK}),
}
ACTIONS = {"discrete": spaces.Discrete(15), "box": spaces.Box(-1, 1, (3,), np.float32)}


@pytest.mark.parametrize("separate", [False, True])
@pytest.mark.parametrize("actions", ACTIONS)
@pytest.mark.parametrize("seen", SEEN)
def test_actions_values_and_probabilities_are_sb3s_to_the_bit(seen, actions, separate):
    if seen == "masks" and actions == "box":
        return
    torch.manual_seed(1)
    kwargs = policy_kwargs("small", SEEN[seen]) | {"separate_networks": separate}
    policy = ActorCritic(SEEN[seen], ACTIONS[actions], lambda _: 1e-3, **kwargs)
    with torch.no_grad():
        policy.action_net.weight.mul_(100)  # so that actions differ in how likely they are
        for batch in (1, 8, 16):
            observations = SEEN[seen]
            found = [observations.sample() for _ in range(batch)]
            if isinstance(observations, spaces.Dict):
                obs = {key: torch.tensor(np.stack([o[key] for o in found])) for key in found[0]}
            else:
                obs = torch.tensor(np.stack(found))
            dice = torch.get_rng_state()
            ours = policy(obs)
            torch.set_rng_state(dice)
            for mine, theirs in zip(ours, ActorCriticPolicy.forward(policy, obs), strict=True):
                assert mine.dtype == theirs.dtype and torch.equal(mine, theirs)
