"""Files that mean harm, and every command that reads files: `python -m tests.hostile [EVERY_NTH]`.

Each command runs in a process of its own, which may use 10 s of processor time and 500 MB more than
the program itself. What runs anyway, hangs, swells or ends in a traceback is printed.
"""

import io
import json
import os
import pickle
import resource
import shutil
import struct
import sys
import tempfile
import traceback
import zipfile
from collections import Counter
from functools import partial
from importlib import import_module
from pathlib import Path

SECONDS, MEBIBYTES = 10, 500
FAILED = 99  # exit status of a command that raises
COMMANDS = {
    "checkpoint": (
        ("baselines.cli.play", "{file} --episodes 1 --steps 2"),
        ("baselines.cli.evaluate", "{file} --episodes 1 --episode-length 2"),
        ("baselines.cli.checkpoint", "inspect {file}"),
        ("baselines.cli.checkpoint", "inspect {file} --json"),
        ("baselines.cli.checkpoint", "convert {file} {out} --manifest {file}"),
        ("baselines.cli.checkpoint", "convert {file} {out} --manifest original_2023"),
        ("baselines.cli.checkpoint", "export {file} {out}"),
        ("baselines.cli.checkpoint", "export {file} {out} --sb3"),
    ),
    "manifest": (("baselines.cli.checkpoint", "convert {old} {out} --manifest {file}"),),
    "session": (
        ("baselines.cli.session", "list --sessions {parent}"),
        ("baselines.cli.session", "list --sessions {parent} --json"),
        ("baselines.cli.checkpoint", "export {file} {out}"),
        ("baselines.cli.diagnose", "{file}"),
        ("baselines.training.run", "--resume {file}"),
        ("baselines.cli.play", "{file} --episodes 1 --steps 2"),
        ("rewards.rescore.__main__", "{file}"),
    ),
    "recording": (
        ("baselines.cli.replay", "{file}"),
        ("baselines.runs.clips", "{file} --folder {parent}"),
        ("rewards.rescore.__main__", "{file}"),
    ),
    "preset": (
        ("baselines.training.run", "--reward {file} --resume {nothing}"),
        ("rewards.audit.__main__", "--preset {file} --help"),
        ("baselines.cli.play", "{good} --episodes 1 --steps 1 --start {file}"),
    ),
    "state": (
        ("emerald_env.cli.inspect", "{file}"),
        ("baselines.cli.play", "{good} --episodes 1 --steps 1 --start {file}"),
    ),
    "rom": (
        ("emerald_env.cli.inspect", "{state} --rom {file}"),
        ("baselines.cli.play", "{good} --episodes 1 --steps 1 --rom {file}"),
    ),
    "log": (("baselines.cli.diagnose", "{file}"), ("baselines.cli.diagnose", "{file} --json")),
}
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
    new = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(new, "w") as archive:
        members = {name: old.read(name) for name in old.namelist()} | changes
        for name, member in members.items():
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

    def member(name, content):
        return lambda folder: (folder / name).write_bytes(content)

    for name, text in JSON_TEXTS.items():
        for file in ("config.json", "episodes.jsonl", "diagnostics.jsonl"):
            yield f"{file}, {name}", member(file, text + b"\n")
    config = json.loads((good / "config.json").read_text())
    for name, text in manifests(config):
        yield f"config.json, {name}", member("config.json", text)
    resume = next((good / "checkpoints").glob("*.resume"))
    content = resume.read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        tree = json.loads(archive.read("resume.json"))
    for name, text in JSON_TEXTS.items():
        changed = rewritten(content, **{"resume.json": text})
        yield f"resume, {name}", member(f"checkpoints/{resume.name}", changed)
    for name, text in resume_trees(tree):
        changed = rewritten(content, **{"resume.json": text})
        yield f"resume, {name}", member(f"checkpoints/{resume.name}", changed)


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
    """The tree of a resume file with each number at its top replaced."""
    for index, (key, _) in enumerate(tree["moment"]["dict"]):
        for value in (-(10**12), 10**30, "x", None, []):
            changed = json.loads(json.dumps(tree))
            changed["moment"]["dict"][index][1] = value
            yield f"{key} = {value!r}", json.dumps(changed).encode()


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


class Runner:
    """Runs commands, each in a fork of this process, and keeps what went wrong."""

    def __init__(self, marker, log):
        self.marker, self.log = marker, log
        self.tries, self.wrong = Counter(), []
        self.base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self.worst = [0.0, 0.0]

    def run(self, kind, name, module, arguments):
        """Runs a command; notes traceback, time, memory and whether anything ran."""
        pid = os.fork()
        if pid == 0:
            self._child(module, arguments)
        _, status, used = os.wait4(pid, 0)
        seconds = used.ru_utime + used.ru_stime
        more = max(0, used.ru_maxrss - self.base) / 1024
        self.worst = [max(self.worst[0], seconds), max(self.worst[1], more)]
        said = self.log.read_text(errors="replace")
        problems = [
            what
            for what, found in (
                ("a signal", os.WIFSIGNALED(status)),
                ("a traceback", "Traceback" in said or os.WEXITSTATUS(status) == FAILED),
                ("processor time", seconds > SECONDS),
                ("memory", more > MEBIBYTES),
                ("an escape", "\x1b[2J" in said or "\x07" in said),
                ("it ran", self.marker.exists()),
            )
            if found
        ]
        self.tries[kind] += 1
        if problems:
            tail = said.strip().splitlines()[-3:]
            self.wrong.append(f"{kind}, {name}: {module}: {', '.join(problems)}: {tail}")

    def _child(self, module, arguments):
        resource.setrlimit(resource.RLIMIT_CPU, (3 * SECONDS, 3 * SECONDS))
        out = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        status = FAILED
        try:
            status = import_module(module).main(arguments)
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 2
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status or 0)


