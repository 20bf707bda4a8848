"""The table of healthy runs and their sick twins."""

from baselines.runs.curves import open_curves
from baselines.runs.session_folder import Session
from experiments.own_runs.twins import row


def test_an_episode_that_names_no_milestones_reached_none(tmp_path):
    session = Session(tmp_path)
    with open_curves(tmp_path, 0, {}) as logger:
        logger.record("train/loss", 0.5)
        logger.dump(20)
    reached = [{"milestones": ["starter", "badge_1"]}, {}]
    session.append_episodes([{"num_timesteps": 10, "reward": 3.0} | each for each in reached])
    assert row("run", tmp_path).startswith("| run | 20 | 2 | 2.00 → 0.00 | 3.0 → 3.0 |")
