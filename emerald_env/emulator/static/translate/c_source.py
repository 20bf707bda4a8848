"""Writes the C of a whole translation."""

import re
from collections import defaultdict

from emerald_env.emulator.static.translate.groups import MARGIN, CodeGroup, blocks

HEAD = """#include "translated.h"
"""
FUNCTION = """
#define OWN_BYTES {own_bytes}
static enum why group_{number}(struct core *q) {{
    const struct place *const place = &place_{number};
{own}    uint32_t {registers};
    VARIABLES
again:
    switch (pc >> 1) {{
{cases}
    }}
    goto elsewhere;
{body}
leave:
    why = MUST_INTERPRET;
elsewhere:
    {stores}
    WRITE_VARIABLES
}}
#undef OWN_BYTES
"""
OWN = """    const uint8_t *const first = q->code + ({first:#x}u & q->mask);
    const uint8_t *const own = first - {MARGIN};
"""
NOTHING_OWN = "    const uint8_t *const own = NULL;\n"
COMPARED = """    static const uint8_t bytes_{at}[] = {{{bytes}}};
    if (memcmp(first + {at}, bytes_{at}, sizeof bytes_{at})) {{
        return MUST_INTERPRET;
    }}
"""


def c_source(groups: list[CodeGroup]) -> str:
    """Returns the whole file."""
    return HEAD + "".join(map(function, groups)) + tables(groups)


def function(group: CodeGroup) -> str:
    """Returns a group's function."""
    lines = []
    found = blocks(group)
    for start, statements in sorted(found.items()):
        lines += [f"at_{start:x}:;", *(f"    {statement}" for statement in statements)]
    body = "\n".join(lines)
    used = sorted({int(n) for n in re.findall(r"\br(\d+)\b", body)})
    cases = "\n".join(f"    case {start >> 1:#x}u: goto at_{start:x};" for start in sorted(found))
    own_bytes = 0
    if group.code.is_written:
        own_bytes = group.addresses[-1] + group.code.size - group.addresses[0] + 2 * MARGIN
    text = FUNCTION.format(
        own_bytes=own_bytes,
        own=NOTHING_OWN if group.code.is_constant else compared(group),
        number=group.number,
        registers=", ".join(f"r{n} = q->r[{n}]" for n in used) or "nothing",
        cases=cases,
        body=body,
        stores=" ".join(f"q->r[{n}] = r{n};" for n in used),
    )
    return (
        f"\nstatic const struct place place_{group.number} = {group.code.place.initialiser()};"
        + text
    )


def compared(group: CodeGroup) -> str:
    """Returns what refuses to run where memory holds other code."""
    first, size = group.addresses[0], group.code.size
    text = OWN.format(first=first, MARGIN=MARGIN)
    runs: list[list[int]] = []
    for address in group.addresses:
        if not runs or address != runs[-1][1]:
            runs.append([address, address])
        runs[-1][1] = address + size
    for start, end in runs:
        at = start - group.code.base
        data = ", ".join(map(str, group.code.memory[at : at + end - start]))
        text += COMPARED.format(at=start - first, bytes=data)
    return text


def tables(groups: list[CodeGroup]) -> str:
    """Returns where the loop finds each group."""
    names = ", ".join(["0", *(f"group_{group.number}" for group in groups)])
    by_region: dict[tuple[bool, int], list[CodeGroup]] = defaultdict(list)
    for group in groups:
        by_region[group.code.thumb, group.code.place.region].append(group)
    text, entries = f"\nstatic group *const groups[] = {{{names}}};\n", []
    for (thumb, region), some in by_region.items():
        name = f"{'thumb' if thumb else 'arm'}_{region}"
        pages = {page: group.number for group in some for page in group.pages}
        table = ", ".join(f"[{page}] = {number}" for page, number in sorted(pages.items()))
        text += f"static const uint16_t {name}_groups[] = {{{table}}};\n"
        text += f"static const struct pages {name} = {{{name}_groups, {max(pages) + 1}, "
        text += f"{some[0].code.place.initialiser()}}};\n"
        entries.append(f"[{int(thumb)}][{region}] = &{name}")
    pages_of = ", ".join(entries)
    return text + (
        '__attribute__((visibility("default"))) const struct translation translation = '
        f"{{sizeof(struct core), groups, {{{pages_of}}}}};\n"
    )
