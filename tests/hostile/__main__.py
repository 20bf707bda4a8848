"""Files that mean harm, and every command that reads files: `python -m tests.hostile`.

Runs all tries; with arguments `NTH FROM SECONDS` every NTH of them, from number FROM on, and no
more after SECONDS; with a KIND, as `session`, only those of that kind. Each command may use 10 s of
processor time and 500 MB more than the program itself. What runs anyway, hangs, grows in memory or
ends in a traceback is printed.
"""

import contextlib
import io
import json
import shutil
import sys
import tempfile
import time
import zipfile
from functools import partial
from importlib import import_module
from pathlib import Path

from rewards.audit.scripted import FOLDER
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
from tests.hostile.runner import GOOD, Runner, Try

SHORT = "{good} --episodes 1 --episode-length 1"
FORK = 40  # tries that share one
TINY = (
    "--total-timesteps 16 --n-envs 1 --n-steps 16 --batch-size 16 --n-epochs 1 --n-workers 1 "
    "--device cpu --network small --features-dim 8 --shrink 4 --start-wait 0 --n-stack 1 "
    "--frame-skip 2 --hold-frames 1 --episode-length 8 --record every --observation dict"
)
COMMANDS = {
    "checkpoint": (
        ("baselines.commands.play.play_game", "{file} --episodes 1 --episode-length 2"),
        ("baselines.commands.play.evaluate", "{file} --episodes 1 --episode-length 2"),
        ("baselines.commands.play.checkpoint", "inspect {file}"),
        ("baselines.commands.play.checkpoint", "inspect {file} --json"),
        ("baselines.commands.play.checkpoint", "convert {file} {out} --manifest {file}"),
        ("baselines.commands.play.checkpoint", "convert {file} {out} --manifest original_2023"),
        ("baselines.commands.play.checkpoint", "export {file} {out}"),
        ("baselines.commands.play.checkpoint", "export {file} {out} --sb3"),
        ("baselines.commands.learn.train", f"--init-from {{file}} --sessions {{parent}} {TINY}"),
    ),
    "manifest": (("baselines.commands.play.checkpoint", "convert {old} {out} --manifest {file}"),),
    "session": (
        ("baselines.commands.learn.session", "list --sessions {parent}"),
        ("baselines.commands.learn.session", "list --sessions {parent} --json"),
        ("baselines.commands.play.checkpoint", "export {file} {out}"),
        ("baselines.commands.learn.diagnose", "{file}"),
        ("baselines.commands.learn.train", "--resume {file} --total-timesteps 3232"),
        ("baselines.commands.play.play_game", "{file} --episodes 1 --episode-length 2"),
        ("baselines.commands.play.rescore", "{file}"),
        ("baselines.commands.learn.archive", "list {file}"),
        ("baselines.commands.learn.archive", "export {file} {parent}/states"),
        ("baselines.commands.learn.funnel", "{file}"),
    ),
    "archive": (
        ("baselines.commands.learn.archive", "list {file}"),
        ("baselines.commands.learn.archive", "export {file} {parent}/states"),
        (
            "baselines.commands.learn.train",
            f"--archive {{file}} --explore 0.3 --sessions {{parent}} {TINY}",
        ),
    ),
    "walk": (("baselines.commands.check.audit", "{file} --rounds 1"),),
    "save": (
        ("baselines.commands.check.inspect_state", "{file}"),
        (
            "baselines.commands.play.play_game",
            SHORT + " --start {file}",
        ),
    ),
    "recording": (
        ("baselines.commands.play.replay", "{file}"),
        ("baselines.commands.play.clip", "{file} --folder {parent}"),
        ("baselines.commands.play.rescore", "{file}"),
        ("baselines.commands.check.audit", "{file} --rounds 1"),
    ),
    "preset": (
        ("baselines.commands.learn.train", f"--reward {{file}} --sessions {{parent}} {TINY}"),
        ("baselines.commands.check.audit", "--reward {file} --terms"),
        ("baselines.commands.play.rescore", "{recording} --reward {file}"),
    ),
    "state": (
        ("baselines.commands.check.inspect_state", "{file}"),
        (
            "baselines.commands.play.play_game",
            SHORT + " --start {file}",
        ),
        ("baselines.commands.learn.archive", "import {file} {parent}/archive"),
        ("baselines.commands.check.audit", "{file} --rounds 1"),
    ),
    "rom": (
        ("baselines.commands.check.inspect_state", "{state} --rom {file}"),
        (
            "baselines.commands.play.play_game",
            SHORT + " --rom {file}",
        ),
    ),
    "log": (
        ("baselines.commands.learn.diagnose", "{file}"),
        ("baselines.commands.learn.diagnose", "{file} --json"),
    ),
}


def make_good(folder):
    """Returns a tiny session that a run has just left, and its checkpoint."""
    main = import_module("baselines.commands.learn.train").main
    flags = [*TINY.split(), "--explore", "0.3", "--practice", "0.5"]
    with contextlib.redirect_stdout(io.StringIO()):
        assert main([*flags, "--sessions", str(folder / "sessions")]) == 0
    (session,) = (folder / "sessions").iterdir()
    return session, next((session / "checkpoints").glob("ppo_*_steps.zip"))


