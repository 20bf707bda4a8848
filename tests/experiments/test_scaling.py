"""The simulation of clusters, where it can be worked out by hand."""

import json
from dataclasses import asdict, replace

import pytest
from matplotlib import pyplot as plt

from experiments.scaling import simulate
from experiments.scaling.pieces import Pieces, line
from experiments.scaling.pieces import main as measure_pieces
from experiments.scaling.simulate import (
    GPU_SAMPLE,
    NETWORK,
    Cluster,
    Setup,
    draw,
    main,
    setups,
    table,
)

PIECES = Pieces(
    game_step=400e-6,
    game_spread=0.0,
    look_fixed=500e-6,
    look_game=50e-6,
    take_fixed=100e-6,
    take_game=5e-6,
    learn_sample=300e-6,
    learn_speedup=1.5,
    sample_bytes=5000.0,
    weights_bytes=0.0,
    send_fixed=0.0,
    send_byte=0.0,
)


def parts(setup):
    """Seconds of playing, taking in and learning of an update."""
    games = setup.actors * setup.games
    play = setup.n_steps * (500e-6 + setup.games * 450e-6)
    take = setup.n_steps * (100e-6 + games * 5e-6)
    speedup = 1.5 ** (setup.learner_cores.bit_length() - 1)
    learn = setup.samples * (GPU_SAMPLE if setup.gpu else 300e-6 / speedup)
    return play, take, learn


@pytest.mark.parametrize("gpu", [False, True])
@pytest.mark.parametrize("cores", [1, 2, 8, 16])
def test_on_one_machine_playing_taking_in_and_learning_follow_one_another(cores, gpu):
    setup = Setup(cores, gpu)
    found = Cluster(setup, PIECES).run()
    cycle = sum(parts(setup))
    assert found.samples_per_second == pytest.approx(setup.samples / cycle)
    assert found.playing == pytest.approx(parts(setup)[0] / cycle)


@pytest.mark.parametrize("gpu", [False, True])
def test_with_overlap_the_longer_of_playing_and_learning_counts(gpu):
    setup = Setup(16, gpu, overlap=True)
    play, take, learn = parts(setup)
    found = Cluster(setup, PIECES).run()
    assert found.samples_per_second == pytest.approx(
        setup.samples / (take + max(play, learn)), 0.02
    )


def test_fragments_of_other_machines_share_the_learners_connection():
    setup = Setup(64, gpu=True)
    slow = replace(PIECES, sample_bytes=1e6)
    found = Cluster(setup, slow).run()
    sent = (64 - 16) * setup.games * setup.n_steps * 1e6 / NETWORK
    play, take, learn = parts(setup)
    assert found.samples_per_second == pytest.approx(setup.samples / (play + sent + take + learn))
    assert found.limit == "network"


def test_actors_that_differ_wait_for_the_slowest(monkeypatch):
    monkeypatch.setattr(simulate, "GPU_SAMPLE", 0.0)
    pieces = replace(PIECES, sample_bytes=0.0)
    alike = Cluster(Setup(64, gpu=True), pieces).run()
    unlike = Cluster(Setup(64, gpu=True), replace(pieces, game_spread=0.1)).run()
    assert unlike.samples_per_second < 0.95 * alike.samples_per_second


def test_timings_that_cannot_be_written_are_not_measured(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("experiments.scaling.pieces.measure", None)
    assert measure_pieces([str(tmp_path)]) == 1
    assert f"error: {tmp_path} is a folder: name a file" in capsys.readouterr().err


def test_table_and_picture_show_every_cluster(tmp_path):
    found = {setup: Cluster(setup, PIECES).run() for setup in setups((2, 16))}
    assert len(found) == 2 * 2 * 2 and len(table(found)) == 2 + len(found)
    draw(found, tmp_path / "scaling.png")
    assert plt.imread(tmp_path / "scaling.png").std() > 0.05


def test_a_line_is_found_again():
    assert line([(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]) == pytest.approx((1.0, 2.0))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "[] in place of the settings of Pieces"),
        (asdict(PIECES) | {"game_step": 0}, "game_step is 0: it must be above 0"),
        (asdict(PIECES) | {"send_fixed": -1}, "send_fixed is -1: it must be at least 0"),
        (asdict(PIECES) | {"take_game": "long"}, "take_game is 'long'"),
        ({"game_step": 1}, "learn_speedup"),
    ],
)
def test_timings_of_another_form_are_said_in_a_sentence(values, message, tmp_path, capsys):
    path = tmp_path / "pieces.json"
    path.write_text(json.dumps(values))
    assert main(["--pieces", str(path)]) == 1
    said = capsys.readouterr().err
    assert f"{path}: " in said and message in said and said.count("\n") == 1


def test_missing_timings_are_said_in_a_sentence(tmp_path, capsys):
    assert main(["--pieces", str(tmp_path / "none.json")]) == 1
    said = capsys.readouterr().err
    assert "none.json" in said and said.count("\n") == 1


@pytest.mark.parametrize("cores", ["0", "1", "-2"])
def test_a_cluster_has_cores_for_an_actor_and_the_learner(cores, capsys):
    with pytest.raises(SystemExit) as end:
        main(["--cores", "16", cores])
    assert end.value.code == 2
    assert "it must be at least 2" in " ".join(capsys.readouterr().err.replace("│", "").split())


def test_the_table_is_printed_with_the_files_timings(tmp_path, capsys):
    path = tmp_path / "pieces.json"
    path.write_text(json.dumps(asdict(PIECES)))
    assert main(["--pieces", str(path), "--cores", "2"]) == 0
    play, take, learn = parts(Setup(2))
    speed = f"{Setup(2).samples / (play + take + learn):,.0f}"
    assert f"| 2 | no | no | {speed} |" in capsys.readouterr().out
