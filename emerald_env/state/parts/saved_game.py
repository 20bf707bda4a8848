"""The state in a flash save: what the game will know when the player continues it."""

from __future__ import annotations

from dataclasses import replace

from emerald_env.game import symbols as sym
from emerald_env.state.game_state import NOWHERE, Facing, GameState
from emerald_env.state.parts import field
from emerald_env.state.parts.blocks import SaveBlockDecoder
from emerald_env.state.parts.pokemon import decode_party
from emerald_env.state.rejection import Rejection
from emerald_env.state.state_memory import cut_save_blocks


def decode_save(block1: bytes, block2: bytes) -> GameState | Rejection:
    """Returns the state in a save's SaveBlock1 and SaveBlock2, or why it is rejected.

    The player is in the overworld; nothing is on the screen yet, so ``controllable`` is False
    and ``dialog_open`` None.
    """
    blocks = SaveBlockDecoder()
    if (reason := blocks.update(cut_save_blocks(block1, block2))) is not None:
        return reason
    if not blocks.has_player:
        return Rejection.PLAYER
    saved = blocks.saved()
    position = field.place(saved.position, None, None, locked=False)
    if isinstance(position, Rejection):
        return position
    count = block1[sym.SB1_PLAYER_PARTY_COUNT]
    if count > sym.PARTY_SIZE:
        return Rejection.PARTY_COUNT
    start = sym.SB1_PLAYER_PARTY
    party = decode_party(block1[start : start + count * sym.POKEMON_SIZE])
    if party is None:
        return Rejection.PARTY
    offset = field.global_offset(saved.location, None)
    return replace(
        NOWHERE,
        facing=_facing(block1),
        component=offset.component if offset else None,
        global_position=(offset.x + position[0], offset.y + position[1]) if offset else None,
        party=party,
        **saved._asdict(),
    )


def _facing(block1: bytes) -> Facing | None:
    """Returns the direction of the player's saved object, None if there is none."""
    for index in range(sym.OBJECT_EVENT_COUNT):
        start = sym.SB1_OBJECT_EVENTS + index * sym.OBJECT_EVENT_SIZE
        if field.is_active(block1, start) and field.is_player(block1, start):
            return field.facing_of(block1[start + sym.OBJECT_EVENT_FACING])
    return None
