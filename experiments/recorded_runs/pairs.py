"""The runs in the guide's pictures: for each metric a healthy one and a sick one."""

from dataclasses import dataclass

from baselines.diagnostics import RULES
from baselines.diagnostics import metrics as m

LARGEST_SHARE = "reward_share"  # the largest term's share of the reward


@dataclass(frozen=True)
class Pair:
    """A metric in a healthy and in a sick run of one world, or only in a sick one."""

    metric: str
    healthy: str | None
    sick: str
    done: str = ""  # what was done to the sick one
    limit: float | None = None  # of the diagnosis
    log: bool = False
    span: tuple[float, float] | None = None

    @property
    def label(self) -> str:
        """The axis label."""
        names = {
            LARGEST_SHARE: "largest share of the reward",
            m.REJECTIONS: "share of steps refused",
        }
        return names.get(self.metric, self.metric)


WRONG_SIGN = "ent_coef -1: being sure is paid for"
PAIRS = {
    "ep_rew_mean": Pair(
        m.EPISODE_REWARD,
        "healthy_cartpole_0",
        "learning_rate_jumps_0",
        "learning rate x 100 from the middle on",
        span=(0, 520),
    ),
    "ep_len_mean": Pair(
        m.EPISODE_LENGTH,
        "healthy_acrobot_0",
        "learning_rate_too_high_acrobot_0",
        "learning rate 0.03, cut off at 500",
        span=(0, 520),
    ),
    "milestones": Pair(
        m.MILESTONES,
        "healthy_meadow_0",
        "lever_to_farm_0",
        "a lever pays 0.5 for each step on it",
        span=(-0.05, 3.1),
    ),
    "reward_share": Pair(
        LARGEST_SHARE,
        "healthy_meadow_0",
        "lever_to_farm_0",
        "a lever pays 0.5 for each step on it",
        RULES["reward_farming"].limit({}),
        span=(0, 1.04),
    ),
    "entropy_loss": Pair(
        m.ENTROPY_LOSS, "healthy_meadow_0", "entropy_bonus_of_wrong_sign_0", WRONG_SIGN
    ),
    "entropy_share": Pair(
        m.ENTROPY_SHARE,
        "healthy_meadow_0",
        "entropy_bonus_far_too_high_meadow_0",
        "ent_coef 10: dice pay better than playing",
        RULES["entropy_stuck_high"].limit({}),
        span=(0, 1.04),
    ),
    "approx_kl": Pair(
        m.APPROX_KL,
        "healthy_cartpole_0",
        "learning_rate_too_high_0",
        "learning rate 0.02, twenty times too high",
        RULES["kl_blow_up"].limit({}),
        log=True,
    ),
    "clip_fraction": Pair(
        m.CLIP_FRACTION,
        "healthy_meadow_0",
        "learning_rate_too_high_meadow_0",
        "learning rate 0.02, twenty times too high",
        span=(0, 1),
    ),
    "clip_range": Pair(
        m.CLIP_RANGE,
        "healthy_cartpole_0",
        "no_clipping_0",
        "clip_range 1,000,000: no fence",
        log=True,
    ),
    "explained_variance": Pair(
        m.EXPLAINED_VARIANCE,
        "healthy_meadow_0",
        "value_targets_shuffled_meadow_0",
        "value targets of other samples",
        RULES["value_useless"].limit({}),
        span=(-1, 1.05),
    ),
    "value_loss": Pair(
        m.VALUE_LOSS,
        "healthy_cartpole_0",
        "learning_rate_jumps_0",
        "learning rate x 100 from the middle on",
        log=True,
    ),
    "policy_gradient_loss": Pair(
        m.POLICY_LOSS,
        "healthy_meadow_0",
        "learning_rate_too_high_meadow_0",
        "learning rate 0.02, twenty times too high",
    ),
    "loss": Pair(
        m.LOSS,
        "healthy_cartpole_0",
        "nan_in_the_reward_0",
        "NaN rewards after 3,000 steps of a game",
        span=(-1, 12),
    ),
    "learning_rate": Pair(
        m.LEARNING_RATE,
        "healthy_meadow_0",
        "schedule_ends_early_0",
        "the schedule ends at 40 % of the run",
        span=(0, 0.00105),
    ),
    "gradient_norm": Pair(
        m.GRADIENT_NORM,
        "healthy_cartpole_0",
        "learning_rate_jumps_0",
        "learning rate x 100 from the middle on",
        log=True,
    ),
    "std": Pair(
        m.STD,
        "healthy_pendulum_0",
        "learning_rate_too_high_pendulum_0",
        "learning rate 0.03, thirty times too high",
    ),
    "top_action_share": Pair(
        m.TOP_ACTION_SHARE,
        "healthy_acrobot_0",
        "learning_rate_too_high_acrobot_0",
        "learning rate 0.03, thirty times too high",
        RULES["one_action"].limit({}),
        span=(0, 1.04),
    ),
    "still_share": Pair(
        m.STILL_SHARE,
        "healthy_meadow_0",
        "closed_in_0",
        "the agent starts in a closet without a door",
        RULES["stuck_in_place"].limit({}),
        span=(0, 1.04),
    ),
    "place_share": Pair(
        m.PLACE_SHARE,
        None,
        "menu_never_closes_0",
        "after 5 steps a menu opens and never closes",
        RULES["stuck_in_place"].limit({}),
        span=(0, 1.04),
    ),
    "rejections": Pair(
        m.REJECTIONS,  # all of them, as a share of the steps
        None,
        "memory_cannot_be_read_0",
        "seven of ten states cannot be read",
        RULES["states_rejected"].limit({}),
        span=(0, 1.04),
    ),
    "steps_per_second": Pair(
        m.STEPS_PER_SECOND,
        "healthy_lights_0",
        "games_slow_down_0",
        "a step takes 0.5 ms longer",
        span=(0, 16_000),
    ),
}

# picture -> prefix of the metrics' names, and the runs with their headings
FAMILIES = {
    "reward_terms": (
        m.REWARD_TERMS,
        ("healthy_meadow_0", "meadow, healthy: plays"),
        ("idling_pays_0", "meadow, sick: never moves"),
    ),
}
