"""The search without a network that begins with a recording."""

from functools import partial

import pytest

from baselines.settings.game_config import GameConfig
from experiments.forecast import search_alone
from experiments.forecast.search_alone import SearchConfig, explored


@pytest.fixture(autouse=True)
def soon_over(monkeypatch):
    """The guide plays a hundred steps only: until the clock on the wall is set."""
    monkeypatch.setattr(search_alone, "GameConfig", partial(GameConfig, episode_length=100))


def test_a_recording_puts_what_it_shows_into_the_archive_before_anything_is_explored():
    found = explored("0", SearchConfig(steps=0, shown="clock_set"))
    assert found == dict.fromkeys(
        ("visited_littleroot", "entered_home", "sent_upstairs", "clock_set"), 0
    )


def test_a_way_that_does_not_reach_what_is_to_be_shown_is_reported():
    with pytest.raises(ValueError, match="does not reach badge_stone in world 0"):
        explored("0", SearchConfig(steps=0, shown="badge_stone"))
