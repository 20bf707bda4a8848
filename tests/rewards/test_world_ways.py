"""In a world with maps of its own the term `way` follows those, to what its story asks for."""

from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from helpers.fakes import pokemon
from hypothesis import given
from hypothesis import strategies as st

from baselines.checkpoints.formats.plain import from_plain, to_plain
from emerald_env.game.choice import GameChoice
from emerald_env.game.editions import open_game
from emerald_env.jade.cartridge import world_file
from emerald_env.jade.worlds.errand_ways import ErrandWays, errand_ways_of
from emerald_env.jade.worlds.guidance.errands import HARDER_ERRANDS
from emerald_env.jade.worlds.guidance.world_story import Story
from emerald_env.state import StateReader
from rewards import Preset, Reward, key_name
from rewards.audit.new_game import NEW_GAME
from rewards.terms.story_ways import main_story
from rewards.terms.way_walked import JadeWays, WayWalked, ways_in

WORLD = "11:demanding"
WAY = Preset("way", {"way": 1.0})
HOME = (1, 1, 4, 2)


@cache
def story():
    return Story(world_file(WORLD).read_bytes())


@cache
def errand_ways():
    return ErrandWays(world_file(WORLD).read_bytes())


@cache
def numbers():
    return {each.name: number for number, each in enumerate(story().errands) if each.name}


def at(place, done=0):
    """Returns the state of somebody on a tile who has done the first errands."""
    flags, variables, moves = bytearray(NEW_GAME.flags), bytearray(NEW_GAME.vars), ()
    for errand in story().errands[:done]:
        if errand.kind == "flag":
            flags[errand.number >> 3] |= 1 << (errand.number & 7)
        if errand.kind == "var":
            offset = 2 * (errand.number - 0x4000)
            variables[offset : offset + 2] = errand.value.to_bytes(2, "little")
        moves += (errand.number,) if errand.kind == "move" else ()
    has_party = any(errand.kind == "party" for errand in story().errands[:done])
    return replace(
        NEW_GAME,
        flags=bytes(flags),
        vars=bytes(variables),
        party=(pokemon(moves=moves),) if has_party else (),
        location=place[:2],
        position=place[2:],
        component=None,
        global_position=None,
        world=WORLD,
    )


def path(number, place):
    """Returns the tiles of a shortest way to an errand, the first included."""
    field = story().ways.distances(story().sides(story().errands[number]), set())
    tiles = [place]
    while field[place]:
        place = story().ways.after[place][min(story().ways.best(place, field))]
        tiles.append(place)
    return tiles


def paid(reward, tiles, done):
    """Returns what the way along some tiles pays, tile by tile."""
    states = [at(tile, done) for tile in tiles]
    return [sum(reward(before, after).values()) for before, after in pairwise(states)]


def reward_at(place, done):
    reward = Reward(WAY)
    reward.reset(at(place, done))
    return reward


def test_each_tile_is_one_step_further_than_the_nearest_one_that_a_step_leads_to():
    """Bellman's equation, which only the shortest distances solve."""
    for number, errand in enumerate(story().errands):
        goals = set() if errand.how == "teach" else set(story().sides(errand))
        for place, steps in story().ways.after.items():
            further = [errand_ways().left(number, to) for to in steps.values()]
            nearest = min((left for left in further if left is not None), default=None)
            wanted = 0 if place in goals else None if nearest is None else nearest + 1
            assert errand_ways().left(number, place) == wanted


def test_beyond_the_maps_there_is_no_way():
    for place in ((0, 9, -1, 3), (0, 9, 3, -1), (0, 9, 500, 3), (0, 9, 3, 500), (99, 9, 3, 3)):
        assert errand_ways().left(0, place) is None


@pytest.mark.parametrize(
    "name", ["birch_in_danger", "visited_petalburg", "visited_rustboro", "badge_1", "badge_2"]
)
def test_whoever_walks_the_whole_way_is_paid_all_of_it_evenly_and_once(name):
    number = numbers()[name]
    start = max(
        (place for place in story().ways.after if errand_ways().left(number, place) is not None),
        key=lambda place: -abs(errand_ways().left(number, place) - errand_ways().length(number)),
    )
    assert errand_ways().left(number, start) == errand_ways().length(number)
    reward, tiles = reward_at(start, number), path(number, start)
    pays = paid(reward, tiles, number)
    middle = len(pays) // 2
    assert sum(pays) == pytest.approx(1)
    assert sum(pays[:middle]) == pytest.approx(0.5, abs=0.5 / (len(pays) / 16) + 0.07)
    assert sum(paid(reward, tiles[::-1], number)) == 0
    assert sum(paid(reward, tiles, number)) == 0


