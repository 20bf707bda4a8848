"""The model card of an exported checkpoint: what it is, what it can do, how to play it."""

from collections import deque
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from baselines.checkpoints.manifest import Manifest
from baselines.runs.session_folder import Session
from baselines.settings.train_config import PPOConfig, TrainConfig
from emerald_env.files.data import MEBIBYTE, read_json
from emerald_env.files.printable import for_markdown, reason, warn

SHOWN = ("starter", "visited_petalburg", "badge_stone", "badge_knuckle")  # of what is reached
MAX_MEASURED_BYTES = 64 * MEBIBYTE  # 128 episodes of each disturbance have one
WINDOW = 100  # episodes, as in SB3's means
HEAD = """---
library_name: stable-baselines3
tags: [reinforcement-learning, ppo, game-boy-advance, pokemon-emerald-agent]
---

"""
PLAY = """
## Play it

Get the program (pokemon-emerald-agent) and, in its folder,

    emerald play {file}{game}
    emerald checkpoint inspect {file}

The first shows it playing, the second what is in this file. `manifest.json` has all that is needed
to rebuild game and network. {weights}
"""
TENSORS = "The weights are plain tensors in `policy.safetensors`, SHA-256\n`{}`."
SB3 = """Where the program is installed, Stable-Baselines3 can open the file too.
Its `load` runs the pickled part of any file it is given, so open only your own that way."""


def model_card(manifest: Manifest, session: Session | None, file: str, weights: str | None) -> str:
    """Returns the card as Markdown.

    Args:
        manifest: of the checkpoint.
        session: the run that made it, None if unknown.
        file: the name of the file that the card goes into.
        weights: SHA-256 of its tensors; None for a zip of Stable-Baselines3.

    Raises:
        CheckpointError: its reward cannot be used.
    """
    preset = manifest.preset()
    how = SB3 if weights is None else TENSORS.format(weights)
    parts = [
        HEAD,
        f"# {for_markdown(manifest.game['name'])} after {manifest.num_timesteps:,} steps\n\n",
        _table(("what", "is"), _facts(manifest)),
        PLAY.format(file=for_markdown(file), game=_named_game(manifest), weights=how),
        "\n## Reward\n\n",
        f"Preset {for_markdown(preset.name)}: {for_markdown(preset.about or 'no description')}\n\n",
        _table(("term", "weight"), list(preset.weights.items())),
    ]
    if session is not None:
        parts += [_results(session, manifest.num_timesteps), _training(session)]
    return "".join(parts)


def session_of(checkpoint: Path) -> Session | None:
    """Returns the session that a checkpoint lies in; None, with a note, if its settings are bad."""
    checkpoint = checkpoint.resolve()
    session = Session.of(checkpoint)
    if checkpoint.parent != session.checkpoints or not session.config.is_file():
        return None
    try:
        TrainConfig.load(session.config)
    except (OSError, ValueError) as error:
        warn(f"the card is without the training's results: {reason(error)}")
        return None
    return session


def _named_game(manifest: Manifest) -> str:
    """Returns the flag that names its game, where that is not Jade as it is."""
    if manifest.game["code"] != "JADE":
        return " --rom YOUR_ROM.gba"
    return "" if manifest.own_world is None else f" --world {for_markdown(manifest.own_world)}"


def disturbances(measured: Path) -> str:
    """Returns the card's part on how well it plays off its usual way.

    Args:
        measured: what `evaluate --disturb all --json` printed.

    Raises:
        OSError: the file cannot be read.
        ValueError: it holds something else.
    """
    try:
        players = read_json(measured, MAX_MEASURED_BYTES)["players"]
        reached = {name for player in players for name in player["milestones"]}
        badges = [name for name in SHOWN if name in reached]
        rows = [
            (player["name"], *(f"{_share(player, name):.0%}" for name in badges))
            for player in players
        ]
        count = len(players[0]["episodes"])
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise ValueError(
            f"{measured} is not what `emerald evaluate --disturb all --json` prints ({error})"
        ) from error
    return f"\n## Disturbed, of {count} episodes each\n\n" + _table(("by", *badges), rows)


def _share(player: dict[str, Any], milestone: str) -> float:
    """Returns in what share of its episodes a player reached a milestone."""
    found = player["milestones"].get(milestone)
    return float(found["share"]["value"]) if found else 0.0


def _facts(manifest: Manifest) -> list[tuple[str, Any]]:
    seen = "picture" if manifest.sees_pictures else "step"
    seen += "s" * (manifest.n_stack != 1)
    env = {key: value for key, value in manifest.env.items() if key != "start"}
    return [
        ("game", f"{manifest.game['name']} ({manifest.game['code']})"),
        ("SHA-1 of its ROM", f"`{manifest.game['sha1']}`"),
        ("steps trained on", f"{manifest.num_timesteps:,}"),
        ("network", f"{manifest.whole_network_title}, {manifest.n_stack} {seen} at once"),
        ("actions", ", ".join(manifest.actions)),
        ("begins at", manifest.env.get("start")),
        *env.items(),
        *((f"version of {name}", version) for name, version in manifest.versions.items()),
    ]


def _results(session: Session, num_timesteps: int) -> str:
    """Returns the episodes' results up to then, "" if none had ended."""
    latest: deque[dict[str, Any]] = deque(maxlen=WINDOW)
    first: dict[str, int] = {}
    count = 0
    for episode in session.read_episodes():
        if episode["num_timesteps"] <= num_timesteps:
            count += 1
            latest.append(episode)
            for name in episode.get("milestones", ()):
                first.setdefault(name, episode["num_timesteps"])
    if not count:
        return ""
    reward = sum(episode["reward"] for episode in latest) / len(latest)
    rows = []
    for name, steps in first.items():
        share = sum(name in episode.get("milestones", ()) for episode in latest) / len(latest)
        rows.append((name, f"{steps:,}", f"{share:.0%}"))
    return (
        f"\n## Results\n\nDuring training, with sampled actions: {reward:.3f} reward per episode, "
        f"the mean of the latest {len(latest)} of {count:,}.\n\n"
        + _table(("milestone", "first after steps", f"share of the latest {len(latest)}"), rows)
    )


def _training(session: Session) -> str:
    config = TrainConfig.load(session.config)
    settings = [(part.name, getattr(config.ppo, part.name)) for part in fields(PPOConfig)]
    own = [("seed", config.seed), ("n_envs", config.n_envs), ("steps", config.total_timesteps)]
    return "\n## Settings of the training\n\n" + _table(("setting", "value"), own + settings)


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    if not rows:
        return "Nothing.\n"
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(map(for_markdown, line)) + " |\n" for line in lines)
