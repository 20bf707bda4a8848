"""Which runs of the further worlds: other algorithms, lengths, scales, faults and recoveries."""

from typing import Any

from experiments.strangers.stranger import Stranger

MORE_FAST = {"n_steps": 16, "batch_size": 512, "n_epochs": 4, "learning_rate": 1e-3, "gamma": 0.97}
LONGER = {"n_steps": 32, "batch_size": 512}
MORE_SETTINGS: dict[str, dict[str, Any]] = {
    "bandit": {**MORE_FAST, "gamma": 0.5},
    "noisy_bandit": {**MORE_FAST, "gamma": 0.5},
    "track": {**MORE_FAST, "gamma": 0.9},
    "track_small": {**MORE_FAST, "gamma": 0.9},
    "track_large": {**MORE_FAST, "gamma": 0.9},
    "knobs": {**MORE_FAST, "gamma": 0.5},
    "queues": {**MORE_FAST, "gamma": 0.9, "normalize": True},
    "maze": {**MORE_FAST, "ent_coef": 0.01},
    "costly_maze": {**MORE_FAST, "ent_coef": 0.01},
    "far_maze": {**MORE_FAST, "ent_coef": 0.01},
    "ladder": {**MORE_FAST, "ent_coef": 0.02},
    "dodge": {**MORE_FAST},
    "recall": {"n_steps": 24, "batch_size": 256, "n_epochs": 4, "learning_rate": 3e-3},
    "doors": {**MORE_FAST, "gamma": 0.5},
    "lottery": {**MORE_FAST, "gamma": 0.5},
}
MORE_STEPS = {
    "bandit": 24_000, "noisy_bandit": 48_000, "track": 32_000, "track_small": 32_000,
    "track_large": 32_000, "knobs": 24_000, "queues": 32_000, "maze": 32_000,
    "costly_maze": 32_000, "far_maze": 32_000, "ladder": 64_000, "dodge": 40_000,
    "recall": 20_000, "doors": 32_000, "lottery": 40_000,
}  # fmt: skip


def _healthy() -> list[Stranger]:
    return [
        *(Stranger(world, "as it should be", seed=seed) for seed, world in enumerate(MORE_SETTINGS)
          if world not in ("far_maze", "recall", "doors", "track_large")),
        Stranger("recall", "a recurrent policy", algorithm="recurrent", seed=1),
        Stranger("doors", "masks", algorithm="masked", seed=2),
        Stranger("track_large", "normalised", {"normalize": True}, seed=2),
        Stranger("knobs", "TRPO", LONGER, algorithm="trpo", seed=3, steps=1.5),
        Stranger("maze", "TRPO", LONGER, algorithm="trpo", seed=3),
        Stranger("bandit", "A2C", algorithm="a2c", seed=4),
        Stranger("dodge", "A2C", algorithm="a2c", seed=4, steps=1.5),
        Stranger("knobs", "A2C, 64 steps", {"n_steps": 32}, algorithm="a2c", seed=4, steps=2),
        Stranger("knobs", "twenty updates", {"n_steps": 32}, seed=5, steps=1.7),
        Stranger("dodge", "large rollouts", {"n_steps": 64}, seed=5, steps=1.5),
        Stranger("maze", "one game", {"n_steps": 512}, n_envs=1, seed=5, steps=0.4),
        Stranger("track", "one game", {"n_steps": 512}, n_envs=1, seed=5, steps=0.4),
        Stranger("lottery", "two hundred games", {"n_steps": 10}, n_envs=200, seed=5, steps=2),
        Stranger("costly_maze", "small rollouts", {"batch_size": 64}, n_envs=8, seed=6),
        Stranger("doors", "slowly", {"learning_rate": 1e-4}, seed=6, steps=1.5),
        Stranger("knobs", "slowly", {"learning_rate": 2e-4}, seed=6, steps=2),
        Stranger("noisy_bandit", "slowly", {"learning_rate": 3e-4}, seed=6, steps=1.5),
        Stranger("ladder", "another seed", seed=7),
        Stranger("ladder", "less entropy", {"ent_coef": 0.005}, seed=8),
        Stranger("queues", "another seed", seed=9),
        Stranger("costly_maze", "another seed", {"clip_range": 0.1}, seed=9),
        Stranger("dodge", "half of the actions ignored", fault="half of the actions ignored",
                 seed=9),
        Stranger("knobs", "the learning rate rises for a while", jump=(0.4, 30.0, 0.5), seed=10,
                 steps=1.5),
        Stranger("maze", "the learning rate rises for a while", jump=(0.4, 30.0, 0.5), seed=10,
                 steps=1.5),
        Stranger("lottery", "new weights in the middle", fresh=0.3, seed=10, steps=1.5),
        Stranger("doors", "new weights in the middle", fresh=0.3, seed=10, steps=1.5),
        Stranger("bandit", "annealed to 0", {"learning_rate": "linear"}, seed=11),
        Stranger("costly_maze", "annealed to 0", {"learning_rate": "linear"}, seed=11),
        Stranger("track_small", "gSDE", {"use_sde": True}, seed=11),
        Stranger("dodge", "target_kl", {"target_kl": 0.01, "n_epochs": 20}, seed=11),
        Stranger("knobs", "a wage for each step", fault="a wage", seed=12),
        Stranger("maze", "paid a ten-thousandth", fault="small reward", seed=12),
    ]  # fmt: skip


