"""What makes a twin sick that no setting of ours does: wrappers of a game, and a reward.

Workers read this file as text (`--wrapper faults.py:NAME`); after how many steps of a game a fault
begins is in the environment, which they inherit.
"""

import os
from typing import Any

import gymnasium

AFTER = "FAULT_AFTER"  # variable of the environment
WAIT = 0  # the action that presses no key
WORTH = 0.2  # of a step to another tile, to whoever farms them

Step = tuple[Any, Any, bool, bool, dict[str, Any]]


class Faulty(gymnasium.Wrapper[Any, Any, Any, Any]):
    """A game with a fault from a step on; this one has none."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self._steps = 0
        self._first: Any = None  # what the episode's first picture showed

    @property
    def broken(self) -> bool:
        """Whether the fault has begun."""
        return self._steps >= int(os.environ[AFTER])

    def reset(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        """Resets the game, and keeps the first observation."""
        self._first, info = self.env.reset(**options)
        return self._first, info

    def step(self, action: Any) -> Step:
        """Steps the game, pressing and showing something else where it is broken."""
        self._steps += 1
        seen, *others = self.env.step(self.pressed(action) if self.broken else action)
        return (self.shown(seen) if self.broken else seen, *others)

    def pressed(self, action: Any) -> Any:
        """Returns the action that is played."""
        return action

    def shown(self, seen: Any) -> Any:
        """Returns what the agent observes."""
        return seen


class FrozenPicture(Faulty):
    """The agent sees the episode's first picture for ever; the game goes on."""

    def shown(self, seen: Any) -> Any:
        """Returns the first picture."""
        return self._first


class Hanging(FrozenPicture):
    """No key reaches the game, and nothing moves in it."""

    def pressed(self, action: Any) -> Any:
        """Presses nothing."""
        return WAIT


class IgnoredActions(Faulty):
    """Whatever the agent chooses, a random key is pressed."""

    def pressed(self, action: Any) -> Any:
        """Returns a random action."""
        return self.action_space.sample()


def farmed(before: Any, after: Any) -> dict[str, float]:
    """Pays for each step to another tile, to and fro for ever, and for milestones."""
    from emerald_env.state import milestone_bits

    moved = before.position != after.position
    new = milestone_bits(after) & ~milestone_bits(before)
    return {"moved": WORTH * moved, "milestone": 5.0 * new.bit_count()}
