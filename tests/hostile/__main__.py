"""Files that mean harm, through every command that reads them: `python -m tests.hostile --help`.

Each command may use 10 s of processor time and 500 MB more than the program itself. What runs
anyway, hangs, grows in memory or ends in a traceback is printed.
"""

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
from functools import partial
from importlib import import_module
from itertools import chain, islice
from pathlib import Path

from tests.hostile.changes import changed
from tests.hostile.commands import COMMANDS, commands_for
from tests.hostile.files import (
    JSON_TEXTS,
    PRESETS,
    archives,
    atlases,
    checkpoints,
    layouts,
    links,
    logs,
    manifests,
    recordings,
    roms,
    saves,
    sessions,
    states,
    walks,
)
from tests.hostile.good import make_good
from tests.hostile.runner import GOOD, Runner, Try

MEMORY = Path("/dev/shm")  # faster than a disk, onto which each file would be synchronised
FORK = 40  # tries that share one
TRIES = 100_000  # of a seed
NEVER_GOOD = ("save", "checkpoint 2")  # a new game has saved nothing; SB3's must be converted


def files(folder, good, only=None):
    """Yields a kind, what makes a good file of it in a folder, and names and makers of bad ones.

    A kind that occurs twice has a number: "log 2". Bad ones are made when they are asked for.
    """
    content = {kind: content for kind, (_, content) in good.files.items()}
    manifest, new = json.loads(content["manifest"]), content["checkpoint"]
    bad = {
        "checkpoint": checkpoints(new, content["checkpoint 2"], folder / "it ran"),
        "manifest": chain(JSON_TEXTS.items(), manifests(manifest)),
        "recording": recordings(content["recording"], new),
        "preset": PRESETS.items(),
        "state": states(content["state"]),
        "rom": roms(content["rom"]),
        "walk": walks(),
        "save": saves(content["save"]),
        "log": logs(),
        "sweep": PRESETS.items(),
        "tables": PRESETS.items(),
        "scenario": chain(JSON_TEXTS.items(), manifests(json.loads(content["scenario"]))),
        "scenario 2": manifests(json.loads(content["scenario 2"])),
    }
    makers = {
        name: (partial(partial, write, suffix), content[name], bad.get(name, ()))
        for name, (suffix, _) in good.files.items()
    }
    atlas, result = good.archive / "atlas.npz", good.result / "file.json"
    makers |= {
        "archive": (
            partial(partial, with_file, good.archive, atlas.name),
            atlas.read_bytes(),
            chain(atlases(atlas.read_bytes()), layouts(atlas.read_bytes(), new)),
        ),
        "result": (
            partial(partial, with_result, good.result),
            result.read_bytes(),
            chain(JSON_TEXTS.items(), manifests(json.loads(result.read_text()))),
        ),
        "session": (
            partial(partial, copy, good.session),
            lambda folder: None,
            chain(sessions(good.session), archives(good.session), links(folder / "victim")),
        ),
    }
    for name, (maker, well, ill) in makers.items():
        if only in (None, name.split()[0]):
            yield name, maker(well), made_by(maker, ill)


def made_by(maker, contents):
    """Yields the names of contents, and what makes each."""
    for name, content in contents:
        yield name, maker(content)


def write(suffix, content, place):
    """Writes a hostile file into a folder."""
    path = place / f"file{suffix}"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


def with_file(source, name, content, place):
    """Copies a folder with another content of one of its files; returns the folder."""
    shutil.copytree(source, place / source.name)
    (place / source.name / name).write_bytes(content)
    return place / source.name


def with_result(source, content, place):
    """Copies a result of the benchmark with another content; returns its file."""
    return with_file(source, "file.json", content, place) / "file.json"


def copy(session, change, place):
    """Copies a session into a folder, and does something to it."""
    shutil.copytree(session, place / session.name)
    change(place / session.name)
    return place / session.name


def drawn(good, dice, source, place):
    """Copies what is good into a folder with random changes to one file of it.

    Args:
        good: the good files.
        dice: draws the file and the changes; only it decides.
        source: a kind of `good.files`, or a folder.
        place: where to.
    """
    if source in good.files:
        suffix, content = good.files[source]
        return write(suffix, changed(content, dice), place)
    within = sorted(path for path in source.rglob("*") if path.is_file() and path.stat().st_size)
    suffixes = sorted({path.suffix for path in within})
    chosen = dice.choice(suffixes)  # each as likely, however many files have it
    path = dice.choice([path for path in within if path.suffix == chosen])
    name = path.relative_to(source)
    made = with_file(source, name, changed(path.read_bytes(), dice), place)
    return made / "file.json" if source == good.result else made


