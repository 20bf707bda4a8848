"""Writes a run's numbers as other programs write them, under their names."""

import csv
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

Row = dict[str, float]

RL_GAMES = {
    "reward": ("rewards/step", 1.0), "length": ("episode_lengths/step", 1.0),
    "kl": ("info/kl", 1.0), "lr": ("info/last_lr", 1.0), "entropy": ("losses/entropy", 1.0),
    "value_loss": ("losses/c_loss", 1.0), "policy_loss": ("losses/a_loss", 1.0),
    "clip": ("info/e_clip", 1.0),
}  # fmt: skip
SAMPLE_FACTORY = {
    "reward": ("reward/reward", 1.0), "length": ("len/len", 1.0),
    "kl": ("train/kl_divergence", 1.0), "lr": ("train/lr", 1.0),
    "entropy": ("train/entropy", 1.0), "value_loss": ("train/value_loss", 0.5),
    "policy_loss": ("train/policy_loss", 1.0), "clip_fraction": ("train/fraction_clipped", 1.0),
}  # fmt: skip
TORCHRL = {
    "fresh": ("train/reward", 1.0), "fresh_length": ("train/episode_length", 1.0),
    "lr": ("train/lr", 1.0), "entropy": ("train/entropy", 1.0),
    "value_loss": ("train/loss_critic", 0.5), "policy_loss": ("train/loss_objective", 1.0),
    "kl": ("train/kl_approx", 1.0), "clip_fraction": ("train/clip_fraction", 1.0),
}  # fmt: skip
TIANSHOU = {"fresh": ("train/reward", 1.0), "fresh_length": ("train/length", 1.0)}
TIANSHOU_UPDATE = {
    "value_loss": ("update/loss/vf", 1.0), "policy_loss": ("update/loss/clip", 1.0),
    "entropy": ("update/loss/ent", 1.0),
}  # fmt: skip
CLEANRL = {
    "kl": ("losses/approx_kl", 1.0), "lr": ("charts/learning_rate", 1.0),
    "entropy": ("losses/entropy", 1.0), "value_loss": ("losses/value_loss", 0.5),
    "policy_loss": ("losses/policy_loss", 1.0), "clip_fraction": ("losses/clipfrac", 1.0),
    "explained": ("losses/explained_variance", 1.0),
}  # fmt: skip
CLEANRL_DQN = {"td": ("losses/td_loss", 1.0), "q": ("losses/q_values", 1.0)}
CLEANRL_UPDATES = {**CLEANRL, "fresh": ("charts/episodic_return", 1.0),
                   "fresh_length": ("charts/episodic_length", 1.0)}  # fmt: skip
LEARNER = "info/learner/default_policy/learner_stats/"
RLLIB = {
    "reward": ("episode_reward_mean", 1.0), "length": ("episode_len_mean", 1.0),
    "steps": ("timesteps_total", 1.0), "seconds": ("time_total_s", 1.0),
    "kl": (f"{LEARNER}kl", 1.0),
    "entropy": (f"{LEARNER}entropy", 1.0), "lr": (f"{LEARNER}cur_lr", 1.0),
    "explained": (f"{LEARNER}vf_explained_var", 1.0), "value_loss": (f"{LEARNER}vf_loss", 1.0),
    "policy_loss": (f"{LEARNER}policy_loss", 1.0), "updates": ("training_iteration", 1.0),
}  # fmt: skip
SPINNING_UP = {
    "updates": ("Epoch", 1.0), "fresh": ("AverageEpRet", 1.0), "fresh_length": ("EpLen", 1.0),
    "steps": ("TotalEnvInteracts", 1.0), "policy_loss": ("LossPi", 1.0),
    "value_loss": ("LossV", 1.0), "entropy": ("Entropy", 1.0), "kl": ("KL", 1.0),
    "clip_fraction": ("ClipFrac", 1.0), "seconds": ("Time", 1.0),
}  # fmt: skip
SB3 = {
    "reward": ("rollout/ep_rew_mean", 1.0), "length": ("rollout/ep_len_mean", 1.0),
    "steps": ("time/total_timesteps", 1.0), "seconds": ("time/time_elapsed", 1.0),
    "kl": ("train/approx_kl", 1.0), "lr": ("train/learning_rate", 1.0),
    "entropy": ("train/entropy_loss", -1.0), "value_loss": ("train/value_loss", 1.0),
    "explained": ("train/explained_variance", 1.0), "clip_fraction": ("train/clip_fraction", 1.0),
    "policy_loss": ("train/policy_gradient_loss", 1.0), "std": ("train/std", 1.0),
}  # fmt: skip

