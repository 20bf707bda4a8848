"""How often battles with trainers are won by who chooses the moves, from an archive's states.

`python -m experiments.battle_moves ARCHIVE --world 0:demanding`: each of an archive's battles that
had just begun is played by each player, from the same state. Nobody changes Pokémon or uses items.
"Learnt moves" follows what the searches of one turn have found out, without a search, in each
matchup the first few, as a training makes them: what a student who follows the advice does. Behind
a share are the battle's steps and the searched.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Final, NamedTuple

import tyro
from rich.console import Console
from rich.progress import track
from rich.table import Table

from baselines.commands.command import reports_user_errors, run_command
from baselines.exploration.archive_folder import open_archive
from baselines.exploration.atlas.matchup_table import MatchupTable
from baselines.playing.intervals import wilson
from baselines.settings.game_config import GameConfig
from emerald_env.env.observation import observe_fully
from emerald_env.env.state_vector.details import FOE_PARTS
from emerald_env.explorer.battles.battle_turns import (
    Choice,
    choices,
    foes_hp,
    is_decided,
    own_hp,
    waits_for_action,
)
from emerald_env.explorer.battles.fights import Fight
from emerald_env.explorer.battles.matchups import matchups
from emerald_env.explorer.battles.move_search import MoveSearch
from emerald_env.game.editions import open_game
from emerald_env.game.savefile import read_state
from emerald_env.game.tables import trainers
from emerald_env.state import GameState, StateReader

LONGEST: Final = 100  # turns of a battle
LONGEST_OF_A: Final = 600  # steps
UNTIL_ASKED: Final = 40  # keys, until a new battle asks what to do


class TwoTurns(MoveSearch):
    """Tries two turns: the first is worth what the best choice in the second brings.

    Args:
        second: tries the second turn, in the same game.
        rest: as for `MoveSearch`.
    """

    def __init__(self, second: MoveSearch, *rest: object) -> None:
        super().__init__(*rest)  # type: ignore[arg-type]
        self._second = second

    def value(self, state: GameState) -> float:
        """Returns what the best choice after a state is worth."""
        own, before = super().value(state), self._second.steps
        worths = {} if is_decided(state) else self._second.worths(state)
        self.steps += self._second.steps - before
        return max(worths.values(), default=own) if len(worths) > 1 else own


class Outcome(NamedTuple):
    """How a battle went."""

    won: bool
    steps: int
    searched: int


class Battles:
    """Plays battles in a game of its own.

    Args:
        config: of the game.
        seed: of the waits and of random moves.
    """

    def __init__(self, config: GameConfig, seed: int) -> None:
        self._game = open_game(config.choice)
        self._reader = StateReader.of(self._game)
        self._dice = Random(seed)
        parts = (self._game, self._reader, config, self._dice)
        self._one = MoveSearch(*parts)
        self._two = TwoTurns(MoveSearch(*parts), *parts)
        self._table = MatchupTable()
        self.players: dict[str, Callable[[GameState], Outcome]] = {
            "always A": self._by_a,
            "random moves": self._by_chance,
            "one turn": partial(self._by_search, self._one),
            "two turns": partial(self._by_search, self._two),
            "learnt moves": self._by_table,
        }

    def begin(self, raw: bytes) -> tuple[bytes, GameState] | None:
        """Returns where a new battle asks first; None if it is no trainer's, or never asks."""
        state = self.load(raw)
        for _ in range(UNTIL_ASKED):
            if state is None or state.menu is not None:
                break
            state = self._one.press("a")
        asks = state is not None and state.opponent and waits_for_action(state)
        return (self._game.get_state(), state) if asks and state is not None else None

    def load(self, raw: bytes) -> GameState | None:
        """Loads a state; returns what is read in it."""
        self._game.set_state(raw)
        self._reader.reset()
        return self._reader.sample()

    def _by_a(self, state: GameState) -> Outcome:
        self._one.wait()
        for step in range(LONGEST_OF_A):
            if is_decided(state):
                return _outcome(state, step, 0)
            state = self._one.press("a") or state
        return Outcome(False, LONGEST_OF_A, 0)

    def _by_chance(self, state: GameState) -> Outcome:
        return self._by_choices(state, lambda _, options: self._dice.choice(options))

    def _by_table(self, state: GameState) -> Outcome:
        known = dict(zip(*(part.tolist() for part in self._table.best()), strict=True))

        def learnt(state: GameState, options: list[Choice]) -> Choice:
            move = None if state.is_double_battle else known.get(_matchup(state))
            return options[0] if move is None else Choice(move)

        return self._by_choices(state, learnt)

    def _by_choices(
        self, state: GameState, choose: Callable[[GameState, list[Choice]], Choice]
    ) -> Outcome:
        """Plays a battle in which each turn's choice is made from those that there are."""
        begun = self._one.steps
        for _ in range(LONGEST):
            menu = waits_for_action(state)
            if is_decided(state) or menu is None:
                break
            self._one.wait()
            choice = choose(state, choices(state, menu.battler))
            state = self._one.play_turn(state, choice)
        return _outcome(state, self._one.steps - begun, 0)

    def _by_search(self, search: MoveSearch, state: GameState) -> Outcome:
        played, begun = 0, search.steps
        for _ in range(LONGEST):
            if is_decided(state) or waits_for_action(state) is None:
                break
            worths = search.worths(state)
            if search is self._one and not state.is_double_battle and len(worths) > 1:
                self._learn(Fight.of(_matchup(state), worths))
            search.wait()
            before = search.steps
            state = search.play_turn(state, max(worths, key=worths.__getitem__))
            played += search.steps - before
        return _outcome(state, played, search.steps - begun - played)

    def _learn(self, fight: Fight) -> None:
        """Adds a search to the table, unless its matchup's best move is known already."""
        if fight.matchup not in self._table.best()[0]:
            self._table.add([fight])


