"""Games that press what an atlas advises, and where they stand in the end."""

from dataclasses import replace

import numpy as np
import pytest

from baselines.exploration.archive_folder import save_atlas
from baselines.exploration.search import Search
from baselines.exploration.state_archive import Archive
from baselines.runs.session_folder import Session
from baselines.settings.game_config import GameConfig
from baselines.settings.train_config import TrainConfig
from emerald_env.env.observation import MENU, observe_fully
from emerald_env.env.state_vector.menu_numbers import observe_menu
from emerald_env.explorer import Explorer
from emerald_env.state import Menu, MenuKind, Mode
from experiments.atlas_alone import main, places_in_words, stands
from rewards.audit.new_game import NEW_GAME


@pytest.fixture(scope="module")
def explored(tmp_path_factory):
    """A session whose search has played three rounds, and nobody has learnt yet."""
    session = Session(tmp_path_factory.mktemp("sessions") / "session")
    game = GameConfig(observation="state", action_set="story", menus=True, start_wait=0)
    search = Search(Archive(session.archive), Explorer(game), seed=0)
    for _ in range(3):
        search.explore()
    search.atlas.solve()
    save_atlas(search.atlas, session.archive)
    TrainConfig(env=game, explore=0.5).save(session.config)
    return session


def test_what_was_found_is_played_without_a_network(explored, capsys):
    asked = [str(explored.folder), "--steps", "60", "--n-envs", "2", "--latest", "5"]
    assert main(asked) == 0
    said = capsys.readouterr().out
    assert "60 steps, " in said and "% advised; milestones (games): " in said
    assert "InsideOfTruck" in said or "Littleroot" in said


def test_a_session_that_has_not_explored_is_refused_by_a_line(explored, tmp_path, capsys):
    (tmp_path / "config.json").write_bytes(explored.config.read_bytes())
    assert main([str(tmp_path)]) == 1
    assert "has no atlas with advice" in capsys.readouterr().err


def test_a_place_is_told_by_map_tile_and_screen():
    bag = replace(NEW_GAME, mode=Mode.MENU, menu=Menu(MenuKind.BAG, 0, 0))
    states = [replace(NEW_GAME, mode=Mode.OVERWORLD), bag]
    seen = {
        "state": np.stack([observe_fully(state) for state in states]),
        MENU: np.stack([observe_menu(state) for state in states]),
    }
    assert places_in_words(seen) == [
        "LittlerootTown 10, 10, overworld",
        "LittlerootTown 10, 10, menu: bag",
    ]


def test_the_table_counts_each_place_and_key():
    table = stands([[("here", "a", True), ("there", "b", False)], [("here", "a", True)] * 2])
    assert table.row_count == 2 and list(table.columns[3].cells) == ["75.0%", "25.0%"]
