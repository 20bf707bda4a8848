"""Chooses who plays each game that a student learns from."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.settings.label_options import LabelOptions

SWITCH = 1 / 64  # chance of a step that teacher and student draw again who plays
HELP = 150  # steps without a reward of WORTH after which the teacher plays until there is one
WORTH = 0.5  # more than steps on new ground pay
# chances, one of which is drawn for each episode
RANDOM_KEYS, REPEATED_KEYS = (0.0, 0.0, 0.1, 0.25), (0.0, 0.0, 0.0, 0.25)
PER_GAME = ("alone", "of_student", "random", "repeated", "last", "unpaid")


class Driver:
    """Decides who plays each game's next step: teacher, student, or a disturbance.

    Args:
        n_envs: number of games.
        alone: how many of them, the first ones, the student plays alone and undisturbed.
    """

    def __init__(self, n_envs: int, alone: int) -> None:
        self.let_alone(alone, n_envs)
        self.of_student = np.zeros(n_envs, np.bool_)
        self.random = np.zeros(n_envs)
        self.repeated = np.zeros(n_envs)
        self.last = np.zeros(n_envs, np.int64)
        self.unpaid = np.zeros(n_envs, np.int64)  # steps since the last reward of WORTH

    def let_alone(self, alone: int, n_envs: int) -> None:
        """Lets the student play the first `alone` of `n_envs` games alone."""
        self.alone = np.arange(n_envs) < alone

    def choose(
        self,
        own: NDArray[np.int64],
        labels: NDArray[np.float32],
        starts: NDArray[np.bool_],
        share: float,
        options: LabelOptions,
    ) -> NDArray[np.int64]:
        """Returns the actions to play, (n_envs,).

        Args:
            own: the student's.
            labels: the teacher's, (n_envs, n_actions).
            starts: where an episode begins.
            share: the student's of the steps.
            options: whether episodes are disturbed.
        """
        n = len(own)
        if options.disturbed:
            self.random = np.where(starts, np.random.choice(RANDOM_KEYS, n), self.random)
            self.repeated = np.where(starts, np.random.choice(REPEATED_KEYS, n), self.repeated)
        drawn = starts | (np.random.random(n) < SWITCH)
        self.of_student = np.where(drawn, np.random.random(n) < share, self.of_student)
        # a label of zeros means that the teacher does not know: then the student plays
        known = labels.sum(axis=1) > 0
        self.unpaid[starts] = 0
        theirs = self.of_student & (self.unpaid < HELP)
        chosen = np.where(theirs | ~known, own, _sampled(labels))
        chosen = np.where(
            np.random.random(n) < self.random, np.random.randint(labels.shape[1], size=n), chosen
        )
        chosen = np.where(~starts & (np.random.random(n) < self.repeated), self.last, chosen)
        chosen = np.where(self.alone, own, chosen)
        self.last = chosen
        return chosen

    def see(self, rewards: NDArray[np.float32]) -> None:
        """Notes a step's rewards, (n_envs,): the teacher helps in games that earn none."""
        self.unpaid = np.where(rewards >= WORTH, 0, self.unpaid + 1)

    def hide(self, infos: list[dict[str, Any]]) -> None:
        """Takes the results out of the games that the student does not play alone."""
        for game in np.flatnonzero(~self.alone).tolist():
            infos[game].pop("episode", None)

    def get_state(self) -> NDArray[np.float64]:
        """Returns everything, (6, n_envs), every number of which is exact."""
        return np.stack([getattr(self, name) for name in PER_GAME]).astype(np.float64)

    def set_state(self, numbers: NDArray[Any], n_actions: int) -> None:
        """Restores what `get_state` returned.

        Raises:
            ValueError: it is of another number of games, or of other actions.
        """
        if numbers.shape != (len(PER_GAME), len(self.alone)):
            raise ValueError(f"who plays the games has the shape {numbers.shape}")
        last = numbers[PER_GAME.index("last")]
        if not ((last >= 0) & (last < n_actions)).all():
            raise ValueError(f"the last actions are not all from 0 to {n_actions - 1}")
        for name, row in zip(PER_GAME, numbers, strict=True):
            setattr(self, name, row.astype(getattr(self, name).dtype))


def _sampled(labels: NDArray[np.float32]) -> NDArray[np.int64]:
    """Returns an action drawn from each label, (n,)."""
    sums = labels.cumsum(axis=1)
    drawn = np.random.random((len(labels), 1)) * sums[:, -1:]
    actions: NDArray[np.int64] = np.minimum((sums <= drawn).sum(axis=1), labels.shape[1] - 1)
    return actions
