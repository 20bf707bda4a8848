"""Random changes to a good file, by what is in it: a zip, JSON, lines of it, an array or bytes."""

import io
import json
import struct
import zipfile

import numpy as np

from tests.hostile.files import VALUES, rewritten

MOST_BYTES = 1 << 16  # bytes that one change inserts at most
TEXTS = ("", "x" * 70_000, "../../x", "/dev/zero", "[red]", "a\nb", "\x00", "%s{0}", "٣", "NaN")
KEYS = ("", "__proto__", "tuple", "dict", "array", "x" * 5000, "\x1b[2J")
TYPES = ("|b1", "|i1", "<i8", "<u8", "<f2", "<f8", "<c16", "|O", "<U9", "|V8", ">i4")


def changed(content, dice):
    """Returns a file's content with one to three changes."""
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        content = _change(content, dice)
    return content


def _change(content, dice):
    if dice.random() < 0.1:
        return _change_bytes(content, dice)
    for change in (_change_zip, _change_array, _change_json, _change_lines, _change_tensors):
        try:
            return change(content, dice)
        except (ValueError, zipfile.BadZipFile, struct.error, RecursionError, OverflowError):
            continue  # something else is in it
    return _change_bytes(content, dice)


def _change_bytes(content, dice):
    start, end = sorted(dice.randrange(len(content) + 1) for _ in range(2))
    end = min(end, start + MOST_BYTES)
    noise = dice.choice((bytes, dice.randbytes, lambda n: b"\xff" * n))(dice.choice((1, 4, 300)))
    return dice.choice(
        (
            content[:start],
            content[:start] + content[end:],
            content[:start] + noise + content[start:],
            content[:start] + noise + content[start + len(noise) :],
            content[:end] + content[start:],
            content.replace(content[start : start + 2], noise[:2], 3),
        )
    )


def _change_zip(content, dice):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name, other = dice.choice(list(members)), dice.choice(list(members))
    how = dice.random()
    if how < 0.04:
        del members[name]
    elif how < 0.08:
        members[dice.choice(KEYS) + name] = members[other]
    elif how < 0.12:
        members[name], members[other] = members[other], members[name]
    else:
        members[name] = _change(members[name], dice)
    return rewritten(members)


def _change_array(content, dice):
    array = np.lib.format.read_array(io.BytesIO(content))
    how, new = dice.randrange(5), io.BytesIO()
    with np.errstate(all="ignore"):
        if how == 0 and array.size:
            array.flat[dice.randrange(array.size)] = dice.choice((-1, 0, 1, 127, 1e30, np.nan))
        elif how == 1:
            array = array[: dice.randrange(len(array) + 1)] if array.ndim else array
        elif how == 2:
            array = np.concatenate([array, array]) if array.ndim else array[None]
        elif how == 3:
            array = array.astype(dice.choice(TYPES))
        else:
            array = array.T if array.ndim > 1 else array[..., None]
    np.save(new, array)
    return new.getvalue()


def _change_json(content, dice):
    values = json.loads(content)
    holder = [values]
    at, key = _place(holder, dice)
    how = dice.randrange(6)
    if how == 0 and at is not holder:
        del at[key]
    elif how == 1 and isinstance(at, dict):
        at[dice.choice(KEYS)] = at.pop(key)
    elif how == 2:
        other, where = _place(holder, dice)
        at[key] = json.loads(json.dumps(other[where]))
    elif how == 3 and isinstance(at[key], list):
        at[key] = at[key] * dice.choice((2, 100))
    else:
        at[key] = _near(at[key], dice) if dice.random() < 0.5 else _value(dice)
    return json.dumps(holder[0]).encode()


def _place(holder, dice):
    """Returns a list or object below one, and the key of one of its values."""
    at, key = holder, 0
    while isinstance(at[key], dict | list) and at[key] and dice.random() < 0.85:
        at = at[key]
        key = dice.choice(list(at)) if isinstance(at, dict) else dice.randrange(len(at))
    return at, key


def _near(value, dice):
    """Returns a value that is almost as good."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return [value] if dice.random() < 0.5 else str(value)[: dice.randrange(5)]
    if isinstance(value, float):
        value = int(min(max(value, -1e15), 1e15)) if value == value else 0
    return dice.choice((value + 1, value - 1, -value, value + 0.5, 2**31, 2**63, value << 40))


def _value(dice):
    numbers = dice.uniform(-1, 1) * 10 ** dice.randrange(300), dice.randrange(-(2**70), 2**70)
    return dice.choice((*VALUES, *TEXTS, *numbers, {"a": {"b": []}}, [0] * 1000, False, 0))


def _change_lines(content, dice):
    lines = content.splitlines(keepends=True)
    if len(lines) < 2 or b"\0" in content[:100]:
        raise ValueError("no lines")
    number = dice.randrange(len(lines))
    try:
        new = _change_json(lines[number], dice) + b"\n"
    except ValueError:
        new = _change_bytes(lines[number], dice)
    lines[number : number + dice.choice((1, 1, 2))] = [new] * dice.choice((0, 1, 1, 1, 2))
    return b"".join(lines)


def _change_tensors(content, dice):
    (length,) = struct.unpack_from("<Q", content)
    if content[8:9] != b"{" or length > len(content):
        raise ValueError("no file of safetensors")
    header = _change_json(content[8 : 8 + length], dice)
    return struct.pack("<Q", len(header)) + header + content[8 + length :]
