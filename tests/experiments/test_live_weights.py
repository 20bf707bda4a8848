"""A checkpoint that plays with the weights that training goes on from."""

from helpers.checkpoints import as_saved, describe, make_model, rewrite, same

from baselines.checkpoints.checkpoint_file import LIVE, load_policy, save_checkpoint
from experiments.live_weights import main


def test_it_plays_with_the_latest_weights_and_the_original_with_their_average(tmp_path):
    model = make_model().learn(48)
    path, out = tmp_path / "run.zip", tmp_path / "live.zip"
    save_checkpoint(model, path, describe(model))
    assert main([str(path), str(out)]) == 0
    assert same(load_policy(out)[0].state_dict(), model.policy.state_dict())
    assert same(load_policy(path)[0].state_dict(), as_saved(model).state_dict())
    assert not same(model.policy.state_dict(), as_saved(model).state_dict())


def test_a_checkpoint_without_them_is_refused_in_a_line(tmp_path, capsys):
    model = make_model().learn(16)
    path = tmp_path / "run.zip"
    save_checkpoint(model, path, describe(model))
    older = rewrite(path, tmp_path / "older.zip", **{LIVE: None})
    assert main([str(older), str(tmp_path / "live.zip")]) != 0
    assert "has no live weights" in capsys.readouterr().err
    assert not (tmp_path / "live.zip").exists()
