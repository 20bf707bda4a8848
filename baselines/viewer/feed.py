"""The wall: pictures and facts of all games of a training, many times a second, as bytes."""

import asyncio
import json
import math
import struct
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import Any

import numpy as np
from isal import isal_zlib
from numpy.typing import NDArray

from baselines.runs.session_folder import Session
from baselines.viewer.folder import open_live, state_at
from emerald_env.files.data import DataError
from emerald_env.game.place_names import place_name
from emerald_env.state import last_main_milestone, milestone_bits, milestones_done
from emerald_env.state.describe import lines
from emerald_env.watching.live_file import LiveFile
from emerald_env.watching.record import Record

TICK_SECONDS = 1 / 15  # more often than games show themselves: no picture is missed
# between two full messages, less if no game has moved: states take longer to unpack than pictures
FACTS_SECONDS = 1.0
WAIT_SECONDS = 1.0  # between two checks for a training
# Linux gives a process that wakes a whole slice of a busy core: it displaces a game for
# milliseconds. Done in pieces, with sleep between them, more of the work falls into idle time.
REST_SECONDS = 50e-6
BATCH = 4  # pictures
LENGTHS, SIZE = struct.Struct("<II"), struct.Struct("<II")
Picture = tuple[bytes, memoryview]  # its size, its pixels
FAST = 1  # level of compression
SIZES = {"full": 1, "half": 2, "none": 0}  # every how many pixels are sent in each direction


@dataclass(eq=False)
class Viewer:
    """One open page.

    Attributes:
        every: every how many pixels are sent in each direction; 0: no pictures.
        game: the one shown large; None: none.
    """

    every: int
    game: int | None
    queue: asyncio.Queue[bytes] = field(default_factory=lambda: asyncio.Queue(2))


class Feed:
    """Reads a session's live file while there are viewers, once for all of them.

    Args:
        session: the session.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._viewers: set[Viewer] = set()
        self._file: LiveFile | None = None
        self._sent: dict[int, int] = {}  # game -> count of the record that was sent
        self._told: dict[int, int] = {}  # the same in the last full message
        self._tell_next = self._search_next = 0.0  # monotonic seconds
        self._task: asyncio.Task[None] | None = None

    async def watch(self, viewer: Viewer) -> AsyncIterator[bytes]:
        """Yields messages, see `message`, until the viewer has gone."""
        self._viewers.add(viewer)
        self._told.clear()
        self._tell_next = 0.0  # the next tick sends a full message
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())
        try:
            while True:
                yield await viewer.queue.get()
                sleep(REST_SECONDS)
        finally:
            self._viewers.discard(viewer)

    async def _run(self) -> None:
        clock = asyncio.get_running_loop().time
        due = clock()
        while self._viewers:
            for viewer, content in self._tick():
                if not viewer.queue.full():  # a slow line misses pictures
                    viewer.queue.put_nowait(content)
            pause = TICK_SECONDS if self._file is not None else WAIT_SECONDS
            due = max(clock() + 0.005, due + pause)
            await asyncio.sleep(due - clock())
        if self._file is not None:
            self._file.look_away()
        self._close()

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
        self._file = None
        self._sent.clear()
        self._told.clear()

    def _tick(self) -> list[tuple[Viewer, bytes]]:
        viewers = list(self._viewers)
        try:
            file = self._open()
            file.look(any(one.every == 1 or one.game is not None for one in viewers))
            return self._read(file, viewers)
        except (OSError, DataError):
            self._close()
            gone = message({"state": "absent"})
            return [(viewer, gone) for viewer in viewers]

    def _read(self, file: LiveFile, viewers: list[Viewer]) -> list[tuple[Viewer, bytes]]:
        tells_all = monotonic() >= self._tell_next
        walls = {every: Pictures(every) for every in {one.every for one in viewers}}
        games: list[dict[str, Any]] = []
        chosen: dict[int | None, Record | None] = {one.game: None for one in viewers}
        for game, record in self._changed(file, tells_all):
            games.append(_brief(game, record) | (_described(file, game) if tells_all else {}))
            for wall in walls.values():
                wall.add(record)
            if game in chosen:
                chosen[game] = record
        if not games and not tells_all:
            return []
        policy = file.policy()
        if tells_all:
            self._told = self._sent.copy()
            self._tell_next = monotonic() + (FACTS_SECONDS if games else FACTS_SECONDS / 3)
            _add_values(games, policy[:, 0])
        facts = _facts(file, self._session) | {"games": games}
        packed = {every: message(facts, wall.packed()) for every, wall in walls.items()}
        large = {game: _large(file, game, record, policy) for game, record in chosen.items()}
        return [(one, packed[one.every] + large[one.game]) for one in viewers]

    def _open(self) -> LiveFile:
        """Returns the open file, a new one if another training has begun, or only others play."""
        if self._file is not None:
            if self._file.inode != self._file.path.stat().st_ino or self._others_play(self._file):
                self._close()
        if self._file is None:
            self._file = open_live(self._session)
        return self._file

    def _others_play(self, file: LiveFile) -> bool:
        """Returns whether a file says nothing any more and another does; looks now and then."""
        if monotonic() < self._search_next:
            return False
        self._search_next = monotonic() + WAIT_SECONDS
        if state_at(self._session, file.heartbeat[0]) == "running":
            return False
        with closing(open_live(self._session)) as found:
            return found.inode != file.inode

    def _changed(self, file: LiveFile, tells_all: bool) -> Iterator[tuple[int, Record]]:
        """Yields the games that moved since the last tick, or since the last full message."""
        known = self._told if tells_all else self._sent
        for game in range(file.n_games):
            if file.count(game) == known.get(game, 0) or (record := file.record(game)) is None:
                continue
            self._sent[game] = record.count
            yield game, record
            if game % BATCH == 0:
                sleep(REST_SECONDS)


class Pictures:
    """Pictures that are packed one by one, so that only one at a time takes memory.

    Args:
        every: every how many pixels are sent in each direction; 0: no pictures.
    """

    def __init__(self, every: int) -> None:
        self._every = every
        self._packer = isal_zlib.compressobj(FAST)
        self._parts: list[bytes] = []

    def add(self, record: Record) -> None:
        """Adds a game's picture."""
        if self._every:
            size, colours = picture(record, self._every)
            self._parts += [self._packer.compress(size), self._packer.compress(colours)]

    def packed(self) -> bytes:
        """Returns all of them; nothing can be added then."""
        return b"".join([*self._parts, self._packer.flush()])


