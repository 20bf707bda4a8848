"""Compares trainings: `emerald compare SESSION SESSION ...`."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import tyro
from rich.console import Console

from baselines.commands.command import reports_user_errors
from baselines.runs.session_folder import Session
from baselines.settings.read_flags import read_flags
from baselines.settings.shown_settings import (
    reward_differences,
    reward_settings,
    setting_differences,
)
from baselines.settings.train_config import TrainConfig
from emerald_env.env.setting_types import checked
from emerald_env.files.output_files import check_picture
from emerald_env.files.printable import say
from emerald_env.recordings.find_recordings import SESSIONS


@checked
@dataclass(frozen=True)
class CompareConfig:
    """Compare trainings: what differs in their settings, and what came of it.

    Sessions that differ in nothing but their seed count as repetitions of one training.
    """

    compared: tyro.conf.Positional[
        Annotated[tuple[str, ...], tyro.conf.arg(metavar="SESSION SESSION ...")]
    ]
    """Sessions: folders, names, or "last"."""
    sessions: Path = SESSIONS
    """Folder of the sessions."""
    score: Literal["milestones", "reward"] = "milestones"
    """What is compared, over the last tenth of the episodes. Rewards are compared only where all
    were paid by the same."""
    picture: Path | None = None
    """Draw the curves, with a band over the seeds, and the scores into this file."""
    json: bool = False
    """Print one JSON list."""

    def __post_init__(self) -> None:
        """Raises ValueError for fewer than two sessions, or a bad picture path."""
        if len(self.compared) < 2:
            raise ValueError("name at least two sessions: `emerald session list` lists them")
        check_picture(self.picture)


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints how trainings compare; returns the exit status."""
    config: CompareConfig = read_flags(CompareConfig, arguments)
    sessions = distinct_sessions(config)
    settings = [TrainConfig.load(session.config) for session in sessions]
    amounts = reward_differences(settings, [session.read_reward() for session in sessions])
    same = len(set(map(reward_settings, settings))) == 1 and not any(amounts)
    check_score(config.score, same)
    # scipy and matplotlib take long to load: what is wrong with flags or files is reported before
    from baselines.cluster.sweep.picture import draw
    from baselines.commands.learn.comparison import as_json, compared, table

    differing = [a | b for a, b in zip(setting_differences(settings), amounts, strict=True)]
    found = compared(sessions, settings, differing, config.score)
    if config.json:
        print(json.dumps(as_json(found, same), indent=2))
    else:
        Console(highlight=False).print(table(found, same))
        if without := sum(each.row.without_episodes for each in found):
            print(f"no episode ended in {without} of {len(sessions)} runs, which no mean counts")
        if not same:
            print("paid by different rewards: emerald evaluate A --against B --reward default")
    if config.picture is not None:
        rows, curves = [each.row for each in found], [each.curves for each in found]
        draw(rows, curves, config.score, config.picture)
        say(f"wrote {config.picture}")
    return 0


def check_score(score: str, same_reward: bool) -> None:
    """Checks that rewards are compared only where all were paid by the same.

    Raises:
        ValueError: they were not.
    """
    if score == "reward" and not same_reward:
        raise ValueError(
            "these runs were paid by different rewards, which do not compare: leave --score out, "
            "or let both play for one: emerald evaluate A --against B --reward default"
        )


def distinct_sessions(config: CompareConfig) -> list[Session]:
    """Returns the sessions that are compared.

    Raises:
        FileNotFoundError: there is none of a name.
        ValueError: two names are the same session's, which would count as two seeds.
    """
    found = [Session.find(config.sessions, name) for name in config.compared]
    names: dict[Path, str] = {}
    for name, session in zip(config.compared, found, strict=True):
        folder = session.folder.resolve()
        if folder in names:
            raise ValueError(
                f"{names[folder]} and {name} are the same session, {folder}, which would count as "
                "two seeds: name it once"
            )
        names[folder] = name
    return found
