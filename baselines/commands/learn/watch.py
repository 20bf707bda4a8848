"""Shows a training in the browser: `emerald watch`."""

import errno
import os
import secrets
import socket
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from baselines.commands.command import reports_user_errors
from baselines.runs.session_folder import Session
from baselines.settings.read_flags import read_flags
from emerald_env.recordings.find_recordings import SESSIONS

if TYPE_CHECKING:
    from baselines.viewer.folder import Sessions

PORTS = range(8050, 8070)
LOW_PRIORITY = 10  # of the system's priorities, 19 the lowest


@dataclass(frozen=True)
class WatchConfig:
    """Show a training in the browser, live or afterwards: the games, the map, the run."""

    session: Annotated[
        str, tyro.conf.Positional, tyro.conf.arg(metavar="[SESSION]", help_behavior_hint="")
    ] = "last"
    """A session: a folder or a name. Left out, or "last": the newest, and any that begins later."""
    sessions: Path = SESSIONS
    """Folder of the sessions."""
    host: str | None = None
    """Address to listen on, for browsers on other machines; the page's address then has a token.
    Left out: this machine only."""
    port: int | None = None
    """Port to listen on. Left out: the first free one from 8050 on."""
    no_browser: bool = False
    """Print the page's address only, and open no browser."""

    def __post_init__(self) -> None:
        """Raises ValueError for an impossible port."""
        if self.port is not None and not 0 <= self.port < 1 << 16:
            raise ValueError(f"port is {self.port}: it must lie between 0 and 65535")


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Serves the page until Ctrl-C; returns the exit status."""
    config = read_flags(WatchConfig, arguments)
    sessions = find(config)
    import uvicorn  # these take long to load: what is wrong with flags is reported before

    from baselines.viewer.connections import settings
    from baselines.viewer.server import make_app

    token = "" if config.host is None else secrets.token_urlsafe(16)
    with listen(config.host or "127.0.0.1", config.port) as listener:
        address = url(listener, token)
        print(f"watch at {address}\nCtrl-C ends this; the training continues", flush=True)
        if not config.no_browser:
            webbrowser.open(address)
        give_way()
        uvicorn.Server(settings(make_app(sessions, token), 1)).run([listener])
    return 0


def give_way() -> None:
    """Runs this process on one thread, at a low priority: the games come first.

    With both cores full it gets a tenth of one while it answers. As an idle process
    (`SCHED_IDLE`) it would get 0.3 %, and a page would wait for minutes; one of `SCHED_BATCH`
    displaces no game when it wakes up.
    """
    import cv2  # slow to load

    cv2.setNumThreads(1)  # to wake others takes longer than to convert a small picture
    os.nice(LOW_PRIORITY)
    if hasattr(os, "SCHED_BATCH"):
        with suppress(OSError):  # a container may forbid it
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def find(config: WatchConfig) -> "Sessions":
    """Returns the sessions to show.

    Raises:
        FileNotFoundError: the named one does not exist.
    """
    from baselines.viewer.folder import Sessions  # slow to load

    if config.session == "last":
        return Sessions(config.sessions)
    folder = Session.find(config.sessions, config.session).folder
    return Sessions(folder.parent, folder.name)


def listen(host: str, port: int | None) -> socket.socket:
    """Returns a listening socket.

    Raises:
        OSError: the address cannot be used, or every port is taken.
    """
    for candidate in PORTS if port is None else [port]:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, candidate))
            listener.listen()  # already now: the browser may be faster than the server
            return listener
        except OSError as error:
            listener.close()
            if error.errno != errno.EADDRINUSE:
                raise OSError(f"cannot listen on {host}: {error.strerror}") from error
    taken = f"port {port}" if port is not None else f"ports {PORTS[0]} to {PORTS[-1]}"
    raise OSError(f"{taken} of {host} are in use: give another with --port")


def url(listener: socket.socket, token: str) -> str:
    """Returns the page's address."""
    host, port, *_ = listener.getsockname()
    shown = own_address() if host in ("0.0.0.0", "::") else host
    shown = f"[{shown}]" if ":" in shown else shown
    return f"http://{shown}:{port}/{token + '/' if token else ''}"


def own_address() -> str:
    """Returns this machine's address in its network, which a phone finds even without its name."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(("192.0.2.1", 9))  # chooses a way there, and sends nothing
        except OSError:
            return socket.gethostname()
        return str(asked.getsockname()[0])
