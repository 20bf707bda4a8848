"""From what a console executes to a library that it executes faster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from emerald_env.emulator.static.translate.c_source import c_source
from emerald_env.emulator.static.translate.compiler import compiled, compiler_version
from emerald_env.emulator.static.translate.executed import MIN_RUNS, count_executed
from emerald_env.emulator.static.translate.groups import CodeGroup, groups_of
from emerald_env.emulator.static.translate.translation_cache import TranslationRecord

if TYPE_CHECKING:
    from emerald_env.emulator.gba import GBA


@dataclass(frozen=True)
class Translation:
    """Code in C.

    Attributes:
        groups: of the code, a function each.
        share: of the instructions executed, how many are in them.
    """

    groups: list[CodeGroup]
    share: float

    @property
    def instructions(self) -> int:
        """How many different ones they have."""
        return sum(len(group.addresses) for group in self.groups)

    def compile(self, *flags: str) -> tuple[bytes, TranslationRecord]:
        """Returns the library, and what is known of it.

        Raises:
            CompilerError: there is no compiler, or it failed.
        """
        library = compiled(c_source(self.groups), *flags)
        return library, {
            "sha256": sha256(library).hexdigest(),
            "compiler": compiler_version(),
            "instructions": self.instructions,
            "share": self.share,
        }


def translated_play(gba: GBA, play: Callable[[], None], least: int = MIN_RUNS) -> Translation:
    """Returns a translation of what a console executes during a play.

    Args:
        gba: the console; a play takes it some twenty times as long as else.
        play: runs it.
        least: how often an instruction must run.

    Raises:
        ValueError: mGBA is not compiled in.
    """
    codes, total = count_executed(gba._running, play, least)
    done = sum(sum(code.counts.values()) for code in codes)
    return Translation(groups_of(codes), done / max(total, 1))
