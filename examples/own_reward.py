"""A reward of your own, and its parts: python examples/own_reward.py [STEPS]."""

import sys
from collections import Counter

import gymnasium

import emerald_env  # noqa: F401  it registers the ids
from emerald_env.state import GameState, milestones_done


def reward(before: GameState, after: GameState) -> dict[str, float]:
    """Pays for the story and for levels, and takes a little for each step."""
    milestones = len(milestones_done(after)) - len(milestones_done(before))
    levels = [sum(pokemon.level for pokemon in state.party) for state in (before, after)]
    return {"milestones": 5.0 * milestones, "levels": max(0, levels[1] - levels[0]), "time": -0.01}


def main(steps: int = 500) -> None:
    """Plays random keys, and prints what each part of the reward paid."""
    env = gymnasium.make("Emerald-v0", reward=reward, observation="screen")
    env.action_space.seed(0)
    _, info = env.reset(seed=0)
    print("begins in", info["place"])
    paid: Counter[str] = Counter()
    for _ in range(steps):
        _, _, terminated, truncated, info = env.step(env.action_space.sample())
        paid.update(info["reward_terms"])
        if terminated or truncated:
            env.reset()
    print("ends in", info["place"], "with", info["milestones"])
    print({name: round(amount, 2) for name, amount in paid.items()})
    env.close()


if __name__ == "__main__":
    given = sys.argv[1:]
    if len(given) > 1 or not all(word.isdecimal() for word in given):
        sys.exit("usage: python examples/own_reward.py [STEPS]")
    main(*map(int, given))
