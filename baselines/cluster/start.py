"""Starting Ray, or joining a running cluster."""

import logging
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from typing import Any

import psutil

from baselines.settings.train_config import LOCAL
from emerald_env.files.data import MEBIBYTE
from emerald_env.files.installing import install_command

NO_RAY = """\
--ray and sweeps need Ray: {install}. If pip finds none for this \
Python ({version}), Ray has no wheel for it yet: use the newest Python for which \
https://pypi.org/project/ray lists one, or leave --ray out"""
# Read when Ray is imported: 0 makes it listen on the loopback interface only
OTHER_MACHINES = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
# Makes Ray's constant background work rarer, which is enough on one machine
CALM = {
    "RAY_prestart_worker_first_driver": "0",  # each looks for signals 100 times a second
    "RAY_num_workers_soft_limit": "0",  # that are kept without work
    "RAY_raylet_report_resources_period_milliseconds": "1000",
    "RAY_raylet_check_gc_period_milliseconds": "1000",
    "RAY_memory_monitor_refresh_ms": "1000",
    "RAY_enable_metrics_collection": "0",
    "RAY_event_stats": "0",
    "RAY_LOG_MONITOR_MANY_FILES_THRESHOLD": "0",
    "LOG_NAME_UPDATE_INTERVAL_S": "2",  # for new files; lines of known ones come as fast as ever
}
ATTEMPTS = 3  # to start Ray; each may take half a minute
MAX_FOLDER_LENGTH = 40  # characters; it contains Ray's sockets, whose paths must stay below 108


def import_ray() -> Any:
    """Returns Ray, with its telemetry off.

    Raises:
        ValueError: it is not installed.
    """
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # avoids an irrelevant warning
    # with Ray's default, 15, actors get next to nothing on a machine that is otherwise busy
    os.environ.setdefault("RAY_worker_niceness", "0")
    if find_spec("ray") is None:
        version = ".".join(map(str, sys.version_info[:2]))
        raise ValueError(NO_RAY.format(version=version, install=install_command("ray")))
    import ray

    return ray


@contextmanager
def running(
    address: str, object_bytes: int = 512 * MEBIBYTE, cpus: int | None = None
) -> Iterator[Any]:
    """Starts Ray on this machine, or joins a cluster; yields Ray, and leaves it at the end.

    A cluster on this machine listens on the loopback interface only, has no dashboard, and ends
    with this process, however that ends. Actors' output appears on this console.

    Args:
        address: LOCAL, or that of a cluster's head, as `ray start --head` prints it.
        object_bytes: shared memory of a cluster on this machine.
        cpus: of this machine that Ray may use; None: all.

    Raises:
        ValueError: Ray is not installed, or there is no cluster at the address.
    """
    if address == LOCAL and "ray" not in sys.modules:
        os.environ[OTHER_MACHINES] = "0"
    ray = import_ray()
    if ray.is_initialized():  # its starter also ends it
        yield ray
        return
    before = signal.getsignal(signal.SIGTERM)
    folder = session_folder() if address == LOCAL else None
    try:
        if folder is not None:
            start_here(ray, folder, object_bytes, cpus)
        else:
            join(ray, address)
        yield ray
    finally:
        ray.shutdown()
        signal.signal(signal.SIGTERM, before)  # Ray takes it over
        if folder is not None:
            rmtree(folder, ignore_errors=True)


def session_folder() -> Path:
    """Returns a new folder for Ray's sockets and logs, whose path is short enough for a socket."""
    usual = tempfile.gettempdir()
    return Path(
        tempfile.mkdtemp(prefix="ray", dir=usual if len(usual) < MAX_FOLDER_LENGTH else "/tmp")
    )


def start_here(ray: Any, folder: Path, object_bytes: int, cpus: int | None) -> None:
    """Starts a cluster on this machine alone.

    Raises:
        OSError: it repeatedly does not start: the machine is far too busy.
    """
    others = children()
    os.environ.update(CALM)
    for attempt in range(ATTEMPTS):
        try:
            ray.init(
                address=LOCAL,
                num_cpus=cpus,
                include_dashboard=False,
                _temp_dir=str(folder),
                object_store_memory=object_bytes,
                logging_level=logging.WARNING,
            )
            return
        except Exception as error:  # Ray raises nothing more specific after half a minute
            ray.shutdown()
            for process in children() - others:  # of which a failed start leaves some
                with suppress(psutil.NoSuchProcess):
                    process.kill()
            if attempt + 1 == ATTEMPTS:
                raise OSError(f"Ray does not start on this machine: {error}") from error


def children() -> set[psutil.Process]:
    """Returns the processes that this one has started and that still run."""
    return set(psutil.Process().children())


def join(ray: Any, address: str) -> None:
    """Joins a running cluster.

    Raises:
        ValueError: there is none at this address.
    """
    try:
        ray.init(address=address, logging_level=logging.WARNING)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ValueError(
            f"no Ray cluster can be reached at {address} ({str(error).splitlines()[0]}): start one "
            "with   ray start --head   and its other machines with   ray start --address ADDRESS"
        ) from error
