"""Simulates a training on more machines than there are: `python -m experiments.scaling.simulate`.

Actors, a network and a learner, event by event, from pieces that `pieces.py` measured on one
machine. It knows neither caches nor turbo clocks nor other users: take it for what breaks first.
"""

import heapq
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import tyro

from emerald_env.cli.command import run_command
from experiments.scaling.pieces import Pieces

PIECES = Path(__file__).with_name("pieces.json")
NETWORK = 1.25e9  # bytes a second between two machines: 10 Gbit Ethernet
GPU_SAMPLE = 10e-6  # seconds of an update for each sample: assumed, not measured
LEARNER_CORES = 8  # that an update without a GPU can use: beyond them nothing was measured
UPDATES = 30  # that are simulated; the first is not counted


@dataclass(frozen=True)
class Setup:
    """A cluster, and how it trains."""

    cores: int
    gpu: bool = False
    overlap: bool = False
    machine: int = 16  # cores of one
    games: int = 8  # of an actor, which has a core
    n_steps: int = 128

    @property
    def learner_cores(self) -> int:
        """Cores of an update; with `overlap` no actor has them."""
        most = self.cores // 2 if self.overlap else self.cores
        return 1 if self.gpu else min(LEARNER_CORES, most)

    @property
    def actors(self) -> int:
        """Actors, a core each."""
        return self.cores - self.learner_cores * self.overlap

    @property
    def samples(self) -> int:
        """Samples of an update."""
        return self.actors * self.games * self.n_steps


@dataclass(frozen=True)
class Outcome:
    """How fast a cluster trains, and what share of the time each part is at work."""

    samples_per_second: float
    playing: float  # of the actors' cores, on average
    taking: float  # of the learner's one thread
    learning: float  # of its other cores, or of its GPU
    network: float  # of the learner's way to the other machines

    @property
    def limit(self) -> str:
        """What is at work most."""
        parts = {
            "games": self.playing,
            "learner's thread": self.taking,
            "update": self.learning,
            "network": self.network,
        }
        return max(parts, key=parts.__getitem__)


class Cluster:
    """A training, update by update; times are in seconds from its beginning.

    Args:
        setup: the cluster.
        pieces: what was measured.
        seed: of what differs between actors.
    """

    def __init__(self, setup: Setup, pieces: Pieces, seed: int = 0) -> None:
        self.setup, self.pieces = setup, pieces
        self._dice = Random(seed)
        self.busy = dict.fromkeys(("playing", "taking", "learning", "network"), 0.0)

    def rollout(self) -> float:
        """Returns how long one actor plays."""
        p, games = self.pieces, self.setup.games
        step = p.look_fixed + games * (p.look_game + p.game_step)
        share = max(0.5, self._dice.gauss(1.0, p.game_spread))
        return self.setup.n_steps * step * share

    def fragments(self, start: float) -> float:
        """Plays a rollout on every actor; returns when the last fragment is with the learner.

        Actors on the learner's machine hand theirs over in shared memory; the others' come one
        after the other through the learner's connection, in the order in which they end.
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
        """Returns how long the learner takes the rollout in, with one thread."""
        games = self.setup.actors * self.setup.games
        seconds = self.setup.n_steps * (self.pieces.take_fixed + games * self.pieces.take_game)
        self.busy["taking"] += seconds
        return seconds

    def learn(self) -> float:
        """Returns how long an update takes."""
        if self.setup.gpu:
            seconds = self.setup.samples * GPU_SAMPLE
        else:
            # each doubling of the cores brings what the second one brought
            doublings = self.setup.learner_cores.bit_length() - 1
            speedup = self.pieces.learn_speedup**doublings
            seconds = self.setup.samples * self.pieces.learn_sample / speedup
        self.busy["learning"] += seconds
        return seconds

    def run(self) -> Outcome:
        """Trains; returns how fast."""
        now, counted = 0.0, 0.0
        flight = self.fragments(0.0)
        for update in range(UPDATES + 1):
            if update == 1:  # the first has nothing before it to overlap with
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


def table(pieces: Pieces, cores: Sequence[int]) -> list[str]:
    """Returns a Markdown table of clusters."""
    lines = [
        "| cores | GPU | overlap | samples/s | games busy | learner's thread | update | network |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for count in cores:
        for gpu in (False, True):
            for overlap in (False, True):
                setup = Setup(count, gpu, overlap)
                found = Cluster(setup, pieces).run()
                shares = (found.playing, found.taking, found.learning, found.network)
                words = [f"{share:.0%}" for share in shares]
                names = [str(count), "yes" if gpu else "no", "yes" if overlap else "no"]
                cells = [*names, f"{found.samples_per_second:,.0f}", *words]
                lines.append(f"| {' | '.join(cells)} |")
    return lines


@dataclass(frozen=True)
class SimulateConfig:
    """Simulate clusters of several sizes."""

    pieces: Path = PIECES
    """What `experiments.scaling.pieces` wrote."""
    cores: tuple[int, ...] = (2, 16, 64, 256)
    """Cores of all machines together."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table; returns the exit status."""
    config = tyro.cli(SimulateConfig, args=arguments)
    pieces = Pieces(**json.loads(config.pieces.read_text()))
    print("\n".join(table(pieces, config.cores)))
    return 0


if __name__ == "__main__":
    run_command(main)
