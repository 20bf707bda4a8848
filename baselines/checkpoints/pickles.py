"""What a pickle would do, followed opcode by opcode without doing any of it.

A pickle is a program for a small stack machine; some of its opcodes import a name and call it. Here
the program is followed with inert values in place of what it would make. The opcodes are described
in the standard library's `pickletools`.
"""

import io
import pickletools
import struct
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

MOST_OPCODES = 2_000_000
MARK = object()
UNREADABLE = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    EOFError,
    OverflowError,
    MemoryError,
    RecursionError,
    struct.error,
)


@dataclass(frozen=True)
class Name:
    """Something that a pickle imports."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass(frozen=True)
class Reference:
    """Something outside the pickle, such as a tensor's numbers in a file of torch."""

    key: Any


@dataclass(eq=False)
class Call:
    """What a call would return; what is put into that afterwards is kept in `items`."""

    what: Any
    arguments: Any
    items: list[Any] = field(default_factory=list)


@dataclass
class Pickle:
    """All that a pickle would do."""

    imports: list[Name] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    value: Any = None  # what loading would return, inert
    odd_keys: bool = False  # whether anything but a text or a number would be looked up by
    problem: str | None = None  # why it could not be followed to its end

    @property
    def acts(self) -> bool:
        """Whether it would call anything."""
        return bool(self.calls)


def follow(content: bytes) -> Iterator[Pickle]:
    """Yields what each of the pickles that stand one after the other in `content` would do.

    One that cannot be followed to its end is the last; what it would do until there is in it.
    """
    stream, left = io.BytesIO(content), MOST_OPCODES
    while stream.tell() < len(content):
        machine = Machine()
        left -= machine.run(stream, left)
        yield machine.pickle
        if machine.pickle.problem is not None:
            return


class Machine:
    """Pickle's stack machine over inert values."""

    def __init__(self) -> None:
        self.pickle = Pickle()
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}

    def run(self, stream: io.BytesIO, most: int) -> int:
        """Follows one pickle; returns how many opcodes it has."""
        count = 0
        try:
            for opcode, argument, _ in pickletools.genops(stream):
                count += 1
                if count > most:
                    self.pickle.problem = f"it has over {MOST_OPCODES:,} opcodes"
                    break
                self._take(opcode.name, argument)
        except UNREADABLE as error:
            self.pickle.problem = f"after {count} opcodes: {error}"[:200]
        return count

    def _take(self, name: str, argument: Any) -> None:
        action = ACTIONS.get(name)
        if action is not None:
            action(self, argument)
        elif name in CONSTANTS:
            self.push(CONSTANTS[name])
        elif name not in NOTHING:
            self.push(argument)

    def push(self, value: Any) -> None:
        """Puts a value onto the stack."""
        self._stack.append(value)

    def pop(self) -> Any:
        """Takes the last value from the stack."""
        return self._stack.pop()

    def pop_to_mark(self) -> list[Any]:
        """Takes all values back to the last mark, and the mark."""
        values = []
        while (value := self._stack.pop()) is not MARK:
            values.append(value)
        return values[::-1]

    def drop_to_mark(self) -> None:
        """Forgets all values back to the last mark, and the mark."""
        self.pop_to_mark()

    def put(self, index: int | None) -> None:
        """Remembers the last value, by default under the next number."""
        self._memo[len(self._memo) if index is None else index] = self._stack[-1]

    def get(self, index: int) -> None:
        """Puts a remembered value onto the stack."""
        self.push(self._memo[index])

    def import_name(self, module: Any, name: Any) -> Name:
        """Notes an import; a name that is computed while loading cannot be told."""
        known = isinstance(module, str) and isinstance(name, str)
        found = Name(module, name) if known else Name("?", "a name that is computed")
        self.pickle.imports.append(found)
        return found

    def call(self, what: Any, arguments: Any) -> None:
        """Notes a call, and puts what it would return onto the stack."""
        made = Call(what, arguments)
        self.pickle.calls.append(made)
        self.push(made)

    def extend(self, values: list[Any]) -> None:
        """Puts values into the container that is last on the stack."""
        target = self._stack[-1]
        if isinstance(target, Call):
            target.items += values
        elif isinstance(target, list):
            target += values
        else:
            target.update(enumerate(values, len(target)))

    def set_items(self, values: list[Any]) -> None:
        """Puts pairs into the dictionary that is last on the stack."""
        target, pairs = self._stack[-1], list(zip(values[::2], values[1::2], strict=True))
        self.look_up(values[::2])
        if isinstance(target, Call):
            target.items += pairs
        else:
            target.update((key if _hashable(key) else str(type(key)), v) for key, v in pairs)

    def look_up(self, keys: Iterable[Any]) -> None:
        """Notes whether keys are texts and numbers, whose hashes take no time to speak of."""
        self.pickle.odd_keys |= not all(map(_hashable, keys))

    def refer(self, key: Any) -> None:
        """Puts something outside the pickle onto the stack; torch names it by a tuple."""
        self.look_up(key if isinstance(key, tuple) else (key,))
        self.push(Reference(key))


