"""A checkpoint's description of itself: all that is needed to play it, as plain JSON."""

import json
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import numpy as np
from gymnasium import Space, spaces

from baselines.checkpoints.differences import differences
from baselines.checkpoints.formats.checkpoint_zip import CheckpointError, read_members
from baselines.checkpoints.formats.space_json import space_from_json, space_to_json
from baselines.settings.game_config import GameConfig
from baselines.settings.policy_config import (
    BEFORE_OPTIONS,
    PolicyConfig,
    with_earlier_options,
)
from emerald_env.env.actions import action_set
from emerald_env.env.setting_types import from_json
from emerald_env.files.data import DataError, fits, parse_json
from emerald_env.files.own_code import OwnName, parse_address
from emerald_env.files.package_version import PROGRAM, UNKNOWN, package_version
from emerald_env.files.printable import as_printable, is_printable
from emerald_env.game.choice import GameChoice, Rom, choice_of

if TYPE_CHECKING:
    from rewards import Preset

MANIFEST = "manifest.json"  # in the zip
MAX_MANIFEST_BYTES = 1 << 20
SCHEMA_VERSION = 1
PACKAGES = (PROGRAM, "stable-baselines3", "torch", "gymnasium", "numpy")
MAX_FRAME_STACK = 64
MAX_STEPS = 10**15
NEWER = ("disturb", "colour", "coordinates", "world_number")  # settings that older checkpoints lack
# What must match for weights to fit a run; the rest may differ.
ARCHITECTURE = ("network", "policy", "n_stack", "observation_space", "action_space", "actions")


