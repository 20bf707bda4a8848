"""One translated instruction."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Instruction:
    """C for an instruction, and how it goes on.

    Attributes:
        text: statements; what they wait beyond `cycles` they take from `left` themselves.
        cycles: until the next instruction, where it goes on to that.
        most: the same with the longest waits.
        target: where it jumps to, if that is known.
        when: C for whether it jumps; "" if it does always, or never.
        ends: whether nothing goes on behind it.
        jump: cycles of the jump.
    """

    text: str
    cycles: int
    most: int
    target: int | None = None
    when: str = ""
    ends: bool = False
    jump: int = 0
