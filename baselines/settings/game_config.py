"""The settings of one game with its reward."""

from dataclasses import dataclass

from emerald_env.env.config import EnvConfig
from rewards import Preset, load_preset, parse_weights


@dataclass(frozen=True)
class GameConfig(EnvConfig):
    """The game that an agent plays, and what pays in it."""

    reward: str = "default"
    """What pays: a preset's name or the path of a TOML file."""

    reward_weights: tuple[str, ...] = ()
    """Weights in place of the preset's, each as term=weight: badge=2 search=0."""

    def preset(self) -> Preset:
        """Returns what pays: the preset `reward`, changed by `reward_weights`.

        Raises:
            FileNotFoundError: no such preset; the message lists the known ones.
            ValueError: an unknown term or an impossible weight; the message lists the terms.
        """
        return load_preset(self.reward, parse_weights(self.reward_weights))
