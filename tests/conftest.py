"""What several test files share."""

import multiprocessing
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from emerald_env.emulator import GBA
from emerald_env.game.editions import JADE_IDLE_LOOP, JADE_ROM
from emerald_env.parallel import worker_process

ROOT = Path(__file__).resolve().parents[1]
# Tests run side by side, and their networks are small: more threads of torch wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
multiprocessing.get_context("forkserver").set_forkserver_preload(["baselines.training.phases"])
settings.register_profile("busy machines", deadline=None)  # an example may have to wait for a core
settings.load_profile("busy machines")


@pytest.fixture(scope="session", autouse=True)
def temporary_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What programs under test leave in the folder for temporary files goes where pytest's goes."""
    with pytest.MonkeyPatch.context() as patch:
        folder = str(tmp_path_factory.mktemp("temporary"))
        patch.setenv("TMPDIR", folder)
        patch.setattr(tempfile, "tempdir", folder)
        yield


@pytest.fixture
def forked_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers are forked from a process that has loaded what they need, which saves a second."""
    monkeypatch.setattr(worker_process, "START_METHOD", "forkserver")


@pytest.fixture(scope="module", autouse=True)
def usually_forked_workers(request: pytest.FixtureRequest) -> Iterator[None]:
    """Forks workers wherever their starts and ends are not what is tested."""
    with pytest.MonkeyPatch.context() as patch:
        if request.path.name not in ("test_vec_env.py", "test_chaos.py"):
            patch.setattr(worker_process, "START_METHOD", "forkserver")
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference material that lies beside some checkouts."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("the folder of reference material is not beside this checkout")
    return folder


@pytest.fixture
def jade() -> Iterator[GBA]:
    """The built-in game, just switched on."""
    with GBA(JADE_ROM, idle_loop=JADE_IDLE_LOOP) as gba:
        yield gba
