"""Plots the progress of a long run's episodes over all its stages, each a session.

`python -m experiments.plot_stages FIRST SECOND ... --out run.png`
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tyro
from matplotlib.figure import Figure

from baselines.commands.command import reports_user_errors, run_command
from baselines.runs.session_folder import Session, checkpoint_steps
from emerald_env.files.output_files import check_picture
from emerald_env.recordings.find_recordings import SESSIONS
from experiments.run_groups import check_milestones

LATEST = 50  # episodes in a share
SHOWN = ("starter", "pokedex", "hm_cut", "badge_stone", "steven_letter", "badge_knuckle")
COLOURS = ("#000000", "#56b4e9", "#009e73", "#e69f00", "#cc79a7", "#d55e00")  # Okabe and Ito's


@dataclass(frozen=True)
class StagesConfig:
    """Draw the share of the latest episodes from the start that reach some milestones."""

    stages: tyro.conf.Positional[tuple[str, ...]]
    """The sessions, in order: folders or names."""
    sessions: Path = SESSIONS
    """Folder of the sessions."""
    milestones: tuple[str, ...] = SHOWN
    """The milestones to draw."""
    out: Path = Path("stages.png")
    """The picture."""

    def __post_init__(self) -> None:
        """Raises ValueError if there is nothing to draw, or the picture cannot be written."""
        if not self.stages:
            raise ValueError("name the session of each stage")
        check_milestones(self.milestones)
        check_picture(self.out)


@dataclass(frozen=True)
class Episode:
    """An episode of a long run."""

    steps: int  # of the environment, in all stages
    reward: float
    milestones: frozenset[str]


def episodes_of(stages: Iterable[Session]) -> tuple[list[Episode], list[int]]:
    """Returns the episodes of all stages in order, and the env steps at which each stage ended.

    Raises:
        FileNotFoundError: a session has no checkpoint, so its length is unknown.
    """
    episodes: list[Episode] = []
    ends: list[int] = []
    for stage in stages:
        begin = ends[-1] if ends else 0
        episodes += [_episode(line, begin) for line in stage.read_episodes()]
        latest = stage.latest_checkpoint()
        if latest is None:
            raise FileNotFoundError(f"no checkpoint in {stage.folder}: how long was it?")
        ends.append(begin + checkpoint_steps(latest))
    return episodes, ends


def _episode(line: dict[str, Any], begin: int) -> Episode:
    return Episode(
        begin + line["num_timesteps"], line["reward"], frozenset(line.get("milestones", ()))
    )


def shares(episodes: Iterable[Episode], slug: str) -> Iterator[float]:
    """Yields, after each episode, the share of the latest ones that reached a milestone."""
    latest: deque[bool] = deque(maxlen=LATEST)
    for episode in episodes:
        latest.append(slug in episode.milestones)
        yield sum(latest) / len(latest)


def draw(episodes: Sequence[Episode], ends: Sequence[int], config: StagesConfig) -> None:
    """Draws the shares, and below them the reward of each episode.

    Raises:
        OSError: the picture cannot be written.
    """
    across = [episode.steps / 1e6 for episode in episodes]
    figure = Figure(figsize=(9, 6), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    for number, slug in enumerate(config.milestones):
        share = list(shares(episodes, slug))
        above.plot(across, share, color=COLOURS[number % len(COLOURS)], label=slug, linewidth=1.8)
    above.set_ylabel(f"share of the latest {LATEST} episodes\nfrom the start that reach it")
    above.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    below.plot(across, [episode.reward for episode in episodes], ".", color="0.4", markersize=3)
    below.set_ylabel("reward of an episode")
    below.set_xlabel("million env steps, including those explored without a network")
    for axes in (above, below):
        axes.grid(alpha=0.3)
        for end in ends[:-1]:
            axes.axvline(end / 1e6, color="0.6", linestyle=":")
    figure.savefig(config.out, dpi=110)


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Draws with the settings of a command line, None for this process's own."""
    config = tyro.cli(StagesConfig, args=arguments)
    stages = [Session.find(config.sessions, name) for name in config.stages]
    episodes, ends = episodes_of(stages)
    draw(episodes, ends, config)
    print(f"wrote {config.out}")
    return 0


if __name__ == "__main__":
    run_command(main)
