"""The work that every contestant of the benchmark does: the same keys from the same state."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from baselines.settings.game_config import GameConfig
from emerald_env.emulator import GBA
from emerald_env.env.actions import action_set
from emerald_env.env.env import EmeraldEnv
from emerald_env.game import symbols as sym
from emerald_env.game.editions import can_read, open_game
from emerald_env.game.rom_file import game_code
from emerald_env.jade.cartridge import JADE_ROM
from emerald_env.jade.menus import meet
from emerald_env.jade.walk import Walker, walk_through
from emerald_env.starts.starts import prepare_starts
from emerald_env.state import StateReader
from experiments.benchmarks.busy_rom import BLANK, HALF_ASLEEP, NEVER_WORKS, busy_rom
from experiments.benchmarks.mix import mix_rom
from rewards import Reward

DIRECTIONS = (0, 3, 6, 9, 12)  # actions of the table "original" without A and B
LATE = "420 Pokémon"  # the scene of a player with a full party and full boxes
TITLE_FRAMES = 400
BOOT_FRAMES = 600  # of a game that is not known, until something moves
ROUTE_101, TALL_GRASS = (0, 16), 0x02
MENU_FRAMES = 500  # frames after which a new battle waits for a choice
MAPS_UNTIL = "visited_petalburg"  # milestone at which the search for the largest map ends


@dataclass(frozen=True)
class Work:
    """These actions from this state."""

    config: GameConfig
    rom: Path
    state: bytes
    actions: NDArray[np.int64]  # (steps,)

    @property
    def keys(self) -> list[int]:
        """The key mask of each step."""
        table = action_set(self.config.action_set)
        return [table[action].keys for action in self.actions]

    def part(self, start: int, stop: int) -> "Work":
        """Returns a slice of the work's steps."""
        return replace(self, actions=self.actions[start:stop])


def overworld(rom: Path | None, steps: int, seed: int) -> Work:
    """Returns random keys from the start of a game."""
    actions = np.random.default_rng(seed).integers(15, size=steps)
    state = prepare_starts(rom, "new-game")[0].state
    return Work(env_config(rom), rom or JADE_ROM, state, actions)


def is_known(rom: Path) -> bool:
    """Returns whether this is a game whose memory can be read."""
    return can_read(game_code(rom))


def any_game(rom: Path, steps: int, seed: int) -> Work:
    """Returns random keys in any other game, from `BOOT_FRAMES` after it was switched on."""
    with GBA(rom) as gba:
        gba.tick(BOOT_FRAMES, render=False, sound=False)
        state = gba.get_state()
    return Work(env_config(None), rom, state, np.random.default_rng(seed).integers(15, size=steps))


def open_env(config: GameConfig) -> EmeraldEnv:
    """Returns the environment with its reward, and no wrappers."""
    return EmeraldEnv(config, Reward(config.preset()))


def env_config(rom: Path | None) -> GameConfig:
    """Returns the settings of every contestant's env; episodes do not end."""
    return GameConfig(rom=rom, start_wait=0, episode_length=1 << 40)


def scenes(rom: Path | None, steps: int, seed: int) -> dict[str, Work]:
    """Returns the work of each scene; all but the first are Jade's.

    In a battle and at the title the keys are directions only: the scene stays.
    """
    found = {"overworld": overworld(rom, steps, seed)}
    if rom is None:
        found[LATE] = replace(found["overworld"], state=late_state())
        wandering = np.random.default_rng(seed).choice(DIRECTIONS, size=steps)
        for name, state in (("battle", battle_state()), ("title", title_state())):
            found[name] = Work(env_config(None), JADE_ROM, state, wandering)
    return found


def busy_scenes(folder: Path, steps: int, seed: int) -> dict[str, Work]:
    """Returns Jade's overworld with a processor that works more, and with a sound like Emerald's.

    Jade's own sleeps for most of a frame and is silent; most games, Emerald too, are neither.

    Args:
        folder: for the ROMs.
        steps: steps of the work.
        seed: seed of the keys.
    """
    found, plain = {}, overworld(None, steps, seed)
    roms = {
        "half busy": busy_rom(HALF_ASLEEP),
        "busy": busy_rom(),
        "sounding": busy_rom(NEVER_WORKS, sounding=True),
        "sounding, 30 % busy": busy_rom(BLANK, sounding=True),
        "mix": mix_rom(),
    }
    for name, data in roms.items():
        rom = folder / f"{name.replace(' %', '')}.gba"
        rom.write_bytes(data)
        with open_game(rom) as gba:
            state = with_crc32(plain.state, gba.crc32)
        found[name] = Work(env_config(rom), rom, state, plain.actions)
    return found


def with_crc32(state: bytes, crc32: int) -> bytes:
    """Returns a state of one ROM as that of another, of the same game."""
    return state[:8] + crc32.to_bytes(4, "little") + state[12:]


def title_state() -> bytes:
    """Returns Jade's title screen."""
    with open_game() as gba:
        gba.tick(TITLE_FRAMES)
        return gba.get_state()


def battle_state() -> bytes:
    """Returns a battle in Jade's tall grass, with the menu open."""
    with open_game() as gba:
        walker = Walker(gba)
        next(name for name, _ in walk_through(walker) if name == "starter_given")
        route = walker.world[ROUTE_101]
        tiles = ((x, y) for x in range(route.width) for y in range(route.height))
        walker.go({(*ROUTE_101, x, y) for x, y in tiles if route.behaviour(x, y) == TALL_GRASS})
        meet(walker)
        gba.tick(MENU_FRAMES)
        return gba.get_state()


def smallest_and_largest_map() -> dict[str, bytes]:
    """Returns states on the smallest and on the largest map of the first walk through Jade."""
    states: dict[int, tuple[str, bytes]] = {}
    with open_game() as gba:
        reader = StateReader(gba.memory.read)
        for milestone, _ in walk_through(Walker(gba)):
            state = reader.sample()
            if state is not None and state.map_size is not None:
                width, height = state.map_size
                states[width * height] = (f"{width} x {height} tiles", gba.get_state())
            if milestone == MAPS_UNTIL:
                break
    return dict([states[min(states)], states[max(states)]])


def late_state() -> bytes:
    """Returns Jade's second map with six Pokémon in the party and all 420 places of the PC taken.

    Playing until then would take too long, so the first Pokémon is copied into memory.
    """
    with open_game() as gba:
        next(name for name, _ in walk_through(Walker(gba)) if name == "starter_given")
        at = gba.edition.addresses
        first = gba.memory.read(at.g_player_party, sym.POKEMON_SIZE)
        gba.memory.write(at.g_player_party, first * sym.PARTY_SIZE)
        gba.memory.write(at.g_player_party_count, bytes([sym.PARTY_SIZE]))
        boxes = int.from_bytes(gba.memory.read(at.g_pokemon_storage_ptr, 4), "little")
        stored = first[: sym.BOX_POKEMON_SIZE] * (sym.BOX_COUNT * sym.BOX_CAPACITY)
        # PyGBA 0.2.9 looks for the boxes right after the first byte, not at STORAGE_BOXES, and
        # raises an IndexError where they are; nobody else here reads them
        gba.memory.write(boxes + sym.STORAGE_CURRENT_BOX + 1, stored)
        return gba.get_state()
