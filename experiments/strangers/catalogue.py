"""Which runs, and the program whose log each is written as."""

from typing import Any

from experiments.strangers.more_runs import MORE_RUNS, MORE_SETTINGS, MORE_STEPS
from experiments.strangers.stranger import Stranger

FAST = {"n_steps": 128, "batch_size": 256, "n_epochs": 8, "learning_rate": 1e-3, "gamma": 0.97}
SETTINGS: dict[str, dict[str, Any]] = {
    "catch": {**FAST},
    "reach": {**FAST, "gamma": 0.9},
    "corridor": {**FAST, "ent_coef": 0.01},
    "long": {**FAST, "gamma": 0.5},
    "lights": {**FAST, "gamma": 0.9},
    "cartpole": {**FAST, "gamma": 0.98, "gae_lambda": 0.9},
    "acrobot": {**FAST, "n_steps": 256, "gamma": 0.99, "gae_lambda": 0.94},
    "taxi": {**FAST, "ent_coef": 0.01, "n_steps": 256},
    "blackjack": {**FAST, "gamma": 1.0 - 1e-3},
    "meadow": {**FAST, "n_steps": 256, "batch_size": 512, "n_epochs": 4, "ent_coef": 0.01},
    "farm": {**FAST, "n_steps": 256, "batch_size": 512, "n_epochs": 4, "ent_coef": 0.01},
}
STEPS = {
    "catch": 40_000, "reach": 50_000, "corridor": 30_000, "long": 60_000, "lights": 30_000,
    "cartpole": 40_000, "acrobot": 80_000, "taxi": 100_000, "blackjack": 60_000,
    "meadow": 80_000, "farm": 60_000, **MORE_STEPS,
}  # fmt: skip
LOGS = (
    "tensorboard",
    "monitor",
    "progress_csv",
    "progress_json",
    "cleanrl",
    "cleanrl_updates",
    "rl_games",
    "sample_factory",
    "tianshou",
    "torchrl",
    "rllib_csv",
    "rllib_json",
    "spinningup",
    "wandb_csv",
)
MORE_LOGS = (*LOGS, "ml_agents", "rsl_rl", "skrl", "monitors", "restarted", "evaluated")


def _all() -> list[Stranger]:
    healthy = [
        *(Stranger(world, "as it should be") for world in SETTINGS if world != "farm"),
        *(Stranger(w, "another seed", seed=1) for w in ("catch", "reach", "lights", "long")),
        Stranger("cartpole", "A2C", algorithm="a2c"),
        Stranger("catch", "A2C", algorithm="a2c"),
        Stranger("catch", "annealed to 0", {"learning_rate": "linear"}),
        Stranger("reach", "target_kl", {"target_kl": 0.02}),
        Stranger("long", "twenty games", n_envs=20, steps=2),
        Stranger("lights", "one game", n_envs=1),
        Stranger("lights", "a rise from nothing, slowly", {"learning_rate": 1e-4}, steps=1.5),
        Stranger("corridor", "two epochs", {"n_epochs": 2}, steps=1.5),
        Stranger("reach", "gSDE", {"use_sde": True}),
        Stranger("cartpole", "one epoch, one minibatch", {"n_epochs": 1, "batch_size": 1024},
                 steps=2),
        Stranger("meadow", "large clip range", {"clip_range": 0.3}, seed=2),
        Stranger("catch", "lambda 1", {"gae_lambda": 1.0}, seed=3),
    ]  # fmt: skip
    sick = [
        *(Stranger(w, "learning rate x 30", {"learning_rate": 0.03})
          for w in ("catch", "reach", "long", "acrobot", "meadow")),
        *(Stranger(w, "entropy is punished", {"ent_coef": -0.5}) for w in ("catch", "meadow")),
        *(Stranger(w, "entropy pays too well", {"ent_coef": 3.0})
          for w in ("lights", "corridor", "reach")),
        *(Stranger(w, "learning rate 1e-7", {"learning_rate": 1e-7})
          for w in ("catch", "long", "reach")),
        *(Stranger(w, f"{fault} from the middle on", fault=fault, at=0.5) for w, fault in (
            ("catch", "actions ignored"), ("long", "actions ignored"), ("reach", "picture frozen"),
            ("lights", "picture of noise"), ("cartpole", "picture frozen"),
            ("long", "sign flips"), ("catch", "no reward"), ("reach", "huge reward"),
            ("lights", "nan reward"), ("meadow", "actions ignored"))),
        *(Stranger(w, f"{fault} all the time", fault=fault) for w, fault in (
            ("catch", "noise reward"), ("long", "picture of noise"), ("reach", "actions ignored"),
            ("lights", "constant reward"), ("meadow", "picture frozen"), ("catch", "no reward"),
            ("acrobot", "picture of noise"), ("corridor", "noise reward"))),
        *(Stranger(w, "the learning rate jumps", jump=(0.55, 100.0))
          for w in ("catch", "lights", "long", "reach", "cartpole")),
        *(Stranger(w, f"{what} belong to other samples", shuffled=what)
          for w, what in (("catch", "advantages"), ("long", "advantages"), ("reach", "advantages"),
                          ("meadow", "returns"))),
        Stranger("corridor", "gamma 0", {"gamma": 0.0}),
        Stranger("meadow", "gamma 0.05", {"gamma": 0.05}),
        Stranger("catch", "80 epochs, no clipping", {"n_epochs": 80, "clip_range": 5.0,
                                                      "learning_rate": 3e-3}, steps=0.7),
        Stranger("cartpole", "value clip 0", {"clip_range_vf": 1e-6}),
        Stranger("farm", "a lever pays for nothing"),
        Stranger("lights", "the schedule ends early", {"learning_rate": "short"}),
        Stranger("corridor", "the penny is nearer", {"ent_coef": 0.0, "learning_rate": 1e-2}),
        Stranger("cartpole", "A2C, learning rate x 100", {"learning_rate": 0.07},
                 algorithm="a2c"),
        Stranger("taxi", "gradients cut to nothing", {"max_grad_norm": 1e-7}, steps=0.6),
    ]  # fmt: skip
    return [*healthy, *sick]


RUNS = [*_all(), *MORE_RUNS]
FIRST = len(RUNS) - len(MORE_RUNS)  # of the further worlds
SETTINGS |= MORE_SETTINGS


def log_of(index: int) -> str:
    """Returns the program whose log a run is written as."""
    if index < FIRST:
        return RUNS[index].log or LOGS[(5 * index + index // 14) % len(LOGS)]
    return RUNS[index].log or MORE_LOGS[(7 * index + index // 20) % len(MORE_LOGS)]
