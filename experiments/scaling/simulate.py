"""Simulates training on clusters that we do not have: `python -m experiments.scaling.simulate`.

A discrete-event simulation of actors, network and learner, from timings that `pieces.py` measured
on one machine. It ignores caches, turbo clocks and other users: it shows which part limits the
speed, not the exact speed.
"""

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated

import tyro
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter
from pydantic import Field

from baselines.commands.command import reports_user_errors, run_command
from emerald_env.env.setting_types import MAX_INT, checked, from_json
from emerald_env.files.data import read_json
from emerald_env.files.output_files import check_picture
from experiments.scaling.pieces import Pieces

PIECES = Path(__file__).with_name("pieces.json")
NETWORK = 1.25e9  # bytes a second between two machines: 10 Gbit Ethernet
GPU_SAMPLE = 45e-6  # seconds of an update for each sample, on an H200: docs/LEARNER_SPEED.md
LEARNER_CORES = 8  # the most that an update without a GPU uses: an assumption
PARTS = {  # label of each field of an outcome
    "playing": "games",
    "taking": "learner's thread",
    "learning": "update",
    "network": "network",
}
UPDATES = 30  # counted; one more before them is not
Cores = Annotated[int, Field(ge=2, le=MAX_INT)]  # with overlap the learner needs one of its own


@dataclass(frozen=True)
class Setup:
    """A cluster, and how it trains."""

    cores: int
    gpu: bool = False
    overlap: bool = False
    machine: int = 16  # cores of one machine
    games: int = 8  # of one actor
    n_steps: int = 128

    @property
    def learner_cores(self) -> int:
        """Cores that an update uses; with `overlap` they have no actors."""
        most = self.cores // 2 if self.overlap else self.cores
        return 1 if self.gpu else min(LEARNER_CORES, most)

    @property
    def actors(self) -> int:
        """Number of actors; each has one core."""
        return self.cores - self.learner_cores * self.overlap

    @property
    def samples(self) -> int:
        """Samples in an update."""
        return self.actors * self.games * self.n_steps


@dataclass(frozen=True)
class Outcome:
    """How fast a cluster trains, and the share of time that each part is busy."""

    samples_per_second: float
    playing: float  # the actors, on average
    taking: float  # the learner's thread that takes in fragments
    learning: float  # the learner's update, on its cores or its GPU
    network: float  # the learner's connection to the other machines

    @property
    def limit(self) -> str:
        """The part that is busiest."""
        return PARTS[max(PARTS, key=lambda field: float(getattr(self, field)))]


