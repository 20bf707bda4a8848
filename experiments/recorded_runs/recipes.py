"""What is trained, how it is made sick, and what a diagnosis ought to say: one table.

What ought to be said follows from what was done to the run, not from its curves. `must` is said or
it is an error; `may` is what such a sickness can bring with it, depending on luck; anything else
that is said is an error, too. Runs of odd variants are those that thresholds are judged on.
"""

from dataclasses import dataclass, field
from typing import Any

CART = {
    "n_steps": 128,
    "batch_size": 256,
    "n_epochs": 10,
    "gamma": 0.98,
    "gae_lambda": 0.9,
    "learning_rate": 1e-3,
    "ent_coef": 0.0,
}
ACROBOT = {
    **CART,
    "n_steps": 256,
    "batch_size": 512,
    "n_epochs": 6,
    "gamma": 0.99,
    "gae_lambda": 0.94,
}
LIGHTS = {**CART, "n_steps": 64, "gamma": 0.9}
MEADOW = {**CART, "n_steps": 256, "batch_size": 512, "n_epochs": 4, "ent_coef": 0.01}
PENDULUM = {**CART, "n_steps": 512, "gamma": 0.9, "gae_lambda": 0.95}
MOUNTAIN = {**CART, "gamma": 0.99, "n_steps": 256, "batch_size": 512, "n_epochs": 4}
# world -> (its settings, updates in a run); 8 copies of the env play at once
WORLDS: dict[str, tuple[dict[str, Any], int]] = {
    "cartpole": (CART, 80),
    "acrobot": (ACROBOT, 60),
    "lights": (LIGHTS, 60),
    "meadow": (MEADOW, 80),
    "pendulum": (PENDULUM, 50),
    "mountaincar": (MOUNTAIN, 60),
    "jade": ({}, 0),  # the built-in game: `run_baseline_parallel_fast.py`, kept by `keep.py`
}
RECORDED_HERE = frozenset(WORLDS) - {"jade"}
N_ENVS = 8


