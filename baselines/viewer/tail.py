"""The lines added to a session's file, a bounded number of them at a time."""

from collections.abc import Callable, Iterator
from pathlib import Path
from time import thread_time
from typing import Any

from emerald_env.files.data import DataError, check_no_links, open_regular, parse_line

MAX_LINE_BYTES = 4 << 20  # bytes
KNOWN_BYTES = 4096  # before the offset, by which a file is known again
SECONDS = 0.5  # of processor time; the page asks again


class Tail:
    """Reads the lines added to a file since the last call.

    Args:
        path: the file; there may be none yet.
        folder: the session's, in which no links are followed.
        kind: what each line must be, see `fits`.

    Attributes:
        bad: lines that were something else.
        more: whether lines are left for the next call.
    """

    def __init__(self, path: Path, folder: Path, kind: Any) -> None:
        self.path, self.bad, self.more = path, 0, False
        self._folder, self._kind = folder, kind
        self._offset = 0
        self._known = b""  # the last bytes before it

    def new_lines(self, restart: Callable[[], None]) -> Iterator[dict[str, Any]]:
        """Yields new lines, until they have taken `SECONDS` of processor time.

        Args:
            restart: called if what was read is no longer in the file, or the file is gone: all
                lines are new then. A resumed run cuts a file and writes other lines to it.
        """
        try:
            check_no_links(self._folder, self.path)
            with open_regular(self.path) as file:
                self._seek(file, restart)
                yield from self._read(file)
        except (OSError, DataError):
            self.more = False
            if self._offset:
                self._start_over(restart)

    def _seek(self, file: Any, restart: Callable[[], None]) -> None:
        file.seek(self._offset - len(self._known))
        if file.read(len(self._known)) != self._known:
            self._start_over(restart)
            file.seek(0)

    def _start_over(self, restart: Callable[[], None]) -> None:
        self._offset, self._known, self.bad = 0, b"", 0
        restart()

    def _read(self, file: Any) -> Iterator[dict[str, Any]]:
        began, self.more = thread_time(), True
        while True:
            line = file.readline(MAX_LINE_BYTES)
            if not line.endswith(b"\n") and len(line) < MAX_LINE_BYTES:
                self.more = False  # nothing, or a line that is still being written
                return
            self._offset += len(line)
            self._known = (self._known + line[-KNOWN_BYTES:])[-KNOWN_BYTES:]
            values = parse_line(line, self._kind)
            if values is not None:
                yield values
            else:
                self.bad += bool(line.strip())
            if thread_time() - began > SECONDS:
                return
