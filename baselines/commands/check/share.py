"""Gives a checkpoint away, with its card, a film and a verified score: `emerald share`."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import tyro

from baselines.checkpoints.downloads import (
    AGENT,
    HUB,
    MAX_BYTES,
    check_hub,
    failed,
    hub_errors,
    is_address,
    repository,
)
from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from baselines.checkpoints.manifest import read_manifest
from baselines.checkpoints.trained import find_checkpoint
from baselines.commands.command import reports_user_errors
from baselines.settings.read_flags import read_flags
from emerald_env.env.setting_types import Count, checked
from emerald_env.files.atomic import write_atomically
from emerald_env.files.data import MEBIBYTE, read_bytes
from emerald_env.files.output_files import removed_on_failure
from emerald_env.files.printable import counted, for_markdown, say
from emerald_env.files.zips import read_members
from emerald_env.parallel.worker_error import WorkerError

CARD, SCORE, FILM = "README.md", "score.json", "film.mp4"
SHOWN = """
## Score

Measured on {benchmark} in {episodes}, each recorded and replayed; check it with
`emerald benchmark verify {score}`, which runs no network.

**{value:.3f} ({low:.3f} to {high:.3f})** · assists: {assists} · [film]({film})

| milestone | reached in |
|---|---|
{rows}
"""


@checked
@dataclass(frozen=True)
class ShareConfig:
    """Give a checkpoint away with its model card, a verified score and a film; never a pickle."""

    checkpoint: tyro.conf.Positional[str]
    """A checkpoint (.zip), "jade", a session, or "last"."""
    to: str
    """hf://user/name on the Hugging Face Hub (log in with `hf auth login`), or a new folder"""
    assists: tuple[str, ...]
    """What helped it (docs/BENCHMARK.md): memory, states, teacher, script; or none."""
    episodes: Annotated[Count, tyro.conf.arg(metavar="N")] = 8
    """Episodes to measure it by."""
    private: bool = False
    """Make a repository that only you see."""

    def __post_init__(self) -> None:
        """Raises ValueError for an address that cannot be written to."""
        if self.to.startswith(HUB):
            repository(self.to)
        elif is_address(self.to) or Path(self.to).exists():
            raise ValueError(f"--to is {self.to}: give hf://user/name, or a new folder")


@reports_user_errors(CheckpointError, WorkerError)
def main(arguments: Sequence[str] | None = None) -> int:
    """Shares with the settings of a command line; returns the exit status."""
    config = read_flags(ShareConfig, arguments)
    checkpoint = find_checkpoint(config.checkpoint)
    manifest = read_manifest(checkpoint)
    if own := manifest.own_names:
        raise CheckpointError(
            f"it was trained with {' and '.join(own)}, Python code that is not shared: write a "
            "file to give away with `emerald checkpoint export`"
            + (f" --network {manifest.network}" if manifest.network in own else "")
        )
    if manifest.game["code"] != "JADE":
        raise ValueError("only agents of Jade have a score: use `emerald checkpoint export`")
    if not config.to.startswith(HUB):
        prepare_new(config, checkpoint, Path(config.to))
        say(f"wrote {config.to}")
        return 0
    check_hub()
    with TemporaryDirectory() as folder:
        prepare(config, checkpoint, Path(folder))
        say(f"shared {upload(config, Path(folder))}\nplay it with   emerald play {config.to}")
    return 0


def prepare_new(config: ShareConfig, checkpoint: Path, folder: Path) -> None:
    """Makes a folder with all that is shared; if that fails, nothing is left of it.

    Raises:
        FileExistsError: the folder exists.
        CheckpointError, BenchmarkError, WorkerError, OSError: see `prepare`.
    """
    folder.mkdir(parents=True)
    with removed_on_failure(folder):
        prepare(config, checkpoint, folder)


def prepare(config: ShareConfig, checkpoint: Path, folder: Path) -> None:
    """Writes all that is shared into an empty folder.

    Raises:
        CheckpointError, BenchmarkError, WorkerError, OSError: it cannot be exported, measured or
            written.
    """
    from baselines.checkpoints.sharing.export import export
    from baselines.commands.check.benchmark import BenchmarkConfig, measure
    from baselines.playing.benchmark.result_file import verify

    export(checkpoint, folder / AGENT)
    score = folder / SCORE
    name = Path(config.to).name
    measure(BenchmarkConfig(str(folder / AGENT), score, config.assists, config.episodes, name=name))
    result = verify(score)
    film(result, folder)
    agent = read_bytes(folder / AGENT, MAX_BYTES)
    card = read_members(agent, {CARD: MEBIBYTE})[CARD].decode()
    write_atomically(folder / CARD, (card + shown(result)).encode())


def shown(result: dict[str, Any]) -> str:
    """Returns the card's part with the score of a verified result."""
    value, low, high = result["score"]
    rows = [f"| {slug} | {share[0]:.0%} |" for slug, share in result["shares"].items()]
    return SHOWN.format(
        benchmark=result["benchmark"],
        episodes=counted(len(result["episodes"]), "episode"),
        score=SCORE,
        film=FILM,
        value=value,
        low=low,
        high=high,
        assists=for_markdown(", ".join(result["assists"]) or "none"),
        rows="\n".join(rows),
    )


def film(result: dict[str, Any], folder: Path) -> None:
    """Writes the seconds around the last milestone that an episode reached, or its beginning."""
    from baselines.commands.play.clip import ClipsConfig, make_clip
    from emerald_env.recordings.recording import Recording
    from emerald_env.recordings.replaying import open_recorded

    best = max(result["episodes"], key=lambda episode: len(episode["milestones"]))
    recording = Recording.load(folder / best["recording"])
    last = max(best["milestones"].values(), default=0)
    with open_recorded(recording) as gba:
        make_clip(recording, gba, last, folder / FILM, ClipsConfig("", folder))


def upload(config: ShareConfig, folder: Path) -> str:
    """Makes the repository if there is none, and uploads a folder; returns its address.

    Raises:
        DownloadError: the Hub refuses it, or cannot be reached.
    """
    from huggingface_hub import HfApi

    name, _ = repository(config.to)
    try:
        api = HfApi()
        api.create_repo(name, private=config.private, exist_ok=True)
        api.upload_folder(repo_id=name, folder_path=folder, commit_message="Share an agent")
    except hub_errors() as error:
        raise failed("share to", config.to, error) from error
    return f"{api.endpoint}/{name}"
