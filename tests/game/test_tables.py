"""The tables are whole, agree with one another, and with the reference material if it is there."""

import csv

import pytest

from emerald_env.game import tables
from emerald_env.game.flags import FLAG_COUNT

COLUMNS = {  # our file -> (reference file, {our column: its column})
    "vars": ("vars", {"id": "id", "name": "name", "category": "category"}),
    "maps": ("maps", {"group": "group", "num": "num", "name": "name", "width": "width"}),
    "moves": ("moves", {"id": "id", "name": "name", "pp": "pp", "power": "power"}),
    "items": ("items", {"id": "id", "name": "name", "pocket": "pocket"}),
    "species": ("species", {"id": "id", "name": "name", "national": "national_dex"}),
    "trainers": ("trainers", {"id": "id", "const": "const", "name": "name"}),
    "global_offsets": ("global_map_offsets", {"group": "group", "num": "num", "x": "global_x"}),
    "milestones": ("milestones", {"slug": "slug", "kind": "kind", "name": "name"}),
}


def reference(shared, name):
    with (shared / "facts" / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", COLUMNS)
def test_a_table_says_what_the_reference_says(shared, name):
    other, columns = COLUMNS[name]
    rows = sorted(tables._rows(name), key=lambda row: int(row.get("bit", 0)))
    ours = [tuple(row[column] for column in columns) for row in rows]
    theirs = [tuple(row[column] for column in columns.values()) for row in reference(shared, other)]
    assert ours[: len(theirs)] == theirs
    assert len(ours) - len(theirs) == (6 if name == "milestones" else 0)


def test_every_callback_of_the_reference_is_known(shared):
    ours = tables.callbacks()
    for row in reference(shared, "callbacks"):
        assert ours[int(row["pointer_value"], 16)].name == row["name"]


def test_toggling_and_initial_flags_are_marked(shared):
    toggling = {int(row["id"]): row["kind"] for row in reference(shared, "toggling_flags")}
    initial = {int(row["id"]) for row in reference(shared, "initial_flags")}
    for flag, info in tables.flags().items():
        assert info.toggles == toggling.get(flag, "")
        assert info.initial == (flag in initial)


def test_the_trainers_with_a_gym_are_those_whom_its_leaders_script_marks_as_beaten(shared):
    towns = ["RustboroCity", "DewfordTown", "MauvilleCity", "LavaridgeTown", "PetalburgCity"]
    towns += ["FortreeCity", "MossdeepCity", "SootopolisCity"]
    sites = {int(row["id"]): row["set_by"] for row in reference(shared, "flag_usage")}
    for flag, info in tables.flags().items():
        gyms = [n for n, town in enumerate(towns, 1) if f"{town}_Gym_SetGym" in sites.get(flag, "")]
        assert [info.gym] == (gyms or [0])


def test_every_saved_flag_has_a_name():
    assert set(range(FLAG_COUNT)) <= tables.flags().keys()
    assert len(tables.flag_ids()) == len(tables.flags())


def test_a_new_game_sets_159_flags():
    assert sum(info.initial for info in tables.flags().values()) == 159


@pytest.mark.parametrize(
    ("table", "count"),
    [(tables.species, 412), (tables.moves, 355), (tables.items, 377), (tables.trainers, 855)],
)
def test_the_index_is_the_games_number(table, count):
    assert [entry.id for entry in table()] == list(range(count))


def test_the_national_pokedex_is_whole():
    assert sorted(tables.species_by_national()) == list(range(1, 387))
    assert tables.species_by_national()[252].name == "TREECKO"


def test_milestones_are_in_order_and_named_after_what_shows_them():
    steps = tables.milestones()
    assert [step.order for step in steps] == list(range(1, 93))
    assert len({step.slug for step in steps}) == 92
    assert sorted(step.bit for step in steps) == list(range(92))
    for step in steps:
        ids = {
            "flag": tables.flag_ids(),
            "var": tables.variable_ids(),
            "party": {"gPlayerPartyCount": 0},
        }[step.kind]
        assert ids[step.name] == step.id
        assert (step.group, step.num) in tables.maps()


def test_growth_is_strict_and_known_for_every_species():
    table = tables.experience()
    assert {entry.growth_rate for entry in tables.species()[1:]} == table.keys()
    for levels in table.values():
        assert len(levels) == 101 and list(levels[1:]) == sorted(set(levels[1:]))
    assert table["medium_fast"][100] == 1_000_000
    assert table["slow"][100] == 1_250_000


def test_the_places_of_outdoor_maps_do_not_overlap():
    taken = {}
    for location, offset in tables.global_offsets().items():
        info = tables.maps()[location]
        for x in range(offset.x, offset.x + info.width):
            for y in range(offset.y, offset.y + info.height):
                cell = (offset.component, x, y)
                assert taken.setdefault(cell, location) == location


def test_characters_are_distinct_for_letters_and_digits():
    text = tables.characters()
    assert "".join(text[byte] for byte in range(0xBB, 0xD5)) == "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    assert "".join(text[byte] for byte in range(0xA1, 0xAB)) == "0123456789"
    assert 0xFF not in text
    kana = tables.characters("japanese")
    assert (kana[0x01], kana[0x50], kana[0x51], kana[0xA0]) == ("あ", "っ", "ア", "ッ")
    assert [kana[0x51 + n] for n in range(5)] == [chr(ord("ア") + 2 * n) for n in range(5)]


def test_numbers_without_a_name_get_a_placeholder():
    assert tables.flag_name(2400) == "flag 2400"
    assert tables.map_name((99, 1)) == "map 99.1"
    assert tables.species_name(412) == "species 412"
    assert tables.move_name(-1) == "move -1"
    assert tables.item_name(377) == "item 377"


def test_tables_cannot_be_changed():
    with pytest.raises(TypeError):
        tables.flags()[0] = None


def test_the_second_milestone_is_reached_in_front_of_the_house():
    """Mom leads the player in: from the truck, not from inside."""
    second = next(step for step in tables.milestones() if step.slug == "entered_home")
    assert tables.maps()[second.group, second.num].name == "LittlerootTown"


def test_fiery_path_is_a_milestone_where_one_enters_it_from_the_south():
    step = next(step for step in tables.milestones() if step.slug == "fiery_path")
    assert step.description == "Enters Fiery Path"
    assert (step.group, step.num, step.x, step.y) == (24, 14, 26, 35)
