"""What can be behind a finding: a finding votes for a cause, and a cause has remedies."""

import enum


class Cause(enum.Enum):
    """Causes, in the order in which they are looked into.

    A game that is broken for sure comes before a setting that changed on the way, that before a
    setting that was wrong from the start, and waiting comes last.
    """

    NUMBERS = "a number is not finite"
    GAME = "the game, its observation or its reward is broken"
    SETTING = "a setting has an impossible value"
    STEP_TOO_LARGE = "the updates are too large"
    STEP_TOO_SMALL = "the updates are too small"
    TOO_SURE = "the policy has stopped trying things"
    TOO_RANDOM = "the policy is paid for being random"
    CRITIC = "the value function predicts nothing"
    MACHINE = "the machine is slower than before"
    LOOK = "the numbers do not tell"
    WAIT = "the reward has not been met yet"
