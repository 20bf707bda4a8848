"""The wrapper through which a trainer lets a worker explore beside its episodes."""

from typing import Any

import gymnasium

from emerald_env.env.env import EmeraldEnv
from emerald_env.explorer.explorer import Burst, Explorer, Found, Round


class Exploring(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Explores on request, in a second emulator that is opened on the first request.

    Args:
        env: a game; its episodes notice nothing.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        self._explorer: Explorer | None = None

    def begin_exploring(self, number: int, count: int) -> list[Found]:
        """Takes a share of all later rounds, see `Explorer`; returns where episodes begin."""
        game: EmeraldEnv = self.env.unwrapped  # type: ignore[assignment]
        self._explorer = Explorer(game.config, number, count)
        return self._explorer.home()

    def explore(self, work: Round) -> list[Burst | None] | None:
        """Returns the result of `Explorer.play`; None: it must be told everything again."""
        return self._explorer.play(work) if self._explorer is not None else None
