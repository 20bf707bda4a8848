"""The options of a policy's network beyond its CNN: what is needed to build it again."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any

from pydantic import Field

from emerald_env.env.setting_types import checked

MAX_SIZE = 4096  # numbers in one layer, filters of one stage, size of an LSTM
MAX_LAYERS = 8
Size = Annotated[int, Field(ge=1, le=MAX_SIZE)]
Sizes = Annotated[tuple[Size, ...], Field(max_length=MAX_LAYERS)]


@checked
@dataclass(frozen=True)
class PolicyConfig:
    """The network's sizes and parts; every checkpoint contains them."""

    features_dim: Size | None = None
    """Size of the CNN's output. Left out: 256, or 512 for NatureCNN."""
    hidden_layers: Sizes | None = None
    """Sizes of the layers between the features and the outputs, one stack each for actions and
    value. Left out: one of 128 where the game's state is seen too, else none."""
    impala_channels: Annotated[Sizes, Field(min_length=1)] = (16, 32, 32)
    """Filters of each stage of the network impala; half of them are a quarter of the work."""
    recurrent: bool = False
    """A memory: an LSTM each for actions and value, between features and heads."""
    lstm_size: Size = 256
    """Size of each LSTM."""
    value_memory: bool = True
    """With recurrent: the value has an LSTM of its own; else it sees the features alone."""
    memory_bypass: bool = False
    """With recurrent: normalise what enters the memory, and let the heads see it directly too."""
    normalize_observations: bool = False
    """Normalise observations other than pictures by their running mean and deviation; a new run
    gives --no-embed-places, too."""
    normalize_binary: bool = False
    """With normalize_observations: also inputs that have only been 0 or 1 so far."""
    normalize_returns: bool = False
    """Let the value network learn normalised returns (PopArt)."""
    separate_networks: bool = False
    """Separate networks for actions and value, each with its own optimiser and gradient
    clipping."""
    embed_places: bool = True
    """Learn an embedding of each place (map, tile, milestones) at several scales; not with
    --observation screen."""


# The options of checkpoints whose manifest has none, whatever the defaults become.
BEFORE_OPTIONS = PolicyConfig(
    features_dim=None,
    hidden_layers=None,
    impala_channels=(16, 32, 32),
    recurrent=False,
    lstm_size=256,
    value_memory=True,
    memory_bypass=False,
    normalize_observations=False,
    normalize_binary=False,
    normalize_returns=False,
    separate_networks=False,
    embed_places=False,
)


def with_earlier_options(values: dict[str, Any]) -> dict[str, Any]:
    """Returns a checkpoint's or session's options, completed with those of its version."""
    binary = values.get("normalize_observations", False)  # all inputs, before there was a choice
    return asdict(BEFORE_OPTIONS) | {"normalize_binary": binary} | values
