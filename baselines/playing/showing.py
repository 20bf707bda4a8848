"""Makes games that are played or evaluated visible to `emerald watch`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from emerald_env.files.atomic import WriteWarning
from emerald_env.watching.host import Host

if TYPE_CHECKING:  # a person's play needs neither torch nor SB3
    from baselines.playing.agent import PolicyOutput


class PublishedGames(Protocol):
    """Games that can be shown: SB3's, or a single one."""

    num_envs: int

    def env_method(self, method_name: str, *method_args: Any) -> list[Any]:
        """Returns what a method of each game returns."""


class Showing:
    """Publishes an agent's output.

    Args:
        host: of the games; None: nothing is published.
        n_games: how many.
    """

    def __init__(self, host: Host | None, n_games: int) -> None:
        self._host, self._n_games = host, n_games
        self._steps = 0

    def tell(self, output: PolicyOutput) -> None:
        """Publishes the agent's output before a step."""
        self._steps += self._n_games

        def numbers() -> NDArray[np.float32]:
            parts = (output.values[:, None], output.actions[:, None], output.probabilities)
            return np.concatenate(parts, axis=1).astype(np.float32)

        if self._host is not None:
            self._host.tell(self._steps, numbers)


@contextmanager
def showing(
    games: PublishedGames,
    session: Path | None,
    command: str,
    game: str,
    names: tuple[Sequence[str], ...],
) -> Iterator[Showing]:
    """Publishes games in a session's folder, if there is one.

    Args:
        games: of `Publisher`s.
        session: the folder; None: nothing is published.
        command: what plays them: "play" or "evaluate".
        game: its name.
        names: of the actions and of the reward's terms.
    """
    actions, terms = names
    host = None
    if session is not None and (session / "config.json").is_file():
        with WriteWarning("what can be watched"):
            path = session / f"live-{command}"
            facts = {"terms": list(terms), "command": command, "game": game}
            host = Host(path, facts, games.num_envs, actions)
            games.env_method("publish_to", str(path.resolve()))
    try:
        yield Showing(host, games.num_envs)
    finally:
        if host is not None:
            host.close()
