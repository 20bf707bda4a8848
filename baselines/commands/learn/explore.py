"""`emerald archive explore`: searches games without a network."""

from dataclasses import dataclass
from pathlib import Path

import tyro
from filelock import FileLock, Timeout
from rich.progress import MofNCompleteColumn, Progress, TaskID

from baselines.exploration.milestone_funnel import last_of
from baselines.exploration.search import Search
from baselines.settings.game_config import GameConfig
from baselines.settings.game_defaults import game_defaults
from baselines.settings.train_config import Steps
from baselines.training.teachers.explored_worlds import (
    as_explored,
    each_world,
    folder_of,
    is_whole,
    left_over,
)
from emerald_env.env.setting_types import Count, Seed, checked
from emerald_env.files.data import check_no_links
from emerald_env.files.printable import say
from emerald_env.game.choice import GameChoice, check_worlds
from emerald_env.parallel.cpu_placement import available_cores


@checked
@dataclass(frozen=True)
class ExploreGames(GameChoice):
    """Search a game, or several worlds of Jade, without a network, for `emerald train --teacher`.

    Each has a folder of its own, with an archive of states and an atlas. One that is there already
    is left as it is, and several such commands share the worlds of one folder.
    """

    folder: tyro.conf.Positional[Path]
    """Where what is found is kept."""
    worlds: str | None = None
    """Each of these worlds of Jade, such as 1..8 or 1..8:demanding."""
    steps: Steps = 400_000
    """To explore in each game."""
    seed: Seed = 0
    """Of the search."""
    n_workers: Count | None = None
    """Processes; what is found does not depend on it. Left out: one for each CPU core."""

    def __post_init__(self) -> None:
        """Raises ValueError where one world is named beside several."""
        check_worlds(self.world, self.worlds)

    def run(self) -> None:
        """Explores, and prints a line per game.

        Raises:
            WorkerError, FileNotFoundError, RomError, ValueError, OSError: a game cannot be
                explored, the folder cannot be written, or a game's own has other files.
        """
        games = self._games()
        for _, own in games:
            self._left_over(own)
        self.folder.mkdir(parents=True, exist_ok=True)
        for game, own in games:
            try:
                with FileLock(f"{own}.lock", timeout=0):
                    self._explore_once(game, own)
            except Timeout:
                say(f"{own}: another process explores it")

    def _games(self) -> list[tuple[GameConfig, Path]]:
        """Returns the games, each with its own folder; their ROM was read."""
        defaults = game_defaults(self.rom, "state", self.worlds or self.world)
        whole = GameConfig(**vars(self.choice), worlds=self.worlds, **defaults)
        return [(game, folder_of(self.folder, game)) for game in each_world(as_explored(whole))]

    def _left_over(self, own: Path) -> list[Path]:
        """Returns what an interrupted search has left in a game's own folder."""
        check_no_links(self.folder, own)
        return [] if is_whole(own) else left_over(own)

    def _explore_once(self, game: GameConfig, own: Path) -> None:
        left = self._left_over(own)
        if is_whole(own):
            say(f"{own}: is there already")
            return
        for path in left:
            path.unlink()
        self._explore(game, own)

    def _explore(self, game: GameConfig, own: Path) -> None:
        from baselines.training.teachers.explore_game import explore  # slow to load

        workers = self.n_workers or available_cores()
        with Progress(*Progress.get_default_columns(), MofNCompleteColumn()) as bar:
            progress = ExplorationProgress(bar, bar.add_task(own.name, total=self.steps))
            search = explore(game, own, self.steps, self.seed, workers, progress.see)
        say(f"{own}: {search.steps:,} steps, {len(search.archive):,} cells")


class ExplorationProgress:
    """Tells how far a search is: a bar, and a line where it has come further than ever.

    Args:
        bar: with a task of as many steps as are to be explored.
        task: the bar's.
    """

    def __init__(self, bar: Progress, task: TaskID) -> None:
        self._bar, self._task = bar, task
        self._furthest = last_of(())

    def see(self, search: Search) -> None:
        """Tells what a search has found by now."""
        self._bar.update(self._task, completed=search.steps)
        furthest = last_of(search.first_seen)
        if furthest != self._furthest:
            self._furthest = furthest
            self._bar.console.print(f"{search.steps:>9,} steps: {furthest}", highlight=False)
