"""Which runs of the fresh worlds, with their random and their good scores."""

from typing import Any

from experiments.strangers.stranger import Stranger

FAST = {"n_steps": 64, "batch_size": 256, "n_epochs": 4, "learning_rate": 1e-3, "gamma": 0.97}
FRESH_SETTINGS: dict[str, dict[str, Any]] = {
    "hanoi": {**FAST}, "ferry": {**FAST}, "dance": {**FAST}, "battery": {**FAST},
    "duel": {**FAST, "gamma": 0.5}, "crop": {**FAST, "gamma": 0.9}, "tank": {**FAST, "gamma": 0.9},
    "lights_out": {**FAST}, "car": {**FAST}, "cab": {**FAST},
}  # fmt: skip
# by random play, and by the best that is known: the optimum, or a rule written by hand
FRESH_SCORES = {
    "hanoi": (-39.7, -7.0), "ferry": (-0.99, 1.0), "dance": (0.25, 40.0), "battery": (-5.8, 37.9),
    "duel": (0.0, 15.7), "crop": (1.67, 6.0), "tank": (-29.5, -1.3), "lights_out": (-12.9, -2.0),
    "car": (-10.0, 89.3), "cab": (-244.5, -20.0),
}  # fmt: skip
FRESH_STEPS = {
    "hanoi": 40_000, "ferry": 25_000, "dance": 25_000, "battery": 25_000, "duel": 20_000,
    "crop": 25_000, "tank": 25_000, "lights_out": 25_000, "car": 120_000, "cab": 150_000,
}  # fmt: skip
DQN = {
    "learning_rate": 1e-3, "buffer_size": 20_000, "learning_starts": 500, "batch_size": 64,
    "train_freq": (250, "step"), "gradient_steps": 60, "target_update_interval": 500,
    "exploration_fraction": 0.4, "gamma": 0.95,
}  # fmt: skip


def _dqn(world: str, what: str, seed: int, **more: Any) -> Stranger:
    return Stranger(world, what, DQN | more, algorithm="dqn", n_envs=1, seed=seed, steps=0.8)


def _table(world: str, what: str, learner: str, seed: int, steps: float = 1.0,
           fault: str | None = None, at: float = 0.0, **more: Any) -> Stranger:  # fmt: skip
    return Stranger(world, what, more, algorithm=learner, seed=seed, steps=steps, fault=fault,
                    at=at)  # fmt: skip


def _healthy() -> list[Stranger]:
    return [
        *(Stranger(world, "as it should be", seed=60 + i)
          for i, world in enumerate(FRESH_STEPS) if world not in ("car", "cab")),
        _dqn("dance", "DQN", 70),
        _dqn("crop", "DQN", 71),
        _table("hanoi", "expected SARSA", "sarsa", 72, expected=True),
        _table("ferry", "two tables", "double_q", 73),
        _table("lights_out", "two tables", "double_q", 74),
        _table("cab", "a table of values", "q", 75),
        _table("battery", "an actor and a critic", "actor_critic", 76, rate=0.05, steps=2),
        _table("duel", "a table of preferences", "reinforce", 77, rate=0.02),
        Stranger("car", "evolution", algorithm="evolution", seed=78),
        Stranger("dance", "A2C", {"learning_rate": 2e-3}, algorithm="a2c", seed=79),
        Stranger("battery", "advantages not normalised", {"normalize_advantage": False}, seed=80),
        Stranger("tank", "four games", {"n_steps": 128}, n_envs=4, seed=81),
        Stranger("crop", "a wage for each step", fault="a wage", seed=82),
    ]  # fmt: skip


