"""The wall: pictures and facts of all games of a training, many times a second, as bytes."""

import asyncio
import json
import math
import struct
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import numpy as np
from isal import isal_zlib
from numpy.typing import NDArray

from baselines.runs.session import Session
from emerald_env.files.data import DataError
from emerald_env.game.place_names import place_name
from emerald_env.state import last_main_milestone, milestone_bits, milestones_done
from emerald_env.state.describe import lines
from emerald_env.watching.live_file import ALIVE_SECONDS, LiveFile, Record
from viewer.folder import open_live

TICK_SECONDS = 1 / 15
FACTS_SECONDS = 0.4  # between two full messages: a state takes longer to unpack than a picture
WAIT_SECONDS = 1.0  # between two checks for a training
LENGTH, SIZE = struct.Struct("<I"), struct.Struct("<II")
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
        self._tell_next = 0.0  # monotonic seconds
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
        finally:
            self._viewers.discard(viewer)

    async def _run(self) -> None:
        clock = asyncio.get_running_loop().time
        while self._viewers:
            started = clock()
            messages = await asyncio.to_thread(self._tick)
            for viewer, content in messages:
                if not viewer.queue.full():  # a slow line misses pictures
                    viewer.queue.put_nowait(content)
            pause = TICK_SECONDS if self._file is not None else WAIT_SECONDS
            await asyncio.sleep(max(0.005, pause - (clock() - started)))
        self._close()

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
        self._file = None
        self._told.clear()

    def _tick(self) -> list[tuple[Viewer, bytes]]:
        viewers = list(self._viewers)
        try:
            file = self._open()
            file.look(any(one.every == 1 or one.game is not None for one in viewers))
            age, steps = file.heartbeat
            tells_all = monotonic() >= self._tell_next
            records = self._changed(file, tells_all)
            policy = file.policy()
        except (OSError, DataError):
            self._close()
            gone = message({"state": "absent"}, [])
            return [(viewer, gone) for viewer in viewers]
        if not records and not tells_all:
            return []
        facts: dict[str, Any] = {"state": "running" if age < ALIVE_SECONDS else "lost"}
        facts |= {"age": min(age, 1e9), "steps": steps, "command": file.command, "game": file.game}
        games = _summaries(records, policy) if tells_all else [_brief(*pair) for pair in records]
        facts |= {"n": file.n_games, "games": games}
        walls = {every: _wall(facts, records, every) for every in {one.every for one in viewers}}
        return [(one, walls[one.every] + _large(file, one, records, policy)) for one in viewers]

    def _open(self) -> LiveFile:
        """Returns the open file, a new one if another training has begun."""
        if self._file is not None:
            if self._file.inode != self._file.path.stat().st_ino:
                self._close()
        if self._file is None:
            self._file = open_live(self._session)
        return self._file

    def _changed(self, file: LiveFile, tells_all: bool) -> list[tuple[int, Record]]:
        """Returns the games that moved since the last tick, or since the last full message."""
        known = self._told if tells_all else self._sent
        moved = [game for game in range(file.n_games) if file.count(game) != known.get(game, 0)]
        found = [(game, file.record(game)) for game in moved]
        records = [(game, record) for game, record in found if record is not None]
        self._sent.update((game, record.count) for game, record in records)
        if tells_all:
            self._told = self._sent.copy()
            self._tell_next = monotonic() + FACTS_SECONDS
        return records


def message(facts: dict[str, Any], pictures: Iterable[Picture]) -> bytes:
    """Returns a message: its length, then, compressed, the length of JSON, the JSON, pictures."""
    text = json.dumps(facts, separators=(",", ":")).encode()
    text = text.ljust(-(-len(text) // 4) * 4)  # pictures begin at a multiple of four
    packer = isal_zlib.compressobj(FAST)
    parts = [packer.compress(LENGTH.pack(len(text)) + text)]
    for size, colours in pictures:
        parts += [packer.compress(size), packer.compress(colours)]
    packed = b"".join([*parts, packer.flush()])
    return LENGTH.pack(len(packed)) + packed


def _wall(facts: dict[str, Any], records: list[tuple[int, Record]], every: int) -> bytes:
    return message(facts, (picture(record, every) for _, record in records) if every else ())


def picture(record: Record, every: int = 1) -> Picture:
    """Returns width and height as u32, and pixels as u16: five bits each of red, green and blue.

    The console has only five bits per colour: nothing is lost.
    """
    pixels = record.pixels
    if every > record.every:
        pixels = np.ascontiguousarray(pixels[::2, ::2])
    height, width = pixels.shape
    return SIZE.pack(width, height), pixels.data


def _summaries(records: list[tuple[int, Record]], policy: NDArray[Any]) -> list[dict[str, Any]]:
    places = [record.place and record.place[:2] for _, record in records]
    values = policy[:, 0]
    spread = float(np.std(values)) or 1.0
    centre = float(np.median(values))
    result = []
    for (game, record), place in zip(records, places, strict=True):
        rare = math.log(len(places) / places.count(place))
        odd = rare + abs(float(values[game]) - centre) / spread
        more = {"odd": round(odd, 3), "value": round(float(values[game]), 3)}
        result.append(_brief(game, record) | _described(record) | more)
    return result


def _brief(game: int, record: Record) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "game": game,
        "step": record.step,
        "episode": record.episode,
        "reward": round(record.reward, 3) if math.isfinite(record.reward) else 0,
    }
    return facts if record.place is None else facts | {"at": record.place}


def _described(record: Record) -> dict[str, Any]:
    state = record.state
    if state is None:
        return {}
    return {
        "place": place_name(state.location),
        "mode": state.mode.value,
        "badges": len(state.badges),
        "levels": [member.level for member in state.party],
        "milestones": milestone_bits(state).bit_count(),
        "milestone": last_main_milestone(state) or "",
    }


def _large(
    file: LiveFile, viewer: Viewer, records: list[tuple[int, Record]], policy: NDArray[Any]
) -> bytes:
    """Returns the message about a viewer's chosen game, empty if it has not moved."""
    chosen = [record for game, record in records if game == viewer.game]
    if not chosen or viewer.game is None or chosen[0].every > 1:
        return b""
    (record,) = chosen
    value, action, *probabilities = policy[viewer.game].tolist()
    state = record.state
    finite = [amount if math.isfinite(amount) else 0.0 for amount in (*record.paid, *record.sums)]
    paid, sums = finite[: len(record.paid)], finite[len(record.paid) :]
    facts = {
        "large": viewer.game,
        "value": value,
        "action": int(action),
        "actions": list(file.actions),
        "probabilities": [round(share, 4) for share in probabilities],
        "paid": {n: a for n, a in zip(file.terms, paid, strict=False) if a},
        "paid_ago": max(0, record.step - record.paid_at),
        "sums": {n: a for n, a in zip(file.terms, sums, strict=False) if a},
        "lines": lines(state) if state is not None else [],
        "milestones": list(milestones_done(state)) if state is not None else [],
    }
    return message(facts, [picture(record)])
