"""Tensors from a stranger's file: read by torch's weights-only reader, checked before use."""

import io
import pickle
import struct
import warnings
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from baselines.checkpoints.archive import CheckpointError, flaws
from baselines.checkpoints.pickles import follow

PICKLE = "data.pkl"  # in a file of torch; its other members are numbers
MOST_SHOWN = 12  # lines of a list of what does not fit
LONGEST_SHOWN = 100  # characters of a text from a file
LARGEST_SETTING = 1e9  # of an optimiser
# What torch raises for a file of tensors that is damaged, or that wants to do more than hold them.
BROKEN_TENSORS = (
    pickle.UnpicklingError,
    struct.error,
    zipfile.BadZipFile,
    RuntimeError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    EOFError,
    OverflowError,
    AssertionError,
    MemoryError,
    NotImplementedError,
)


def read_tensors(path: Path, members: Mapping[str, bytes], name: str) -> dict[str, Any]:
    """Returns the dictionary in a member that torch wrote; nothing in it runs.

    Its values are tensors, or lists and dictionaries of them and of numbers; none is checked yet.

    Raises:
        CheckpointError: there is no such member, or it holds something else.
    """
    if name not in members:
        raise CheckpointError(f"{path} has no {name}")
    content = io.BytesIO(members[name])
    try:
        with zipfile.ZipFile(content) as archive:
            if any(entry.compress_type != zipfile.ZIP_STORED for entry in archive.infolist()):
                raise CheckpointError(f"{path}: {name} is compressed inside; torch never does that")
            if flaw := next(flaws(archive), None):
                raise CheckpointError(f"{path}: {name} {flaw}: refused")
            if any(_may_hang(archive.read(n)) for n in archive.namelist() if n.endswith(PICKLE)):
                raise CheckpointError(f"{path}: {name} has keys that are no names: refused")
        content.seek(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about a damaged file, which is refused in the end
            tensors = torch.load(content, map_location="cpu", weights_only=True)
    except BROKEN_TENSORS as error:
        reason = str(error).partition("\n")[0]
        raise CheckpointError(f"{path}: {name} does not hold tensors only: {reason}") from error
    if not isinstance(tensors, dict):
        raise CheckpointError(f"{path}: {name} holds a {type(tensors).__name__}, not named tensors")
    return tensors


def _may_hang(content: bytes) -> bool:
    """Returns whether a pickle has keys other than texts and numbers, or cannot be followed.

    The hash of a tuple of tuples that are the same one takes 2 to the power of their depth steps,
    in which nothing can interrupt Python.
    """
    first = next(follow(content), None)
    return first is None or first.odd_keys or first.problem is not None


def check_tensors(what: str, found: Any, wanted: Mapping[str, torch.Tensor]) -> None:
    """Sees that just the wanted names are there, plain tensors of the same shape and type.

    Raises:
        CheckpointError: they do not fit; the message lists what is missing, too much or different.
    """
    if not isinstance(found, Mapping):
        raise CheckpointError(f"{what} are a {type(found).__name__}, not named tensors")
    if lines := misfits(found, wanted):
        shown = lines[:MOST_SHOWN]
        shown += [f"and {len(lines) - MOST_SHOWN} more"] if len(lines) > MOST_SHOWN else []
        raise CheckpointError(f"{what} do not fit:\n  " + "\n  ".join(shown))


def misfits(found: Mapping[Any, Any], wanted: Mapping[str, torch.Tensor]) -> list[str]:
    """Returns a line for each name that is missing, unknown, or of another form than wanted."""
    lines = [
        f"{name} is {form(found[name])}, wanted {form(tensor)}"
        for name, tensor in wanted.items()
        if name in found and form(found[name]) != form(tensor)
    ]
    missing = [name for name in wanted if name not in found]
    lines += [f"{name} is missing, wanted {form(wanted[name])}" for name in missing]
    unknown = [name for name in found if name not in wanted]
    return lines + [f"{shown(name)} is not known here" for name in unknown]


def check_finite(tensors: Mapping[str, torch.Tensor], what: str) -> None:
    """Raises CheckpointError, saying `what` follows, where a tensor holds NaN or infinity."""
    bad = [name for name, tensor in tensors.items() if not torch.isfinite(tensor).all()]
    if bad:
        raise CheckpointError(f"{what}: NaN or infinite numbers in {', '.join(bad[:3])}")


def check_optimizer(what: str, saved: Any, own: Mapping[str, Any], shapes: list[Any]) -> None:
    """Sees that an optimiser's state is built as one's own, and that its numbers can be used.

    Args:
        what: begins the message, names the file.
        saved: the state from the file.
        own: the state of the optimiser that shall take it.
        shapes: a tensor of the shape and type of each parameter, on the CPU.

    Raises:
        CheckpointError: it does not fit, or has NaN or infinite numbers.
    """
    groups = saved.get("param_groups")
    if (
        set(saved) != set(own)
        or not isinstance(groups, list)
        or not isinstance(saved["state"], dict)
        or len(groups) != len(own["param_groups"])
    ):
        raise CheckpointError(f"{what} is not built as this run's")
    for group, own_group in zip(groups, own["param_groups"], strict=True):
        _check_group(what, group, own_group)
    if not set(saved["state"]) <= set(range(len(shapes))):
        raise CheckpointError(f"{what} is for other parameters")
    for index, moments in saved["state"].items():
        shape = shapes[index]
        wanted = {"step": torch.zeros(()), "exp_avg": shape, "exp_avg_sq": shape}
        check_tensors(f"{what}, parameter {index}: its moments", moments, wanted)
        check_finite(moments, what)


def _check_group(what: str, group: Any, own: Mapping[str, Any]) -> None:
    known = isinstance(group, dict) and set(group) == set(own)
    if not known or not _same_numbers(group["params"], own["params"]):
        raise CheckpointError(f"{what} is for other parameters")
    for name, value in own.items():
        if name != "params" and not _alike(group[name], value):
            raise CheckpointError(f"{what} has {name} = {shown(group[name])}, not {value}")


def _same_numbers(found: Any, own: list[int]) -> bool:
    # what stands in the file may not be numbers at all
    return isinstance(found, list) and len(found) == len(own) and all(map(_is, found, own))


def _is(found: Any, own: int) -> bool:
    return type(found) is int and found == own


def shown(value: Any) -> str:
    """Returns a value from a file in a few words.

    A list of lists may hold the same ones so often that its text would fill any memory.
    """
    if isinstance(value, str):
        return repr(value[:LONGEST_SHOWN])
    if isinstance(value, bool | float | None) or (isinstance(value, int) and abs(value) < 1 << 64):
        return str(value)
    return f"a {type(value).__name__}"


def _alike(found: Any, own: Any) -> bool:
    """Returns whether a setting is of the same kind as one's own, and no NaN."""
    if isinstance(own, tuple | list):
        return (
            isinstance(found, tuple | list)
            and len(found) == len(own)
            and all(map(_alike, found, own))
        )
    if isinstance(own, bool) or own is None:
        return found is own
    # a scalar tensor where torch keeps one, else a number: 1 and 1.0 are alike
    if isinstance(own, torch.Tensor):
        return form(found) == form(own) and bool(torch.isfinite(found).all())
    return type(found) in (int, float) and -LARGEST_SETTING < found < LARGEST_SETTING


def form(tensor: Any) -> str:
    """Returns shape and type of a plain tensor, or what it is instead."""
    if type(tensor) is not torch.Tensor or tensor.layout != torch.strided:
        return f"a {type(tensor).__name__}"
    return f"{tuple(tensor.shape)} {tensor.dtype}"
