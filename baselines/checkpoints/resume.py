"""The state of a run between two updates, so that it can be resumed as if never interrupted.

The weights are in the checkpoint, which is made to be shared. Everything else (games, random
generators, the learner's and the curves' state) is in a file beside it, read as JSON and arrays.
"""

import io
import json
import random
import zipfile
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save
from stable_baselines3.common.vec_env import (
    VecEnv,
    VecFrameStack,
    VecTransposeImage,
    unwrap_vec_wrapper,
)
from stable_baselines3.common.vec_env.stacked_observations import StackedObservations

from baselines.checkpoints.checkpoint_file import LEARNT, hash_learnt, learnt_sha256
from baselines.checkpoints.formats.checkpoint_zip import CheckpointError, read_members
from baselines.checkpoints.formats.plain import from_plain, to_plain
from baselines.checkpoints.manifest import Manifest
from baselines.checkpoints.run_state_form import RUN_STATE
from baselines.learner.labels.label_teacher import StudentView
from baselines.learner.ppo import PPO
from baselines.learner.vec_wrappers.novelty import NoveltyBonus
from baselines.learner.vec_wrappers.reward_scale import RewardScale
from emerald_env.emulator import libmgba_version
from emerald_env.env.observation_parts import PLAIN, unwrapped
from emerald_env.files import zips
from emerald_env.files.data import MEBIBYTE, misfit, parse_json

SCHEMA_VERSION = 1
TREE, ARRAYS = "resume.json", "arrays.safetensors"
MAX_TREE_BYTES = 64 * MEBIBYTE  # usual: 13 KiB a game
# wrappers with state of their own, by its name in a run's state
WRAPPERS: dict[str, type[Any]] = {"novelty": NoveltyBonus, "reward_scale": RewardScale}
# What must match for a game to be resumed; the learner's settings may change.
OF_THE_GAMES = ("game", "env", "reward", "n_stack")
# Raised for a run state that is not from `take_run_state`.
UNUSABLE = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    RuntimeError,
    AssertionError,
    OverflowError,
)

RunState = dict[str, Any]


def take_run_state(model: PPO) -> RunState:
    """Returns everything but the weights that the rest of a run depends on, between two updates.

    The callbacks restore the curves' windows themselves: most read the session's files again.

    Raises:
        WorkerError: a game's process is gone.
    """
    games = model.get_env()
    assert games is not None
    curves = model.logger.name_to_value
    wrappers = {key: unwrap_vec_wrapper(games, kind) for key, kind in WRAPPERS.items()}
    return {
        "num_timesteps": model.num_timesteps,
        "n_updates": model._n_updates,
        "games": games.env_method("get_state"),
        "observations": {key: part.stacked_obs for key, part in stacks(games).items()},
        "episode_starts": model._last_episode_starts.copy(),
        **{key: found and found.get_state() for key, found in wrappers.items()},
        "memory": [part.cpu().numpy() for part in model.memory()],
        "learner": model.get_state(),
        "random": get_rng_state(model),
        "episodes": list(model.ep_info_buffer or ()),
        # the update's numbers, which SB3 logs with the rollout after it
        "curves": {
            name: (value, model.logger.name_to_excluded[name])
            for name, value in curves.items()
            if isinstance(value, int | float | np.number | str)
        },
    }


def restore_run_state(model: PPO, run_state: RunState) -> None:
    """Restores what `take_run_state` returned; the model's logger must be set.

    Raises:
        CheckpointError: something in it is missing or malformed.
    """
    games = model.get_env()
    assert games is not None
    with resume_errors():
        check_step(run_state, model.num_timesteps)
        for index, state in enumerate(run_state["games"]):
            games.env_method("set_state", state, indices=[index])
        model._last_obs = show(games, run_state["observations"])
        model._last_episode_starts = one_each(run_state["episode_starts"], model.n_envs)
        for key, kind in WRAPPERS.items():
            wrapper, known = unwrap_vec_wrapper(games, kind), run_state.get(key)
            if wrapper is not None and known is not None:  # it may be new to the run
                wrapper.set_state(known)
        model.set_memory([torch.tensor(part) for part in run_state["memory"]])
        model.set_state(run_state.get("learner", {}))
        model._n_updates = run_state["n_updates"]
        model.ep_info_buffer = deque(run_state["episodes"], maxlen=model._stats_window_size)
        model.ep_success_buffer = deque(maxlen=model._stats_window_size)
        for name, (value, excluded) in run_state["curves"].items():
            model.logger.record(name, value, excluded)
        set_rng_state(model, run_state["random"])


def check_step(run_state: RunState, num_timesteps: int) -> None:
    """Checks that a state belongs to the checkpoint's step.

    Raises:
        ValueError: it does not.
    """
    if run_state["num_timesteps"] != num_timesteps:
        raise ValueError("it belongs to another step than the checkpoint")


@contextmanager
def resume_errors() -> Iterator[None]:
    """Turns errors from a state that is not from `take_run_state` into a CheckpointError."""
    try:
        yield
    except UNUSABLE as error:
        # only the last line of a worker's traceback
        reason = f"{type(error).__name__}: {error}".strip().rpartition("\n")[2]
        raise CheckpointError(
            f"the .resume file beside the checkpoint is damaged ({reason}): remove it, and the "
            "games start afresh"
        ) from error


def one_each(starts: NDArray[np.bool_], n_envs: int) -> NDArray[np.bool_]:
    """Returns a copy of the flags of games at an episode's start.

    Raises:
        ValueError: there is not one bool for each game.
    """
    if starts.shape != (n_envs,) or starts.dtype != np.bool_:
        raise ValueError(f"the flags of episode starts are {starts.shape} {starts.dtype}")
    copied: NDArray[np.bool_] = starts.copy()
    return copied


