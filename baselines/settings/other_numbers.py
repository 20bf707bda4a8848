"""Whether a setting may be another number: reading a command line takes a tenth of a second."""

from dataclasses import fields, is_dataclass, replace
from typing import TypeVar

from baselines.settings.train_config import TrainConfig

Settings = TypeVar("Settings")


class OtherNumbers:
    """Tells which numbers may stand in place of one in possible settings.

    Where it says no the number may be possible all the same: only reading the command line tells
    that, and why not.

    Args:
        config: the settings.
    """

    def __init__(self, config: TrainConfig) -> None:
        self._config = config

    def allow(self, name: str, value: object) -> bool:
        """Returns whether a setting may have another value, by its flag's name without "--"."""
        if type(value) not in (int, float):
            return False
        try:
            changed = _with_number(self._config, name.replace("-", "_"), value)
            if changed is not None and changed.env != self._config.env:
                changed.env.preset()
        except (OSError, ValueError, TypeError):
            return False
        return changed is not None

    def allow_weight(self, term: str, value: object) -> bool:
        """Returns whether a term of the reward may have another weight."""
        if type(value) not in (int, float):
            return False
        game = self._config.env
        weights = (*game.reward_weights, f"{term}={value}")
        try:
            replace(game, reward_weights=weights).preset()
        except (OSError, ValueError, TypeError):
            return False
        return True


def _with_number(settings: Settings, name: str, value: object) -> Settings | None:
    """Returns settings with another value of the one with a name; None if none has it."""
    for each in fields(settings):  # type: ignore[arg-type]
        old = getattr(settings, each.name)
        new = _with_number(old, name, value) if is_dataclass(old) else None
        if each.name == name or new is not None:
            return replace(settings, **{each.name: value if new is None else new})  # type: ignore[type-var]
    return None
