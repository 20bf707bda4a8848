"""What is in a checkpoint, found without running or trusting any of it."""

import base64
import binascii
import hashlib
import io
import logging
import pickletools
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from picklescan.scanner import scan_pickle_bytes

from baselines.checkpoints.checkpoint_file import (
    LIMITS,
    OLD_POLICY,
    POLICY,
    CheckpointError,
    load_policy,
    read_tensors,
)
from baselines.checkpoints.formats.checkpoint_zip import check_file, read_members
from baselines.checkpoints.manifest import MANIFEST
from baselines.checkpoints.sharing.file_report import Inspection, Member, PickleReport, Tensor, Use
from emerald_env.files.data import MEBIBYTE, DataError, open_regular, parse_json
from emerald_env.files.printable import printable
from emerald_env.files.zips import BROKEN_ZIP, ZipError, flaws, open_zip, read_member

MAX_MEMBER_BYTES = 64 * MEBIBYTE  # that is inspected; larger ones are numbers
MAX_INSPECTED_BYTES = 512 * MEBIBYTE  # inspected in all
MAX_OPCODES = 500_000  # of all pickles together
MAX_PICKLES = 100
MAX_DEPTH = 3  # zips in zips, and pickles in pickles
PICKLE_START = b"\x80"
TAR_AT, TAR_MARK = 257, b"ustar"
SERIALIZED = ":serialized:"  # SB3's key for a pickle inside its JSON
# as in "os mkdir"; any text has letters that could be opcodes
IMPORTED = re.compile(r"[\w.]+")

logging.getLogger("picklescan").setLevel(logging.CRITICAL + 1)  # its result says the same


def inspect_file(path: Path) -> Inspection:
    """Inspects a file.

    Raises:
        CheckpointError: it does not exist, or is far too large for a checkpoint.
        OSError: it cannot be read.
    """
    check_file(path)
    digest = hashlib.sha256()
    with open_regular(path) as file:
        while block := file.read(MEBIBYTE):
            digest.update(block)
        found = Inspection(printable(path.name), path.stat().st_size, digest.hexdigest())
        file.seek(0)
        _Inspector(found).look_at_file(file)
    found.tensors = list(_tensors(path))
    try:
        load_policy(path)
    except CheckpointError as error:
        found.usable = printable(str(error).removeprefix(str(path)).removeprefix(": ").strip())
    if found.flaws:
        found.usable = found.usable or "has what no honest program writes"
    return found


