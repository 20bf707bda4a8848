"""Keeps noteworthy episodes, with a short video of each milestone's first time."""

import shlex
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback

from baselines.runs.parent import beside_this
from baselines.runs.session_folder import Session
from emerald_env.files.atomic import write_atomically
from emerald_env.files.printable import warn
from emerald_env.game.choice import Rom, choice_of
from emerald_env.game.tables import milestones
from emerald_env.recordings.find_recordings import BEST, SUFFIX
from emerald_env.recordings.recording import Recording
from emerald_env.wrappers.recorder import RECORDING, Recorded
from rewards.preset import pay_alike

PATIENCE = 20.0  # seconds that the end of a run waits for unfinished videos
GRACE = 5.0  # seconds that an ended clip has to remove its partial file


class RecordingCallback(BaseCallback):
    """Writes the recordings that the games hand over into the session, see `wrappers.recorder`.

    `recordings/first_<milestone>.recording` is the first episode that reached a milestone (the last
    one, if several were new in it), `recordings/best.recording` the one with the highest reward;
    with `every`, `recordings/steps_<steps>_game_<number>.recording` are the latest ones.
    `clips/<milestone>.mp4` are the seconds before each milestone's first time.

    A full disk ends the recording, not the run.

    A resumed run knows from the recordings what was reached and paid in episodes that are in no
    list: those of practice, and a teacher's.

    Args:
        session: whose folders are written; milestones that it has already reached are not new.
        rom: of the games, None for Jade.
        reward: the preset with all its weights; the best episode of another one counts no more.
        every: whether to keep episodes that are neither first nor best, too.
        keep: how many of those are kept.
    """

    def __init__(
        self, session: Session, rom: Rom, reward: Mapping[str, Any], every: bool, keep: int
    ) -> None:
        super().__init__()
        self._session = session
        self._every = every
        self._keep = keep
        self._clips = ClipMaker(session.clips, rom)
        self._reached: set[str] = set()
        for episode in session.read_episodes():
            self._reached.update(episode.get("milestones", ()))
        for milestone in milestones():
            if first := _kept(session.recordings / f"first_{milestone.slug}{SUFFIX}"):
                self._reached.update(first.milestones)
        best = _kept(session.recordings / BEST)
        is_ours = best is not None and pay_alike(best.reward, reward)
        self._best = best.total if best is not None and is_ours else float("-inf")

    def _on_step(self) -> bool:
        for game in self.locals["dones"].nonzero()[0]:
            recorded = self.locals["infos"][game].get(RECORDING)
            if recorded is not None:
                self._take(recorded, int(game))
        self._clips.start_next()
        return True

    def _take(self, recorded: Recorded, game: int) -> None:
        try:
            self._write(recorded, game)
        except OSError as error:
            warn(f"note: an episode was not recorded: {error}")

    def _write(self, recorded: Recorded, game: int) -> None:
        folder = self._session.recordings
        folder.mkdir(exist_ok=True)
        if new := [slug for slug in recorded.milestones if slug not in self._reached]:
            path = folder / f"first_{new[-1]}.recording"
            write_atomically(path, recorded.file)
            self._reached.update(new)
            self._clips.add(path, new)
        if recorded.total > self._best:
            write_atomically(folder / BEST, recorded.file)
            self._best = recorded.total
        if self._every:
            name = f"steps_{self.num_timesteps}_game_{game:02d}.recording"
            write_atomically(folder / name, recorded.file)
            for old in self._session.ordinary_recordings()[: -self._keep]:
                old.unlink()

    def close(self) -> None:
        """Waits a little for unfinished videos, then ends them."""
        self._clips.close()


def _kept(path: Path) -> Recording | None:
    """Returns a recording of the session, None if it has none there that can be read."""
    try:
        return Recording.load(path)
    except (OSError, ValueError):
        return None


class ClipMaker:
    """Makes clips one after the other in a separate process of the lowest priority.

    Drawing and encoding thus take no time from the games or from learning, and a failure there
    cannot harm the run.

    Args:
        folder: where the clips go.
        rom: of the recordings, None for Jade.
    """

    def __init__(self, folder: Path, rom: Rom) -> None:
        self._folder = folder
        self._game = choice_of(rom).flags()
        self._waiting: deque[list[str]] = deque()
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: Any = None

    def add(self, recording: Path, milestones: list[str]) -> None:
        """Queues the clips of some milestones."""
        flags = ["--folder", str(self._folder), "--milestones", *milestones, "--background"]
        program = [sys.executable, "-m", "baselines", "clip"]
        self._waiting.append([*program, str(recording), *self._game, *flags])

    def start_next(self) -> None:
        """Starts the next clip when there is one and the last is done; costs next to nothing."""
        if self._process is not None and self._process.poll() is not None:
            self._finish()
        while self._process is None and self._waiting:
            command = self._waiting.popleft()
            try:
                self._start(command)
            except OSError as error:
                warn(f"note: a clip was not made: {error}")

    def _start(self, command: list[str]) -> None:
        self._folder.mkdir(exist_ok=True)
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=self._errors, env=beside_this()
        )

    def close(self) -> None:
        """Waits up to PATIENCE seconds for the current clip, ends it and reports what is left."""
        deadline = monotonic() + PATIENCE
        self.start_next()
        while self._process is not None:
            try:
                self._process.wait(max(0.0, deadline - monotonic()))
            except subprocess.TimeoutExpired:
                self._give_up(self._process)
            self.start_next()

    def _give_up(self, process: "subprocess.Popen[bytes]") -> None:
        """Ends the current clip, which removes its partial file, and forgets those after it."""
        for command in ([str(part) for part in process.args], *self._waiting):  # type: ignore[union-attr]
            again = shlex.join(["emerald", *command[3:]]).removesuffix(" --background")
            warn(f"note: no time was left for a clip; make it with   {again}")
        self._waiting.clear()
        process.terminate()
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _finish(self) -> None:
        assert self._process is not None
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip()
        if 0 < self._process.returncode < 128 and said:  # ended by a signal: no message
            warn(f"note: a clip was not made: {said}")
        self._errors.close()
        self._process = None
