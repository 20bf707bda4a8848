"""Jade's C: a unit is a file with its header, and no units include each other in a ring."""

import re
from collections import Counter, defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "jade" / "src"
FILES = sorted(SOURCE.rglob("*.[chs]"))
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def test_a_files_name_occurs_once():
    assert [name for name, n in Counter(path.name for path in FILES).items() if n > 1] == []


def test_an_include_says_where_the_header_lies():
    for path in FILES:
        assert all((SOURCE / name).is_file() for name in INCLUDE.findall(path.read_text())), path


def test_no_units_include_each_other_in_a_ring():
    units = defaultdict(set)
    for path in FILES:
        units[path.stem] |= {Path(name).stem for name in INCLUDE.findall(path.read_text())}
    graph = {unit: included - {unit} for unit, included in units.items()}
    assert graph["battle_turn"] >= {"battle_rules", "message"}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))
