"""How trainings compare: a table and a picture, over the seeds of the same settings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from baselines.cluster.sweep.picture import Curve, curve_of
from baselines.cluster.sweep.results import Result, Row, rows, words
from baselines.cluster.sweep.sweep_run import result_of
from baselines.commands.learn.session import health
from baselines.runs.session_folder import Session
from baselines.settings.train_config import TrainConfig
from emerald_env.files.printable import for_rich, printable


@dataclass(frozen=True)
class Compared:
    """Trainings with the same settings, and the curves of each."""

    row: Row
    curves: Sequence[Curve]

    @property
    def name(self) -> str:
        """The settings in which it differs from the others."""
        return printable(self.row.name) or "the same settings"


def compared(
    sessions: Sequence[Session],
    settings: Sequence[TrainConfig],
    differing: Sequence[Mapping[str, str]],
    score: str,
) -> list[Compared]:
    """Returns sessions by what differs in their settings, the best first.

    Args:
        sessions: at least one.
        settings: of each.
        differing: in what each differs from the others.
        score: "milestones" or "reward".
    """
    results, curves = [], {}
    for session, config, differs in zip(sessions, settings, differing, strict=True):
        episodes = list(session.read_episodes())
        values = result_of(episodes)
        # a run goes on after its last episode has ended
        values["steps"] = max(values["steps"], health(session).get("steps", 0))
        result = Result(differs, config.seed, values)
        results.append(result)
        curves[id(result)] = curve_of(episodes, score)
    return [Compared(row, [curves[id(r)] for r in row.results]) for row in rows(results, score)]


def table(found: Sequence[Compared], same_reward: bool) -> Table:
    """Returns a line for each settings; rewards only where all were paid by the same."""
    shown = Table(box=None, pad_edge=False)
    shown.add_column("differs in", overflow="fold")
    for heading in ("seeds", "steps", "milestones (95 %)", *(["reward (95 %)"] * same_reward)):
        shown.add_column(heading, justify="right")
    for each in found:
        steps = max(int(result.values["steps"]) for result in each.row.results)
        scores = [words(each.row.mean("milestones"))]
        scores += [words(each.row.mean("reward"))] * same_reward
        if each.row.without_episodes == len(each.row.results):
            scores = ["no episode ended", *[""] * same_reward]
        shown.add_row(for_rich(each.name), str(len(each.row.results)), f"{steps:,}", *scores)
    return shown


def as_json(found: Sequence[Compared], same_reward: bool) -> list[dict[str, Any]]:
    """Returns the same as JSON can hold it, with None for a score that a run does not have."""
    kept = ("steps", "episodes", "milestones", *(["reward"] * same_reward))
    return [
        {
            "settings": dict(each.row.settings),
            "runs": [
                {"seed": result.seed} | {name: result.values.get(name) for name in kept}
                for result in each.row.results
            ],
        }
        for each in found
    ]
