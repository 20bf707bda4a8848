"""The wall: what all games of a training show, many times a second, as bytes for the page."""

import asyncio
import json
import math
import struct
import zlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from baselines.runs.session import Session
from emerald_env.files.data import DataError
from emerald_env.game.tables import map_name
from emerald_env.state import last_main_milestone, milestone_bits, milestones_done
from emerald_env.state.describe import lines
from emerald_env.watching.live_file import ALIVE_SECONDS, LiveFile, Record
from viewer.folder import open_live

TICK_SECONDS = 1 / 15
WAIT_SECONDS = 1.0  # between two looks for a training
LENGTH = struct.Struct("<I")
FAST = 1  # zlib's level: the next picture comes soon


@dataclass(eq=False)
class Viewer:
    """One open page.

    Attributes:
        half: whether pictures of half the size are enough.
        game: the one that is shown large; None: none is.
    """

    half: bool
    game: int | None
    queue: asyncio.Queue[bytes] = field(default_factory=lambda: asyncio.Queue(2))


class Feed:
    """Reads a session's live file while anybody looks, once for all who do.

    Args:
        session: the session.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._viewers: set[Viewer] = set()
        self._file: LiveFile | None = None
        self._counts: dict[int, int] = {}
        self._task: asyncio.Task[None] | None = None

    async def watch(self, viewer: Viewer) -> AsyncIterator[bytes]:
        """Yields messages, see `message`, until whoever looks has gone."""
        self._viewers.add(viewer)
        self._counts.clear()  # the next tick tells all
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
        self._counts.clear()

    def _tick(self) -> list[tuple[Viewer, bytes]]:
        viewers = list(self._viewers)
        try:
            file = self._open()
            file.look()
            age, steps = file.heartbeat
            records = list(self._changed(file))
            policy = file.policy()
        except (OSError, DataError):
            self._close()
            gone = message({"state": "absent"}, [])
            return [(viewer, gone) for viewer in viewers]
        facts: dict[str, Any] = {"state": "running" if age < ALIVE_SECONDS else "lost"}
        facts |= {"age": min(age, 1e9), "steps": steps, "command": file.command, "game": file.game}
        facts |= {"n": file.n_games, "games": _summaries(records, policy)}
        walls: dict[bool, bytes] = {}
        result = []
        for viewer in viewers:
            if viewer.half not in walls:
                pictures = [picture(record, viewer.half) for _, record in records]
                walls[viewer.half] = message(facts, pictures)
            result.append((viewer, walls[viewer.half] + _large(file, viewer, records, policy)))
        return result

    def _open(self) -> LiveFile:
        """Returns the open file, the new one if another training began."""
        if self._file is not None:
            if self._file.inode != self._file.path.stat().st_ino:
                self._close()
        if self._file is None:
            self._file = open_live(self._session)
        return self._file

    def _changed(self, file: LiveFile) -> Iterator[tuple[int, Record]]:
        for game in range(file.n_games):
            count = file.count(game)
            if count and count != self._counts.get(game):
                record = file.record(game)
                if record is not None:
                    self._counts[game] = record.count
                    yield game, record


def message(facts: dict[str, Any], pictures: list[bytes]) -> bytes:
    """Returns a message: its length, then, compressed, the length of JSON, the JSON, pictures."""
    text = json.dumps(facts, separators=(",", ":")).encode()
    text = text.ljust(-(-len(text) // 4) * 4)  # so that pictures begin at a multiple of four
    packed = zlib.compress(LENGTH.pack(len(text)) + text + b"".join(pictures), FAST)
    return LENGTH.pack(len(packed)) + packed


def picture(record: Record, half: bool) -> bytes:
    """Returns a picture as width and height, u32, and u16 a pixel: five bits of red, green, blue.

    The console has no more than five bits a colour: nothing is lost.
    """
    pixels = record.pixels[::2, ::2].copy() if half else record.pixels
    height, width, _ = pixels.shape
    colours = cv2.cvtColor(pixels, cv2.COLOR_BGRA2BGR555)
    return np.array([width, height], "<u4").tobytes() + colours.tobytes()


def _summaries(records: list[tuple[int, Record]], policy: NDArray[Any]) -> list[dict[str, Any]]:
    places = [record.state.location if record.state else None for _, record in records]
    values = policy[:, 0]
    spread = float(np.std(values)) or 1.0
    centre = float(np.median(values))
    result = []
    for (game, record), place in zip(records, places, strict=True):
        rare = math.log(len(places) / places.count(place))
        odd = rare + abs(float(values[game]) - centre) / spread
        value = round(float(values[game]), 3)
        result.append(_summary(game, record) | {"odd": round(odd, 3), "value": value})
    return result


def _summary(game: int, record: Record) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "game": game,
        "step": record.step,
        "episode": record.episode,
        "reward": round(record.reward, 3) if math.isfinite(record.reward) else 0,
    }
    state = record.state
    if state is not None:
        facts |= {
            "at": [*state.location, *state.position],
            "place": map_name(state.location),
            "mode": state.mode.value,
            "badges": len(state.badges),
            "levels": [member.level for member in state.party],
            "milestones": milestone_bits(state).bit_count(),
            "milestone": last_main_milestone(state) or "",
        }
    return facts


def _large(
    file: LiveFile, viewer: Viewer, records: list[tuple[int, Record]], policy: NDArray[Any]
) -> bytes:
    """Returns the message about the game that a viewer has chosen; nothing if it has not moved."""
    chosen = [record for game, record in records if game == viewer.game]
    if not chosen or viewer.game is None:
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
    return message(facts, [picture(record, half=False)])
