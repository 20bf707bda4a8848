"""Explores a game without a network, and keeps what was found in a folder."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from baselines.exploration.archive_folder import save_atlas, save_index
from baselines.exploration.search import Search, round_seconds
from baselines.exploration.state_archive import Archive
from baselines.exploration.team import Team
from baselines.games.vec_games import make_vec_env
from baselines.settings.game_config import GameConfig
from emerald_env.parallel.worker_process import WorkerLimits


def explore(
    game: GameConfig,
    folder: Path,
    steps: int,
    seed: int,
    n_workers: int,
    tell: Callable[[Search], None],
) -> Search:
    """Explores a game and keeps what was found.

    Args:
        game: the settings; see `as_explored`.
        folder: the game's own, empty.
        steps: to play, at least.
        seed: of the search.
        n_workers: processes; what is found does not depend on it.
        tell: called after each round.

    Returns:
        The search, whose archive and atlas are in the folder.

    Raises:
        WorkerError, FileNotFoundError, RomError, ValueError, OSError: the game cannot be explored,
            or the folder cannot be written.
    """
    limits = WorkerLimits(round_seconds(n_workers))
    made = make_vec_env(game, n_workers, n_workers, seed, limits=limits, practice=True)
    with closing(made) as games:
        search = Search(Archive(folder), Team(games), seed)
        while search.steps < steps:
            search.explore()
            tell(search)
    search.atlas.solve()
    save_index(search.archive)
    save_atlas(search.atlas, folder)  # last: a folder without it was not explored to its end
    return search