def files(folder, session, checkpoint, only=None):
    """Yields kind, name and what makes each hostile file or session in a folder."""
    good, old = checkpoint.read_bytes(), (folder / "old.zip").read_bytes()
    state = (folder / "good.state").read_bytes()
    recording = (folder / "good.recording").read_bytes()
    log = next(session.glob("events.out.*")).read_bytes()
    with zipfile.ZipFile(io.BytesIO(good)) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    jade = Path(import_module("emerald_env.game.editions").JADE_ROM).read_bytes()
    walk = next(FOLDER.glob("*.jsonl")).read_bytes()
    with zipfile.ZipFile(io.BytesIO(recording)) as archive:
        save = archive.read("start.sav")
    preset = (session / "reward.toml").read_bytes()
    kinds = {
        "checkpoint": (".zip", good, checkpoints(good, old, folder / "it ran")),
        "manifest": (
            ".json",
            json.dumps(manifest).encode(),
            [*JSON_TEXTS.items(), *manifests(manifest)],
        ),
        "recording": (".recording", recording, recordings(recording, good)),
        "preset": (".toml", preset, PRESETS.items()),
        "state": (".state", state, states(state)),
        "rom": (".gba", jade, roms(jade)),
        "walk": (".jsonl", walk, walks(walk)),
        "save": (".sav", save, saves(save)),
        "log": ("/events.out.tfevents.1.x", log, logs()),
    }
    for kind, (suffix, content, contents) in kinds.items():
        if only not in (None, kind):
            continue
        if kind != "save":  # a new game has saved nothing
            yield kind, GOOD, partial(write, suffix, content)
        for name, content in contents:
            yield kind, name, partial(write, suffix, content)
    atlas = (session / "archive" / "atlas.npz").read_bytes()
    for name, content in ((GOOD, atlas), *atlases(atlas), *layouts(atlas, good)):
        if only not in (None, "archive"):
            break
        yield "archive", name, partial(archive_with, session / "archive", content)
    changes = (*sessions(session), *archives(session), *links(folder / "victim"))
    for name, change in ((GOOD, lambda folder: None), *changes):
        if only not in (None, "session"):
            break
        yield "session", name, partial(copy, session, change)


def write(suffix, content, place):
    """Writes a hostile file into a folder."""
    path = place / f"file{suffix}"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


def archive_with(archive, atlas, place):
    """Copies an archive into a folder, with another atlas."""
    shutil.copytree(archive, place / "archive")
    (place / "archive" / "atlas.npz").write_bytes(atlas)
    return place / "archive"


def copy(session, change, place):
    """Copies a session into a folder, and does something to it."""
    shutil.copytree(session, place / session.name)
    change(place / session.name)
    return place / session.name


def all_tries(folder, session, checkpoint, only):
    """Yields every try; one that has nothing wrong in it only where its command can use it."""
    for kind, name, make in files(folder, session, checkpoint, only):
        for module, flags in COMMANDS[kind]:
            if name != GOOD or not flags.startswith("convert {file}"):
                yield Try(kind, name, make, module, flags)


def attack(folder, every=1, first=0, seconds=10**6, only=None):
    """Runs all good tries and every `every`th of the others from one on, until the time is up.

    Args:
        folder: for temporary files.
        every: one of how many tries is run.
        first: the number of the first.
        seconds: after which no more are begun.
        only: one kind of file; None: all.

    Returns:
        The runner, and the number of the next try, None where all were run.
    """
    end = time.monotonic() + seconds
    import_module("torch").set_num_threads(1)
    for module in {module for commands in COMMANDS.values() for module, _ in commands}:
        import_module(module)
    session, checkpoint = make_good(folder)
    (folder / "victim").mkdir()
    for name in ("precious.txt", "steps_1_game_00.recording"):
        (folder / "victim" / name).write_text("precious")
    known = {name: folder / f"good.{name}" for name in ("state", "recording")}
    known |= {"good": checkpoint, "old": folder / "old.zip"}
    shutil.copy(next(session.glob("*.state")), known["state"])
    shutil.copy(next((session / "recordings").glob("*.recording")), known["recording"])
    import_module("baselines.checkpoints.sharing.export").export(checkpoint, known["old"], sb3=True)
    runner, chosen = Runner(folder, known, folder / "it ran"), []
    for number, tried in enumerate(all_tries(folder, session, checkpoint, only)):
        if (number >= first and (number - first) % every == 0) or tried.name == GOOD:
            chosen.append(tried)
        if len(chosen) == FORK:
            runner.run(chosen)
            chosen = []
            if time.monotonic() > end:
                break
    else:
        number = None
    runner.run(chosen)
    if any(file.read_text() != "precious" for file in (folder / "victim").iterdir()):
        runner.report("a file outside of the session was changed")
    return runner, number


def main(arguments):
    """Runs tries and says how they went; returns the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        numbers = [int(one) for one in arguments if one.isdecimal()]
        only = next((one for one in arguments if not one.isdecimal()), None)
        runner, number = attack(Path(folder), *numbers, only=only)
    counts = ", ".join(f"{count} {kind}s" for kind, count in runner.tries.items())
    print(
        f"{runner.tries.total()} tries ({counts}), {len(runner.wrong)} wrong; at most "
        f"{runner.seconds:.1f} s of processor time and {runner.mebibytes:.0f} MB more"
    )
    if number is not None:
        print(f"the time is up: go on from {number + 1}")
    return 1 if runner.wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
