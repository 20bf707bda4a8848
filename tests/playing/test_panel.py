"""The panel beside a played game."""

from dataclasses import replace

import numpy as np
import pytest

from baselines.playing.display.panel import (
    ACTIONS,
    BAR,
    CHOSEN,
    LAID_OUT_FOR,
    NUMBER,
    Panel,
    PanelStatus,
)

NAMES = [f"action {number}" for number in range(17)]
STATUS = PanelStatus(
    title="Jade",
    actions=NAMES,
    probabilities=[0.5, 0.25, 0.25] + [0.0] * 14,
    chosen=1,
    values=(1.0, 2.0, 3.0),
    terms={"tile": 2.0, "badge": 5.0},
    milestones=("starter",),
)


def count(picture, colour):
    return int((picture == np.array(colour, np.uint8)).all(axis=2).sum())


def bar_lengths(picture, colour):
    """The runs of a colour in each row of the actions' column, top to bottom, without repeats."""
    column = picture[:, : int(ACTIONS.right - NUMBER)]
    lengths = (column == np.array(colour, np.uint8)).all(axis=2).sum(axis=1)
    return [n for n, before in zip(lengths[1:], lengths, strict=False) if n and n != before]


@pytest.mark.parametrize("scale", [2, 3, 5])
def test_a_panel_is_as_high_as_the_game_and_even(scale):
    panel = Panel(scale)
    picture = panel.draw(STATUS)
    assert picture.shape == (160 * scale, panel.size[0], 3) and picture.dtype == np.uint8
    assert panel.size[0] % 2 == 0


def test_bars_are_as_long_as_the_probabilities_and_the_chosen_one_has_its_colour():
    picture = Panel(LAID_OUT_FOR).draw(replace(STATUS, terms={}, values=()))
    whole = ACTIONS.right - NUMBER - ACTIONS.bars
    assert bar_lengths(picture, BAR) == pytest.approx([whole / 2, whole / 4], abs=1.5)
    assert bar_lengths(picture, CHOSEN) == pytest.approx([whole / 4], abs=1.5)


def test_a_term_that_pays_now_is_bright():
    panel = Panel(LAID_OUT_FOR)
    before, after = panel.draw(STATUS), panel.draw(replace(STATUS, paid={"badge": 5.0}))
    assert count(after, CHOSEN) > count(before, CHOSEN)


def test_whatever_a_status_has_stays_within_the_panel():
    crowded = replace(
        STATUS,
        values=tuple(np.linspace(-1e6, 1e6, 300)),
        terms={f"term_{number}": 1000.0 * number for number in range(40)},
        milestones=tuple(f"milestone_{number}" for number in range(90)),
    )
    panel = Panel(LAID_OUT_FOR)
    for status in (crowded, PanelStatus(), replace(STATUS, values=(float("nan"),) * 3)):
        picture = panel.draw(status)
        assert (picture[-4:] == picture[-1, -1]).all(), "the bottom margin is empty"


def test_a_scale_at_which_nothing_could_be_read_is_refused():
    with pytest.raises(ValueError, match="scale of at least 2"):
        Panel(1)
