"""The panel beside a game: action probabilities or keys, value, and what the episode has paid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from baselines.playing.display.key_help import Keys

# The layout is for a game 480 pixels high, at three times its own size.
LAID_OUT_FOR = 3
WIDTH, HEIGHT = 480, 480
TOP, BOTTOM = 36.0, 456.0  # of the columns
TEXT, LINE = 13.0, 16.0  # font size and line spacing
NUMBER = 44  # width of a number at the right end
MAX_TERMS = 12  # further terms are summed in one line
CURVE_HEIGHT = 48
MIN_SPREAD = 0.1  # of a curve of values; less is drawn flat

BACKGROUND, TRACK = (22, 24, 30), (42, 46, 56)
BRIGHT, DIM, BAR, CHOSEN = (232, 234, 238), (142, 148, 160), (84, 132, 196), (246, 178, 72)


@dataclass(frozen=True)
class PanelColumns:
    """The x positions of the columns, from left to right."""

    left: float  # names begin
    bars: float  # bars begin
    right: float  # numbers end


ACTIONS, EPISODE = PanelColumns(16, 74, 208), PanelColumns(236, 322, 464)
KEYS_DO = 92  # where it begins what a key does
NO_KEYS: Final[Mapping[str, Keys]] = {}


@dataclass(frozen=True)
class PanelStatus:
    """What a panel shows."""

    title: str = ""
    actions: Sequence[str] = ()  # names
    probabilities: Sequence[float] = ()  # of each action; empty without an agent
    chosen: int | None = None  # the action taken
    values: Sequence[float] = ()  # estimates of this episode, the latest last
    terms: Mapping[str, float] = field(default_factory=dict)  # reward so far
    paid: Mapping[str, float] = field(default_factory=dict)  # reward of the latest step
    milestones: Sequence[str] = ()  # reached in the episode, the latest last
    attention: NDArray[np.float32] | None = None  # of the screen's tiles, see `Spotlight`


class Panel:
    """Draws a status.

    Args:
        scale: pixels per pixel of the game; the panel is as high as the game.

    Raises:
        ValueError: the scale is below 2, where text is unreadable.
    """

    def __init__(self, scale: int) -> None:
        if scale < 2:
            raise ValueError(f"a panel needs a scale of at least 2 to be readable, got {scale}")
        self._zoom = scale / LAID_OUT_FOR
        # both even, as video encoders require
        self.size = (round(WIDTH * self._zoom / 2) * 2, round(HEIGHT * self._zoom / 2) * 2)
        self._font = ImageFont.load_default(TEXT * self._zoom)
        self._heading = ImageFont.load_default(TEXT * 0.85 * self._zoom)

    def draw(
        self, status: PanelStatus, note: str = "", keys: Mapping[str, Keys] = NO_KEYS
    ) -> NDArray[np.uint8]:
        """Returns the panel, (height, width, 3) uint8 RGB.

        Args:
            status: what it shows.
            note: a line at the bottom.
            keys: of the keyboard, under headings, in place of the actions.
        """
        self._image = Image.new("RGB", self.size, BACKGROUND)
        self._pen = ImageDraw.Draw(self._image)
        self._text(ACTIONS.left, 10, status.title, BRIGHT)
        if keys:
            self._keys(TOP, keys)
        elif status.probabilities:
            self._actions(TOP, status)
        y = self._values(TOP, status.values) if status.values else TOP
        y = self._terms(y, status)
        self._milestones(y, status.milestones)
        self._text(ACTIONS.left, HEIGHT - 22, note, CHOSEN)
        return np.asarray(self._image)

    def _actions(self, y: float, status: PanelStatus) -> None:
        y = self._section(ACTIONS, y, "ACTION")
        for index, name in enumerate(status.actions):
            share, chosen = float(status.probabilities[index]), index == status.chosen
            self._bar(ACTIONS, y, name, share, f"{share:.0%}", chosen)
            y += LINE * 1.35

    def _keys(self, y: float, keys: Mapping[str, Keys]) -> None:
        for heading, rows in keys.items():
            y = self._section(ACTIONS, y, heading)
            for key, does in rows:
                self._text(ACTIONS.left, y, key, BRIGHT)
                self._text(KEYS_DO, y, does, DIM)
                y += LINE * 1.2
            y += LINE

    def _values(self, y: float, values: Sequence[float]) -> float:
        y = self._section(EPISODE, y, "VALUE expected from here", f"{values[-1]:.2f}")
        low, high = min(values), max(values)
        spread = max(high - low, MIN_SPREAD)
        self._box(EPISODE.left, y, EPISODE.right, y + CURVE_HEIGHT, TRACK)
        step = (EPISODE.right - EPISODE.left) / max(len(values) - 1, 1)
        points = [
            (EPISODE.left + n * step, y + 4 + (CURVE_HEIGHT - 8) * (1 - (value - low) / spread))
            for n, value in enumerate(values)
        ]
        if len(points) > 1:
            zoomed = [(x * self._zoom, height * self._zoom) for x, height in points]
            self._pen.line(zoomed, BAR, max(1, round(1.5 * self._zoom)))
        return y + CURVE_HEIGHT + LINE

    def _terms(self, y: float, status: PanelStatus) -> float:
        y = self._section(EPISODE, y, "REWARD so far", f"{sum(status.terms.values()):.2f}")
        rows = sorted((item for item in status.terms.items() if item[1]), key=lambda row: -row[1])
        rest = rows[MAX_TERMS:]
        rows = rows[:MAX_TERMS] + ([("others", sum(v for _, v in rest))] if rest else [])
        most = max((abs(value) for _, value in rows), default=1.0)
        for name, value in rows:
            new = bool(status.paid.get(name))
            self._bar(EPISODE, y, name, abs(value) / most, f"{value:.2f}", new)
            y += LINE
        return y + LINE / 2

    def _milestones(self, y: float, milestones: Sequence[str]) -> None:
        y = self._section(EPISODE, y, "MILESTONES", str(len(milestones)))
        room = max(0, int((BOTTOM - y) // LINE))
        for slug in list(reversed(milestones))[:room]:
            self._text(EPISODE.left, y, slug.replace("_", " "), DIM)
            y += LINE

    def _section(self, column: PanelColumns, y: float, name: str, number: str = "") -> float:
        self._text(column.left, y, name, DIM, font=self._heading)
        self._text(column.right, y - 1, number, BRIGHT, "ra")
        return y + LINE * 1.2

    def _bar(
        self, column: PanelColumns, y: float, name: str, share: float, number: str, bright: bool
    ) -> None:
        self._text(column.left, y, name, BRIGHT if bright else DIM)
        self._text(column.right, y, number, BRIGHT if bright else DIM, "ra")
        end = column.right - NUMBER
        self._box(column.bars, y + 4, end, y + 12, TRACK)
        if share > 0:
            full = column.bars + (end - column.bars) * min(share, 1.0)
            self._box(column.bars, y + 4, full, y + 12, CHOSEN if bright else BAR)

    def _box(
        self, left: float, top: float, right: float, bottom: float, colour: tuple[int, int, int]
    ) -> None:
        z = self._zoom
        self._pen.rectangle((left * z, top * z, max(right * z - 1, left * z), bottom * z), colour)

    def _text(
        self,
        x: float,
        y: float,
        text: str,
        colour: tuple[int, int, int],
        anchor: str = "la",
        font: ImageFont.FreeTypeFont | ImageFont.ImageFont | None = None,
    ) -> None:
        at = (x * self._zoom, y * self._zoom)
        self._pen.text(at, text, colour, font or self._font, anchor)
