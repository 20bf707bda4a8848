"""The `emerald` command: every other command under one name."""

import sys
from importlib.util import find_spec

from baselines.door import enter

# command -> (module with its `main`, what it does)
COMMANDS = {
    "train": ("cluster.train", "train an agent on many games at once"),
    "watch": ("viewer.run", "see a training in the browser: games, map, curves"),
    "sweep": ("cluster.sweep.command", "compare settings, several seeds each"),
    "play": ("baselines.cli.play", "watch a checkpoint play, or play yourself"),
    "evaluate": ("cluster.evaluate", "measure how well checkpoints play"),
    "diagnose": ("baselines.cli.diagnose", "say what is wrong with a training run"),
    "session": ("baselines.cli.session", "list the sessions"),
    "archive": ("baselines.cli.archive", "show, share or take in states to learn from"),
    "funnel": ("baselines.cli.funnel", "show how far a run's episodes get"),
    "checkpoint": ("baselines.cli.checkpoint", "inspect, convert or export a checkpoint"),
    "replay": ("baselines.cli.replay", "play a recorded episode again and check it"),
    "clip": ("baselines.runs.clips", "make videos of a recording's milestones"),
    "audit": ("rewards.audit.__main__", "find what pays, and what can be farmed"),
    "rescore": ("rewards.rescore.__main__", "score recordings with another reward"),
    "inspect": ("emerald_env.cli.inspect", "show what a save state or save file holds"),
    "doctor": ("emerald_env.cli.doctor", "check this machine, and a ROM"),
}
# package -> (what its commands cannot do without, the extras that bring it)
NEEDED = {
    "baselines.": ("stable_baselines3", "train,play"),
    "cluster.": ("stable_baselines3", "train,play"),
    "viewer.": ("starlette", "train,watch"),
}


def main() -> None:
    """Runs the command that the command line names, or lists them all."""
    name = sys.argv[1] if len(sys.argv) > 1 else "--help"
    if name in ("-h", "--help"):
        show_commands()
        sys.exit(0)
    if name not in COMMANDS:
        known = ", ".join(COMMANDS)
        print(f"error: no command {name!r}: there are {known}", file=sys.stderr)
        sys.exit(1)
    module, _ = COMMANDS[name]
    for package, (needed, extras) in NEEDED.items():
        if module.startswith(package) and find_spec(needed) is None:
            install = f"pip install 'pokemon-emerald-agent[{extras}]'"
            print(f"error: {name} needs more packages: {install}", file=sys.stderr)
            sys.exit(1)
    sys.argv = [f"emerald {name}", *sys.argv[2:]]
    enter(module)


def show_commands() -> None:
    """Prints every command with what it does."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for name, (_, purpose) in COMMANDS.items():
        table.add_row(f"emerald {name}", purpose)
    console = Console(highlight=False)
    console.print(table)
    console.print("\nemerald COMMAND --help shows a command's settings.")
