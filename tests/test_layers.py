"""Imports point one way: each package may import only what stands below it."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# a module's name (or its package's) -> what of ours it may import
ALLOWED = {
    "emerald_env.emulator": {"emerald_env.emulator"},
    "emerald_env.symbols": set(),
    "emerald_env.flags": set(),
    "emerald_env.tables": set(),
    "emerald_env.state": {
        "emerald_env.state",
        "emerald_env.symbols",
        "emerald_env.flags",
        "emerald_env.tables",
    },
    "emerald_env.actions": {"emerald_env.emulator"},
    "rewards": {
        "rewards",
        "emerald_env.state",
        "emerald_env.flags",
        "emerald_env.tables",
        "emerald_env.savefile",
    },
    "baselines.diagnostics": {"baselines.diagnostics"},
    "baselines.learner": {
        "baselines.learner",
        "emerald_env.action_masks",
        "emerald_env.observation",
    },
    "baselines.playing": {"baselines.playing", "emerald_env", "rewards"},
}
OURS = ("emerald_env", "rewards", "baselines")


def imports(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module in OURS:
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return {name for name in names if name.split(".")[0] in OURS}


def sources(module: str) -> list[Path]:
    """The module's files but for its scripts, which stand on top of everything."""
    base = ROOT / module.replace(".", "/")
    found = sorted(base.rglob("*.py")) if base.is_dir() else [base.with_suffix(".py")]
    return [path for path in found if path.is_file() and path.name != "__main__.py"]


@pytest.mark.parametrize("module", ALLOWED)
def test_a_module_imports_only_what_stands_below_it(module):
    for path in sources(module):
        wrong = {
            name
            for name in imports(path)
            if not any(name == ok or name.startswith(ok + ".") for ok in ALLOWED[module])
        }
        assert not wrong, f"{path.relative_to(ROOT)} imports {sorted(wrong)}"


def test_only_the_emulator_package_knows_the_shim():
    for package in OURS:
        for path in sources(package):
            if "emulator" not in path.parts:
                assert "_shim" not in path.read_text(), path


def test_the_env_knows_neither_the_learner_nor_torch():
    heavy = ("torch", "stable_baselines3", "baselines")
    for path in sources("emerald_env"):
        if path.name == "vec_env.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            module = getattr(node, "module", None) if isinstance(node, ast.ImportFrom) else None
            assert not (module and module.split(".")[0] in heavy), path
