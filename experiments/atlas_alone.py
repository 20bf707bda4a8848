"""How far games come that press what a session's atlas advises, without a network.

`python -m experiments.atlas_alone last --steps 2000`

A student cannot do better than a teacher that walks in circles. So before a student is blamed, this
lets the teacher play: where its games stand in the end is what the atlas does not know.
"""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import tyro
from numpy.typing import NDArray
from pydantic import Field
from rich.console import Console
from rich.table import Table
from stable_baselines3.common.vec_env import VecEnv

from baselines.commands.command import reports_user_errors, run_command
from baselines.exploration.archive_folder import load_atlas
from baselines.exploration.atlas.advisor import Advisor
from baselines.exploration.atlas.atlas import Atlas
from baselines.runs.session_folder import Session
from baselines.settings.train_config import TrainConfig
from baselines.training.model import make_games
from emerald_env.env.actions import action_set
from emerald_env.env.state_vector.menu_numbers import SCREENS
from emerald_env.env.state_vector.state_layout import LAYOUT, MODES
from emerald_env.explorer.exact_places import newest_menus
from emerald_env.game.tables import map_name
from emerald_env.recordings.find_recordings import SESSIONS
from emerald_env.state import MenuKind

TOLD_EVERY = 250  # steps
SHOWN = 12  # places in the table
PRESSES_A = 0.5  # chance of A where there is no advice
Where = tuple[str, str, bool]  # the place in words, the key pressed there, whether it was advised


@dataclass(frozen=True)
class AloneConfig:
    """Let games press what a session's atlas advises."""

    session: tyro.conf.Positional[str] = "last"
    """A folder, a name, or "last"."""
    sessions: Path = SESSIONS
    """Folder of the sessions."""
    steps: Annotated[int, Field(ge=1)] = 2000
    """Of each game."""
    n_envs: Annotated[int, Field(ge=1)] = 16
    """Games."""
    start: str | None = None
    """Where they begin: a state, for instance of the session's archive. Left out: as the session
    does."""
    random: Annotated[float, Field(ge=0, le=1)] = 0.03
    """Chance of a random key in place of the advised one."""
    latest: Annotated[int, Field(ge=1)] = 100
    """Steps at the end of which the places are told."""
    seed: int = 8
    """Of the games and the random keys."""


class TaughtGames:
    """Games that press what an atlas advises; a random key where it advises nothing.

    Args:
        games: vectorized, with "state" and perhaps "menu" observations.
        advisor: of their atlas.
        actions: names of the actions.
        config: the settings.
    """

    def __init__(
        self, games: VecEnv, advisor: Advisor, actions: Sequence[str], config: AloneConfig
    ) -> None:
        self._games = games
        self._advisor = advisor
        self._actions = actions
        self._config = config
        self._dice = np.random.default_rng(config.seed)

    def play(self) -> Iterator[tuple[NDArray[np.int64], list[Where]]]:
        """Yields for each step the milestones of all games, and where each stands, (n_envs,)."""
        observations: Any = self._games.reset()
        for _ in range(self._config.steps):
            actions, advised = self._choose(observations)
            pressed = [self._actions[action] for action in actions]
            progress = LAYOUT.progress(LAYOUT.newest(observations["state"]))
            places = zip(places_in_words(observations), pressed, advised.tolist(), strict=True)
            yield np.rint(progress).astype(np.int64), list(places)
            observations = self._games.step(actions)[0]

    def _choose(
        self, observations: Mapping[str, NDArray[Any]]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        parts = {name: torch.as_tensor(part) for name, part in observations.items()}
        advice = self._advisor(parts).numpy()
        n = len(advice)
        own = self._dice.integers(len(self._actions), size=n)
        own[self._dice.random(n) < PRESSES_A] = self._actions.index("a")
        advised = (advice >= 0) & (self._dice.random(n) >= self._config.random)
        return np.where(advised, advice, own), advised


def places_in_words(observations: Mapping[str, NDArray[Any]]) -> list[str]:
    """Returns each game's map, tile and screen, from stacked observations."""
    states, menus = LAYOUT.newest(observations["state"]), newest_menus(observations)
    tiles = np.rint(states[:, LAYOUT.map_and_tile] * LAYOUT.scales[LAYOUT.map_and_tile])
    words = []
    for game, (group, number, x, y) in enumerate(tiles.astype(int).tolist()):
        screen = MODES[int(states[game, : len(MODES)].argmax())].value
        if menus is not None and menus[game, SCREENS].any():
            screen = f"menu: {MenuKind(menus[game, SCREENS].argmax() + 1).name.lower()}"
        words.append(f"{map_name((group, number))} {x}, {y}, {screen}")
    return words


def stands(latest: Iterable[Sequence[Where]]) -> Table:
    """Returns a table of where all games were in their latest steps, and what they pressed there.

    Args:
        latest: of each step, of each game.
    """
    counts = Counter(where for step in latest for where in step)
    table = Table("place", "key", "advised", "share of the steps")
    for (place, key, advised), count in counts.most_common(SHOWN):
        table.add_row(place, key, "yes" if advised else "", f"{count / counts.total():.1%}")
    return table


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints how far the games are from time to time, and where they stand in the end."""
    config = tyro.cli(AloneConfig, args=arguments, description=__doc__)
    session = Session.find(config.sessions, config.session)
    trained = TrainConfig.load(session.config)
    atlas = Atlas()
    load_atlas(session.archive, atlas)
    if not len(atlas.advice.places):
        raise ValueError(f"{session.folder} has no atlas with advice: it must have explored")
    names = [action.name for action in action_set(trained.env.action_set)]
    games = make_games(as_tried(trained, config))
    try:
        advisor = Advisor(atlas, trained.env.action_set)
        report(TaughtGames(games, advisor, names, config), config)
    finally:
        games.close()
    return 0


def as_tried(trained: TrainConfig, config: AloneConfig) -> TrainConfig:
    """Returns a session's settings for games that nobody learns from."""
    env = replace(trained.env, start=config.start or trained.env.start)
    alone = replace(trained, env=env, explore=0.0, practice=0.0, archive=None, resume=None)
    return replace(alone, n_envs=config.n_envs, n_workers=1, seed=config.seed, record="none")


def report(games: TaughtGames, config: AloneConfig) -> None:
    """Plays the games and prints how they fare."""
    latest: deque[list[Where]] = deque(maxlen=config.latest)
    for step, (progress, where) in enumerate(games.play(), 1):
        latest.append(where)
        if step % TOLD_EVERY == 0 or step == config.steps:
            share = np.mean([advised for *_, advised in where])
            counts = sorted(Counter(progress.tolist()).items())
            reached = ", ".join(f"{milestones} ({games})" for milestones, games in counts)
            print(f"{step:,} steps, {share:.0%} advised; milestones (games): {reached}")
    Console().print(stands(latest))


if __name__ == "__main__":
    run_command(main)
