"""Why the contents of memory were rejected."""

from __future__ import annotations

from enum import Enum


class Rejection(Enum):
    """The reasons, by the names under which ``StateReader.rejections`` counts them."""

    NOT_STARTED = "not_started"  # title screen, main menu: no game is running
    UNKNOWN_CALLBACK = "unknown_callback"  # callback2 is not a function of the game
    LOADING = "loading"  # a map is loaded, a battle begins or ends: blocks move
    SCREEN = "screen"  # bag, shop, evolution ...: what it changes is read when it closes
    CREDITS = "credits"  # the story is over; the game restarts after them
    FADE = "fade"  # the picture fades or a warp is under way
    SAVE_BLOCK_POINTER = "save_block_pointer"  # null, outside its place, or the two disagree
    GAME_STATS = "game_stats"  # counters beyond their limit: the key is wrong
    MONEY = "money"  # money or coins beyond their limit
    ITEMS = "items"  # an item that does not exist, or more than a slot can hold
    PLAY_TIME = "play_time"  # 60 minutes, seconds or frames, 1000 hours
    LOCATION = "location"  # a map that does not exist
    POSITION = "position"  # outside the map, or away from where the player's object is
    PLAYER = "player"  # no name, or a gender that does not exist
    MAP_LAYOUT = "map_layout"  # a size that does not fit the map's memory
    PARTY_COUNT = "party_count"  # more than six
    PARTY = "party"  # a member's checksum fails, or it is impossible
    ENEMY_PARTY = "enemy_party"  # the same in the opponent's party
