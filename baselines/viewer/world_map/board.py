"""The layout of the maps: towns and routes at their true places, houses beside them."""

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from emerald_env.state.parts.field import global_offset
from emerald_env.watching.game_sightings import Door, Location

GAP = 4  # tiles between two houses, room for a name
MARGIN = 10  # tiles between the world and the houses
WORLD = "hoenn_surface"  # the component drawn at its true place
Size = tuple[int, int]
Point = tuple[float, float]


@dataclass
class Board:
    """The places of all maps, in tiles."""

    corners: dict[Location, tuple[int, int]] = field(default_factory=dict)
    outdoor: set[Location] = field(default_factory=set)
    lines: list[tuple[Point, Point]] = field(default_factory=list)  # from a house to its door


@dataclass
class House:
    """Maps behind one door: the first is entered from outside."""

    rooms: list[Location]
    door: Door | None  # None: nobody has seen the way in
    size: Size


def lay_out(sizes: Mapping[Location, Size], doors: Counter[Door]) -> Board:
    """Returns the layout of maps of these sizes, joined by these doors.

    Houses and caves are left and right of the world, at the height of their doors if there is room,
    upper floors farther out; those whose door nobody has seen are below.
    """
    board = Board()
    for location, size in sizes.items():
        offset = global_offset(location, size)
        if offset is not None and offset.component == WORLD:
            board.corners[location] = (offset.x, offset.y)
            board.outdoor.add(location)
    left, top, right, bottom = bounds(board, sizes)
    houses = find_houses(board.outdoor, sizes, doors)
    sides: dict[bool, list[House]] = {False: [], True: []}
    for house in houses:
        if house.door is not None:
            x = board.corners[_location(house.door)][0] + house.door[2]
            sides[2 * x > left + right].append(house)
    for is_right, side in sides.items():
        edge = right + MARGIN if is_right else left - MARGIN
        _stack(board, side, sizes, edge, 1 if is_right else -1)
    x, y = left, max(bottom, bounds(board, sizes)[3]) + MARGIN
    for house in houses:
        if house.door is None:
            _place(board, house, sizes, x, y, 1)
            x += house.size[0] + GAP
    return board


def bounds(board: Board, sizes: Mapping[Location, Size]) -> tuple[int, int, int, int]:
    """Returns left, top, right and bottom of everything placed; zeros if nothing is."""
    boxes = [(x, y, x + sizes[at][0], y + sizes[at][1]) for at, (x, y) in board.corners.items()]
    if not boxes:
        return 0, 0, 0, 0
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def find_houses(
    outdoor: set[Location], sizes: Mapping[Location, Size], doors: Counter[Door]
) -> list[House]:
    """Returns the indoor maps, those behind the same door together."""
    entrances: dict[Location, list[Door]] = {}
    for door, _ in doors.most_common():
        entrances.setdefault(_location(door), []).append(door)
        entrances.setdefault(_location(_back(door)), []).append(_back(door))
    known = set(outdoor)
    houses = []
    for town in sorted(outdoor):
        for door in entrances.get(town, ()):
            inside = _location(_back(door))
            if inside not in known and inside in sizes:
                rooms = _reachable(inside, entrances, known, sizes)
                houses.append(_house(rooms, door, sizes))
    for room in sorted(set(sizes) - known):
        if room not in known:
            houses.append(_house(_reachable(room, entrances, known, sizes), None, sizes))
    return houses


def _house(rooms: list[Location], door: Door | None, sizes: Mapping[Location, Size]) -> House:
    width = sum(sizes[room][0] + GAP for room in rooms) - GAP
    return House(rooms, door, (width, max(sizes[room][1] for room in rooms)))


def _reachable(
    first: Location,
    entrances: Mapping[Location, list[Door]],
    known: set[Location],
    sizes: Mapping[Location, Size],
) -> list[Location]:
    known.add(first)
    rooms, queue = [], deque([first])
    while queue:
        room = queue.popleft()
        rooms.append(room)
        for door in entrances.get(room, ()):
            other = _location(_back(door))
            if other not in known and other in sizes:
                known.add(other)
                queue.append(other)
    return rooms


def _stack(
    board: Board, houses: list[House], sizes: Mapping[Location, Size], edge: int, way: int
) -> None:
    """Places houses below each other, each as near to the height of its door as possible."""

    def height(house: House) -> int:
        assert house.door is not None
        return board.corners[_location(house.door)][1] + house.door[3]

    houses = sorted(houses, key=height)
    free = -(10**9)
    for house in houses:
        y = max(free, height(house) - house.size[1] // 2)
        _place(board, house, sizes, edge, y, way)
        free = y + house.size[1] + GAP
        door = house.door
        assert door is not None
        corner = board.corners[_location(door)]
        room = board.corners[_location(_back(door))]
        outside = (corner[0] + door[2] + 0.5, corner[1] + door[3] + 0.5)
        board.lines.append((outside, (room[0] + door[6] + 0.5, room[1] + door[7] + 0.5)))


def _place(
    board: Board, house: House, sizes: Mapping[Location, Size], x: int, y: int, way: int
) -> None:
    for room in house.rooms:
        width, _ = sizes[room]
        board.corners[room] = (x if way > 0 else x - width, y)
        x += way * (width + GAP)


def _location(door: Door) -> Location:
    return door[0], door[1]


def _back(door: Door) -> Door:
    return (*door[4:], *door[:4])