def get_rng_state(model: PPO) -> dict[str, Any]:
    """Returns the states of all random generators that a run uses in this process."""
    cuda = torch.cuda.get_rng_state_all() if model.device.type == "cuda" else []
    return {
        "python": random.getstate(),
        "numpy": np.random.get_state(legacy=False),
        "torch": torch.get_rng_state().numpy(),
        "cuda": [state.numpy() for state in cuda],
        "actions": model.action_space.np_random.bit_generator.state,
    }


def set_rng_state(model: PPO, dice: Mapping[str, Any]) -> None:
    """Restores what `get_rng_state` returned."""
    random.setstate(dice["python"])
    np.random.set_state(dice["numpy"])
    torch.set_rng_state(torch.tensor(dice["torch"]))
    if dice["cuda"] and model.device.type == "cuda":
        torch.cuda.set_rng_state_all([torch.tensor(state) for state in dice["cuda"]])
    model.action_space.np_random.bit_generator.state = dice["actions"]


def stacks(games: VecEnv) -> dict[str, StackedObservations[Any]]:
    """Returns the arrays of the games' latest pictures, by the observation's key."""
    wrapper = unwrap_vec_wrapper(games, VecFrameStack)
    assert wrapper is not None
    whole = wrapper.stacked_obs
    return getattr(whole, "sub_stacked_observations", {PLAIN: whole})


def show(games: VecEnv, observations: Mapping[str, NDArray[Any]]) -> Any:
    """Puts observations into the frame stack; returns them as the learner sees them."""
    for key, part in stacks(games).items():
        if part.stacked_obs.shape != observations[key].shape:
            raise ValueError(f"the observations have shape {observations[key].shape}")
        part.stacked_obs = observations[key].astype(part.stacked_obs.dtype)
    seen = {key: part.stacked_obs for key, part in stacks(games).items()}
    whole = unwrapped(seen)
    view = unwrap_vec_wrapper(games, StudentView)
    whole = whole if view is None else view.of_student(whole)
    turned = unwrap_vec_wrapper(games, VecTransposeImage)
    return turned.transpose_observations(whole) if turned is not None else whole


def run_state_to_bytes(run_state: RunState, contents: bytes) -> bytes:
    """Returns a resume file that belongs to a checkpoint with these contents only."""
    learnt = zips.read_members(contents, {name: len(contents) for name in LEARNT})
    about = {
        "schema_version": SCHEMA_VERSION,
        "weights_sha256": hash_learnt(learnt),
        "libmgba": libmgba_version(),
    }
    tree, arrays = to_plain(run_state)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(TREE, json.dumps(about | {"moment": tree}))
        # the games' states are compressed already
        archive.writestr(ARRAYS, save(arrays), zipfile.ZIP_STORED)
    return buffer.getvalue()


def read_run_state(path: Path, owner: Path) -> RunState:
    """Returns the contents of a resume file.

    Args:
        path: the resume file.
        owner: the checkpoint beside it.

    Raises:
        CheckpointError: it is missing, damaged, or does not belong to the checkpoint.
    """
    if not path.is_file():
        raise CheckpointError(f"there is no {path.name} beside it")
    # the arrays are stored as they are: what unpacks to more than the whole file is none of ours
    members = read_members(path, {TREE: MAX_TREE_BYTES, ARRAYS: path.stat().st_size})
    try:
        about = parse_json(members[TREE], finite=False)
        arrays = load(members[ARRAYS])
        schema, weights, libmgba = (
            about[name] for name in ("schema_version", "weights_sha256", "libmgba")
        )
        tree = about["moment"]
    except (LookupError, TypeError, ValueError, SafetensorError) as error:
        raise CheckpointError(f"{path.name} is damaged ({error})") from error
    if schema != SCHEMA_VERSION:
        raise CheckpointError(f"{path.name} has schema version {schema}, not {SCHEMA_VERSION}")
    if weights != learnt_sha256(owner):
        raise CheckpointError(f"{path.name} belongs to another {owner.name}")
    if libmgba != libmgba_version():
        raise CheckpointError(f"its games were played by mGBA {libmgba}, not {libmgba_version()}")
    run_state = from_plain(tree, arrays)
    if place := misfit(run_state, RUN_STATE):
        raise CheckpointError(f"{path.name} is damaged: {place} has an impossible value")
    checked: RunState = run_state
    return checked


def differences(
    run_state: RunState, saved: Manifest, now: Manifest, n_envs: int, recorded: bool
) -> list[str]:
    """Returns why the games cannot be resumed where they were, as readable lines.

    Args:
        run_state: the state of the run when it was saved.
        saved: the run's manifest then.
        now: the run's manifest now.
        n_envs: how many games there are now.
        recorded: whether they are recorded now.

    Raises:
        CheckpointError: the state is not from `take_run_state`.
    """
    found = [
        f"{name}: {getattr(saved, name)} then, {getattr(now, name)} now"
        for name in OF_THE_GAMES
        if getattr(saved, name) != getattr(now, name)
    ]
    with resume_errors():
        games = run_state["games"]
        if len(games) != n_envs:
            found.append(f"n_envs: {len(games)} then, {n_envs} now")
        # a recording cannot begin in mid-episode; "start" is the recorder's
        if any(("start" in game) != recorded for game in games):
            found.append(f"record: none {'then' if recorded else 'now'}")
    return found
