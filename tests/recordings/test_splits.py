"""The contest's splits, told from recorded episodes."""

from contextlib import closing

import pytest
from rich.console import Console

from baselines.commands.play.evaluate import main
from baselines.games.game import make_env
from baselines.games.recorded_play import by_guide, record_play
from baselines.playing import evaluated_player
from baselines.playing.benchmark.contest_splits import splits_table
from baselines.playing.evaluation import Episode, Evaluation
from baselines.settings.game_config import GameConfig
from emerald_env.recordings.recording import Recording
from emerald_env.recordings.splits import BEFORE, SPLITS, splits_of
from emerald_env.wrappers.disturbed import Disturbance

CONFIG = GameConfig(observation="state", guide=True, patience=None)
IN_JADE = {"DAD_FIRST_MEETING", "GYM_EXPLANATION", "TEAM_AQUA_GRUNT_DEFEATED"}  # not there


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    (path,) = record_play(by_guide, tmp_path_factory.mktemp("way"), CONFIG, seed=4)
    return path.read_bytes()


def test_there_are_twenty_six():
    assert len({*BEFORE, *SPLITS}) == 26


def test_the_whole_way_reaches_them_in_the_storys_order(recorded):
    found = splits_of(Recording.from_bytes(recorded).states())
    assert {*BEFORE, *SPLITS} - found.keys() <= IN_JADE
    order = [split for split in (*BEFORE, *SPLITS) if split in found]
    assert [found[split] for split in order] == sorted(found.values())
    assert found["FIRST_GYM_COMPLETE"] > found["RUSTBORO_GYM_ENTERED"] > found["RUSTBORO_CITY"]
    assert found["ROUTE_104_NORTH"] > found["PETALBURG_WOODS"] > found["ROUTE_104_SOUTH"]


def test_they_agree_with_the_episodes_milestones(recorded):
    recording = Recording.from_bytes(recorded)
    found = splits_of(recording.states())
    with closing(make_env(CONFIG)) as env:
        seen, _ = env.reset(seed=4)
        for _ in range(recording.n_steps):
            seen, *_ = env.step(by_guide(seen))
        steps = dict(env.get_wrapper_attr("milestone_steps"))
    assert found["STARTER_CHOSEN"] == steps["starter"]
    assert found["OLDALE_TOWN"] == steps["visited_oldale"]
    assert found["FIRST_GYM_COMPLETE"] == steps["badge_stone"]


def test_a_girl_lives_in_the_other_house():
    """Brendan's house is (1, 0), May's (1, 2): whose is whose depends on the player."""
    config = GameConfig(observation="state", guide=True, disturb=("girl",))
    assert Disturbance.parse(config.disturb)
    with closing(make_env(config)) as env:
        seen, _ = env.reset(seed=0)
        states = [env.unwrapped.state]
        for _ in range(90):
            seen, *_ = env.step(by_guide(seen))
            states.append(env.unwrapped.state)
    found = splits_of(states)
    own = states[found["PLAYER_HOUSE_ENTERED"]].location
    assert own == states[found["PLAYER_BEDROOM"]].location[:1] + (own[1],)
    assert states[found["RIVAL_HOUSE"]].location != own


def test_nothing_but_what_precedes_a_new_game_is_reached_without_a_state():
    assert splits_of([None, None]) == dict.fromkeys(BEFORE, 0)


def test_the_table_has_times_of_sixty_frames_a_second_and_actions(recorded):
    episode = Episode(1.0, 1, {}, recording=recorded)
    starter = splits_of(Recording.from_bytes(recorded).states())["STARTER_CHOSEN"]
    console = Console(width=120, record=True)
    console.print(splits_table([Evaluation("somebody", (episode,))]))
    (line,) = [row for row in console.export_text().splitlines() if "STARTER_CHOSEN" in row]
    seconds = int(starter * 24 / 59.7275)
    assert f"{seconds // 60}:{seconds % 60:02}" in line and f" {starter:,} " in line


@pytest.mark.parametrize("is_shown", [False, True])
def test_evaluate_prints_them_where_the_game_is_emerald(monkeypatch, capsys, is_shown):
    if is_shown:  # Jade stands in for the ROM, and keeps its state where Emerald keeps it
        monkeypatch.setattr(evaluated_player, "has_splits", lambda config: True)
    assert main(["--episodes", "1", "--n-envs", "1", "--episode-length", "20"]) == 0
    assert ("LITTLEROOT_TOWN" in capsys.readouterr().out) == is_shown
