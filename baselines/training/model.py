"""Builds the games and the PPO model from the settings."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from gymnasium import spaces
from stable_baselines3.common.preprocessing import is_image_space
from stable_baselines3.common.utils import get_device
from stable_baselines3.common.vec_env import VecEnv

from baselines.checkpoints.formats.space_json import MAX_BOX_NUMBERS
from baselines.checkpoints.network import MAX_PARAMETERS, count_numbers
from baselines.exploration.exploration import AUTO, Explore
from baselines.exploration.search import round_seconds
from baselines.games.game import game_space
from baselines.games.vec_games import make_vec_env
from baselines.learner.labels.label_learner import LabelLearner
from baselines.learner.labels.label_teacher import StudentView
from baselines.learner.policy.cnn.networks import policy_kwargs, policy_name
from baselines.learner.policy.no_optimizer import NoOptimizer
from baselines.learner.ppo import PPO, RolloutPlayer, Speed
from baselines.learner.recurrent_ppo import learner_class
from baselines.learner.schedules import LinearSchedule
from baselines.learner.shards import suitable_shards
from baselines.learner.vec_wrappers.frame_stack import FrameStack, as_shown
from baselines.learner.vec_wrappers.novelty import NOVELTY_COEF, NoveltyBonus
from baselines.learner.vec_wrappers.reward_scale import RewardScale
from baselines.settings.game_config import GameConfig
from baselines.settings.train_config import TrainConfig, default_n_envs
from baselines.training.teachers.chosen_teacher import chosen_teacher, shown_to_teacher
from emerald_env.env.actions import action_set
from emerald_env.env.observation import observation_space
from emerald_env.files.own_code import parse_address
from emerald_env.parallel.worker_process import WorkerLimits
from emerald_env.starts.starts import NEW_GAME, keep_new_game, kept_new_game

PRACTICE, ADVICE = 0.5, 0.5  # of runs that see the exact position
SCHEDULED = ("learning_rate", "clip_range")  # settings that may change with a run's progress
NOT_THE_LEARNERS = {
    "scale_rewards",
    "sequence_length",
    *(f"anneal_{name}" for name in SCHEDULED),
    *(f"{name}_warmup" for name in SCHEDULED),
}


def fit_to_machine(config: TrainConfig) -> TrainConfig:
    """Fills in the settings whose default depends on the machine or on other settings.

    They are kept with the session, so that it resumes the same way on another machine.
    """
    on_cpu = get_device(config.device).type == "cpu"
    network = ("tile" if on_cpu else "nature") if config.network == "auto" else config.network
    novelty = config.novelty_coef
    if novelty is None:
        placed = config.env.observation != "screen" and config.env.coordinates
        placed = config.env.wrapper is None and (placed or config.env.data is not None)
        novelty = NOVELTY_COEF if placed else 0.0
    explore, practice, advice = exploring(config)
    policy = config.policy
    if config.env.wrapper is not None:
        policy = replace(policy, embed_places=False)  # which numbers are places is not known
    n_envs = config.n_envs or default_n_envs(config.total_timesteps)
    # a module of the user's own may keep what the copies of parallel gradients would not share
    several = on_cpu and not (policy.recurrent or parse_address(network))
    shards = config.shards or (suitable_shards(config.ppo.batch_size) if several else 1)
    return replace(
        config,
        n_envs=n_envs,
        network=network,
        policy=policy,
        novelty_coef=novelty,
        shards=shards,
        explore=explore,
        practice=practice,
        advice=advice,
    )


def exploring(config: TrainConfig) -> tuple[Explore, float, float]:
    """Returns a run's settings `explore`, `practice` and `advice`."""
    full = config.env.is_exact and config.env.wrapper is None
    explore: Explore = (AUTO if full else 0.0) if config.explore is None else config.explore
    known = bool(explore or config.archive)
    practice = PRACTICE * known if config.practice is None else config.practice
    advised = full and known and not config.policy.recurrent
    advice = ADVICE * advised if config.advice is None else config.advice
    return explore, practice, advice


def check_network(config: TrainConfig) -> None:
    """Checks the network of `fit_to_machine`'s settings before it is built.

    Raises:
        ValueError: it sees too many pictures, too small ones, or is too large for a checkpoint.
    """
    seen = game_space(config.env)
    parts = seen.spaces if isinstance(seen, spaces.Dict) else {"screen": seen}
    most = MAX_BOX_NUMBERS // sum(math.prod(p.shape or ()) for p in parts.values())
    what = "of these observations"
    for picture in filter(is_image_space, parts.values()):
        height, width, _ = picture.shape or ()
        most = min(height - 1, most)  # SB3 takes a stack's shortest side for the number of pictures
        what = f"of pictures of {height} x {width} (--shrink {config.env.shrink})"
    if config.n_stack > most:
        raise ValueError(f"n_stack is {config.n_stack}: {what} it may be {most} at most")
    actions = spaces.Discrete(len(action_set(config.env.action_set)))
    shown = as_shown(seen, config.n_stack)
    numbers = count_numbers(config.built_from(), shown, actions, config.policy)
    if numbers > MAX_PARAMETERS:
        raise ValueError(
            f"this asks for a network of {numbers:,} numbers; a checkpoint may hold at most "
            f"{MAX_PARAMETERS:,}: make its layers or what it sees smaller"
        )


