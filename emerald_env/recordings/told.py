"""A recording told as steps of an agent's own actions, wherever these lead the same way.

A person's keys are not an agent's steps: a step is told where the agent's action for the keys that
go down leads, in a second emulator, to what the person's keys led to. Pauses are no steps. Way
there and back without lasting gain (detours, menus, lost battles) is left out.
"""

import zlib
from collections.abc import Hashable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from emerald_env.emulator import SaveError, StateError
from emerald_env.env.actions import action_set
from emerald_env.env.config import EnvConfig
from emerald_env.env.env import EmeraldEnv
from emerald_env.env.observation import Observation
from emerald_env.game.savefile import SaveFileError, read_state
from emerald_env.recordings.recording import Recording, RecordingError
from emerald_env.recordings.replaying import begin, memory_hash, rom_sha1
from emerald_env.state import GameState, Mode

SAMPLE = 4  # frames between two looks at a person's game; a tile takes 8 or 16
MAX_FRAMES = 96  # frames in which a person's keys must lead where the agent's step leads


@dataclass(frozen=True)
class ToldStep:
    """A moment of a recording in which keys go down, and the agent's action for them.

    A recording that can be read to its end has a last one, in which none go down.
    """

    frame: int
    state: GameState
    packed: bytes = field(repr=False)  # the game's raw state, compressed by zlib
    seen: Observation
    keys: int  # that go down; 0: none, at the end
    action: int | None  # None: no action of the agent's leads where the keys led


@dataclass(frozen=True)
class Told:
    """A recording as an agent's steps.

    Attributes:
        steps: what is worth learning, in order, up to the moment after the last press.
        pressed: how many times keys went down.
        same: how many of these the agent's actions can tell.
        broken_at: frames at which memory was not the recorded one; what follows was left out, up to
            the next state that fits.
    """

    steps: tuple[ToldStep, ...]
    pressed: int
    same: int
    broken_at: tuple[int, ...]


def tell(recording: Recording, config: EnvConfig, states: Sequence[Path] = ()) -> Told:
    """Tells a recording as steps of `config`'s actions.

    Args:
        recording: a person's or an agent's.
        config: the agent's game.
        states: of the recording, named by the agent's steps until them, to go on from where its
            keys do not fit.

    Raises:
        RecordingError: it is of another game, or its start cannot be used.
    """
    with closing(EmeraldEnv(config)) as person, closing(EmeraldEnv(config)) as agent:
        if rom_sha1(person.gba) != recording.game["sha1"]:
            raise RecordingError(f"it was recorded on {recording.game['name']}, another game")
        teller = _Teller(recording, person, agent, states)
        steps = list(teller.steps())
        end = teller.end() if steps else []
    same = sum(step.action is not None for step in steps)
    kept = without_loops([*steps, *end])
    return Told(tuple(kept), len(steps), same, tuple(teller.broken_at))


def without_loops(steps: Sequence[ToldStep]) -> list[ToldStep]:
    """Returns the steps without those between two moments in which all that lasts is the same."""
    kept: list[ToldStep] = []
    at: dict[Hashable, int] = {}
    for step in steps:
        place = lasting(step.state)
        if place in at:
            for gone in kept[at[place] + 1 :]:
                at.pop(lasting(gone.state), None)
            del kept[at[place] :]
        if place is not None:
            at[place] = len(kept)
        kept.append(step)
    return kept


def lasting(state: GameState) -> Hashable:
    """Returns where a player stands with all that lasts; None where no keys move the player."""
    if not state.controllable:
        return None
    levels = tuple((pokemon.personality, pokemon.level) for pokemon in state.party)
    story = state.flags, state.pokedex_caught, levels
    return state.location, state.position, state.facing, story


def _outcome(state: GameState | None) -> Hashable:
    """Returns what an agent's step and a person's keys must have in common."""
    if state is None:
        return None
    foes = tuple((foe.species, foe.hp) for foe in state.enemy_party)
    own = tuple((pokemon.personality, pokemon.hp) for pokemon in state.party)
    place = state.location, state.position, state.facing
    return place, state.flags, state.in_battle, state.dialog_open, foes, own


def _listens(state: GameState | None) -> bool:
    """Returns whether the game waits for keys, or may: no map is being loaded."""
    return state is not None and state.mode != Mode.TRANSITION