class _Inspector:
    """Inspects a file up to the limits on bytes and opcodes."""

    def __init__(self, found: Inspection) -> None:
        self._found = found
        self._bytes, self._opcodes = MAX_INSPECTED_BYTES, MAX_OPCODES

    def look_at_file(self, file: Any) -> None:
        try:
            with open_zip(file) as archive:
                self._found.kind = "zip"
                self._found.members = [
                    Member(
                        printable(entry.orig_filename, 200),
                        entry.file_size,
                        entry.compress_size,
                        f"{entry.CRC:08x}",
                    )
                    for entry in archive.infolist()
                ]
                self._look_into(archive, "", 0)
        except BROKEN_ZIP as error:  # an unknown layout among them
            self._damaged("", error)
            if self._found.kind == "no zip" and self._found.size <= MAX_MEMBER_BYTES:
                file.seek(0)
                self._look_at_pickles(self._found.file, file.read())

    def _flaw(self, where: str, what: object) -> None:
        self._found.flaws.append(printable(f"{where or 'it'} {what}"))

    def _damaged(self, where: str, error: Exception) -> None:
        self._flaw(where, error if isinstance(error, ZipError) else f"is damaged: {error}")

    def _look_into(self, archive: zipfile.ZipFile, where: str, depth: int) -> None:
        """Inspects each member, unless there is a flaw."""
        if found := list(flaws(archive)):
            for flaw in found:
                self._flaw(where, flaw)
            return
        names = archive.namelist()
        if any("/code/" in name for name in names):
            self._flaw(where, "holds TorchScript, a program for torch.jit.load")
        # in a zip of torch, the folder of the tensors' numbers
        pickles = [name for name in names if name.endswith("/data.pkl")]
        numbers = pickles[0].removesuffix(".pkl") + "/" if pickles else None
        for entry in archive.infolist():
            if numbers is None or not entry.filename.startswith(numbers):
                place = f"{where}/{entry.filename}" if where else entry.filename
                self._look(place, self._content(archive, entry, place), depth)

    def _content(self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, place: str) -> bytes:
        limit = min(
            self._bytes, MAX_INSPECTED_BYTES if place.endswith(".pth") else MAX_MEMBER_BYTES
        )
        if entry.filename in (POLICY, OLD_POLICY):
            limit = LIMITS[POLICY]
        try:
            content = read_member(archive, entry.filename, limit)
        except ZipError:
            self._flaw(place, "is too large to inspect")
            content = b""
        self._bytes -= len(content)
        return content

    def _look(self, where: str, content: bytes, depth: int) -> None:
        """Notes what is in a member: a zip, a tar, JSON with pickles in it, or a pickle."""
        if depth > MAX_DEPTH:
            self._flaw(where, "is nested too deep to inspect")
        elif content.startswith(b"PK"):
            try:
                with open_zip(io.BytesIO(content)) as archive:
                    self._look_into(archive, where, depth + 1)
            except BROKEN_ZIP as error:
                self._damaged(where, error)
        elif content[TAR_AT:].startswith(TAR_MARK):
            self._flaw(where, "is a tar file of pickles, as torch wrote until 2018")
        elif content.lstrip()[:1] in (b"{", b"[") and self._look_into_json(where, content, depth):
            return
        elif not _is_safetensors(content):
            self._look_at_pickles(where, content)

    def _look_into_json(self, where: str, content: bytes, depth: int) -> bool:
        """Notes the pickles inside SB3's JSON, or our manifest; returns whether it is JSON."""
        try:
            values = parse_json(content)
        except DataError as error:
            if where == MANIFEST:
                self._flaw(where, f"is {error}")
            return where == MANIFEST
        if where == MANIFEST:
            self._found.manifest = values
        for key, value in values.items() if isinstance(values, dict) else ():
            if isinstance(value, dict) and SERIALIZED in value:
                name = f"{where}/{key}"
                try:
                    self._look(name, base64.b64decode(str(value[SERIALIZED])), depth + 1)
                except (binascii.Error, ValueError):
                    self._flaw(name, "is no base64")
        return True

    def _look_at_pickles(self, where: str, content: bytes) -> None:
        if len(self._found.pickles) >= MAX_PICKLES or not self._can_follow(content):
            self._report(where, [], "too many opcodes")
            return
        try:
            result = scan_pickle_bytes(io.BytesIO(content), where)
        except ValueError:  # an opcode lacks what it takes from the stack
            self._report(where, [], "cannot be followed")
            return
        uses = [
            Use(printable(f"{each.module}.{each.name}", 200), each.safety.value)
            for each in result.globals
            if content.startswith(PICKLE_START)
            or all(map(IMPORTED.fullmatch, (each.module, each.name)))
        ]
        problem = "cannot be parsed to its end" if result.scan_err else None
        # text is not a pickle, but an old pickle is text: imports tell them apart
        if uses or content.startswith(PICKLE_START):
            self._report(where, sorted(uses, key=lambda use: use.name), problem)

    def _report(self, where: str, uses: list[Use], problem: str | None) -> None:
        self._found.pickles.append(PickleReport(printable(where), uses, problem))

    def _can_follow(self, content: bytes) -> bool:
        """Returns whether pickles are short enough for picklescan, which holds all opcodes."""
        stream = io.BytesIO(content)
        try:
            while stream.tell() < len(content):
                for _ in pickletools.genops(stream):
                    self._opcodes -= 1
                    if self._opcodes < 0:
                        return False
        except (ValueError, LookupError, TypeError, AttributeError, OverflowError, MemoryError):
            pass  # picklescan ends the same way
        return True


def _is_safetensors(content: bytes) -> bool:
    length = int.from_bytes(content[:8], "little")
    return content[8:9] == b"{" and length <= len(content)


def _tensors(path: Path) -> Iterator[Tensor]:
    """Yields the network's tensors, shared ones once."""
    names = (POLICY, OLD_POLICY)
    try:
        members = read_members(path, {name: LIMITS[name] for name in names})
        _, tensors = read_tensors(path, members, *names)
    except CheckpointError:
        return
    seen = set()
    for name, tensor in tensors.items():
        if type(tensor) is torch.Tensor and tensor.data_ptr() not in seen:
            seen.add(tensor.data_ptr())
            dtype = str(tensor.dtype).removeprefix("torch.")
            yield Tensor(printable(name, 200), tuple(tensor.shape), dtype, tensor.numel())
