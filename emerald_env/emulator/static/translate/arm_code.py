"""ARM instructions in C: the same ones that core/arm.c does, by the same rules."""

from dataclasses import dataclass

from emerald_env.emulator.static.translate.instruction import Instruction, Placed
from emerald_env.emulator.static.translate.thumb_code import CONDITIONS, numbers

ALWAYS, NEVER = 14, 15


@dataclass(frozen=True)
class Arm(Placed):
    """An instruction of a word."""

    is_word = True

    @property
    def fetching(self) -> int:
        """What the instruction reads as PC."""
        return self.here + 8

    def field(self, at: int) -> int:
        """Returns a register's number."""
        return self.op >> at & 15

    def value(self, number: int, ahead: int = 0) -> str:
        """Returns a register's value; PC may be further `ahead`."""
        return f"{self.fetching + ahead:#x}u" if number == 15 else f"r{number}"

    @property
    def row(self) -> int:
        """Bits 20 to 27."""
        return self.op >> 20 & 0xFF

    @property
    def column(self) -> int:
        """Bits 4 to 7."""
        return self.op >> 4 & 15

    def computed_jump(self, before: str, target: str, more: int = 0) -> str:
        """Returns C that jumps to an address, after the statements before it."""
        return f"""{before}JUMPED({target}, {self.paid + self.jump_cycles + more}) goto again;"""


NAMES = "AND EOR SUB RSB ADD ADC SBC RSC TST TEQ CMP CMN ORR MOV BIC MVN".split()
RESULTS = {
    "AND": "n & m",
    "TST": "n & m",
    "EOR": "n ^ m",
    "TEQ": "n ^ m",
    "SUB": "n - m",
    "CMP": "n - m",
    "RSB": "m - n",
    "ADD": "n + m",
    "CMN": "n + m",
    "ADC": "n + m + c",
    "SBC": "n - m - !c",
    "RSC": "m - n - !c",
    "ORR": "n | m",
    "MOV": "m",
    "BIC": "n & ~m",
    "MVN": "~m",
}
SUM = "c = carry_of_sum(n, m, d); v = ~(n ^ m) & (n ^ d);"
DIFFERENCE = "c = {one} >= {other}; v = ({one} ^ {other}) & ({one} ^ d);"
CARRIED = "c = (uint64_t) {one} >= (uint64_t) {other} + !c; v = ({one} ^ {other}) & ({one} ^ d);"
FLAGS = {
    **dict.fromkeys(("ADD", "ADC", "CMN"), SUM),
    **dict.fromkeys(("SUB", "CMP"), DIFFERENCE.format(one="n", other="m")),
    "RSB": DIFFERENCE.format(one="m", other="n"),
    "SBC": CARRIED.format(one="n", other="m"),
    "RSC": CARRIED.format(one="m", other="n"),
}


def shifted_by_constant(how: int, m: str, by: int) -> tuple[str, str]:
    """Returns value and carry of a register shifted by a constant, in C."""
    if how == 0:
        return f"{m} << {by}", f"{m} >> {32 - by} & 1" if by else "c"
    if how == 1:
        return f"{m} >> {by}" if by else "0u", f"{m} >> {by - 1 & 31} & 1"
    if how == 2:
        return f"(uint32_t) ((int32_t) {m} >> {by or 31})", f"{m} >> {by - 1 & 31} & 1"
    if by:
        return f"rotated({m}, {by})", f"{m} >> {by - 1} & 1"
    return f"(c << 31 | {m} >> 1)", f"{m} & 1"


def operand(i: Arm) -> tuple[str, str, str]:
    """Returns statements, value and carry of the second operand."""
    if i.op >> 25 & 1:
        by = i.op >> 7 & 30
        byte = i.op & 0xFF
        value = (byte >> by | byte << (32 - by)) & 0xFFFFFFFF if by else byte
        return "", f"{value:#x}u", str(value >> 31) if by else "c"
    how, number = i.op >> 5 & 3, i.op & 15
    if not i.op >> 4 & 1:
        return "", *shifted_by_constant(how, i.value(number), i.op >> 7 & 31)
    shift = ("lsl", "lsr", "asr", "ror")[how]
    by_register = f"{i.value(i.field(8))} & 0xFF"
    text = f"struct shifted s = {shift}({i.value(number, 4)}, {by_register}, c); "
    return text, "s.value", "s.carry"


