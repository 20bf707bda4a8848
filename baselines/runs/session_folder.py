"""The folder that one training run writes."""

import json
import os
import platform
import re
import secrets
import stat
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from baselines.runs.json_lines import append_lines, cut_after
from baselines.runs.log_lines import DiagnosisLine, EpisodeLine
from emerald_env.files.atomic import PART
from emerald_env.files.data import DataError, JsonLines, check_no_links, read_bytes, read_toml
from emerald_env.files.printable import printable
from emerald_env.recordings.find_recordings import session_folders

LOCK, HOLDER = ".lock", ".lock.holder"
HELD, MAX_HOLDER = re.compile(r"process ([1-9][0-9]{0,8}) on (.+)"), 400  # bytes
CHECKPOINT_NAME = re.compile(r"ppo_(\d+)_steps\.zip")
RECORDING_NAME = re.compile(r"steps_(\d+)_game_(\d+)\.recording")


class Session:
    """The paths of one run; `sessions/README.md` says what each file is."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = folder / "config.json"  # the settings
        self.reward = folder / "reward.toml"  # the preset with all its weights, for `--reward`
        self.checkpoints = folder / "checkpoints"
        self.best = self.checkpoints / "best.zip"  # a copy of the one with the highest mean reward
        self.healthy = folder / "healthy.zip"  # the policy when it was last healthy, for rollbacks
        self.archive = folder / "archive"  # states that exploring and learning reached
        # a JSON line for each
        self.episodes = folder / "episodes.jsonl"
        self.diagnostics = folder / "diagnostics.jsonl"  # update
        self.sightings = folder / "sightings.jsonl"  # few thousand steps: where games have been
        self.photographs = folder / "photographs.jsonl"  # picture of those places
        self.funnel = folder / "funnel.json"  # how many episodes reached each milestone
        self.recordings = folder / "recordings"  # of episodes; created with the first
        self.clips = folder / "clips"  # videos of milestones; created with the first
        self.frames = folder / "frames"  # the games' current pictures
        # what games show now, for `emerald watch`, while a training, `play` or `evaluate` runs
        self.live = folder / "live"
        self.live_files = [self.live, folder / "live-play", folder / "live-evaluate"]

    @classmethod
    def create(cls, sessions: Path, game: str) -> "Session":
        """Makes the folder of a new run, `<date>_<time>_<game>_<id>`, below `sessions`.

        Raises:
            OSError: the folder cannot be made; the message names it and the setting to change.
        """
        stamp = datetime.now().strftime("%Y-%m-%d_%H-%M-%S")
        session = cls(sessions / f"{stamp}_{slug(game)}_{secrets.token_hex(2)}")
        try:
            for folder in (session.checkpoints, session.frames):
                folder.mkdir(parents=True)
        except OSError as error:
            raise OSError(
                f"no session below {sessions} ({error}): give --sessions FOLDER"
            ) from error
        return session

    @classmethod
    def find(cls, sessions: Path, name: str) -> "Session":
        """Returns the session called `name`: a path, a folder below `sessions`, or "last".

        "last" is the newest one that has a checkpoint.

        Raises:
            FileNotFoundError: there is none; the message says where we looked.
        """
        if name == "last":
            for session in newest_first(sessions):
                if session.latest_checkpoint() is not None:
                    return session
            raise FileNotFoundError(f"no session with a checkpoint in {sessions}: train one first")
        for folder in (Path(name), sessions / name):
            if (folder / "config.json").is_file():
                return cls(folder.resolve())
        raise FileNotFoundError(
            f"no session {name!r}, neither at this path nor in {sessions} (it would have a "
            'config.json): give a session\'s folder or "last"'
        )

    @classmethod
    def of(cls, checkpoint: Path) -> "Session":
        """Returns the session that a checkpoint was saved in."""
        return cls(checkpoint.parent.parent)

    def checkpoint(self, num_timesteps: int) -> Path:
        """Returns the path of the checkpoint after `num_timesteps` env steps."""
        return self.checkpoints / f"ppo_{num_timesteps}_steps.zip"

    def saved_checkpoints(self) -> list[Path]:
        """Returns the checkpoints, fewest steps first."""
        steps = {path: checkpoint_steps(path) for path in self.checkpoints.glob("*.zip")}
        return sorted((path for path, found in steps.items() if found >= 0), key=steps.__getitem__)

    def latest_checkpoint(self) -> Path | None:
        """Returns the checkpoint with the most steps, None if there is none yet."""
        saved = self.saved_checkpoints()
        return saved[-1] if saved else None

    def ordinary_recordings(self) -> list[Path]:
        """Returns recordings that are neither a milestone's first nor the best, oldest first."""
        steps = {
            path: (int(match[1]), int(match[2]))
            for path in self.recordings.glob("*.recording")
            if (match := RECORDING_NAME.fullmatch(path.name))
        }
        return sorted(steps, key=steps.__getitem__)

    def check_own_files(self) -> None:
        """Checks that the folder has no links, which an untrusted session may have.

        Raises:
            ValueError: something is a link, or neither a file nor a folder.
        """
        for path in self.folder.rglob("*"):
            try:
                kind = path.lstat().st_mode
            except FileNotFoundError:
                continue  # a run that is ending tidies up
            if not stat.S_ISREG(kind) and not stat.S_ISDIR(kind):
                raise ValueError(
                    f"{path} is a link or a device, and a run would write to its target: replace "
                    "it with a real file, or remove it"
                )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Locks the folder against other runs.

        Raises:
            ValueError: another run uses it; the message says which.
        """
        from filelock import FileLock, Timeout  # slow to load

        lock, holder = FileLock(self.folder / LOCK, timeout=0), self.folder / HOLDER
        try:
            lock.acquire()
        except Timeout:
            who = holder.read_text()[:100] if holder.is_file() else "another process"
            raise ValueError(
                f"{self.folder} is in use by {printable(who)}: end that run first"
            ) from None
        try:
            holder.unlink(missing_ok=True)
            holder.write_text(f"process {os.getpid()} on {platform.node()}")
            yield
        finally:
            holder.unlink(missing_ok=True)
            lock.release()

    @property
    def is_held(self) -> bool:
        """Whether a run of this machine that has locked the folder is alive."""
        try:
            check_no_links(self.folder, self.folder / HOLDER)
            said = HELD.fullmatch(read_bytes(self.folder / HOLDER, MAX_HOLDER).decode())
            if said is None or said[2] != platform.node():
                return False
            os.kill(int(said[1]), 0)  # asks only
        except PermissionError:
            return True  # somebody else's
        except (OSError, ValueError):
            return False
        return True

    def go_back_to(self, num_timesteps: int) -> None:
        """Removes lines of later steps, and partial files left behind by a kill.

        A resumed run replays what came after its checkpoint.
        """
        for path in (self.episodes, self.diagnostics, self.sightings, self.photographs):
            cut_after(path, num_timesteps)
        for path in self.folder.rglob(f".*{PART}*"):
            path.unlink()

    def append_episodes(self, episodes: Iterable[dict[str, Any]]) -> None:
        """Adds one JSON line for each of `episodes`.

        Raises:
            OSError: they cannot be written; the file then has none of them.
        """
        append_lines(self.episodes, [json.dumps(episode) for episode in episodes])

    def read_episodes(self) -> JsonLines:
        """Returns the episodes written so far; other lines are skipped."""
        return JsonLines(self.episodes, EpisodeLine, self.folder)

    def read_reward(self) -> dict[str, Any] | None:
        """Returns what paid, the values of its reward.toml; None where it has none.

        Raises:
            OSError, DataError: the file is a link, or cannot be read; the message names it.
        """
        if not os.path.lexists(self.reward):
            return None
        check_no_links(self.folder, self.reward)
        try:
            return read_toml(self.reward)
        except DataError as error:
            raise DataError(f"{self.reward}: {error}") from error

    def read_diagnostics(self) -> JsonLines:
        """Returns the diagnosis of each update; other lines are skipped."""
        return JsonLines(self.diagnostics, DiagnosisLine, self.folder)


def checkpoint_steps(path: Path) -> int:
    """Returns the env steps in a session's checkpoint's name; -1 if it has another name."""
    match = CHECKPOINT_NAME.fullmatch(path.name)
    return int(match[1]) if match else -1


def slug(game: str) -> str:
    """Returns a game's name in small letters, digits and dashes: "pokemon-emerald-us"."""
    plain = unicodedata.normalize("NFKD", game).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "game"


def newest_first(sessions: Path) -> list[Session]:
    """Returns the sessions below `sessions`, newest first."""
    return [Session(folder) for folder in session_folders(sessions)]
