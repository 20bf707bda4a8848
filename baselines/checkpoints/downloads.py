"""Somebody's checkpoint at an address: hf://user/name on the Hugging Face Hub, or https://.

A download is a stranger's file: it is kept by its hash, and then read as any other checkpoint.
"""

import hashlib
import http.client
import re
import urllib.request
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as OutOfTime
from email.message import Message
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import IO, Final
from urllib.parse import urlsplit

from emerald_env.files.atomic import write_atomically
from emerald_env.files.data import MEBIBYTE, read_bytes
from emerald_env.files.installing import install_command
from emerald_env.files.package_version import cache_folder
from emerald_env.files.printable import printable, say

HUB, WEB = "hf://", "https://"
AGENT: Final = "agent.zip"  # in a repository of the Hub
MAX_BYTES: Final = 512 * MEBIBYTE
MAX_REDIRECTS, SECONDS = 5, 30  # seconds without a byte
MAX_SECONDS: Final = 600.0  # of a whole download
DIGEST: Final = re.compile("(?:sha256=)?([0-9a-f]{64})", re.IGNORECASE)  # after "#"


class DownloadError(OSError):
    """An address cannot be used; the message is one line and says why."""


def is_address(name: str) -> bool:
    """Returns whether a checkpoint's name is an address."""
    return name.startswith((HUB, WEB))


@cache
def download(address: str) -> Path:
    """Returns the file at an address, as `<SHA-256>.zip` in the user's cache folder.

    Args:
        address: hf://user/name, whose agent.zip is meant, or hf://user/name/FILE; or https://,
            with #sha256=... for a file that must have this hash, which is loaded only once.

    Raises:
        DownloadError: there is no such file, it is too large or slow, or has another hash; or what
            stands after # is none.
        OSError: it cannot be kept.
    """
    address, mark, digest = address.partition("#")
    wanted = _wanted(address, digest) if mark else ""
    path = _kept_at(wanted)
    if not (wanted and path.is_file() and _digest(read_bytes(path, MAX_BYTES)) == wanted):
        content = _in_time(_from_hub if address.startswith(HUB) else _from_web, address)
        path = _kept_at(found := _digest(content))
        if wanted not in ("", found):
            raise DownloadError(f"{printable(address)} has the SHA-256 {found}, not {wanted}")
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content)
        say(f"downloaded {printable(address)}: {len(content):,} bytes, SHA-256 {found}")
    return path


def _wanted(address: str, digest: str) -> str:
    """Returns the SHA-256 that the end of an address demands, in lower case."""
    found = DIGEST.fullmatch(digest)
    if found is None:
        raise DownloadError(
            f"cannot download {printable(address)}: after # stands {printable(digest)!r}, not "
            "sha256= and 64 hexadecimal digits: complete it, or leave it and the # out"
        )
    return found[1].lower()


def repository(address: str) -> tuple[str, str]:
    """Returns the repository and the file that an hf:// address names.

    Raises:
        DownloadError: it names none.
    """
    user, _, rest = address.removeprefix(HUB).partition("/")
    name, _, file = rest.partition("/")
    if not (address.startswith(HUB) and user and name):
        raise DownloadError(f"{printable(address)} is no address of the Hub: give hf://user/name")
    return f"{user}/{name}", file or AGENT


def check_hub() -> None:
    """Raises DownloadError unless huggingface_hub is installed."""
    if find_spec("huggingface_hub") is None:
        raise DownloadError(f"hf:// needs more packages: {install_command('hub')}")


def hub_errors() -> tuple[type[Exception], ...]:
    """Returns what the Hub's client raises: its HTTP library's errors too, whichever that is."""
    from huggingface_hub.errors import HfHubHTTPError

    http, system = HfHubHTTPError.__bases__
    return http, system, ValueError


def _in_time(read: Callable[[str], bytes], address: str) -> bytes:
    """Returns what is read from an address, unless that takes too long altogether.

    It is read in a thread: a server can drip at any point, in TLS and in the headers too.
    """
    future = Future[bytes]()

    def settle() -> None:
        try:
            future.set_result(read(address))
        except BaseException as error:
            future.set_exception(error)

    Thread(target=settle, daemon=True).start()
    try:
        return future.result(MAX_SECONDS)
    except OutOfTime:
        raise DownloadError(
            f"{printable(address)} was not complete after {MAX_SECONDS:g} seconds: its server is "
            "slow, or keeps us waiting; try again, or give a file of this machine"
        ) from None


def _from_hub(address: str) -> bytes:
    check_hub()
    from huggingface_hub import get_hf_file_metadata, hf_hub_download, hf_hub_url

    name, file = repository(address)
    try:
        _check_size(get_hf_file_metadata(hf_hub_url(name, file)).size or 0)
        return read_bytes(Path(hf_hub_download(name, file)), MAX_BYTES)
    except hub_errors() as error:
        raise failed("download", address, error) from error


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to https alone, and names another host."""

    max_redirections = MAX_REDIRECTS

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> urllib.request.Request | None:
        """Returns the request for the new address."""
        if not newurl.startswith(WEB):
            raise DownloadError(f"it redirects to {printable(newurl)}, which is not https")
        if urlsplit(newurl).netloc != urlsplit(req.full_url).netloc:
            say(f"redirected to {printable(urlsplit(newurl).netloc)}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


def _from_web(address: str) -> bytes:
    try:
        with urllib.request.build_opener(_Redirects).open(address, timeout=SECONDS) as answer:
            _check_size(int(answer.headers.get("Content-Length") or 0))
            content: bytes = answer.read(MAX_BYTES + 1)
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise failed("download", address, error) from error
    _check_size(len(content))
    return content


def _check_size(size: int) -> None:
    if size > MAX_BYTES:
        most = MAX_BYTES // MEBIBYTE
        raise DownloadError(f"it has {size:,} bytes, more than the {most} MiB of a checkpoint")


def failed(what: str, address: str, error: Exception) -> DownloadError:
    """Returns an error as one line."""
    first = (str(error).strip() or type(error).__name__).splitlines()[0]
    return DownloadError(f"cannot {what} {printable(address)}: {printable(first, 300)}")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _kept_at(digest: str) -> Path:
    folder = cache_folder() / "downloads"
    return folder / f"{digest}.zip"