def calculate(i: Arm) -> Instruction:
    """Does an operation of the arithmetic unit, with or without setting the flags."""
    name, sets, d, n = NAMES[i.op >> 21 & 15], i.op >> 20 & 1, i.field(12), i.field(16)
    tests = name in ("TST", "TEQ", "CMP", "CMN")
    if (sets and d == 15) or (tests and not sets):
        return i.slow()
    by_register = not i.op >> 25 & 1 and i.op >> 4 & 1
    before, value, carry = operand(i)
    first = i.value(n, 4 if by_register else 0)
    text = f"{{ {before}uint32_t n = {first}, m = {value}, d = {RESULTS[name]}; (void) n; "
    text += f"uint32_t carry = {carry}; "
    if d == 15 and not tests:
        text += f"d &= ~1u; LEAVE_UNLESS(stays(place, d), {i.leaving}) shifter = carry; "
        return Instruction(
            text + i.computed_jump("", "d", int(by_register)) + " }", 0, 0, ends=True
        )
    text += "shifter = carry; "
    if sets:
        text += f"SET_NZ(d); {FLAGS.get(name, 'c = carry;')} "
    if not tests:
        text += f"r{d} = d; "
    return i.plain(text + "}", int(by_register))


def multiply(i: Arm) -> Instruction:
    """Multiplies to one register, or two."""
    kind, high, low = i.row >> 1, i.field(16), i.field(12)
    m, s = i.value(i.op & 15), i.value(i.field(8))
    adds, long = bool(kind & 1), kind >= 4
    if kind in (2, 3) or high == 15 or (low == 15 and (adds or long)):
        return i.slow()
    sign = int(kind & 2 or not long)
    more = int(adds) + int(long)
    text = f"{{ uint32_t m = {m}, s = {s}; MULTIPLY_WAITS({i.fetching:#x}u, s, {sign}, {more}) "
    if long:
        product = "(uint64_t) ((int64_t) (int32_t) m * (int32_t) s)" if sign else "(uint64_t) m * s"
        text += f"uint64_t d = {product}; uint32_t before = r{high}; "
        text += f"d += r{low}; " if adds else ""
        text += f"r{low} = d; r{high} = (d >> 32)" + (
            " + before; " if adds else "; (void) before; "
        )
        if i.op >> 20 & 1:
            top = "(uint32_t) (d >> 32)" + (" + before" if adds else "")
            text += f"uint32_t top = {top}; nz = (int32_t) top < 0 ? "
            text += f"(int64_t) ((uint64_t) top << 32 | 1) : (top | r{low}) ? 1 : 0; "
    else:
        text += f"r{high} = m * s" + (f" + r{low}; " if adds else "; ")
        if i.op >> 20 & 1:
            text += f"SET_NZ(r{high}); c = shifter & 1; "
    return i.apart(text + "}", 4 + more + i.place.late)


def one(i: Arm, offset: str, size: int, loads: bool, sign: bool = False) -> Instruction:
    """Loads or stores one register."""
    n, d = i.field(16), i.field(12)
    up, before, writes = i.op >> 23 & 1, i.op >> 24 & 1, i.op >> 21 & 1
    kept = bool(writes or not before)
    if (loads and d == 15) or (kept and n == 15):
        return i.slow()
    text = f"{{ uint32_t base = {i.value(n)}, after = base {'+' if up else '-'} ({offset}); "
    address = "after" if before else "base"
    leaving = f"{i.fetching:#x}u, {i.leaving}"
    if loads:
        result = f"(uint32_t) (int{8 * size}_t) got.value" if sign else "got.value"
        text += f"uint32_t d; LOAD{i.reach}(d, {result}, {address}, {size}, {leaving}) "
        text += f"r{n} = after; " if kept else ""
        text += f"r{d} = d; "
    else:
        text += f"STORE{i.reach}({i.value(d, 4)}, {address}, {size}, {leaving}) "
        text += f"r{n} = after; " if kept else ""
    return i.apart(text + "(void) after; }", i.place.longest)


def literal(i: Arm) -> Instruction | None:
    """Returns the load of a constant behind the code, if this is one."""
    if i.field(16) != 15 or i.row & 0x17 != 0x11 or i.row & 0xE0 != 0x40 or i.field(12) == 15:
        return None
    offset = i.op & 0xFFF
    value = i.literal(i.fetching + offset if i.row & 8 else i.fetching - offset)
    if value is None:
        return None
    return i.apart(f"r{i.field(12)} = {value:#x}u;", 0, 2 + i.place.rom_wait32)


