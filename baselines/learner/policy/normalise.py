"""Running means and deviations inside the network: saved with its weights, frozen during play."""

from typing import Any

import torch
from gymnasium import spaces
from stable_baselines3.common.preprocessing import is_image_space
from torch import Tensor, nn

MAX_DEVIATIONS = 10.0  # clip range of normalised observations in deviations, as in VecNormalize
RETURN_MEMORY = 20_000.0  # samples: returns grow as the agent learns, old ones must fade
ALONE = "observation"  # name of the moments of an observation that is no dictionary
MIN_DEVIATION = 1e-3  # of constants; a smaller one would inflate every error


class RunningMoments(nn.Module):
    """Mean and variance of all samples so far, or of about the latest `memory`.

    Batches are merged by Chan, Golub and LeVeque's formula (1979), so the result does not depend on
    how samples are split into batches. With a `memory`, past samples never weigh more than that
    many, and older ones fade exponentially.

    Before the first update the mean is 0 and the variance 1.

    Args:
        shape: of one sample.
        memory: in samples.
    """

    mean: Tensor
    variance: Tensor
    count: Tensor

    def __init__(self, shape: tuple[int, ...] = (), memory: float = float("inf")) -> None:
        super().__init__()
        self.memory = memory
        self.register_buffer("mean", torch.zeros(shape))
        self.register_buffer("variance", torch.ones(shape))
        self.register_buffer("count", torch.zeros(()))

    @property
    def deviation(self) -> Tensor:
        """The standard deviation, at least MIN_DEVIATION."""
        return self.variance.sqrt().clamp(min=MIN_DEVIATION)

    @torch.no_grad()
    def update(self, samples: Tensor) -> None:
        """Adds a batch (n, *shape) of at least one sample."""
        seen, new = self.count.clamp(max=self.memory), float(len(samples))
        weight = new / (seen + new)
        delta = samples.mean(0) - self.mean
        spread = samples.var(0, unbiased=False)
        variance = (1 - weight) * self.variance + weight * spread + weight * (1 - weight) * delta**2
        self.variance.copy_(variance)
        self.mean.add_(weight * delta)
        self.count.copy_(seen + new)

    def forward(self, samples: Tensor) -> Tensor:
        """Returns the normalised samples."""
        return (samples - self.mean) / self.deviation

    def inverse(self, normalized: Tensor) -> Tensor:
        """Inverts `forward`."""
        return normalized * self.deviation + self.mean


class NumberMoments(RunningMoments):
    """Running moments that do not scale inputs that have only been 0 or 1 so far.

    A bit that is set for the first time would be infinitely many deviations from its mean.
    """

    numbers: Tensor

    def __init__(self, shape: tuple[int, ...] = ()) -> None:
        super().__init__(shape)
        self.register_buffer("numbers", torch.zeros(shape, dtype=torch.bool))

    @torch.no_grad()
    def update(self, samples: Tensor) -> None:
        """Adds a batch (n, *shape) of at least one sample."""
        super().update(samples)
        self.numbers |= ((samples != 0) & (samples != 1)).any(0)

    def forward(self, samples: Tensor) -> Tensor:
        """Returns the samples, numbers among them normalised."""
        return torch.where(self.numbers, super().forward(samples), samples)


class ObservationNormalizer(nn.Module):
    """Scales all numbers of an observation to mean 0 and deviation 1, but not pictures.

    Args:
        space: of the observations; pictures and spaces other than boxes are left unchanged.
        binary: also inputs that have only been 0 or 1 so far.
    """

    def __init__(self, space: spaces.Space[Any], binary: bool = False) -> None:
        super().__init__()
        kind = RunningMoments if binary else NumberMoments
        parts = space.spaces if isinstance(space, spaces.Dict) else {ALONE: space}
        self.moments = nn.ModuleDict(
            {
                key: kind(part.shape)
                for key, part in parts.items()
                if isinstance(part, spaces.Box) and not is_image_space(part)
            }
        )

    @property
    def fresh(self) -> bool:
        """Whether no observation has been added yet."""
        moments: Any = self.moments.values()
        return not any(bool(part.count) for part in moments)

    def update(self, observations: Any) -> None:
        """Adds a batch of observations, (n, ...) each part, before any preprocessing."""
        moments: Any
        for key, moments in self.moments.items():
            part = observations if key == ALONE else observations[key]
            moments.update(part.to(moments.mean))

    def forward(self, observations: Any) -> Any:
        """Returns observations of the same structure, normalised, within +-MAX_DEVIATIONS."""
        if isinstance(observations, dict):
            return {key: self._normalize(key, part) for key, part in observations.items()}
        return self._normalize(ALONE, observations)

    def _normalize(self, key: str, part: Tensor) -> Tensor:
        if key not in self.moments:
            return part
        normalized: Tensor = self.moments[key](part).clamp(-MAX_DEVIATIONS, MAX_DEVIATIONS)
        return normalized


class NormalizedValue(nn.Linear):
    """A value head that learns normalised returns and outputs values in units of reward.

    PopArt (van Hasselt et al. 2016): when mean and deviation change, weights and bias are corrected
    so that every value stays the same. Otherwise each update of the statistics would shift all
    values at once. The first update corrects nothing, since the values before it mean nothing.
    """

    def __init__(self, in_features: int, out_features: int = 1) -> None:
        super().__init__(in_features, out_features)
        self.returns = RunningMoments(memory=RETURN_MEMORY)

    @classmethod
    def of(cls, head: nn.Linear) -> "NormalizedValue":
        """Returns a normalised head that shares the parameters of a plain one."""
        normalized = cls(head.in_features, head.out_features)
        normalized.weight, normalized.bias = head.weight, head.bias
        return normalized

    def forward(self, latent: Tensor) -> Tensor:
        """Returns values in units of reward, (batch, 1)."""
        return self.returns.inverse(super().forward(latent))

    @torch.no_grad()
    def update(self, returns: Tensor) -> None:
        """Adds returns (n,) in units of reward; values do not change, see above."""
        known = bool(self.returns.count)
        mean, deviation = self.returns.mean.clone(), self.returns.deviation
        self.returns.update(returns)
        if not known:
            return
        self.weight.mul_(deviation / self.returns.deviation)
        self.bias.mul_(deviation).add_(mean - self.returns.mean).div_(self.returns.deviation)
