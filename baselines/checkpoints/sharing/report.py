"""What was found in a file, as values, as JSON, and in a sentence."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from baselines.checkpoints.checkpoint import POLICY
from baselines.checkpoints.sharing.describe import Tensor
from baselines.checkpoints.sharing.names import MEANING, WORST_FIRST, Verdict


@dataclass(frozen=True)
class Member:
    """One file in the zip."""

    name: str
    size: int  # bytes, unpacked
    packed: int  # bytes in the zip
    crc32: str


@dataclass(frozen=True)
class Use:
    """A name that a pickle imports or calls."""

    name: str
    verdict: Verdict
    imported: int  # times
    called: int  # times
    example: str  # the arguments of its first call


@dataclass(frozen=True)
class PickleReport:
    """What one pickle would do."""

    where: str
    uses: list[Use]
    problem: str | None  # why it could not be followed to its end

    @property
    def worst(self) -> Verdict:
        """The worst that is known of it."""
        if self.problem is not None:
            return "dangerous"
        return next((v for v in WORST_FIRST if any(u.verdict == v for u in self.uses)), "usual")


@dataclass
class Inspection:
    """All that is in a file; every text in it can be printed."""

    file: str  # its name, without folders
    size: int
    sha256: str
    kind: str = "no zip"
    flaws: list[str] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    manifest: Any = None  # JSON, None where there is none that can be read
    tensors: list[Tensor] = field(default_factory=list)
    pickles: list[PickleReport] = field(default_factory=list)
    usable: str | None = None  # why this program cannot use it; None: it can

    @property
    def worst(self) -> Verdict:
        """The worst that is known of any pickle in it."""
        return next((v for v in WORST_FIRST if any(p.worst == v for p in self.pickles)), "usual")

    @property
    def parameters(self) -> int:
        """Numbers in the network."""
        # parts that share their numbers are stored once and named several times
        own = {t.storage: t.numbers for t in self.tensors if t.where == POLICY}
        return sum(own.values())


def verdict(found: Inspection) -> str:
    """Returns in a sentence what to think of the pickled parts of a file."""
    if not found.pickles:
        return "there is no pickle in it: it cannot run anything, with any program"
    meaning = MEANING[found.worst]
    if found.worst == "usual":
        return f"its pickled parts hold {meaning}"
    return f"its pickled parts hold what {meaning}: never open it with PPO.load"


def as_json(found: Inspection) -> Mapping[str, Any]:
    """Returns all of it as JSON values."""
    values = asdict(found)
    for report, pickle in zip(found.pickles, values["pickles"], strict=True):
        pickle["worst"] = report.worst
    return values | {
        "worst": found.worst,
        "verdict": verdict(found),
        "parameters": found.parameters,
    }