def _sick() -> list[Stranger]:
    return [
        *(Stranger(w, f"{fault} from the middle on", fault=fault, at=0.5, seed=83 + i)
          for i, (w, fault) in enumerate((
              ("hanoi", "picture scrambled"), ("battery", "half of the picture dark"),
              ("dance", "a dead key"), ("tank", "picture scrambled"),
              ("duel", "keys of chance now and then"), ("lights_out", "a dead key")))),
        *(Stranger(w, f"{fault} all the time", fault=fault, seed=90 + i)
          for i, (w, fault) in enumerate((
              ("hanoi", "half of the picture dark"), ("battery", "payments drowned in noise"),
              ("ferry", "a dead key")))),
        _dqn("dance", "DQN, the target is never renewed", 93, target_update_interval=10**9,
             learning_rate=1e-5),
        _dqn("crop", "DQN, always by chance", 94, exploration_final_eps=1.0),
        _table("hanoi", "expected SARSA, downhill", "sarsa", 95, expected=True, rate=-0.05),
        _table("ferry", "two tables, nothing counts but now", "double_q", 96, gamma=0.0),
        _table("cab", "a table of values, always by chance", "q", 97, steps=0.5, stays=1.0),
        _table("battery", "an actor and a critic, huge steps", "actor_critic", 98, rate=30.0),
        _table("lights_out", "two tables, keys of chance from the middle on", "double_q", 99,
               fault="actions ignored", at=0.5),
        Stranger("tank", "evolution without a width", {"width": 1e-6}, algorithm="evolution",
                 seed=100),
        Stranger("crop", "the learning rate jumps", jump=(0.55, 300.0), seed=101),
        Stranger("dance", "the learning rate jumps", jump=(0.5, 300.0), seed=102),
        Stranger("duel", "learning rate x 300", {"learning_rate": 0.3}, seed=103),
        Stranger("battery", "gradients cut to nothing", {"max_grad_norm": 1e-7}, seed=104),
        Stranger("crop", "clip range 1e-5", {"clip_range": 1e-5}, seed=105),
        Stranger("tank", "entropy pays too well", {"ent_coef": 5.0}, seed=106),
        Stranger("lights_out", "A2C, learning rate x 100", {"learning_rate": 0.07},
                 algorithm="a2c", seed=107),
    ]  # fmt: skip


def _sicker() -> list[Stranger]:
    """Returns more, since by their true scores most of those above were well."""
    chance = "keys of chance"
    return [
        Stranger("battery", f"{chance} from the middle on", fault=chance, at=0.5, seed=110),
        _table("hanoi", f"expected SARSA, {chance}", "sarsa", 111, fault=chance, at=0.6,
               expected=True),
        _table("lights_out", f"two tables, {chance}", "double_q", 112, fault=chance, at=0.5),
        _table("cab", f"a table of values, {chance}", "q", 113, fault=chance, at=0.7),
        Stranger("dance", "the learning rate jumps far", jump=(0.6, 3000.0), seed=114),
        Stranger("tank", "the learning rate jumps far", jump=(0.5, 3000.0), seed=115),
        Stranger("duel", "payments drowned in noise", fault="payments drowned in noise", seed=116),
        _table("battery", "an actor and a critic, payments drowned", "actor_critic", 117,
               fault="payments drowned in noise", rate=0.05),
        Stranger("dance", "picture mirrored from the middle on", fault="picture mirrored", at=0.6,
                 seed=118),
        Stranger("tank", "half of the picture dark from the middle on",
                 fault="half of the picture dark", at=0.6, seed=119),
        Stranger("dance", "A2C, learning rate x 300", {"learning_rate": 0.2}, algorithm="a2c",
                 seed=120),
        Stranger("crop", "learning rate 1e-8", {"learning_rate": 1e-8}, seed=121),
        _table("duel", "a table of preferences, downhill", "reinforce", 122, rate=-0.02),
        _table("hanoi", "a table of values, always by chance", "q", 123, stays=1.0),
        Stranger("lights_out", "entropy pays far too well", {"ent_coef": 10.0}, seed=124),
        _dqn("crop", "DQN, learning rate 1e-9", 125, learning_rate=1e-9),
        Stranger("tank", "the worst are kept", {"worst": True}, algorithm="line", seed=126),
    ]  # fmt: skip


FRESH_RUNS = [*_healthy(), *_sick(), *_sicker()]
