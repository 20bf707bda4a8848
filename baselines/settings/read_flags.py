"""Flags: a command line read into a class of settings, and help that says what each may be."""

import ast
import contextlib
import dataclasses
import inspect
import io
import shutil
import sys
import textwrap
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import tyro
from tyro.constructors import (
    ConstructorRegistry,
    PrimitiveConstructorSpec,
    PrimitiveTypeInfo,
    StructConstructorSpec,
    StructFieldSpec,
    StructTypeInfo,
    UnsupportedTypeAnnotationError,
)

WRONG_FLAGS = 2  # exit status
NOT_SAID = ("None", "False", "")  # defaults that the help's words already give
# What help calls the value of a text or a path; others are called as their setting, or PATH.
VALUES = {
    "against": "CHECKPOINT",
    "disturbed": "FILE",
    "foreign": "FILE",
    "init_from": "CHECKPOINT",
    "manifest": "FILE",
    "map": "FILE",
    "out": "FILE",
    "picture": "FILE",
    "resume": "SESSION",
    "reward_weights": "TERM=WEIGHT",
    "rom": "FILE",
    "symbols": "FILE",
    "video": "FILE",
} | dict.fromkeys(["archive", "folder", "record", "sessions", "soft_locks"], "FOLDER")
RULES = ConstructorRegistry()


class WrongFlagsError(Exception):
    """Flags that are each possible, but not together."""


def read_flags(kind: Any, arguments: Sequence[str] | None = None, **more: Any) -> Any:
    """Returns the settings of a command line.

    A switch that is off has one flag, to switch it on; where `default` says that it may already be
    on, it has two.

    Args:
        kind: a dataclass, or a union of them, one for each sub-command.
        arguments: the command line; None: this process's own.
        more: what `tyro.cli` takes, such as `default`.

    Raises:
        SystemExit: after `--help`, or, with 2, after saying what is wrong with a flag.
    """
    if isinstance(kind, type):
        more = {"description": inspect.cleandoc(kind.__doc__ or "")} | more
    marks = () if "default" in more else (tyro.conf.FlagCreatePairsOff,)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            return tyro.cli(kind, args=arguments, registry=RULES, config=marks, **more)
    except WrongFlagsError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(WRONG_FLAGS) from None
    finally:
        for line in printed.getvalue().splitlines():
            print(_wrapped(line.rstrip()))


def _wrapped(line: str) -> str:
    """Returns a line of help that fits the terminal: tyro wraps all but usage and description."""
    width, indent = shutil.get_terminal_size().columns, " " * 4 * line.startswith("usage")
    return textwrap.fill(line, width, subsequent_indent=indent) if len(line) > width else line


def field_texts(kind: type) -> dict[str, str]:
    """Returns what the string below each setting of a dataclass says, each as one line."""
    texts: dict[str, str] = {}
    for base in reversed(kind.__mro__[:-1]):
        texts |= _own_texts(base)
    return texts


@cache
def _own_texts(kind: type) -> dict[str, str]:
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(tree, ast.ClassDef)
    texts: dict[str, str] = {}
    for setting, below in zip(tree.body, tree.body[1:], strict=False):
        if isinstance(setting, ast.AnnAssign) and isinstance(below, ast.Expr):
            text = ast.literal_eval(below.value)
            texts[ast.unparse(setting.target)] = " ".join(text.split())
    return texts


@RULES.struct_rule
def _settings(info: StructTypeInfo) -> StructConstructorSpec | None:
    """Describes a dataclass: tyro alone breaks its texts where the source does."""
    kind = info.type
    if not dataclasses.is_dataclass(kind) or kind.__module__.startswith("tyro."):
        return None  # tyro's own holds a union's sub-commands
    types = get_type_hints(kind, include_extras=True)
    fields = tuple(
        StructFieldSpec(
            name=field.name,
            type=_described(field, types[field.name]),
            default=_default(field, info.default),
            helptext=partial(_text, kind, field.name),
        )
        for field in dataclasses.fields(kind)
    )
    return StructConstructorSpec(instantiate=partial(_make, kind), fields=fields)


