"""Stands in for the optimiser of a policy that only plays."""

from collections.abc import Iterable
from typing import Any


class NoOptimizer:
    """Keeps an optimiser's groups of parameters, and never changes them.

    Making one of torch's own imports torch's compiler: 800 modules, more than half of the time that
    an actor takes to start.

    Args:
        params: parameters, or groups of them.
        lr: learning rate of those that come without a group.
        options: the optimiser's others; of no use here.

    Attributes:
        param_groups: the groups, as torch's optimisers have them.
    """

    def __init__(self, params: Iterable[Any], lr: float = 0.0, **options: Any) -> None:
        own = list(params)
        grouped = bool(own) and isinstance(own[0], dict)
        self.param_groups: list[dict[str, Any]] = own if grouped else [{"params": own, "lr": lr}]