@dataclass(frozen=True)
class Manifest:
    """A checkpoint's description. It contains no paths of the machine that made it."""

    schema_version: int
    game: dict[str, str]  # name, code (cartridge header), sha1 of the ROM
    env: dict[str, Any]  # GameConfig without ROM and reward; a start from a file is only its name
    actions: list[str]  # names of the actions, in the order of the network's output
    reward: dict[str, Any]  # the preset with all its weights
    observation_space: dict[str, Any]  # the network's: stacked, channels first
    action_space: dict[str, Any]
    network: str
    n_stack: int
    num_timesteps: int  # env steps trained on
    versions: dict[str, str]
    policy: PolicyConfig = BEFORE_OPTIONS
    code: dict[str, str] = field(default_factory=dict)  # the user's FILE.py:NAME -> its SHA-256
    # the network's code, if the user named its file: never stored
    own: OwnName | None = field(default=None, compare=False, repr=False)

    @classmethod
    def describe(
        cls,
        config: GameConfig,
        network: str | OwnName,
        n_stack: int,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        policy: PolicyConfig = BEFORE_OPTIONS,
    ) -> "Manifest":
        """Returns the manifest of a new run.

        Raises:
            FileNotFoundError, RomError: the ROM of `config`, or its wrapper, cannot be used.
            ValueError: a space has no JSON form, or the preset is unknown.
        """
        from emerald_env.game.editions import describe_game

        own = network if isinstance(network, OwnName) else None
        named = [code for code in (own, config.own_wrapper()) if code is not None]
        return cls(
            schema_version=SCHEMA_VERSION,
            # from file names and the user's texts, and `from_json` refuses what cannot be printed
            game=as_printable(describe_game(config.choice)),
            env=as_printable(describe_env(config)),
            actions=[action.name for action in action_set(config.action_set)],
            reward=as_printable(config.preset().as_dict()),
            observation_space=space_to_json(observation_space),
            action_space=space_to_json(action_space),
            network=network.address if isinstance(network, OwnName) else network,
            n_stack=n_stack,
            num_timesteps=0,
            versions={
                "python": platform.python_version(),
                **{name: package_version(name) for name in PACKAGES},
            },
            policy=policy,
            code={code.address: code.code.sha256 for code in named},
            own=own,
        )

    def at(self, num_timesteps: int) -> "Manifest":
        """Returns the same manifest after `num_timesteps` steps."""
        return replace(self, num_timesteps=num_timesteps)

    def to_json(self) -> bytes:
        """Returns the JSON text, UTF-8."""
        values = asdict(replace(self, own=None))
        kept = {key: value for key, value in values.items() if key not in ("own", "code") or value}
        return (json.dumps(kept, indent=2, ensure_ascii=False) + "\n").encode()

    @classmethod
    def from_json(cls, text: bytes) -> "Manifest":
        """Returns the manifest that `to_json` wrote.

        Raises:
            CheckpointError: it is not JSON, has a newer schema, or lacks something.
        """
        try:
            values = parse_json(text)
        except DataError as error:
            raise CheckpointError(f"its manifest.json is {error}") from error
        if not isinstance(values, dict):
            raise CheckpointError(f"its manifest.json is a {type(values).__name__}, not an object")
        schema = values.get("schema_version")
        if schema != SCHEMA_VERSION:
            raise CheckpointError(
                f"its manifest has schema version {schema!r}; this program reads {SCHEMA_VERSION}: "
                "if that is newer, update the program (git pull)"
            )
        if not is_printable(values):
            raise CheckpointError("its manifest has text that cannot be printed")
        return cls(**_checked(values))

    @property
    def network_title(self) -> str:
        """The network in words."""
        if parse_address(self.network):
            return self.network
        return f"{self.network} CNN" if self.sees_pictures else "no CNN"

    @property
    def whole_network_title(self) -> str:
        """The network and its memory in words."""
        memory = f" and an LSTM of {self.policy.lstm_size}" if self.policy.recurrent else ""
        return f"{self.network_title}{memory}"

    @property
    def sees_pictures(self) -> bool:
        """Whether a picture is among what the network sees; False if that cannot be told."""
        try:
            seen = space_from_json(self.observation_space)
        except CheckpointError:
            return False
        parts = seen.spaces.values() if isinstance(seen, spaces.Dict) else [seen]
        return any(part.dtype == np.uint8 and len(part.shape or ()) == 3 for part in parts)

    @property
    def own_names(self) -> list[str]:
        """The addresses of its network and its wrapper, if they are Python code of a user's own."""
        return [n for n in (self.network, str(self.env.get("wrapper"))) if parse_address(n)]

    def with_network(self, own: OwnName | None) -> "Manifest":
        """Returns the manifest with code of the user's own, if its network is of that name.

        Args:
            own: what the user names; never what a checkpoint does.
        """
        return replace(self, own=own) if own is not None and own.address == self.network else self

    def built_from(self) -> str | OwnName:
        """Returns the network's name, or its code if it is the user's own.

        Raises:
            CheckpointError: it is Python code that the user has not named.
        """
        if self.own is None and parse_address(self.network):
            raise CheckpointError(
                f"its network {self.network} is Python code, which no checkpoint brings: if it is "
                f"yours, name its file, --network {self.network}"
            )
        return self.own or self.network

    def changed_code(self, *given: OwnName | None) -> list[str]:
        """Returns which code of the user's own is not what it was in training."""
        return [
            own.address
            for own in given
            if own is not None and self.code.get(own.address, own.code.sha256) != own.code.sha256
        ]

    def spaces(self) -> tuple[spaces.Space[Any], spaces.Space[Any]]:
        """Returns the network's observation and action space.

        Raises:
            CheckpointError: they are not of a kind or size that we use.
        """
        return space_from_json(self.observation_space), space_from_json(self.action_space)

    def preset(self) -> "Preset":
        """Returns the reward that it was trained for.

        Raises:
            CheckpointError: it has unknown terms or weights.
        """
        from rewards import Preset  # slow to load, as are the other two imports in this class

        try:
            return Preset.from_dict(self.reward)
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise CheckpointError(f"its reward cannot be used: {error}") from error

    def env_config(
        self, rom: Rom, start: str | None = None, wrapper: str | None = None
    ) -> GameConfig:
        """Returns the settings to play with; the reward is `preset`.

        Args:
            rom: the game, None for Jade.
            start: where episodes begin, None for a new game.
            wrapper: the address of the user's own, for a checkpoint that was trained with it.

        Raises:
            CheckpointError: it was trained on another game, its settings are not ours, its actions
                differ from this program's, or it needs a wrapper that is not named.
            FileNotFoundError, RomError: the ROM cannot be used.
        """
        from emerald_env.game.editions import describe_game

        files = {**vars(choice_of(rom)), "start": start or GameConfig.start, "reward": "default"}
        files |= {"worlds": None, "disturb": (), "wrapper": self._wrapper(wrapper)}
        files |= {"reward_weights": (), "reward_code": ()}  # no manifest of ours has them
        game = describe_game(rom)
        if game["code"] != self.game["code"]:
            raise CheckpointError(
                f"it was trained on {self.game['name']} ({self.game['code']}), the ROM is "
                f"{game['name']} ({game['code']}): give that game's ROM with --rom"
                + (", or leave --rom out" if self.game["code"] == "JADE" else "")
            )
        try:
            # the file never says which files to read: that is for whoever plays it to choose
            config = replace(from_json(GameConfig, self.env), **files)
            actions = [action.name for action in action_set(config.action_set)]
        except (TypeError, ValueError) as error:
            raise CheckpointError(f"its env settings cannot be used: {error}") from error
        if actions != self.actions:
            raise CheckpointError(f"its actions are {self.actions}, ours are {actions}")
        return config

    @property
    def own_world(self) -> str | None:
        """The world of Jade that it was trained in, such as 7:demanding; None: 0, or many."""
        from emerald_env.game.editions import WORLD  # slow to load

        name = str(self.game["name"])
        return name.removeprefix(WORLD)[:40] if name.startswith(WORLD) else None

    def elsewhere(self, choice: GameChoice) -> str | None:
        """Returns a note for who plays it in another world of Jade without having named one."""
        own = self.own_world
        if own is None or choice.rom is not None or choice.world is not None:
            return None
        return f"note: it was trained in world {own} and plays world 0: give --world {own}"

    def _wrapper(self, given: str | None) -> str | None:
        """Returns the user's own wrapper, if the checkpoint was trained with it."""
        named = self.env.get("wrapper")
        if not named:
            return None
        if given is None or OwnName.read(given).address != named:
            raise CheckpointError(
                f"it was trained with the wrapper {named!s:.200}, Python code that no checkpoint "
                f"brings: if it is yours, name its file, --wrapper {named!s:.200}"
            )
        return given

    def differences(self, other: "Manifest") -> list[str]:
        """Returns why the weights of one do not fit the other, as readable lines."""
        saved, here = asdict(self), asdict(other)
        return [
            line for name in ARCHITECTURE for line in differences(saved[name], here[name], name)
        ]

    def check_seen(self, space: Space[Any]) -> None:
        """Checks that a game's observations are what the network was trained on.

        Raises:
            CheckpointError: they are not; the message says what differs.
        """
        lines = list(differences(self.observation_space, space_to_json(space), "observation"))
        if lines:
            raise CheckpointError(
                "its network sees something else than this program's game shows:\n  "
                + "\n  ".join(lines)
            )


