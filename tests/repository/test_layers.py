"""Imports point one way, folders can be taken in at a glance, and a name means one thing."""

import ast
import re
import subprocess
import sys
from collections import Counter, defaultdict
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ["emerald_env", "rewards", "baselines", "experiments"]  # lowest first
# The folders of a package, lowest first; those in one row know nothing of each other.
FLOORS = {
    "emerald_env": [
        "files",
        "emulator",
        "jade",
        "game",
        "state",
        "starts watching",
        "env",
        "explorer recordings parallel",
        "wrappers",
    ],
    "baselines": [
        "settings diagnostics",
        "learner exploration games",
        "runs",
        "checkpoints",
        "playing",
        "training viewer",
        "cluster",
        "commands",
    ],
}
# Folders that may import less than their floor allows.
ALLOWED = {
    "emerald_env.state": {"emerald_env.game", "emerald_env.files"},
    "emerald_env.parallel": {"emerald_env.env", "emerald_env.files"},
    "rewards.terms": {
        "emerald_env.state",
        "emerald_env.game",
        "emerald_env.jade.worlds.errand_ways",  # of worlds whose maps are not Emerald's
        "rewards.kinds",
    },
    "baselines.diagnostics": {"emerald_env.files"},
    "baselines.learner": {
        "emerald_env.env",
        "emerald_env.files",
        "emerald_env.parallel.cpu_placement",  # how many threads to use
        "baselines.settings",
    },
    "baselines.exploration": {"emerald_env"},
    "baselines.viewer": {"emerald_env", "baselines.runs", "baselines.exploration"},
}
MAX_ENTRIES = 12
MAX_FILES_WITH_ALL_SETTINGS = 20
MAX_ENTRIES_WITH_DOORS = 14  # in baselines, where the scripts are that users run
# a whole string that is a module's dotted name, with an object in it or without
MODULE_NAME = re.compile(rf"(?:{'|'.join(PACKAGES)})(?:\.\w+)+(?::[\w.]+)?")


