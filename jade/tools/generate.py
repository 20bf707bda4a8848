"""Writes the C tables of everything that is drawn: tiles, metatiles, people, font, layouts."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import backdrop
import creatures
import font
import people
import terrain
import title
from canvas import Picture, Tile, indices, mirror, pack, tiles
from coast import CAVE, COAST
from mountain import MOUNTAIN
from palettes import BACKGROUND, FACES, PEOPLE, PERSON_LETTERS, TEXT, bgr555
from world import HOUSES, LAYOUTS, Layout

# Another folder can be given, to compare.
SOURCE = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parents[1] / "src" / "art"
LETTERS = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parents[2] / "emerald_env" / "jade" / "worlds"
FULL_LAYOUTS = [*COAST, *MOUNTAIN, *CAVE]  # which only jade_full.gba has
MADE_ONLY = "k"  # a letter that only Python draws, in other worlds
PALETTE_NUMBERS = {name: number for number, name in enumerate(BACKGROUND)}
FLIP_X = 1 << 10
BLOCKED, ELEVATION, WATER_ELEVATION = 1 << 10, 3 << 12, 1 << 12
SIDES = {"n": (0, -1), "s": (0, 1), "w": (-1, 0), "e": (1, 0)}
CORNERS = {"NW": (-1, -1), "NE": (1, -1), "SW": (-1, 1), "SE": (1, 1)}

LEDGES = {
    "_": (terrain.ledge, "s"), "^": (terrain.ledge, "n"), "<": (terrain.ledge, "w"), ">": (terrain.ledge, "e"),
    "l": (terrain.ash_ledge, "s"), "u": (terrain.ash_ledge, "n"), "{": (terrain.ash_ledge, "w"), "}": (terrain.ash_ledge, "e"),
    "v": (terrain.cave_ledge, "s"),
}


class Tileset:
    """Collects pictures of 16x16 as metatiles, and each distinct tile once."""

    def __init__(self) -> None:
        self.tiles: dict[Tile, int] = {}
        self.metatiles: dict[tuple[tuple[int, ...], int], int] = {}
        self.cells: dict[tuple, int] = {}  # what was drawn once, by what decides its looks
        self._cell(tuple((0,) * 8 for _ in range(8)))

    def _cell(self, tile: Tile) -> int:
        if mirror(tile) in self.tiles and tile not in self.tiles:
            return self.tiles[mirror(tile)] | FLIP_X
        return self.tiles.setdefault(tile, len(self.tiles))

    def add(self, picture: Picture, behaviour: int = terrain.NORMAL) -> int:
        letters = "".join(BACKGROUND[picture.palette])
        high = PALETTE_NUMBERS[picture.palette] << 12
        cells = tuple(self._cell(tile) | high for tile in tiles(indices(picture, letters)))
        return self.metatiles.setdefault((cells, behaviour), len(self.metatiles))


def open_sides(rows: list[str], x: int, y: int, same: str) -> frozenset[str]:
    """Returns the sides and corners where the ground is another; the map's end is the same."""

    def differs(dx: int, dy: int) -> bool:
        i, j = x + dx, y + dy
        inside = 0 <= j < len(rows) and 0 <= i < len(rows[j])
        return inside and rows[j][i] not in same

    sides = {name for name, step in SIDES.items() if differs(*step)}
    return frozenset(sides | {name for name, step in CORNERS.items() if differs(*step)})


def outdoor_cell(tileset: Tileset, rows: list[str], x: int, y: int) -> int:
    letter = rows[y][x]
    sides = open_sides(rows, x, y, letter) if letter in ".~" else frozenset()
    key = (letter, sides, x % 2, y % 2, (x * 7 + y * 5) % 4 == 0)
    if key not in tileset.cells:
        tileset.cells[key] = draw_outdoor(tileset, letter, sides, x, y)
    return tileset.cells[key]


