"""What is in a checkpoint, found out without running or believing any of it."""

import base64
import binascii
import hashlib
import io
import json
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from baselines.checkpoints.archive import BROKEN_ZIP, LARGEST_DIRECTORY, MEBIBYTE, check_file, flaws
from baselines.checkpoints.checkpoint import MANIFEST, CheckpointError, load_policy
from baselines.checkpoints.pickles import Call, Name, Pickle, follow
from baselines.checkpoints.sharing.describe import Tensor, describe, tensors_in
from baselines.checkpoints.sharing.names import RETURNED, judge
from baselines.checkpoints.sharing.report import Inspection, Member, PickleReport, Use
from emerald_env.cli.command import printable

LARGEST_MEMBER = 64 * MEBIBYTE  # looked into; larger ones are numbers
LARGEST_NESTED = 2048 * MEBIBYTE  # a zip in the zip
DEEPEST = 3  # zips in zips, and pickles in pickles
MOST_LEVELS = 20  # of a manifest that is shown
PICKLE_START = b"\x80"
TAR_AT, TAR_MARK = 257, b"ustar"
SERIALIZED = ":serialized:"  # SB3's key for a pickle inside its JSON


def inspect_file(path: Path) -> Inspection:
    """Looks into a file.

    Raises:
        CheckpointError: there is none, or it is far too large for a checkpoint.
        OSError: it cannot be read.
    """
    check_file(path)
    with path.open("rb") as file:
        found = Inspection(printable(path.name), path.stat().st_size, _sha256(file))
    try:
        with zipfile.ZipFile(path) as archive:
            found.kind = "zip"
            found.members = [_member(entry) for entry in archive.infolist()[:LARGEST_DIRECTORY]]
            found.flaws = [printable(flaw) for flaw in flaws(archive)]
            for name, content in _contents(archive, found.flaws):
                _look(found, name, content)
    except BROKEN_ZIP as error:
        found.flaws.append(printable(f"is not a whole zip file: {error}"))
        if found.kind == "no zip" and found.size <= LARGEST_MEMBER:
            _look(found, found.file, path.read_bytes())
    found.usable = _why_unusable(path)
    return found


def _sha256(file: Any) -> str:
    digest = hashlib.sha256()
    while block := file.read(MEBIBYTE):
        digest.update(block)
    return digest.hexdigest()


def _member(entry: zipfile.ZipInfo) -> Member:
    name = printable(entry.orig_filename)
    return Member(name, entry.file_size, entry.compress_size, f"{entry.CRC:08x}")


def _contents(archive: zipfile.ZipFile, problems: list[str]) -> Iterator[tuple[str, bytes]]:
    """Yields name and content of each member that may be looked into."""
    for entry in archive.infolist()[:LARGEST_DIRECTORY]:
        name = printable(entry.filename)
        limit = LARGEST_NESTED if name.endswith((".pth", ".pt", ".zip")) else LARGEST_MEMBER
        try:
            with archive.open(entry) as member:
                content = member.read(limit + 1)
        except BROKEN_ZIP as error:
            problems.append(printable(f"{name} cannot be read: {error}"))
            continue
        if len(content) > limit:
            problems.append(f"{name} is too large to be looked into")
        else:
            yield name, content


def _look(found: Inspection, where: str, content: bytes, depth: int = 0) -> None:
    """Notes what is in a member: a zip, a tar, JSON with pickles in it, or a pickle."""
    if depth > DEEPEST:
        found.flaws.append(f"{where} is packed too deep to be looked into")
    elif content.startswith(b"PK"):
        _look_into_zip(found, where, content, depth)
    elif content[TAR_AT:].startswith(TAR_MARK):
        _look_into_tar(found, where, content, depth)
    elif content.lstrip()[:1] in (b"{", b"[") and _look_into_json(found, where, content, depth):
        return
    else:
        _look_at_pickles(found, where, content)


def _look_into_zip(found: Inspection, where: str, content: bytes, depth: int) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            found.flaws += [printable(f"{where} {flaw}") for flaw in flaws(archive)]
            numbers = _numbers_of(archive.namelist())
            if any("/code/" in name for name in archive.namelist()):
                found.flaws.append(f"{where} holds TorchScript, a program for torch.jit.load")
            for name, inner in _contents(archive, found.flaws):
                if not numbers or not name.startswith(numbers):
                    _look(found, f"{where}/{name}", inner, depth + 1)
    except BROKEN_ZIP as error:
        found.flaws.append(printable(f"{where} is not a whole zip file: {error}"))


