"""Rewards: two successive states of the game in, named amounts out."""

from rewards.kinds import Events, Key, Marks, Paid
from rewards.names import key_name
from rewards.own.own_terms import StepReward
from rewards.preset import Preset, load_preset, own_preset, parse_weights, preset_names
from rewards.reward import Reward
from rewards.shares.earnings import Earned, Earnings
from rewards.terms import TERMS

__all__ = [
    "TERMS",
    "Earned",
    "Earnings",
    "Events",
    "Key",
    "Marks",
    "Paid",
    "Preset",
    "Reward",
    "StepReward",
    "key_name",
    "load_preset",
    "own_preset",
    "parse_weights",
    "preset_names",
]
