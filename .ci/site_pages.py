"""Makes the pages of the site that are not in docs/: the first one, every setting, the API."""

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from baselines.settings.game_config import GameConfig
from baselines.settings.label_options import LabelOptions
from baselines.settings.policy_config import PolicyConfig
from baselines.settings.read_flags import field_texts
from baselines.settings.train_config import PPOConfig, TrainConfig

ROOT = Path(__file__).parents[1]
PARTS = {
    "The run": TrainConfig,
    "The game": GameConfig,
    "The learner": PPOConfig,
    "The network": PolicyConfig,
    "Learning from labels": LabelOptions,
}
API = {  # heading -> what mkdocstrings writes of its docstrings
    "The console": ["emerald_env.emulator.gba.GBA"],
    "The environment": [
        "emerald_env.env.env.EmeraldEnv",
        "emerald_env.env.config.EnvConfig",
        "emerald_env.parallel.vector_env.make_games",
    ],
    "The game's state": ["emerald_env.state.game_state.GameState"],
    "Rewards": [
        "rewards.reward.Reward",
        "rewards.preset.Preset",
        "rewards.kinds.Events",
        "rewards.kinds.Marks",
    ],
    "Diagnostics": [
        "baselines.diagnostics.diagnosis.Diagnosis",
        "baselines.diagnostics.finding.Finding",
    ],
}


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages that are made."""
    readme = (ROOT / "README.md").read_text("utf-8")
    readme = re.sub(r"\((?!docs/|https?:)([\w/]+\.md)\)", r"(../\1)", readme)
    pages = {
        "index.md": readme.replace("](docs/", "]("),
        "SETTINGS.md": settings(),
        "API.md": api(),
    }
    for name, text in pages.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Leaves the name of what is in the repository and not on the site, without its link."""
    return re.sub(r"\[([^\]]+)\]\(\.\./[^)]*\)", r"\1", markdown)


def settings() -> str:
    """Returns every setting of a training as tables."""
    lines = ["# Settings", "", "As `emerald train --help` prints them; a flag for each.", ""]
    for title, kind in PARTS.items():
        lines += [f"## {title}", "", "| flag | |", "|---|---|"]
        for name, text in field_texts(kind).items():
            cell = text.replace("|", "\\|").replace("<", "&lt;")
            lines.append(f"| `--{name.replace('_', '-')}` | {cell} |")
        lines.append("")
    return "\n".join(lines)


def api() -> str:
    """Returns the page of the API, from the names whose docstrings it shows."""
    lines = ["# API", "", "Classes and functions for your own code, from their docstrings.", ""]
    for heading, names in API.items():
        lines += [f"## {heading}", "", *(f"::: {name}" for name in names), ""]
    return "\n".join(lines)
