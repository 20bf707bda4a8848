"""One game as a gymnasium environment: keys in, picture and reward out."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from emerald_env.emulator import FRAMES_PER_SECOND, key_mask
from emerald_env.emulator.keys import KEYBOARD
from emerald_env.emulator.pictures.human_window import HumanWindow
from emerald_env.env.action_masks import MASKS, allowed_actions
from emerald_env.env.actions import action_number, action_set
from emerald_env.env.any_game.value_reward import ValueReward
from emerald_env.env.config import PREPARE, STATE, WAIT, WORLD, EnvConfig, checked_options
from emerald_env.env.observation import (
    BAG,
    GUIDE,
    MENU,
    PURPOSE,
    REACH,
    SCREEN,
    TEXT,
    TILES,
    VISITED,
    WORLD_NUMBER,
    Observation,
    Place,
    copy_of,
    observation_space,
)
from emerald_env.env.reward_function import NoReward, RewardFunction, total_of
from emerald_env.env.state_vector.bag import observe_bag
from emerald_env.env.state_vector.dialogue_text import dialogue_text
from emerald_env.env.state_vector.menu_numbers import MenuVector
from emerald_env.env.step_info import StepInfo
from emerald_env.game.choice import GameChoice
from emerald_env.game.editions import describe_game, open_game, rom_file
from emerald_env.jade.cartridge import world_of, worlds_of
from emerald_env.jade.worlds.guidance.guide import Guide, guide_of
from emerald_env.starts.starts import Start, prepare_starts
from emerald_env.state import GameState, Mode, StateReader
from emerald_env.state.parts.around.targets import targets
from emerald_env.state.parts.around.tiles_around import tiles_around
from emerald_env.state.parts.around.visited_ground import VisitedGround

DRAWN_EVERY = 8  # steps, where nobody looks: enough for the photographs of a map
WALKING = (Mode.OVERWORLD, Mode.DIALOG)


def guide_for(choice: GameChoice) -> Guide:
    """Returns the guide of a game.

    Raises:
        ValueError: it has none.
    """
    if describe_game(choice)["code"] != "JADE":
        raise ValueError("guide: only Jade and its worlds have one")
    return guide_of(rom_file(choice))


class EmeraldEnv(gymnasium.Env[Observation, np.int64]):
    """Pokémon Emerald, or the built-in game Jade, one key combination per step.

    Action Space: `Discrete(15)`, the original table (`actions.py`): each direction or none, with
        A, B or neither, held for `hold_frames` of a step's `frame_skip` frames.
    Observation Space: the screen in grey, (80, 120, 1) uint8; with `observation="dict"` that under
        "screen" and `observation.observe_state` under "state"; with "full" a longer "state"; with
        "state" only that, and frames are drawn where somebody looks; with `tiles` also `tiles()`,
        with `targets` also `targets()`, with `menus` under "menu" `observe_menu`, with `visited`
        also `VisitedGround`, with `bag` also `observe_bag`, with `text` also `dialogue_text`, with
        `action_masks` also `action_masks()`, as 0 and 1; with `guide` under "guide" 1 for each
        action that Jade's guide would take, else 0, and under "purpose" what it is after, below
        `PURPOSES`; with `world_number` the world's of Jade, 0 in any other game. With `colour` the
        screen is (80, 120, 3).
    Starting State: `config.start`, then a random wait of up to `config.start_wait` frames.
    Rewards: the sum of the given reward's terms for the step. `info["reward_terms"]` has them by
        name.
    Information: `StepInfo` lists the keys; `action_masks()` says which actions would do something.
    Episode End: when the credits begin; `TimeLimit` truncates.

    Args:
        config: the settings; None: the defaults.
        reward: pays for each step; None: every step pays 0.
        render_mode: "rgb_array", "rgb_array_list" or "human".

    Raises:
        FileNotFoundError, RomError, StateError, ValueError: the ROM, the start or a setting cannot
            be used.
    """

    metadata = {"render_modes": ["rgb_array", "rgb_array_list", "human"]}

    def __init__(
        self,
        config: EnvConfig | None = None,
        reward: RewardFunction | None = None,
        render_mode: str | None = None,
    ) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            modes = ", ".join(self.metadata["render_modes"])
            raise ValueError(f"render_mode must be one of {modes}, got {render_mode!r}")
        self.config = config or EnvConfig()
        self.render_mode = render_mode
        shown = 1 if render_mode == "rgb_array_list" else self.config.frame_skip
        self.metadata = self.metadata | {"render_fps": FRAMES_PER_SECOND / shown}
        self._frames: list[NDArray[np.uint8]] = []  # since the last `render` of a list
        self._worlds = worlds_of(self.config.worlds) if self.config.worlds else None
        self._enter(self.config)
        self.is_watched = render_mode is not None and render_mode != "rgb_array"
        self._undrawn = 0  # steps since a frame was drawn
        self._ground = VisitedGround()
        self.reward: Final[RewardFunction] = self._of_values(reward or NoReward())
        self._actions = action_set(self.config.action_set)
        self._keys = [action.keys for action in self._actions]
        self._window, self._menus = HumanWindow(), MenuVector()
        self._place = Place.new(self.config)
        self._place_is_shared = False
        self._parts = [(part, fill) for name, part, fill in _PARTS if getattr(self.config, name)]
        self.state: GameState | None = None
        self.action_space = spaces.Discrete(len(self._keys))
        self.observation_space = observation_space(self.config)

    def _enter(self, config: EnvConfig) -> None:
        """Opens a game and its start; where that fails, the env is as it was."""
        starts = prepare_starts(config.choice, config.start, config.clock)
        guide = guide_for(config) if config.guide else None
        number = world_of(config.world or "0").seed
        self.gba = open_game(config.choice)
        self.reader = StateReader.of(self.gba)
        self.config, self._starts, self._guide, self._number = config, starts, guide, number

    def _of_values(self, reward: RewardFunction) -> RewardFunction:
        """Returns the reward as it is paid: of named values where there is no state to read."""
        data = self.config.data
        return reward if data is None else ValueReward(reward, self._read_memory, data)

    def _read_memory(self, address: int, size: int) -> bytes:
        """Returns bytes of the game's memory, whichever world it is in."""
        return self.gba.memory.read(address, size)

    def _enter_world(self, world: str | None) -> None:
        """Changes to another of Jade's worlds, if the game is not there."""
        if world != self.config.world:
            left = self.gba
            self._enter(replace(self.config, world=world))
            left.stop()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Returns to the start; what is already true there pays nothing.

        Args:
            seed: for the choice among several starts and for the random wait.
            options: under STATE a raw mGBA state to begin in, instead of the start's own; under
                WAIT the frames to wait, 0 to `MAX_WAIT`, instead of a random number; under WORLD
                the world of Jade; under PREPARE a function that changes the game between its start
                and the first frame, and may draw from `np_random`.

        Returns:
            The first observation and `info`, see `StepInfo`.

        Raises:
            ValueError: there is no such world, or an option is not what it must be: the episode
                continues.
            StateError: there is no such state; the next `reset` works again.
        """
        chosen, world = checked_options(options), self.config.world
        if WORLD in chosen:
            world_of(replace(self.config, world=chosen[WORLD]).world or "0")
        super().reset(seed=seed)
        if self._worlds is not None:
            index = self.np_random.integers(len(self._worlds.seeds))
            world = self._worlds.name(int(index))
        self._enter_world(chosen.get(WORLD, world))
        start = self._starts[self.np_random.integers(len(self._starts))]
        if STATE in chosen:
            start = replace(start, state=chosen[STATE])
        wait = 1 + int(self.np_random.integers(self.config.start_wait + 1))
        start.restore(self.gba)
        if PREPARE in chosen:
            chosen[PREPARE]()
        self._undrawn = DRAWN_EVERY
        self._run(0, 0, chosen.get(WAIT, wait))
        self.reader.reset()
        self.state = self.reader.sample()
        self._ground = VisitedGround()
        self.reward.reset(self.state)
        if self.render_mode == "human":
            self._show()
        if self.render_mode == "rgb_array_list":
            self._frames = [self.gba.screen.rgb.copy()]
        return self._observe(), StepInfo(self.state)

    def step(self, action: np.int64) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Presses an action's keys and runs `frame_skip` frames.

        Raises:
            ValueError: the action is not in the action space.
            RewardError: the reward pays more than a network can learn from, or raises.
        """
        self.press(self._keys[action_number(action, len(self._keys))])
        before, self.state = self.state, self.reader.sample()
        terms = self.reward(before, self.state)
        if self.render_mode == "human":
            self._show()
        reward, info = total_of(terms), StepInfo(self.state, {"reward_terms": terms})
        return self._observe(), reward, self.reader.finished, False, info

    def run_frames(self, keys: int, frames: int) -> Observation:
        """Holds keys (a mask) for some frames, beside any episode: it pays nothing.

        Returns:
            The observation afterwards; `state` is its own.
        """
        self._run(keys, frames, frames)
        self.state = self.reader.sample()
        return self._observe()

    def look_at(self, state: bytes) -> GameState | None:
        """Loads a raw mGBA state, beside any episode; returns what can be read in it."""
        self.gba.set_state(state)
        self.reader.reset()
        self.state = self.reader.sample()
        return self.state

    def get_state(self) -> dict[str, Any]:
        """Returns everything that the rest of the episode and later ones depend on.

        Plain values, bytes and `GameState`s; a copy must preserve the identity of objects that
        occur twice, as `copy.deepcopy` and pickle do.
        """
        return {
            "world": self.config.world,
            "game": Start(self.gba.get_state(), self.gba.save_data()).pack(),
            "random": self.np_random.bit_generator.state,
            "state": self.state,
            "reader": self.reader.get_state(),
            "reward": self.reward.get_state(),
        } | ({VISITED: self._ground.tiles} if self.config.visited else {})

    def set_state(self, state: dict[str, Any]) -> None:
        """Continues, bit for bit, from the result of `get_state` of an env with the same settings.

        No `reset` is needed before. Until the next step the screen is not the one last seen, but
        the one after it.

        Raises:
            StateError, SaveError: it belongs to another game.
        """
        self._enter_world(state.get("world", self.config.world))
        Start.unpack(state["game"]).restore(self.gba)
        self.np_random = np.random.default_rng()
        self.np_random.bit_generator.state = state["random"]
        self.reader.set_state(state["reader"])
        self.reward.set_state(state["reward"])
        self.state = state["state"]
        self._ground = VisitedGround(map(tuple, state.get(VISITED, ())))

    def press(self, keys: int) -> None:
        """Runs a step's frames with these keys (a mask) held for the first `hold_frames`."""
        config = self.config
        if self.render_mode != "rgb_array_list":
            self._run(keys, config.hold_frames, config.frame_skip)
            return
        for frame in range(config.frame_skip):
            held = keys if frame < config.hold_frames else 0
            if frame + 1 < config.frame_skip:
                self.gba.step(held, 1, 1)
            else:
                self._run(held, 1, 1)  # the frame that the agent sees
            self._frames.append(self.gba.screen.rgb.copy())

    def _run(self, keys: int, hold: int, frames: int) -> None:
        if self._place.picture is not None:
            self.gba.step_grey(keys, hold, frames, self._place.picture)
            self._undrawn = 0
            return
        skip = not (self.is_watched or self.config.colour) and self._undrawn + 1 < DRAWN_EVERY
        self._undrawn = self._undrawn + 1 if skip else 0
        self.gba.step(keys, hold, frames, render=not skip)

    @property
    def picture(self) -> NDArray[np.uint8] | None:
        """The last frame, (160, 240, 3) uint8 RGB; None where it was not drawn."""
        return None if self._undrawn else self.gba.screen.rgb

    def _observe(self) -> Observation:
        parts = self._parts and [(name, read(self)) for name, read in self._parts]
        seen = self._place.observe(self.state, parts)
        return seen if self._place_is_shared else copy_of(seen)

    def _shrunk(self) -> NDArray[np.uint8]:
        """Returns the picture in colour, averaged over squares, (160/shrink, 240/shrink, 3)."""
        side, rgb = self.config.shrink, self.gba.screen.rgb
        total = np.zeros((160 // side, 240 // side, 3), np.uint32)
        for row, column in np.ndindex(side, side):
            total += rgb[row::side, column::side]
        return (total // side**2).astype(np.uint8)

    def _purpose(self) -> int:
        assert self._guide is not None
        return self._guide.purpose(self.gba.memory)

    def _guided(self) -> list[bool]:
        assert self._guide is not None
        good = [key_mask(key) for key in self._guide.labels(self.gba.memory)] or [0]
        return [keys in good for keys in self._keys]

    def _visited(self) -> NDArray[np.uint8] | None:
        return None if self.state is None else self._ground.around(self.state)

    def _bag(self) -> NDArray[np.float32] | None:
        return None if self.state is None else observe_bag(self.state.bag_data)

    def _text(self) -> NDArray[np.uint8] | None:
        if self.state is None:
            return None
        address = self.gba.edition.addresses.g_string_var_4
        return dialogue_text(self.gba.memory.read, self.state, address)

    def action_masks(self) -> NDArray[np.bool_]:
        """Returns which actions would do something now, (n_actions,) bool."""
        read, game = self.gba.memory.read, self.gba.edition
        return allowed_actions(self._actions, self.state, read, game)

    def tiles(self) -> NDArray[np.uint8] | None:
        """Returns the tiles around the player, see `tiles_around`; None outside the overworld."""
        if self.state is None or self.state.mode not in WALKING:
            return None
        return tiles_around(self.gba.memory.read, self.gba.edition)

    def targets(self) -> NDArray[np.uint8] | None:
        """Returns what can be walked to, see `targets`; None outside the overworld."""
        if self.state is None or self.state.mode not in WALKING:
            return None
        return targets(self.gba.memory.read, self.state, self.gba.edition)

    def observe_into(self, arrays: Observation) -> None:
        """Writes every observation from now on into these arrays.

        `step` and `reset` then return `arrays` itself, overwritten each time. Without this call
        each observation has its own arrays.

        Args:
            arrays: that match the observation space.

        Raises:
            ValueError: the picture's array does not fit.
        """
        self._place = Place(self.config, arrays)
        self._place_is_shared = True

    def get_action_meanings(self) -> list[str]:
        """Returns the name of each action, such as "up+a"."""
        return [action.name for action in self._actions]

    def get_keys_to_action(self) -> dict[tuple[int, ...], int]:
        """Returns the keyboard's keys for each action, for `gymnasium.utils.play`.

        The arrows, x for A, z for B, Return for Start and Backspace for Select, as in mGBA.
        """
        return {
            tuple(sorted(KEYBOARD[key] for key in action.name.split("+"))): number
            for number, action in enumerate(self._actions)
            if action.keys
        }

    def render(self) -> NDArray[np.uint8] | list[NDArray[np.uint8]] | None:  # type: ignore[override]
        """Returns the picture, (160, 240, 3) uint8 RGB; None with "human", whose window has it.

        With "rgb_array_list" it returns the picture of every frame since the last call. Without a
        `render_mode` or with "rgb_array", where no observation needs pictures, the first call
        returns that of the frame after the last step's; from then on each step draws its own.
        """
        self.is_watched = True
        if self._undrawn:
            self._draw()
        if self.render_mode == "rgb_array_list":
            frames, self._frames = self._frames, []
            return frames
        return self.gba.screen.rgb.copy() if self.render_mode != "human" else None

    def _draw(self) -> None:
        """Draws the frame that follows, and goes back to before it."""
        save = self.gba.save_data()
        self.gba.set_state(self.gba.get_state())
        self.gba.load_save(save)
        self._undrawn = 0

    def _show(self) -> None:
        title, fps = self.gba.cartridge_title, self.metadata["render_fps"]
        self._window.show(self.gba.screen.rgb, title, fps)

    def close(self) -> None:
        """Closes the window and switches the game off."""
        self._window.close()
        self.gba.stop()


_PARTS: Final[tuple[tuple[str, str, Callable[[EmeraldEnv], Any]], ...]] = (
    ("action_masks", MASKS, EmeraldEnv.action_masks),
    ("tiles", TILES, EmeraldEnv.tiles),
    ("targets", REACH, EmeraldEnv.targets),
    ("menus", MENU, lambda env: env._menus.of(env.state)),
    ("colour", SCREEN, EmeraldEnv._shrunk),
    ("visited", VISITED, EmeraldEnv._visited),
    ("bag", BAG, EmeraldEnv._bag),
    ("text", TEXT, EmeraldEnv._text),
    ("guide", GUIDE, EmeraldEnv._guided),
    ("guide", PURPOSE, EmeraldEnv._purpose),
    ("world_number", WORLD_NUMBER, lambda env: env._number),
)
"""Settings that add a part to the observation, with its name and what fills it."""