class _Teller:
    """Plays a recording frame by frame in one env, and tries the agent's steps in another."""

    def __init__(
        self, recording: Recording, person: EmeraldEnv, agent: EmeraldEnv, states: Sequence[Path]
    ) -> None:
        self.broken_at: list[int] = []
        self._recording, self._person, self._agent = recording, person, agent
        self._masks = list(_frames(recording))
        self._actions = {a.keys: number for number, a in enumerate(action_set_of(agent))}
        every = person.config.frame_skip
        self._states = {int(path.stem) * every: path for path in states if path.stem.isdecimal()}
        self._frame = 0
        self._seen: Observation | None = None  # at the frame; None: it was not drawn

    def steps(self) -> Iterator[ToldStep]:
        """Yields each moment in which keys go down, or stay down on a new tile."""
        begin(self._recording, self._person.gba)
        self._person.look_at(self._person.gba.get_state())
        while self._to_next_press():
            state = self._person.state
            if state is None:
                self._run(SAMPLE)
                continue
            yield self._step(state)

    def end(self) -> list[ToldStep]:
        """Returns the moment after all `steps`; none where it cannot be read or is not as recorded.

        It alone shows what the last press led to.
        """
        state, seen = self._person.state, self._seen
        if state is None or seen is None:
            return []
        packed = zlib.compress(self._person.gba.get_state(), 1)
        return [ToldStep(self._frame, state, packed, seen, 0, None)]

    def _to_next_press(self) -> bool:
        """Runs to where keys go down; returns False at the end."""
        masks = self._masks
        while self._frame < len(masks) and (not masks[self._frame] or self._seen is None):
            self._run(1 if masks[self._frame] else self._until_change())
        return self._frame < len(masks)

    def _step(self, state: GameState) -> ToldStep:
        frame, keys, before = self._frame, self._masks[self._frame], _outcome(state)
        raw, seen = self._person.gba.get_state(), self._seen
        action = self._actions.get(keys)
        meant = before if action is None else self._agents(raw, keys)
        same = action is not None and self._follow(keys, before, meant)
        if action is None:
            self._follow(keys, before, before)
        assert seen is not None
        return ToldStep(frame, state, zlib.compress(raw, 1), seen, keys, action if same else None)

    def _agents(self, raw: bytes, keys: int) -> Hashable:
        """Returns where the agent's step leads from a state; through a door, behind it."""
        self._agent.gba.set_state(raw)
        self._agent.reader.reset()
        config = self._agent.config
        self._agent.gba.step(keys, config.hold_frames, config.frame_skip, render=False)
        state, waited = self._agent.reader.sample(), 0
        while not _listens(state) and waited < MAX_FRAMES:
            self._agent.gba.step(0, SAMPLE, SAMPLE, render=False)
            state, waited = self._agent.reader.sample(), waited + SAMPLE
        return _outcome(state)

    def _follow(self, keys: int, before: Hashable, meant: Hashable) -> bool:
        """Runs on until the next decision; returns whether the agent's step leads there, too."""
        begun, met = self._frame, meant == before
        still, there = True, None
        while self._frame < len(self._masks) and self._frame - begun < MAX_FRAMES:
            if self._frame > begun and self._goes_down(keys) and _listens(self._person.state):
                break
            self._run(self._until_change())
            now = _outcome(self._person.state)
            if self._frame - begun <= self._agent.config.frame_skip:
                still = still and now == before
            if meant != before and now == meant:
                met, there = True, self._moment()
            elif there is not None:
                self._return_to(there)  # a tile further: decide before
                break
        return met and (still or meant != before)

    def _moment(self) -> tuple[int, bytes, Observation | None, GameState | None]:
        return self._frame, self._person.gba.get_state(), self._seen, self._person.state

    def _return_to(self, moment: tuple[int, bytes, Observation | None, GameState | None]) -> None:
        self._frame, raw, self._seen, state = moment
        self._person.look_at(raw)
        self._person.state = state

    def _goes_down(self, keys: int) -> bool:
        """Returns whether other keys go down now, or the same ones again."""
        before, now = self._masks[self._frame - 1], self._masks[self._frame]
        return now not in (0, keys) or (now == keys and not before)

    def _until_change(self) -> int:
        """Returns for how many frames the keys stay as they are, SAMPLE at most."""
        now = self._masks[self._frame]
        following = self._masks[self._frame : self._frame + SAMPLE]
        return next((n for n, mask in enumerate(following) if mask != now), len(following))

    def _run(self, frames: int) -> None:
        """Runs frames with the recorded keys, at most to the next hash, which is checked there."""
        frames = min(frames, len(self._masks) - self._frame, self._to_hash())
        self._seen = self._person.run_frames(self._masks[self._frame], frames)
        self._frame += frames
        recorded = self._hash_at(self._frame)
        if recorded is not None and recorded != memory_hash(self._person.gba):
            self._mend()

    @property
    def _a_step(self) -> int:
        return self._recording.frame_skip

    def _to_hash(self) -> int:
        every = self._recording.hash_every * self._a_step
        return every - self._frame % every

    def _hash_at(self, frame: int) -> int | None:
        step, rest = divmod(frame, self._a_step)
        return None if rest else self._recording.hash_after(step)

    def _mend(self) -> None:
        """Goes on from the next state that fits the keys, or ends."""
        self.broken_at.append(self._frame)
        for frame in sorted(at for at in self._states if at >= self._frame):
            try:
                self._person.look_at(read_state(self._states[frame]))
            except (StateError, SaveError, SaveFileError, OSError):
                continue
            if self._hash_at(frame) in (None, memory_hash(self._person.gba)):
                self._frame, self._seen = frame, None
                return
        self._frame, self._seen = len(self._masks), None


def action_set_of(env: EmeraldEnv) -> Sequence[Any]:
    """Returns the env's table of actions."""
    return action_set(env.config.action_set)


def _frames(recording: Recording) -> Iterator[int]:
    """Yields the keys held in each frame."""
    off = recording.frame_skip - recording.hold_frames
    for index in recording.pressed:
        keys = recording.actions[index][1]
        yield from chain(repeat(keys, recording.hold_frames), repeat(0, off))