EVALUATED = {**SB3, "eval": ("eval/mean_reward", 1.0), "success": ("rollout/success_rate", 1.0)}
ML_AGENTS = {
    "fresh": ("Environment/Cumulative Reward", 1.0),
    "fresh_length": ("Environment/Episode Length", 1.0), "entropy": ("Policy/Entropy", 1.0),
    "lr": ("Policy/Learning Rate", 1.0), "value_loss": ("Losses/Value Loss", 1.0),
    "policy_loss": ("Losses/Policy Loss", 1.0),
}  # fmt: skip
RSL_RL = {
    "reward": ("Train/mean_reward", 1.0), "length": ("Train/mean_episode_length", 1.0),
    "lr": ("Loss/learning_rate", 1.0), "value_loss": ("Loss/value_function", 1.0),
    "policy_loss": ("Loss/surrogate", 1.0), "entropy": ("Loss/entropy", 1.0),
    "std": ("Policy/mean_noise_std", 1.0), "fps": ("Perf/total_fps", 1.0),
    "collecting": ("Perf/collection time", 1.0), "learning": ("Perf/learning_time", 1.0),
}  # fmt: skip
SKRL = {
    "reward": ("Reward / Total reward (mean)", 1.0),
    "length": ("Episode / Total timesteps (mean)", 1.0),
    "lr": ("Learning / Learning rate", 1.0), "value_loss": ("Loss / Value loss", 1.0),
    "policy_loss": ("Loss / Policy loss", 1.0), "std": ("Policy / Standard deviation", 1.0),
}  # fmt: skip


def renamed(row: Row, names: dict[str, tuple[str, float]]) -> Row:
    """Returns the numbers that a program logs, under its names."""
    return {tag: row[key] * factor for key, (tag, factor) in names.items() if key in row}


def write(log: str, folder: Path, rows: list[Row], episodes: list[Any]) -> None:
    """Writes a run's log.

    Args:
        log: the program.
        folder: where.
        rows: an update each, with the keys of the tables above.
        episodes: (env steps, seconds, return, length, number of the game) each.
    """
    WRITERS[log](folder, rows, episodes)


def _events(folder: Path) -> Any:
    from torch.utils.tensorboard import SummaryWriter

    return SummaryWriter(str(folder))


def _tagged(
    names: dict[str, tuple[str, float]], inner: str = "", clock: str = "steps"
) -> Callable[..., None]:
    def write_events(folder: Path, rows: list[Row], episodes: list[Any]) -> None:
        writer = _events(folder / inner)
        for row in rows:
            for tag, value in renamed(row, names).items():
                writer.add_scalar(tag, value, int(row[clock]), walltime=row["clock"])
        writer.close()

    return write_events


def _cleanrl(folder: Path, rows: list[Row], episodes: list[Any], names: Any = None) -> None:
    writer = _events(folder)
    for step, seconds, reward, length, _ in episodes:
        writer.add_scalar("charts/episodic_return", reward, step, walltime=seconds)
        writer.add_scalar("charts/episodic_length", length, step, walltime=seconds)
    writer.close()
    time.sleep(1.1)
    _tagged(names or CLEANRL)(folder, rows, episodes)


def _restarted(folder: Path, rows: list[Row], episodes: list[Any]) -> None:
    """A run that is continued from a checkpoint twice, and repeats two updates each time."""
    thirds = len(rows) // 3
    for begin in (0, thirds, 2 * thirds):
        end = begin + thirds if begin < 2 * thirds else len(rows)
        _tagged(SB3_EVENTS)(folder, rows[max(0, begin - 2) : end], episodes)
        time.sleep(1.1)


