"""The lines of a session's logs, whoever wrote them."""

from typing import Annotated, Any

from annotated_types import Predicate
from pydantic import Field
from typing_extensions import NotRequired, TypedDict

from emerald_env.files.data import Count, Number, PlainText, is_count, is_number

SIDE = 1 << 10  # tiles; every map is smaller
MAX_MAP_TILES = 10_240  # tiles in the game's own buffer
MAX_PICTURE_CHARACTERS = 400_000  # characters
MAX_LAYERS = 200

Place = Annotated[int, Field(ge=-128, lt=SIDE)]  # the number of a map or of a tile
Side = Annotated[int, Field(ge=1, le=SIDE)]
Size = Annotated[
    list[Side],
    Field(min_length=2, max_length=2),
    Predicate(lambda size: size[0] * size[1] <= MAX_MAP_TILES),
]
Tile = Annotated[list[Place], Field(min_length=4, max_length=4)]
Row = Annotated[Any, Predicate(lambda row: _is_row(row, 4))]
Way = Annotated[Any, Predicate(lambda row: _is_row(row, 8) and is_count(row[-1]))]
Picture = Annotated[str, Field(max_length=MAX_PICTURE_CHARACTERS), Predicate(str.isascii)]


class EpisodeLine(TypedDict):
    """An episode's record."""

    num_timesteps: Count
    reward: Number
    game: NotRequired[Count]
    length: NotRequired[Count]
    place_share: NotRequired[Number | None]
    soft_lock: NotRequired[bool | None]
    milestones: NotRequired[list[PlainText]]
    terms: NotRequired[dict[PlainText, Number]]
    rejections: NotRequired[dict[PlainText, Number]]


class FindingLine(TypedDict):
    """A finding of the diagnostics."""

    code: PlainText
    severity: PlainText
    since: NotRequired[Count]
    until: NotRequired[Count | None]
    evidence: NotRequired[PlainText]
    meaning: NotRequired[PlainText]
    advice: NotRequired[list[PlainText]]


class DiagnosisLine(TypedDict):
    """The numbers and findings of an update, or an action; metrics may be NaN: that is news."""

    num_timesteps: Count
    metrics: NotRequired[dict[PlainText, float]]
    episodes: NotRequired[list[Annotated[list[float], Field(min_length=3, max_length=3)]]]
    findings: NotRequired[list[FindingLine]]
    lacking: NotRequired[PlainText | None]  # for a verdict, where nothing is wrong
    action: NotRequired[PlainText | None]
    factor: NotRequired[Annotated[float, Field(gt=0, le=1)]]
    # of the settings, that was lowered by the factor
    learning_rate: NotRequired[Annotated[float, Field(gt=0)]]


class SightingLine(TypedDict):
    """What happened where, and the ways from map to map."""

    num_timesteps: Count
    layers: Annotated[dict[PlainText, list[Row]], Field(max_length=MAX_LAYERS)]
    doors: list[Way]


class PhotographLine(TypedDict):
    """A picture of a place."""

    num_timesteps: Count
    tile: Tile
    size: Size
    picture: Picture


def _is_row(row: Any, places: int) -> bool:
    """Returns whether a row has the numbers and tiles of maps, and an amount."""
    if not isinstance(row, list) or len(row) != places + 1 or not is_number(row[-1]):
        return False
    return all(type(number) is int and -128 <= number < SIDE for number in row[:-1])
