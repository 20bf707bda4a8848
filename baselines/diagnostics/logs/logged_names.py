"""One table of the names under which programs log: tag -> our metric and a factor."""

import re
from collections.abc import Mapping

from baselines.diagnostics import metrics as m

Name = tuple[str, float]
EPISODE_RETURN, EPISODE_STEPS = "episode/return", "episode/length"  # a point for each episode
# "sliding" rewards are means over the last hundred episodes, "fresh" ones over the new episodes
NAMES: dict[str, Name] = {
    # CleanRL, which takes half the squared error
    "losses/approx_kl": (m.APPROX_KL, 1.0),
    "losses/clipfrac": (m.CLIP_FRACTION, 1.0),
    "losses/entropy": (m.ENTROPY_LOSS, -1.0),  # rl_games, too
    "losses/explained_variance": (m.EXPLAINED_VARIANCE, 1.0),
    "losses/policy_loss": (m.POLICY_LOSS, 1.0),
    "losses/value_loss": (m.VALUE_LOSS, 2.0),
    "charts/learning_rate": (m.LEARNING_RATE, 1.0),
    "charts/episodic_return": (EPISODE_RETURN, 1.0),
    "charts/episodic_length": (EPISODE_STEPS, 1.0),
    "charts/SPS": ("time/fps", 1.0),
    # SB3's A2C, sb3-contrib's TRPO
    "train/policy_loss": (m.POLICY_LOSS, 1.0),
    "train/kl_divergence_loss": (m.APPROX_KL, 1.0),
    # rl_games: sliding
    "rewards/step": (m.EPISODE_REWARD, 1.0),
    "episode_lengths/step": (m.EPISODE_LENGTH, 1.0),
    "losses/a_loss": (m.POLICY_LOSS, 1.0),
    "losses/c_loss": (m.VALUE_LOSS, 1.0),
    "info/kl": (m.APPROX_KL, 1.0),
    "info/last_lr": (m.LEARNING_RATE, 1.0),
    "info/e_clip": (m.CLIP_RANGE, 1.0),
    # Sample Factory: sliding
    "reward/reward": (m.EPISODE_REWARD, 1.0),
    "len/len": (m.EPISODE_LENGTH, 1.0),
    "train/kl_divergence": (m.APPROX_KL, 1.0),
    "train/entropy": (m.ENTROPY_LOSS, -1.0),  # TorchRL, too
    "train/fraction_clipped": (m.CLIP_FRACTION, 1.0),
    "train/lr": (m.LEARNING_RATE, 1.0),
    "train/grad_norm": (m.GRADIENT_NORM, 1.0),
    # Tianshou and TorchRL: fresh
    "train/reward": (m.NEW_REWARD, 1.0),
    "train/returns_stat/mean": (m.NEW_REWARD, 1.0),
    "train/length": (m.NEW_LENGTH, 1.0),
    "train/lens_stat/mean": (m.NEW_LENGTH, 1.0),
    "train/episode_length": (m.NEW_LENGTH, 1.0),
    "test/reward": (m.EVALUATION, 1.0),
    "test/returns_stat/mean": (m.EVALUATION, 1.0),
    "eval/reward": (m.EVALUATION, 1.0),
    "update/loss/vf": (m.VALUE_LOSS, 1.0),
    "update/vf_loss/mean": (m.VALUE_LOSS, 1.0),
    "update/loss/clip": (m.POLICY_LOSS, 1.0),
    "update/clip_loss/mean": (m.POLICY_LOSS, 1.0),
    "update/loss/ent": (m.ENTROPY_LOSS, -1.0),
    "update/ent_loss/mean": (m.ENTROPY_LOSS, -1.0),
    "train/loss_critic": (m.VALUE_LOSS, 2.0),
    "train/loss_objective": (m.POLICY_LOSS, 1.0),
    "train/kl_approx": (m.APPROX_KL, 1.0),
    "train/clip_epsilon": (m.CLIP_RANGE, 1.0),
    # RLlib: sliding
    "episode_reward_mean": (m.EPISODE_REWARD, 1.0),
    "episode_return_mean": (m.EPISODE_REWARD, 1.0),
    "episode_len_mean": (m.EPISODE_LENGTH, 1.0),
    "evaluation/episode_reward_mean": (m.EVALUATION, 1.0),
    "learner/kl": (m.APPROX_KL, 1.0),
    "learner/mean_kl_loss": (m.APPROX_KL, 1.0),
    "learner/entropy": (m.ENTROPY_LOSS, -1.0),
    "learner/vf_explained_var": (m.EXPLAINED_VARIANCE, 1.0),
    "learner/vf_loss": (m.VALUE_LOSS, 1.0),
    "learner/policy_loss": (m.POLICY_LOSS, 1.0),
    "learner/cur_lr": (m.LEARNING_RATE, 1.0),
    "learner/default_optimizer_learning_rate": (m.LEARNING_RATE, 1.0),
    # Spinning Up: fresh
    "AverageEpRet": (m.NEW_REWARD, 1.0),
    "EpLen": (m.NEW_LENGTH, 1.0),
    "AverageTestEpRet": (m.EVALUATION, 1.0),
    "LossPi": (m.POLICY_LOSS, 1.0),
    "LossV": (m.VALUE_LOSS, 1.0),
    "Entropy": (m.ENTROPY_LOSS, -1.0),
    "KL": (m.APPROX_KL, 1.0),
    "ClipFrac": (m.CLIP_FRACTION, 1.0),
    # Unity ML-Agents: fresh
    "Environment/Cumulative Reward": (m.NEW_REWARD, 1.0),
    "Environment/Episode Length": (m.NEW_LENGTH, 1.0),
    "Policy/Entropy": (m.ENTROPY_LOSS, -1.0),
    "Policy/Learning Rate": (m.LEARNING_RATE, 1.0),
    "Policy/Epsilon": (m.CLIP_RANGE, 1.0),
    "Losses/Policy Loss": (m.POLICY_LOSS, 1.0),
    "Losses/Value Loss": (m.VALUE_LOSS, 1.0),
    # rsl_rl (Isaac Lab, legged_gym): sliding
    "Train/mean_reward": (m.EPISODE_REWARD, 1.0),
    "Train/mean_episode_length": (m.EPISODE_LENGTH, 1.0),
    "Loss/value_function": (m.VALUE_LOSS, 1.0),
    "Loss/value": (m.VALUE_LOSS, 1.0),
    "Loss/surrogate": (m.POLICY_LOSS, 1.0),
    "Loss/entropy": (m.ENTROPY_LOSS, -1.0),
    "Loss/learning_rate": (m.LEARNING_RATE, 1.0),
    "Policy/mean_noise_std": (m.STD, 1.0),
    "Policy/mean_std": (m.STD, 1.0),
    # skrl; its steps are those of one of many games, so its sliding means are nearly fresh
    "Reward / Total reward (mean)": (m.NEW_REWARD, 1.0),
    "Episode / Total timesteps (mean)": (m.NEW_LENGTH, 1.0),
    "Loss / Policy loss": (m.POLICY_LOSS, 1.0),
    "Loss / Value loss": (m.VALUE_LOSS, 1.0),
    "Policy / Standard deviation": (m.STD, 1.0),
    "Learning / Learning rate": (m.LEARNING_RATE, 1.0),
}
BEGINNINGS = re.compile(
    r"^(ray/tune/|env_runners/|sampler_results/)+|"
    r"^(ray/tune/)?(info/learner|learners)/[^/]+/(learner_stats/)?"
)
# What counts a table's env steps, and its seconds; the first that is there.
STEPS = (
    "num_timesteps",
    "time/total_timesteps",
    "global_step",
    "num_env_steps_sampled_lifetime",
    "timesteps_total",
    "TotalEnvInteracts",
    "env_step",
    "train/env_step",
    "Step",
    "step",
    "_step",
)
SECONDS = ("_timestamp", "time/time_elapsed", "time_total_s", "Time", "_runtime")
# rsl_rl's step counts iterations; these, multiplied, are the env steps of one
ITERATION_SPEED = "Perf/total_fps"
ITERATION_SECONDS = ("Perf/collection time", "Perf/collection_time", "Perf/learning_time")
GRADIENT_STEPS = ("update/",)  # tags whose step counts gradient steps: time tells the env steps
SETTINGS = {
    "update_epochs": "n_epochs",
    "num_epochs": "n_epochs",
    "clip_coef": "clip_range",
    "num_steps": "n_steps",
    "num_envs": "n_envs",
    "minibatch_size": "batch_size",
    "lr": "learning_rate",
}


def settings_by_our_names(settings: Mapping[str, float]) -> dict[str, float]:
    """Returns another program's settings by SB3's names."""
    return {SETTINGS.get(name, name): value for name, value in settings.items()}


def our_name(tag: str) -> Name:
    """Returns our name for another program's tag, and the factor that converts its number."""
    if (short := BEGINNINGS.sub("", tag)) != tag:
        inner = f"learner/{short}" if "learner" in tag[: len(tag) - len(short)] else short
        return NAMES.get(inner, (tag, 1.0))
    return NAMES.get(tag, (tag, 1.0))
