"""The options of a policy's network beyond its CNN: what is needed to build it again."""

from dataclasses import asdict, dataclass
from typing import Any

LARGEST = 4096  # numbers in one layer, filters of one stage, size of an LSTM
MOST_LAYERS = 8
SWITCHES = (
    "recurrent",
    "normalize_observations",
    "normalize_binary",
    "normalize_returns",
    "separate_networks",
    "embed_places",
)


@dataclass(frozen=True)
class PolicyConfig:
    """The network's sizes and parts; every checkpoint contains them."""

    features_dim: int | None = None
    """Size of the CNN's output. None: 256, or 512 for NatureCNN."""
    hidden_layers: tuple[int, ...] | None = None
    """Sizes of the layers between the features and the outputs, one stack each for actions and
    value. None: one of 128 where the game's state is seen too, else none."""
    impala_channels: tuple[int, ...] = (16, 32, 32)
    """Filters of each stage of the network impala; half of them are a quarter of the work."""
    recurrent: bool = False
    """A memory: an LSTM each for actions and value, between features and heads."""
    lstm_size: int = 256
    """Size of each LSTM."""
    normalize_observations: bool = False
    """Normalise observations other than pictures by their running mean and deviation."""
    normalize_binary: bool = False
    """With normalize_observations: also inputs that have only been 0 or 1 so far."""
    normalize_returns: bool = False
    """Let the value network learn normalised returns (PopArt)."""
    separate_networks: bool = False
    """Separate networks for actions and value, each with its own optimiser and gradient
    clipping."""
    embed_places: bool = False
    """Learn an embedding of each place (map, tile, milestones) at several scales; not with
    --observation screen."""

    def __post_init__(self) -> None:
        """Raises ValueError with the setting, its value and what it may be.

        The values may come from an untrusted file, so their types are checked.
        """
        for name in SWITCHES:
            if type(getattr(self, name)) is not bool:
                raise ValueError(f"{name} is {getattr(self, name)!r}: it must be true or false")
        for name in ("features_dim", "hidden_layers"):
            if getattr(self, name) is not None:
                _check_sizes(self, name)
        _check_sizes(self, "impala_channels")
        _check_sizes(self, "lstm_size")


def _check_sizes(settings: PolicyConfig, name: str) -> None:
    value = getattr(settings, name)
    several = name in ("hidden_layers", "impala_channels")
    sizes = value if several else (value,)
    least = 1 if name == "impala_channels" else 0
    if not isinstance(sizes, tuple) or not least <= len(sizes) <= MOST_LAYERS:
        raise ValueError(f"{name} is {value!r}: it must be {least} to {MOST_LAYERS} sizes")
    if any(type(size) is not int or not 1 <= size <= LARGEST for size in sizes):
        raise ValueError(f"{name} is {value!r}: sizes are whole numbers from 1 to {LARGEST}")


# The options of checkpoints whose manifest has none, whatever the defaults become.
BEFORE_OPTIONS = PolicyConfig(
    features_dim=None,
    hidden_layers=None,
    impala_channels=(16, 32, 32),
    recurrent=False,
    lstm_size=256,
    normalize_observations=False,
    normalize_binary=False,
    normalize_returns=False,
    separate_networks=False,
    embed_places=False,
)


def with_options_of_before(values: dict[str, Any]) -> dict[str, Any]:
    """Returns a checkpoint's or session's options, completed with those of its version."""
    binary = values.get("normalize_observations", False)  # all inputs, before there was a choice
    return asdict(BEFORE_OPTIONS) | {"normalize_binary": binary} | values
