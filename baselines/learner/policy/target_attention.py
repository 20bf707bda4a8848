"""Attention over what the player can walk to: which target is wanted now, and how to reach it."""

import torch
from gymnasium import spaces
from torch import Tensor, nn
from torch.nn import functional

from emerald_env.env.observation import NUMBERS, TARGET_KINDS, TARGETS
from emerald_env.env.state_vector.state_layout import LAYOUT, MAP_GROUPS, MAPS

HEADS, HIDDEN = 4, 64
NAMED, NUMBERED = 32, 8  # sizes of the embeddings of maps and looks, and of numbers
MAPS_EMBEDDED = MAP_GROUPS * MAPS
NAMES = MAPS_EMBEDDED + 256  # and looks
LEADING = 2  # kinds up to this one lead to a map
KEYS = 4  # directions
PLAIN = KEYS + 2 + TARGET_KINDS
FAR = 64.0  # steps


class TargetAttention(nn.Module):
    """Chooses among the newest targets by the newest state vector.

    Each head returns the keys that begin the way to its target, the target's distance and kind, and
    learnt numbers. A map has one embedding, whether the player is on it or a door leads to it.

    Args:
        space: of the stacked targets, (TARGETS, n * NUMBERS).
        state_width: size of the stacked state vectors, 0: none are observed.

    Raises:
        ValueError: the targets are of another size.
    """

    size = HEADS * (HIDDEN + PLAIN)

    def __init__(self, space: spaces.Space[object], state_width: int) -> None:
        super().__init__()
        shape = space.shape or ()
        if shape[:1] != (TARGETS,) or shape[-1] % NUMBERS:
            raise ValueError(f"targets are {TARGETS} x {NUMBERS}, not {shape}")
        sizes = [size for size in (LAYOUT.full_size, LAYOUT.size) if state_width % size == 0]
        self._state = sizes[0] if state_width and sizes else 0
        self.names, self.numbers = nn.Embedding(NAMES, NAMED), nn.Embedding(256, NUMBERED)
        self.look = nn.Sequential(nn.Linear(NAMED + NUMBERED + PLAIN, HIDDEN), nn.ReLU())
        self.ask = nn.Sequential(
            nn.Linear(self._state + NAMED, 2 * HIDDEN),
            nn.ReLU(),
            nn.Linear(2 * HIDDEN, HEADS * HIDDEN),
        )

    def forward(self, targets: Tensor, states: Tensor | None) -> Tensor:
        """Returns (batch, size) of (batch, TARGETS, n * NUMBERS) and (batch, state_width)."""
        newest = targets[:, :, -NUMBERS:].long()
        plain = _plain(newest)
        seen = self.look(torch.cat((self._named(newest), plain), dim=2))
        wanted = self._question(newest, states) @ seen.transpose(1, 2) / HIDDEN**0.5
        there = (newest[:, :, 0] > 0)[:, None]
        weights = torch.softmax(wanted.masked_fill(~there, -1e4), dim=2) * there
        answers: Tensor = weights @ torch.cat((seen, plain), dim=2)
        return answers.flatten(1)

    def _named(self, newest: Tensor) -> Tensor:
        kind, first, second = newest[:, :, 0], newest[:, :, 1], newest[:, :, 2]
        leads = kind <= LEADING
        names = torch.where(leads, _map_row(first, second), MAPS_EMBEDDED + first)
        numbers = torch.where(leads, torch.zeros_like(second), second)
        return torch.cat((self.names(names), self.numbers(numbers)), dim=2)

    def _question(self, newest: Tensor, states: Tensor | None) -> Tensor:
        """Returns what each head looks for, (batch, HEADS, HIDDEN)."""
        if states is None or not self._state:
            asked = self.names.weight.new_zeros(len(newest), self._state + NAMED)
            return self.ask(asked).view(-1, HEADS, HIDDEN)  # type: ignore[no-any-return]
        state = states[:, -self._state :]
        scales = torch.as_tensor(LAYOUT.scales[LAYOUT.map_and_tile][:2], device=state.device)
        place = (state[:, LAYOUT.map_and_tile][:, :2] * scales).round().long().clamp(0)
        here = self.names(_map_row(place[:, 0], place[:, 1]))
        asked = self.ask(torch.cat((state, here), dim=1))
        return asked.view(-1, HEADS, HIDDEN)  # type: ignore[no-any-return]


def _map_row(group: Tensor, number: Tensor) -> Tensor:
    """Returns the row of a map's embedding; maps that no game has share some."""
    return (group * MAPS + number) % MAPS_EMBEDDED


def _plain(newest: Tensor) -> Tensor:
    """Returns what is known without learning, (batch, TARGETS, PLAIN)."""
    kind, steps, first = newest[:, :, 0], newest[:, :, 3], newest[:, :, 4]
    bits = [(first >> key & 1).float() for key in range(KEYS)]
    near = 1.0 / (1.0 + steps.float())
    kinds = functional.one_hot(kind.clamp(max=TARGET_KINDS - 1), TARGET_KINDS).float()
    numbers = torch.stack((*bits, near, steps.float() / FAR), dim=2)
    return torch.cat((numbers, kinds), dim=2)
