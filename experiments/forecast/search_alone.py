"""How many steps the search needs to each milestone, without a network.

`python -m experiments.forecast.search_alone --worlds 1:large 2:large --steps 600000 --out FILE`,
and the same with `--shown badge_stone` for what comes after a recording until then.
"""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path

import tyro

from baselines.commands.command import reports_user_errors, run_command
from baselines.exploration.search import Search
from baselines.exploration.state_archive import Archive
from baselines.games.recorded_play import by_guide, record_play
from baselines.settings.game_config import GameConfig
from baselines.settings.game_defaults import game_defaults
from baselines.training.teachers.recorded_ways import fill_archive
from emerald_env.explorer.explorer import Explorer
from emerald_env.recordings.recording import Recording
from emerald_env.recordings.told import Told, tell
from emerald_env.state import milestones_done

TOLD_EVERY = 100_000  # steps


@dataclass(frozen=True)
class SearchConfig:
    """Explore worlds without a network.

    Args:
        worlds: of Jade, each for itself.
        seed: of the search.
        steps: to explore in each.
        shown: milestone up to which a recording of Jade's guide begins the archive, as one's own
            does with `emerald train --teacher`. None: it begins with a new game alone.
        out: JSON of the explored steps to each milestone that every world's search has reached,
            {milestone: [least, most]}, for `python -m experiments.forecast --explored`.
    """

    worlds: tuple[str, ...] = ("0",)
    seed: int = 0
    steps: int = 400_000
    shown: str | None = None
    out: Path | None = None


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints what each world's search has found, and writes the summary."""
    config = tyro.cli(SearchConfig, args=arguments)
    found = [explored(world, config) for world in config.worlds]
    common = [slug for slug in found[0] if all(slug in one for one in found)]
    ranges = {slug: _range([one[slug] for one in found]) for slug in common}
    print(json.dumps(ranges))
    if config.out is not None:
        config.out.write_text(json.dumps(ranges) + "\n", encoding="utf-8")
    return 0


def explored(world: str, config: SearchConfig) -> dict[str, int]:
    """Returns after how many steps the search had reached each milestone in a world of Jade.

    Raises:
        ValueError: there is no such world, or the guide's way does not reach what is to be shown.
    """
    name = None if world == "0" else world
    game = GameConfig(observation="state", world=name, **game_defaults(None, "state", name))
    with tempfile.TemporaryDirectory() as folder:
        search = Search(Archive(Path(folder) / "archive"), Explorer(game), config.seed)
        if config.shown is not None:
            way = way_until(config.shown, game, Path(folder))
            fill_archive(search, way, game)
            search.atlas.solve()
        while search.steps < config.steps:
            search.explore()
            if search.steps % TOLD_EVERY < search.round_steps:
                last = max(search.first_seen, key=search.first_seen.__getitem__)
                found = f"{last} found after {search.first_seen[last]:,}"
                print(f"world {world}: {search.steps:,} steps, {found}", flush=True)
    for slug, after in search.first_seen.items():
        print(f"world {world}: {slug} after {after:,} steps", flush=True)
    return search.first_seen


def way_until(slug: str, game: GameConfig, folder: Path) -> Told:
    """Returns the guide's way through a world until a milestone, told as an agent's steps.

    Raises:
        ValueError: it does not reach the milestone.
    """
    shown = replace(game, observation="dict", guide=True, patience=None)
    (path,) = record_play(by_guide, folder, shown)
    told = tell(Recording.load(path), game)
    before = list(takewhile(lambda step: slug not in milestones_done(step.state), told.steps))
    if len(before) == len(told.steps):
        raise ValueError(f"the guide does not reach {slug} in world {game.world or 0}")
    return replace(told, steps=told.steps[: len(before) + 1])


def _range(values: Sequence[int]) -> tuple[int, int]:
    return min(values), max(values)


if __name__ == "__main__":
    run_command(main)