def keep_start(config: TrainConfig, folder: Path) -> None:
    """Keeps the state in which new games begin in the session's folder.

    Raises:
        FileNotFoundError, RomError, StateError: the game cannot be started.
    """
    if config.env.start == NEW_GAME and folder.is_dir():
        keep_new_game(config.env.choice, folder)


def with_session_start(config: TrainConfig) -> GameConfig:
    """Returns the settings of the games, with the resumed session's own start state.

    Raises:
        FileNotFoundError, RomError, StateError: the game cannot be started.
    """
    if config.resume is None or config.env.start != NEW_GAME:
        return config.env
    own = kept_new_game(config.env.choice, Path(config.resume))
    return config.env if own is None else replace(config.env, start=str(own))


def make_games(config: TrainConfig) -> VecEnv:
    """Returns the games as the learner sees them.

    Raises:
        WorkerError, FileNotFoundError, RomError: the games cannot be made.
        ValueError: they are to be on a Ray cluster, which `baselines.cluster` opens.
    """
    if config.ray is not None:
        raise ValueError("--ray is for `emerald train`")
    config = replace(config, env=with_session_start(config))
    return as_learnt(config, plain_games(config))


def plain_games(config: TrainConfig, first: int = 0) -> VecEnv:
    """Returns the games; seeded with `config.seed`, `config.seed` + 1, ...

    Args:
        config: the settings.
        first: number of the first game, if these are only part of a run's games.

    Raises:
        WorkerError, FileNotFoundError, RomError: the games cannot be made.
    """
    return make_vec_env(
        shown_to_teacher(config.teacher, config.env).game,
        config.n_envs or 1,
        config.n_workers,
        config.seed,
        config.record,
        limits=WorkerLimits(worker_seconds(config)),
        practice=config.explores,
        watched=True,
        first=first,
    )


def worker_seconds(config: TrainConfig) -> float:
    """Returns how long a worker may be silent; one that explores answers once a round."""
    if config.worker_seconds is not None:
        return config.worker_seconds
    return round_seconds(config.workers) if config.explores else WorkerLimits.seconds


def as_learnt(config: TrainConfig, games: VecEnv) -> VecEnv:
    """Returns games as the learner sees them, with the novelty bonus where there is one."""
    if config.teacher is not None:
        return as_seen(config, games)  # who learns from labels is told the rewards as they are
    if config.novelty_coef:
        games = NoveltyBonus(
            games, config.novelty_coef
        )  # innermost: it reads single states, not stacks
    if config.ppo.scale_rewards:
        games = RewardScale(games, config.ppo.gamma)
    return as_seen(config, games)


def as_seen(config: TrainConfig, games: VecEnv) -> VecEnv:
    """Returns games with `n_stack` pictures in an observation, or what a student sees of them."""
    if config.teacher is not None:
        return as_taught(config.teacher, config.env, games)
    return FrameStack(games, config.n_stack)


def as_taught(teacher: str, game: GameConfig, games: VecEnv) -> VecEnv:
    """Returns `shown_to_teacher`'s games as the student of `game` sees them."""
    stacked = FrameStack(games, shown_to_teacher(teacher, game).n_stack)
    return StudentView(stacked, observation_space(game), game.coordinates)


def make_model(config: TrainConfig, games: VecEnv, learns: bool = True) -> PPO:
    """Returns PPO with these settings, its network not yet trained.

    Args:
        config: the settings.
        games: to learn from. On a Ray cluster, actors choose the actions.
        learns: False leaves the optimiser out: it starts much faster, and can only play.
    """
    ppo, on_cpu = config.ppo, get_device(config.device).type == "cpu"
    kind: Any = learner_class(config.policy.recurrent)
    options = {name: value for name, value in vars(ppo).items() if name not in NOT_THE_LEARNERS}
    if config.policy.recurrent:
        options["sequence_length"] = ppo.sequence_length
    if config.teacher is not None:
        kind = LabelLearner
        teacher = chosen_teacher(config.teacher).load(config.env)
        options |= {"labels": config.labels, "teacher": teacher}
    for name in SCHEDULED:
        anneal, warmup = getattr(ppo, f"anneal_{name}"), getattr(ppo, f"{name}_warmup")
        options[name] = schedule(options[name], anneal, warmup)
    built_from = config.built_from()
    network = policy_kwargs(built_from, games.observation_space, config.policy)
    if not learns:
        network["optimizer_class"] = NoOptimizer
    model: PPO = kind(
        policy_name(games.observation_space),
        games,
        rates_before_rollout=True,
        policy_kwargs=network,
        seed=config.seed,
        device=config.device,
        # packing knows our own networks: others may use a layer in two ways
        speed=Speed(on_cpu, on_cpu, on_cpu and isinstance(built_from, str), config.shards or 1),
        bf16=config.bf16,
        player=games.unwrapped if isinstance(games.unwrapped, RolloutPlayer) else None,
        advice_coef=config.advice or 0.0,
        **options,
    )
    return model


def schedule(start: float, anneal: bool, warmup: float = 0.0) -> float | LinearSchedule:
    """Returns a constant, or a schedule that rises to `start` and may fall to 0.

    Args:
        start: the constant, or the value after the warm-up.
        anneal: whether it falls linearly to 0 at the last step.
        warmup: share of the run.
    """
    if not anneal and not warmup:
        return start
    return LinearSchedule(start, 0.0 if anneal else start, warmup)
