"""What a step costs, and what it makes of a machine."""

from dataclasses import dataclass

from baselines.exploration.exploration import PACE
from emerald_env.env.setting_types import Positive, checked


@checked
@dataclass(frozen=True)
class StepCosts:
    """Seconds of one core's time that a step takes.

    Args:
        explored: without a network, states kept and drawn again included.
        played: the game's part of a step that is learnt from, with its reward.
        learnt: the learner's part: the network's choice and the step's share of an update.
    """

    explored: Positive
    played: Positive
    learnt: Positive


@dataclass(frozen=True)
class Machine:
    """So many cores, and a game as busy as a scene.

    All cores explore and play; the learner counts as if it used one, so it may be faster.
    """

    scene: str
    cores: int
    costs: StepCosts

    @property
    def exploring(self) -> float:
        """Explored steps a second."""
        return self.cores / self.costs.explored

    @property
    def learning(self) -> float:
        """Steps a second that are learnt from: games and learner take turns."""
        return 1 / (self.costs.played / self.cores + self.costs.learnt)

    def seconds(self, explored: float, share: float, head_start: int) -> float:
        """Returns how long a run takes until it has explored that many steps.

        Args:
            explored: steps.
            share: of the run's steps that explore after the head start.
            head_start: steps explored before any others.
        """
        head = min(explored, head_start)
        learnt = head / PACE + (explored - head) * (1 - share) / share
        return explored / self.exploring + learnt / self.learning
