"""The names of the numbers that a diagnosis reads: SB3's, ours, and other libraries'."""

import math
from collections.abc import Mapping

APPROX_KL = "train/approx_kl"
CLIP_FRACTION = "train/clip_fraction"
CLIP_RANGE = "train/clip_range"
ENTROPY_LOSS = "train/entropy_loss"  # minus the mean entropy, nats
EXPLAINED_VARIANCE = "train/explained_variance"
LEARNING_RATE = "train/learning_rate"
LOSS = "train/loss"
POLICY_LOSS = "train/policy_gradient_loss"
STD = "train/std"  # only with continuous actions
VALUE_LOSS = "train/value_loss"
EPISODE_REWARD = "rollout/ep_rew_mean"
EPISODE_LENGTH = "rollout/ep_len_mean"
MILESTONES = "milestones/per_episode"
REWARD_TERMS = "reward/"  # the beginning of each term's name
PLACE_SHARE = "rollout/place_share"  # of an episode's steps on its commonest tile, or in the menu
REJECTIONS = "rejections/"  # steps of an episode whose memory could not be trusted, by reason

ENTROPY_SHARE = "diagnostics/entropy_share"  # of ln(number of actions)
ENTROPY_SLOPE = "diagnostics/entropy_slope"  # change of the share in one update
GRADIENT_NORM = "diagnostics/gradient_norm"  # before clipping, first gradient step of the update
NOT_FINITE = "diagnostics/not_finite"  # value targets of the rollout that are NaN or infinite
TOP_ACTION_SHARE = "diagnostics/top_action_share"
STILL_SHARE = "diagnostics/still_share"  # of steps after which the observation was the same
STEPS_PER_SECOND = "diagnostics/steps_per_second"

# other names -> ours, and the factor that converts their number to SB3's
SYNONYMS = {
    "losses/approx_kl": (APPROX_KL, 1.0),
    "losses/clipfrac": (CLIP_FRACTION, 1.0),
    "losses/entropy": (ENTROPY_LOSS, -1.0),
    "losses/explained_variance": (EXPLAINED_VARIANCE, 1.0),
    "losses/policy_loss": (POLICY_LOSS, 1.0),
    "losses/value_loss": (VALUE_LOSS, 2.0),  # CleanRL takes half the squared error
    "charts/learning_rate": (LEARNING_RATE, 1.0),
    "charts/episodic_return": (EPISODE_REWARD, 1.0),
    "charts/episodic_length": (EPISODE_LENGTH, 1.0),
    "charts/SPS": ("time/fps", 1.0),
    "train/policy_loss": (POLICY_LOSS, 1.0),  # SB3's A2C
    "train/kl_divergence_loss": (APPROX_KL, 1.0),  # sb3-contrib's TRPO
}
PER_EPISODE = {"charts/episodic_return", "charts/episodic_length"}  # a point each
CLEANRL_SETTINGS = {
    "update_epochs": "n_epochs",
    "clip_coef": "clip_range",
    "num_steps": "n_steps",
    "minibatch_size": "batch_size",
}


def guess_n_actions(entropy_loss: float) -> int:
    """Returns a policy's number of actions, estimated from its entropy when it was new.

    SB3 and CleanRL make new policies nearly uniform (gain 0.01), so the entropy is almost ln(n);
    the first update may already have lowered it, so the number is rounded up.

    Args:
        entropy_loss: minus the mean entropy in nats, of the first update.
    """
    return max(2, math.ceil(math.exp(min(-entropy_loss, 20.0)) - 0.05))


def entropy_share(entropy_loss: float, n_actions: int) -> float:
    """Returns the entropy as a share of its maximum ln(n): 1 is random, 0 is always one action."""
    return -entropy_loss / math.log(n_actions)


def rejected_share(metrics: Mapping[str, float]) -> float | None:
    """Returns the share of an episode's steps whose state could not be read, None if unknown."""
    counts = [value for name, value in metrics.items() if name.startswith(REJECTIONS)]
    length = metrics.get(EPISODE_LENGTH, 0.0)
    return sum(counts) / length if counts and length > 0 else None


def reward_terms(metrics: Mapping[str, float]) -> dict[str, float]:
    """Returns the reward terms among `metrics`: the mean sum over an episode, by name."""
    start = len(REWARD_TERMS)
    return {n[start:]: value for n, value in metrics.items() if n.startswith(REWARD_TERMS)}
