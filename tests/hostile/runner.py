"""Runs tries in forks of this process, and keeps what went wrong.

Many tries share a fork, since a fork of a process with all modules loaded takes longer than a try.
Where a try ends its fork, another one takes the next try.
"""

import gc
import json
import os
import resource
import select
import signal
import sys
import tempfile
import traceback
from collections import Counter
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from emerald_env.parallel import worker_process

SECONDS, MEBIBYTES = 10, 500
WAIT = 180  # seconds of a clock on the wall: what waits forever takes no processor time
FAILED = 99  # exit status of a command that raises
GOOD = "good"  # a try with nothing wrong in it: it must succeed
DONE = 0, 4  # the latter: `diagnose` on a run too short to judge
# A folder's name that clears a terminal, and that is no markup of rich's.
ODD_NAME = "\x1b[2J[", "x]"


class Try(NamedTuple):
    """A command that reads a hostile file."""

    kind: str
    name: str
    make: object  # puts the file into a folder and returns its path
    module: str
    flags: str


class Runner:
    """Runs tries.

    Args:
        folder: for temporary files.
        known: paths by the names that flags give them.
        marker: a folder that is made if anything runs.
    """

    def __init__(self, folder, known, marker):
        self.folder, self.known, self.marker = folder, known, marker
        self.log = folder / "log.txt"
        self.tries, self.wrong, self.modules = Counter(), [], set()
        self.seconds = self.mebibytes = 0.0

    def run(self, tries):
        """Runs tries, one after the other."""
        for module in self.modules - sys.modules.keys():
            with suppress(ImportError):
                import_module(module)
        gc.collect()
        gc.freeze()  # a collection would write into every page that forks share
        while tries:
            tries = tries[self._fork(tries) :]

    def _fork(self, tries):
        """Runs tries in one fork until it ends; returns how many have begun."""
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reader)
            self._child(tries, writer)
        os.close(writer)
        count, said = 0, b""
        while count < len(tries):
            if not select.select([reader], [], [], WAIT)[0]:
                os.kill(pid, signal.SIGKILL)
            said += (new := os.read(reader, 1 << 16))
            *lines, said = said.split(b"\n")
            for line in lines:
                self._take(tries[count], **json.loads(line))
                count += 1
            if not new:
                break
        os.close(reader)
        _, status = os.waitpid(pid, 0)
        if count < len(tries):
            problem = f"ended with status {status}"
            self._take(tries[count], [problem], 0.0, 0.0, self._said())
            count += 1
        return count

    def _take(self, tried, problems, seconds, mebibytes, said, modules=()):
        self.modules |= set(modules)
        self.tries[tried.kind] += 1
        self.seconds = max(self.seconds, seconds)
        self.mebibytes = max(self.mebibytes, mebibytes)
        if problems:
            self.report(
                f"{tried.kind}, {tried.name}: {tried.module} {tried.flags}: "
                f"{', '.join(problems)}: {said.strip().splitlines()[-3:]}"
            )

    def report(self, line):
        """Prints and keeps what is wrong."""
        self.wrong.append(line)
        print("WRONG", line, flush=True)

    def _child(self, tries, writer):
        log = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        fork_workers()
        try:
            for tried in tries:
                os.truncate(self.log, 0)
                line = json.dumps(self._try(tried))
                os.write(writer, line.encode() + b"\n")
        except BaseException:
            traceback.print_exc()  # of this file: into the log
        finally:
            os._exit(0)

    def _try(self, tried):
        """Runs a command; returns what it used, what it said, and what was wrong."""
        with tempfile.TemporaryDirectory(prefix=ODD_NAME[0], dir=self.folder) as name:
            work = Path(name) / ODD_NAME[1]
            work.mkdir()
            file = tried.make(work)
            paths = self.known | {"file": file, "out": work / "out.zip", "parent": file.parent}
            arguments = [part.format(**paths) for part in tried.flags.split()]
            memory, time = peak(reset=True), processor_seconds()
            limit = int(time) + 3 * SECONDS
            resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
            status = self._run(tried.module, arguments)
            seconds, mebibytes = processor_seconds() - time, peak() - memory
        said = self._said()
        problems = {
            "a traceback": "Traceback" in said or status == FAILED,
            "processor time": seconds > SECONDS,
            "memory": mebibytes > MEBIBYTES,
            "an escape": "\x1b" in said or "\x07" in said,
            "it ran": self.marker.exists(),
            f"status {status}": tried.name == GOOD and status not in DONE,
        }
        return {
            "problems": [what for what, found in problems.items() if found],
            "seconds": seconds,
            "mebibytes": mebibytes,
            "said": said[-1000:],
            "modules": list(sys.modules) if tried.name == GOOD else [],
        }

    def _run(self, module, arguments):
        """Returns a command's exit status."""
        status = FAILED
        try:
            status = import_module(module).main(arguments)
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 2
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        return status or 0

    def _said(self):
        return self.log.read_text(errors="replace")


def fork_workers():
    """Makes the workers of trainings forks of the trainer.

    A new interpreter for each would take most of a try's time. A fork keeps the pipe open whose end
    it should see, so it is killed at once in place of being waited for.
    """
    worker_process.START_METHOD = "fork"
    worker_process.Worker.stop.__defaults__ = (0.0,)


def processor_seconds():
    """Returns what this process has used so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak(reset=False):
    """Returns the most MiB that this process has had, since the last reset where there was one."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")  # see proc(5)
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
