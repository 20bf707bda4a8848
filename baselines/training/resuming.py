"""Where a run's weights come from: the session that it resumes, or somebody's checkpoint."""

from pathlib import Path

from baselines.checkpoints.checkpoint_file import CheckpointError, load_policy, restore
from baselines.checkpoints.manifest import Manifest
from baselines.checkpoints.resume import RunState, differences, read_run_state
from baselines.learner.ppo import PPO
from baselines.training.run import EXPLORATION, Run
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
    if other := differences(run_state, saved, run.manifest, run.model.n_envs, recorded):
        raise CheckpointError("; ".join(other))


def take_weights(model: PPO, checkpoint: Path, manifest: Manifest) -> None:
    """Gives a new run's network the weights of a checkpoint.

    Raises:
        CheckpointError: the file cannot be used, or its network, observation or actions differ.
    """
    policy, saved = load_policy(checkpoint, own=manifest.own)
    if different := saved.differences(manifest):
        raise CheckpointError(f"{checkpoint} does not fit this run:\n  " + "\n  ".join(different))
    model.policy.load_state_dict(policy.state_dict())
