"""The loss that makes a student remember what its teacher is after."""

import math

import pytest
import torch
from torch import nn

from baselines.learner.labels.labelled_steps import CHUNK
from baselines.learner.labels.purpose_head import UNKNOWN, PurposeHead
from baselines.learner.policy.recurrent import run_chunks


def test_a_head_that_knows_nothing_costs_the_logarithm_of_how_many_purposes_there_are():
    head = PurposeHead(6, 9)
    nn.init.zeros_(head.layer.weight)
    nn.init.zeros_(head.layer.bias)
    loss = head.loss(torch.randn(4, CHUNK, 6), torch.randint(9, (4, CHUNK)))
    assert loss.item() == pytest.approx(math.log(9))


def test_steps_whose_purpose_is_unknown_teach_nothing():
    head, outputs = PurposeHead(6, 9), torch.randn(2, CHUNK, 6, requires_grad=True)
    purposes = torch.randint(9, (2, CHUNK))
    purposes[1] = UNKNOWN
    head.loss(outputs, purposes).backward()
    assert outputs.grad[0].any() and not outputs.grad[1].any()
    assert head.loss(outputs, torch.full_like(purposes, UNKNOWN)) == 0


def recalled(chunks):
    """Returns how often an LSTM comes to recall which of two pictures an episode began with."""
    torch.manual_seed(0)
    head, lstm = PurposeHead(8, 2), nn.LSTM(3, 8)
    nn.init.constant_(lstm.bias_ih_l0[8:16], 3.0)  # forget gates that are open: it learns faster
    optimizer = torch.optim.Adam(lstm.parameters(), 0.02)
    for _ in range(60):
        first = torch.randint(2, (16,))
        state = (torch.zeros(16, 8), torch.zeros(16, 8))
        for chunk in range(chunks):
            seen = torch.randn(16, CHUNK, 3) * 0.1
            if chunk == 0:
                seen[:, 0, 0] = 2.0 * first - 1.0
            starts = torch.zeros(16, CHUNK, dtype=torch.bool)
            outputs, state = run_chunks(seen, state, starts, lstm)
            state = (state[0].detach(), state[1].detach())  # as between stored chunks
            loss = head.loss(outputs, first[:, None].expand(-1, CHUNK))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            head.step(0.02)
    guessed = head.layer(outputs[:, -1]).argmax(dim=1)
    return float((guessed == first).float().mean())


def test_what_was_seen_chunks_ago_is_remembered_though_no_gradient_reaches_back():
    assert recalled(chunks=4) > 0.9


def test_a_head_resumes_exactly_from_its_state():
    def steps(head, count, seed):
        torch.manual_seed(seed)
        for _ in range(count):
            head.loss(torch.randn(2, CHUNK, 6), torch.randint(9, (2, CHUNK))).backward()
            head.step(0.01)

    one, other = PurposeHead(6, 9), PurposeHead(6, 9)
    steps(one, 3, seed=1)
    other.set_state(one.get_state())
    steps(one, 3, seed=2)
    steps(other, 3, seed=2)
    assert torch.equal(one.layer.weight, other.layer.weight)
    assert torch.equal(one.layer.bias, other.layer.bias)
