"""Imports point one way: each package may import only those below it."""

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = [
    "emerald_env",
    "rewards",
    "learner",
    "exploration",
    "diagnostics",
    "baselines",
    "viewer",
    "cluster",
    "experiments",
]  # lowest first
# package -> what of ours it may import, itself aside
ALLOWED = {
    "emerald_env.emulator": set(),
    "emerald_env.game": {"emerald_env.emulator", "emerald_env.files"},
    "emerald_env.files": set(),
    "emerald_env.state": {"emerald_env.game", "emerald_env.files"},
    "emerald_env.env": {
        "emerald_env.emulator",
        "emerald_env.files",
        "emerald_env.game",
        "emerald_env.state",
    },
    "emerald_env.parallel": {"emerald_env.env"},
    "emerald_env.jade": {"emerald_env.emulator", "emerald_env.game"},
    "emerald_env.watching": {
        "emerald_env.emulator",
        "emerald_env.files",
        "emerald_env.game",
        "emerald_env.state",
    },
    "rewards.terms": {"emerald_env.state", "emerald_env.game", "rewards.kinds"},
    "learner": {"emerald_env.env"},
    "exploration": {"emerald_env"},
    "diagnostics": set(),
    "baselines.playing": {"emerald_env", "rewards"},
    "viewer": {"emerald_env", "baselines.runs", "exploration"},
}
MOST_ENTRIES = 12  # at the top of a package, the scripts that users run and dunder files aside


def sources(package: str) -> list[Path]:
    return sorted((ROOT / package.replace(".", "/")).rglob("*.py"))


def imports(path: Path) -> set[str]:
    """The modules of ours that a file imports, inside functions and as text included."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {meant(node.module, alias.name) for alias in node.names}
    return {name for name in names if name.split(".")[0] in PACKAGES}


def meant(package: str, name: str) -> str:
    """`from package import name` means a module of the package, or something in the package."""
    base = ROOT / package.replace(".", "/") / name
    is_module = base.with_suffix(".py").is_file() or any(base.glob("*.py"))
    return f"{package}.{name}" if is_module else package


def is_in(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_imports_nothing_from_those_above_it(package):
    above = PACKAGES[PACKAGES.index(package) + 1 :]
    for path in sources(package):
        back = sorted(name for name in imports(path) if name.split(".")[0] in above)
        assert not back, f"{path.relative_to(ROOT)} imports {back}"


@pytest.mark.parametrize("package", ALLOWED)
def test_a_subpackage_imports_only_what_is_below_it(package):
    allowed = ALLOWED[package] | {package}
    for path in sources(package):
        wrong = sorted(n for n in imports(path) if not any(is_in(n, ok) for ok in allowed))
        assert not wrong, f"{path.relative_to(ROOT)} imports {wrong}"


@pytest.mark.parametrize("package", PACKAGES)
def test_the_top_of_a_package_can_be_taken_in_at_a_glance(package):
    entries = [
        path
        for path in (ROOT / package).iterdir()
        if not path.name.startswith(("_", ".")) and path.name != "py.typed" and is_ours(path)
    ]
    # scripts are what users run; each opens one command
    doors = (
        'enter("baselines.',
        'enter("cluster.',
        'enter("viewer.',
        'run_module("emerald_env.',
    )
    entries = [path for path in entries if not any(door in text_of(path) for door in doors)]
    assert len(entries) <= MOST_ENTRIES, sorted(path.name for path in entries)


def is_ours(path: Path) -> bool:
    """Whether a path holds more than bytecode, which git leaves behind when a package moves."""
    files = path.rglob("*") if path.is_dir() else [path]
    return any(file.is_file() and file.suffix != ".pyc" for file in files)


def text_of(path: Path) -> str:
    return path.read_text() if path.suffix == ".py" else ""


def test_bytecode_left_by_a_moved_package_is_not_an_entry(tmp_path):
    bytecode = tmp_path / "__pycache__" / "gone.cpython-312.pyc"
    bytecode.parent.mkdir()
    bytecode.touch()
    assert not is_ours(tmp_path)
    (tmp_path / "here.py").touch()
    assert is_ours(tmp_path)


def test_no_modules_import_each_other_in_a_circle():
    modules = {module_name(path): imports(path) for p in PACKAGES for path in sources(p)}
    graph = {name: set(found) & set(modules) - {name} for name, found in modules.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def test_only_the_emulator_package_knows_the_shim():
    for package in PACKAGES:
        for path in sources(package):
            if "emulator" not in path.parts:
                assert "_shim" not in path.read_text(), path


def test_one_game_needs_neither_torch_nor_sb3():
    heavy = ("torch", "stable_baselines3")
    for path in [*sources("emerald_env"), *sources("rewards"), ROOT / "baselines" / "envs.py"]:
        if path.name == "vec_env.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            module = getattr(node, "module", None) if isinstance(node, ast.ImportFrom) else None
            assert not (module and module.split(".")[0] in heavy), path


def test_a_folder_beside_a_script_hides_no_package(tmp_path):
    for name in ("diagnose.py", "door.py"):
        (tmp_path / "baselines").mkdir(exist_ok=True)
        (tmp_path / "baselines" / name).write_text((ROOT / "baselines" / name).read_text())
    (tmp_path / "baselines" / "diagnostics").mkdir()  # as an older version leaves it
    for package in ("emerald_env", "rewards", "diagnostics"):
        (tmp_path / package).symlink_to(ROOT / package)
    for path in (ROOT / "baselines").iterdir():
        if path.is_dir():
            (tmp_path / "baselines" / path.name).symlink_to(path)
    script = [sys.executable, str(tmp_path / "baselines" / "diagnose.py"), "--help"]
    assert subprocess.run(script, capture_output=True, timeout=120).returncode == 0
