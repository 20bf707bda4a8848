"""Good files of every kind, out of which the hostile ones are made."""

import contextlib
import io
import json
import shutil
import zipfile
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from rewards.audit.scripted import FOLDER
from tests.hostile.commands import TINY

SWEEP = b"""flags = "--total-timesteps 64 --n-envs 1"
seeds = 2
trials = 3
score = "milestones"
[settings]
learning-rate = {low = 1e-4, high = 1e-3, log = true}
gamma = [0.99, 0.999]
[weights]
badge = [1.0, 2.0]
"""
DATA = {
    "info": {"x": {"address": 33554432, "type": "<u2"}, "y": {"address": 33554436, "type": "|u1"}}
}
SCENARIO = {
    "reward": {"variables": {"x": {"reward": 1.0, "op": "positive"}}, "time": {"penalty": 0.1}},
    "done": {
        "condition": "any",
        "variables": {"y": {"op": "equal", "reference": 3}},
        "nodes": {"both": {"condition": "all", "variables": {"x": {"op": "zero"}}}},
    },
}


@dataclass(frozen=True)
class Good:
    """What a run has just left, and other good files.

    Attributes:
        session: its session.
        checkpoint: its checkpoint.
        old: the same as Stable-Baselines3 saves it.
        result: a folder with a result of the benchmark.
        files: suffix and content by kind; kinds that occur twice have a number.
    """

    session: Path
    checkpoint: Path
    old: Path
    result: Path
    files: dict[str, tuple[str, bytes]]

    @property
    def archive(self) -> Path:
        """The states from which the run explored."""
        return self.session / "archive"


def make_good(folder):
    """Trains and measures for a moment; returns what came of it."""
    session, checkpoint = trained(folder)
    shutil.copy(next(session.glob("*.state")), folder / "good.state")
    shutil.copy(next((session / "recordings").glob("*.recording")), folder / "good.recording")
    old, result = folder / "old.zip", folder / "result"
    import_module("baselines.checkpoints.sharing.export").export(checkpoint, old, sb3=True)
    measure(result)
    recording = (folder / "good.recording").read_bytes()
    with zipfile.ZipFile(io.BytesIO(recording)) as archive:
        save = archive.read("start.sav")
    with zipfile.ZipFile(checkpoint) as archive:
        manifest = archive.read("manifest.json")
    jade = Path(import_module("emerald_env.game.editions").JADE_ROM).read_bytes()
    log = next(session.glob("events.out.*")).read_bytes()
    files = {
        "checkpoint": (".zip", checkpoint.read_bytes()),
        "checkpoint 2": (".zip", old.read_bytes()),
        "manifest": (".json", manifest),
        "recording": (".recording", recording),
        "preset": (".toml", (session / "reward.toml").read_bytes()),
        "state": (".state", (folder / "good.state").read_bytes()),
        "rom": (".gba", jade),
        "walk": (".jsonl", min(FOLDER.glob("*.jsonl")).read_bytes()),
        "save": (".sav", save),
        "log": ("/events.out.tfevents.1.x", log),
        "log 2": ("/progress.csv", table().encode()),
        "log 3": ("/progress.json", "".join(f"{line}\n" for line in log_lines()).encode()),
        "sweep": (".toml", SWEEP),
        "tables": (".toml", import_module("emerald_env.jade.editing").written(jade, "0").encode()),
        "scenario": (".json", json.dumps(SCENARIO).encode()),
        "scenario 2": (".json", json.dumps(DATA).encode()),
        "symbols": (".sym", symbol_lines().encode()),
    }
    return Good(session, checkpoint, old, result, files)


def trained(folder):
    """Returns a tiny session that a run has just left, and its checkpoint."""
    main = import_module("baselines.commands.learn.train").main
    flags = [*TINY.split(), "--explore", "0.3", "--practice", "0.5"]
    flags += ["--total-timesteps", "3216"]  # a round of exploring and one update
    with contextlib.redirect_stdout(io.StringIO()):
        assert main([*flags, "--sessions", str(folder / "sessions")]) == 0
    (session,) = (folder / "sessions").iterdir()
    return session, next((session / "checkpoints").glob("ppo_*_steps.zip"))


def measure(folder):
    """Writes a result of the benchmark into a new folder: an episode of a few random keys."""
    versions = import_module("emerald_env.env.versions")
    versions.JADE_V1.settings["episode_length"] = 4
    main = import_module("baselines.commands.check.benchmark").main
    folder.mkdir()
    flags = f"random --out {folder}/file.json --episodes 1 --assists none"
    with contextlib.redirect_stdout(io.StringIO()):
        assert main(flags.split()) == 0


def log_lines():
    """Yields lines of a log of PPO."""
    for n in range(1, 40):
        values = {"time/total_timesteps": 64 * n, "rollout/ep_rew_mean": n / 3}
        yield json.dumps(values | {"train/approx_kl": 0.01, "train/entropy_loss": -2 / n})


def table():
    """Returns the same as a table."""
    rows = [json.loads(line) for line in log_lines()]
    return "\n".join(",".join(map(str, row)) for row in (rows[0], *(r.values() for r in rows)))


def symbol_lines():
    """Returns a file of symbols with what we ask for."""
    tables = import_module("emerald_env.game.tables")
    sizes = import_module("emerald_env.game.symbol_file").SIZES
    return "".join(
        f"{entry.us:08x} g {sizes.get(entry.name, 1):08x} {entry.name}\n"
        for entry in tables.edition_symbols("BPEE")
    )
