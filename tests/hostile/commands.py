"""Every command that reads files, by the kind of file."""

SHORT = "{good} --episodes 1 --episode-length 1"
TINY = (
    "--total-timesteps 16 --n-envs 1 --n-steps 16 --batch-size 16 --n-epochs 1 --n-workers 1 "
    "--device cpu --network small --features-dim 8 --shrink 4 --start-wait 0 --n-stack 1 "
    "--frame-skip 2 --hold-frames 1 --episode-length 8 --record every --observation dict "
    "--no-embed-places --seed 1"
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
        ("baselines.commands.learn.compare", "{file} {session}"),
        ("tests.hostile.other_doors", "page {file}"),
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
        (
            "baselines.commands.learn.train",
            f"--teacher {{file}} --clone 1 --sessions {{parent}} {TINY}",
        ),
    ),
    "result": (("baselines.commands.check.benchmark", "verify {file}"),),
    "tables": (("baselines.commands.play.jade_world", "0 --with {file} --out {parent}/made.gba"),),
    "sweep": (("tests.hostile.other_doors", "sweep {file}"),),
    "scenario": (("tests.hostile.other_doors", "scenario {file}"),),
    "symbols": (("tests.hostile.other_doors", "symbols {file}"),),
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


def of_session(*modules):
    """Returns the commands of some modules that read a session."""
    return [command for command in COMMANDS["session"] if command[0].endswith(modules)]


# the part of a session that a change is in -> the commands that read it, where not all do
READ_BY = {
    "resume": [("tests.hostile.other_doors", "resume {file} {seed}")],
    "funnel.json": of_session("train", "funnel", "other_doors"),
    "archive/index.json": of_session("train", "archive", "other_doors"),
}


def commands_for(kind, name):
    """Returns the commands that read a file, by its kind and by what is wrong with it."""
    parts = READ_BY if kind == "session" else {}
    return parts.get(name.split(",")[0], COMMANDS[kind])
