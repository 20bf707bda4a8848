"""Where a run's weights come from: the session that it resumes, or somebody's checkpoint."""

from pathlib import Path

from baselines.checkpoints.checkpoint_file import CheckpointError, load_policy, restore
from baselines.checkpoints.manifest import Manifest
from baselines.checkpoints.resume import (
    RunState,
    differences,
    read_run_state,
    resume_errors,
)
from baselines.learner.labels.label_learner import LabelLearner
from baselines.learner.ppo import PPO
from baselines.training.run import EXPLORATION, TEACHER, Run
from baselines.training.teachers.chosen_teacher import whole_name
from emerald_env.files.printable import say


def resume(run: Run) -> RunState | None:
    """Puts weights, optimiser and step count of a run's checkpoint into its model.

    Returns:
        The rest of the run's state; None, after a note, if the resume cannot be exact.

    Raises:
        CheckpointError: it does not fit.
    """
    config, model, checkpoint, manifest = run.config, run.model, run.checkpoint, run.manifest
    assert checkpoint is not None
    saved = restore(model, checkpoint, manifest)
    model._update_current_progress_remaining(model.num_timesteps, config.total_timesteps)
    try:
        run_state = read_run_state(checkpoint.with_suffix(".resume"), checkpoint)
        if (saved.game, saved.env) == (manifest.game, manifest.env):
            run.explored = {name: run_state[name] for name in run_state if name == EXPLORATION}
        check_games(run, run_state, saved)
        return run_state
    except CheckpointError as error:
        say(
            f"note: weights, optimiser and step count of {checkpoint.name} are restored, but the "
            f"games start afresh with other random numbers: {error}"
        )
        # not the random numbers that were drawn before
        model.set_random_seed(config.seed + model.num_timesteps)
        return None


def check_games(run: Run, run_state: RunState, saved: Manifest) -> None:
    """Checks that a run's games can go on where they were.

    Raises:
        CheckpointError: they differ from those in which the checkpoint was saved.
    """
    recorded = run.config.record != "none"
    other = differences(run_state, saved, run.manifest, run.model.n_envs, recorded)
    with resume_errors():
        other += label_differences(run, run_state)
    if other:
        raise CheckpointError("; ".join(other))


def label_differences(run: Run, run_state: RunState) -> list[str]:
    """Returns why the labelled steps of a run's state are of no use now, as readable lines."""
    steps, now = run_state.get("learner", {}).get("steps"), run.config.teacher
    # older versions do not name the teacher
    then = run_state.get(TEACHER, now or "another" if steps else None)
    if (whole_name(then) if then else then) != now:
        return [f"teacher: {then or 'none'} then, {now or 'none'} now"]
    if steps is None or not isinstance(run.model, LabelLearner):
        return []
    sizes = [each.size for each in (steps["starts"], run.model.steps.starts)]
    return [f"labels.stored: {sizes[0]} steps then, {sizes[1]} now"] * (sizes[0] != sizes[1])


def take_weights(model: PPO, checkpoint: Path, manifest: Manifest) -> None:
    """Gives a new run's network the weights of a checkpoint.

    Raises:
        CheckpointError: the file cannot be used, or its network, observation or actions differ.
    """
    policy, saved = load_policy(checkpoint, own=manifest.own)
    if different := saved.differences(manifest):
        raise CheckpointError(
            f"{checkpoint} does not fit this run:\n  "
            + "\n  ".join(different)
            + "\nleave out what changes the network, what it sees or presses: `emerald checkpoint "
            "inspect` shows its own settings as env, network, n_stack and policy"
        )
    model.policy.load_state_dict(policy.state_dict())
