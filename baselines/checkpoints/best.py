"""The best checkpoint of a run: a copy of it, with its score inside."""

import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import fsum, isfinite
from pathlib import Path

from baselines.checkpoints.formats.checkpoint_zip import CheckpointError, read_members
from baselines.checkpoints.manifest import Manifest, read_manifest
from emerald_env.files.data import fits, parse_json
from rewards.preset import pay_alike

SCORE = "score.json"
MAX_SCORE_BYTES = 4096  # bytes


@dataclass(frozen=True)
class Score:
    """How well the games went when a checkpoint was saved."""

    num_timesteps: int  # env steps trained on
    mean_reward: float  # of the latest episodes
    episodes: int  # averaged over, at most SB3's window of 100

    @classmethod
    def of(cls, rewards: Sequence[float], num_timesteps: int) -> "Score | None":
        """Returns the score of some episodes' rewards; None if there are none, or one is NaN."""
        total = fsum(rewards) if rewards else float("nan")
        return cls(num_timesteps, total / len(rewards), len(rewards)) if isfinite(total) else None

    def beats(self, other: "Score") -> bool:
        """Returns whether this is better; a mean over more episodes beats a higher one."""
        return (self.episodes, self.mean_reward) > (other.episodes, other.mean_reward)


def with_score(checkpoint: bytes, score: Score) -> bytes:
    """Returns the contents of a checkpoint's file with the score in it."""
    buffer = io.BytesIO(checkpoint)
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr(SCORE, json.dumps(asdict(score)))
    return buffer.getvalue()


def read_score(path: Path) -> Score | None:
    """Returns the score in a checkpoint's file, None if the file or the score is missing."""
    try:
        values = parse_json(read_members(path, {SCORE: MAX_SCORE_BYTES})[SCORE])
        return Score(**values) if fits(values, dict[str, float]) else None
    except (CheckpointError, LookupError, TypeError, ValueError):
        return None


def score_to_beat(path: Path, manifest: Manifest) -> Score | None:
    """Returns the score of the best checkpoint so far, None if there is none of this reward.

    Args:
        path: of the best checkpoint, in a session whose run may have resumed with another reward.
        manifest: of the run, with its reward.
    """
    try:
        other = not pay_alike(read_manifest(path).reward, manifest.reward)
    except (CheckpointError, OSError):
        return None
    return None if other else read_score(path)
