"""The settings of one game with its reward."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

from pydantic import BeforeValidator

from emerald_env.env import any_game
from emerald_env.env.config import EnvConfig, ObservationKind
from emerald_env.env.setting_types import Count, checked
from emerald_env.files.own_code import OwnName, parse_address
from emerald_env.game.choice import GameChoice

if TYPE_CHECKING:
    from rewards import Preset

NOTHING = Path(any_game.__file__).with_name("value_reward.py")
# Of the flag, whose default depends on others: `fitting.with_eyes` replaces "auto".
EYES = {"choices": ("auto", *get_args(ObservationKind))}
PAYS_NOTHING = f"{NOTHING.name}:nothing"  # the name of that preset


def weight_texts(weights: Any) -> Any:
    """Returns weights as a tuple of texts; a dict becomes term=weight."""
    if isinstance(weights, Mapping):
        return tuple(f"{term}={weight}" for term, weight in weights.items())
    return tuple(weights) if isinstance(weights, list) else weights


def fallback_preset(game: GameChoice) -> "Preset":
    """Returns what pays if no other reward can: nothing in a game that nobody can read here."""
    from rewards import load_preset  # slow to load

    return load_preset() if game.data is None else load_preset(f"{NOTHING}:nothing")


@checked
@dataclass(frozen=True)
class GameConfig(EnvConfig):
    """The game that an agent plays, and what pays in it."""

    observation: ObservationKind = field(default=EnvConfig.observation, metadata=EYES)
    """screen: the picture alone; dict: the picture and a vector from the game's memory; full: a
    longer vector, with what scripts have switched and the exact values of a battle; state: that
    vector without the picture, which is faster; auto: state, with a GPU full, both with --targets,
    but screen with --teacher and --data. Left out: auto, or full beside a flag that says what the
    network sees, such as --network; with --resume or --init-from what was observed there."""

    targets: bool = False
    """Observe what can be walked to on this map: doors, edges, people, items, signs, how far each
    is and which keys begin the way there, as the game's memory has them. --observation auto
    switches it on."""

    episode_length: Count = 8192
    """Steps after which an episode is truncated."""

    patience: Count | None = 1024
    """Steps that an episode may take without reward before it is truncated; a reward of 1 buys 400
    more, up to this limit. None: only episode_length counts."""

    reward: str = "default"
    """What pays: a preset's name, the path of a TOML file, or a Python function or class of your
    own, my_reward.py:reward (docs/REWARDS.md)."""

    reward_weights: Annotated[tuple[str, ...], BeforeValidator(weight_texts)] = ()
    """Weights in place of the preset's, each as term=weight: badge=2 search=0."""

    reward_code: tuple[str, ...] = ()
    """Python files of your own with terms that the preset lists, as my_terms.py:Wealth."""

    wrapper: str | None = None
    """A gymnasium wrapper of your own around each game, my_wrapper.py:Wrapper, so that the agent
    observes something else (docs/OWN_NETWORKS.md)."""

    disturb: tuple[str, ...] = ()
    """Disturb the games: repeat=.25 (of the keys), random=.25, noise=20 (levels of the picture),
    starter=1 (the left one, taken for the agent), black (the picture), no-vector (all that is read
    from memory is 0), girl; mixed: starter, girl and noise drawn for each episode."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.disturb:
            from emerald_env.wrappers.disturbed import Disturbance  # slow to load

            Disturbance.parse(self.disturb)
        if self.wrapper is not None and parse_address(self.wrapper) is None:
            raise ValueError(f"wrapper is {self.wrapper!r:.60}: give FILE.py:NAME")

    def preset(self) -> "Preset":
        """Returns what pays: the preset `reward`, changed by `reward_weights`.

        Raises:
            FileNotFoundError: no such preset; the message lists the known ones.
            ValueError: an unknown term or an impossible weight; the message lists the terms. With
                `data`: the reward is a preset, or weights or code of one are given.
        """
        from rewards import load_preset, parse_weights  # slow to load

        if self.data is not None:
            self._check_without_preset()
            if self.reward == GameConfig.reward:
                return fallback_preset(self)
        return load_preset(self.reward, parse_weights(self.reward_weights), self.reward_code)

    def _check_without_preset(self) -> None:
        """Raises ValueError where a preset should pay, whose terms read Emerald's memory."""
        is_own = parse_address(self.reward) is not None
        if self.reward != GameConfig.reward and not is_own:
            raise ValueError(
                f"the reward {self.reward} reads Emerald's memory: with --data give a function "
                "of your own, --reward FILE.py:NAME"
            )
        own = OwnName.read(self.reward).address if is_own else None
        of_presets = [w for w in self.reward_weights if w.partition("=")[0].strip() != own]
        for name, given in (("reward_weights", of_presets), ("reward_code", self.reward_code)):
            if given:
                raise ValueError(
                    f"{name} {' '.join(given)} is for a preset, which reads Emerald's memory: with "
                    "--data leave it out; a function of your own, --reward FILE.py:NAME, returns "
                    "what it pays"
                )

    def own_wrapper(self) -> OwnName | None:
        """Returns the wrapper of the user's own, read but not run.

        Raises:
            OSError, DataError: its file cannot be read.
        """
        return None if self.wrapper is None else OwnName.read(self.wrapper)

    @property
    def own_reward(self) -> list[str]:
        """The flags that name Python files of the reward."""
        flags = [f"--reward {self.reward}"] if parse_address(self.reward) else []
        if self.reward_code:
            flags += [f"--reward {self.reward} --reward-code {' '.join(self.reward_code)}"]
        return flags

    @property
    def own_code(self) -> list[str]:
        """The flags that name Python files, which run: never to be taken from a file."""
        return self.own_reward + ([f"--wrapper {self.wrapper}"] if self.wrapper else [])
