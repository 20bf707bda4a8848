"""Tensors from a stranger's file, as safetensors or as torch wrote them, checked before use."""

from collections.abc import Mapping
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save

from baselines.checkpoints.formats.checkpoint_zip import CheckpointError

BROKEN = (ValueError, TypeError, LookupError, RuntimeError, OverflowError, MemoryError)
MAX_HEADER_BYTES = 1 << 20  # bytes of names and shapes
MAX_LINES_SHOWN = 12  # lines of the list of what does not fit
MAX_CHARACTERS_SHOWN = 100  # characters of text from a file


def to_safetensors(tensors: Mapping[str, torch.Tensor]) -> bytes:
    """Returns tensors as they are stored in a safetensors file."""
    return save({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()})


def read_safetensors(content: bytes) -> dict[str, torch.Tensor]:
    """Returns the tensors in a safetensors file; none is checked yet.

    Raises:
        CheckpointError: it is not one; the message follows the file's name.
    """
    if int.from_bytes(content[:8], "little") > MAX_HEADER_BYTES:
        raise CheckpointError("has no safetensors header")
    try:
        return load(content)
    except (SafetensorError, *BROKEN) as error:
        raise CheckpointError(f"is not a safetensors file: {error}") from error


def check_tensors(what: str, found: Any, wanted: Mapping[str, torch.Tensor]) -> None:
    """Checks for exactly the wanted names, as plain tensors of the same shape and type.

    Raises:
        CheckpointError: they do not fit; the message lists what is missing, extra or different.
    """
    if not isinstance(found, Mapping):
        raise CheckpointError(f"{what} are a {type(found).__name__}, not named tensors")
    if lines := misfits(found, wanted):
        shown = lines[:MAX_LINES_SHOWN]
        shown += (
            [f"and {len(lines) - MAX_LINES_SHOWN} more"] if len(lines) > MAX_LINES_SHOWN else []
        )
        raise CheckpointError(f"{what} do not fit:\n  " + "\n  ".join(shown))


def misfits(found: Mapping[Any, Any], wanted: Mapping[str, torch.Tensor]) -> list[str]:
    """Returns a line for each name that is missing, unknown, or of the wrong form."""
    lines = [
        f"{name} is {form(found[name])}, wanted {form(tensor)}"
        for name, tensor in wanted.items()
        if name in found and form(found[name]) != form(tensor)
    ]
    missing = [name for name in wanted if name not in found]
    lines += [f"{name} is missing, wanted {form(wanted[name])}" for name in missing]
    unknown = [name for name in found if name not in wanted]
    return lines + [f"{shown(name)} is unknown" for name in unknown]


def check_finite(tensors: Mapping[str, torch.Tensor], what: str) -> None:
    """Raises CheckpointError, starting with `what`, if a tensor holds NaN or infinity."""
    bad = [name for name, tensor in tensors.items() if not torch.isfinite(tensor).all()]
    if bad:
        raise CheckpointError(f"{what}: NaN or infinite numbers in {', '.join(bad[:3])}")


def moments_of(optimizer: torch.optim.Optimizer) -> dict[str, torch.Tensor]:
    """Returns Adam's moments of each parameter, as `<its number>.<name>`."""
    state = optimizer.state_dict()["state"]
    return {f"{index}.{name}": part for index, kept in state.items() for name, part in kept.items()}


def set_moments(
    what: str, optimizer: torch.optim.Optimizer, saved: Mapping[str, torch.Tensor]
) -> None:
    """Restores Adam's moments from `moments_of`; its settings are the run's own.

    Raises:
        CheckpointError: they belong to other parameters, or have NaN or infinite numbers; the
            message begins with `what`, and nothing has changed.
    """
    parameters = [p.detach().cpu() for group in optimizer.param_groups for p in group["params"]]
    known = {name.partition(".")[0] for name in saved}
    wanted = {
        f"{index}.{name}": like
        for index, shape in enumerate(parameters)
        if str(index) in known
        for name, like in (("step", torch.zeros(())), ("exp_avg", shape), ("exp_avg_sq", shape))
    }
    check_tensors(what, saved, wanted)
    check_finite(saved, what)
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, part in saved.items():
        index, _, kind = name.partition(".")
        # in the order of the weight's own memory, which the fused Adam takes for granted
        state.setdefault(int(index), {})[kind] = torch.empty_like(wanted[name]).copy_(part)
    optimizer.load_state_dict(optimizer.state_dict() | {"state": state})


def shown(value: Any) -> str:
    """Returns a value from a file, shortened.

    The text of nested lists that repeat one another could fill any memory.
    """
    if isinstance(value, str):
        return repr(value[:MAX_CHARACTERS_SHOWN])
    if isinstance(value, bool | float | None) or (isinstance(value, int) and abs(value) < 1 << 64):
        return str(value)
    return f"a {type(value).__name__}"


def form(tensor: Any) -> str:
    """Returns the shape and type of a plain tensor, or what it is instead."""
    if type(tensor) is not torch.Tensor or tensor.layout != torch.strided:
        return f"a {type(tensor).__name__}"
    return f"{tuple(tensor.shape)} {tensor.dtype}"
