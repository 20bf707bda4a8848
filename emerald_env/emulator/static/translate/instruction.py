"""One instruction: where it stands, and translated."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from emerald_env.emulator.static.translate.place import CodePlace


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


@dataclass(frozen=True)
class Placed:
    """An instruction where it stands.

    Attributes:
        is_word: whether it has 32 bits, rather than 16.
        op: its word or half-word.
        here: its address.
        paid: cycles of the instructions before it that `left` does not know of yet.
        place: the waits.
        literal: what an address holds; None: it is not constant.
        elsewhere: whether it was seen to load or store in other memory than the core's.
    """

    is_word: ClassVar[bool]
    op: int
    here: int
    paid: int
    place: CodePlace
    literal: Callable[[int], int | None]
    elsewhere: bool = False

    @property
    def seq(self) -> int:
        """Cycles that a fetch right behind the last one waits."""
        return self.place.seq32 if self.is_word else self.place.seq16

    @property
    def non(self) -> int:
        """Cycles that any other fetch waits."""
        return self.place.non32 if self.is_word else self.place.non16

    @property
    def leaving(self) -> str:
        """The last arguments of what may leave."""
        return f"{self.here:#x}u, {self.paid}"

    @property
    def reach(self) -> str:
        """The end of the name of a load's or a store's macro."""
        return "_ANYWHERE" if self.elsewhere else ""

    @property
    def jump_cycles(self) -> int:
        """Cycles of a jump."""
        return 3 + 2 * self.seq + self.non

    def plain(self, text: str, more: int = 0) -> Instruction:
        """Returns an instruction behind which the next fetch is sequential."""
        cycles = 1 + self.seq + more
        return Instruction(text, cycles, cycles)

    def apart(self, text: str, most: int, known: int = 0) -> Instruction:
        """Returns one behind which it is not."""
        cycles = 1 + self.non + known
        return Instruction(text, cycles, cycles + most)

    def slow(self) -> Instruction:
        """Returns what the interpreter does."""
        return Instruction(f"LEAVE({self.leaving})", 0, 0, ends=True)
