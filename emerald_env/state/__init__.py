"""What the game's memory says: ``decode`` a frame, or sample a game with ``StateReader``."""

from emerald_env.state.decode import decode, examine, examine_title
from emerald_env.state.describe import describe
from emerald_env.state.game_state import (
    NOWHERE,
    POCKETS,
    Battler,
    Facing,
    GameState,
    ItemSlot,
    Mode,
)
from emerald_env.state.milestones import (
    last_main_milestone,
    milestone_bits,
    milestones_done,
    milestones_in,
)
from emerald_env.state.parts.around.surroundings import Tile, in_front, surroundings
from emerald_env.state.parts.open_menu import Menu, MenuKind
from emerald_env.state.parts.opponents import (
    BATTLE_TYPE_DOUBLE,
    BATTLE_TYPE_TRAINER,
    OpponentKind,
)
from emerald_env.state.parts.pokemon import NOBODY, Pokemon, decode_box_pokemon, decode_pokemon
from emerald_env.state.parts.saved_game import decode_save
from emerald_env.state.parts.storage import Storage, decode_storage, read_storage
from emerald_env.state.parts.switches import N_SWITCHES, switches, trainers_folded
from emerald_env.state.reader import StateReader
from emerald_env.state.rejection import Rejection
from emerald_env.state.track import TrackError, TrackWriter, read_track

__all__ = [
    "BATTLE_TYPE_DOUBLE",
    "BATTLE_TYPE_TRAINER",
    "NOBODY",
    "NOWHERE",
    "POCKETS",
    "Battler",
    "Facing",
    "GameState",
    "ItemSlot",
    "Menu",
    "MenuKind",
    "Mode",
    "OpponentKind",
    "Pokemon",
    "Rejection",
    "StateReader",
    "Storage",
    "Tile",
    "TrackError",
    "TrackWriter",
    "decode",
    "decode_box_pokemon",
    "decode_pokemon",
    "decode_save",
    "decode_storage",
    "describe",
    "examine",
    "examine_title",
    "in_front",
    "last_main_milestone",
    "milestone_bits",
    "milestones_done",
    "milestones_in",
    "N_SWITCHES",
    "switches",
    "trainers_folded",
    "read_storage",
    "read_track",
    "surroundings",
]
