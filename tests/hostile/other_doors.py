"""What no command reads by itself alone, as a command: `main(["page", FOLDER])`."""

from importlib import import_module
from pathlib import Path
from zlib import crc32

from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from emerald_env.emulator import RomError
from emerald_env.files.printable import say

SHARES = 6  # of the resume files that are accepted, one is trained: by that many seeds all are
PATHS = ("world", "map/0.9.png", "map.png", "layer?name=visits", "layer?name=archive", "run")


def page(folder):
    """Asks the page for all that it shows of a session; it never answers with an error."""
    client = import_module("starlette.testclient").TestClient
    sessions = import_module("baselines.viewer.folder").Sessions
    make_app = import_module("baselines.viewer.server").make_app
    client = client(make_app(sessions(folder.parent)), base_url="http://localhost")
    paths = [f"/s/{folder.name}/{path}" for path in (*PATHS, "damage")]
    for path in ["/", "/sessions", *paths]:
        assert client.get(path).status_code < 500, path


def resume(folder, seed):
    """Reads what a run resumes from; trains if it is accepted and in the seed's share."""
    (path,) = (folder / "checkpoints").glob("*.resume")
    read = import_module("baselines.checkpoints.resume").read_run_state
    read(path, path.with_suffix(".zip"))
    if (crc32(path.read_bytes()) - int(seed)) % SHARES == 0:
        train = import_module("baselines.commands.learn.train").main
        return train(["--resume", str(folder), "--total-timesteps", "3232"])
    return 0


def sweep(path):
    """Reads a sweep's plan."""
    import_module("baselines.cluster.sweep.plan").read_plan(path)


def scenario(path):
    """Reads what pays in a game, and lets it pay; it may be the data that it names as well."""
    module = import_module("emerald_env.env.any_game.scenario")
    value = import_module("emerald_env.env.any_game.watched_values").WatchedValue(0, "|u1")
    try:
        module.read_data(path)
    except ValueError:
        found = module.read_scenario(path, {"x": value, "y": value})
        found({"x": 1, "y": 2}, {"x": 2, "y": 2})
        found.done({"x": 1, "y": 2}, {"x": 2, "y": 2})


def symbols(path):
    """Reads a file of symbols as both of its readers do."""
    rom = Path(import_module("emerald_env.game.editions").JADE_ROM).read_bytes()
    readers = (
        ("emerald_env.emulator.parts.symbol_table", "read_symbol_table", (rom,)),
        ("emerald_env.game.symbol_file", "read_symbols", (len(rom),)),
    )
    for module, name, more in readers:
        try:
            getattr(import_module(module), name)(path, *more)
        except (OSError, ValueError, RomError) as error:
            assert "\n" not in str(error)


DOORS = {"page": page, "resume": resume, "sweep": sweep, "scenario": scenario, "symbols": symbols}


def main(arguments):
    """Opens a file; returns the exit status."""
    name, path, *more = arguments
    try:
        return DOORS[name](Path(path), *more) or 0
    except (OSError, ValueError, RomError, CheckpointError) as error:
        say(f"error: {error}")
        return 1