def drawn_tries(good, seed, only=None):
    """Yields tries with random changes; number N of a seed is always the same."""
    folders = {"session": good.session, "archive": good.archive, "result": good.result}
    sources = {name: name for name in good.files} | folders
    sources = {name: at for name, at in sources.items() if only in (None, name.split()[0])}
    for number in range(TRIES):
        dice = random.Random(f"{seed} {number}")
        name = dice.choice([*sources, *["session"] * (4 * ("session" in sources))])
        kind = name.split()[0]
        module, flags = dice.choice(COMMANDS[kind])
        make = partial(drawn, good, dice, sources[name])
        yield Try(kind, f"seed {seed}, number {number}", make, module, flags)


def good_tries(made):
    """Yields each good file through each command that can use it, given what `files` yields."""
    for name, make, _ in made:
        kind = name.split()[0]
        for module, flags in () if name in NEVER_GOOD else COMMANDS[kind]:
            if not flags.startswith("convert {file}"):
                yield Try(kind, GOOD, make, module, flags)


def bad_tries(made, seed=None):
    """Yields each bad file through a command that reads it, given what `files` yields.

    The seed draws the command; without one it is each.
    """
    for kind, _, bad in made:
        kind = kind.split()[0]
        for name, make in bad:
            commands = commands_for(kind, name)
            if seed is not None:
                commands = [random.Random(f"{seed} {kind} {name}").choice(commands)]
            for module, flags in commands:
                yield Try(kind, name, make, module, flags)


def attack(folder, flags):
    """Runs good tries, and those of the others that the flags choose, until the time is up.

    Args:
        folder: for temporary files.
        flags: of the command line.

    Returns:
        The runner, and the number of the next try, None where all were run.
    """
    end = time.monotonic() + flags.seconds
    import_module("torch").set_num_threads(1)
    for module in {module for commands in COMMANDS.values() for module, _ in commands}:
        import_module(module)
    good = make_good(folder)
    (folder / "victim").mkdir()
    for name in ("precious.txt", "steps_1_game_00.recording"):
        (folder / "victim" / name).write_text("precious")
    known = {name: folder / f"good.{name}" for name in ("state", "recording")}
    known |= {"good": good.checkpoint, "old": good.old, "session": good.session}
    known |= {"seed": flags.seed}
    runner = Runner(folder, known, folder / "it ran")
    made = list(files(folder, good, flags.kind))
    runner.run(list(good_tries(made)))
    tries = bad_tries(made, None if flags.all else flags.seed)
    if flags.random:
        tries = drawn_tries(good, flags.seed, flags.kind)
    chosen = islice(tries, flags.first, None, flags.every)
    chosen, number = islice(chosen, flags.tries), flags.first
    while part := list(islice(chosen, FORK)):
        if time.monotonic() > end:
            break
        runner.run(part)
        number += len(part) * flags.every
    if any(file.read_text() != "precious" for file in (folder / "victim").iterdir()):
        runner.report("a file outside of the session was changed")
    return runner, number if part else None


def main(arguments=None):
    """Runs tries and says how they went; returns the exit status."""
    flags = argparse.ArgumentParser("python -m tests.hostile", description=__doc__)
    flags.add_argument("--seed", type=int, default=0, help="draws commands and random changes")
    flags.add_argument("--all", action="store_true", help="each file through each command")
    flags.add_argument("--random", action="store_true", help="random changes to good files")
    flags.add_argument("--tries", type=int, help="no more than so many")
    flags.add_argument("--every", type=int, default=1, help="one of how many tries is run")
    flags.add_argument("--first", type=int, default=0, help="the number of the first try")
    flags.add_argument("--seconds", type=int, default=10**6, help="after which no more begin")
    flags.add_argument("--kind", choices=COMMANDS, help="one kind of file only")
    flags = flags.parse_args(arguments)
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        runner, number = attack(Path(folder), flags)
    counts = ", ".join(f"{count} {kind}s" for kind, count in runner.tries.items())
    print(
        f"{runner.tries.total()} tries ({counts}), {len(runner.wrong)} wrong; at most "
        f"{runner.seconds:.1f} s of processor time and {runner.mebibytes:.0f} MB more"
    )
    if number is not None:
        print(f"the time is up: go on with --first {number}")
    return 1 if runner.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
