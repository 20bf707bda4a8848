"""Recordings as Minari data sets, and back (https://minari.farama.org).

A set holds the steps as a learner wants them, and in its metadata each recording itself: so
`import` gives back the same bytes, and reads nothing else of a set that somebody else made.
"""

import base64
import json
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete

from baselines.games.recorded_reward import recorded_reward
from baselines.settings.game_config import GameConfig
from emerald_env.env.actions import action_set
from emerald_env.env.config import WAIT, EnvConfig
from emerald_env.env.env import EmeraldEnv
from emerald_env.env.observation import copy_of, observation_space
from emerald_env.env.setting_types import from_json
from emerald_env.files.atomic import write_atomically
from emerald_env.files.data import MEBIBYTE, DataError, read_json
from emerald_env.files.output_files import removed_on_failure
from emerald_env.game.choice import GameChoice
from emerald_env.recordings.find_recordings import recording_in
from emerald_env.recordings.person_way import STATES
from emerald_env.recordings.recording import Recording, RecordingError, software
from emerald_env.recordings.replaying import begin, check_known_game, recorded_choice, rom_sha1
from emerald_env.recordings.told import tell
from emerald_env.state import GameState, milestones_done
from rewards import Reward

RECORDINGS = "recordings"  # in a set's metadata: the files, each in base64
METADATA = "metadata.json"
MAX_METADATA_BYTES = 64 * MEBIBYTE
Steps = Iterator[tuple[Any, int, float, int]]  # what was seen, action, its reward, milestones


def export_set(paths: Sequence[Path], name: str, game: GameChoice) -> tuple[int, int]:
    """Writes recordings as a Minari data set; returns its episodes and steps.

    Args:
        paths: of an agent's recordings, or a person's; all with the same settings.
        name: of the set, such as "emerald/first-evening-v0".
        game: the recordings' game.

    Raises:
        FileNotFoundError, RomError: the ROM cannot be used.
        RecordingError: a recording cannot be used, or has other settings than the first; or they
            are too many for a set.
        ValueError: Minari refuses the name, or has such a set.
    """
    from minari.storage import get_dataset_path

    recordings = [_with_steps(path) for path in paths]
    files = _as_text(recordings)
    config = config_of(recordings[0], game)
    episodes: list[Any] = []
    for path, recording in zip(paths, recordings, strict=True):
        if config_of(recording, game) != config:
            raise RecordingError(f"{path} has other settings than {paths[0]}: a set has one kind")
        episodes.append(episode_of(recording, path, config, len(episodes)))
    about = {"game": dict(recordings[0].game), "software": software(), RECORDINGS: files}
    folder = get_dataset_path(name)  # Minari makes it, and refuses one that is there
    with nullcontext() if folder.exists() else removed_on_failure(folder):
        _create(name, episodes, config, about)
    return len(episodes), sum(len(episode.actions) for episode in episodes)


def _with_steps(path: Path) -> Recording:
    recording = Recording.load(path)
    if not recording.n_steps:
        raise RecordingError(f"{path} has no steps, which no set can hold: leave it out")
    return recording


def _as_text(recordings: Sequence[Recording]) -> list[str]:
    """Returns recordings' files as a set's metadata holds them.

    Raises:
        RecordingError: they are more than `import_set` reads.
    """
    files = [base64.b64encode(recording.to_bytes()).decode() for recording in recordings]
    size = len(json.dumps(files, indent=2)) + MEBIBYTE  # with the set's other metadata
    if size > MAX_METADATA_BYTES:
        raise RecordingError(
            f"{len(files):,} recordings take {size / MEBIBYTE:,.1f} MiB of a set's metadata, which "
            f"may have {MAX_METADATA_BYTES // MEBIBYTE} MiB: export fewer at a time"
        )
    return files


def _create(name: str, episodes: list[Any], config: GameConfig, about: dict[str, Any]) -> None:
    import minari

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an author's address, and other things left out
        dataset = minari.create_dataset_from_buffers(
            name,
            episodes,
            observation_space=observation_space(config),
            action_space=Discrete(len(action_set(config.action_set))),
            description=f"Recorded play of {about['game']['name']}.",
            jpeg_encoding=False,
        )
    dataset.storage.update_metadata(about)


def episode_of(recording: Recording, path: Path, config: GameConfig, number: int) -> Any:
    """Returns a recording as one of Minari's `EpisodeBuffer`.

    Raises:
        RecordingError: it cannot be told.
    """
    from minari.data_collector import EpisodeBuffer

    with closing(EmeraldEnv(config)) as env:
        seen, actions, rewards, counts = zip(*steps_of(recording, path, env), strict=True)
    n_steps = len(actions) - 1
    return EpisodeBuffer(
        id=number,
        observations=stacked(seen),
        actions=np.array(actions[:-1]),
        rewards=list(rewards[:-1]),
        terminations=[False] * n_steps,
        truncations=[False] * (n_steps - 1) + [True],
        infos={"milestones": np.array(counts)},
    )


