"""Recorded ways as teachers: they fill the archive and the atlas, and the network clones them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from baselines.checkpoints.checkpoint_file import load_policy, save_checkpoint
from baselines.exploration.atlas.own_trails import BY_MASK, own_trails
from baselines.exploration.exploration import RunExploration
from baselines.exploration.search import Search
from baselines.exploration.share_states import clock_at, frames_played
from baselines.learner.cloning import clone
from baselines.learner.vec_wrappers.frame_stack import Stacks
from baselines.settings.fitting import ways_of
from baselines.settings.game_config import GameConfig
from baselines.settings.train_config import TrainConfig
from baselines.training.run import Run
from emerald_env.env.observation import MENU, observation_space
from emerald_env.env.observation_parts import as_parts, map_parts, unwrapped
from emerald_env.explorer import Found, cell_of
from emerald_env.explorer.exact_places import UNKNOWN
from emerald_env.files.printable import say, warn
from emerald_env.jade.cartridge import world_of, worlds_of
from emerald_env.recordings.person_way import STATES
from emerald_env.recordings.recording import Recording, RecordingError
from emerald_env.recordings.told import Told, ToldStep, tell
from emerald_env.state import milestones_done

CLONE = "clone.zip"  # in the session: the network after cloning
PICTURE_DIMENSIONS = 3
BELIEF = 4  # how often a step of a way counts in the atlas: random keys pass there often


def tell_ways(paths: Sequence[Path], game: GameConfig) -> list[Told]:
    """Tells each recording as steps of the actions of `game`, with a line for each.

    A recording that cannot be used is named and left out.

    Raises:
        RecordingError: none can be used.
    """
    ways = []
    for path in ways_of(paths):
        try:
            recording = Recording.load(path)
            told = tell(recording, in_its_world(recording, game), sorted(_states(path)))
        except RecordingError as error:
            warn(f"note: nothing is learnt from {path}: {error}")
            continue
        say(f"teacher  {path}: {_summary(told)}")
        for frame in told.broken_at:
            step = frame // game.frame_skip
            warn(f"note: {path}: memory differs at step {step:,}; what follows is left out")
        if told.steps:
            ways.append(told)
    if not ways:
        raise RecordingError("no recording can be used: see the notes above")
    return ways


def in_its_world(recording: Recording, game: GameConfig) -> GameConfig:
    """Returns the game in the world of a recording, where it is played in several.

    Raises:
        RecordingError: the recording's world is none of `--worlds`.
    """
    if game.worlds is None:
        return game
    among, world = worlds_of(game.worlds), world_of(recording.world or "0")
    kind = among.kind._replace(seed=world.seed)
    if world.seed not in among.seeds or (kind.maps, kind.demands) != (world.maps, world.demands):
        raise RecordingError(
            f"it was recorded on {recording.game['name']}, which is none of --worlds {game.worlds}"
        )
    return replace(game, world=str(world), worlds=None)


def _states(path: Path) -> Iterator[Path]:
    yield from (path.parent / STATES).glob("*.ss1")


def _summary(told: Told) -> str:
    if not told.steps:
        return "no key is pressed in it"
    reached = milestones_done(told.steps[-1].state)
    until = f"until {reached[-1]}" if reached else "before any milestone"
    share, kept = told.same / told.pressed, sum(step.keys != 0 for step in told.steps)
    return (
        f"{share:.0%} of {told.pressed:,} key presses told as steps, {kept:,} kept "
        f"without ways there and back, {until}"
    )


def ways_to_learn(config: TrainConfig) -> list[Told]:
    """Tells the recordings of a new run.

    Raises:
        RecordingError: none can be used, or none has an action to clone.
    """
    ways = tell_ways(config.ways, config.env)
    if config.clone:
        check_actions(ways, config.env)
    return ways


def learn_ways(run: Run, exploration: RunExploration) -> None:
    """Lets a new run learn from what `ways_to_learn` told: archive, atlas and perhaps the network.

    Raises:
        OSError: the session cannot be written.
    """
    config = run.config
    ways, run.told = run.told, []  # their states take memory
    for told in ways:
        if config.explores:
            fill_archive(exploration.search, told, config.env)
    if config.explores:
        exploration.search.atlas.solve()
        exploration.search.archive.tidy()
    if config.clone:
        seen, actions = samples(ways, config.env, config.n_stack)
        same = clone(run.model, seen, actions, config.clone, config.seed)
        run.model.clone_kl = config.clone_kl
        save_checkpoint(run.model, run.session.folder / CLONE, run.manifest)
        say(f"cloned   {len(actions):,} steps; the network's first choice is theirs in {same:.0%}")


def restore_clone(run: Run) -> None:
    """Gives a resumed run the clone that it began with.

    Raises:
        CheckpointError: it cannot be read.
    """
    path = run.session.folder / CLONE
    if run.config.clone and path.is_file():
        with torch.random.fork_rng(devices=[]):  # a network is initialised before it is loaded
            run.model.clone, _ = load_policy(path, own=run.manifest.own)
        run.model.clone = run.model.clone.to(run.model.device)
        run.model.clone_kl = run.config.clone_kl


def fill_archive(search: Search, told: Told, game: GameConfig) -> None:
    """Adds a way's states to the archive, behind its own start, and its steps to the atlas."""
    search.begin()
    archive = search.archive
    home = archive.homes().get(cell_of(told.steps[0].state), next(iter(archive.nodes)))
    clock = frames_played(told.steps[0].state) - clock_at(archive.path(home), game.choice)
    first = max(clock, 0) // game.frame_skip
    found, last = [], None
    for length, step in enumerate(told.steps, first):
        if (cell := cell_of(step.state)) != last:
            found.append(Found.packed(step.state, length, step.packed))
        last = cell
    search.take(home, found)
    search.see()
    if game.is_exact:
        for trail in _trails(told.steps, game.menus):
            for _ in range(BELIEF):
                search.atlas.add(trail)