def _tianshou(folder: Path, rows: list[Row], episodes: list[Any]) -> None:
    """Its updates are counted in gradient steps."""
    writer = _events(folder)
    for row in rows:
        for names, step in ((TIANSHOU, row["steps"]), (TIANSHOU_UPDATE, row["gradient_steps"])):
            for tag, value in renamed(row, names).items():
                writer.add_scalar(tag, value, int(step), walltime=row["clock"])
    writer.close()


def _table(path: Path, rows: list[Row], delimiter: str = ",") -> None:
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, delimiter=delimiter, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _csv(
    name: str, names: dict[str, tuple[str, float]], delimiter: str = ","
) -> Callable[..., None]:
    def write_table(folder: Path, rows: list[Row], episodes: list[Any]) -> None:
        _table(folder / name, [renamed(row, names) for row in rows], delimiter)

    return write_table


def _json(
    name: str, names: dict[str, tuple[str, float]], nested: bool = False
) -> Callable[..., None]:
    def write_lines(folder: Path, rows: list[Row], episodes: list[Any]) -> None:
        lines = [renamed(row, names) for row in rows]
        texts = [json.dumps(_nest(line) if nested else line) for line in lines]
        (folder / name).write_text("\n".join(texts) + "\n")

    return write_lines


def _nest(flat: Row) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for name, value in flat.items():
        *path, last = name.split("/")
        inner = tree
        for part in path:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return tree


def _monitor(folder: Path, rows: list[Row], episodes: list[Any], name: str = "monitor.csv") -> None:
    start = episodes[0][1] if episodes else 0.0
    lines = [f"#{json.dumps({'t_start': start, 'env_id': 'Env'})}", "r,l,t"]
    lines += [f"{r},{n},{t - start:.6f}" for _, t, r, n, _ in episodes]
    (folder / name).write_text("\n".join(lines) + "\n")


def _monitors(folder: Path, rows: list[Row], episodes: list[Any]) -> None:
    """A file for each game."""
    for game in sorted({episode[-1] for episode in episodes}):
        own = [episode for episode in episodes if episode[-1] == game]
        _monitor(folder, rows, own, f"{game}.monitor.csv")


def _wandb_csv(folder: Path, rows: list[Row], episodes: list[Any]) -> None:
    """The download of a run's history."""
    named = [{"_step": i, "_timestamp": row["clock"], "global_step": row["steps"],
              **renamed(row, {k: v for k, v in SB3.items() if k not in ("steps", "seconds")})}
             for i, row in enumerate(rows)]  # fmt: skip
    _table(folder / "wandb_export_2026-01-01T12_00_00.000+01_00.csv", named)


SB3_EVENTS = {k: v for k, v in SB3.items() if k not in ("steps", "seconds")}
WRITERS: dict[str, Callable[..., None]] = {
    "tensorboard": _tagged(SB3_EVENTS),
    "monitor": _monitor,
    "progress_csv": _csv("progress.csv", SB3),
    "progress_json": _json("progress.json", SB3),
    "cleanrl": _cleanrl,
    "cleanrl_dqn": partial(_cleanrl, names=CLEANRL_DQN),
    "cleanrl_updates": _tagged(CLEANRL_UPDATES),
    "rl_games": _tagged(RL_GAMES, "summaries"),
    "sample_factory": _tagged(SAMPLE_FACTORY, ".summary/0"),
    "tianshou": _tianshou,
    "torchrl": _tagged(TORCHRL),
    "rllib_csv": _csv("progress.csv", RLLIB),
    "rllib_json": _json("result.json", RLLIB, nested=True),
    "spinningup": _csv("progress.txt", SPINNING_UP, "\t"),
    "wandb_csv": _wandb_csv,
    "ml_agents": _tagged(ML_AGENTS),
    "rsl_rl": _tagged(RSL_RL, clock="updates"),
    "skrl": _tagged(SKRL, clock="vector_steps"),
    "monitors": _monitors,
    "restarted": _restarted,
    "evaluated": _tagged({k: v for k, v in EVALUATED.items() if k not in ("steps", "seconds")}),
}