def _described(field: dataclasses.Field[Any], kind: Any) -> Any:
    """Returns a setting's type with what its help says of value and default."""
    if choices := field.metadata.get("choices"):
        return Annotated[str, _one_of(choices), tyro.conf.arg(help_behavior_hint="")]
    metavar, inner = None, _parts(kind)
    several = len(inner) == 2 and inner[1] is Ellipsis
    if len(inner) == 1 + several and inner[0] in (str, Path):
        metavar = VALUES.get(field.name, "PATH" if inner[0] is Path else field.name.upper())
        metavar = metavar.replace("_", "-") + " ..." * several
        if field.default is not dataclasses.MISSING and tyro.conf.Positional in _marks(kind):
            metavar = f"[{metavar}]"
    hints = tyro.conf.arg(metavar=metavar, help_behavior_hint=_default_words)
    return Annotated[(*_quick(kind), hints) + _marks(kind)]


def _one_of(choices: tuple[str, ...]) -> PrimitiveConstructorSpec[str]:
    """Reads a word among more than the setting's own type has; help says in words what is usual."""
    return PrimitiveConstructorSpec(
        nargs=1,
        metavar=f"{{{','.join(choices)}}}",
        instance_from_str=lambda texts: texts[0],
        is_instance=lambda value: value in choices,
        str_from_instance=lambda value: [value],
        choices=choices,
    )


def _quick(kind: Any) -> tuple[Any, ...]:
    """Returns a type, or what reads it, of which tyro checks the default without typeguard.

    That package is slow to load, and pydantic checks the settings anyway.
    """
    bare = _bare(kind)
    if any(isinstance(mark, PrimitiveConstructorSpec) for mark in _marks(kind)):
        return (bare,)
    is_union = get_origin(bare) in (Union, UnionType)
    if not any(get_origin(_bare(part)) is tuple for part in (bare, *get_args(bare))):
        return (Union[get_args(bare)] if is_union else bare,)  # noqa: UP007
    spec = ConstructorRegistry.get_primitive_spec(PrimitiveTypeInfo.make(bare, set()))
    return (object, spec)


def _bare(kind: Any) -> Any:
    return kind.__origin__ if _marks(kind) else kind


def _marks(kind: Any) -> tuple[Any, ...]:
    return getattr(kind, "__metadata__", ())


def _parts(kind: Any) -> tuple[Any, ...]:
    """Returns the type, or those of a tuple, without None; () for one that tyro is told to read."""
    if any(isinstance(mark, PrimitiveConstructorSpec) for mark in _marks(kind)):
        return ()
    if _marks(kind):
        return _parts(kind.__origin__)
    if get_origin(kind) in (Union, UnionType):
        (*others,) = (part for part in get_args(kind) if part is not NoneType)
        return _parts(others[0]) if len(others) == 1 else ()
    return get_args(kind) if get_origin(kind) is tuple else (kind,)


def _text(kind: type, name: str) -> str | None:
    return field_texts(kind).get(name)


def _default(field: dataclasses.Field[Any], settings: Any) -> Any:
    if dataclasses.is_dataclass(settings):  # else it is one of tyro's marks for none
        return getattr(settings, field.name)
    if field.default is not dataclasses.MISSING:
        return field.default
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return tyro.MISSING


def _default_words(default: str) -> str:
    return "" if default in NOT_SAID else f"(default: {default})"


def _make(kind: type, **values: Any) -> Any:
    try:
        return kind(**values)
    except ValueError as error:  # tyro would name the class
        raise WrongFlagsError(error) from error


@RULES.primitive_rule
def _optional(info: PrimitiveTypeInfo) -> PrimitiveConstructorSpec[Any] | None:
    """Reads what may also be None, without "{None}|" in its help."""
    parts = get_args(info.type)
    if get_origin(info.type) not in (Union, UnionType) or NoneType not in parts:
        return None
    rest: Any = Union[tuple(part for part in parts if part is not NoneType)]  # noqa: UP007
    spec = ConstructorRegistry.get_primitive_spec(PrimitiveTypeInfo.make(rest, info.markers))
    if isinstance(spec, UnsupportedTypeAnnotationError):
        return None

    def read(texts: list[str]) -> Any:
        return None if texts == ["None"] else spec.instance_from_str(texts)

    def written(value: Any) -> list[str]:
        return ["None"] if value is None else spec.str_from_instance(value)

    return dataclasses.replace(
        spec,
        instance_from_str=read,
        is_instance=lambda value: value is None or spec.is_instance(value),
        str_from_instance=written,
        choices=None if spec.choices is None else (*spec.choices, "None"),
    )
