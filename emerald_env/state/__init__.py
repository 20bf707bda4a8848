"""What the game's memory says: ``decode`` a frame, or sample a game with ``StateReader``."""

from emerald_env.state.decode import decode, examine
from emerald_env.state.describe import describe
from emerald_env.state.difference import difference
from emerald_env.state.game_state import (
    BATTLE_TYPE_DOUBLE,
    BATTLE_TYPE_TRAINER,
    POCKETS,
    Battler,
    Facing,
    GameState,
    ItemSlot,
    Mode,
)
from emerald_env.state.milestones import last_main_milestone, milestone_bits, milestones_done
from emerald_env.state.pokemon import Pokemon, decode_box_pokemon, decode_pokemon
from emerald_env.state.reader import StateReader
from emerald_env.state.rejection import Rejection

__all__ = [
    "BATTLE_TYPE_DOUBLE",
    "BATTLE_TYPE_TRAINER",
    "POCKETS",
    "Battler",
    "Facing",
    "GameState",
    "ItemSlot",
    "Mode",
    "Pokemon",
    "Rejection",
    "StateReader",
    "decode",
    "decode_box_pokemon",
    "decode_pokemon",
    "describe",
    "difference",
    "examine",
    "last_main_milestone",
    "milestone_bits",
    "milestones_done",
]