def _sick() -> list[Stranger]:
    return [
        *(Stranger(w, "learning rate x 50", {"learning_rate": 0.05}, seed=i)
          for i, w in enumerate(("bandit", "track", "knobs", "dodge", "maze", "queues"))),
        *(Stranger(w, "entropy is punished", {"ent_coef": -1.0}, seed=i)
          for i, w in enumerate(("doors", "lottery", "track"))),
        *(Stranger(w, "entropy pays too well", {"ent_coef": 2.0}, seed=i)
          for i, w in enumerate(("knobs", "dodge", "maze", "track"))),
        *(Stranger(w, "learning rate 1e-7", {"learning_rate": 1e-7}, seed=i)
          for i, w in enumerate(("bandit", "queues", "dodge", "costly_maze"))),
        *(Stranger(w, f"{fault} from the middle on", fault=fault, at=at, seed=i, steps=steps)
          for i, (w, fault, at, steps) in enumerate((
            ("bandit", "actions ignored", 0.6, 1), ("queues", "actions ignored", 0.5, 1),
            ("dodge", "picture frozen", 0.5, 1), ("knobs", "picture in another unit", 0.5, 1),
            ("doors", "picture in another unit", 0.6, 1), ("track", "sign flips", 0.5, 1),
            ("maze", "actions ignored", 0.7, 1.3), ("costly_maze", "picture of noise", 0.6, 1.3),
            ("lottery", "no reward", 0.5, 1), ("track_small", "nan reward", 0.5, 1),
            ("ladder", "picture frozen", 0.6, 1), ("knobs", "sign flips", 0.6, 1.5)))),
        *(Stranger(w, f"{fault} all the time", fault=fault, seed=i) for i, (w, fault) in enumerate((
            ("knobs", "noise reward"), ("doors", "picture of noise"), ("queues", "picture frozen"),
            ("dodge", "actions ignored"), ("bandit", "picture of noise"),
            ("maze", "constant reward"), ("lottery", "no reward")))),
        *(Stranger(w, "the learning rate jumps", jump=(at, 100.0), seed=i)
          for i, (w, at) in enumerate((("knobs", 0.5), ("dodge", 0.7), ("lottery", 0.8),
                                       ("doors", 0.8), ("queues", 0.6)))),
        *(Stranger(w, "the learning rate jumps for a while", jump=(0.5, 300.0, 0.56), seed=i)
          for i, w in enumerate(("track", "bandit", "costly_maze"))),
        *(Stranger(w, "advantages belong to other samples", shuffled="advantages", seed=i)
          for i, w in enumerate(("knobs", "queues", "costly_maze"))),
        Stranger("far_maze", "too far", seed=0),
        Stranger("far_maze", "too far, one game", {"n_steps": 512}, n_envs=1, seed=1, steps=0.3),
        Stranger("recall", "without memory", seed=2),
        Stranger("doors", "without masks, entropy punished", {"ent_coef": -0.3}, seed=3),
        Stranger("track_large", "not normalised", seed=4),
        Stranger("track_large", "not normalised, no clipping of gradients",
                 {"max_grad_norm": 1e9, "learning_rate": 3e-3}, seed=4),
        Stranger("recall", "a recurrent policy, learning rate x 30", {"learning_rate": 0.1},
                 algorithm="recurrent", seed=5),
        Stranger("doors", "masks, learning rate x 100", {"learning_rate": 0.1},
                 algorithm="masked", seed=5),
        Stranger("knobs", "A2C, learning rate x 100", {"learning_rate": 0.07}, algorithm="a2c",
                 seed=6),
        Stranger("bandit", "A2C, learning rate / 1000", {"learning_rate": 7e-7}, algorithm="a2c",
                 seed=6),
        Stranger("maze", "TRPO, target_kl 1e-7", {"target_kl": 1e-7, **LONGER}, algorithm="trpo",
                 seed=6),
        Stranger("dodge", "clip range 1e-4", {"clip_range": 1e-4}, seed=7),
        Stranger("knobs", "the schedule ends early", {"learning_rate": "short"}, seed=7),
        Stranger("maze", "value clip 0", {"clip_range_vf": 1e-6}, seed=7),
        Stranger("queues", "150 epochs, no clipping", {"n_epochs": 60, "clip_range": 5.0,
                                                       "learning_rate": 3e-3}, seed=8, steps=0.6),
    ]  # fmt: skip


MORE_RUNS = [*_healthy(), *_sick()]
