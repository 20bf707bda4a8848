"""White-outs: a party that cannot fight, then wakes up healed at the last place of healing."""

from emerald_env.state import GameState


def beaten(state: GameState) -> bool:
    """Tells whether there is a party and none of it can fight."""
    return bool(state.party) and not any(pokemon.hp for pokemon in state.party)


def woke_up(before: GameState, after: GameState) -> bool:
    """Tells whether the party was beaten before a step and is not after it.

    The game heals the party and moves the player while no state can be sampled, so a white-out is
    one step between two trusted states.
    """
    return before.party is not after.party and beaten(before) and not beaten(after)
