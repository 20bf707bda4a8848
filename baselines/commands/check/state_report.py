"""A state as plain lists, dicts and numbers, ready for JSON.

Unknown values are None. The game's numbers come with their names.
"""

from __future__ import annotations

from typing import Any

from emerald_env.game import tables
from emerald_env.game.flags import Flag, GameStat
from emerald_env.state import (
    NOWHERE,
    Battler,
    GameState,
    ItemSlot,
    Mode,
    Pokemon,
    Storage,
    last_main_milestone,
    milestones_done,
)

Report = dict[str, Any]

_GAME_STATS = {
    "saved_game": GameStat.SAVED_GAME,
    "steps": GameStat.STEPS,
    "total_battles": GameStat.TOTAL_BATTLES,
    "wild_battles": GameStat.WILD_BATTLES,
    "trainer_battles": GameStat.TRAINER_BATTLES,
    "captures": GameStat.POKEMON_CAPTURES,
    "used_pokecenter": GameStat.USED_POKECENTER,
    "evolved": GameStat.EVOLVED_POKEMON,
    "rested_at_home": GameStat.RESTED_AT_HOME,
    "shopped": GameStat.SHOPPED,
    "ledges": GameStat.JUMPED_DOWN_LEDGES,
}
_STATS = "attack defense speed sp_attack sp_defense".split()


def report(state: GameState) -> Report:
    """Returns everything that a state says."""
    return {
        **screen_report(state),
        **place_report(state),
        **player_report(state),
        **story_report(state),
        **items_report(state),
        **battle_report(state),
    }


def unknown_report() -> Report:
    """Returns the keys of `report` with None for everything."""
    return dict.fromkeys(report(NOWHERE))


def screen_report(state: GameState) -> Report:
    """Returns what the screen shows."""
    return {
        "mode": state.mode.value,
        "in_battle": state.in_battle,
        "dialog_open": state.dialog_open,
        "controllable_now": state.controllable,
    }


def place_report(state: GameState) -> Report:
    """Returns where the player is."""
    info = None if state.mode is Mode.TITLE else tables.maps().get(state.location)
    group, number, x, y = state.last_heal
    position = state.global_position
    return {
        "map": {
            "group": state.location[0],
            "num": state.location[1],
            "name": info.name if info else None,
            "const": info.const if info else None,
            "region_name": info.region if info else None,
        },
        "x": state.position[0],
        "y": state.position[1],
        "global_xy": position
        and {"component": state.component, "x": position[0], "y": position[1]},
        "facing": None if state.facing is None else state.facing.name.lower(),
        "last_heal_location": {
            "group": group,
            "num": number,
            "x": x,
            "y": y,
            "name": tables.map_name((group, number)),
        },
    }


def player_report(state: GameState) -> Report:
    """Returns who plays, and the party."""
    hours, minutes, seconds, frames = state.play_time
    return {
        "player_name": state.player_name,
        "gender": "female" if state.player_gender else "male",
        "trainer_id": state.trainer_id,
        "secret_id": state.secret_id,
        "play_time": {"hours": hours, "minutes": minutes, "seconds": seconds, "frames": frames},
        "party_count": len(state.party),
        "party": [pokemon_report(member) for member in state.party],
    }


def pokemon_report(pokemon: Pokemon) -> Report:
    """Returns one Pokémon; for a bad egg only what can be trusted."""
    known = zip(pokemon.moves, pokemon.pp, strict=True)
    return {
        "species_id": pokemon.species,
        "species": pokemon.name,
        **_named(pokemon, "nickname level level_from_exp hp max_hp exp"),
        "moves": [{"id": move, "name": tables.move_name(move), "pp": pp} for move, pp in known],
        "status": pokemon.status,
        "held_item_id": pokemon.held_item,
        "held_item": tables.item_name(pokemon.held_item) if pokemon.held_item else None,
        "friendship": pokemon.friendship,
        "is_egg": pokemon.is_egg,
        "checksum_ok": not pokemon.is_bad_egg,
        "evs": list(pokemon.evs),
        "ivs": list(pokemon.ivs),
        "stats": dict(zip(_STATS, pokemon.stats[1:], strict=True)),
        **_named(pokemon, "ability_num met_location met_level pokeball language personality"),
        **_named(pokemon, "ot_id ot_name"),
    }


def story_report(state: GameState) -> Report:
    """Returns the progress of the game."""
    return {
        "badge_count": len(state.badges),
        "badges": list(state.badges),
        "has_pokedex": state.has(Flag.SYS_POKEDEX_GET),
        "has_pokenav": state.has(Flag.SYS_POKENAV_GET),
        "has_running_shoes": state.has(Flag.SYS_B_DASH),
        "pokedex": {
            "seen_count": len(state.seen),
            "owned_count": len(state.caught),
            "seen_national": sorted(state.seen),
            "owned_national": sorted(state.caught),
        },
        "last_main_milestone": last_main_milestone(state),
        "milestones_done": list(milestones_done(state)),
        "flags_set_count": len(state.flags_set),
        "flags_set": list(state.flags_set),
        "vars_nonzero": {
            name: state.var(number)
            for number, name in tables.variables().items()
            if state.var(number)
        },
        "game_stats": {name: state.stat(number) for name, number in _GAME_STATS.items()},
    }


def items_report(state: GameState) -> Report:
    """Returns what the player owns."""
    return {
        "money": state.money,
        "coins": state.coins,
        "bag": {
            name: [{"slot": entry.slot, **_item(entry)} for entry in slots]
            for name, slots in state.bag.items()
        },
        "pc_items": [_item(entry) for entry in state.pc_items],
    }


def battle_report(state: GameState) -> Report:
    """Returns the running battle; empty outside battles."""
    if not state.in_battle:
        return {}
    return {
        "enemy_party": [pokemon_report(member) for member in state.enemy_party],
        "battle": {
            "type_flags": f"0x{state.battle_type:08X}",
            "outcome": state.battle_outcome,
            "opponent_a": state.opponent,
            "mons": [
                {
                    "slot": battler.index,
                    "species_id": battler.species,
                    "species": tables.species_name(battler.species),
                    **_named(battler, "nickname level hp max_hp"),
                    "moves": [tables.move_name(move) for move in battler.moves],
                    "pp": list(battler.pp),
                    "stat_stages": list(battler.stat_stages),
                }
                for battler in state.battlers
            ],
        },
    }


def storage_report(storage: Storage) -> Report:
    """Returns how full the PC's boxes are."""
    return {
        "current_box": storage.current_box,
        "mons": len(storage.pokemon) + storage.broken,
        "checksums_ok": len(storage.pokemon),
        "box_names": list(storage.box_names),
    }


def _named(thing: Pokemon | Battler, names: str) -> Report:
    return {name: getattr(thing, name) for name in names.split()}


def _item(entry: ItemSlot) -> Report:
    return {"id": entry.item, "name": tables.item_name(entry.item), "quantity": entry.quantity}
