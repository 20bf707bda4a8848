"""Code of a user's own: a reward that counts, a term beside ours, a wrapper and a network."""

from pathlib import Path

MINE = '''
import gymnasium
from torch import nn


class Inverted(gymnasium.ObservationWrapper):
    def observation(self, observation):
        return {**observation, "screen": 255 - observation["screen"]}


class Net(nn.Module):
    def __init__(self, space):
        super().__init__()
        self.layers = nn.Sequential(nn.Flatten(), nn.LazyLinear(8))

    def forward(self, seen):
        return self.layers(seen["screen"])


class Steps:
    """Pays for each step more than for the last."""

    def reset(self, state):
        self.steps = 0

    def __call__(self, before, after):
        self.steps += 1
        return {"steps": 0.1 * self.steps, "x": 0.01 * after.position[0]}
'''
PRESET = '[weights]\nmilestone = 5.0\n"mine.py:Steps" = 0.05\n'


def own_code(folder: Path) -> tuple[str, str]:
    """Writes the files; returns flags for the reward alone, and for the term beside ours."""
    mine, preset = folder / "mine.py", folder / "mine.toml"
    mine.write_text(MINE)
    preset.write_text(PRESET)
    both = f"--wrapper {mine}:Inverted --network {mine}:Net --reward"
    return f"{both} {mine}:Steps", f"{both} {preset} --reward-code {mine}"