@dataclass(frozen=True)
class Recipe:
    """One way to train: a world, changes to its settings, changes to the env, what must be said."""

    name: str
    world: str
    variants: tuple[dict[str, Any], ...]
    """Changes to SB3's settings, one run each. Keys that begin with "env_" go to the env instead;
    "schedule_end" is the share of the run at which the learning rate has fallen to 0, "jump" the
    factor by which it grows in the middle, "shuffled" whether the value targets are."""
    must: frozenset[str] = frozenset()
    may: frozenset[str] = frozenset()
    env: dict[str, Any] = field(default_factory=dict)

    @property
    def sick(self) -> bool:
        """Whether something was done to it."""
        return bool(self.must)

    def settings(self, variant: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """Returns SB3's settings and those of the env, of one variant."""
        changes = self.variants[variant]
        ppo = dict(WORLDS[self.world][0])
        env = dict(self.env)
        for name, value in changes.items():
            if name.startswith("env_"):
                env[name[4:]] = value
            else:
                ppo[name] = value
        return ppo, env


UNLEARNT = frozenset({"reward_plateau"})
COLLAPSED = frozenset(
    {"entropy_collapse", "one_action", "reward_collapse", "reward_misleads", "reward_plateau"}
)
CRITIC = frozenset({"value_useless", "value_loss_blow_up"})
TOO_LARGE = (
    COLLAPSED
    | CRITIC
    | {
        "kl_blow_up",
        "dead_updates",
        "stuck_in_place",
        "wrong_setting",
        "actions_wide",
        "actions_narrow",
    }
)


def _healthy(world: str, *variants: dict[str, Any]) -> Recipe:
    return Recipe(f"healthy_{world}", world, variants)


def _pairs(*variants: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """Returns each twice: once with a seed that chooses thresholds, once with one that judges."""
    return tuple(variant for variant in variants for _ in range(2))


ANNEALED = {"schedule_end": 1.0}
HEALTHY = (
    _healthy("cartpole", *_pairs({}, {"learning_rate": 3e-4})),
    _healthy("acrobot", *_pairs({})),
    _healthy(
        "lights",
        *_pairs({}, {"learning_rate": 3e-4}, {"ent_coef": 0.01}, ANNEALED, {"gamma": 0.99}),
    ),
    _healthy("meadow", *_pairs({})),
    _healthy("pendulum", *_pairs({})),
    # with the settings of those days, found in the runs' own files
    _healthy("jade", *_pairs(*[{}] * 9)),
)

STEP_TOO_LARGE = (
    Recipe(
        "learning_rate_too_high",
        "cartpole",
        tuple({"learning_rate": rate} for rate in (0.02, 0.03)),
        frozenset({"kl_blow_up"}),
        TOO_LARGE,
    ),
    Recipe(
        "learning_rate_too_high_acrobot",
        "acrobot",
        tuple({"learning_rate": rate} for rate in (0.03, 0.05)),
        frozenset({"kl_blow_up"}),
        TOO_LARGE,
    ),
    Recipe(
        "learning_rate_too_high_meadow",
        "meadow",
        tuple({"learning_rate": rate} for rate in (0.02, 0.05)),
        frozenset({"kl_blow_up"}),
        TOO_LARGE,
    ),
    Recipe(
        "learning_rate_too_high_pendulum",
        "pendulum",
        tuple({"learning_rate": rate} for rate in (0.03, 0.1)),
        frozenset({"kl_blow_up"}),
        TOO_LARGE,
    ),
    Recipe(  # kept from sessions: --n-envs 4 --total-timesteps 12288
        "learning_rate_too_high_jade",
        "jade",
        tuple({"learning_rate": rate} for rate in (0.05, 0.03)),
        frozenset({"kl_blow_up", "wrong_setting"}),
        TOO_LARGE,
    ),
    Recipe(
        "no_clipping",
        "cartpole",
        tuple({"clip_range": 1e6, "learning_rate": rate} for rate in (3e-3, 5e-3)),
        frozenset({"kl_blow_up", "wrong_setting"}),
        TOO_LARGE,
    ),
    Recipe(
        "fifty_epochs",
        "meadow",
        ({"n_epochs": 50, "ent_coef": 0.0}, {"n_epochs": 40, "ent_coef": 0.0}),
        frozenset({"kl_blow_up"}),
        TOO_LARGE,
    ),
    Recipe(
        "learning_rate_jumps",
        "cartpole",
        tuple({"jump": factor} for factor in (100.0, 100.0)),
        frozenset({"kl_blow_up", "reward_collapse"}),
        TOO_LARGE,
    ),
)

ENTROPY = (
    Recipe(
        "entropy_bonus_of_wrong_sign",
        "meadow",
        tuple({"ent_coef": bonus} for bonus in (-1.0, -0.5)),
        frozenset({"entropy_collapse", "wrong_setting"}),
        TOO_LARGE,
    ),
    Recipe(
        "entropy_bonus_of_wrong_sign_acrobot",
        "acrobot",
        tuple({"ent_coef": bonus} for bonus in (-1.0, -0.5)),
        frozenset({"entropy_collapse", "wrong_setting"}),
        TOO_LARGE,
    ),
    Recipe(
        "entropy_bonus_far_too_high",
        "cartpole",
        tuple({"ent_coef": bonus} for bonus in (10.0, 5.0)),
        frozenset({"entropy_stuck_high"}),
        UNLEARNT | {"dead_updates"},
    ),
    Recipe(
        "entropy_bonus_far_too_high_meadow",
        "meadow",
        tuple({"ent_coef": bonus} for bonus in (10.0, 5.0)),
        frozenset({"entropy_stuck_high"}),
        UNLEARNT | {"dead_updates"},
    ),
    Recipe(
        "idling_pays",
        "meadow",
        tuple({"env_move_costs": cost} for cost in (0.2, 0.3)),
        frozenset({"one_action", "stuck_in_place"}),
        COLLAPSED | {"value_useless", "dead_updates", "kl_blow_up"},
    ),
)

LEARNING_STOPPED = (
    Recipe(
        "learning_rate_too_low",
        "cartpole",
        tuple({"learning_rate": rate} for rate in (1e-7, 3e-7)),
        frozenset({"dead_updates"}),
        UNLEARNT | {"entropy_stuck_high", "value_useless"},
    ),
    Recipe(
        "learning_rate_too_low_meadow",
        "meadow",
        tuple({"learning_rate": rate} for rate in (1e-7, 3e-7)),
        frozenset({"dead_updates"}),
        UNLEARNT | {"entropy_stuck_high", "value_useless"},
    ),
    Recipe(
        "schedule_ends_early",
        "meadow",
        tuple({"schedule_end": share} for share in (0.4, 0.6)),
        frozenset({"schedule_ended"}),
        frozenset({"dead_updates"}),
    ),
    Recipe(
        "reward_never_comes",
        "mountaincar",
        ({}, {"ent_coef": 0.01}),
        frozenset({"reward_plateau"}),
        CRITIC | {"entropy_stuck_high", "entropy_collapse", "one_action"},
    ),
    Recipe(
        "game_hangs",
        "meadow",
        ({}, {"learning_rate": 3e-4}),
        frozenset({"stuck_in_place", "reward_plateau"}),
        CRITIC | {"entropy_stuck_high", "entropy_collapse", "one_action", "dead_updates"},
        {"frozen": True},
    ),
    Recipe(
        "closed_in",
        "meadow",
        ({}, {"learning_rate": 3e-4}),
        frozenset({"stuck_in_place", "reward_plateau"}),
        CRITIC | {"entropy_stuck_high", "entropy_collapse", "one_action", "dead_updates"},
        {"closed": True},
    ),
    Recipe(
        "menu_never_closes",
        "meadow",
        tuple({"env_menu_opens": step} for step in (5, 20)),
        frozenset({"stuck_in_place"}),
        UNLEARNT
        | CRITIC
        | {"entropy_stuck_high", "entropy_collapse", "one_action", "dead_updates"},
    ),
    Recipe(
        "memory_cannot_be_read",
        "meadow",
        tuple({"env_unreadable": share} for share in (0.7, 0.9)),
        frozenset({"states_rejected"}),
        UNLEARNT
        | CRITIC
        | {"entropy_stuck_high", "entropy_collapse", "one_action", "dead_updates"},
    ),
)

VALUES_AND_REWARDS = (
    Recipe(
        "value_function_not_trained",
        "cartpole",
        ({"vf_coef": 0.0}, {"vf_coef": 0.0, "learning_rate": 5e-4}),
        frozenset({"value_useless", "wrong_setting"}),
        UNLEARNT | {"value_loss_blow_up", "reward_collapse", "kl_blow_up"},
    ),
    Recipe(
        "value_targets_shuffled",
        "acrobot",
        ({"shuffled": True}, {"shuffled": True, "learning_rate": 5e-4}),
        frozenset({"value_useless"}),
        UNLEARNT | {"value_loss_blow_up", "reward_collapse"},
    ),
    Recipe(
        "value_targets_shuffled_meadow",
        "meadow",
        ({"shuffled": True}, {"shuffled": True, "learning_rate": 5e-4}),
        frozenset({"value_useless"}),
        UNLEARNT | {"value_loss_blow_up", "reward_collapse"},
    ),
    Recipe(
        "return_cannot_be_seen",
        "lights",
        ({}, {"learning_rate": 3e-4}),
        frozenset({"value_useless"}),
        env={"clock": False},
    ),
    Recipe(
        "reward_grows_a_hundredfold",
        "cartpole",
        (
            {"env_scale": 100.0, "env_scale_start": 5000},
            {"env_scale": 50.0, "env_scale_start": 6000},
        ),
        frozenset({"value_loss_blow_up"}),
        # the value loss takes all of the clipped gradient, and the policy's share dies
        CRITIC | COLLAPSED | {"kl_blow_up", "dead_updates"},
    ),
    Recipe(
        "nan_in_the_reward",
        "cartpole",
        tuple({"env_scale": float("nan"), "env_scale_start": at} for at in (3000, 5000)),
        frozenset({"not_a_number"}),
    ),
    Recipe(
        "gamma_zero",
        "cartpole",
        ({"gamma": 0.0}, {"gamma": 0.0, "learning_rate": 5e-4}),
        frozenset({"wrong_setting"}),
        UNLEARNT | CRITIC | COLLAPSED | {"dead_updates", "entropy_stuck_high"},
    ),
    Recipe(
        "lever_to_farm",
        "meadow",
        tuple({"env_lever_pays": value} for value in (0.5, 0.4)),
        frozenset({"reward_farming"}),
        COLLAPSED | {"stuck_in_place"},
    ),
    Recipe(
        "rules_change",
        "meadow",
        tuple({"env_swap_start": at} for at in (10000, 12000)),
        frozenset({"reward_collapse"}),
        TOO_LARGE,
    ),
    Recipe(
        "games_slow_down",
        "lights",
        ({"env_slow_start": 2000}, {"env_slow_start": 1500}),
        frozenset({"throughput_drop"}),
        env={"slow_seconds": 0.0005},
    ),
)

RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (*HEALTHY, *STEP_TOO_LARGE, *ENTROPY, *LEARNING_STOPPED, *VALUES_AND_REWARDS)
}