def draw_outdoor(tileset: Tileset, letter: str, sides: frozenset[str], x: int, y: int) -> int:
    if letter == ".":
        return tileset.add(terrain.path(sides)) | ELEVATION
    if letter == "~":
        cell = tileset.add(terrain.water(sides), terrain.OCEAN_WATER)
        return cell | BLOCKED | WATER_ELEVATION
    if letter in "TY":
        quarter = terrain.tree("a" if letter == "T" else "b").cut(x % 2 * 16, y % 2 * 16, 16, 16)
        return tileset.add(quarter) | BLOCKED | ELEVATION
    if letter in LEDGES:
        draw, facing = LEDGES[letter]
        return tileset.add(draw(facing), terrain.JUMPED[facing]) | BLOCKED | ELEVATION
    picture, passable, behaviour = {
        ",": (terrain.grass(1 if (x * 7 + y * 5) % 4 == 0 else 0), True, terrain.NORMAL),
        ":": (terrain.tall_grass(), True, terrain.TALL_GRASS),
        ";": (terrain.tall_grass(shady=True), True, terrain.TALL_GRASS),
        "*": (terrain.flowers("R"), True, terrain.NORMAL),
        "+": (terrain.flowers("Y"), True, terrain.NORMAL),
        "f": (terrain.fence(), False, terrain.NORMAL),
        "s": (terrain.sign(), False, terrain.NORMAL),
        "o": (terrain.rock(), False, terrain.NORMAL),
        "c": (terrain.cave_floor(), True, terrain.CAVE),
        "W": (terrain.cave_wall(), False, terrain.NORMAL),
        "E": (terrain.entrance(), True, terrain.STAIRS),
        "d": (terrain.sand(), True, terrain.NORMAL),
        "q": (terrain.paving(), True, terrain.NORMAL),
        "g": (terrain.wood_floor(1 if (x * 7 + y * 5) % 4 == 0 else 0), True, terrain.NORMAL),
        "a": (terrain.ash(), True, terrain.NORMAL),
        "i": (terrain.ash_sign(), False, terrain.NORMAL),
        "e": (terrain.sand_sign(), False, terrain.NORMAL),
        "k": (terrain.street_sign(), False, terrain.NORMAL),
        "A": (terrain.crag(), False, terrain.NORMAL),
        "j": (terrain.dry_grass(), True, terrain.TALL_GRASS),
        "U": (terrain.ladder_up(), True, terrain.STAIRS),
        "D": (terrain.ladder_down(), True, terrain.STAIRS),
    }[letter]
    return tileset.add(picture, behaviour) | (0 if passable else BLOCKED) | ELEVATION


def room_cell(tileset: Tileset, palette: str, rows: list[str], x: int, y: int) -> int:
    letter = rows[y][x]
    joined = frozenset(SIDES) - open_sides(rows, x, y, "t") if letter == "t" else frozenset()
    key = (palette, letter, joined)
    if key not in tileset.cells:
        tileset.cells[key] = draw_room(tileset, palette, letter, joined)
    return tileset.cells[key]


def draw_room(tileset: Tileset, palette: str, letter: str, joined: frozenset[str]) -> int:
    if letter == "t":
        return tileset.add(terrain.table(palette, joined)) | BLOCKED | ELEVATION
    draw, passable, behaviour = terrain.FURNITURE[letter]
    return tileset.add(draw(palette), behaviour) | (0 if passable else BLOCKED) | ELEVATION


def stamp(tileset: Tileset, grid: list[list[int]], kind: str, column: int, row: int) -> None:
    width, height, door, palette = HOUSES[kind]
    picture = terrain.house(width, height, door, palette)
    for y in range(height):
        for x in range(width):
            is_door = x == door and y == height - 1
            behaviour = terrain.DOOR if is_door else terrain.NORMAL
            cell = tileset.add(picture.cut(x * 16, y * 16, 16, 16), behaviour)
            grid[row + y][column + x] = cell | (0 if is_door else BLOCKED) | ELEVATION


