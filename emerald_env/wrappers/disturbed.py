"""The wrapper that disturbs a game: how well does an agent play off its usual way?"""

from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import gymnasium
import numpy as np

from emerald_env.env.actions import action_set
from emerald_env.env.config import PREPARE
from emerald_env.env.env import EmeraldEnv
from emerald_env.env.observation import FROM_MEMORY, Observation
from emerald_env.game import symbols as sym

STARTERS = 3
CHOOSES = "choose_starter"  # kind of screen
WAY_TO_STARTER = {1: "left", 2: "", 3: "right"}
MOVES = 4  # steps for which the way is pressed; more of them than needed do nothing
GIRL = b"\x01"
NOISES = (0.0, 0.0, 10.0, 20.0)  # levels, one drawn for each mixed episode


@dataclass(frozen=True)
class Disturbance:
    """What is changed in a game."""

    repeat: float = 0.0  # probability that a step repeats the action before
    random: float = 0.0  # probability that a step's action is drawn at random
    noise: float = 0.0  # standard deviation of what is added to each pixel, in levels of 256
    starter: int = 0  # taken in place of the agent's choice: 1 left, 2 middle, 3 right; 0: its own
    black: bool = False  # the picture is black
    no_vector: bool = False  # all that the agent sees of the game's memory is 0
    girl: bool = False  # the player is a girl
    mixed: bool = False  # starter, girl and noise are drawn for each episode

    def __post_init__(self) -> None:
        for name in ("repeat", "random"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is {getattr(self, name)}: it must be between 0 and 1")
        if not 0 <= self.noise <= 255:
            raise ValueError(f"noise is {self.noise}: it must be between 0 and 255 levels")
        if not 0 <= self.starter <= STARTERS:
            raise ValueError(f"starter is {self.starter}: 1 (left), 2 (middle) or 3 (right)")

    def drawn(self, dice: np.random.Generator) -> "Disturbance":
        """Returns what is changed in one episode."""
        if not self.mixed:
            return self
        starter, girl = int(dice.integers(STARTERS + 1)), bool(dice.integers(2))
        return replace(self, starter=starter, girl=girl, noise=float(dice.choice(NOISES)))

    @classmethod
    def parse(cls, words: tuple[str, ...]) -> "Disturbance":
        """Returns what words such as "repeat=.25" and "black" say.

        Raises:
            ValueError: a word is unknown, or its value impossible; the message says what there is.
        """
        kinds: dict[str, Any] = {s.name: type(s.default) for s in fields(cls)}
        found: dict[str, Any] = {}
        for word in words:
            name, _, value = word.partition("=")
            kind = kinds.get(name.replace("-", "_"))
            if kind is None or (kind is bool) == bool(value):
                raise ValueError(f"no disturbance {word!r}: there are {', '.join(KINDS)}")
            try:
                found[name.replace("-", "_")] = kind(value) if value else True
            except ValueError:
                raise ValueError(
                    f"{word}: {value!r} is no number; there are {', '.join(KINDS)}"
                ) from None
        return cls(**found)


ALL: tuple[tuple[str, ...], ...] = (
    (),
    ("repeat=.25",),
    ("repeat=.5",),
    ("random=.25",),
    ("noise=20",),
    ("black",),
    ("no-vector",),
    ("girl",),
    ("starter=1",),
    ("starter=3",),
)
"""What `emerald evaluate --disturb all` tries, one after the other."""
KINDS = ("repeat=.25", "random=.25", "noise=20", "starter=1", "black", "no-vector", "girl", "mixed")


class Disturbed(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Disturbs a game; see `Disturbance`.

    Args:
        env: a game.
        disturbance: what is changed.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], disturbance: Disturbance) -> None:
        super().__init__(env)
        self._game: EmeraldEnv = env.unwrapped  # type: ignore[assignment]
        self._ordered = self._how = disturbance
        names = [action.name for action in action_set(self._game.config.action_set)]
        self._index = {name: index for index, name in enumerate(names)}
        self._last: Any = None
        self._choosing = 0  # steps on the screen where the first Pokémon is chosen

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Restarts the game; a girl is one before the reward and the recorder look."""
        options = (options or {}) | {PREPARE: self._draw}
        observation, info = super().reset(seed=seed, options=options)
        self._last, self._choosing = None, 0
        return self._seen(observation), info

    def step(self, action: Any) -> tuple[Observation, Any, bool, bool, dict[str, Any]]:
        """Steps, with another action where the game is disturbed."""
        dice, how = self._game.np_random, self._how
        if dice.random() < how.random:
            action = dice.integers(len(self._index))
        if self._last is not None and dice.random() < how.repeat:
            action = self._last
        self._last = action
        observation, reward, ended, truncated, info = super().step(self._chosen(action))
        return self._seen(observation), reward, ended, truncated, info

    def get_state(self) -> dict[str, Any]:
        """Returns everything that the rest of the episode depends on."""
        own = {
            "last": None if self._last is None else int(self._last),
            "choosing": self._choosing,
            "how": asdict(self._how),
        }
        inner: dict[str, Any] = self.env.get_wrapper_attr("get_state")()
        return inner | {"disturbed": own}

    def set_state(self, state: dict[str, Any]) -> None:
        """Restores what `get_state` returned."""
        own = state["disturbed"]
        self._last, self._choosing = own["last"], own["choosing"]
        self._how = Disturbance(**own["how"])
        self.env.get_wrapper_attr("set_state")(state)

    def _chosen(self, action: Any) -> Any:
        """Returns the action, or what takes the wanted first Pokémon while one is chosen."""
        if not (self._how.starter and self._chooses()):
            return action
        self._choosing += 1
        way = WAY_TO_STARTER[self._how.starter]
        return self._index[way if way and self._choosing <= MOVES else "a"]

    def _chooses(self) -> bool:
        edition = self._game.gba.edition
        at = edition.addresses.g_main + sym.MAIN_CALLBACK2
        screen = edition.screens.get(int.from_bytes(self._game.gba.memory.read(at, 4), "little"))
        return screen is not None and screen.kind == CHOOSES

    def _draw(self) -> None:
        self._how = self._ordered.drawn(self._game.np_random)
        if self._how.girl:
            self._make_girl()

    def _make_girl(self) -> None:
        pointer = self._game.gba.edition.addresses.g_save_block_2_ptr
        block = int.from_bytes(self._game.gba.memory.read(pointer, 4), "little")
        self._game.gba.memory.write(block + sym.SB2_PLAYER_GENDER, GIRL)

    def _seen(self, observation: Observation) -> Observation:
        parts = observation if isinstance(observation, dict) else {"screen": observation}
        screen = parts.get("screen")
        if screen is None:
            pass
        elif self._how.black:
            screen[:] = 0
        elif self._how.noise:
            noise = self._game.np_random.normal(0.0, self._how.noise, screen.shape)
            screen[:] = np.clip(np.rint(screen + noise), 0, 255)
        if self._how.no_vector:
            for name in parts.keys() & set(FROM_MEMORY):
                parts[name][:] = 0
        return observation
