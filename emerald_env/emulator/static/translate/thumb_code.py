"""Thumb instructions in C: the same ones that core/thumb.c does, by the same rules."""

from collections.abc import Callable
from dataclasses import dataclass

from emerald_env.emulator.static.translate.instruction import Instruction, Placed

CONDITIONS = (
    "!(uint32_t) nz",
    "(uint32_t) nz",
    "c",
    "!c",
    "nz < 0",
    "nz >= 0",
    "v < 0",
    "v >= 0",
    "c && (uint32_t) nz",
    "!c || !(uint32_t) nz",
    "(nz < 0) == (v < 0)",
    "(nz < 0) != (v < 0)",
    "(uint32_t) nz && (nz < 0) == (v < 0)",
    "!(uint32_t) nz || (nz < 0) != (v < 0)",
)


@dataclass(frozen=True)
class Thumb(Placed):
    """An instruction of a half-word.

    Attributes:
        linked: what the first half of a long branch, right before this, has put into LR.
    """

    is_word = False
    linked: int | None = None

    @property
    def fetching(self) -> int:
        """What the instruction reads as PC."""
        return self.here + 4

    def low(self, at: int) -> str:
        """Returns the register in three bits."""
        return f"r{self.op >> at & 7}"

    def value(self, number: int) -> str:
        """Returns a register's value."""
        return f"{self.fetching:#x}u" if number == 15 else f"r{number}"

    @property
    def byte(self) -> int:
        """The constant in the low eight bits."""
        return self.op & 0xFF

    def computed_jump(self, before: str, target: str, test: str = "") -> Instruction:
        """Returns a jump to where a register says.

        Args:
            before: statements before it.
            target: the address, in C.
            test: what else must hold.
        """
        cycles = self.paid + self.jump_cycles
        text = f"""{{ uint32_t target = {target} & ~1u;
    LEAVE_UNLESS({test}stays(place, target), {self.leaving})
    {before}JUMPED(target, {cycles}) goto again; }}"""
        return Instruction(text, 0, 0, ends=True)


def shift_constant(i: Thumb) -> Instruction:
    """Shifts by a constant."""
    kind, by, m, d = i.op >> 11, i.op >> 6 & 31, i.low(3), i.low(0)
    if kind == 0:
        carry = f"c = m >> {32 - by} & 1; " if by else ""
        return i.plain(f"{{ uint32_t m = {m}; {carry}MOVE({d}, m << {by}) }}")
    by = by or 32
    as_type = "uint64_t u = m" if kind == 1 else "int64_t u = (int32_t) m"
    return i.plain(
        f"{{ uint32_t m = {m}; {as_type}; c = u >> {by - 1} & 1; MOVE({d}, u >> {by}) }}"
    )


def add_or_sub(i: Thumb) -> Instruction:
    """Adds or subtracts a register or three bits."""
    other = f"{i.op >> 6 & 7}u" if i.op >> 10 & 1 else i.low(6)
    return i.plain(f"{'SUB' if i.op >> 9 & 1 else 'ADD'}({i.low(0)}, {i.low(3)}, {other})")


def with_byte(i: Thumb) -> Instruction:
    """Moves, compares, adds or subtracts a byte."""
    d = i.low(8)
    return i.plain(
        (
            f"MOVE({d}, {i.byte}u)",
            f"SUB(none, {d}, {i.byte}u)",
            f"ADD({d}, {d}, {i.byte}u)",
            f"SUB({d}, {d}, {i.byte}u)",
        )[i.op >> 11 & 3]
    )


ALU = (
    "MOVE({d}, {d} & {m})",
    "MOVE({d}, {d} ^ {m})",
    "SHIFT({d}, lsl, {d}, {m})",
    "SHIFT({d}, lsr, {d}, {m})",
    "SHIFT({d}, asr, {d}, {m})",
    "ADD_CARRY({d}, {d}, {m})",
    "SUB_CARRY({d}, {d}, {m})",
    "SHIFT({d}, ror, {d}, {m})",
    "MOVE(none, {d} & {m})",
    "SUB({d}, 0, {m})",
    "SUB(none, {d}, {m})",
    "ADD(none, {d}, {m})",
    "MOVE({d}, {d} | {m})",
    "MULTIPLY_WAITS({fetching:#x}u, {d}, true, 0) MOVE({d}, {d} * {m})",
    "MOVE({d}, {d} & ~{m})",
    "MOVE({d}, ~{m})",
)
SHIFTS, MULTIPLY = (2, 3, 4, 7), 13


