"""The wrapper that records episodes while games are played."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import gymnasium

from emerald_env.env.actions import action_set
from emerald_env.env.env import EmeraldEnv
from emerald_env.env.setting_types import Record
from emerald_env.recordings.recording import (
    ELSEWHERE,
    HASH_EVERY,
    LIMITS,
    MAX_STEPS,
    TRACK,
    Recording,
    software,
)
from emerald_env.recordings.replaying import identity, memory_hash
from emerald_env.starts.starts import Start
from emerald_env.state import TrackWriter, milestones_done

RECORDING = "recording"  # key of the last `info` of an episode


@dataclass(frozen=True)
class Recorded:
    """A recorded episode, on its way from a worker to the trainer."""

    file: bytes  # contents of a recording's file
    milestones: tuple[str, ...]  # reached in its recorded steps
    total: float  # reward of these steps


class Recorder(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Adds to the last `info` of an episode, under RECORDING, the episode as `Recorded`.

    While a game runs it keeps a byte per step and, now and then, a hash; only episodes worth
    keeping are compressed and returned. With "milestones" these are the ones that reached a
    milestone which this game had not reached before, or a higher reward than any before; with
    "every", all.

    Of a longer episode than a recording can be, `MAX_STEPS`, the first so many steps are recorded,
    with what they paid and reached. A track that would be too large to be read is left out.

    Args:
        env: `EpisodeSummary` around a game.
        record: which episodes.
        reward: the preset with all its weights, for the recording.
    """

    def __init__(
        self, env: gymnasium.Env[Any, Any], record: Record, reward: Mapping[str, Any]
    ) -> None:
        super().__init__(env)
        self._game: EmeraldEnv = env.unwrapped  # type: ignore[assignment]
        self._reward = reward
        self._every = record == "every"
        self._reached: set[str] = set()
        self._best = float("-inf")

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts a new recording; drops that of an unfinished episode."""
        result = super().reset(seed=seed, options=options)
        gba = self._game.gba
        self._start = Start(gba.get_state(), gba.save_data())
        self._packed_start: dict[str, bytes] | None = None
        self._given = set(self._milestones())  # reached before the episode, not in it
        self._pressed = bytearray()
        self._hashes = [memory_hash(gba)]
        self._track = TrackWriter()
        self._track.add(self._game.state)
        self._full: tuple[float, tuple[str, ...]] | None = None  # total and milestones until then
        return result

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps and records; at the end of an episode worth keeping, `info` has it."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if len(self._pressed) < MAX_STEPS:
            self._record(action)
        if terminated or truncated:
            info = info | self._finish(float(info["episode"]["r"]))
        return observation, reward, terminated, truncated, info

    def _record(self, action: Any) -> None:
        self._pressed.append(action)
        self._track.add(self._game.state)
        if len(self._pressed) % HASH_EVERY == 0:
            self._hashes.append(memory_hash(self._game.gba))
        if len(self._pressed) == MAX_STEPS:
            total, _ = self.env.get_wrapper_attr("under_way")()
            self._full = round(total, 6), self._new_milestones()

    def get_state(self) -> dict[str, Any]:
        """Returns the recording so far and the game's own state, see `EmeraldEnv.get_state`."""
        self._packed_start = self._packed_start or self._start.pack()
        return {
            "summary": self.env.get_wrapper_attr("get_state")(),
            "start": self._packed_start,
            "given": sorted(self._given),
            "pressed": bytes(self._pressed),
            "hashes": list(self._hashes),
            "track": self._track.to_bytes(),
            "reached": sorted(self._reached),
            "best": self._best,
            "full": self._full,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Resumes the game and its recording from what `get_state` returned."""
        self.env.get_wrapper_attr("set_state")(state["summary"])
        self._start, self._packed_start = Start.unpack(state["start"]), state["start"]
        self._given, self._reached = set(state["given"]), set(state["reached"])
        self._pressed, self._hashes = bytearray(state["pressed"]), list(state["hashes"])
        self._track = TrackWriter.resume(state["track"], len(self._pressed) + 1)
        self._best, self._full = state["best"], state.get("full")

    def so_far(self, total: float) -> Recorded:
        """Returns the episode up to now, which paid so much, or as much of it as is recorded."""
        total, milestones = self._full or (total, self._new_milestones())
        hashes = list(self._hashes)
        if len(self._pressed) % HASH_EVERY:  # never so when it is full
            hashes.append(memory_hash(self._game.gba))
        recording = self._recording(total, milestones, tuple(hashes))
        return Recorded(recording.to_bytes(), milestones, total)

    def _finish(self, total: float) -> dict[str, Recorded]:
        total, milestones = self._full or (total, self._new_milestones())
        worth = self._every or total > self._best or not self._reached.issuperset(milestones)
        self._best = max(self._best, total)
        self._reached.update(milestones)
        return {RECORDING: self.so_far(total)} if worth else {}

    def _new_milestones(self) -> tuple[str, ...]:
        return tuple(slug for slug in self._milestones() if slug not in self._given)

    def _milestones(self) -> tuple[str, ...]:
        state = self._game.state
        return milestones_done(state) if state is not None else ()

    def _recording(
        self, total: float, milestones: tuple[str, ...], hashes: tuple[int, ...]
    ) -> Recording:
        config, track = self._game.config, self._track.to_bytes()
        env = {name: value for name, value in asdict(config).items() if name not in ELSEWHERE}
        return Recording(
            game=identity(self._game.gba),
            env=env | {"start": Path(config.start).name},
            actions=tuple((action.name, action.keys) for action in action_set(config.action_set)),
            reward=self._reward,
            total=total,
            milestones=milestones,
            hash_every=HASH_EVERY,
            versions=software(),
            start=self._start,
            pressed=bytes(self._pressed),
            hashes=hashes,
            track=track if len(track) <= LIMITS[TRACK] else b"",
        )