def build(tileset: Tileset, layout: Layout) -> list[list[int]]:
    rows = layout.rows
    grid = [
        [
            room_cell(tileset, layout.palette, rows, x, y)
            if layout.palette
            else outdoor_cell(tileset, rows, x, y)
            for x in range(layout.width)
        ]
        for y in range(layout.height)
    ]
    for kind, column, row in layout.houses:
        stamp(tileset, grid, kind, column, row)
    return grid


def table(kind: str, name: str, values: list[int], per_line: int = 12) -> str:
    return f"const {kind} {name}[{len(values)}] = {{\n{lines(values, per_line)}\n}};\n"


def lines(values: list[int], per_line: int) -> str:
    return "\n".join(
        "    " + ", ".join(f"0x{value:X}" for value in values[i : i + per_line]) + ","
        for i in range(0, len(values), per_line)
    )


def longer_table(kind: str, name: str, values: list[int], more: list[int], per_line: int = 12, end: str = "") -> str:
    """Returns a table that goes on in jade_full.gba, perhaps with a last value."""
    return (
        f"const {kind} {name}[] = {{\n{lines(values, per_line)}\n#if FULL\n{lines(more, per_line)}\n"
        f"#endif\n{end}}};\n"
    )


def palette_words(colours: dict[str, tuple]) -> list[int]:
    words = [0] + [bgr555(colour) for colour in colours.values()]
    return words + [0] * (16 - len(words))


def words_of(tile_list: list[Tile]) -> list[int]:
    return [word for tile in tile_list for word in pack(tile)]


def write(name: str, parts: list[str]) -> None:
    note = "/* Written by tools/generate.py: change that, not this. */\n#include \"art/assets.h\"\n\n"
    (SOURCE / name).write_text(note + "\n".join(parts))


def world_tables() -> None:
    tileset = Tileset()
    void = tileset.add(Picture(16, 16))
    wood = [
        tileset.add(terrain.tree().cut(x * 16, y * 16, 16, 16)) | BLOCKED | ELEVATION
        for y in (0, 1)
        for x in (0, 1)
    ]
    parts = [
        table("u16", "wood_border", wood),
        table("u16", "void_border", [void | BLOCKED | ELEVATION] * 4),
        table("u16", "sea_border", [outdoor_cell(tileset, ["~"], 0, 0)] * 4),
        table("u16", "rock_border", [outdoor_cell(tileset, ["W"], 0, 0)] * 4),
    ]
    parts += [part for layout in LAYOUTS for part in layout_parts(tileset, layout)]
    n_tiles, n_metatiles = len(tileset.tiles), len(tileset.metatiles)
    parts += ["#if FULL", *(part for layout in FULL_LAYOUTS for part in layout_parts(tileset, layout)), "#endif\n"]
    outdoor_cell(tileset, [MADE_ONLY], 0, 0)
    cells = [cell for cells, _ in tileset.metatiles for cell in cells]
    behaviours = [behaviour for _, behaviour in tileset.metatiles]
    words = words_of(list(tileset.tiles))
    assert len(tileset.metatiles) <= 512 and len(tileset.tiles) <= 768  # above are those of darkness
    head = [
        longer_table("u32", "world_tiles", words[: 8 * n_tiles], words[8 * n_tiles :], 8),
        longer_table("u16", "world_metatiles", cells[: 4 * n_metatiles], cells[4 * n_metatiles :], 4),
        longer_table("u16", "world_attributes", behaviours[:n_metatiles], behaviours[n_metatiles:]),
        table("u16", "world_palettes", sum(map(palette_words, BACKGROUND.values()), []), 16),
        "const Tileset world_tileset = {0, 0, world_tiles, world_palettes, world_metatiles,\n"
        "                               world_attributes, 0};\n",
        f"const u16 world_tile_count = FULL ? {len(tileset.tiles)} : {n_tiles};\n"
        f"const u16 world_palette_count = {len(BACKGROUND)};\n",
    ]
    write("gen_world.c", head + parts)
    (LETTERS / "letters.json").write_text(json.dumps(letters(tileset), indent=0, sort_keys=True) + "\n")
    print(f"{len(tileset.tiles)} tiles, {len(tileset.metatiles)} metatiles")


