"""Where pictures can be drawn, and what each command that draws one says where they cannot."""

import os

import pytest

from baselines.commands.check import audit as audit
from baselines.commands.learn import diagnose
from baselines.commands.play import evaluate
from emerald_env.files.output_files import KINDS, check_picture
from experiments import plot_runs
from experiments.breakout import plot_breakout
from experiments.scaling import simulate

COMMANDS = {
    "audit": (audit, ["ferry", "--picture"]),
    "diagnose": (diagnose, [".", "--picture"]),
    "evaluate": (evaluate, ["--picture"]),
    "plot_breakout": (plot_breakout, [".", "--out"]),
    "plot_runs": (plot_runs, [".", "--out"]),
    "simulate": (simulate, ["--picture"]),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("paid.xyz", "paid.xyz does not end in .png"),
        ("paid", "does not end in"),
        ("file/paid.png", "cannot be made"),
        ("folder.png", "is a folder"),
        ("pipe.png", "is a pipe or a socket: name a file"),
    ],
)
def test_a_place_for_a_picture_is_refused_before_any_work(
    command, place, message, tmp_path, capsys
):
    (tmp_path / "folder.png").mkdir()
    os.mkfifo(tmp_path / "pipe.png")
    (tmp_path / "file").touch()
    module, arguments = COMMANDS[command]
    with pytest.raises(SystemExit) as end:
        module.main([*arguments, str(tmp_path / place)])
    assert end.value.code == (diagnose.NO_LOG if module is diagnose else 2)
    said = "".join(capsys.readouterr().err.replace("│", "").split())  # tyro breaks lines
    assert message.replace(" ", "") in said


@pytest.mark.parametrize("kind", [*KINDS, ".PNG"])
def test_what_can_be_drawn_is_let_through_and_drawn(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in (
        tmp_path / "new" / "folder" / f"paid{kind}",
        (tmp_path / f"here{kind}").relative_to(tmp_path),
    ):
        check_picture(path)
        assert audit.main(["ferry", "--rounds", "2", "--picture", str(path)]) in (0, 1)
        assert path.stat().st_size > 1000
    check_picture(None)
