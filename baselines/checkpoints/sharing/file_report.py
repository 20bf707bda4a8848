"""What was found in a file, as values, as JSON, and as a sentence."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

# the verdicts on a pickle, worst first
MEANING = {
    "dangerous": "runs commands or code, or hides what it does",
    "suspicious": "could do anything: only the source of its imports would tell",
    "innocuous": "holds plain values",
}


@dataclass(frozen=True)
class Member:
    """One file in the zip."""

    name: str
    size: int  # bytes, unpacked
    packed: int  # bytes in the zip
    crc32: str


@dataclass(frozen=True)
class Tensor:
    """One of the network's tensors."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    numbers: int


@dataclass(frozen=True)
class Use:
    """A name that a pickle imports."""

    name: str
    verdict: str


@dataclass(frozen=True)
class PickleReport:
    """What one pickle would import."""

    where: str
    uses: list[Use]
    problem: str | None  # why it could not be parsed to its end

    @property
    def worst(self) -> str:
        """The worst that is known of it."""
        return "dangerous" if self.problem else _worst(use.verdict for use in self.uses)


@dataclass
class Inspection:
    """Everything in a file; all of its text is printable, but for the manifest's."""

    file: str  # its name, without folders
    size: int
    sha256: str
    kind: str = "no zip"
    flaws: list[str] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    manifest: Any = None  # JSON, None if it is missing or unreadable
    tensors: list[Tensor] = field(default_factory=list)
    pickles: list[PickleReport] = field(default_factory=list)
    usable: str | None = None  # why this program cannot use it; None: it can

    @property
    def worst(self) -> str:
        """The worst verdict on it; what no honest program writes is dangerous."""
        return "dangerous" if self.flaws else _worst(report.worst for report in self.pickles)

    @property
    def parameters(self) -> int:
        """Numbers in the network."""
        return sum(tensor.numbers for tensor in self.tensors)


def _worst(verdicts: Iterable[str]) -> str:
    return min(verdicts, key=list(MEANING).index, default="innocuous")


def verdict(found: Inspection) -> str:
    """Returns a verdict on a file, as a sentence."""
    if found.flaws:
        return "no honest program writes a file like this: do not open it at all"
    if not found.pickles:
        return "there is no pickle in it: it cannot run anything, with any program"
    advice = "" if found.worst == "innocuous" else ": never open it with PPO.load"
    return f"its pickled part {MEANING[found.worst]}{advice}"


def as_json(found: Inspection) -> dict[str, Any]:
    """Returns everything as JSON values."""
    pickles = [asdict(report) | {"worst": report.worst} for report in found.pickles]
    more = {"worst": found.worst, "verdict": verdict(found), "parameters": found.parameters}
    return asdict(found) | {"pickles": pickles} | more
