"""What a state and a save must be before libmgba may see them."""

import struct

SAVE_SIZE = 128 << 10  # of Emerald's cartridge, the largest there is
STATE_MAGIC = 0x01000000  # mGBA's serialize.h: GBASavestateMagic; the low 24 bits are the version
# versionMagic, biosChecksum, romCrc32, masterCycles, title, id: struct GBASerializedState
STATE_HEADER = struct.Struct("<4I12s4s")
# the register VCOUNT in its part `io`: the line being drawn
STATE_LINE = struct.Struct("<1030xH")
# what the game last read from the clock (7 binary-coded decimals: years since 2000, month, day, day
# of the week, hour, minute, second) and the cartridge's devices; then bit 0: the processor sleeps
STATE_CLOCK, STATE_MISC = struct.Struct("<688x7sB"), struct.Struct("<796xI")
LINES = 228  # of a frame, including invisible ones; beyond them libmgba counts lines forever


class StateError(ValueError):
    """The bytes are not a save state of this game."""


class SaveError(ValueError):
    """The bytes are not a cartridge's save memory."""


def check_state(state: bytes, size: int, own: bytes) -> None:
    """Checks that a state can be loaded.

    Args:
        state: the bytes to check.
        size: bytes of a state of the running game.
        own: a state of the running game, or its beginning.

    Raises:
        StateError: wrong size, not a state, a newer mGBA's, or another game's.
    """
    if len(state) != size:
        raise StateError(f"a state of mGBA has {size:,} bytes, this has {len(state):,}")
    magic, _, crc32, _, title, code = STATE_HEADER.unpack_from(state)
    own_magic, _, own_crc32, _, own_title, own_code = STATE_HEADER.unpack_from(own)
    if magic >> 24 != STATE_MAGIC >> 24:
        raise StateError(f"not a state of mGBA's Game Boy Advance: it begins with 0x{magic:08X}")
    if magic > own_magic:
        from emerald_env.emulator.library import libmgba_version  # slow to load

        raise StateError(
            f"the state was made by a newer mGBA (state version 0x{magic & 0xFFFFFF:02X}, "
            f"this reads up to 0x{own_magic & 0xFFFFFF:02X}, version "
            f"{libmgba_version()}): use the game's own save (.sav) instead"
        )
    (line,) = STATE_LINE.unpack_from(state)
    if line >= LINES:
        raise StateError(
            f"the state is in line {line} of a frame of {LINES}, which no game reaches: it was "
            "damaged or made by hand, and libmgba would hang in it"
        )
    if (title, code, crc32) != (own_title, own_code, own_crc32):
        raise StateError(
            f"the state belongs to {_name(title + code)} with ROM CRC32 {crc32:08X}, the running "
            f"game is {_name(own_title + own_code)} with {own_crc32:08X}: give the state's game "
            "with --rom"
        )


def check_save(data: bytes, size: int) -> None:
    """Checks the size of a `.sav` file's contents, perhaps with what mGBA appends for the clock.

    Args:
        data: the contents.
        size: bytes of the running game's save memory; 0: its cartridge has none.

    Raises:
        SaveError: it is another one.
    """
    if not size <= len(data) <= size + 64:
        raise SaveError(f"a save of this game has {size:,} bytes, this has {len(data):,}")


def _name(title_and_code: bytes) -> str:
    return title_and_code.replace(b"\0", b" ").decode("ascii", "replace")
