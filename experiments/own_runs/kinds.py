"""The ten kinds of healthy runs, and the faults of their twins: tables of flags."""

from dataclasses import dataclass
from pathlib import Path

FAULTS = Path(__file__).with_name("faults.py")
ALONE = ("--explore", "0")  # neither exploring, nor practice, nor advice
SESSION = "SESSION"  # in a kind's flags: the session of the kind that it begins with


@dataclass(frozen=True)
class Kind:
    """A kind of healthy run.

    Args:
        flags: of `emerald train`.
        begins_with: the kind whose weights it begins with.
        resumed: how often it is resumed on the way.
    """

    flags: tuple[str, ...] = ()
    begins_with: str | None = None
    resumed: int = 0


@dataclass(frozen=True)
class Twin:
    """A run like a kind's with one fault.

    Args:
        kind: its healthy twin's.
        flags: more of `emerald train`.
        at: share of the run at which the fault begins.
    """

    kind: str
    flags: tuple[str, ...]
    at: float = 0.0


KINDS = {
    "default": Kind(),
    "explore 0": Kind(ALONE),
    "init-from": Kind((*ALONE, "--init-from", SESSION), begins_with="explore 0"),
    "recurrent": Kind((*ALONE, "--recurrent")),
    "masks": Kind((*ALONE, "--action-masks")),
    "practice": Kind(("--explore", "0.1", "--practice", "0.5", "--advice", "0")),
    "advice": Kind(("--explore", "auto", "--practice", "0", "--advice", "0.5")),
    "Ray": Kind((*ALONE, "--ray", "--actors", "1")),
    "bf16": Kind((*ALONE, "--bf16")),
    "resumed three times": Kind(ALONE, resumed=3),
}


def _wrapper(name: str) -> tuple[str, str]:
    return ("--wrapper", f"{FAULTS}:{name}")


TWINS = {
    "learning rate x 30": Twin("init-from", ("--learning-rate", "0.03")),
    "negative entropy": Twin("masks", ("--ent-coef", "-0.3")),
    # train refuses 0 itself
    "value clip 0": Twin("recurrent", ("--clip-range-vf", "1e-9")),
    "reward farm": Twin("explore 0", ("--reward", f"{FAULTS}:farmed")),
    "frozen picture": Twin("explore 0", _wrapper("FrozenPicture")),
    "broken game from the middle on": Twin("explore 0", _wrapper("Hanging"), at=0.5),
    "actions ignored": Twin("recurrent", _wrapper("IgnoredActions")),
}
