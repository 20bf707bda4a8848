"""White-outs: a party that cannot fight wakes up healed at the last place of healing."""

from emerald_env.state import GameState


def beaten(state: GameState) -> bool:
    """Returns whether there is a party and none of it can fight."""
    return bool(state.party) and not any(pokemon.can_fight for pokemon in state.party)


def woke_up(before: GameState, after: GameState) -> bool:
    """Returns whether there was a white-out between two valid states.

    The game heals the party and moves the player while no state can be sampled, so a white-out is
    one step. The last valid state before it may show a party that is not beaten yet; then the step
    begins elsewhere and ends with a newly healed party on the tile that white-outs lead to.
    """
    if before.party is after.party or beaten(after):
        return False
    return beaten(before) or (
        (*after.location, *after.position) == after.last_heal
        and (before.location, before.position) != (after.location, after.position)
        and _is_whole(after)
        and not _is_whole(before)
    )


def _is_whole(state: GameState) -> bool:
    return all(pokemon.hp >= pokemon.max_hp for pokemon in state.party)
