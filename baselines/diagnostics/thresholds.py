"""From which value on, and for how long, something is said: every number of the rules, once.

`warn` and `critical` are compared with what `measure` says. `patience` is the number of updates in
a row that it must hold before it is said. `docs/DIAGNOSTICS.md` has what the thresholds are worth
on recorded runs; half of those runs chose them, the other half judges them.
"""

from dataclasses import dataclass

OURS = "recorded runs"
PPO = "Schulman et al. 2017 (clip range 0.2), SB3 and Spinning Up (target_kl 0.01 to 0.05); runs"
SB3 = "SB3's documentation: 0 is as good as guessing the mean, below 0 is worse; runs"

OVER = 5  # updates in a row without it, until a finding is over
# A single update this far away throws the policy out of everything that it knew.
KL_BURST = 0.5
KL_WINDOW = 5
DEAD_WINDOW = 10
DICE_WINDOW = 30
VALUE_WINDOW = 10
# A value loss below this share of its largest means that returns hardly vary: nothing to explain.
SMALL_VALUE_LOSS = 0.05
SPEED_WINDOW = 5
MIN_UPDATES = 15  # before which there is no "before" to compare with
FLAT_UPDATES = 40  # a reward that has not risen for so long does not rise
FLAT_NOISE = 6.0  # a rise below this, in units of the reward's noise, is none
LOST_NOISE = 6.0  # a fall of the reward is one from here on, in units of its noise
FARM_GROWTH = 3.0  # a farmed term pays so many times what it paid at first


@dataclass(frozen=True, slots=True)
class Threshold:
    """When one finding is said."""

    measure: str
    warn: float
    critical: float | None  # None: never so bad that the run would be lost by this alone
    patience: int  # updates
    source: str


THRESHOLDS: dict[str, Threshold] = {
    "not_a_number": Threshold("numbers that are NaN or infinite", 1, 1, 1, "arithmetic"),
    "reward_collapse": Threshold("share of what was learnt that is lost again", 0.3, 0.6, 3, OURS),
    "entropy_collapse": Threshold("entropy / ln(actions), below", 0.15, 0.05, 5, OURS),
    "kl_blow_up": Threshold(f"approx_kl, median of {KL_WINDOW} updates", 0.05, 0.1, 3, PPO),
    "one_action": Threshold("share of the commonest action", 0.8, 0.95, 5, OURS),
    "stuck_in_place": Threshold("share of steps in one place", 0.5, 0.9, 10, OURS),
    "states_rejected": Threshold("share of steps whose state is refused", 0.5, None, 10, OURS),
    "reward_farming": Threshold("share of the largest reward term", 0.6, 0.85, 5, OURS),
    "reward_plateau": Threshold("updates without a rise of the reward", 40, None, 10, OURS),
    "entropy_stuck_high": Threshold(
        f"entropy / ln(actions), least of {DICE_WINDOW} updates", 0.97, None, 1, OURS
    ),
    "dead_updates": Threshold(
        f"approx_kl, median of {DEAD_WINDOW} updates, below", 1e-5, None, 3, OURS
    ),
    "value_useless": Threshold(
        f"explained variance, largest of {VALUE_WINDOW} updates, below", 0.1, None, 5, SB3
    ),
    "value_stuck_at_one": Threshold(
        f"explained variance, least of {VALUE_WINDOW} updates", 0.98, None, 1, OURS
    ),
    "value_loss_blow_up": Threshold("value loss / the largest before", 10, None, 1, OURS),
    "schedule_ended": Threshold(
        "learning rate or clip range / its largest, below", 0.01, None, 5, "arithmetic"
    ),
    "throughput_drop": Threshold(
        f"steps/s, median of {SPEED_WINDOW} updates / of all before, below", 0.4, None, 3, OURS
    ),
}
