"""The `emerald` command: every other command under one name."""

import sys
from difflib import get_close_matches
from importlib.util import find_spec

from baselines.commands.door import enter

# command -> (module with its `main`, a key of NEEDED or "", what it does)
COMMANDS = {
    "train": ("learn.train", "train", "train an agent on many games at once"),
    "watch": ("learn.watch", "watch", "see a training in the browser: games, map, curves"),
    "sweep": ("learn.sweep", "train", "compare settings, several seeds each"),
    "play": ("play.play_game", "train", "watch a checkpoint play, or play yourself"),
    "serve": ("play.serve", "serve", "let a language model play, by the Model Context Protocol"),
    "evaluate": ("play.evaluate", "train", "measure how well checkpoints play"),
    "benchmark": ("check.benchmark", "train", "measure an agent by a fixed protocol, or check"),
    "diagnose": ("learn.diagnose", "", "say what is wrong with a training run"),
    "probe": ("check.probe", "train", "tell a broken learner from a hard game in a minute"),
    "session": ("learn.session", "", "list the sessions"),
    "compare": ("learn.compare", "train", "compare trainings: what differs, what came of it"),
    "archive": ("learn.archive", "", "show, share or take in states to learn from"),
    "funnel": ("learn.funnel", "", "show how far a run's episodes get"),
    "checkpoint": ("play.checkpoint", "train", "inspect, convert or export a checkpoint"),
    "share": ("check.share", "train", "give a checkpoint away, with a verified score"),
    "replay": ("play.replay", "play", "play a recorded episode again and check it"),
    "recording": ("play.recording_sets", "minari", "recordings as Minari data sets, and back"),
    "clip": ("play.clip", "play", "make videos of a recording's milestones"),
    "audit": ("check.audit", "", "find what pays, and what can be farmed"),
    "rescore": ("play.rescore", "", "score recordings with another reward"),
    "jade": ("play.jade_world", "", "make, paint or walk through another world of Jade"),
    "inspect": ("check.inspect_state", "", "show what a save state or save file holds"),
    "translate": ("check.translate", "", "make a ROM run faster: compile what it executes, once"),
    "doctor": ("check.doctor", "", "check this machine, and a ROM"),
}
# what a command needs -> (a package that shows it is installed, the extras that bring it)
NEEDED = {
    "train": ("stable_baselines3", "train,play"),
    "play": ("imageio_ffmpeg", "play"),
    "watch": ("starlette", "watch"),
    "minari": ("minari", "minari"),
    "serve": ("mcp", "train,serve"),
}


def main() -> None:
    """Runs the command that the command line names, or lists them all."""
    name, *flags = sys.argv[1:] or ["--help"]
    if name == "help" and flags:  # `emerald help train`
        name, flags = flags[0], ["--help"]
    if name in ("-h", "--help", "help"):
        show_commands()
        sys.exit(0)
    if name == "--version":
        from emerald_env.files.package_version import package_version

        print(package_version())
        sys.exit(0)
    if name not in COMMANDS:
        near = get_close_matches(name, COMMANDS, 1)
        known = f"did you mean {near[0]}?" if near else f"there are {', '.join(COMMANDS)}"
        print(f"error: no command {name!r}: {known}", file=sys.stderr)
        sys.exit(1)
    module, needs, _ = COMMANDS[name]
    if name == "play" and "--human" in flags:
        needs = "play"
    if needs and find_spec(NEEDED[needs][0]) is None:
        from emerald_env.files.installing import install_command

        more = install_command(NEEDED[needs][1])
        print(f"error: {name} needs more packages: {more}", file=sys.stderr)
        sys.exit(1)
    sys.argv = [f"emerald {name}", *flags]
    enter(f"{__package__}.{module}")


def show_commands() -> None:
    """Prints every command with what it does."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for name, (_, _, purpose) in COMMANDS.items():
        table.add_row(f"emerald {name}", purpose)
    console = Console(highlight=False)
    console.print(table)
    console.print("\nemerald COMMAND --help shows a command's settings; --version this program's.")
