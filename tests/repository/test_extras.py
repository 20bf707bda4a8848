"""Commands need no more packages than they use, and say from where to install the rest."""

import subprocess
import sys
from pathlib import Path

import pytest

from baselines.commands.emerald import COMMANDS, NEEDED
from emerald_env.files import installing

ROOT = Path(__file__).resolve().parents[2]
# the packages that come with each extra alone, as far as commands import them
PLAY = {"imageio", "imageio_ffmpeg", "PIL", "pygame"}
WATCH = {"starlette", "uvicorn", "isal", "cv2", "imageio", "imageio_ffmpeg", "PIL"}
TRAIN = {
    "torch", "stable_baselines3", "sb3_contrib", "tensorboard", "safetensors", "picklescan",
    "scipy", "matplotlib", "wandb", "ray", "optuna", "tqdm",
}  # fmt: skip
HAS = {"": set(), "play": PLAY, "watch": WATCH}
IMPORT = """
import sys
from importlib import import_module
gone = set(sys.argv[2].split())
class Gone:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in gone:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Gone())
for module in sys.argv[1].split():
    import_module(module)
"""
MODULES = {  # what commands import late
    "watch": ["baselines.viewer.server"],
    "play": ["baselines.commands.play.human_play"],
}


@pytest.mark.parametrize("extra", HAS)
def test_a_command_loads_with_the_extra_that_it_names_alone(extra):
    modules = [
        f"baselines.commands.{module}" for module, needs, _ in COMMANDS.values() if needs == extra
    ]
    gone = (TRAIN | PLAY | WATCH) - HAS[extra]
    modules += MODULES.get(extra, [])
    command = [sys.executable, "-c", IMPORT, " ".join(modules), " ".join(gone)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_only_commands_with_a_network_need_the_packages_of_training():
    needing = {name for name, (_, needs, _) in COMMANDS.items() if needs == "train"}
    assert needing == {
        "train", "sweep", "play", "evaluate", "benchmark", "probe", "compare", "checkpoint",
        "share",
    }  # fmt: skip
    assert {needs for _, needs, _ in COMMANDS.values() if needs} == NEEDED.keys()


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("file:///tmp/a%20b/x.whl", "-m pip install '/tmp/a b/x.whl[play]'"),
        ("https://host/x.whl", "'pokemon-emerald-agent[play] @ https://host/x.whl'"),
        (None, "'FILE[play]', where FILE is the .whl or .tar.gz that you installed"),
    ],
)
def test_extras_come_from_the_file_at_hand(monkeypatch, tmp_path, url, expected):
    monkeypatch.setattr(installing, "CHECKOUT", tmp_path)
    monkeypatch.setattr(installing, "installed_from", lambda: url)
    assert installing.install_command("play").endswith(expected)


def test_extras_of_a_checkout_come_from_the_checkout():
    assert installing.install_command("play").endswith(f" -m pip install -e '{ROOT}[play]'")


def test_nobody_is_told_to_install_a_name_that_anybody_could_take():
    names = ["README.md", "docs", "baselines", "emerald_env", "rewards", "CONTRIBUTING.md"]
    command = ["git", "grep", "-nE", r"pip install [^@]*pokemon-emerald-agent", "--", *names]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == ""
