"""How many steps the search needs to each milestone, without a network.

`python -m experiments.forecast.search_alone --worlds 1:large 2:large --steps 2000000 --out FILE`
"""

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tyro

from baselines.commands.command import reports_user_errors, run_command
from baselines.exploration.search import Search
from baselines.exploration.state_archive import Archive
from emerald_env.env.config import EnvConfig
from emerald_env.explorer.explorer import Explorer

TOLD_EVERY = 100_000  # steps


@dataclass(frozen=True)
class SearchConfig:
    """Explore worlds without a network.

    Args:
        worlds: of Jade, each for itself.
        seed: of the search.
        steps: to explore in each.
        out: JSON of the explored steps to each milestone that every world's search has reached,
            {milestone: [least, most]}, for `python -m experiments.forecast --explored`.
    """

    worlds: tuple[str, ...] = ("0",)
    seed: int = 0
    steps: int = 400_000
    out: Path | None = None


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints what each world's search has found, and writes the summary."""
    config = tyro.cli(SearchConfig, args=arguments)
    found = [explored(world, config.seed, config.steps) for world in config.worlds]
    common = [slug for slug in found[0] if all(slug in one for one in found)]
    ranges = {slug: _range([one[slug] for one in found]) for slug in common}
    print(json.dumps(ranges))
    if config.out is not None:
        config.out.write_text(json.dumps(ranges) + "\n", encoding="utf-8")
    return 0


def explored(world: str, seed: int, steps: int) -> dict[str, int]:
    """Returns after how many steps the search had reached each milestone in a world of Jade.

    Raises:
        ValueError: there is no such world.
    """
    config = EnvConfig(observation="state", world=None if world == "0" else world)
    with tempfile.TemporaryDirectory() as folder:
        search = Search(Archive(Path(folder)), Explorer(config), seed)
        while search.steps < steps:
            search.explore()
            if search.steps % TOLD_EVERY < search.round_steps:
                last = max(search.first_seen, key=search.first_seen.__getitem__)
                print(f"world {world}: {search.steps:,} steps, last found {last}", flush=True)
    for slug, after in search.first_seen.items():
        print(f"world {world}: {slug} after {after:,} steps", flush=True)
    return search.first_seen


def _range(values: Sequence[int]) -> tuple[int, int]:
    return min(values), max(values)


if __name__ == "__main__":
    run_command(main)
