"""Going back to a checkpoint from before a collapse."""

from stable_baselines3.common.on_policy_algorithm import OnPolicyAlgorithm

from baselines.checkpoints.checkpoint import read_manifest, restore
from baselines.checkpoints.manifest import Manifest
from baselines.runs.session import Session
from baselines.training.callbacks.diagnose import Rollback


def session_rollback(model: OnPolicyAlgorithm, session: Session, manifest: Manifest) -> Rollback:
    """Returns the function that takes a run back to its session's last checkpoint before a step.

    Weights and optimiser go back; the step count does not, so that curves and schedules go on.
    Checkpoints of the bad time are removed: nobody shall resume from them.

    Args:
        model: the run's model.
        session: whose checkpoints are used.
        manifest: what the run is.
    """

    def go_back(before: int) -> None:
        healthy = None
        for path in reversed(session.saved_checkpoints()):
            if read_manifest(path).num_timesteps < before:
                healthy = path
                break
        if healthy is None:
            raise FileNotFoundError(
                f"no checkpoint in {session.folder} from before step {before:,}"
            )
        now = model.num_timesteps
        restore(model, healthy, manifest)
        model.num_timesteps = now
        for path in session.saved_checkpoints():
            if read_manifest(path).num_timesteps >= before:
                path.unlink()

    return go_back
