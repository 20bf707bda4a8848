"""A person's way through a game, in a folder: every key at its frame, and states now and then."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from emerald_env.emulator import key_mask
from emerald_env.env.env import EmeraldEnv
from emerald_env.files.atomic import write_atomically
from emerald_env.files.data import fits, read_bytes
from emerald_env.game.savefile import MAX_FILE_SIZE, pack_png, read_state
from emerald_env.recordings.find_recordings import SUFFIX
from emerald_env.recordings.recording import (
    ELSEWHERE,
    HASH_EVERY,
    KEYS_ALONE,
    MAX_ACTIONS,
    MAX_STEPS,
    Plain,
    Recording,
    RecordingError,
    check_steps,
    software,
)
from emerald_env.recordings.replaying import begin, identity, memory_hash
from emerald_env.recordings.snapshots import NO_FURTHER, Snapshots
from emerald_env.starts.progress_line import ProgressLine
from emerald_env.starts.starts import NEW_GAME, Start
from emerald_env.state import milestones_done

WAY = f"way{SUFFIX}"
STATES = "states"
GIVEN = "given"  # in the recording's env: the milestones that its start already has
OPPOSED = (key_mask("left", "right"), key_mask("up", "down"))
STATE_EVERY = 64  # steps between two states in the folder, and two savings of the keys


class PersonWay:
    """Records a person's keys frame by frame, in whole steps of an env.

    The recording's own steps are frames; it replays bit for bit. Going on another day continues
    the same recording from its last state.

    Args:
        folder: of the recording and its states; an earlier way there is continued.
        env: the game.
        reward: the preset with all its weights, for the recording.
        keeps_states: False writes keys and hashes alone, which need the same ROM and a new game.

    Raises:
        RecordingError: the folder's recording is damaged, full, of another game, or not a
            person's; or keys alone would not say where the game began.
    """

    def __init__(
        self, folder: Path, env: EmeraldEnv, reward: Mapping[str, Any], keeps_states: bool = True
    ) -> None:
        self.total = 0.0
        self._last: tuple[int, Start, int] | None = None  # after a step: its number, game, hash
        self._folder, self._env, self._reward = folder, env, reward
        self._keeps_states = keeps_states
        self._earlier = self._load()
        if not keeps_states and env.config.start != NEW_GAME:
            raise RecordingError(
                "--no-states keeps keys alone, and they begin with a new game: leave --start out"
            )

    def _load(self) -> Recording | None:
        path = self._folder / WAY
        if not path.is_file():
            return None
        earlier, own = Recording.load(path), identity(self._env.gba)
        check_steps(earlier, path)
        if earlier.game["sha1"] != own["sha1"]:
            raise RecordingError(
                f"{path} was recorded on {earlier.game['name']} (SHA-1 {earlier.game['sha1']}), "
                f"this is {own['name']} ({own['sha1']}): give another folder"
            )
        self._check_settings(earlier, path)
        self._check_room(earlier.n_steps)
        return earlier

    def _check_settings(self, earlier: Recording, path: Path) -> None:
        """Checks that an earlier way's steps are the env's, and what it says of its start."""
        every = self._env.config.frame_skip
        if (earlier.sampled_every, earlier.hash_every) != (every, self._hash_every):
            raise RecordingError(
                f"{path} was played with frame_skip {earlier.sampled_every} and a hash every "
                f"{earlier.hash_every:,} frames, this game has {every} and {self._hash_every:,}: "
                "give the same --frame-skip, or another folder"
            )
        if not fits(earlier.env.get(GIVEN, []), list[Plain]):
            raise RecordingError(
                f"{path} is damaged, {GIVEN!r} in its env is no list of milestones: "
                "give another folder"
            )

    def _check_room(self, frames: int) -> None:
        """Checks that another step fits into the recording, which has so many frames."""
        if frames + self._env.config.frame_skip > MAX_STEPS:
            raise RecordingError(
                f"{self._folder / WAY} is full: a recording has at most {MAX_STEPS:,} frames; go "
                f"on in another folder, and give --start the latest state in {STATES}"
            )

    # ---- playing

    def begin(self) -> bool:
        """Begins at the env's start, or goes on where the way ends.

        Returns:
            False if it had begun before: a way is one episode.

        Raises:
            RecordingError: the way's end cannot be loaded, it began elsewhere than the env's start,
                or keys alone would not say where; the message says what to do.
        """
        if self._last is not None:
            self.save()
            return False
        env = self._env
        self._masks, self._frames = [0], bytearray()
        self._start, self._hashes = Start(env.gba.get_state(), env.gba.save_data()), []
        self._snapshots = Snapshots(env)
        if self._earlier is not None:
            self._check_start(self._earlier)
            self._go_on(self._earlier)
        else:
            self._hashes.append(memory_hash(env.gba))
            self._given = self._milestones()
        self._snapshots.keep(self.steps, self.total)
        self._keep_last()
        return True

    def _check_start(self, earlier: Recording) -> None:
        """Checks that an earlier way began where this env does, if that matters; it is there now.

        It does where keys alone are kept, and where the user has named a start.
        """
        if earlier.hashes[0] == memory_hash(self._env.gba):
            return
        way, start = self._folder / WAY, self._env.config.start
        if not self._keeps_states:
            raise RecordingError(
                f"{way} did not begin with a new game, and --no-states would lose where it did: "
                "leave --no-states out, or give another folder"
            )
        if start != NEW_GAME:
            raise RecordingError(
                f"{way} did not begin in {start}, and continues where it ends: leave --start out, "
                "or give another folder"
            )

    def _go_on(self, earlier: Recording) -> None:
        self._masks = [keys for _, keys in earlier.actions]
        self._frames, self._start = bytearray(earlier.pressed), earlier.start
        self._given = tuple(earlier.env.get(GIVEN, ()))
        self._pay_again(earlier)
        gba, path = self._env.gba, self._state_file(self.steps)
        played_equally = memory_hash(gba) == earlier.hashes[-1]
        if path.is_file():
            save = path.with_suffix(".sav")
            gba.load_save(read_bytes(save, MAX_FILE_SIZE) if save.is_file() else self._start.save)
            gba.set_state(read_state(path))
        if memory_hash(gba) != earlier.hashes[-1]:
            raise RecordingError(
                f"{path} does not fit the keys of {self._folder / WAY}: remove that state, and "
                "the keys are played again from the start"
            )
        self._hashes = list(earlier.hashes[: 1 + len(self._frames) // self._hash_every])
        if not played_equally:  # by another version of the emulator: the state alone is right
            self._env.reader.reset()
            self._env.state = self._env.reader.sample()

    def _pay_again(self, earlier: Recording) -> None:
        """Plays an earlier way again: the reward must know what it has paid for already."""
        env, every, frames = self._env, earlier.sampled_every, earlier.n_steps
        begin(earlier, env.gba)
        env.reader.reset()
        env.state = env.reader.sample()
        env.reward.reset(env.state)
        self.total = 0.0
        with ProgressLine("playing the way again") as progress:
            for frame in range(0, frames, every):
                progress.show(f"{frame:,} of {frames:,} frames")
                for index in earlier.pressed[frame : frame + every]:
                    env.gba.step(self._masks[index], 1, 1, render=False)
                before, env.state = env.state, env.reader.sample()
                self.total += sum(env.reward(before, env.state).values())

    @property
    def steps(self) -> int:
        """How many whole steps of the env have been recorded."""
        return len(self._frames) // self._env.config.frame_skip

    @property
    def _hash_every(self) -> int:
        return HASH_EVERY * self._env.config.frame_skip

    def press(self, mask: int) -> int:
        """Records the keys of the next frame; returns those to hold in it.

        A cartridge's console cannot press opposite directions, so these count as none.
        """
        for both in OPPOSED:
            mask &= ~both if mask & both == both else ~0
        if mask not in self._masks and len(self._masks) == MAX_ACTIONS:
            mask = 0
        if mask not in self._masks:
            self._masks.append(mask)
        self._frames.append(self._masks.index(mask))
        return mask

    def end_step(self) -> None:
        """Called after each step of the env, once its reward is known.

        Raises:
            OSError: the folder cannot be written.
            RecordingError: the recording is full; all of it is saved.
        """
        if self.steps % HASH_EVERY == 0:
            self._hashes.append(memory_hash(self._env.gba))
        self._snapshots.keep(self.steps, self.total)
        self._keep_last()
        if self.steps % STATE_EVERY == 0:
            self.save()
        try:
            self._check_room(len(self._frames))
        except RecordingError:
            self.save()
            raise

    def _keep_last(self) -> None:
        gba = self._env.gba
        self._last = self.steps, Start(gba.get_state(), gba.save_data()), memory_hash(gba)

    def go_back(self) -> str:
        """Undoes the last five seconds, between two steps; returns a message about it."""
        now = self.steps
        then = self._snapshots.go_back(now)
        if then is None:
            return NO_FURTHER
        del self._frames[then.step * self._env.config.frame_skip :]
        del self._hashes[1 + then.step // HASH_EVERY :]
        for step in range(then.step + 1, now + 1):
            self._state_file(step).unlink(missing_ok=True)
            self._state_file(step).with_suffix(".sav").unlink(missing_ok=True)
        self.total = then.total
        self._keep_last()
        return self._snapshots.went_back(now - then.step)

    # ---- the folder

    def save(self) -> None:
        """Writes the recording, and the state at its end, if it has begun.

        Raises:
            OSError: it cannot be written.
        """
        if self._last is None:
            return
        step, end, digest = self._last
        path = self._state_file(step)
        path.parent.mkdir(parents=True, exist_ok=True)
        if self._keeps_states:
            write_atomically(path, pack_png(end.state, self._env.gba.screen.rgb))
            if end.save != self._start.save:
                write_atomically(path.with_suffix(".sav"), end.save)
        write_atomically(self._folder / WAY, self._recording(step, digest).to_bytes())

    def _state_file(self, step: int) -> Path:
        folder = self._folder / STATES if self._keeps_states else self._folder
        return folder / f"{step:09}.ss1"

    def _recording(self, step: int, digest: int) -> Recording:
        config = self._env.config
        env = {name: value for name, value in asdict(config).items() if name not in ELSEWHERE}
        env |= {"start": Path(config.start).name, "frame_skip": 1, "hold_frames": 1}
        env |= {"sampled_every": config.frame_skip, GIVEN: list(self._given)}
        whole = bytes(self._frames[: step * config.frame_skip])
        hashes = self._hashes[: 1 + step // HASH_EVERY]
        return Recording(
            game=identity(self._env.gba),
            env=env,
            actions=tuple((f"{mask:#05x}", mask) for mask in self._masks),
            reward=self._reward,
            total=self.total,
            milestones=tuple(m for m in self._milestones() if m not in self._given),
            hash_every=self._hash_every,
            versions=software(),
            start=self._start if self._keeps_states else KEYS_ALONE,
            pressed=whole,
            hashes=(*hashes, digest) if step % HASH_EVERY else tuple(hashes),
        )

    def _milestones(self) -> tuple[str, ...]:
        state = self._env.state
        return milestones_done(state) if state is not None else ()