def tracked(*patterns: str) -> list[Path]:
    """The files of the repository that match, committed or about to be."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return sorted({ROOT / name for name in done.stdout.splitlines() if (ROOT / name).is_file()})


@cache
def sources(package: str) -> list[Path]:
    return tracked(f"{package.replace('.', '/')}/**.py")


def parts(path: Path) -> tuple[str, ...]:
    return path.relative_to(ROOT).parts


@cache
def imports(path: Path) -> frozenset[str]:
    """The modules of ours that a file imports: anywhere in it, relative ones and strings too."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = list(parts(path)[: -node.level]) if node.level else []
            package = ".".join([*above, *(node.module or "").split(".")]).rstrip(".")
            names |= {meant(package, alias.name) for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names |= {node.value.split(":")[0]} if MODULE_NAME.fullmatch(node.value) else set()
    return frozenset(name for name in names if name.split(".")[0] in PACKAGES)


def meant(package: str, name: str) -> str:
    """`from package import name` means a module of the package, or something in the package."""
    base = ROOT / package.replace(".", "/") / name
    is_module = base.with_suffix(".py").is_file() or (base / "__init__.py").is_file()
    return f"{package}.{name}" if is_module else package


def is_in(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def test_an_import_is_seen_however_it_is_written(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    module = tmp_path / "rewards" / "terms" / "new.py"
    module.parent.mkdir(parents=True)
    module.write_text(
        "def f():\n    import baselines.runs\n    from .. import kinds\n"
        '    "baselines.games.game:f"\n'
    )
    assert imports(module) == {"baselines.runs", "rewards", "baselines.games.game"}


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_nothing_from_those_above_it(package):
    above = PACKAGES[PACKAGES.index(package) + 1 :]
    for path in sources(package):
        back = sorted(name for name in imports(path) if name.split(".")[0] in above)
        assert not back, f"{path.relative_to(ROOT)} imports {back}"


@pytest.mark.parametrize("package", FLOORS)
def test_a_folder_imports_only_from_the_floors_below_it(package):
    floor = {name: n for n, row in enumerate(FLOORS[package]) for name in row.split()}
    folders = {parts(path)[1] for path in sources(package) if len(parts(path)) > 2}
    assert folders == floor.keys(), "FLOORS must list each folder"
    for path in sources(package):
        own = parts(path)[1]
        for name in imports(path) if own in floor else ():
            to = name.split(".")[1] if name.startswith(f"{package}.") else None
            if to in floor and to != own:
                assert floor[to] < floor[own], f"{path.relative_to(ROOT)} imports {name}"


@pytest.mark.parametrize("package", ALLOWED)
def test_some_folders_import_even_less(package):
    allowed = ALLOWED[package] | {package}
    for path in sources(package):
        wrong = sorted(n for n in imports(path) if not any(is_in(n, ok) for ok in allowed))
        assert not wrong, f"{path.relative_to(ROOT)} imports {wrong}"


def test_no_modules_import_each_other_in_a_circle():
    modules = {module_name(path): imports(path) for p in PACKAGES for path in sources(p)}
    graph = {name: set(found) & set(modules) - {name} for name, found in modules.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def product() -> list[Path]:
    """What a wheel installs."""
    return [path for package in PACKAGES[:-1] for path in sources(package)]


def test_a_folder_of_code_can_be_taken_in_at_a_glance():
    entries = defaultdict(set)
    for path in tracked():
        for depth, name in enumerate(parts(path)):
            entries[parts(path)[:depth]].add(name)
    code = {parts(path)[:-1] for path in [*product(), *tracked("jade/**.c", "jade/**.h")]}
    for folder in sorted(code):
        found = [e for e in entries[folder] if not e.startswith(("_", ".")) and e != "py.typed"]
        limit = MAX_ENTRIES_WITH_DOORS if folder == ("baselines",) else MAX_ENTRIES
        assert len(found) <= limit, f"{'/'.join(folder)}: {sorted(found)}"


def test_a_file_name_means_one_thing():
    names = Counter(path.name for path in product() if not path.name.startswith("__"))
    assert not [name for name, count in names.items() if count > 1]


def test_a_class_name_means_one_class():
    names = Counter(
        node.name
        for path in product()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    )
    assert not [name for name, count in names.items() if count > 1]


def test_a_training_hands_on_what_is_needed_and_seldom_all_its_settings():
    holders = [
        path
        for path in sources("baselines")
        if parts(path)[1] != "settings"
        and re.search(r"\bTrainConfig\b|\brun\.config\b", path.read_text())
    ]
    assert len(holders) <= MAX_FILES_WITH_ALL_SETTINGS, [path.name for path in holders]


def test_only_the_emulator_package_knows_the_shim():
    for package in PACKAGES:
        for path in sources(package):
            if "emulator" not in path.parts:
                assert "_shim" not in path.read_text(), path


def test_one_game_needs_neither_torch_nor_sb3():
    heavy = ("torch", "stable_baselines3")
    game = ROOT / "baselines" / "games" / "game.py"
    for path in [
        *sources("emerald_env"),
        *sources("rewards"),
        *sources("baselines.settings"),
        game,
    ]:
        if path.name == "vec_env.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            module = getattr(node, "module", None) if isinstance(node, ast.ImportFrom) else None
            assert not (module and module.split(".")[0] in heavy), path


def test_a_folder_beside_a_script_hides_no_package(tmp_path):
    (tmp_path / "baselines").mkdir()
    (tmp_path / "baselines" / "torch").mkdir()  # as somebody may leave one there
    script = tmp_path / "baselines" / "play.py"
    script.write_text((ROOT / "baselines" / "play.py").read_text())
    for package in ("emerald_env", "rewards"):
        (tmp_path / package).symlink_to(ROOT / package)
    for path in (ROOT / "baselines").iterdir():
        if path != ROOT / "baselines" / "play.py":
            (tmp_path / "baselines" / path.name).symlink_to(path)
    done = subprocess.run([sys.executable, script, "--help"], capture_output=True)
    assert done.returncode == 0, done.stderr


def test_a_command_that_is_asked_for_as_a_module_says_what_to_type():
    command = [sys.executable, "-m", "baselines.watch", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("type  python -m baselines watch\n")


def test_the_flag_may_be_written_together_with_the_modules_name():
    command = [sys.executable, "-mbaselines", "--version"]
    assert subprocess.run(command, capture_output=True, cwd=ROOT).returncode == 0
