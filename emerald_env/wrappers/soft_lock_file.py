"""A soft-locked game as files: its state and what is needed to repeat the check."""

import json
from collections.abc import Hashable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from emerald_env.env.config import EnvConfig
from emerald_env.files.atomic import write_atomically
from emerald_env.files.data import DataError, fits, read_json
from emerald_env.game.choice import GameChoice, Rom, choice_of
from emerald_env.game.editions import open_game
from emerald_env.game.savefile import pack_png, read_state
from emerald_env.wrappers.soft_lock import is_soft_locked

Place = tuple[tuple[int, int], tuple[int, int]]
MAX_PLACES_BYTES = 16 << 20  # bytes of the places; an episode has a few thousand of them


@dataclass(frozen=True)
class SoftLock:
    """The end of an episode that soft-locked.

    Attributes:
        state: of the game, raw.
        places: that the episode has been to, as (location, position).
        world: of Jade, in which the episode was; None: the game's own, or not known.
    """

    state: bytes
    places: tuple[Place, ...]
    action_set: str
    hold_frames: int
    frame_skip: int
    world: str | None = None

    @classmethod
    def of(cls, state: bytes, seen: Iterable[Hashable], config: EnvConfig) -> "SoftLock":
        """Returns the soft-lock of a game in this state, in an episode that has seen `seen`."""
        places = tuple(place for place in seen if isinstance(place, tuple))
        keys = config.action_set, config.hold_frames, config.frame_skip
        return cls(state, places, *keys, config.world)

    def save(self, path: Path, rom: Rom) -> None:
        """Writes the state as a PNG state of mGBA, with the rest of what the check needs as .json.

        Raises:
            OSError: a file cannot be written.
        """
        with open_game(self._choice(rom)) as game:
            game.set_state(self.state)
            game.step(0, 1, 1)
            picture = pack_png(self.state, game.screen.rgb)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, picture)
        values = asdict(replace(self, state=b""))
        del values["state"]
        write_atomically(path.with_suffix(".json"), (json.dumps(values) + "\n").encode())

    @classmethod
    def load(cls, path: Path) -> "SoftLock":
        """Reads what `save` wrote.

        Raises:
            OSError: a file is missing.
            SaveFileError, DataError: a file has something else in it.
        """
        beside = path.with_suffix(".json")
        values = read_json(beside, MAX_PLACES_BYTES)
        if not isinstance(values, dict) or not fits(values.get("places"), list[list[list[int]]]):
            raise DataError(f"{beside} does not describe a soft-lock")
        places = tuple(tuple(map(tuple, place)) for place in values.pop("places"))
        names = ("action_set", "hold_frames", "frame_skip", "world")
        config = EnvConfig(**{name: values.get(name) for name in names})  # type: ignore[arg-type]
        return cls.of(read_state(path), places, config)

    def is_locked(self, rom: Rom) -> bool:
        """Repeats the check, see `is_soft_locked`.

        Raises:
            StateError: the state belongs to another game.
        """
        config = EnvConfig(
            action_set=self.action_set, hold_frames=self.hold_frames, frame_skip=self.frame_skip
        )
        with open_game(self._choice(rom)) as game:
            game.set_state(self.state)
            return is_soft_locked(game, set(self.places), config)

    def _choice(self, rom: Rom) -> GameChoice:
        """Returns the game in the episode's world, if that is known and no ROM is given."""
        choice = choice_of(rom)
        known = self.world is not None and choice.rom is None
        return replace(choice, world=self.world) if known else choice
