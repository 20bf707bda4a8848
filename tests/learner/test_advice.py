"""A teacher's advice in PPO's loss, and the numbers that are learnt for places."""

from types import SimpleNamespace

import gymnasium
import numpy as np
import pytest
import torch
from torch.distributions import Categorical

from baselines.learner.policy.place_embedding import FACTORS, SCALES, PlaceEmbedding, _rows
from baselines.learner.ppo import PPO, Speed
from baselines.learner.rollout import Minibatch
from emerald_env.env.observation import FULL_SIZE, VECTOR_SIZE
from emerald_env.env.state_vector.state_layout import LAYOUT


class Silent(gymnasium.Env):
    """Pays nothing; says which of two actions somebody might advise."""

    observation_space = gymnasium.spaces.Box(0, 1, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self._next(), {}

    def step(self, action):
        return self._next(), 0.0, bool(self.np_random.random() < 0.1), False, {}

    def _next(self):
        return self.np_random.integers(2, size=1).astype(np.float32)


def advised(observations):
    """Action 2 where the observation is 1, else none."""
    return torch.where(observations[:, 0] > 0.5, 2, -1)


def model(**settings):
    sizes = {"n_steps": 64, "batch_size": 32, "n_epochs": 4, "learning_rate": 0.01}
    return PPO("MlpPolicy", Silent(), device="cpu", seed=0, **sizes, **settings)


def batch_of(observations):
    n = len(observations)
    zeros = torch.zeros(n)
    return Minibatch(observations, zeros, zeros, torch.full((n,), -1.3), zeros, zeros)


def test_the_advice_loss_is_the_cross_entropy_of_the_advised_samples():
    with_advice, without = model(advisor=advised, advice_coef=0.7), model()
    batch = batch_of(torch.tensor([[0.0], [1.0], [1.0], [0.0], [1.0]]))
    log = {name: [] for name in ("approx_kl", "clip_fraction", "policy_gradient_loss", "loss")}
    log |= {name: [] for name in ("value_loss", "entropy_loss", "advice_loss", "advised")}
    log["advice_followed"] = []
    for each in (with_advice, without):
        each.clip = 0.2
    difference = with_advice.loss(batch, log) - without.loss(batch, log)
    probability = without.policy.get_distribution(torch.ones(1, 1)).distribution.probs[0, 2]
    expected = -0.7 * 3 / 5 * torch.log(probability)
    assert difference.item() == pytest.approx(expected.item(), rel=1e-4)
    assert log["advised"][0] == pytest.approx(3 / 5)


def test_advice_to_take_a_masked_action_is_no_advice():
    logits = torch.randn(4, 5, requires_grad=True)
    allowed = torch.ones(4, 5, dtype=torch.bool)
    allowed[1, 2] = False
    policy = SimpleNamespace(
        distribution=Categorical(logits=logits.masked_fill(~allowed, float("-inf")))
    )
    log = {name: [] for name in ("advice_loss", "advised", "advice_followed")}
    batch = batch_of(torch.tensor([[0.0], [1.0], [1.0], [0.0]]))  # the advised action is 2
    loss = model()._advice_loss(advised, policy, batch, log)
    loss.backward()
    expected = -torch.log_softmax(logits.detach()[2], dim=0)[2] / 4
    assert loss.item() == pytest.approx(expected.item(), rel=1e-5)
    assert log["advised"][0] == pytest.approx(1 / 4)
    assert torch.isfinite(logits.grad).all() and not logits.grad[1].any()


@pytest.mark.parametrize("shards", [1, 2])
def test_a_policy_takes_advice_where_there_is_some_and_is_free_elsewhere(shards):
    student = model(advisor=advised, advice_coef=1.0, ent_coef=0.01, speed=Speed(shards=shards))
    student.learn(1280)
    seen = torch.tensor([[0.0], [1.0]])
    free, told = student.policy.get_distribution(seen).distribution.probs
    assert told[2] > 0.95 and free.max() < 0.8


# ---- places


def vectors(*places):
    states = torch.zeros(len(places), FULL_SIZE)
    for row, (group, number, x, y, milestones) in zip(states, places, strict=True):
        row[LAYOUT.map_and_tile] = torch.tensor([group / 34, number / 128, x / 128, y / 128])
        start = LAYOUT.milestones.start
        row[start : start + milestones] = 1
    return states


def test_a_place_has_the_same_numbers_whenever_it_is_the_newest_and_neighbours_share_the_coarse():
    torch.manual_seed(0)
    embedding = PlaceEmbedding(2 * FULL_SIZE)
    here, near, later = vectors((0, 9, 4, 5, 3), (0, 9, 5, 5, 3), (0, 9, 4, 5, 4))
    pairs = torch.stack([torch.cat(p) for p in ((near, here), (later, here), (here, near))])
    first, second, third = embedding(pairs).view(3, len(SCALES), -1)
    assert torch.equal(first, second)
    shared = [torch.equal(a, b) for a, b in zip(first, third, strict=True)]
    assert shared == [scale.tiles > 1 for scale in SCALES]
    (after,) = embedding(torch.cat([here, later])[None]).view(1, len(SCALES), -1)
    shared = [torch.equal(a, b) for a, b in zip(first, after, strict=True)]
    assert shared == [not scale.story for scale in SCALES]


def row_of(group, number, x, y, story, scale):
    """The row of a place in a scale's table, in Python's own whole numbers."""
    mixed = 0
    parts = (group, number, x // scale.tiles, y // scale.tiles, story * scale.story)
    for part, factor in zip(parts, FACTORS, strict=True):
        mixed = (mixed ^ (part + 1)) * factor % 2**32
        mixed ^= mixed >> 15
    return mixed % scale.rows


def test_a_place_has_its_row_in_each_table_whatever_places_are_beside_it():
    embedding = PlaceEmbedding(FULL_SIZE)
    places = [(0, 9, 4, 5, 3), (26, 101, 127, 0, 11), (33, 0, 63, 90, 0)]
    rows = [[row_of(*place, scale) for scale in SCALES] for place in places]
    tables = [table.weight.detach() for table in embedding.tables]
    wanted = [torch.cat([t[r] for t, r in zip(tables, own, strict=True)]) for own in rows]
    assert torch.equal(embedding(vectors(*places)), torch.stack(wanted))


def test_rows_are_the_same_by_torch_as_by_numpy():
    embedding = PlaceEmbedding(FULL_SIZE)
    where = torch.randint(0, 256, (5, 500))
    by_numpy = _rows(where.numpy(), embedding._scales.numpy())
    assert torch.equal(_rows(where, embedding._scales), torch.from_numpy(by_numpy))


def test_rows_of_different_tiles_rarely_meet():
    embedding = PlaceEmbedding(FULL_SIZE)
    places = [(0, m, x, y, 5) for m in range(4) for x in range(0, 40) for y in range(0, 40)]
    found = embedding(vectors(*places)).detach()[:, :8]
    distinct = len(np.unique(found.numpy().round(6), axis=0))
    rows, n = SCALES[0].rows, len(places)
    assert distinct > 0.97 * rows * (1 - (1 - 1 / rows) ** n)  # what chance leaves apart


def test_only_state_vectors_have_places():
    assert PlaceEmbedding(3 * VECTOR_SIZE).size == 8 * len(SCALES)
    with pytest.raises(ValueError, match="contain no place"):
        PlaceEmbedding(7)
