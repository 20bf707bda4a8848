"""The settings of one game with its reward."""

from dataclasses import dataclass

from emerald_env.env.config import EnvConfig
from emerald_env.env.setting_types import Count, checked
from emerald_env.wrappers.disturbed import Disturbance
from rewards import Preset, load_preset, parse_weights


@checked
@dataclass(frozen=True)
class GameConfig(EnvConfig):
    """The game that an agent plays, and what pays in it."""

    episode_length: Count = 8192
    """Steps after which an episode is truncated."""

    patience: Count | None = 1024
    """Steps that an episode may take without reward before it is truncated; a reward of 1 buys 400
    more, up to this limit. None: only episode_length counts."""

    reward: str = "default"
    """What pays: a preset's name or the path of a TOML file."""

    reward_weights: tuple[str, ...] = ()
    """Weights in place of the preset's, each as term=weight: badge=2 search=0."""

    disturb: tuple[str, ...] = ()
    """Disturb the games: repeat=.25 (of the keys), random=.25, noise=20 (levels of the picture),
    starter=1 (the left one, taken for the agent), black, no-vector, girl."""

    def __post_init__(self) -> None:
        super().__post_init__()
        Disturbance.parse(self.disturb)

    def preset(self) -> Preset:
        """Returns what pays: the preset `reward`, changed by `reward_weights`.

        Raises:
            FileNotFoundError: no such preset; the message lists the known ones.
            ValueError: an unknown term or an impossible weight; the message lists the terms.
        """
        return load_preset(self.reward, parse_weights(self.reward_weights))
