"""A person's keyboard is enough for Jade: the window of `play --human`, driven by its own keys."""

import pytest
from helpers.at_the_keyboard import at_the_keyboard

from emerald_env.jade.walk import walk_through


@pytest.mark.parametrize("last", ["clock_set", pytest.param("badge_2", marks=pytest.mark.slow)])
def test_the_keys_that_the_window_names_lead_through_every_prompt(last: str, monkeypatch, capsys):
    with at_the_keyboard(monkeypatch) as person:
        for name, _ in walk_through(person):
            if name == last:
                break
    assert name == last and "X = A, Z = B" in capsys.readouterr().out
