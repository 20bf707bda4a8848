"""What learner and actors exchange: the beginning of a rollout, and the rollout."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

Memory = tuple[NDArray[np.float32], ...]  # a recurrent policy's, (layers, n_envs, size) each
Endings = list[tuple[int, dict[str, Any]]]  # game and its `info`, of one step


class Dice(NamedTuple):
    """The random generators of torch and numpy: their states, or seeds for them."""

    torch: NDArray[np.uint8] | int
    numpy: dict[str, Any] | int

    @classmethod
    def here(cls) -> "Dice":
        """Returns the states of this process's."""
        return cls(torch.get_rng_state().numpy(), np.random.get_state(legacy=False))

    @classmethod
    def seeded(cls, *mixed: int) -> "Dice":
        """Returns seeds that depend on these numbers alone."""
        # both take in the lower 32 bits of a seed only
        seeds = np.random.SeedSequence(mixed).generate_state(2)
        return cls(int(seeds[0]), int(seeds[1]))

    def restore(self) -> None:
        """Restores this process's generators, or seeds them."""
        if isinstance(self.torch, int):
            torch.manual_seed(self.torch)
        else:
            torch.set_rng_state(torch.tensor(self.torch))
        if isinstance(self.numpy, int):
            np.random.seed(self.numpy)
        else:
            np.random.set_state(self.numpy)


@dataclass(frozen=True)
class RolloutStart:
    """Everything a rollout depends on, except the games' own state and the policy's weights."""

    n_steps: int
    stacks: dict[str, NDArray[Any]]  # the latest pictures by key, (n_envs, ...)
    episode_starts: NDArray[np.bool_]  # (n_envs,)
    memory: Memory
    progress: float  # share of the run that remains
    dice: Dice

    def part(self, games: slice, dice: Dice) -> "RolloutStart":
        """Returns the part of some of the games, with its own random generators' states."""
        return RolloutStart(
            self.n_steps,
            {key: stack[games] for key, stack in self.stacks.items()},
            self.episode_starts[games],
            tuple(state[:, games] for state in self.memory),
            self.progress,
            dice,
        )


class Fragment(NamedTuple):
    """A rollout of some games: their answers and the policy's choices, (n_steps, n_envs, ...)."""

    observations: dict[str, NDArray[Any]]  # by key, "" if it is not a dict; not stacked
    rewards: NDArray[np.float32]
    dones: NDArray[np.bool_]
    choices: Any  # the learner's named tuple of what it chose, such as `Chosen`
    endings: list[Endings]  # of each step, the infos that are not empty
    memory: dict[int, Memory]  # after some of the steps, the last among them
    dice: Dice  # after the last step
    restarts: int  # workers that the actor has replaced so far


def joined(fragments: Sequence[Fragment], firsts: Sequence[int]) -> Fragment:
    """Returns the rollout of all games, from those of each actor's.

    Args:
        fragments: in the order of their games.
        firsts: the number of the first game of each.
    """
    if len(fragments) == 1:
        return fragments[0]
    first = fragments[0]

    def column(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(each, name) for each in fragments], 1)

    return Fragment(
        observations={
            key: np.concatenate([each.observations[key] for each in fragments], 1)
            for key in first.observations
        },
        rewards=column("rewards"),
        dones=column("dones"),
        choices=together(
            [each.choices for each in fragments],
            partial(np.concatenate, axis=1),
            partial(torch.cat, dim=1),
        ),
        endings=[
            [
                (start + game, info)
                for start, some in zip(firsts, step, strict=True)
                for game, info in some
            ]
            for step in zip(*(each.endings for each in fragments), strict=True)
        ],
        memory=_joined_memory([each.memory for each in fragments]),
        dice=first.dice,
        restarts=sum(each.restarts for each in fragments),
    )


def together(
    choices: Sequence[Any], arrays: Callable[..., Any], tensors: Callable[..., Any]
) -> Any:
    """Returns named tuples as one whose fields are joined by one of two functions."""

    def join(values: Sequence[Any]) -> Any:
        if values[0] is None:
            return None
        return (tensors if isinstance(values[0], torch.Tensor) else arrays)(values)

    return type(choices[0])(*map(join, zip(*choices, strict=True)))


def at_step(choices: Any, step: int) -> Any:
    """Returns the choice of one step from those of a rollout."""
    return type(choices)(*(None if field is None else field[step] for field in choices))


def _joined_memory(memories: Sequence[dict[int, Memory]]) -> dict[int, Memory]:
    """Returns the policy's memory for all games after each step that any actor has kept.

    For the other actors' games it is what they kept last, or will keep next: it is never used.
    """
    steps = sorted({step for memory in memories for step in memory})
    joined = {}
    latest = [memory[min(memory)] for memory in memories]
    for step in steps:
        latest = [memory.get(step, before) for memory, before in zip(memories, latest, strict=True)]
        joined[step] = tuple(np.concatenate(parts, 1) for parts in zip(*latest, strict=True))
    return joined
