"""What is drawn of runs whose log names them, or has no times."""

import matplotlib.pyplot as plt
import pytest

from baselines.diagnostics.logs import read_runs
from experiments.plot_runs import main, panels

EXPORTED = """"Step","a - rollout/ep_rew_mean","b - rollout/ep_rew_mean"
"2000","1","3"
"4000","2","5"
"""
LOGGED = """time/total_timesteps,time/time_elapsed,rollout/ep_rew_mean{more}
2000,60,1{number}
4000,120,2{number}
"""


def logged(folder, milestones):
    """Writes a run's log, with times."""
    folder.mkdir()
    more, number = (",milestones/per_episode", ",7") if milestones else ("", "")
    (folder / "progress.csv").write_text(LOGGED.format(more=more, number=number))
    return folder


def exported(folder):
    """Writes a table of two runs without times."""
    folder.mkdir()
    (folder / "wandb_export.csv").write_text(EXPORTED)
    return folder


def test_runs_of_one_table_have_their_own_names_and_are_drawn_over_steps(tmp_path):
    (panel,) = panels(read_runs([exported(tmp_path / "wandb")]))
    assert not panel.by_time
    assert [(name, line.steps, line.values) for name, line in panel.lines] == [
        ("a", (2000, 4000), (1.0, 2.0)),
        ("b", (2000, 4000), (3.0, 5.0)),
    ]
    picture = tmp_path / "runs.png"
    assert main([str(tmp_path / "wandb"), "--out", str(picture)]) == 0
    assert plt.imread(picture).std() > 0.05


def test_all_runs_are_drawn_over_steps_if_one_has_no_times(tmp_path):
    runs = read_runs([logged(tmp_path / "own", False), exported(tmp_path / "wandb")])
    assert [name for name, _ in panels(runs)[0].lines] == ["own", "a", "b"]
    assert [panel.by_time for panel in panels(runs)] == [False]


@pytest.mark.parametrize("milestones", [False, True])
def test_runs_with_times_are_drawn_over_both(milestones, tmp_path):
    left, right = panels(read_runs([logged(tmp_path / "own", milestones)]))
    assert left.by_time and not right.by_time
    assert left.lines[0][1].minutes == (0.0, 1.0)
    assert right.lines[0][1].values == ((7.0, 7.0) if milestones else (1.0, 2.0))