def check_own_code(manifests: Sequence[Manifest], network: str | None, wrapper: str | None) -> None:
    """Checks that code of the user's own is what some of the checkpoints were trained with.

    Args:
        manifests: of the checkpoints that are played.
        network: the address that the user gives as --network, or None.
        wrapper: the same for --wrapper.

    Raises:
        OSError, DataError: a file cannot be read.
        CheckpointError: no checkpoint names the code, which would be ignored.
    """
    for flag, given, names in (
        ("--network", network, [manifest.network for manifest in manifests]),
        ("--wrapper", wrapper, [manifest.env.get("wrapper") for manifest in manifests]),
    ):
        if given is None or OwnName.read(given).address in names:
            continue
        own = [name for name in names if name and parse_address(str(name))]
        remedy = f"if it is yours, give {flag} {own[0]!s:.200}" if own else f"leave {flag} out"
        raise CheckpointError(f"{flag} is {given}, with which nothing here was trained: {remedy}")


def describe_env(config: GameConfig) -> dict[str, Any]:
    """Returns the games' settings without paths, for sharing."""
    from emerald_env.env.observation import OPTIONS  # slow to load

    values = asdict(config)
    for name in (*vars(config.choice), "reward", "reward_weights", "reward_code"):
        del values[name]
    for name in (*NEWER, *OPTIONS):
        if values[name] == getattr(GameConfig, name):
            del values[name]  # so that older checkpoints' descriptions stay equal
    wrapper = values.pop("wrapper")
    named = {"wrapper": Path(wrapper).name} if wrapper else {}
    return to_lists(values) | {"start": Path(config.start).name} | named


def to_lists(values: dict[str, Any]) -> dict[str, Any]:
    """Returns values as JSON gives them back."""
    return {n: list(value) if isinstance(value, tuple) else value for n, value in values.items()}


def _policy(values: Any) -> PolicyConfig:
    """Returns the network's options; missing ones are newer than the manifest."""
    if not isinstance(values, dict):
        raise CheckpointError(f"its manifest's policy is a {type(values).__name__}, not a dict")
    try:
        return from_json(PolicyConfig, with_earlier_options(values))
    except ValueError as error:
        raise CheckpointError(f"its manifest's policy is not ours: {error}") from error


def _checked(values: dict[str, Any]) -> dict[str, Any]:
    """Returns the known fields of a manifest, each of its type."""
    values = {"code": {}} | values | {"policy": _policy(values.get("policy", {}))}
    if isinstance(versions := values.get("versions"), dict):
        # older programs wrote null for a package whose metadata was damaged
        values["versions"] = {name: UNKNOWN if v is None else v for name, v in versions.items()}
    hints = get_type_hints(Manifest)
    del hints["own"]
    for name, hint in hints.items():
        if name not in values:
            raise CheckpointError(f"its manifest lacks {name!r}")
        if not fits(values[name], hint):
            kind = getattr(hint, "__name__", hint)
            raise CheckpointError(f"its manifest's {name} is {values[name]!r:.60}, not a {kind}")
    if not 1 <= values["n_stack"] <= MAX_FRAME_STACK:
        raise CheckpointError(f"its manifest says {values['n_stack']} pictures per observation")
    if not 0 <= values["num_timesteps"] < MAX_STEPS:
        raise CheckpointError("its manifest says an impossible number of steps")
    for key in ("name", "code", "sha1"):
        if not isinstance(values["game"].get(key), str):
            raise CheckpointError(f"its manifest's game lacks {key!r}")
    return {name: values[name] for name in hints}


def read_manifest(path: Path) -> Manifest:
    """Returns a checkpoint's manifest.

    Raises:
        CheckpointError: it is not a complete zip, or has no manifest that we understand.
    """
    members = read_members(path, {MANIFEST: MAX_MANIFEST_BYTES})
    if MANIFEST not in members:
        raise CheckpointError(
            f"{path} has no {MANIFEST}: not one of our checkpoints. What is needed to play it is "
            "only in its pickled part, which could run any code and is never opened"
        )
    try:
        return Manifest.from_json(members[MANIFEST])
    except CheckpointError as error:
        raise CheckpointError(f"{path}: {error}") from error
