"""Files and sessions that mean harm, made out of good ones."""

import contextlib
import io
import json
import os
import pickle
import shutil
import struct
import zipfile
from functools import partial

import numpy as np
from typing_extensions import TypedDict

from baselines.checkpoints.resume import read_run_state, run_state_to_bytes
from baselines.checkpoints.run_state_form import RUN_STATE
from baselines.settings.game_config import GameConfig
from baselines.settings.policy_config import PolicyConfig
from baselines.settings.train_config import TrainConfig
from rewards.audit.scripted import FOLDER
from tests.hostile.bounds import at_bounds


class MANIFEST(TypedDict):
    env: GameConfig
    policy: PolicyConfig


JSON_TEXTS = {
    "brackets": b"[" * 200_000,
    "objects": b'{"a":' * 50_000,
    "digits": b"9" * 5000,
    "list": b"[]",
    "number": b"1",
    "no text": b"\xff\xfe\x00\xd8",
    "empty": b"",
    "many lists": b"[" + b"[]," * 2_500_000 + b"[]]",
}
LINES = ("episodes.jsonl", "diagnostics.jsonl", "sightings.jsonl", "photographs.jsonl")
VALUES = (
    10**400,
    -(10**12),
    1e300,
    float("nan"),
    [None],
    [[[]]],
    {"a": 1},
    None,
    "x",
    True,
    "\x1b[2J",
)
# for the leaves of resume files; without those that the types above already cover
LEAVES = (
    10**400,
    -1,
    10**12,
    1e300,
    float("nan"),
    [None],
    {"tuple": [[]]},
    None,
    "x",
    {"dict": []},
)
PRESETS = {
    "a key of 20,000 parts": b"a" + b".a" * 20_000 + b" = 1",
    "10^400": b"[weights]\nbadge = 1" + b"0" * 400,
    "5,000 digits": b"[weights]\nbadge = 1" + b"0" * 5000,
    "deep": b"a = " + b"[" * 50_000,
    "inf": b"[weights]\nbadge = inf",
    "list": b"[weights]\nbadge = [1, 2]",
    "text": b"[weights]\nbadge = '5'",
    "no weights": b"weights = 3",
    "no text": b"\xff\xfe",
    "escape": b'about = "\\u001b[2J"\n[weights]\nbadge = 5',
    "large": b"# " + b"x" * (80 << 20),
}


class Bomb:
    """Unpickling this makes a folder, which says that it ran."""

    def __init__(self, marker):
        self.marker = str(marker)

    def __reduce__(self):
        return (os.mkdir, (self.marker,))


def rewritten(content, **changes):
    """A zip with members replaced."""
    new, members = io.BytesIO(), content
    if isinstance(content, bytes):
        with zipfile.ZipFile(io.BytesIO(content)) as old:
            members = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(new, "w") as archive:
        for name, member in (members | changes).items():
            archive.writestr(name, member)
    return new.getvalue()