def _numbers_of(names: list[str]) -> str:
    """Returns the folder in a zip of torch where tensors' numbers lie, "" if it is none."""
    pickles = [name for name in names if name.endswith("/data.pkl")]
    return pickles[0].removesuffix(".pkl") + "/" if pickles else ""


def _look_into_tar(found: Inspection, where: str, content: bytes, depth: int) -> None:
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
            for entry in archive.getmembers()[:LARGEST_DIRECTORY]:
                file = archive.extractfile(entry) if entry.isreg() else None
                if file is not None:
                    # a sparse file claims any size
                    inner = file.read(LARGEST_MEMBER)
                    _look(found, f"{where}/{printable(entry.name)}", inner, depth + 1)
    except (tarfile.TarError, *BROKEN_ZIP) as error:
        found.flaws.append(printable(f"{where} is a broken tar file: {error}"))


def _look_into_json(found: Inspection, where: str, content: bytes, depth: int) -> bool:
    """Notes the pickles inside SB3's JSON, or our manifest; returns whether it is JSON."""
    try:
        values = json.loads(content)
    except (ValueError, RecursionError):
        return False
    if where == MANIFEST and _is_deep(values):
        found.flaws.append(f"{MANIFEST} is nested too deep to be shown")
    elif where == MANIFEST:
        found.manifest = values
    for key, value in values.items() if isinstance(values, dict) else ():
        if isinstance(value, dict) and SERIALIZED in value:
            name = f"{where}/{printable(key)}"
            try:
                pickled = base64.b64decode(str(value[SERIALIZED]))
            except (binascii.Error, ValueError):
                found.flaws.append(f"{name} is no base64")
            else:
                _look(found, name, pickled, depth + 1)
    return True


def _is_deep(values: Any) -> bool:
    level = [values]
    for _ in range(MOST_LEVELS):
        level = [
            inner
            for value in level
            if isinstance(value, dict | list)
            for inner in (value.values() if isinstance(value, dict) else value)
        ]
    return bool(level)


def _look_at_pickles(found: Inspection, where: str, content: bytes) -> None:
    pickles = list(follow(content))
    # text is no pickle, but an old pickle is text: what tells them apart is whether it calls
    if not content.startswith(PICKLE_START) and not any(pickle.acts for pickle in pickles):
        return
    # a file of the old format of torch has raw numbers after its pickles
    whole = [pickle for pickle in pickles if pickle.problem is None or pickle.acts]
    for number, pickle in enumerate(whole or pickles):
        place = where if number == 0 else f"{where}, pickle {number + 1}"
        found.pickles.append(PickleReport(place, list(_uses(pickle)), pickle.problem))
        member = where.partition("/")[0]
        found.tensors += [Tensor(member, *rest) for rest in tensors_in(pickle.value)]


def _uses(pickle: Pickle) -> Iterator[Use]:
    imported = Counter(pickle.imports)
    called: Counter[Name] = Counter()
    examples: dict[Name, str] = {}
    for call in pickle.calls:
        name = _called(call)
        called[name] += 1
        examples.setdefault(name, describe(call.arguments))
    for name in {**imported, **called}:
        times = called[name]
        yield Use(printable(str(name)), judge(name), imported[name], times, examples.get(name, ""))


def _called(call: Call) -> Name:
    """Returns the name that a call calls, or that which returned what it calls."""
    what: Any = call.what
    returned = ""
    if isinstance(what, tuple) and len(what) == 2:  # the state of something is set
        what = what[1]
        while isinstance(what, Call):
            what = what.what
        return what if isinstance(what, Name) else Name("?", "the state of something")
    while isinstance(what, Call):
        what, returned = what.what, RETURNED
    if isinstance(what, Name):
        return Name(what.module, what.name + returned)
    return Name("?", describe(call.what))


def _why_unusable(path: Path) -> str | None:
    try:
        load_policy(path)
    except CheckpointError as error:
        return printable(str(error).removeprefix(str(path)).removeprefix(": ").strip())
    return None