def alu(i: Thumb) -> Instruction:
    """Does arithmetic on two low registers."""
    what = i.op >> 6 & 15
    text = ALU[what].format(d=i.low(0), m=i.low(3), fetching=i.fetching)
    if what == MULTIPLY:
        return i.apart(text, 4 + i.place.late)
    return i.plain(text, what in SHIFTS)


def high_register(i: Thumb) -> Instruction:
    """Adds, compares, moves or branches with one of all registers."""
    what, d, m = i.op >> 8 & 3, (i.op & 7) | (i.op >> 4 & 8), i.op >> 3 & 15
    value = i.value(m)
    if what == 3:
        return exchange(i, value) if not i.op & 0x80 else i.slow()
    if what == 1:
        return i.plain(f"SUB(none, {i.value(d)}, {value})")
    result = f"({i.value(d)} + {value})" if what == 0 else value
    return i.computed_jump("", result) if d == 15 else i.plain(f"r{d} = {result};")


def exchange(i: Thumb, value: str) -> Instruction:
    """Branches to where a register says, perhaps to ARM code."""
    place = i.place
    to_arm = 1 + place.seq16 + 2 + place.non32 + place.seq32
    text = f"""{{ uint32_t value = {value}, target = value & ~1u;
    LEAVE_UNLESS(stays(place, target), {i.leaving})
    if (value & 1) {{ JUMPED(target, {i.paid + i.jump_cycles}) goto again; }}
    JUMPED(target, {i.paid + to_arm}) SWITCHED(false) }}"""
    return Instruction(text, 0, 0, ends=True)


def load_literal(i: Thumb) -> Instruction:
    """Loads a word behind the code."""
    address = (i.fetching & ~3) + 4 * i.byte
    return load(i, i.low(8), f"{address:#x}u", 4, constant=i.literal(address))


def load(
    i: Thumb, d: str, address: str, size: int, sign: bool = False, constant: int | None = None
) -> Instruction:
    """Loads from an address."""
    if constant is not None:
        return i.apart(f"{d} = {constant:#x}u;", 0, 2 + i.place.rom_wait32)
    result = f"(uint32_t) (int{8 * size}_t) got.value" if sign else "got.value"
    text = f"LOAD{i.reach}({d}, {result}, {address}, {size}, {i.fetching:#x}u, {i.leaving})"
    return i.apart(text, i.place.longest)


def store(i: Thumb, value: str, address: str, size: int) -> Instruction:
    """Stores to an address."""
    text = f"STORE{i.reach}({value}, {address}, {size}, {i.fetching:#x}u, {i.leaving})"
    return i.apart(text, i.place.longest)


SUMS = (
    (4, False),
    (2, False),
    (1, False),
    (1, True),
    (4, False),
    (2, False),
    (1, False),
    (2, True),
)


def by_sum(i: Thumb) -> Instruction:
    """Loads or stores at the sum of two registers."""
    what = i.op >> 9 & 7
    (size, sign), address = SUMS[what], f"{i.low(3)} + {i.low(6)}"
    if what < 3:
        return store(i, i.low(0), address, size)
    return load(i, i.low(0), address, size, sign)


def by_offset(i: Thumb) -> Instruction:
    """Loads or stores a constant behind a register."""
    size = {6: 4, 7: 1, 8: 2}[i.op >> 12]
    address = f"{i.low(3)} + {(i.op >> 6 & 31) * size}u"
    if i.op >> 11 & 1:
        return load(i, i.low(0), address, size)
    return store(i, i.low(0), address, size)


def on_stack(i: Thumb) -> Instruction:
    """Loads or stores on the stack."""
    address = f"r13 + {4 * i.byte}u"
    if i.op >> 11 & 1:
        return load(i, i.low(8), address, 4)
    return store(i, i.low(8), address, 4)


def address(i: Thumb) -> Instruction:
    """Sums PC or SP and a constant."""
    base = "r13" if i.op >> 11 & 1 else f"{i.fetching & ~3:#x}u"
    return i.plain(f"{i.low(8)} = {base} + {4 * i.byte}u;")