def layouts(good, other):
    """Zips that two readers could read in two ways, or that are huge in their directory."""
    yield "another zip before it", other + good
    yield "another zip after it", good + other
    yield "text before it", b"#!/bin/sh\n" + good
    yield "text after it", good + b"more"
    at = good.rindex(b"PK\x05\x06")
    size, offset = struct.unpack_from("<LL", good, at + 12)
    moved = bytearray(good)
    struct.pack_into("<L", moved, at + 16, offset - size)
    yield "a directory elsewhere", bytes(moved)
    yield "two directories", good[:at] + good[offset:at] + good[at:]
    many = bytearray(good)
    struct.pack_into("<HH", many, at + 8, 65535, 65535)
    yield "65,535 members", bytes(many)
    record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 10**6, 10**6, 46 * 10**6, 4)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, 4 + 46 * 10**6, 1)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 65535, 65535, 2**32 - 1, 2**32 - 1, 0)
    header = b"PK\x01\x02" + bytes(42)
    yield "a million members", b"PK\3\4" + header * 10**6 + record + locator + end
    yield "a comment that is an end record", good[:-2] + struct.pack("<H", len(end)) + end
    yield "cut short", good[: len(good) // 2]
    first = struct.unpack_from("<5H3L2H", good, 4)
    second = 30 + first[-4] + first[-2] + first[-1]
    for name, place in (("between two members", second), ("before the directory", offset)):
        yield f"another zip {name}", inserted(good, place, other[: 1 << 16])


def inserted(content, at, more):
    """A zip with bytes inserted; its offsets are put right, so that most programs read it."""
    changed = bytearray(content[:at] + more + content[at:])
    end = changed.rindex(b"PK\5\6")
    (start,) = struct.unpack_from("<L", changed, end + 16)
    start += len(more) if at <= start else 0
    struct.pack_into("<L", changed, end + 16, start)
    while changed[start : start + 4] == b"PK\1\2":
        (header,) = struct.unpack_from("<L", changed, start + 42)
        struct.pack_into("<L", changed, start + 42, header + len(more) * (header >= at))
        start += 46 + sum(struct.unpack_from("<3H", changed, start + 28))
    return bytes(changed)


def checkpoints(good, old, marker):
    """Hostile checkpoints by what is wrong with them."""
    bomb = pickle.dumps(Bomb(marker))
    yield from layouts(good, old)
    yield from ((f"old, {name}", content) for name, content in layouts(old, good))
    with zipfile.ZipFile(io.BytesIO(old)) as archive:
        inner = archive.read("policy.pth")
        manifest = json.loads(archive.read("manifest.json"))
    for name, content in layouts(inner, rewritten(inner, **{"archive/data.pkl": bomb})):
        if name != "a million members":
            yield f"weights, {name}", rewritten(old, **{"policy.pth": content})
    legacy = io.BytesIO()
    pickle.dump(Bomb(marker), legacy)
    yield "old torch, then a zip", rewritten(old, **{"policy.pth": legacy.getvalue() + inner})
    yield "a pickle", bomb
    yield "pickled weights", rewritten(good, **{"policy.safetensors": bomb})
    yield "an endless pickle", rewritten(old, **{"data": b"N0" * (20 << 20)})
    header = struct.pack("<Q", 1 << 40) + b"{}"
    yield "a long header", rewritten(good, **{"policy.safetensors": header})
    for name, text in JSON_TEXTS.items():
        yield f"manifest, {name}", rewritten(good, **{"manifest.json": text})
    for name, text in manifests(manifest):
        yield f"manifest, {name}", rewritten(good, **{"manifest.json": text})
    for name, changed in at_bounds(manifest, MANIFEST):
        yield f"manifest, {name}", rewritten(good, **{"manifest.json": json.dumps(changed)})


def manifests(values):
    """A manifest with each of its values replaced by each of `VALUES`."""
    for path in places(values):
        for value in VALUES:
            changed = json.loads(json.dumps(values))
            target = changed
            for key in path[:-1]:
                target = target[key]
            target[path[-1]] = value
            yield f"{'.'.join(map(str, path))} = {value!r:.20}", json.dumps(changed).encode()


def places(values, path=()):
    """Yields the path to each value, of lists only the first."""
    pairs = values.items() if isinstance(values, dict) else list(enumerate(values))[:1]
    for key, value in pairs:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


def sessions(good):
    """Yields what to do to a copy of a good session, by name."""
    for name, text in JSON_TEXTS.items():
        for file in ("config.json", *LINES):
            yield f"{file}, {name}", partial(put, file, text + b"\n")
    config = json.loads((good / "config.json").read_text())
    for name, text in manifests(config):
        yield f"config.json, {name}", partial(put, "config.json", text)
    for name, changed in at_bounds(config, TrainConfig):
        text = json.dumps(changed).encode()
        yield f"config.json, {name}", partial(put, "config.json", text)
    resume = next((good / "checkpoints").glob("*.resume"))
    content = resume.read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        tree = json.loads(archive.read("resume.json"))
    for name, text in JSON_TEXTS.items():
        changed = rewritten(content, **{"resume.json": text})
        yield f"resume, {name}", partial(put, f"checkpoints/{resume.name}", changed)
    for name, text in resume_trees(tree):
        changed = rewritten(content, **{"resume.json": text})
        yield f"resume, {name}", partial(put, f"checkpoints/{resume.name}", changed)
    owner = resume.with_suffix(".zip")
    for name, changed in at_bounds(read_run_state(resume, owner), RUN_STATE):
        again = run_state_to_bytes(changed, owner.read_bytes())
        yield f"resume, {name}", partial(put, f"checkpoints/{resume.name}", again)


def archives(good):
    """Yields what to do to the archive and the funnel of a copy of a good session."""
    for file in ("archive/index.json", "funnel.json"):
        values = json.loads((good / file).read_text())
        for name, text in [*JSON_TEXTS.items(), *manifests(values)]:
            yield f"{file}, {name}", partial(put, file, text)
    state = next(p.name for p in (good / "archive").iterdir() if p.suffix == ".ss1")
    for name, text in (("empty", b""), ("a bomb", b"\x89PNG\r\n\x1a\n" + bytes(1 << 20))):
        yield f"a state, {name}", partial(put, f"archive/{state}", text)


def put(name, content, folder):
    """Replaces a file of a session."""
    (folder / name).write_bytes(content)


def links(victim):
    """Yields what puts links and a pipe into a session."""

    def link(name, target):
        def replace(folder):
            path = folder / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            path.symlink_to(target)

        return replace

    def pipe(folder):
        (folder / "episodes.jsonl").unlink()
        os.mkfifo(folder / "episodes.jsonl")

    for file in ("episodes.jsonl", "diagnostics.jsonl", "reward.toml", "config.json"):
        yield f"a link, {file}", link(file, victim / "precious.txt")
    for folder in ("recordings", "frames", "checkpoints"):
        yield f"a link, {folder}", link(folder, victim)
    yield "a pipe", pipe


def resume_trees(tree):
    """The tree of a resume file with each of its values and keys replaced."""
    for path in places_in_tree(tree["moment"]):
        for value in LEAVES:
            changed = json.loads(json.dumps(tree))
            target = changed["moment"]
            for key in path[:-1]:
                target = target[key]
            target[path[-1]] = value
            yield f"{'.'.join(map(str, path))} = {value!r:.20}", json.dumps(changed).encode()


def places_in_tree(values, path=()):
    """Yields the path to each value and key of a tree; of long lists only the first and last."""
    pairs = list(values.items() if isinstance(values, dict) else enumerate(values))
    is_long = isinstance(values, list) and path[-1:] != ("dict",)
    for key, value in pairs[:1] + pairs[-1:] if is_long and len(pairs) > 3 else pairs:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places_in_tree(value, (*path, key))


def atlases(good):
    """Members of a folder's atlas, each replaced, cut short or with another header."""
    with zipfile.ZipFile(io.BytesIO(good)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for name, member in members.items():
        array = np.lib.format.read_array(io.BytesIO(member))
        for value in (-1, 100, np.nan, np.inf, 1 << 40, 1 << 62):
            changed = io.BytesIO()
            with contextlib.suppress(OverflowError, ValueError):
                with np.errstate(invalid="ignore"):
                    np.save(changed, np.full_like(array, value))
                yield f"{name} of {value}", rewritten(good, **{name: changed.getvalue()})
        for shape in ((1 << 40,), (), (2, 2)):
            header = {"descr": array.dtype.str, "fortran_order": False, "shape": shape}
            changed = io.BytesIO()
            np.lib.format.write_array_header_1_0(changed, header)
            content = changed.getvalue() + member[128:]
            yield f"{name} of shape {shape}", rewritten(good, **{name: content})
        yield f"{name}, cut short", rewritten(good, **{name: member[:-1]})
        yield f"{name}, reversed", rewritten(good, **{name: member[:128] + member[128:][::-1]})
        yield f"no {name}", rewritten({k: v for k, v in members.items() if k != name})


def states(state):
    """States and saves that are none."""
    yield "empty", b""
    yield "cut short", state[:1000]
    yield "zeros", bytes(len(state))
    yield "a line that no frame has", state[:1030] + b"\xff\xff" + state[1032:]
    yield "noise", state[:64] + bytes(range(256)) * ((len(state) - 64) // 256)
    yield "a PNG without end", b"\x89PNG\r\n\x1a\n" + b"\xff\xff\xff\xffgbAs" + bytes(100)
    yield "a save", b"\xff" * (128 << 10)


def roms(rom):
    """ROMs that are none."""
    yield "empty", b""
    yield "text", b"hello"
    yield "cut short", rom[:5000]
    yield "a header alone", rom[:192] + bytes((1 << 16) - 192)
    yield "another game", rom[:0xA0] + b"\x1b[2J\x1b]0;x\x07ABCDEF"[:16] + rom[0xB0:]


def logs():
    """Event files of tensorboard that are none."""
    yield "empty", b""
    yield "noise", os.urandom(1000)
    yield "a record of 2^60 bytes", struct.pack("<Q", 1 << 60) + bytes(100)


def recordings(good, other):
    """Recordings that are none."""
    with zipfile.ZipFile(io.BytesIO(good)) as archive:
        header = json.loads(archive.read("recording.json"))
    yield from layouts(good, other)
    for name, text in [*JSON_TEXTS.items(), *manifests(header)]:
        yield name, rewritten(good, **{"recording.json": text})
    for name, text in JSON_TEXTS.items():
        yield f"states, {name}", rewritten(good, **{"states.json": text})


def walks():
    """Scripted walks that are none; what two would have in common is there once."""
    known = sorted(FOLDER.glob("*.jsonl"))
    return {name: text for path in known for name, text in walks_of(path.read_bytes())}.items()


def walks_of(walk):
    """Yields a walk with each of its values replaced."""
    header, *lines = walk.splitlines()
    for name, text in JSON_TEXTS.items():
        yield f"header, {name}", text + b"\n" + b"\n".join(lines)
        yield f"a line, {name}", header + b"\n" + text
    for name, text in manifests(json.loads(header)):
        yield f"header, {name}", text + b"\n" + b"\n".join(lines)
    for line in lines:
        for name, text in manifests(json.loads(line)):
            yield f"{name}", header + b"\n" + text + b"\n" + b"\n".join(lines)


def saves(save):
    """Flash saves that are none."""
    yield "empty", b""
    yield "cut short", save[:-1]
    yield "zeros", bytes(len(save))
    yield "noise", np.random.default_rng(0).bytes(len(save))
    for at in range(0, len(save), 4096):
        yield f"sector {at >> 12} of ones", save[:at] + b"\xff" * 4096 + save[at + 4096 :]
