"""Pictures of what the games show now."""

import math
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import cv2
import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Image

from baselines.runs.session_folder import Session
from emerald_env.files.atomic import WriteWarning, write_atomically
from emerald_env.wrappers.publisher import Publisher

GAP = 4  # pixels between two pictures of a sheet
CAPTION = 16  # pixels below each for its words
BACKGROUND = (32, 32, 36)
TEXT = (225, 228, 232)
TENSORBOARD_EVERY = 4  # sheets on disk for one in tensorboard, whose file keeps them all


class PictureCallback(BaseCallback):
    """Writes every game's picture and one sheet of all into `frames/`, now and then.

    The first sheet comes with the first rollout; every fourth also goes to tensorboard as
    `games/contact_sheet`. Later ones come between two steps and not at a rollout's end, where all
    games would often have just begun an episode together.

    Args:
        session: whose `frames` folder is written.
        seconds: time between two sheets.
    """

    def __init__(self, session: Session, seconds: float) -> None:
        super().__init__()
        self._folder = session.frames
        self._seconds = seconds
        self._next = math.inf
        self._count = 0
        self._warning = WriteWarning("the games' pictures")

    def _on_step(self) -> bool:
        if perf_counter() >= self._next:
            self._take()
        return True

    def _on_rollout_end(self) -> None:
        if self._count == 0:
            self._take()

    def _take(self) -> None:
        pictures = [picture for picture in self.training_env.get_images() if picture is not None]
        sheet = contact_sheet(pictures, self._captions(len(pictures)))
        with self._warning:
            for game, picture in enumerate(pictures):
                write_png(self._folder / f"game_{game:02d}.png", picture)
            write_png(self._folder / "contact_sheet.png", sheet)
        if self._count % TENSORBOARD_EVERY == 0:
            self.logger.record("games/contact_sheet", Image(sheet, "HWC"))
        self._count += 1
        self._next = perf_counter() + self._seconds

    def _captions(self, n_games: int) -> list[str]:
        if all(self.training_env.env_is_wrapped(Publisher)):
            captions: list[str] = self.training_env.env_method("caption")
            return captions
        return [str(game) for game in range(n_games)]


def contact_sheet(
    pictures: Sequence[NDArray[np.uint8]], captions: Sequence[str]
) -> NDArray[np.uint8]:
    """Returns all pictures on one, row by row, with a caption below and a gap around each.

    Args:
        pictures: (height, width, 3) uint8 RGB, all of one size, at least one.
        captions: one per picture, in ASCII; cut off if too long.

    Returns:
        One uint8 RGB picture with as many columns as rows, or one more; unused places show the
        background.
    """
    height, width, _ = pictures[0].shape
    columns = math.ceil(math.sqrt(len(pictures)))
    rows = math.ceil(len(pictures) / columns)
    shape = (rows * (height + CAPTION + GAP) + GAP, columns * (width + GAP) + GAP, 3)
    sheet = np.full(shape, BACKGROUND, np.uint8)
    for index, picture in enumerate(pictures):
        row, column = divmod(index, columns)
        top, left = GAP + row * (height + CAPTION + GAP), GAP + column * (width + GAP)
        sheet[top : top + height, left : left + width] = picture
        line = sheet[top + height : top + height + CAPTION, left : left + width]
        at = (2, CAPTION - 4)
        cv2.putText(line, captions[index], at, cv2.FONT_HERSHEY_PLAIN, 0.85, TEXT, 1, cv2.LINE_AA)
    return sheet


def write_png(path: Path, picture: NDArray[np.uint8]) -> None:
    """Writes a (height, width, 3) uint8 RGB picture as PNG, atomically."""
    _, encoded = cv2.imencode(".png", picture[..., ::-1])
    write_atomically(path, encoded.tobytes())
