"""A pickle that looks like something else is called dangerous, and what is none is not."""

import base64
import io
import json
import os
import pickle
import tarfile
import zipfile

import pytest
import torch
from helpers.checkpoints import tensors
from helpers.examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import load, save

from baselines.checkpoints.sharing.inspection import inspect_file
from baselines.commands.play.checkpoint import main

torch.set_num_threads(1)
MANY = settings(
    max_examples=examples(100),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
# read as an int of 64 bits and "{", this is the header of a safetensors file that has 1,112 bytes
LIKE_SAFETENSORS = b"X\x04\0\0\0\0\0\0{0"
# what unpicklers skip, and programs that only look at pickles may stumble over
SKIPPED = {
    "nothing": b"",
    "like safetensors": LIKE_SAFETENSORS,
    "a hexadecimal int": b"I0x10\n0",
    "a binary long": b"L0b1L\n0",
    "an int that ends early": b"I5\0 apples\n0",
    "a float that ends early": b"F5\0 apples\n0",
    "a protocol": b"\x80\x02",
    "a frame": b"\x95\0\0\0\0\0\0\0\0",
    "text": b"Vhello\n0",
    "a memo": b"X\x02\0\0\0osp0\n0",
    "a key in the memo": b"Np5\0 apples\n0",
    "another pickle": b"N.",
    "another pickle with a memo": b"\x80\x04\x8c\x0bcollections\x94\x8c\x0bOrderedDict\x940.",
}


def command(marker):
    return b"cos\nmkdir\n(V" + str(marker).encode() + b"\ntR."


def disguises(marker):
    """Yields name and bytes of pickles that create a folder."""
    text = b"V" + str(marker).encode() + b"\n"
    for name, skipped in SKIPPED.items():
        yield name, (skipped + command(marker)).ljust(1200, b"\0")
    other = SKIPPED["another pickle with a memo"]
    names = b"\x80\x04\x8c\x02os\x94\x8c\x05mkdir\x9400h\0h\1\x93"
    yield "a memo of its own", other + names + b"(" + text + b"tR."
    yield "a copy's name", b"\x80\x04\x8c\x02os2q\0\x8c\x05mkdir2q\x0100h\0h\1\x93(" + text + b"tR."
    extension = b"ccopyreg\nadd_extension\n(Vos\nVmkdir\nI240\ntR0\x82\xf0(" + text + b"tR."
    yield "an extension", extension
    yield "safetensors", safetensors_and(command(marker))


def safetensors_and(pickled):
    """Returns a valid file of safetensors that is also a line of text and then a pickle."""
    numbers = b"\n0" + pickled
    header = {"a": {"dtype": "U8", "shape": [len(numbers)], "data_offsets": [0, len(numbers)]}}
    text = json.dumps(header).encode().ljust(ord("V"))
    assert len(text) == ord("V")  # the opcode of a line of text
    return len(text).to_bytes(8, "little") + text + numbers


def zipped(**members):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return content.getvalue()


def in_data(pickled, key="policy_class", more=""):
    value = {":type:": "x", ":serialized:": base64.b64encode(pickled).decode()}
    return f"{{{more} {json.dumps(key)}: {json.dumps(value)}}}".encode()


PLACES = {
    "SB3's data": lambda pickled: {"data": in_data(pickled)},
    "a key like a file": lambda pickled: {"data": in_data(pickled, "a.safetensors")},
    "data with NaN": lambda pickled: {"data": in_data(pickled, more='"a": NaN,')},
    "data with digits": lambda pickled: {"data": in_data(pickled, more=f'"a": {"1" * 999},')},
    "a member": lambda pickled: {"policy.pth": pickled},
    "beside numbers": lambda pickled: {"a/data.pkl": b"N.", "a/data/b.pth": pickled, "b": b""},
    "a number": lambda pickled: {"a/data.pkl": b"N.", "a/data/0": pickled, "policy.pth": b""},
    "a zip in it": lambda pickled: {"policy.pth": zipped(**{"a/data.pkl": pickled})},
    "its numbers": lambda p: {"policy.pth": zipped(**{"a/data.pkl": b"N.", "a/data/b.pkl": p})},
}  # fmt: skip


def inspected(tmp_path, **members):
    path = tmp_path / "agent.zip"
    path.write_bytes(zipped(**members))
    return inspect_file(path)


def test_the_disguised_pickles_do_run_where_they_are_loaded(tmp_path):
    marker = tmp_path / "it ran"
    for _, content in disguises(marker):
        stream = io.BytesIO(content)
        while not marker.exists():
            pickle.load(stream)
        marker.rmdir()
    assert list(load(dict(disguises(marker))["safetensors"])) == ["a"]


@pytest.mark.parametrize("place", PLACES)
def test_a_disguised_pickle_is_called_dangerous_wherever_it_is(tmp_path, place):
    for name, content in disguises(tmp_path / "it ran"):
        assert inspected(tmp_path, **PLACES[place](content)).worst == "dangerous", name
    assert not (tmp_path / "it ran").exists()


def test_inspecting_a_disguised_pickle_ends_with_status_1(tmp_path, capsys):
    path = tmp_path / "agent.zip"
    content = LIKE_SAFETENSORS + command(tmp_path / "it ran")
    path.write_bytes(zipped(data=in_data(content.ljust(1200, b"\0"))))
    assert main(["inspect", str(path)]) == 1
    assert "never open it with PPO.load" in capsys.readouterr().err


def test_a_tar_without_a_mark_is_called_dangerous(tmp_path):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("pickle"))
    content = bytearray(buffer.getvalue())
    content[148:156], content[257:265] = b" " * 8, bytes(8)
    content[148:156] = b"%06o\0 " % sum(content[:512])
    assert tarfile.open(fileobj=io.BytesIO(content), mode="r:").getnames() == ["pickle"]
    assert inspected(tmp_path, **{"policy.pth": bytes(content)}).worst == "dangerous"