def _hashable(key: Any) -> bool:
    return isinstance(key, str | int | float | bool | bytes | Name | None)


def _dictionary(machine: Machine, _: Any) -> None:
    values = machine.pop_to_mark()
    machine.push({})
    machine.set_items(values)


def _reduce(machine: Machine, _: Any) -> None:
    arguments = machine.pop()
    machine.call(machine.pop(), arguments)


def _build(machine: Machine, _: Any) -> None:
    # calls __setstate__ of what is last on the stack, whatever that is
    state = machine.pop()
    made = machine.pop()
    machine.call(("set the state of", made), state)
    machine.pop()
    machine.push(made)


def _new_with_keywords(machine: Machine, _: Any) -> None:
    keywords, arguments = machine.pop(), machine.pop()
    machine.call(machine.pop(), (arguments, keywords))


def _inst(machine: Machine, argument: str) -> None:
    module, _, name = argument.partition(" ")
    arguments = tuple(machine.pop_to_mark())
    machine.call(machine.import_name(module, name), arguments)


def _obj(machine: Machine, _: Any) -> None:
    what, *arguments = machine.pop_to_mark()
    machine.call(what, tuple(arguments))


def _global(machine: Machine, argument: str) -> None:
    module, _, name = argument.partition(" ")
    machine.push(machine.import_name(module, name))


def _stack_global(machine: Machine, _: Any) -> None:
    name = machine.pop()
    machine.push(machine.import_name(machine.pop(), name))


def _extension(machine: Machine, argument: int) -> None:
    machine.push(machine.import_name("copyreg", f"extension {argument}"))


def _tuple_of(size: int) -> Callable[[Machine, Any], None]:
    def take(machine: Machine, _: Any) -> None:
        machine.push(tuple([machine.pop() for _ in range(size)][::-1]))

    return take


CONSTANTS = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False, "EMPTY_TUPLE": ()}
NOTHING = ("PROTO", "FRAME", "READONLY_BUFFER")
ACTIONS: dict[str, Callable[[Machine, Any], None]] = {
    "MARK": lambda m, _: m.push(MARK),
    "STOP": lambda m, _: setattr(m.pickle, "value", m.pop()),
    "POP": lambda m, _: m.pop(),
    "POP_MARK": lambda m, _: m.drop_to_mark(),
    "DUP": lambda m, _: m.push(m._stack[-1]),
    "EMPTY_LIST": lambda m, _: m.push([]),
    "EMPTY_DICT": lambda m, _: m.push({}),
    "EMPTY_SET": lambda m, _: m.push([]),
    "LIST": lambda m, _: m.push(m.pop_to_mark()),
    "FROZENSET": lambda m, _: m.push(m.pop_to_mark()),
    "TUPLE": lambda m, _: m.push(tuple(m.pop_to_mark())),
    "TUPLE1": _tuple_of(1),
    "TUPLE2": _tuple_of(2),
    "TUPLE3": _tuple_of(3),
    "DICT": _dictionary,
    "APPEND": lambda m, _: m.extend([m.pop()]),
    "APPENDS": lambda m, _: m.extend(m.pop_to_mark()),
    "ADDITEMS": lambda m, _: m.extend(m.pop_to_mark()),
    "SETITEM": lambda m, _: m.set_items([m.pop(), m.pop()][::-1]),
    "SETITEMS": lambda m, _: m.set_items(m.pop_to_mark()),
    "PUT": lambda m, index: m.put(index),
    "BINPUT": lambda m, index: m.put(index),
    "LONG_BINPUT": lambda m, index: m.put(index),
    "MEMOIZE": lambda m, _: m.put(None),
    "GET": lambda m, index: m.get(index),
    "BINGET": lambda m, index: m.get(index),
    "LONG_BINGET": lambda m, index: m.get(index),
    "GLOBAL": _global,
    "STACK_GLOBAL": _stack_global,
    "INST": _inst,
    "OBJ": _obj,
    "NEWOBJ": _reduce,
    "NEWOBJ_EX": _new_with_keywords,
    "REDUCE": _reduce,
    "BUILD": _build,
    "PERSID": lambda m, key: m.refer(key),
    "BINPERSID": lambda m, _: m.refer(m.pop()),
    "NEXT_BUFFER": lambda m, _: m.push(Reference("a buffer")),
    "EXT1": _extension,
    "EXT2": _extension,
    "EXT4": _extension,
}