def layout_parts(tileset: Tileset, layout: Layout) -> list[str]:
    """Returns the C of a layout."""
    name = f"layout_{layout.name}"
    border = "void_border" if layout.palette else f"{layout.border}_border"
    return [
        table("u16", f"{name}_grid", sum(build(tileset, layout), []), 16),
        f"const MapLayout {name} = {{{layout.width}, {layout.height}, {border}, "
        f"{name}_grid, &world_tileset, 0}};\n",
    ]


def letters(tileset: Tileset) -> dict:
    """Returns what a program needs to draw other layouts with the same tiles: cells by letter."""
    outdoors, rooms, houses = {}, {}, {}
    for (first, *rest), cell in tileset.cells.items():
        if len(rest) == 2:
            letter, joined = rest
            rooms[f"{first} {letter} {' '.join(sorted(joined))}".strip()] = cell
            continue
        sides, odd_x, odd_y, spot = rest
        here = {"T": f"{odd_x}{odd_y}", "Y": f"{odd_x}{odd_y}", ",": int(spot), "g": int(spot)}
        outdoors[f"{first} {here.get(first, ' '.join(sorted(sides)))}".strip()] = cell
    for kind, (width, height, door, _) in HOUSES.items():
        houses[kind] = {"door": door, "rows": [[0] * width for _ in range(height)]}
        stamp(tileset, houses[kind]["rows"], kind, 0, 0)
    layouts = {
        str(layout.layout_id): {
            "name": layout.name, "rows": layout.rows, "palette": layout.palette, "houses": [list(h) for h in layout.houses],
        }
        for layout in [*LAYOUTS, *FULL_LAYOUTS]
    }
    return {"outdoors": outdoors, "rooms": rooms, "houses": houses, "layouts": layouts}


def people_tables() -> None:
    names = list(PEOPLE)
    palettes = sum(map(person_palette, PEOPLE.values()), [])
    leaf = "".join(BACKGROUND["ground"])
    tuft = words_of(list(tiles(indices(people.tuft()[0], leaf))))
    drop = words_of(list(tiles(indices(people.drop(), leaf))))
    _, picture, palette = people.ROCK
    rock = words_of(list(tiles(indices(picture, PERSON_LETTERS))))
    write("gen_people.c", [
        people_tiles(),
        table("u16", "people_palettes", palettes, 16),
        table("u8", "people_palette_of", [names.index(look[2]) for look in people.LOOKS]),
        table("u32", "tuft_tiles", tuft, 8),
        table("u32", "drop_tiles", drop, 8),
        table("u16", "tuft_palette", palette_words(BACKGROUND["ground"]), 16),
        f"const u16 people_looks = {len(people.LOOKS)};\n"
        f"const u16 people_palette_count = {len(PEOPLE)};\n",
        "#if FULL",
        table("u32", "rock_tiles", rock, 8),
        f"const u8 rock_palette = {names.index(palette)};\n",
        "const u32 face_tiles[] = {\n" + "\n".join(person_lines(pictures) for _, pictures, _ in people.FACES) + "\n};\n",
        table("u16", "face_palettes", sum((person_palette(FACES[name]) for *_, name in people.FACES), []), 16),
        "#endif\n",
    ])  # fmt: skip


def person_palette(colours: dict[str, tuple]) -> list[int]:
    return palette_words({letter: colours[letter] for letter in PERSON_LETTERS})


def people_tiles() -> str:
    parts = []
    for name, pictures, _ in people.LOOKS:
        plain = person_lines(pictures)
        if full := people.FULL_LOOKS.get(name):
            plain = f"#if FULL\n{person_lines(full)}\n#else\n{plain}\n#endif"
        parts.append(plain)
    return "const u32 people_tiles[] = {\n" + "\n".join(parts) + "\n};\n"


