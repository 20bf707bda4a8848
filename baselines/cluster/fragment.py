"""What learner and actors exchange: the beginning of a rollout, and the rollout."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

Memory = tuple[NDArray[np.float32], ...]  # a recurrent policy's, (layers, n_envs, size) each
Endings = list[tuple[int, dict[str, Any]]]  # game and its `info`, of one step


@dataclass(frozen=True)
class RolloutStart:
    """Everything a rollout depends on, except the games' own state and the policy's weights."""

    n_steps: int
    stacks: dict[str, NDArray[Any]]  # the latest pictures by key, (n_envs, ...)
    episode_starts: NDArray[np.bool_]  # (n_envs,)
    memory: Memory
    dice: NDArray[np.uint8] | int  # state of torch's generator, or a seed for it

    def part(self, games: slice, dice: NDArray[np.uint8] | int) -> "RolloutStart":
        """Returns the part of some of the games, with its own random generator's state."""
        return RolloutStart(
            self.n_steps,
            {key: stack[games] for key, stack in self.stacks.items()},
            self.episode_starts[games],
            tuple(state[:, games] for state in self.memory),
            dice,
        )

    def set_generator(self) -> None:
        """Seeds or restores torch's random generator."""
        if isinstance(self.dice, int):
            torch.manual_seed(self.dice)
        else:
            torch.set_rng_state(torch.tensor(self.dice))


class Fragment(NamedTuple):
    """A rollout of some games: their answers and the policy's choices, (n_steps, n_envs, ...)."""

    observations: dict[str, NDArray[Any]]  # by key, "" if it is not a dict; not stacked
    rewards: NDArray[np.float32]
    dones: NDArray[np.bool_]
    actions: NDArray[Any]
    values: NDArray[np.float32]
    log_probs: NDArray[np.float32]
    endings: list[Endings]  # of each step, the infos that are not empty
    memory: dict[int, Memory]  # after some of the steps, the last among them
    dice: NDArray[np.uint8]  # state of torch's generator after the last step
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
        actions=column("actions"),
        values=column("values"),
        log_probs=column("log_probs"),
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
