"""Plays on with the keys of Jade's guide."""

from emerald_env.emulator import GBA
from emerald_env.jade.journey import press
from emerald_env.jade.worlds.guidance.guide import Guide, Look


def follow(game: GBA, guide: Guide, steps: int, until=lambda look: False) -> Look:
    """Presses the guide's keys until something holds; the last look."""
    for _ in range(steps):
        if until(look := Look(game.memory)):
            return look
        press(game, guide.labels(game.memory))
    return Look(game.memory)
