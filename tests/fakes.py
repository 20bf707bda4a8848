"""States of a game that nobody played: `START`, and small changes to it."""

from dataclasses import replace

from emerald_env import tables
from emerald_env.flags import BADGES
from emerald_env.state import Facing, GameState, Mode, Pokemon
from emerald_env.symbols import GAME_STATS_SIZE, VARS_SIZE, VARS_START

LITTLEROOT = (0, 9)
ROUTE_101 = (0, 16)
OLDALE = (0, 10)
HOME = (1, 0)

NEW_GAME_FLAGS = tuple(flag.id for flag in tables.flags().values() if flag.initial)


def flag_bytes(flags):
    return sum(1 << flag for flag in set(flags)).to_bytes(300, "little")


def pokemon(personality=1, **changes):
    """A level-5 Treecko with 20 HP and two moves."""
    values = {
        "species": 277,
        "nickname": "TREECKO",
        "level": 5,
        "hp": 20,
        "max_hp": 20,
        "exp": 135,
        "moves": (1, 43),
        "pp": (35, 30),
        "pp_bonuses": 0,
        "status": 0,
        "personality": personality,
        "ot_id": 12345,
        "ot_name": "MAY",
        "is_egg": False,
        "is_bad_egg": False,
        "held_item": 0,
        "friendship": 70,
        "evs": (0,) * 6,
        "ivs": (10,) * 6,
        "stats": (20, 10, 10, 10, 10, 10),
        "ability_num": 0,
        "met_location": 16,
        "met_level": 5,
        "pokeball": 4,
        "pokerus": 0,
        "language": 2,
        "ribbons": 0,
    }
    return Pokemon(**{**values, **changes})


START = GameState(
    mode=Mode.OVERWORLD,
    controllable=True,
    dialog_open=False,
    in_battle=False,
    location=LITTLEROOT,
    position=(10, 10),
    facing=Facing.DOWN,
    map_size=(20, 20),
    component="hoenn_surface",
    global_position=(130, 290),
    avatar_flags=1,
    party=(),
    enemy_party=(),
    battlers=(),
    battle_type=0,
    battle_outcome=0,
    opponent=0,
    money=3000,
    coins=0,
    bag_data=bytes(744),
    pc_data=bytes(200),
    flags=flag_bytes(NEW_GAME_FLAGS),
    vars=bytes(VARS_SIZE),
    stats=bytes(GAME_STATS_SIZE),
    pokedex_seen=0,
    pokedex_caught=0,
    play_time=(0, 0, 0, 0),
    player_name="MAY",
    player_gender=1,
    trainer_id=1,
    secret_id=2,
    last_heal=(*HOME, 4, 2),
)


def with_flags(state, *flags):
    """The state with some flags set."""
    return replace(state, flags=flag_bytes({*state.flags_set, *flags}))


def without_flags(state, *flags):
    """The state with some flags cleared."""
    return replace(state, flags=flag_bytes(set(state.flags_set) - set(flags)))


def with_flag(state, flag):
    """The state with one flag set."""
    return with_flags(state, flag)


def with_badges(state, count):
    """The state with the first badges."""
    return with_flags(without_flags(state, *BADGES), *BADGES[:count])


def with_var(state, number, value):
    """The state with a variable's value."""
    offset = 2 * (number - VARS_START)
    data = state.vars[:offset] + value.to_bytes(2, "little") + state.vars[offset + 2 :]
    return replace(state, vars=data)


def at(state, location=None, position=(5, 5)):
    """The state at another place; `global_position` follows where the map has one."""
    location = location or state.location
    offset = tables.global_offsets().get(location)
    return replace(
        state,
        location=location,
        position=position,
        component=offset.component if offset else None,
        global_position=(offset.x + position[0], offset.y + position[1]) if offset else None,
    )


def with_party(state, *party):
    """The state with these Pokémon in the party."""
    return replace(state, party=tuple(party))


def with_species(state, seen=(), caught=()):
    """The state with more species seen and caught, by national number."""
    return replace(
        state,
        pokedex_seen=state.pokedex_seen | sum(1 << number - 1 for number in set(seen)),
        pokedex_caught=state.pokedex_caught | sum(1 << number - 1 for number in set(caught)),
    )


def with_items(state, *items, pocket_start=0x078):
    """The state with these items, one each, in the pocket of key items."""
    slots = b"".join(item.to_bytes(2, "little") + b"\1\0" for item in items)
    data = state.bag_data[:pocket_start] + slots + state.bag_data[pocket_start + len(slots) :]
    return replace(state, bag_data=data)
