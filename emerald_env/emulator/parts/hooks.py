"""Python functions that are called when the game's processor reaches an address."""

from collections.abc import Callable
from typing import Any

from emerald_env.emulator.library import ffi, lib

BEHIND_ROM = 0x0E000000
Hook = Callable[[Any], object]


class HookError(RuntimeError):
    """A hook raised; its own exception is the cause."""


class Hooks:
    """The hooks of one game.

    Args:
        game: the shim's handle.
    """

    def __init__(self, game: Any) -> None:
        self._game = game
        self._hooks: dict[int, tuple[Hook, Any]] = {}
        self._addresses: Any = None
        self._self = ffi.new_handle(self)
        self._failure: tuple[int, BaseException] | None = None
        self.is_inside = False

    def register(self, address: int, callback: Hook, context: Any) -> None:
        """Adds a hook.

        Raises:
            ValueError: there is one at this address, or no instruction can be there.
        """
        if address & 1 or not 0 <= address < BEHIND_ROM:
            raise ValueError(f"no instruction can be at 0x{address:X}")
        if address in self._hooks:
            raise ValueError(f"there is a hook at 0x{address:08X}: deregister it first")
        self._hooks[address] = callback, context
        self._tell(list(self._hooks))

    def deregister(self, address: int) -> None:
        """Removes a hook.

        Raises:
            ValueError: there is none at this address.
        """
        if self._hooks.pop(address, None) is None:
            raise ValueError(f"there is no hook at 0x{address:08X}")
        self._tell(list(self._hooks))

    def pause(self, on: bool) -> None:
        """Lets frames run without hooks, or with them again."""
        self._tell([] if on else list(self._hooks))

    def _tell(self, hooked: list[int]) -> None:
        addresses = ffi.new("uint32_t[]", hooked)
        lib.game_set_hooks(self._game, addresses, len(hooked), lib.hook_reached, self._self)
        self._addresses = addresses  # the shim reads them where they are

    def call(self, address: int) -> None:
        """Calls the hook at an address, unless one has raised since the last `check`."""
        if self._failure is not None:
            return
        callback, context = self._hooks[address]
        self.is_inside = True
        try:
            callback(context)
        except BaseException as error:
            self._failure = address, error
        finally:
            self.is_inside = False

    def check(self) -> None:
        """Raises what a hook raised.

        Raises:
            HookError: one did; the others were not called after it.
        """
        if self._failure is None:
            return
        (address, error), self._failure = self._failure, None
        if not isinstance(error, Exception):  # Ctrl-C and the like
            raise error
        raise HookError(
            f"the hook at 0x{address:08X} raised {type(error).__name__}: {error}"
        ) from error


@ffi.def_extern()  # type: ignore[untyped-decorator]
def hook_reached(context: Any, address: int) -> None:
    """Called by the shim."""
    ffi.from_handle(context).call(address)
