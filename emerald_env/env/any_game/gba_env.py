"""Any Game Boy Advance game as a gymnasium environment: `gymnasium.make("GBA-v0", rom=FILE)`."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from emerald_env.emulator import FRAMES_PER_SECOND, GBA, GreyPlace, key_mask
from emerald_env.emulator.keys import KEYBOARD
from emerald_env.emulator.pictures.grey import HEIGHT, shrunk
from emerald_env.emulator.pictures.human_window import HumanWindow
from emerald_env.env.actions import Action, action_number, action_set
from emerald_env.env.any_game.scenario import Values, read_data, read_scenario
from emerald_env.env.any_game.watched_values import WatchedValue, check_readable
from emerald_env.env.config import MAX_WAIT, STATE, checked_options, whole_number
from emerald_env.env.reward_function import UsersCalls, named_amounts, total_of
from emerald_env.starts.starts import unread_start

TERMS = "reward_terms"
ValueReward = Callable[[Values, Values], "float | Mapping[str, float]"]
ValueEnd = Callable[[Values, Values], bool]
Watch = Mapping[str, "WatchedValue | tuple[int, str]"]


class GBAEnv(gymnasium.Env[NDArray[np.uint8], np.int64]):
    """A game of which only the screen and some addresses are known.

    Action Space: `Discrete`, one for each of `actions`.
    Observation Space: the screen in grey, (160/shrink, 240/shrink, 1) uint8.
    Starting State: `start`, then a random wait of up to `start_wait` frames.
    Rewards: what `reward`, or the scenario, pays for the watched values before and after the step.
    Episode End: when `done`, or the scenario, says so; `max_episode_steps` of `make` truncates.
    Information: each watched value by its name, and under "reward_terms" what the step paid by
        name (not after `reset`). A value of that name in a data.json is only in `values`.

    Args:
        rom: path of the game.
        start: an mGBA state (raw or PNG) or a `.sav` file; None: where the console is switched on.
        actions: a table's name ("original", "simple" or "full") or the keys of each action, such
            as ["wait", "a", "up+b", "l"].
        reward: a function of the watched values before and after a step, which returns a number or
            a dict of numbers by name; None: the scenario's, or nothing.
        done: a function of the same; None: the scenario's, or never.
        watch: name -> (address, type), see `WatchedValue`.
        data: stable-retro's data.json, which adds to `watch`.
        scenario: stable-retro's scenario.json, without scripts.
        frame_skip: frames of a step.
        hold_frames: frames for which keys are held; None: half of them.
        start_wait: longest random wait after a reset, in frames.
        shrink: the picture is averaged over squares with sides of this many pixels.
        render_mode: "rgb_array" or "human".

    Attributes:
        gba: the console.
        values: the watched values, by name.
        actions: the keys of each action.
        frame_skip, hold_frames: as given.

    Raises:
        FileNotFoundError, RomError, StateError, SaveFileError, ValueError: a file or a setting
            cannot be used.
    """

    metadata = {"render_modes": ["rgb_array", "human"]}

    def __init__(
        self,
        rom: str | Path,
        start: str | Path | None = None,
        actions: str | Sequence[str] = "full",
        reward: ValueReward | None = None,
        done: ValueEnd | None = None,
        watch: Watch | None = None,
        data: str | Path | None = None,
        scenario: str | Path | None = None,
        frame_skip: int = 24,
        hold_frames: int | None = None,
        start_wait: int = 30,
        shrink: int = 2,
        render_mode: str | None = None,
    ) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode must be rgb_array or human, got {render_mode!r}")
        self.render_mode = render_mode
        self.frame_skip = whole_number("frame_skip", frame_skip, MAX_WAIT)
        half = max(1, self.frame_skip // 2)
        held = half if hold_frames is None else whole_number("hold_frames", hold_frames, MAX_WAIT)
        self._wait = whole_number("start_wait", start_wait, MAX_WAIT)
        if self.frame_skip < 1 or held > self.frame_skip:
            raise ValueError(
                "frame_skip must be at least 1, and hold_frames at most that, "
                f"got {self.frame_skip} and {held}"
            )
        self.hold_frames = held
        self.metadata = self.metadata | {"render_fps": FRAMES_PER_SECOND / self.frame_skip}
        self.actions = actions_of(actions)
        self.action_space = spaces.Discrete(len(self.actions))
        shrunk("shrink", whole_number("shrink", shrink, HEIGHT))
        self._place = GreyPlace.new(shrink)
        self.observation_space = spaces.Box(0, 255, self._place.array.shape, np.uint8)
        self._watch = (read_data(Path(data)) if data else {}) | watched(watch or {})
        rules = read_scenario(Path(scenario), self._watch) if scenario else None
        self._reward: ValueReward | None = reward or rules
        self._done: ValueEnd | None = done if rules is None or done else rules.done
        self._name = getattr(self._reward, "__name__", "reward")
        self._pay = UsersCalls(f"the reward {self._name}")
        self._ask = UsersCalls(f"done, {getattr(self._done, '__name__', 'a function')},")
        self.gba = GBA(Path(rom))
        check_readable(self._watch, self.gba.memory.read)
        self._start = unread_start(self.gba, None if start is None else Path(start))
        self._title = Path(rom).stem
        self._window = HumanWindow()
        self.values: dict[str, int] = {}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.uint8], dict[str, Any]]:
        """Returns to the start.

        Args:
            seed: for the random wait.
            options: under STATE a raw mGBA state to begin in, instead of the start's own.

        Raises:
            StateError, ValueError: there is no such state; the next `reset` works again.
        """
        chosen = checked_options(options)
        super().reset(seed=seed)
        self.gba.load_save(self._start.save)
        self.gba.set_state(chosen.get(STATE, self._start.state))
        wait = 1 + int(self.np_random.integers(self._wait + 1))
        self.gba.step_grey(0, 0, wait, self._place)
        self.values = self._read()
        self._show()
        return self._place.array.copy(), self._info()

    def step(self, action: np.int64) -> tuple[NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        """Presses an action's keys and runs `frame_skip` frames.

        Raises:
            ValueError: the action is not in the action space.
            RewardError: `reward` or `done` raises, or the reward is no finite number, or too large.
        """
        keys = self.actions[action_number(action, len(self.actions))].keys
        self.gba.step_grey(keys, self.hold_frames, self.frame_skip, self._place)
        before, self.values = self.values, self._read()
        terms: dict[str, float] = {}
        if self._reward is not None:
            terms = named_amounts(self._name, self._pay(self._reward, before, self.values))
        over = self._done is not None and self._ask(self._is_over, before, self.values)
        self._show()
        info = self._info() | {TERMS: terms}
        return self._place.array.copy(), total_of(terms, self._name), over, False, info

    def _is_over(self, before: Values, after: Values) -> bool:
        return self._done is not None and bool(self._done(before, after))

    def _info(self) -> dict[str, Any]:
        """Returns the values by name; one that a data.json calls TERMS is in `values` alone."""
        return {name: value for name, value in self.values.items() if name != TERMS}

    def _read(self) -> dict[str, int]:
        read = self.gba.memory.read
        return {name: value.read(read) for name, value in self._watch.items()}

    def get_state(self) -> bytes:
        """Returns a raw mGBA state, for `reset(options={"state": ...})` or a file."""
        return self.gba.get_state()

    def get_action_meanings(self) -> list[str]:
        """Returns the name of each action, such as "up+a"."""
        return [action.name for action in self.actions]

    def get_keys_to_action(self) -> dict[tuple[int, ...], int]:
        """Returns the keyboard's keys for each action, for `gymnasium.utils.play`."""
        return {
            tuple(sorted(KEYBOARD[key] for key in action.name.split("+"))): number
            for number, action in enumerate(self.actions)
            if action.keys
        }

    def render(self) -> NDArray[np.uint8] | None:
        """Returns the picture, (160, 240, 3) uint8 RGB; None with "human", whose window has it."""
        return None if self.render_mode == "human" else self.gba.screen.rgb.copy()

    def _show(self) -> None:
        if self.render_mode == "human":
            fps = self.metadata["render_fps"]
            self._window.show(self.gba.screen.rgb, self._title, fps)

    def close(self) -> None:
        """Closes the window and switches the game off."""
        self._window.close()
        self.gba.stop()


def watched(watch: Watch) -> dict[str, WatchedValue]:
    """Returns the watched values of (address, type) pairs.

    Raises:
        ValueError: an address or a type is none, or a name is taken.
    """
    if TERMS in watch:
        raise ValueError(f"watch: {TERMS} is the name of something else in info")
    found = {}
    for name, value in watch.items():
        try:
            found[name] = value if isinstance(value, WatchedValue) else WatchedValue(*value)
        except TypeError:
            raise ValueError(f"watch {name}: {value!r:.60} is no (address, type)") from None
        except ValueError as error:
            raise ValueError(f"watch {name}: {error}") from None
    return found


def actions_of(actions: str | Sequence[str]) -> tuple[Action, ...]:
    """Returns a table of actions by its name, or by the keys of each.

    Raises:
        ValueError: there is no such table or key, or there are none.
    """
    if isinstance(actions, str):
        return action_set(actions)
    if not actions:
        raise ValueError("actions: there must be at least one")
    if wrong := [name for name in actions if not isinstance(name, str)]:
        raise ValueError(f"actions: {wrong[0]!r:.60} is no text: name keys, such as 'up+b'")
    return tuple(
        Action(name, 0 if name == "wait" else key_mask(*name.split("+"))) for name in actions
    )
