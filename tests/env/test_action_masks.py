"""The game's masks leave out only what does nothing, and never lock anything in."""

import gymnasium
import numpy as np
import pytest
from helpers.handmade import US, Game

from baselines.games.game import make_env
from baselines.settings.game_config import GameConfig
from emerald_env.env.action_masks import MASKS, against_a_wall, allowed_actions
from emerald_env.env.actions import ACTION_SETS, DIRECTIONS, action_set
from emerald_env.env.env import EmeraldEnv
from emerald_env.game import symbols as sym
from emerald_env.game.savefile import load
from emerald_env.state import Facing, Mode, StateReader, surroundings
from emerald_env.state.parts.around.metatile import ARROW_WARPS, MB_NORMAL, behaviour

NAMES = [action.name for action in action_set("full")]
ROM = 0x08000000
LAYOUT, PRIMARY, SECONDARY, FIRST, SECOND = (ROM + 0x1000 * k for k in range(1, 6))
WALL, DOOR = 0x3402, 0x3403  # metatiles 2 and 3 with collision, elevation 3
WIDTH = 20 + 15


def standing(cells=None, ground=MB_NORMAL, wall=MB_NORMAL, door=0x69):
    """The player at (10, 12) looks down among grass; cells {(dx, dy): u16} are something else."""
    memory = Game(position=(10, 12)).memory()
    memory.regions[ROM] = bytearray(0x8000)
    memory.put(US.g_map_header, "I", LAYOUT)
    memory.put(LAYOUT + sym.MAP_LAYOUT_PRIMARY_TILESET, "II", PRIMARY, SECONDARY)
    for tileset, attributes in ((PRIMARY, FIRST), (SECONDARY, SECOND)):
        memory.put(tileset + sym.TILESET_METATILE_ATTRIBUTES, "I", attributes)
    memory.put(FIRST, "4H", 0, ground, wall, door)
    memory.put(SECOND, "2H", 0x3B, 0x1000)
    memory.write(US.s_backup_map_data, (0x3001).to_bytes(2, "little") * (WIDTH * 34))
    for (dx, dy), cell in (cells or {}).items():
        place = US.s_backup_map_data + 2 * (10 + 7 + dx + WIDTH * (12 + 7 + dy))
        memory.put(place, "H", cell)
    return memory


def forbidden(memory, **changes):
    """The names of what is left out, for the state that the memory holds."""
    state = StateReader(memory.read).sample()
    state = type(state)(**{**{n: getattr(state, n) for n in state.__slots__}, **changes})
    allowed = allowed_actions(action_set("full"), state, memory.read)
    return [name for name, ok in zip(NAMES, allowed, strict=True) if not ok]


def test_walking_on_against_the_wall_that_one_looks_at_is_left_out():
    memory = standing({(0, 1): WALL})
    assert StateReader(memory.read).sample().facing is Facing.DOWN
    assert forbidden(memory, mode=Mode.OVERWORLD, controllable=True) == ["down", "down+b"]


def test_a_wall_at_one_s_side_can_be_turned_to():
    assert forbidden(standing({(1, 0): WALL}), mode=Mode.OVERWORLD, controllable=True) == []


@pytest.mark.parametrize("kind", sorted(ARROW_WARPS), ids=hex)
def test_a_mat_can_be_left_against_the_wall(kind):
    memory = standing({(0, 1): WALL}, ground=kind)
    assert forbidden(memory, mode=Mode.OVERWORLD, controllable=True) == []


@pytest.mark.parametrize("cell", [DOOR, 0x3400 + 512])  # an animated door, a ledge to the south
def test_doors_and_ledges_are_no_walls(cell):
    memory = standing({(0, 1): cell})
    assert forbidden(memory, mode=Mode.OVERWORLD, controllable=True) == []


def test_a_wall_of_the_second_tileset_is_one():
    memory = standing({(0, 1): 0x3400 + 513})
    assert behaviour(memory.read, 513) == MB_NORMAL
    assert forbidden(memory, mode=Mode.OVERWORLD, controllable=True) == ["down", "down+b"]


