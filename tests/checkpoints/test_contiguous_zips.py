"""Zips in which something lies outside of the members, or is described twice."""

import io
import json
import pickle
import struct
import zipfile

import pytest
import torch
from helpers.malicious import Bomb

from baselines.checkpoints.formats.torch_zip import read_torch_zip
from baselines.checkpoints.sharing.inspection import inspect_file
from baselines.commands.play.checkpoint import main
from emerald_env.files.zips import TO_64, ZipError, read_members

MEMBERS = {"manifest.json": b'{"schema_version": 1}', "policy.safetensors": b"weights" * 99}
END = b"PK\5\6"
CENTRAL = b"PK\1\2"


def zipped(members=MEMBERS, method=zipfile.ZIP_STORED, extra=b"", comment=b""):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, member in members.items():
            entry = zipfile.ZipInfo(name)
            entry.extra, entry.comment = extra, comment
            archive.writestr(entry, member, method)
    return content.getvalue()


def inserted(content, at, more):
    """A zip with bytes inserted, its offsets put right so that every reader accepts it."""
    content = content[:at] + more + content[at:]
    end = content.rindex(END)
    size, offset = struct.unpack_from("<LL", content, end + 12)
    changed = bytearray(content)
    start = offset + len(more) if at <= offset else offset
    struct.pack_into("<L", changed, end + 16, start)
    while changed[start : start + 4] == CENTRAL:
        (header,) = struct.unpack_from("<L", changed, start + 42)
        struct.pack_into("<L", changed, start + 42, header + len(more) * (header >= at))
        start += 46 + sum(struct.unpack_from("<3H", changed, start + 28))
    assert zipfile.ZipFile(io.BytesIO(changed)).testzip() is None
    return bytes(changed)


def changed_at(content, at, form, value):
    changed = bytearray(content)
    struct.pack_into(form, changed, at, value)
    return bytes(changed)


def odd_zips(hidden):
    """Yields name and bytes; Python's zipfile reads the same members in all but one of them."""
    good = zipped()
    second = good.index(b"PK\3\4", 4)
    yield "another zip between two members", inserted(good, second, hidden)
    yield "another zip before the directory", inserted(good, good.index(CENTRAL), hidden)
    yield "local sizes that contradict", changed_at(good, second + 18, "<L", 5)
    yield "a local checksum that contradicts", changed_at(good, second + 14, "<L", 5)
    yield "a local name that contradicts", good.replace(b"policy", b"evilly", 1)
    path = b"\x01" + bytes(4) + b"../../evil.txt"
    yield "a path in Unicode", zipped(extra=struct.pack("<2H", 0x7075, len(path)) + path)
    yield "an unknown field", zipped(extra=struct.pack("<2H", 0xCAFE, len(hidden)) + hidden)
    yield "a field cut short", zipped(extra=b"\1\0\x40\0")
    yield "a comment", zipped(comment=hidden)
    padding = struct.pack("<2H", int.from_bytes(b"FB", "little"), len(hidden)) + hidden
    yield "padding that is none", zipped(extra=padding)
    deflated = zipped(method=zipfile.ZIP_DEFLATED)
    end = deflated.index(b"PK\3\4", 4)
    longer = bytearray(inserted(deflated, end, hidden))
    size = struct.unpack_from("<L", longer, 18)[0] + len(hidden)
    for at in (18, longer.index(CENTRAL, end + len(hidden)) + 20):
        struct.pack_into("<L", longer, at, size)
    yield "bytes after a compressed member's end", bytes(longer)


def hidden_pickle():
    return zipped({"data.pkl": pickle.dumps(Bomb("never made"))})


@pytest.mark.parametrize("name", dict(odd_zips(b"")))
def test_a_zip_with_anything_but_members_is_refused_and_called_dangerous(name, tmp_path, capsys):
    content = dict(odd_zips(hidden_pickle()))[name]
    with pytest.raises(ZipError):
        read_members(content, dict.fromkeys(MEMBERS, 10_000))
    path = tmp_path / "odd.zip"
    path.write_bytes(content)
    found = inspect_file(path)
    assert found.worst == "dangerous" and found.usable is not None
    assert main(["inspect", str(path), "--json"]) == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out)["flaws"] and printed.err.startswith("error: odd.zip: ")


def test_a_member_shrinks_as_it_will_where_its_limit_is_small():
    content = zipped({"keys": bytes(2 << 20)}, method=zipfile.ZIP_DEFLATED)
    assert len(content) < 10_000
    assert read_members(content, {"keys": 2 << 20}) == {"keys": bytes(2 << 20)}
    for limits in ({}, {"keys": 1 << 20}, {"keys": 64 << 20}, {"other": 2 << 20}):
        with pytest.raises(ZipError, match="unpacks to .* times its size"):
            read_members(content, limits)


def test_zips_of_python_and_of_torch_are_read_as_before():
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        assert read_members(zipped(method=method), dict.fromkeys(MEMBERS, 10_000)) == MEMBERS
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        with archive.open("manifest.json", "w", force_zip64=True) as member:
            member.write(b"{}")
    assert read_members(content.getvalue(), {"manifest.json": 9}) == {"manifest.json": b"{}"}
    content = io.BytesIO()
    torch.save({"a": torch.arange(5.0)}, content)
    assert read_torch_zip(content.getvalue())["a"].tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("sizes", "is_read"),
    [((2, 2), True), ((TO_64, TO_64), True), ((2, TO_64), False), ((1, 2), False), ((0, 0), False)],
)
def test_sizes_of_64_bits_may_stand_beside_the_same_of_32_as_in_zips_of_older_pythons(
    sizes, is_read
):
    """Python before 3.11.4 writes both where 64 bits are asked for, as numpy and SB3 do."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        with archive.open("manifest.json", "w", force_zip64=True) as member:
            member.write(b"{}")
    changed = bytearray(content.getvalue())
    struct.pack_into("<2L", changed, 18, *sizes)  # packed and unpacked, in the member's own header
    if is_read:
        assert read_members(bytes(changed), {"manifest.json": 9}) == {"manifest.json": b"{}"}
    else:
        with pytest.raises(ZipError, match="differently in its two headers"):
            read_members(bytes(changed), {"manifest.json": 9})


def test_a_flaw_inside_a_member_is_said_in_a_sentence(tmp_path, capsys):
    content = io.BytesIO()
    torch.save({"a": torch.arange(5.0)}, content)
    path = tmp_path / "odd.zip"
    path.write_bytes(zipped({"policy.pth": content.getvalue()[:-22] + bytes(22)}))
    assert main(["inspect", str(path)]) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "flaw policy.pth does not end with the end record of a zip" in shown