def several(
    i: Thumb,
    registers: list[int],
    base: str,
    first: str,
    loads: bool,
    after: str,
    jumps: bool = False,
) -> Instruction:
    """Loads or stores registers; `after` is what the base is then."""
    count = len(registers) + jumps
    if not count:
        return i.slow()
    text = (
        f"{{ SEVERAL({base}, {first}, {count}, {int(loads)}, {i.fetching:#x}u, {i.leaving})\n    "
    )
    if jumps:
        text += f"uint32_t target = word_at(at + {4 * count - 4}) & ~1u;\n    "
        text += f"LEAVE_UNLESS(stays(place, target), {i.leaving})\n    "
    wait = f"SEVERAL_WAIT({count}, {int(loads)}, {i.fetching:#x}u) "
    if loads:
        moves = [f"r{register} = word_at(at + {4 * n});" for n, register in enumerate(registers)]
        parts = [wait, *([after, *moves] if base != "r13" else [*moves, after])]
    else:
        moves = [f"put_word(at + {4 * n}, r{register});" for n, register in enumerate(registers)]
        parts = [wait, *moves, after]
    text += " ".join(parts)
    if jumps:
        cycles = i.paid + i.jump_cycles + i.non - i.seq
        return Instruction(text + f" JUMPED(target, {cycles}) goto again; }}", 0, 0, ends=True)
    return i.apart(text + " }", i.place.of_several(count))


def numbers(bits: int) -> list[int]:
    """Returns the numbers of the bits that are set."""
    return [n for n in range(16) if bits >> n & 1]


def stack(i: Thumb) -> Instruction:
    """Pushes, pops, or moves the stack."""
    what = i.op >> 8 & 15
    if what == 0:
        way, by = "-" if i.op & 0x80 else "+", (i.op & 0x7F) << 2
        return i.plain(f"r13 = r13 {way} {by}u;")
    if what in (4, 5):
        registers = numbers(i.byte | (what & 1) << 14)
        size = 4 * len(registers)
        return several(i, registers, "r13", f"r13 - {size}u", False, "r13 = first;")
    if what in (12, 13):
        registers, jumps = numbers(i.byte), bool(what & 1)
        after = f"r13 = base + {4 * (len(registers) + jumps)}u;"
        return several(i, registers, "r13", "r13", True, after, jumps)
    return i.slow()


def multiple(i: Thumb) -> Instruction:
    """Loads or stores registers from another base on."""
    registers, base = numbers(i.byte), i.low(8)
    after = f"{base} = base + {4 * len(registers)}u;"
    return several(i, registers, base, base, bool(i.op >> 11 & 1), after)


def jump(i: Thumb, target: int, when: str = "", before: str = "") -> Instruction:
    """Jumps to a known address, if it does."""
    if not i.place.stays(target):
        if not when:
            return i.slow()
        return i.plain(f"if ({when}) LEAVE({i.leaving})")
    cycles = 1 + i.seq
    return Instruction(before, cycles, cycles, target, when, not when, i.jump_cycles)


def branch_if(i: Thumb) -> Instruction:
    """Branches on a condition."""
    condition = i.op >> 8 & 15
    if condition > 13:
        return i.slow()
    return jump(i, i.fetching + 2 * (i.byte - (i.byte << 1 & 0x100)), CONDITIONS[condition])


def branch(i: Thumb) -> Instruction:
    """Branches always."""
    if i.op >> 11 & 1:
        return i.slow()
    return jump(i, i.fetching + 2 * ((i.op & 0x7FF) - (i.op << 1 & 0x800)))


def long_branch(i: Thumb) -> Instruction:
    """Does one half of a branch with link."""
    low = i.op & 0x7FF
    if not i.op >> 11 & 1:
        return i.plain(f"r14 = {linked(i.op, i.here):#x}u;")
    back = f"r14 = {i.here + 3:#x}u; "
    if i.linked is None:
        return i.computed_jump(back, f"(r14 + {low << 1}u)")
    return jump(i, (i.linked + (low << 1)) & 0xFFFFFFFE, before=back)


def linked(op: int, here: int) -> int:
    """Returns what the first half of a long branch puts into LR."""
    return (here + 4 + (((op & 0x7FF) - (op << 1 & 0x800)) << 12)) & 0xFFFFFFFF


# by the highest four bits
KINDS: tuple[Callable[[Thumb], Instruction], ...] = (
    shift_constant,
    lambda i: add_or_sub(i) if i.op >> 11 & 1 else shift_constant(i),
    with_byte,
    with_byte,
    lambda i: load_literal(i) if i.op >> 11 & 1 else high_register(i) if i.op >> 10 & 1 else alu(i),
    by_sum,
    by_offset,
    by_offset,
    by_offset,
    on_stack,
    address,
    stack,
    multiple,
    branch_if,
    branch,
    long_branch,
)


def translate_thumb(i: Thumb) -> Instruction:
    """Returns an instruction in C."""
    return KINDS[i.op >> 12](i)
