"""The names of the numbers that a diagnosis reads: SB3's, ours, and other libraries'."""

import math
from collections.abc import Mapping

NORMAL_ENTROPY = 0.5 * math.log(2 * math.pi * math.e)  # nats, of a standard deviation of 1
NEAR, GROWN = 0.01, 0.03  # relative
APPROX_KL = "train/approx_kl"
CLIP_FRACTION = "train/clip_fraction"
CLIP_RANGE = "train/clip_range"
CLIP_RANGE_VF = "train/clip_range_vf"  # of the value; not logged where it is off
ENTROPY_LOSS = "train/entropy_loss"  # minus the mean entropy, nats
EXPLAINED_VARIANCE = "train/explained_variance"
LEARNING_RATE = "train/learning_rate"
LOSS = "train/loss"
POLICY_LOSS = "train/policy_gradient_loss"
STD = "train/std"  # only with continuous actions
VALUE_LOSS = "train/value_loss"
EPISODE_REWARD = "rollout/ep_rew_mean"
EPISODE_LENGTH = "rollout/ep_len_mean"
# Means over the episodes that ended since the update before, where a log has no sliding mean
NEW_REWARD = "rollout/new_rew_mean"
NEW_LENGTH = "rollout/new_len_mean"
EVALUATION = "eval/mean_reward"
SUCCESS_RATE = "rollout/success_rate"
MILESTONES = "milestones/per_episode"
ADVICE_LOSS = "train/advice_loss"  # of a teacher, whose advice moves the policy, too
CLONE_KL = "train/clone_kl"  # of staying near a clone, a teacher's part, too
POLICY_KL = "diagnostics/policy_kl"  # of PPO's own part of the update
ADVICE_KL = "diagnostics/advice_kl"  # of the teacher's part
POLICY_GRADIENT = "diagnostics/policy_gradient"  # norm of PPO's own part, behind the features
ADVICE_GRADIENT = "diagnostics/advice_gradient"  # of the teacher's part
PARTS_COSINE = "diagnostics/parts_cosine"  # of their angle: 1 together, -1 against each other
EXPLAINED_RETURNS = "diagnostics/explained_returns"  # of Monte-Carlo returns, without any values
REWARD_TERMS = "reward/"  # the beginning of each term's name
PLACE_SHARE = "rollout/place_share"  # of an episode's steps on its commonest tile, or in the menu
ROLLOUT_SECONDS = "time/rollout_seconds"
REJECTIONS = "rejections/"  # steps of an episode whose memory could not be trusted, by reason

ENTROPY_SHARE = "diagnostics/entropy_share"  # of ln(number of actions)
ENTROPY_SLOPE = "diagnostics/entropy_slope"  # change of the share in one update
GRADIENT_NORM = "diagnostics/gradient_norm"  # before clipping, first gradient step of the update
NOT_FINITE = "diagnostics/not_finite"  # value targets of the rollout that are NaN or infinite
TOP_ACTION_SHARE = "diagnostics/top_action_share"
STILL_SHARE = "diagnostics/still_share"  # of steps after which the observation was the same
STEPS_PER_SECOND = "diagnostics/steps_per_second"


def guess_n_actions(entropy_loss: float) -> int:
    """Returns a policy's number of actions, estimated from its entropy when it was new.

    SB3 and CleanRL make new policies nearly uniform (gain 0.01), so the entropy is almost ln(n);
    the first update may already have lowered it, so the number is rounded up.

    Args:
        entropy_loss: minus the mean entropy in nats, of the first update.
    """
    return max(2, math.ceil(math.exp(min(-entropy_loss, 20.0)) - 0.05))


def looks_continuous(first_loss: float, entropy_loss: float) -> bool:
    """Returns whether an entropy can only be that of continuous actions.

    A new policy's normal distributions have a standard deviation of 1 (SB3, CleanRL), and nothing
    keeps their entropy from growing, or from falling below 0; that of discrete actions is largest
    when the policy is new.

    Args:
        first_loss: minus the mean entropy in nats, of the first update.
        entropy_loss: the same of an update.
    """
    numbers = -first_loss / NORMAL_ENTROPY
    new = numbers > 0.5 and abs(numbers - round(numbers)) < NEAR * numbers
    return (
        new
        or entropy_loss > NEAR
        or -entropy_loss > max(-first_loss, 0.0) + GROWN * abs(first_loss)
    )


def entropy_share(entropy_loss: float, n_actions: int) -> float:
    """Returns the entropy as a share of its maximum ln(n): 1 is random, 0 is always one action.

    With a single action the maximum is 0, and the share NaN.
    """
    return -entropy_loss / math.log(n_actions) if n_actions > 1 else math.nan


def rejected_share(metrics: Mapping[str, float]) -> float | None:
    """Returns the share of an episode's steps whose state could not be read, None if unknown."""
    counts = [value for name, value in metrics.items() if name.startswith(REJECTIONS)]
    length = metrics.get(EPISODE_LENGTH, 0.0)
    return sum(counts) / length if counts and length > 0 else None


def reward_terms(metrics: Mapping[str, float]) -> dict[str, float]:
    """Returns the reward terms among `metrics`: the mean sum over an episode, by name."""
    start = len(REWARD_TERMS)
    return {n[start:]: value for n, value in metrics.items() if n.startswith(REWARD_TERMS)}
