"""Letting games practise where earlier ones came to, and saying how that goes."""

from stable_baselines3.common.callbacks import BaseCallback

from baselines.runs.atomic import WriteWarning
from baselines.training.practice import PracticeArchive
from emerald_env.wrappers.practice import FRONTIER, PRACTICE


class PracticeCallback(BaseCallback):
    """Collects the states where milestones were reached, and offers them to all games.

    `practice/milestones` is how many milestones there are states of, `practice/gained` how many
    more an episode that began in such a state reached, mean over the latest 100.

    Args:
        archive: the states.
        share: of the episodes, those that begin in one of them.
    """

    def __init__(self, archive: PracticeArchive, share: float) -> None:
        super().__init__()
        self._archive = archive
        self._share = share
        self._warning = WriteWarning("a state to practise in")

    def _on_rollout_start(self) -> None:
        # each time: a worker that was replaced has heard of nothing
        self.training_env.env_method("offer_practice", self._archive.offer(self._share))

    def _on_step(self) -> bool:
        for game in self.locals["dones"].nonzero()[0]:
            info = self.locals["infos"][game]
            began = info[PRACTICE]["milestone"] if PRACTICE in info else None
            self._archive.count(info.get("milestone_steps", {}), began)
            for found in info.get(FRONTIER, ()):
                with self._warning:
                    self._archive.add(found)
        return True

    def _on_rollout_end(self) -> None:
        self.logger.record("practice/milestones", len(self._archive))
        if (gained := self._archive.gained) is not None:
            self.logger.record("practice/gained", gained)
