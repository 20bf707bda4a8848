"""What runs a console's processor: three ways that do the same, to the bit."""

from typing import Any, Final, get_args

from numpy.typing import NDArray

from emerald_env.emulator.library import lib
from emerald_env.emulator.static.translate import Core
from emerald_env.emulator.static.translate.translation_cache import find_translation

CORES: Final = get_args(Core)


def use_core(game: Any, core: str, rom: NDArray[Any]) -> str:
    """Lets a console use a core; returns which it is: "plain", "cached" or "translated".

    Raises:
        ValueError: there is no such core, or it is not there; the message says what to do.
    """
    if core not in CORES:
        raise ValueError(f"core must be one of {', '.join(CORES)}, got {core!r}")
    if core == "plain" or not lib.game_core(game, True):
        if core in ("cached", "translated"):
            raise ValueError(f'core "{core}" needs mGBA compiled in: make fast')
        lib.game_core(game, False)
        return "plain"
    if core != "cached":
        translation = find_translation(rom)
        if translation is not None and lib.game_translate(game, translation):
            return "translated"
    if core == "translated":
        raise ValueError('core "translated" needs a translation of this ROM: emerald translate')
    return "cached"
