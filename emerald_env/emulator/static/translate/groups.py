"""Divides executed code into groups, a C function each, and these into blocks."""

from dataclasses import dataclass

from emerald_env.emulator.static.translate.arm_code import Arm, translate_arm
from emerald_env.emulator.static.translate.executed import Code
from emerald_env.emulator.static.translate.instruction import Instruction
from emerald_env.emulator.static.translate.thumb_code import Thumb, linked, translate_thumb

PAGE_BITS = 8  # of core/state.h
MAX_INSTRUCTIONS = 700  # of a group
NEAR = 4  # pages without code that a group may have inside
MAX_CYCLES = 160  # cycles of a block, at most
MARGIN = 16  # bytes behind code in RAM that were fetched with it


@dataclass(frozen=True)
class CodeGroup:
    """Code that becomes one function.

    Attributes:
        number: from 1 on, over all regions.
        code: where it is from.
        addresses: of its instructions, in order.
        labels: where its blocks begin.
    """

    number: int
    code: Code
    addresses: tuple[int, ...]
    labels: frozenset[int]

    @property
    def pages(self) -> set[int]:
        """Numbers of its pages in the region."""
        return {page_of(address) for address in self.addresses}


def page_of(address: int) -> int:
    """Returns the number of an address's page in its region."""
    return (address & 0xFFFFFF) >> PAGE_BITS


def groups_of(codes: list[Code]) -> list[CodeGroup]:
    """Returns all groups of all code."""
    found: list[CodeGroup] = []
    for code in codes:
        for addresses in near_ones(sorted(code.counts)):
            labels = labels_of(code, addresses)
            found.append(CodeGroup(len(found) + 1, code, addresses, labels))
    return found


def near_ones(addresses: list[int]) -> list[tuple[int, ...]]:
    """Returns addresses in parts that share no page, of a few hundred each if they can."""
    parts: list[list[int]] = []
    for address in addresses:
        last = parts[-1] if parts else []
        gap = page_of(address) - page_of(last[-1]) if last else NEAR + 1
        if gap > NEAR or (gap and len(last) >= MAX_INSTRUCTIONS):
            parts.append([])
        parts[-1].append(address)
    return [tuple(part) for part in parts]


def labels_of(code: Code, addresses: tuple[int, ...]) -> frozenset[int]:
    """Returns where blocks begin: at targets of jumps, behind calls, and where code was entered."""
    inside = set(addresses)
    labels = set((code.entries | code.elsewhere) & inside)
    for address in addresses:
        if address - code.size not in inside:
            labels.add(address)
        found = translated(
            code, address, 0, None if not code.thumb else before(code, address, inside)
        )
        behind = address + code.size
        if found.target is not None:
            labels |= {found.target} & inside
        if found.ends or is_call(code, address):
            labels |= {behind} & inside
    return frozenset(labels)


def is_call(code: Code, address: int) -> bool:
    """Returns whether code goes on behind this jump when it returns."""
    op = code.op(address)
    return op >> 11 == 0x1F if code.thumb else op >> 24 & 15 == 11


def before(code: Code, address: int, inside: set[int]) -> int | None:
    """Returns what the first half of a long branch right before has put into LR."""
    first = address - code.size
    if first in inside and code.op(first) >> 11 == 0x1E:
        return linked(code.op(first), first)
    return None


def translated(code: Code, address: int, paid: int, link: int | None = None) -> Instruction:
    """Returns an instruction in C."""
    op, elsewhere = code.op(address), address in code.elsewhere
    if code.thumb:
        return translate_thumb(Thumb(op, address, paid, code.place, code.literal, elsewhere, link))
    return translate_arm(Arm(op, address, paid, code.place, code.literal, elsewhere))


def block(group: CodeGroup, start: int) -> tuple[list[str], set[int]]:
    """Returns a block's statements, and the labels that it makes necessary besides.

    One check covers it: there is time for all its instructions but the last even if each waits as
    long as it can.
    """
    code, inside = group.code, set(group.addresses)
    lines: list[str] = []
    address, paid, most, needed, link = start, 0, 0, 0, None
    while True:
        if address != start and (address in group.labels or address not in inside):
            lines.append(going_to(group, address, paid))
            break
        found = translated(code, address, paid, link)
        needed = most
        most += found.most
        if needed > MAX_CYCLES and address != start:
            lines.append(going_to(group, address, paid, extra=True))
            return [check(start, needed - 0), *lines], {address}
        link = None
        if code.thumb and code.op(address) >> 11 == 0x1E:
            link = linked(code.op(address), address)
        if found.target is not None:
            lines += jump(group, found, paid)
        elif found.text:
            lines.append(found.text)
        if found.ends:
            break
        paid += found.cycles
        address += code.size
    return [check(start, needed), *lines], set()


def check(start: int, needed: int) -> str:
    """Returns what leaves where there may be too little time."""
    return f"if (!LIKELY_TO(left >= {needed})) LEAVE({start:#x}u, 0)"


def going_to(group: CodeGroup, address: int, paid: int, extra: bool = False) -> str:
    """Returns what goes on with the next block."""
    if extra or address in group.labels:
        return f"left -= {paid}; goto at_{address:x};"
    return f"left -= {paid}; pc = {address:#x}u; goto elsewhere;"


def jump(group: CodeGroup, found: Instruction, paid: int) -> list[str]:
    """Returns a jump to a known address."""
    there = f"goto at_{found.target:x};" if found.target in group.labels else "goto elsewhere;"
    text = f"{found.text}JUMPED({found.target:#x}u, {paid + found.jump}) {there}"
    return [f"if ({found.when}) {{ {text} }}" if found.when else text]


def blocks(group: CodeGroup) -> dict[int, list[str]]:
    """Returns all blocks of a group by their addresses."""
    found: dict[int, list[str]] = {}
    todo = sorted(group.labels, reverse=True)
    while todo:
        start = todo.pop()
        if start not in found:
            found[start], more = block(group, start)
            todo += more - found.keys()
    return found
