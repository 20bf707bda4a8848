"""A game of which only two addresses are known: python examples/another_game.py [STEPS] [ROM]."""

import sys

import gymnasium

import emerald_env  # noqa: F401  it registers the ids
from emerald_env.jade.cartridge import JADE_ROM

USAGE = "usage: python examples/another_game.py [STEPS] [ROM]"
WATCH = {"frames": (0x030022E0, "<u4"), "x": (0x02037360, "<i2")}  # address and type of each


def moved(before: dict[str, int], after: dict[str, int]) -> float:
    """Pays for walking sideways."""
    return abs(after["x"] - before["x"])


def main(steps: int = 300, rom: str = str(JADE_ROM)) -> None:
    """Presses A and random directions, and prints the values at the end."""
    actions = ["a", "start", "up", "down", "left", "right"]
    try:
        env = gymnasium.make("GBA-v0", rom=rom, actions=actions, watch=WATCH, reward=moved)
    except (OSError, ValueError) as error:
        sys.exit(f"error: {error}\n{USAGE}")
    env.action_space.seed(0)
    observation, info = env.reset(seed=0)
    total = 0.0
    for _ in range(steps):
        observation, reward, _, _, info = env.step(env.action_space.sample())
        total += float(reward)
    print("picture", observation.shape, "values", {name: info[name] for name in WATCH})
    print("paid", total)
    env.close()


if __name__ == "__main__":
    steps, roms = sys.argv[1:2], sys.argv[2:]
    if len(roms) > 1 or not all(word.isdecimal() for word in steps):
        sys.exit(USAGE)
    main(*map(int, steps), *roms)