def person_lines(pictures: list[Picture]) -> str:
    words = [word for picture in pictures for word in words_of(list(tiles(indices(picture, PERSON_LETTERS))))]
    return lines(words, 8)


def font_tables() -> None:
    codes = {code: character for character, code in font.CODES.items()}
    widths, rows, ascii_codes = [], [], []
    for code in range(256):
        width, masks = font.glyph(codes[code]) if code in codes else (0, [0] * font.HEIGHT)
        widths.append(width)
        rows += masks
    for value in range(128):
        ascii_codes.append(font.CODES.get(chr(value), 0))
    write("gen_font.c", [
        table("u8", "font_widths", widths, 16),
        table("u8", "font_rows", rows, font.HEIGHT),
        table("u8", "font_codes", ascii_codes, 16),
        table("u16", "text_palette", palette_words(TEXT), 16),
    ])  # fmt: skip


def screen_tables() -> None:
    letters = "".join(TEXT)
    number: dict[Tile, int] = {}
    cells = [
        number.setdefault(tile, len(number)) for tile in tiles(indices(title.title(), letters))
    ]
    frame = [next(iter(tiles(indices(tile, letters)))) for tile in title.frame()]
    single = {
        name: words_of(list(tiles(indices(picture, letters))))
        for name, picture in (("arrow", title.arrow()), ("paper", title.paper()))
    }
    write("gen_screens.c", [
        table("u32", "title_tiles", words_of(list(number)), 8),
        table("u16", "title_cells", cells, 30),
        table("u16", "title_palette", palette_words(TEXT), 16),
        f"const u16 title_tile_count = {len(number)};\n",
        table("u32", "frame_tiles", words_of(frame), 8),
        table("u32", "arrow_tile", single["arrow"], 8),
        table("u32", "paper_tile", single["paper"], 8),
    ])  # fmt: skip
    print(f"{len(number)} tiles in the title")


def battle_tables() -> None:
    plain, full = creature_parts(creatures.CREATURES), creature_parts(creatures.FULL_CREATURES)
    write("gen_battle.c", [
        longer_table("u16", "creature_numbers", plain[0], full[0], end="    0,\n"),
        *(
            longer_table(kind, name, values, more, per_line)
            for (kind, name, per_line), values, more in zip(CREATURE_TABLES, plain[1:], full[1:])
        ),
        *backdrop_parts("backdrop", backdrop.backdrop(), backdrop.COLOURS),
        *backdrop_parts("hall", backdrop.hall(), backdrop.HALL_COLOURS),
    ])  # fmt: skip


CREATURE_TABLES = (("u32", "creature_tiles", 8), ("u32", "creature_back_tiles", 8), ("u16", "creature_palettes", 12))


def creature_parts(drawn: dict) -> tuple[list[int], list[int], list[int], list[int]]:
    """Returns the numbers, front and back tiles and palettes of creatures."""
    words, backs, palettes = [], [], []
    for colours, shapes in drawn.values():
        behind = creatures.draw(creatures.from_behind(shapes))
        words += words_of(list(tiles(indices(creatures.draw(shapes), creatures.LETTERS))))
        backs += words_of(list(tiles(indices(behind, creatures.LETTERS))))
        palettes += palette_words(creatures.palette(colours))
    return list(drawn), words, backs, palettes


def backdrop_parts(name: str, picture: Picture, colours: dict[str, tuple]) -> list[str]:
    """Returns the C tables of what is behind a battle."""
    number: dict[Tile, int] = {}
    cells = [
        number.setdefault(tile, len(number))
        for tile in tiles(indices(picture, "".join(colours)))
    ]
    print(f"{len(number)} tiles behind a battle ({name})")
    return [
        table("u32", f"{name}_tiles", words_of(list(number)), 8),
        table("u16", f"{name}_cells", cells, 30),
        table("u16", f"{name}_palette", palette_words(colours), 16),
        f"const u16 {name}_tile_count = {len(number)};\n",
    ]


if __name__ == "__main__":
    world_tables()
    people_tables()
    font_tables()
    screen_tables()
    battle_tables()