@pytest.mark.parametrize(
    ("milestone", "further", "to"), [("badge_2", 0, "badge_2"), ("badge_1", 1, "errand 19")]
)
def test_a_payment_says_which_errand_of_the_world_the_way_leads_to(milestone, further, to):
    number = numbers()[milestone] + further
    start = max(
        (place for place in story().ways.after if errand_ways().left(number, place) is not None),
        key=lambda place: errand_ways().left(number, place),
    )
    reward, names = reward_at(start, number), []
    for before, after in pairwise(at(tile, number) for tile in path(number, start)):
        reward(before, after)
        names += [key_name(term, key) for term, key, _ in reward.last_events]
    assert names == [f"to {to}, part {part + 1}" for part in range(len(names))] != []


def test_on_emeralds_maps_a_payment_says_which_milestone_the_way_leads_to():
    badge = next(each for each in main_story() if each.slug == "badge_stone")
    assert key_name("way", ways_in(None).key(badge.bit, 1)) == "to badge_stone, part 2"


@given(st.data())
def test_no_walk_is_paid_more_than_the_share_of_the_way_that_it_came_nearer(data):
    number = data.draw(st.sampled_from(sorted(set(numbers().values()))))
    place = data.draw(st.sampled_from(sorted(story().ways.after)))
    reward, nearest, total = reward_at(place, number), errand_ways().left(number, place), 0.0
    first = nearest
    for choice in data.draw(st.lists(st.integers(0, 3), max_size=60)):
        steps = list(story().ways.after[place].values()) if place in story().ways.after else []
        if not steps:
            break
        after = steps[choice % len(steps)]
        total += sum(reward(at(place, number), at(after, number)).values())
        place, left = after, errand_ways().left(number, after)
        nearest = left if nearest is None else min(nearest, left if left is not None else nearest)
    if first is None:
        return
    length = errand_ways().length(number)
    slices = -(-length // 16) or 1
    assert total <= (first - nearest) / max(1, length - 2) + 1 / slices + 1e-9


def test_waking_up_nearer_pays_nothing():
    number = numbers()["pokedex"]
    tiles = path(number, (0, 18, *min(tile[2:] for tile in story().ways.tiles((0, 18)))))
    reward, healed = reward_at(tiles[0], number), (*tiles[-1][:2], *tiles[-1][2:])
    before = replace(at(tiles[0], number), last_heal=healed)
    hurt = replace(before, party=(replace(before.party[0], hp=0),))
    woken = replace(at(tiles[-1], number), last_heal=healed)
    reward(before, hurt)
    assert sum(reward(hurt, woken).values()) == 0
    assert sum(paid(reward, tiles, number)) == 0


def test_what_was_passed_by_is_no_longer_next_unless_the_way_needs_it():
    ways, last = errand_ways(), len(story().errands)
    potion, rival = numbers()["oldale_potion"], numbers()["rival_route103"]

    def following(state):
        return ways.next(state.flags, state.vars, tuple(one.moves for one in state.party))

    assert [following(at(HOME, done)) for done in range(last)] == list(range(last))
    assert following(at(HOME, last)) is None
    flags = bytearray(at(HOME, rival + 1).flags)
    flags[story().errands[potion].number >> 3] ^= 1 << (story().errands[potion].number & 7)
    assert following(replace(at(HOME, rival + 1), flags=bytes(flags))) == rival + 1
    # a lesson is no milestone: whoever went on without it must come back for it
    letter = numbers()["letter"]
    untaught = replace(at(HOME, letter + 1), party=(pokemon(moves=(1,)),))
    lesson = story().errands[following(untaught)]
    assert lesson.how == "teach" and lesson in HARDER_ERRANDS
    assert ways.left(following(untaught), HOME) is None  # it can be taught anywhere


def test_a_state_names_its_world_where_that_has_maps_of_its_own():
    for world, named in ((None, None), ("0", None), ("0:demanding", None), ("7", "7")):
        with open_game(GameChoice(world=world)) as game:
            reader = StateReader.of(game)
            while (state := reader.sample()) is None:
                game.step(8, 1, 30)  # Start
                game.step(1, 1, 30)  # A
            assert state.world == named
    assert from_plain(*to_plain(state)).world == "7"


def test_a_world_has_ways_of_its_own_and_emerald_those_over_its_maps():
    assert isinstance(ways_in(WORLD), JadeWays)
    assert errand_ways_of(WORLD) is errand_ways_of(WORLD) is not errand_ways_of("11")
    badge = next(each for each in main_story() if each.slug == "badge_stone")
    assert ways_in(None).length(badge.bit) > ways_in(None).left(badge.bit, at((0, 3, 27, 20)))
    with pytest.raises(ValueError, match="world must be a number"):
        ways_in("../7")


def test_a_state_of_no_known_map_pays_nothing():
    term = WayWalked()
    assert list(term.holds(at((77, 7, 3, 3), 4))) == []
