"""The notebook of the first steps runs from its first cell to its last."""

import ast
import json
import re
from pathlib import Path

import pytest

from baselines.exploration.exploration import ExploringSchedule

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "docs" / "first_steps.ipynb"
CELLS = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
CODE = ["".join(cell["source"]) for cell in CELLS if cell["cell_type"] == "code"]
QUICK = "STEPS, EPISODE, FOLDER = 2_000, 40, Path({!r})"


def test_its_python_can_be_read_and_its_commands_go_through_one_pipe():
    for source in CODE:
        if source.startswith("!"):
            assert re.fullmatch(r"!emerald [a-z].* \| cat", source), source
        else:
            ast.parse(re.sub(r"^%%.*\n", "", source))


def test_it_is_kept_without_outputs_which_differ_from_run_to_run():
    for cell in CELLS:
        assert not cell.get("outputs") and cell.get("execution_count") is None


def test_its_run_explores_and_ends_its_first_episodes_when_it_says():
    steps = int(re.search(r"STEPS = ([\d_]+)", CODE[0])[1])
    (train,) = (source for source in CODE if source.startswith("!emerald train"))
    n_envs = int(re.search(r"--n-envs (\d+) ", train)[1])
    patience = 1024 / (1 + 0.001 * 400)  # steps without a milestone: a step costs 0.001
    schedule = ExploringSchedule("auto", steps)
    learnt, explored, first_end = 0, 0, None
    while learnt + explored < steps:
        learnt += n_envs * 128
        if first_end is None and learnt >= n_envs * patience:
            first_end = (learnt + explored) / steps
        explored = max(explored, schedule.due(learnt, explored, 0.0, 0, 0.0))
    assert explored / (learnt + explored) == pytest.approx(3 / 4, abs=0.02)
    assert 0.4 < first_end < 0.5


@pytest.mark.long
def test_it_looks_at_the_game_trains_on_its_reward_plots_and_shows_a_film(tmp_path, monkeypatch):
    nbclient = pytest.importorskip("nbclient", reason="pip install '.[notebook]'")
    nbformat = pytest.importorskip("nbformat")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = nbformat.read(NOTEBOOK, 4)
    settings = next(c for c in notebook.cells if "parameters" in c.metadata.get("tags", ()))
    settings.source += "\n" + QUICK.format(str(tmp_path))
    nbclient.NotebookClient(
        notebook, timeout=None, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    shown = [kind for cell in code for out in cell.outputs for kind in out.get("data", ())]
    assert shown.count("image/png") == 2 and "video/mp4" in str(code[-1].outputs)
    (session,) = (tmp_path / "sessions").iterdir()
    assert list(session.glob("checkpoints/ppo_*.zip"))
    farmed, mended = ["".join(o.text for o in c.outputs) for c in code if "audit" in c.source]
    assert "FARMABLE" in farmed and "FARMABLE" not in mended
