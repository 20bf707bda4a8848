"""How often an agent wins against each trainer, from the recordings of its episodes.

`emerald evaluate jade --episodes 32 --record played` and then
`python -m experiments.trainer_battles played`
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

import tyro
from rich.console import Console
from rich.progress import track
from rich.table import Table

from baselines.commands.command import reports_user_errors, run_command
from baselines.playing.intervals import Estimate, wilson
from baselines.settings.fitting import ways_of
from emerald_env.game.flags import TRAINER_FLAGS
from emerald_env.game.tables import trainers
from emerald_env.recordings.recording import Recording
from emerald_env.recordings.replaying import open_recorded, replay
from emerald_env.state import GameState

WON: Final = 1  # B_OUTCOME_WON in pret's include/constants/battle.h
GIVEN_UP: Final = "the episode ended in it"


class Battle(NamedTuple):
    """One battle with a trainer.

    Attributes:
        trainer: number in `trainers()`.
        own: level of the player's strongest Pokémon when it began.
        foe: of the trainer's.
        won: None: the episode ended in it.
    """

    trainer: int
    own: int
    foe: int
    won: bool | None


def battles(states: Iterable[GameState | None]) -> Iterator[Battle]:
    """Yields an episode's battles with trainers, in order.

    A battle is won if it ends so, or if the trainer counts as beaten afterwards: it may end between
    two steps.

    Args:
        states: after each step; None where the game could not be read.
    """
    known = (state for state in states if state is not None)
    running: list[GameState] = []
    for trainer, stretch in groupby(known, lambda state: state.opponent):
        now = list(stretch)
        if running:
            yield _battle(running, now[0])
        running = now if trainer else []
    if running:
        yield _battle(running, None)


def _battle(steps: Sequence[GameState], after: GameState | None) -> Battle:
    first, last = steps[0], steps[-1]
    flag = TRAINER_FLAGS.start + first.opponent
    ends = [*steps, *([] if after is None else [after])]
    won = any(state.battle_outcome == WON or state.has(flag) > first.has(flag) for state in ends)
    ended = after is not None or last.battle_outcome
    own, foe = (max((one.level for one in p), default=0) for p in (first.party, last.enemy_party))
    return Battle(first.opponent, own, foe, won if won or ended else None)


def by_trainer(played: Iterable[Battle]) -> dict[int, list[Battle]]:
    """Returns the battles with each trainer, in the order in which they are first met."""
    found: dict[int, list[Battle]] = {}
    for battle in played:
        found.setdefault(battle.trainer, []).append(battle)
    return found


def share_won(met: Sequence[Battle]) -> Estimate | None:
    """Returns the share of the ended battles that were won; None without any."""
    ended = [battle.won for battle in met if battle.won is not None]
    return wilson(sum(ended), len(ended)) if ended else None


def table(met: Mapping[int, Sequence[Battle]]) -> Table:
    """Returns a line for each trainer."""
    shown = Table("trainer", "battles", "won (95 %)", "level, own and trainer's (medians)")
    for trainer, fought in met.items():
        own, foe = (median(level) for level in zip(*((b.own, b.foe) for b in fought), strict=True))
        share = share_won(fought)
        said = GIVEN_UP if share is None else "{:.0%} ({:.0%} to {:.0%})".format(*share)
        who = trainers()[trainer]
        shown.add_row(
            f"{who.trainer_class} {who.name} ({trainer})",
            str(len(fought)),
            said,
            f"{own:g}, {foe:g}",
        )
    return shown


def _played(recording: Recording) -> list[Battle]:
    with open_recorded(recording) as game:
        return list(battles(step.state for step in replay(recording, game)))


@dataclass(frozen=True)
class BattlesConfig:
    """Tell how often recorded episodes win against each trainer."""

    recordings: tyro.conf.Positional[tuple[Path, ...]]
    """Recordings, or folders of them."""

    def __post_init__(self) -> None:
        """Raises ValueError if nothing is named."""
        if not self.recordings:
            raise ValueError("name a recording, or a folder of them")


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table; returns the exit status."""
    config = tyro.cli(BattlesConfig, args=arguments, description=__doc__)
    played: list[Battle] = []
    for path in track(ways_of(config.recordings), "replaying", console=Console(stderr=True)):
        played += _played(Recording.load(path))
    Console(highlight=False).print(table(by_trainer(played)))
    return 0


if __name__ == "__main__":
    run_command(main)