class Cluster:
    """A training, update by update. Times are in seconds since its start.

    Args:
        setup: the cluster.
        pieces: measured timings.
        seed: for the differences between rollouts.
    """

    def __init__(self, setup: Setup, pieces: Pieces, seed: int = 0) -> None:
        self.setup, self.pieces = setup, pieces
        self._dice = Random(seed)
        self.busy = dict.fromkeys(PARTS, 0.0)

    def rollout(self) -> float:
        """Returns the seconds of one actor's rollout."""
        p, games = self.pieces, self.setup.games
        step = p.look_fixed + games * (p.look_game + p.game_step)
        share = max(0.5, self._dice.gauss(1.0, p.game_spread))
        return self.setup.n_steps * step * share

    def fragments(self, start: float) -> float:
        """Plays a rollout on every actor; returns when the last fragment reaches the learner.

        Actors on the learner's machine use shared memory. The others' fragments pass through the
        learner's connection one at a time, first come, first served.
        """
        p, setup = self.pieces, self.setup
        size = setup.games * setup.n_steps * p.sample_bytes
        machines = -(-setup.cores // setup.machine)
        begun = start + (machines - 1) * p.weights_bytes / NETWORK
        ends: list[tuple[float, bool]] = []
        for actor in range(setup.actors):
            length = self.rollout()
            self.busy["playing"] += length / setup.actors
            heapq.heappush(ends, (begun + length, actor >= setup.machine))
        line = last = begun
        while ends:
            at, remote = heapq.heappop(ends)
            arrival = at + p.send_fixed + size * p.send_byte
            if remote:
                line = max(line, at) + size / NETWORK
                self.busy["network"] += size / NETWORK
                arrival = max(arrival, line)
            last = max(last, arrival)
        return last

    def take(self) -> float:
        """Returns the seconds in which the learner takes in a rollout, on one thread."""
        games = self.setup.actors * self.setup.games
        seconds = self.setup.n_steps * (self.pieces.take_fixed + games * self.pieces.take_game)
        self.busy["taking"] += seconds
        return seconds

    def learn(self) -> float:
        """Returns the seconds of an update."""
        if self.setup.gpu:
            seconds = self.setup.samples * GPU_SAMPLE
        else:
            # assumes that each doubling of the cores gains as much as the second core
            doublings = self.setup.learner_cores.bit_length() - 1
            speedup = self.pieces.learn_speedup**doublings
            seconds = self.setup.samples * self.pieces.learn_sample / speedup
        self.busy["learning"] += seconds
        return seconds

    def run(self) -> Outcome:
        """Simulates a training; returns its speed."""
        now, counted = 0.0, 0.0
        flight = self.fragments(0.0)
        for update in range(UPDATES + 1):
            if update == 1:  # the first update has nothing to overlap with
                counted = now
                self.busy = dict.fromkeys(self.busy, 0.0)
            taken = max(now, flight) + self.take()
            if self.setup.overlap:
                flight = self.fragments(taken)
                now = taken + self.learn()
            else:
                now = taken + self.learn()
                flight = self.fragments(now)
        seconds = now - counted
        rate = UPDATES * self.setup.samples / seconds
        return Outcome(rate, **{name: busy / seconds for name, busy in self.busy.items()})


def setups(cores: Sequence[int]) -> list[Setup]:
    """Returns clusters of these sizes, each with and without a GPU and overlap."""
    switches = (False, True)
    return [Setup(n, gpu, overlap) for n in cores for gpu in switches for overlap in switches]


def table(found: Mapping[Setup, Outcome]) -> list[str]:
    """Returns a Markdown table of clusters."""
    lines = [
        "| cores | GPU | overlap | samples/s | games busy | learner's thread | update | network |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for setup, own in found.items():
        shares = (own.playing, own.taking, own.learning, own.network)
        switches = ["yes" if each else "no" for each in (setup.gpu, setup.overlap)]
        words = [f"{own.samples_per_second:,.0f}", *(f"{share:.0%}" for share in shares)]
        lines.append(f"| {' | '.join([str(setup.cores), *switches, *words])} |")
    return lines


def draw(found: Mapping[Setup, Outcome], path: Path) -> None:
    """Draws the speed, and how busy each part is without overlap, against the number of cores."""
    figure = Figure(figsize=(12, 3.6), layout="constrained")
    panels = figure.subplots(1, 3)
    for gpu in (False, True):
        for overlap in (False, True):
            own = [s for s in found if (s.gpu, s.overlap) == (gpu, overlap)]
            name = ("with" if gpu else "without") + " a GPU" + (", --overlap" if overlap else "")
            speeds = [found[s].samples_per_second for s in own]
            style = "o--" if overlap else "o-"
            panels[0].plot([s.cores for s in own], speeds, style, color=f"C{gpu:d}", label=name)
        own = [s for s in found if s.gpu == gpu and not s.overlap]
        for field in ("playing", "taking", "learning", "network"):
            shares = [100 * getattr(found[s], field) for s in own]
            panels[1 + gpu].plot([s.cores for s in own], shares, "o-", label=PARTS[field])
        panels[1 + gpu].set_title("with a GPU" if gpu else "without a GPU")
        panels[1 + gpu].set_ylabel("% of the time busy")
    panels[0].set_ylabel("samples/s")
    panels[0].set_yscale("log")
    panels[0].yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    panels[0].yaxis.set_major_formatter("{x:,.0f}")
    panels[0].yaxis.set_minor_formatter(NullFormatter())
    cores = sorted({s.cores for s in found})
    for panel in panels:
        panel.set_xscale("log", base=2)
        panel.set_xticks(cores, [str(count) for count in cores])
        panel.set_xlabel("cores")
        panel.grid(alpha=0.3)
        panel.legend(fontsize="x-small")
    figure.savefig(path, dpi=110)


@checked
@dataclass(frozen=True)
class SimulateConfig:
    """Simulate clusters of several sizes."""

    pieces: Path = PIECES
    """File that `experiments.scaling.pieces` wrote."""
    cores: tuple[Cores, ...] = (2, 16, 64, 256)
    """Total cores of each cluster, at least two."""
    picture: Path | None = None
    """File for a picture. None: no picture."""

    def __post_init__(self) -> None:
        """Raises ValueError if there is no cluster, or the picture cannot be written."""
        if not self.cores:
            raise ValueError("--cores needs at least one number, or leave it out")
        check_picture(self.picture)


def read_pieces(path: Path) -> Pieces:
    """Returns the timings that `pieces.py` wrote.

    Raises:
        OSError: the file cannot be opened.
        ValueError: it has another form, or an impossible number.
    """
    try:
        return from_json(Pieces, read_json(path))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table and draws the picture; returns the exit status."""
    config = tyro.cli(SimulateConfig, args=arguments)
    pieces = read_pieces(config.pieces)
    found = {setup: Cluster(setup, pieces).run() for setup in setups(config.cores)}
    print("\n".join(table(found)))
    if config.picture is not None:
        draw(found, config.picture)
    return 0


if __name__ == "__main__":
    run_command(main)
