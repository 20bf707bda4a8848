"""What was found in a file, as values, as JSON, and as a sentence."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Verdict = Literal["dangerous", "suspicious", "innocuous"]
WORST_FIRST: tuple[Verdict, ...] = ("dangerous", "suspicious", "innocuous")
MEANING: dict[Verdict, str] = {
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
    verdict: Verdict


@dataclass(frozen=True)
class PickleReport:
    """What one pickle would import."""

    where: str
    uses: list[Use]
    problem: str | None  # why it could not be parsed to its end

    @property
    def worst(self) -> Verdict:
        """The worst that is known of it."""
        if self.problem is not None:
            return "dangerous"
        found = {use.verdict for use in self.uses}
        return next((verdict for verdict in WORST_FIRST if verdict in found), "innocuous")


@dataclass
class Inspection:
    """Everything in a file; all of its text is printable."""

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
    def worst(self) -> Verdict:
        """The worst verdict on it; what no honest program writes is dangerous."""
        found = {report.worst for report in self.pickles}
        if self.flaws:
            return "dangerous"
        return next((verdict for verdict in WORST_FIRST if verdict in found), "innocuous")

    @property
    def parameters(self) -> int:
        """Numbers in the network."""
        return sum(tensor.numbers for tensor in self.tensors)


def verdict(found: Inspection) -> str:
    """Returns a verdict on a file, as a sentence."""
    if found.flaws:
        return "no honest program writes a file like this: do not open it at all"
    if not found.pickles:
        return "there is no pickle in it: it cannot run anything, with any program"
    meaning = MEANING[found.worst]
    if found.worst == "innocuous":
        return f"its pickled part {meaning}"
    return f"its pickled part {meaning}: never open it with PPO.load"


def as_json(found: Inspection) -> Mapping[str, Any]:
    """Returns everything as JSON values."""
    values = asdict(found)
    for report, pickle in zip(found.pickles, values["pickles"], strict=True):
        pickle["worst"] = report.worst
    return values | {
        "worst": found.worst,
        "verdict": verdict(found),
        "parameters": found.parameters,
    }