def import_set(name: str, folder: Path) -> list[Path]:
    """Writes a set's recordings into a folder; returns their paths.

    Raises:
        FileNotFoundError: Minari has no such set here.
        RecordingError: it has no recordings, or one that cannot be used.
        FileExistsError: the folder has a recording of such a name.
        OSError: the folder cannot be written.
    """
    from minari.storage import get_dataset_path

    path = get_dataset_path(name) / "data" / METADATA
    if not path.is_file():
        raise FileNotFoundError(f"no Minari data set {name} at {path.parent}: `minari list local`")
    try:
        files = read_json(path, MAX_METADATA_BYTES)[RECORDINGS]
        contents = [base64.b64decode(file, validate=True) for file in files]
    except DataError as error:
        raise RecordingError(f"{name} cannot be imported: {error}") from error
    except (LookupError, TypeError, ValueError) as error:
        raise RecordingError(f"{name} was not written by `emerald recording export`") from error
    for content in contents:
        Recording.from_bytes(content)
    paths = [recording_in(folder, number) for number in range(len(contents))]
    if there := [path for path in paths if os.path.lexists(path)]:
        raise FileExistsError(f"{there[0]} already exists: give a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in zip(paths, contents, strict=True):
        write_atomically(path, content)
    return paths


def config_of(recording: Recording, game: GameChoice) -> GameConfig:
    """Returns the settings of an agent's game in which a recording is told.

    Raises:
        RecordingError: they cannot be used.
    """
    check_known_game(recording)
    game = recorded_choice(recording, game)
    if recording.frame_skip == 1:  # a person's
        return GameConfig(**asdict(game))
    known = {field.name for field in fields(GameConfig)}
    env = {key: value for key, value in recording.env.items() if key in known}
    try:
        config = from_json(GameConfig, env | {"start": "new-game", "disturb": [], "worlds": None})
    except (TypeError, ValueError) as error:
        raise RecordingError(f"its settings cannot be used: {error}") from error
    names = [action.name for action in action_set(config.action_set)]
    if names != [action for action, _ in recording.actions]:
        raise RecordingError(f"its actions are not those of the set {config.action_set}")
    return replace(config, **asdict(game))


def steps_of(recording: Recording, path: Path, game: EmeraldEnv) -> Steps:
    """Yields a recording's steps; the last one is what was seen at the end, without an action.

    Raises:
        RecordingError: it cannot be told.
    """
    if rom_sha1(game.gba) != recording.game["sha1"]:
        raise RecordingError(
            f"{path} was recorded on {recording.game['name']}, another game: give its ROM "
            "with --rom; for Jade leave --rom and --world out"
        )
    if recording.frame_skip == 1:  # nobody was paid
        return _persons(recording, path, game.config, Reward(GameConfig().preset()))
    try:
        reward = recorded_reward(recording)
    except RecordingError as error:
        raise RecordingError(f"{path}: {error}") from error
    return _agents(recording, game, reward)


def _agents(recording: Recording, game: EmeraldEnv, reward: Reward) -> Steps:
    begin(recording, game.gba)
    state = game.gba.get_state()
    # a state holds no picture: the first is that of the frame after it
    seen = copy_of(game.reset(options={"state": state, WAIT: 1})[0])
    game.reset(options={"state": state, WAIT: 0})
    reward.reset(game.state)
    for action in recording.pressed:
        before, count = game.state, _milestones(game.state)
        after = copy_of(game.step(np.int64(action))[0])
        yield seen, action, sum(reward(before, game.state).values()), count
        seen = after
    yield seen, 0, 0.0, _milestones(game.state)


def _persons(recording: Recording, path: Path, config: EnvConfig, reward: Reward) -> Steps:
    told = tell(recording, config, sorted((path.parent / STATES).glob("*.ss1")))
    steps = [step for step in told.steps if step.action is not None]
    if len(steps) < 2:
        raise RecordingError(f"{path}: none of its keys can be told as an agent's steps")
    reward.reset(steps[0].state)
    for step, after in zip(steps, steps[1:], strict=False):
        assert step.action is not None
        paid = sum(reward(step.state, after.state).values())
        yield step.seen, step.action, paid, _milestones(step.state)
    yield steps[-1].seen, 0, 0.0, _milestones(steps[-1].state)


def _milestones(state: GameState | None) -> int:
    return 0 if state is None else len(milestones_done(state))


def stacked(seen: Sequence[Any]) -> Any:
    """Returns observations as Minari wants them: arrays with the steps in front, by part."""
    if not isinstance(seen[0], dict):
        return np.stack(seen)
    return {part: np.stack([one[part] for one in seen]) for part in seen[0]}
