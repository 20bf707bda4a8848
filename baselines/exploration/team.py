"""The explorers on the workers of the parallel games."""

from stable_baselines3.common.vec_env import VecEnv

from emerald_env.explorer import Burst, Found, Round


class Team:
    """One explorer on each worker; a round's jobs are dealt out in turn.

    Args:
        games: made with `practice`, possibly wrapped.
    """

    def __init__(self, games: VecEnv) -> None:
        self._games = games
        self._leaders: list[int] = games.leaders  # type: ignore[attr-defined]

    def home(self) -> list[Found]:
        """Opens the explorers; returns the states that episodes begin in."""
        found: list[Found] = []
        for number, leader in enumerate(self._leaders):
            arguments = (number, len(self._leaders))
            (found,) = self._games.env_method("begin_exploring", *arguments, indices=[leader])
        return found

    def play(self, work: Round) -> list[Burst | None] | None:
        """Returns each job's result, in order; None: a worker is new and missed earlier rounds.

        Raises:
            WorkerError: a worker cannot explore.
        """
        if not work.number:
            self.home()
        shares = self._games.env_method("explore", work, indices=self._leaders)
        if any(share is None for share in shares):
            return None
        found: list[Burst | None] = [None for _ in work.jobs]
        for number, share in enumerate(shares):
            found[number :: len(shares)] = share
        return found
