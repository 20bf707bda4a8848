"""What an agent looks at: closed forms, and that asking changes nothing."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from baselines.checkpoints.checkpoint_file import load_policy
from baselines.checkpoints.trained import find_checkpoint
from baselines.commands.play.play_game import main as play
from baselines.playing.agent import Agent
from baselines.playing.display.attention import COLUMNS, ROWS, attention, with_hidden_tiles
from baselines.playing.display.spotlight import CLEAR, DARK, Spotlight

SIDE = 8  # of a tile in a picture of 80 x 120


def picture(seed=0, channels=1):
    levels = np.random.default_rng(seed).integers(0, 256, (1, channels, 80, 120))
    return torch.tensor(levels, dtype=torch.uint8)


@given(
    row=st.integers(0, ROWS - 1),
    column=st.integers(0, COLUMNS - 1),
    shrink=st.sampled_from([1, 2, 5]),
)
def test_each_copy_hides_one_tile_and_nothing_else(row, column, shrink):
    whole = torch.randint(0, 256, (1, 2, 160 // shrink, 240 // shrink), dtype=torch.uint8)
    hidden = with_hidden_tiles(whole)[row * COLUMNS + column]
    side = 16 / shrink
    inside = np.zeros(whole.shape[2:], bool)
    inside[
        round(row * side) : round((row + 1) * side),
        round(column * side) : round((column + 1) * side),
    ] = True
    assert torch.equal(hidden[:, ~inside], whole[0][:, ~inside])
    for channel in range(2):
        assert (hidden[channel, inside] == int(whole[0, channel].float().mean())).all()


def test_only_the_tile_that_decides_is_looked_at_and_as_far_as_it_moves_the_logits():
    seen, weight = picture(), torch.tensor([0.0, 0.01, -0.02])

    def probabilities(pictures, n):
        assert len(pictures) == n
        level = pictures[:, 0, 3 * SIDE : 4 * SIDE, 7 * SIDE : 8 * SIDE].float().mean(dim=(1, 2))
        return (level[:, None] * weight).softmax(dim=1)

    found = attention(seen, probabilities)
    tile = seen[0, 0, 3 * SIDE : 4 * SIDE, 7 * SIDE : 8 * SIDE].float().mean()
    moved = abs(tile - int(seen.float().mean())) * weight.std(unbiased=False)
    assert found[3, 7] == pytest.approx(float(moved), rel=1e-3)
    found[3, 7] = 0
    assert found == pytest.approx(0, abs=1e-5)


def test_masked_actions_do_not_count():
    def probabilities(pictures, n):
        masked = torch.tensor([[0.0, 0.5, 0.5]])
        return masked.expand(n, 3)

    assert not attention(picture(), probabilities).any()


def test_who_is_asked_where_it_looks_plays_the_same():
    policy, _ = load_policy(find_checkpoint("jade-screen"))
    starts = np.ones(1, np.bool_)
    played = []
    for attends in (False, True):
        torch.manual_seed(1)
        agent = Agent(policy, attends=attends)
        played.append(
            [agent.think(picture(seed).numpy(), starts & (seed == 0)) for seed in range(8)]
        )
    for without, asked in zip(*played, strict=True):
        assert without.actions == asked.actions and without.attention is None
        np.testing.assert_array_equal(without.probabilities, asked.probabilities)
        assert asked.attention.shape == (ROWS, COLUMNS) and asked.attention.max() > 0


def test_what_matters_most_is_lit_up_fully_and_what_does_not_stays_dark():
    light, frame = Spotlight(), np.full((160, 240, 3), 200, np.uint8)
    assert light.on(frame) is frame
    matters = np.zeros((ROWS, COLUMNS), np.float32)
    matters[2, 3], matters[5, 5] = 4, 2
    light.turn(matters)
    lit = light.on(frame)
    assert (lit[32:48, 48:64] == 200).all() and (lit[0:16] == int(200 * DARK)).all()
    assert (lit[80:96, 80:96] == int(200 * (DARK + 1) / 2)).all()
    light.turn(np.full((ROWS, COLUMNS), CLEAR / 2, np.float32))
    assert light.on(frame).max() < 200
    light.turn(None)
    assert light.on(frame) is frame


def test_a_film_shows_where_an_agent_looks_and_who_sees_nothing_is_refused(tmp_path, capsys):
    film = tmp_path / "look.mp4"
    flags = ["--attention", "--video", str(film), "--scale", "1", "--episode-length", "2"]
    assert play(["jade-screen", *flags]) == 0
    assert film.stat().st_size > 1000
    assert play(["jade", *flags]) == 1
    assert "sees no screen" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        play(["jade-screen", "--attention", "--episodes", "1"])
