"""Walks of real games for the auditor."""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from emerald_env.game.choice import GameChoice, Rom
from emerald_env.game.editions import Game, open_game
from emerald_env.jade.cartridge import world_of, world_rom
from emerald_env.jade.exploits import EXPLOITS
from emerald_env.jade.journey import journey
from emerald_env.jade.maps import Place
from emerald_env.jade.walk import walk_through
from emerald_env.jade.walker import Walker
from emerald_env.jade.worlds.guidance.guide import Guide
from emerald_env.jade.worlds.guidance.look import SAVE_BLOCK_1_POINTER
from emerald_env.recordings.recording import Recording, RecordingError
from emerald_env.recordings.replaying import open_recorded, replay
from emerald_env.starts.watchdog import HANGS, Watchdog
from emerald_env.state import GameState, Mode, StateReader
from rewards.audit import StatesWalk

PREFIX = "jade/"
STEP = 24  # most frames between two samples
GLANCE = 8  # frames; crossing a tile takes at least as many


class Sampler(Walker):
    """A walker that samples the game once per step, as the environment does.

    An agent walks one tile per step and so samples each tile; a walker keeps its keys pressed and
    would cross some between two samples. A step therefore also ends on every new tile.

    Attributes:
        states: samples that were not yet taken.
    """

    def __init__(self, gba: Game) -> None:
        super().__init__(gba)
        self._reader = StateReader.of(gba)
        self.states: list[GameState | None] = []
        self._look()

    def tick(self, frames: int = 1, *keys: str) -> None:
        """Runs frames with these keys held."""
        while frames:
            now = min(frames, (self._left % GLANCE or GLANCE) if keys else self._left)
            super().tick(now, *keys)
            frames -= now
            self._left -= now
            if not self._left or (self._left % GLANCE == 0 and self._tile() != self._seen):
                self._look()

    def _look(self) -> None:
        self._left = STEP
        state = self._reader.sample()
        between_maps = state is None or state.mode is Mode.TRANSITION  # to be sampled again
        self._seen = None if between_maps else self._tile()
        self.states.append(state)

    def _tile(self) -> Place | None:
        """Returns the player's tile, None before there is a player."""
        return self.place if self.number(SAVE_BLOCK_1_POINTER) else None

    def take(self) -> list[GameState | None]:
        """Runs to the end of the step; returns the states since the last call."""
        while self._left < STEP:
            self.tick(self._left)
        states, self.states = self.states, []
        self.keys.clear()
        return states


class JadeWalk:
    """An exploit of Jade that plays each round; `close` switches the game off.

    Args:
        name: a key of `exploits.EXPLOITS`.
        state: of Jade, in which the story has reached what the exploit needs; None: the story is
            played up to there first, which takes some seconds.
        world: of Jade; None: the game as it comes.

    Raises:
        ValueError: the world is demanding; exploits win their battles by A alone.
    """

    def __init__(self, name: str, state: bytes | None = None, world: str | None = None) -> None:
        self.name = PREFIX + name
        check_winnable(self.name, world)
        self._exploit = EXPLOITS[name]
        self._gba = open_game(GameChoice(world=world))
        self._gba.set_state(state or _state_after(self._exploit.needs, world))
        self._walker = Sampler(self._gba)

    def opening(self) -> Iterator[GameState | None]:
        """Yields the states up to where the first round begins."""
        self._exploit.prepare(self._walker)
        yield from self._walker.take()

    def round(self) -> Iterator[GameState | None]:
        """Yields the states of one more round.

        Raises:
            Stuck: the game did not react as it should.
        """
        self._exploit.round(self._walker)
        yield from self._walker.take()

    def close(self) -> None:
        """Switches the game off."""
        self._gba.stop()


def check_winnable(name: str, world: str | None) -> None:
    """Checks that an exploit's battles can be won in a world.

    Raises:
        ValueError: the world is demanding.
    """
    if world and world_of(world).demanding:
        raise ValueError(
            f"{name} wins its battles by A alone, which does no harm in world {world}: "
            "audit it in one that is not demanding"
        )


@lru_cache(maxsize=4)
def _state_after(milestone: str, world: str | None = None) -> bytes:
    with open_game(GameChoice(world=world)) as gba:
        walk = journey(gba, Guide(world_rom(world))) if world else walk_through(Walker(gba))
        for name, _ in walk:
            if name == milestone:
                Walker(gba).settle()
                return gba.get_state()
    raise AssertionError(f"the walkthrough does not reach {milestone}")


def jade_walk_names() -> list[str]:
    """Returns the names of Jade's exploits, as the auditor knows them."""
    return [PREFIX + name for name in EXPLOITS]


def recorded_walk(path: Path, rom: Rom = None) -> StatesWalk:
    """Returns the walk of a recorded episode, which is replayed.

    Args:
        path: the recording.
        rom: its game; None: Jade.

    Raises:
        FileNotFoundError, RomError: the recording or the ROM cannot be used.
        RecordingError: it is of another game, or the replay differs.
    """
    recording = Recording.load(path)
    states = []
    hangs = Watchdog(HANGS.format(f"the start of {path}"))
    with open_recorded(recording, rom) as gba, hangs as watchdog:
        for replayed in watchdog.follow(replay(recording, gba)):
            if replayed.same is False:
                raise RecordingError(
                    f"{path} comes out differently from step {replayed.step} on: it was recorded "
                    f"with {dict(recording.versions)}"
                )
            states.append(replayed.state)
    return StatesWalk(path.name, states)