def test_a_person_or_a_boulder_in_front_of_a_wall_can_be_walked_against():
    memory = standing({(0, 1): WALL})
    other = bytearray(Game(position=(10, 13)).player_object())
    other[2] = 0
    memory.write(US.g_object_events + sym.OBJECT_EVENT_SIZE, bytes(other))
    assert forbidden(memory, mode=Mode.OVERWORLD, controllable=True) == []


@pytest.mark.parametrize("mode", Mode)
def test_start_and_select_are_left_out_in_talk_and_battle_only(mode):
    wanted = ["start", "select"] if mode in (Mode.DIALOG, Mode.BATTLE) else []
    assert forbidden(standing({(0, 1): WALL}), mode=mode, controllable=False) == wanted


@pytest.mark.parametrize("pointer", [0, 1, 0x02FFFFFF, 0x09FFFFFE, 0xFFFFFFFF])
def test_a_map_header_that_leads_nowhere_forbids_nothing(jade, pointer):
    memory = standing({(0, 1): WALL})
    for address, layout in ((sym.EWRAM, sym.EWRAM_SIZE), (sym.IWRAM, sym.IWRAM_SIZE)):
        jade.memory.write(address, memory.read(address, layout))
    jade.memory.write(US.g_map_header, pointer.to_bytes(4, "little"))
    assert surroundings(jade.memory.read)[Facing.DOWN].collision
    assert not against_a_wall(Facing.DOWN, jade.memory.read)


def test_a_real_state_forbids_nothing_that_its_memory_does_not_show(shared):
    image = load(shared / "states" / "pokeagent-speedrun__house.state")
    state = StateReader(image.read).sample()
    assert allowed_actions(action_set("full"), state, image.read).sum() >= len(NAMES) - 4


@pytest.mark.parametrize("name", ACTION_SETS)
@pytest.mark.parametrize("mode", Mode)
def test_something_is_always_allowed_and_so_are_a_b_and_turning_away(name, mode):
    memory = standing({(0, 1): WALL, (0, -1): WALL, (1, 0): WALL, (-1, 0): WALL})
    left_out = forbidden(memory, mode=mode, controllable=True)
    kept = {action.name for action in action_set(name)} - set(left_out)
    assert {"a", "b"} <= kept
    assert len(kept & set(filter(None, DIRECTIONS))) >= 3


@pytest.fixture(scope="module")
def env():
    env = EmeraldEnv(GameConfig(action_set="full", action_masks=True, observation="dict"))
    yield env
    env.close()


def test_what_is_left_out_does_nothing_that_waiting_would_not(env):
    """Random play in Jade; each masked action is tried out beside waiting."""
    dice = np.random.default_rng(0)
    wait, tried, walls = NAMES.index("wait"), 0, 0
    observation, _ = env.reset(seed=0)
    for step in range(800):
        masks = observation[MASKS]
        assert masks.tolist() == env.action_masks().tolist()
        if not masks.all() and step % 3 == 0:
            here = env.gba.get_state()
            waited = after(env, here, wait)
            for action in np.flatnonzero(masks == 0):
                assert after(env, here, action) == waited, NAMES[action]
                tried += 1
                walls += NAMES[action] in DIRECTIONS
            env.gba.set_state(here)
            env.reader.sample()
        observation, *_ = env.step(dice.choice(np.flatnonzero(masks[:15])))
    assert tried > 60 and walls > 10


def after(env, here, action):
    """What the game says two steps after: the action, then a wait."""
    env.gba.set_state(here)
    env.press(env._actions[action].keys)
    env.press(0)
    return env.reader.sample()


def test_masks_are_part_of_what_is_seen_where_they_are_asked_for():
    for observation, keys in (("screen", {"screen", MASKS}), ("dict", {"screen", "state", MASKS})):
        env = make_env(GameConfig(action_masks=True, observation=observation))
        assert set(env.observation_space.spaces) == keys
        seen, _ = env.reset(seed=0)
        assert seen in env.observation_space
        env.close()
    plain = make_env(GameConfig(observation="screen"))
    assert isinstance(plain.observation_space, gymnasium.spaces.Box)
    plain.close()