class Watched(pickle.Unpickler):
    """Tells whether something would be imported, and imports nothing."""

    def find_class(self, module, name):
        raise ImportWarning(module, name)


def imports_something(content, encoding):
    stream = io.BytesIO(content)
    while stream.tell() < len(content):
        try:
            Watched(stream, encoding=encoding).load()
        except ImportWarning:
            return True
        except Exception:
            return False
    return False


PIECES = st.sampled_from([*SKIPPED.values(), b"S'\xc3\xa9'\n0", b"I\t7\n0", b"(1", b"p", b"\n"])


@given(st.lists(PIECES | st.binary(max_size=4), max_size=5), st.sampled_from(list(PLACES)))
@MANY
def test_whatever_an_unpickler_would_reach_is_called_dangerous(tmp_path, pieces, place):
    content = b"".join(pieces) + command(tmp_path / "it ran")
    if imports_something(content, "ASCII") or imports_something(content, "utf-8"):
        assert inspected(tmp_path, **PLACES[place](content)).worst == "dangerous"


@given(st.dictionaries(st.text(max_size=40), st.lists(st.floats(width=32)), max_size=3))
@MANY
def test_files_of_tensors_are_not_taken_for_pickles(tmp_path, values):
    held = {name: torch.tensor(numbers) for name, numbers in values.items()}
    found = inspected(tmp_path, **{"live.safetensors": save(held), "more.pth": tensors(held)})
    assert found.flaws == [] and found.worst == "innocuous"
    assert {report.where for report in found.pickles} <= {"more.pth/archive/data.pkl"}


@pytest.mark.parametrize(
    "text", ["License: MIT\nby me\n", "Score: 5\nof 9\n", "Steps\n16\n", "2.4.0", "[a](b)\n", "é\n"]
)
def test_text_is_not_taken_for_a_pickle(tmp_path, text):
    found = inspected(tmp_path, **{"README.md": text.encode(), "data": b'{"a": Infinity}'})
    assert found.pickles == [] and found.flaws == []


def test_a_file_of_torch_itself_holds_plain_values(tmp_path):
    path = tmp_path / "policy.pth"
    path.write_bytes(tensors({"a": torch.arange(1000.0)}))
    assert inspect_file(path).worst == "innocuous"
    assert os.listdir(tmp_path) == ["policy.pth"]
