"""The PokéAgent Challenge's splits of evaluated episodes, as a table."""

import math
from collections.abc import Iterator, Sequence

from rich.table import Table

from baselines.playing.evaluation import Evaluation
from baselines.playing.intervals import median_of, wilson
from emerald_env.emulator import FRAMES_PER_SECOND
from emerald_env.files.printable import clock, for_rich
from emerald_env.recordings.recording import Recording
from emerald_env.recordings.splits import BEFORE, SPLITS, splits_of


def splits_table(evaluations: Sequence[Evaluation]) -> Table:
    """Returns a line for each split: how often it was reached, and after how much play.

    Args:
        evaluations: whose episodes were recorded.
    """
    table = Table("split", "player", "reached in", "time (median)", "actions (median)")
    played = [(each.name, list(_episodes(each))) for each in evaluations]
    for split in (*BEFORE, *SPLITS):
        for name, episodes in played:
            times = [found.get(split, math.inf) for found, _ in episodes]
            share = wilson(sum(map(math.isfinite, times)), len(times)).value
            steps = median_of(times).value
            seconds = steps * episodes[0][1] / FRAMES_PER_SECOND
            words = (clock(seconds), f"{steps:,.0f}") if math.isfinite(steps) else ("never", "-")
            table.add_row(split, for_rich(name), f"{share:.0%}", *words)
    return table


def _episodes(played: Evaluation) -> Iterator[tuple[dict[str, int], int]]:
    """Yields the splits of each recorded episode, and the frames of a step."""
    for episode in played.episodes:
        if episode.recording is not None:
            recording = Recording.from_bytes(episode.recording)
            yield splits_of(recording.states()), recording.frame_skip
