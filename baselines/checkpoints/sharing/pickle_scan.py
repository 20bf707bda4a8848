"""What the pickles in some bytes would import, found without loading them."""

import io
import logging
import pickletools
import re
from dataclasses import dataclass
from keyword import iskeyword

from picklescan.scanner import Global, scan_pickle_bytes

from baselines.checkpoints.sharing.file_report import Use
from emerald_env.files.printable import printable

PICKLE_START = b"\x80"
TOO_MANY, UNCLEAR = "too many opcodes", "cannot be followed"
BROKEN = "cannot be parsed to its end"  # which matters only if something was imported before
OPCODES = frozenset(opcode.code for opcode in pickletools.opcodes)
IMPORTS = ("GLOBAL", "INST", "STACK_GLOBAL")
EXTENSIONS = ("EXT1", "EXT2", "EXT4")  # import by a number, which an earlier import can define
# as in "os mkdir"; any text has letters that could be opcodes
IMPORTED = re.compile(r"[\w.]+")
NOT_IN_TEXT = re.compile(rb"[\0-\x08\x0e-\x1f\x7f]")
# how a number or string begins that unpicklers may read, and pickletools does not
ODD_ARGUMENT = re.compile(rb"\s*[-+]?0[xXoObB]|['\"]")
UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, OverflowError, MemoryError)

logging.getLogger("picklescan").setLevel(logging.CRITICAL + 1)  # its result says the same


@dataclass(frozen=True)
class PickleScan:
    """What was found in some bytes, whether they are pickles or not."""

    uses: list[Use]
    problem: str | None  # why there could be more in them
    opcodes: int  # that were followed


def scan_pickles(content: bytes, most_opcodes: int) -> PickleScan:
    """Follows the pickles that a program could load from some bytes, one after another.

    Args:
        content: any bytes.
        most_opcodes: that are followed, because picklescan holds them all.
    """
    pickles, problem, opcodes = _split(content, most_opcodes)
    try:
        # one by one: an unpickler begins each with an empty memo, picklescan does not
        scans = [scan_pickle_bytes(io.BytesIO(each), "", False) for each in pickles]
    except ValueError:  # an opcode lacks what it takes from the stack
        return PickleScan([], UNCLEAR, opcodes)
    uses = {
        Use(printable(f"{each.module}.{each.name}", 200), _verdict(each))
        for scan in scans
        for each in scan.globals
        if content.startswith(PICKLE_START)
        or all(map(IMPORTED.fullmatch, (each.module, each.name)))
    }
    problem = None if problem == BROKEN and not uses else problem
    return PickleScan(sorted(uses, key=lambda use: use.name), problem, opcodes)


def _split(content: bytes, most_opcodes: int) -> tuple[list[bytes], str | None, int]:
    """Returns the pickles that import something, a problem, and the number of opcodes."""
    stream = io.BytesIO(content + b"\n")  # an unpickler takes the end for the end of a line
    found, problem, opcodes = [], None, 0
    start = at = 0
    imports = False
    try:
        while at < len(content):
            start, imports = at, False
            for opcode, _, _ in pickletools.genops(stream):
                opcodes, at = opcodes + 1, stream.tell()
                if opcodes > most_opcodes:
                    return [], TOO_MANY, opcodes
                imports |= opcode.name in IMPORTS
                problem = UNCLEAR if opcode.name in EXTENSIONS else problem
            found += [content[start:at]] * imports
    except UNREADABLE:
        found += [content[start:] + b"\n"] * imports
        ended = stream.tell() >= len(content)
        problem = problem or (UNCLEAR if not ended and _may_go_on(content, at) else BROKEN)
    return found, problem, opcodes


def _may_go_on(content: bytes, at: int) -> bool:
    """Returns whether an unpickler may go on where pickletools cannot: it reads more numbers."""
    if content[at : at + 1].decode("latin-1") not in OPCODES:
        return False
    return not _is_text(content) or bool(ODD_ARGUMENT.match(content, at + 1))


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return not NOT_IN_TEXT.search(content)


def _verdict(found: Global) -> str:
    """Returns picklescan's verdict, but dangerous for what is no name.

    In place of a name that was put together oddly it has a number, or "None".
    """
    parts = f"{found.module}.{found.name}".split(".")
    plain = all(part.isidentifier() and not iskeyword(part) for part in parts)
    return found.safety.value if plain else "dangerous"
