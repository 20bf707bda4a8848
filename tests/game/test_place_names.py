"""Places have names that people can read, each its own."""

from collections import Counter

import pytest

from emerald_env.game.place_names import place_name, room_and_town
from emerald_env.game.tables import maps


@pytest.mark.parametrize(
    ("pret", "name"),
    [
        ("LittlerootTown", "Littleroot Town"),
        ("Route101", "Route 101"),
        ("LittlerootTown_BrendansHouse_1F", "Brendan's House 1F, Littleroot Town"),
        ("Route111_OldLadysRestStop", "Old Lady's Rest Stop, Route 111"),
        ("SootopolisCity_MysteryEventsHouse_B1F", "Mystery Events House B1F, Sootopolis City"),
        ("PetalburgCity_PokemonCenter_2F", "Pokémon Center 2F, Petalburg City"),
        ("Route104_MrBrineysHouse", "Mr. Briney's House, Route 104"),
        ("InsideOfTruck", "Truck"),
        ("CaveOfOrigin_B1F", "Cave of Origin B1F"),
        ("SSTidalCorridor", "SS Tidal Corridor"),
        ("MtPyre_Summit", "Mt. Pyre Summit"),
        ("ShoalCave_LowTideStairsRoom", "Shoal Cave Low Tide Stairs Room"),
        ("Underwater_SootopolisCity", "Underwater Sootopolis City"),
    ],
)
def test_a_place_is_called_as_people_call_it(pret, name):
    (location,) = (at for at, info in maps().items() if info.name == pret)
    assert place_name(location) == name


def test_no_two_maps_of_the_game_share_a_name_unless_pret_gives_them_one():
    given = Counter(info.name for info in maps().values())
    ours = Counter(place_name(location) for location in maps())
    assert sorted(given.values()) == sorted(ours.values())


def test_every_word_is_a_word():
    for location in maps():
        for part in room_and_town(location):
            assert "_" not in part and "  " not in part and part == part.strip()


def test_a_map_that_the_original_game_lacks_is_named_by_its_numbers():
    assert room_and_town((99, 1)) == ("map 99.1", "")
