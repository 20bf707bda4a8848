"""What is in a checkpoint, found without running or trusting any of it."""

import base64
import binascii
import hashlib
import io
import re
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from baselines.checkpoints.checkpoint_file import (
    LIMITS,
    OLD_POLICY,
    POLICY,
    CheckpointError,
    load_policy,
    read_tensors,
)
from baselines.checkpoints.formats.checkpoint_zip import check_file, read_members
from baselines.checkpoints.formats.weights import read_safetensors
from baselines.checkpoints.manifest import MANIFEST
from baselines.checkpoints.sharing.file_report import Inspection, Member, PickleReport, Tensor, Use
from baselines.checkpoints.sharing.pickle_scan import PICKLE_START, TOO_MANY, scan_pickles
from emerald_env.files.data import MEBIBYTE, DataError, open_regular, parse_json
from emerald_env.files.printable import printable
from emerald_env.files.zips import BROKEN_ZIP, ZipError, flaws, open_zip, read_member

MAX_MEMBER_BYTES = 64 * MEBIBYTE  # that is inspected; larger ones are numbers
MAX_INSPECTED_BYTES = 512 * MEBIBYTE  # inspected in all
MAX_OPCODES = 500_000  # of all pickles together
MAX_PICKLES = 100
SAFETENSORS = ".safetensors"
MAX_DEPTH = 3  # zips in zips, and pickles in pickles
TAR_AT, TAR_MARK = 257, b"ustar"
SB3_DATA = "data"  # the member that SB3 reads as JSON
SERIALIZED = ":serialized:"  # SB3's key for a pickle inside it


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
        found.usable = found.usable or "it has what no honest program writes"
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
        numbers = _numbers_of_torch(names)
        for entry in archive.infolist():
            if numbers is None or not numbers.fullmatch(entry.filename):
                place = f"{where}/{entry.filename}" if where else entry.filename
                content = self._content(archive, entry, place)
                if _is_safetensors(entry.filename, content):
                    self._look_at_safetensors(place, content)
                else:
                    self._look(place, content, depth)

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
        elif _is_tar(content):
            self._flaw(where, "is a tar file of pickles, as torch wrote until 2018")
        elif content.lstrip()[:1] in (b"{", b"[") and self._look_into_json(where, content, depth):
            return
        else:
            self._look_at_pickles(where, content)

    def _look_into_json(self, where: str, content: bytes, depth: int) -> bool:
        """Notes the pickles inside SB3's JSON, or our manifest; returns whether it is JSON."""
        try:
            values = parse_json(content, finite=where == MANIFEST)
        except DataError as error:
            if where in (MANIFEST, SB3_DATA):  # which SB3's reader may accept
                self._flaw(where, f"is {error}")
            return where in (MANIFEST, SB3_DATA)
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
        uses, problem = self._scan(content)
        # text is not a pickle, but an old pickle is text: imports tell them apart
        if uses or problem or content.startswith(PICKLE_START):
            self._report(where, uses, problem)

    def _look_at_safetensors(self, where: str, content: bytes) -> None:
        """Notes imports: what is a good file of tensors can be a good pickle as well."""
        uses, problem = self._scan(content)
        if uses or problem == TOO_MANY:  # any other is to be expected in numbers
            self._report(where, uses, problem)

    def _scan(self, content: bytes) -> tuple[list[Use], str | None]:
        if len(self._found.pickles) >= MAX_PICKLES:
            return [], TOO_MANY
        scan = scan_pickles(content, self._opcodes)
        self._opcodes -= scan.opcodes
        return scan.uses, scan.problem

    def _report(self, where: str, uses: list[Use], problem: str | None) -> None:
        self._found.pickles.append(PickleReport(printable(where), uses, problem))


def _numbers_of_torch(names: Sequence[str]) -> re.Pattern[str] | None:
    """Returns which members of a zip are tensors' numbers, None if torch did not write it.

    Torch puts everything into one folder: the tensors' table as data.pkl, their numbers as data/0,
    data/1 and so on.
    """
    folder = names[0].partition("/")[0] + "/" if names else ""
    if f"{folder}data.pkl" not in names or not all(name.startswith(folder) for name in names):
        return None
    return re.compile(f"{re.escape(folder)}data/[0-9]+")


def _is_tar(content: bytes) -> bool:
    if content[TAR_AT:].startswith(TAR_MARK):
        return True
    try:  # the oldest have no mark, only a checksum
        tarfile.TarInfo.frombuf(content[: tarfile.BLOCKSIZE], "utf-8", "surrogateescape")
    except tarfile.TarError:
        return False
    return True


def _is_safetensors(name: str, content: bytes) -> bool:
    """Returns whether a member is called safetensors, and is a whole and valid file of them."""
    if not name.endswith(SAFETENSORS) or _is_tar(content):
        return False
    try:
        read_safetensors(content)
    except CheckpointError:
        return False
    return True


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