def make_good(folder):
    """Returns a tiny session that a run has just left, and the same checkpoint as SB3 writes it."""
    main = import_module("baselines.training.run").main
    flags = (
        "--total-timesteps 16 --n-envs 1 --n-steps 16 --batch-size 16 --n-epochs 1 --backend dummy "
        "--device cpu --network small --features-dim 8 --shrink 4 --start-wait 0 --n-stack 1 "
        "--frame-skip 2 --hold-frames 1 --episode-length 8 --record every --observation dict"
    ).split()
    assert main([*flags, "--sessions", str(folder / "sessions")]) == 0
    (session,) = (folder / "sessions").iterdir()
    checkpoint = session / "checkpoints" / "ppo_16_steps.zip"
    export = import_module("baselines.checkpoints.sharing.export").export
    export(checkpoint, folder / "old.zip", sb3=True)
    return session, checkpoint


def recordings(good, other):
    """Recordings that are none."""
    with zipfile.ZipFile(io.BytesIO(good)) as archive:
        header = json.loads(archive.read("recording.json"))
    yield from layouts(good, other)
    for name, text in [*JSON_TEXTS.items(), *manifests(header)]:
        yield name, rewritten(good, **{"recording.json": text})
    for name, text in JSON_TEXTS.items():
        yield f"states, {name}", rewritten(good, **{"states.json": text})


def files(folder, session, checkpoint):
    """Yields kind, name and what makes each hostile file or session in a folder."""
    good, old = checkpoint.read_bytes(), (folder / "old.zip").read_bytes()
    state = (folder / "good.state").read_bytes()
    recording = next((session / "recordings").glob("*.recording")).read_bytes()
    with zipfile.ZipFile(io.BytesIO(good)) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    jade = Path(import_module("emerald_env.game.editions").JADE_ROM).read_bytes()
    kinds = {
        "checkpoint": (".zip", checkpoints(good, old, folder / "it ran")),
        "manifest": (".json", [*JSON_TEXTS.items(), *manifests(manifest)]),
        "recording": (".recording", recordings(recording, good)),
        "preset": (".toml", PRESETS.items()),
        "state": (".state", states(state)),
        "rom": (".gba", roms(jade)),
        "log": ("/events.out.tfevents.1.x", logs()),
    }
    for kind, (suffix, contents) in kinds.items():
        for name, content in contents:
            yield kind, name, partial(write, suffix, content)
    for name, change in (*sessions(session), *links(folder / "victim")):
        yield "session", name, partial(copy, session, change)


def write(suffix, content, place):
    """Writes a hostile file into a folder."""
    path = place / f"file{suffix}"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


def copy(session, change, place):
    """Copies a session into a folder, and does something to it."""
    shutil.copytree(session, place / session.name)
    change(place / session.name)
    return place / session.name


def attack(folder, every=1):
    """Runs each `every`th of all tries; returns the runner."""
    import_module("torch").set_num_threads(1)
    for module in {module for commands in COMMANDS.values() for module, _ in commands}:
        import_module(module)
    session, checkpoint = make_good(folder)
    (folder / "victim").mkdir()
    for name in ("precious.txt", "steps_1_game_00.recording"):
        (folder / "victim" / name).write_text("precious")
    shutil.copy(next(session.glob("*.state")), folder / "good.state")
    known = {name: folder / name for name in ("old", "nothing", "state")}
    known |= {"old": folder / "old.zip", "good": checkpoint, "state": folder / "good.state"}
    runner, number = Runner(folder / "it ran", folder / "log.txt"), 0
    for kind, name, make in files(folder, session, checkpoint):
        for module, flags in COMMANDS[kind]:
            number += 1
            if number % every:
                continue
            work = Path(tempfile.mkdtemp(dir=folder))
            file = make(work)
            values = known | {"file": file, "out": work / "out.zip", "parent": file.parent}
            runner.run(kind, name, module, [part.format(**values) for part in flags.split()])
            shutil.rmtree(work)
    if any(file.read_text() != "precious" for file in (folder / "victim").iterdir()):
        runner.wrong.append("a file outside of the session was changed")
    return runner


def main():
    """Runs all tries and says how they went; returns the exit status."""
    every = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    with tempfile.TemporaryDirectory() as folder:
        runner = attack(Path(folder), every)
    for line in runner.wrong:
        print("WRONG", line)
    counts = ", ".join(f"{count} {kind}s" for kind, count in runner.tries.items())
    print(
        f"{runner.tries.total()} tries ({counts}), {len(runner.wrong)} wrong; at most "
        f"{runner.worst[0]:.1f} s of processor time and {runner.worst[1]:.0f} MB more"
    )
    return 1 if runner.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