def message(facts: dict[str, Any], pictures: bytes = b"") -> bytes:
    """Returns a message: the lengths of both parts, the JSON compressed, packed pictures."""
    packed = isal_zlib.compress(json.dumps(facts, separators=(",", ":")).encode(), FAST)
    return LENGTHS.pack(len(packed), len(pictures)) + packed + pictures


def picture(record: Record, every: int = 1) -> Picture:
    """Returns width and height as u32, and pixels as u16: five bits each of red, green and blue.

    The console has only five bits per colour: nothing is lost.
    """
    pixels = record.pixels
    if every > record.every:
        pixels = np.ascontiguousarray(pixels[::2, ::2])
    height, width = pixels.shape
    return SIZE.pack(width, height), pixels.data


def _facts(file: LiveFile, session: Session) -> dict[str, Any]:
    age, steps = file.heartbeat
    return {
        "state": state_at(session, age),
        "age": min(age, 1e9),
        "steps": steps,
        "command": file.command,
        "game": file.game,
        "n": file.n_games,
    }


def _add_values(games: list[dict[str, Any]], values: NDArray[Any]) -> None:
    """Adds each game's value, and how far it is from the other games'."""
    places = [game["at"][:2] if "at" in game else None for game in games]
    spread = float(np.std(values)) or 1.0
    centre = float(np.median(values))
    for game, place in zip(games, places, strict=True):
        value = float(values[game["game"]])
        odd = math.log(len(places) / places.count(place)) + abs(value - centre) / spread
        game |= {"odd": round(odd, 3), "value": round(value, 3)}


def _brief(game: int, record: Record) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "game": game,
        "step": record.step,
        "episode": record.episode,
        "reward": round(record.reward, 3) if math.isfinite(record.reward) else 0,
    }
    return facts if record.place is None else facts | {"at": record.place}


def _described(file: LiveFile, game: int) -> dict[str, Any]:
    details = file.details(game)
    if details is None or (state := details.state) is None:
        return {}
    return {
        "place": place_name(state.location),
        "mode": state.mode.value,
        "badges": len(state.badges),
        "levels": [member.level for member in state.party],
        "milestones": milestone_bits(state).bit_count(),
        "milestone": last_main_milestone(state) or "",
    }


def _large(file: LiveFile, game: int | None, record: Record | None, policy: NDArray[Any]) -> bytes:
    """Returns the message about a chosen game, empty if it has not moved."""
    if game is None or record is None or record.every > 1:
        return b""
    if (details := file.details(game)) is None:
        return b""
    value, action, *probabilities = policy[game].tolist()
    state = details.state
    facts = {
        "large": game,
        "value": value,
        "action": int(action),
        "actions": list(file.actions),
        "probabilities": [round(share, 4) for share in probabilities],
        "paid": _by_term(file, details.paid),
        "paid_ago": max(0, record.step - details.paid_at),
        "sums": _by_term(file, details.sums),
        "lines": lines(state) if state is not None else [],
        "milestones": list(milestones_done(state)) if state is not None else [],
    }
    pictures = Pictures(1)
    pictures.add(record)
    return message(facts, pictures.packed())


def _by_term(file: LiveFile, amounts: Sequence[float]) -> dict[str, float]:
    named = zip(file.terms, amounts, strict=False)
    return {name: amount for name, amount in named if amount and math.isfinite(amount)}
