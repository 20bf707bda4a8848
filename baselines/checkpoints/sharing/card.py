"""The model card of a checkpoint that is given away: what it is, what it can, how to play it."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import Any

from baselines.checkpoints.manifest import Manifest
from baselines.runs.session import Session
from baselines.training.config import PPOConfig, TrainConfig

WINDOW = 100  # episodes; SB3's for means
HEAD = """---
library_name: stable-baselines3
tags: [reinforcement-learning, ppo, game-boy-advance, pokemon-emerald-agent]
---

"""
PLAY = """
## Play it

Get the program (pokemon-emerald-agent) and, in its folder,

    python baselines/play.py {file}{rom}
    python baselines/checkpoint.py inspect {file}

The first shows it playing, the second what is in this file. `manifest.json` says all that is needed
to build game and network again; the weights are plain tensors in `policy.pth`, SHA-256
`{weights}`.
Where the program is installed, Stable-Baselines3 can open the file too. Its `load` runs the pickled
part of any file that it is given, so open only your own that way.
"""


def model_card(manifest: Manifest, session: Session | None, file: str, weights: str) -> str:
    """Returns the card as Markdown.

    Args:
        manifest: of the checkpoint.
        session: the run that made it, None where it is not known.
        file: the name of the file that the card goes into.
        weights: SHA-256 of its tensors.
    """
    rom = "" if manifest.game["code"] == "JADE" else " --rom YOUR_ROM.gba"
    parts = [
        HEAD,
        f"# {manifest.game['name']} after {manifest.num_timesteps:,} steps\n\n",
        _table(("what", "is"), _facts(manifest)),
        PLAY.format(file=file, rom=rom, weights=weights),
        "\n## Reward\n\n",
        f"Preset `{manifest.reward.get('name')}`: {manifest.reward.get('about') or 'no words'}\n\n",
        _table(("term", "weight"), list(manifest.reward.get("weights", {}).items())),
    ]
    if session is not None:
        parts += [_results(session, manifest.num_timesteps), _training(session)]
    return "".join(parts)


def _facts(manifest: Manifest) -> list[tuple[str, Any]]:
    memory = f" with an LSTM of {manifest.policy.lstm_size}" if manifest.policy.recurrent else ""
    env = {key: value for key, value in manifest.env.items() if key != "start"}
    return [
        ("game", f"{manifest.game['name']} ({manifest.game['code']})"),
        ("SHA-1 of its ROM", f"`{manifest.game['sha1']}`"),
        ("steps learnt from", f"{manifest.num_timesteps:,}"),
        ("network", f"{manifest.network} CNN{memory}, {manifest.n_stack} pictures at once"),
        ("actions", ", ".join(manifest.actions)),
        ("begins at", manifest.env.get("start")),
        *env.items(),
        *((f"version of {name}", version) for name, version in manifest.versions.items()),
    ]


def _results(session: Session, num_timesteps: int) -> str:
    """Returns what episodes brought until then, "" where none had ended."""
    episodes = [e for e in session.read_episodes() if e["num_timesteps"] <= num_timesteps]
    if not episodes:
        return ""
    latest = episodes[-WINDOW:]
    reward = sum(episode["reward"] for episode in latest) / len(latest)
    return (
        f"\n## Results\n\nWhile it learnt, actions sampled: {reward:.3f} reward an episode, the "
        f"mean of the latest {len(latest)} of {len(episodes):,}.\n\n"
        + _table(
            ("milestone", "first after steps", f"share of the latest {len(latest)}"),
            list(_milestones(episodes, latest)),
        )
    )


def _milestones(
    episodes: Sequence[dict[str, Any]], latest: Sequence[dict[str, Any]]
) -> Iterator[tuple[str, str, str]]:
    first: dict[str, int] = {}
    for episode in episodes:
        for name in episode["milestones"]:
            first.setdefault(name, episode["num_timesteps"])
    for name, steps in first.items():
        share = sum(name in episode["milestones"] for episode in latest) / len(latest)
        yield name, f"{steps:,}", f"{share:.0%}"


def _training(session: Session) -> str:
    config = TrainConfig.load(session.config)
    settings = [(part.name, getattr(config.ppo, part.name)) for part in fields(PPOConfig)]
    own = [("seed", config.seed), ("n_envs", config.n_envs), ("steps", config.total_timesteps)]
    return "\n## Settings of the training\n\n" + _table(("setting", "value"), own + settings)


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    if not rows:
        return "Nothing.\n"
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(map(_cell, line)) + " |\n" for line in lines)


def _cell(value: Any) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")