def word_or_byte(i: Arm) -> Instruction:
    """Loads or stores a word or a byte."""
    if (constant := literal(i)) is not None:
        return constant
    if i.row & 0x12 == 2:
        return i.slow()
    if i.row & 0x20:
        if i.op >> 4 & 1:
            return i.slow()
        offset, _ = shifted_by_constant(i.op >> 5 & 3, i.value(i.op & 15), i.op >> 7 & 31)
    else:
        offset = f"{i.op & 0xFFF}u"
    return one(i, offset, 1 if i.row & 4 else 4, bool(i.row & 1))


def half_word(i: Arm) -> Instruction:
    """Loads or stores a half-word, or loads with a sign."""
    loads, kind = bool(i.row & 1), i.column
    if not loads and kind != 0xB:
        return i.slow()
    offset = f"{i.op >> 4 & 0xF0 | i.op & 15}u" if i.row & 4 else i.value(i.op & 15)
    return one(i, offset, 1 if kind == 0xD else 2, loads, kind != 0xB)


def several(i: Arm) -> Instruction:
    """Loads or stores several registers."""
    n, registers = i.field(16), numbers(i.op & 0xFFFF)
    count, up, before, loads = len(registers), i.row & 8, i.row & 0x10, bool(i.row & 1)
    if i.row & 4 or n == 15 or not count:
        return i.slow()
    shift = (0 if up else 4 - 4 * count) + (4 if up else -4) * bool(before)
    after = f"base {'+' if up else '-'} {4 * count}u"
    text = f"{{ SEVERAL(r{n}, base + {shift & 0xFFFFFFFF:#x}u, {count}, {int(loads)}, "
    text += f"{i.fetching:#x}u, {i.leaving}) "
    jumps = loads and 15 in registers
    if jumps:
        text += f"uint32_t target = word_at(at + {4 * count - 4}) & ~1u; "
        text += f"LEAVE_UNLESS(stays(place, target), {i.leaving}) "
    text += f"SEVERAL_WAIT({count}, {int(loads)}, {i.fetching:#x}u) "
    for k, register in enumerate(registers):
        if not loads:
            text += f"put_word(at + {4 * k}, {i.value(register, 4)}); "
        elif register != 15:
            text += f"r{register} = word_at(at + {4 * k}); "
    if i.row & 2 and not (loads and n in registers):
        text += f"r{n} = {after}; "
    if jumps:
        text += i.computed_jump("", "target", i.non - i.seq)
        return Instruction(text + " }", 0, 0, ends=True)
    return i.apart(text + "}", i.place.of_several(count))


def branch(i: Arm) -> Instruction:
    """Branches, with or without link."""
    offset = (i.op & 0xFFFFFF) << 2
    target = (i.fetching + offset - (offset << 1 & 0x4000000)) & 0xFFFFFFFF
    if not i.place.stays(target):
        return i.slow()
    link = f"r14 = {i.here + 4:#x}u; " if i.op >> 24 & 1 else ""
    return Instruction(link, 0, 0, target, "", True, i.jump_cycles)


def exchange(i: Arm) -> Instruction:
    """Branches to where a register says."""
    place, cycles = i.place, i.paid + i.jump_cycles
    to_thumb = i.paid + 1 + place.seq32 + 2 + place.non16 + place.seq16
    text = f"""{{ uint32_t value = {i.value(i.op & 15)}, target = value & ~1u;
    LEAVE_UNLESS(stays(place, target), {i.leaving})
    if (!(value & 1)) {{ JUMPED(target, {cycles}) goto again; }}
    JUMPED(target, {to_thumb}) SWITCHED(true) }}"""
    return Instruction(text, 0, 0, ends=True)


def whatever(i: Arm) -> Instruction:
    """Returns an instruction without its condition."""
    group = i.row >> 5
    if group == 5:
        return branch(i)
    if group == 4:
        return several(i)
    if group in (2, 3):
        return word_or_byte(i)
    if group > 5:
        return i.slow()
    if i.row == 0x12 and i.column == 1:
        return exchange(i)
    if group == 0 and i.column & 9 == 9:
        if i.column == 9:
            return multiply(i) if i.row < 0x10 else i.slow()
        return half_word(i)
    return calculate(i)


def translate_arm(i: Arm) -> Instruction:
    """Returns an instruction in C."""
    when = i.op >> 28
    if when == NEVER:
        return i.plain("")
    found = whatever(i)
    if when == ALWAYS:
        return found
    condition, skipped = CONDITIONS[when], 1 + i.seq
    if found.target is not None:
        return Instruction(found.text, skipped, skipped, found.target, condition, False, found.jump)
    more = found.cycles - skipped if not found.ends else 0
    pays = f" left -= {more};" if more else ""
    text = f"if ({condition}) {{ {found.text}{pays} }}"
    return Instruction(text, skipped, max(found.most, skipped))
