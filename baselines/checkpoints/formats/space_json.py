"""Gymnasium spaces as plain JSON, so that a checkpoint can say what its network sees and does."""

import math
from typing import Any

import numpy as np
from gymnasium import spaces

from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from emerald_env.wrappers.own_wrapper import DTYPES

MAX_BOX_NUMBERS = 1 << 18  # numbers in one observation; four whole screens have 153,600
MAX_ACTIONS = 1 << 12
MAX_BOUND = float(np.finfo(np.float32).max)


def space_to_json(space: spaces.Space[Any]) -> dict[str, Any]:
    """Returns a space as JSON values.

    Raises:
        ValueError: a kind of space that our envs do not have.
    """
    if isinstance(space, spaces.Discrete) and space.start == 0:
        return {"type": "Discrete", "n": int(space.n)}
    if isinstance(space, spaces.Dict):
        return {"type": "Dict", "spaces": {key: space_to_json(part) for key, part in space.items()}}
    if isinstance(space, spaces.Box) and _is_one(space.low) and _is_one(space.high):
        return {
            "type": "Box",
            "low": _bound(space.low),
            "high": _bound(space.high),
            "shape": list(space.shape),
            "dtype": str(space.dtype),
        }
    raise ValueError(f"no JSON form for the space {space}")


def _is_one(bounds: Any) -> bool:
    return bool((bounds == bounds.flat[0]).all())


def _bound(bounds: Any) -> float:
    """Returns the bound of all numbers; JSON has no infinity, float32's largest is as good.

    Whole numbers beyond 2^53, which int64's bounds are, would be rounded as a float.
    """
    if bounds.dtype == np.int64:
        return int(bounds.flat[0])
    return float(np.clip(bounds.flat[0], -MAX_BOUND, MAX_BOUND))


def space_from_json(values: Any) -> spaces.Space[Any]:
    """Returns the space that `space_to_json` described.

    Raises:
        CheckpointError: it does not describe one, or one that is implausibly large.
    """
    try:
        return _from_json(values)
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError) as error:
        raise CheckpointError(f"its manifest has a space that is not ours: {error!r}") from error


def _from_json(values: Any) -> spaces.Space[Any]:
    if values["type"] == "Discrete":
        if not 1 <= values["n"] <= MAX_ACTIONS:
            raise ValueError(f"{values['n']} actions")
        return spaces.Discrete(int(values["n"]))
    if values["type"] == "Dict":
        # one level: our observations are a flat dict of boxes
        boxes: dict[str, Any] = {str(key): _box(part) for key, part in values["spaces"].items()}
        if not boxes or sum(math.prod(box.shape) for box in boxes.values()) > MAX_BOX_NUMBERS:
            raise ValueError(f"{len(boxes)} parts, empty or too large together")
        return spaces.Dict(boxes)
    return _box(values)


def _box(values: Any) -> spaces.Box:
    shape = tuple(int(side) for side in values["shape"])
    if values["type"] != "Box" or values["dtype"] not in DTYPES:
        raise ValueError(f"type {values['type']!r} of {values['dtype']!r}")
    if min(shape) < 1 or math.prod(shape) > MAX_BOX_NUMBERS:
        raise ValueError(f"shape {shape}")
    return spaces.Box(values["low"], values["high"], shape, np.dtype(values["dtype"]).type)
