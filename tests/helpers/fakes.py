"""States of a game that nobody played: `START`, and small changes to it."""

from dataclasses import replace

from emerald_env.game import tables
from emerald_env.game.flags import BADGES
from emerald_env.game.symbols import VARS_START
from rewards.audit.new_game import NEW_GAME, STARTER

START = NEW_GAME

LITTLEROOT = (0, 9)
ROUTE_101 = (0, 16)
OLDALE = (0, 10)
HOME = (1, 0)


def flag_bytes(flags):
    return sum(1 << flag for flag in set(flags)).to_bytes(300, "little")


def pokemon(personality=1, **changes):
    """A level-5 Treecko with 20 HP and two moves."""
    return replace(STARTER, personality=personality, **changes)


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
