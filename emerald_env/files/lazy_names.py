"""Names of a package that are imported when they are first used."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(package: str, where: Mapping[str, str]) -> Callable[[str], Any]:
    """Returns a package's `__getattr__`, so that importing the package loads none of its modules.

    Args:
        package: its name, for the message about an unknown name.
        where: module -> the names that it brings, with spaces between them.
    """
    modules = {name: module for module, names in where.items() for name in names.split()}

    def get(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(modules[name]), name)

    return get