def _trails(steps: Sequence[ToldStep], menus: bool) -> Iterator[Any]:
    parts = ["state"] + [MENU] * menus
    seen: Any = {name: np.stack([step.seen[name] for step in steps])[:, None] for name in parts}  # type: ignore[call-overload]
    pressed = [BY_MASK.get(step.keys, UNKNOWN) for step in steps[:-1]]
    starts = np.zeros((len(steps), 1), np.bool_)
    yield from own_trails(seen, np.array(pressed)[:, None], starts)


def samples(ways: Sequence[Told], game: GameConfig, n_stack: int) -> tuple[Any, NDArray[np.int64]]:
    """Returns what the network sees in each step with a known action, and these actions.

    Raises:
        RecordingError: no step's action is known.
    """
    check_actions(ways, game)
    space = observation_space(game)
    seen, actions = [], []
    for told in ways:
        stacks = Stacks(1, n_stack, space)
        for number, step in enumerate(told.steps):
            batch = map_parts(lambda part: part[None], step.seen)
            stack = (
                stacks.update(batch, np.zeros(1, np.bool_), [{}])[0]
                if number
                else stacks.reset(batch)
            )
            if step.action is not None:
                seen.append(as_parts(map_parts(lambda part: _turned(part[0]), stack)))
                actions.append(step.action)
    joined = {name: np.stack([each[name] for each in seen]) for name in seen[0]}
    return unwrapped(joined), np.array(actions, np.int64)


def check_actions(ways: Sequence[Told], game: GameConfig) -> None:
    """Checks that there is something to clone.

    Raises:
        RecordingError: no step's action is known.
    """
    if all(step.action is None for told in ways for step in told.steps):
        raise RecordingError(
            f"no key of the recordings that leads anywhere is an action of --action-set "
            f"{game.action_set}, so there is nothing to clone: leave --clone out, or give the "
            "action set that they were played with"
        )


def _turned(values: NDArray[Any]) -> NDArray[Any]:
    """Returns a copy, a picture's with its channels first."""
    is_picture = values.ndim == PICTURE_DIMENSIONS
    return np.ascontiguousarray(np.moveaxis(values, -1, 0)) if is_picture else values.copy()