def _matchup(state: GameState) -> int:
    return int(matchups(observe_fully(state)[None])[0])


def _outcome(state: GameState, steps: int, searched: int) -> Outcome:
    return Outcome(any(own_hp(state)) and not any(foes_hp(state)), steps, searched)


def new_battles(folder: Path, most: int, dice: Random) -> Iterator[bytes]:
    """Yields states of an archive in which a trainer's battle has just begun, some a trainer."""
    archive, found = open_archive(folder), defaultdict(list)
    for cell, number in archive.cells.items():
        if cell.battle > FOE_PARTS + 2 and cell.battle % (FOE_PARTS + 2) == FOE_PARTS + 1:
            found[cell.battle].append(number)
    for numbers in found.values():
        for number in dice.sample(numbers, min(most, len(numbers))):
            yield read_state(archive.path(number))


@dataclass(frozen=True)
class MovesConfig:
    """Play an archive's battles by several players."""

    archive: tyro.conf.Positional[Path]
    """Its folder."""

    world: str | None = None
    """Of Jade, in which it was explored."""

    players: tuple[str, ...] = ()
    """Some of the players; all where none is named."""

    most: int = 8
    """Battles a trainer."""

    repeat: int = 2
    """Times that each is played."""

    seed: int = 0


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table; returns the exit status."""
    config = tyro.cli(MovesConfig, args=arguments, description=__doc__)
    battles = Battles(GameConfig(world=config.world), config.seed)
    names = config.players or tuple(battles.players)
    if unknown := [name for name in names if name not in battles.players]:
        raise ValueError(f"no player {', '.join(unknown)}: there are {', '.join(battles.players)}")
    raw = new_battles(config.archive, config.most, Random(config.seed))
    begun = [begin for begin in map(battles.begin, raw) if begin is not None] * config.repeat
    played: dict[str, dict[str, list[Outcome]]] = defaultdict(lambda: defaultdict(list))
    shown = Table("trainer", "battles", *names)
    for name, play in ((name, battles.players[name]) for name in names):
        for start, state in track(begun, name, console=Console(stderr=True)):
            battles.load(start)
            outcome = play(state)
            for row in (trainers()[state.opponent].name, "all"):
                played[row][name].append(outcome)
    for who, by_player in sorted(played.items()):
        counts = len(next(iter(by_player.values())))
        shown.add_row(
            who, str(counts), *(told_outcomes(outcomes) for outcomes in by_player.values())
        )
    Console(highlight=False, width=150).print(shown)
    return 0


def told_outcomes(outcomes: Sequence[Outcome]) -> str:
    """Returns the share won with its interval, steps of a battle and steps searched for it."""
    share = wilson(sum(outcome.won for outcome in outcomes), len(outcomes))
    steps, searched = (fmean(getattr(o, part) for o in outcomes) for part in ("steps", "searched"))
    return f"{share[0]:.0%} ({share[1]:.0%} to {share[2]:.0%}), {steps:.0f} + {searched:,.0f}"


if __name__ == "__main__":
    run_command(main)
