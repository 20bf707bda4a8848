"""Evaluating players: what is counted, that it repeats, what is said and drawn."""

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from gymnasium import Env, spaces
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from rich.console import Console
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.checkpoints.checkpoint_file import save_checkpoint
from baselines.checkpoints.manifest import read_manifest
from baselines.cluster.remote_evaluation import parts_of
from baselines.commands.play import evaluation_report
from baselines.commands.play.evaluate import main
from baselines.commands.play.evaluation_report import (
    disturbance_table,
    save_soft_locks,
    show,
    shown_progress,
    words,
)
from baselines.games.game import make_env
from baselines.playing.benchmark import contest_splits
from baselines.playing.benchmark.contest_splits import splits_table
from baselines.playing.evaluated_player import EvaluatedPlayer, distinct, settings
from baselines.playing.evaluation import (
    Comparison,
    Episode,
    Evaluation,
    evaluate,
    is_clear,
    report,
    shares,
)
from baselines.playing.evaluation_plot import plot
from baselines.playing.intervals import Estimate
from baselines.settings.evaluate_config import EvaluateConfig
from baselines.settings.game_config import GameConfig
from baselines.settings.train_config import PPOConfig, TrainConfig
from baselines.training.model import fit_to_machine, make_games, make_model
from baselines.training.phases import describe
from emerald_env.game.choice import GameChoice
from emerald_env.state import milestones_done

SMALL = "--episodes 2 --n-envs 2 --n-workers 1 --episode-length 25".split()


class Evidence:
    """A soft-lock that writes a file."""

    def save(self, path, rom):
        path.parent.mkdir(exist_ok=True)
        path.write_text("locked")


def test_the_state_of_each_soft_lock_is_written_and_named(tmp_path, capsys):
    episodes = (Episode(1.0, 10, {}), Episode(1.0, 10, {}, True, Evidence()))
    config = EvaluateConfig(soft_locks=tmp_path / "locks")
    save_soft_locks([Evaluation("agent", episodes)], config)
    (path,) = (tmp_path / "locks").iterdir()
    assert path.name == "player_1_episode_2.ss1" and str(path) in capsys.readouterr().err


def test_a_soft_lock_of_an_earlier_evaluation_is_kept(tmp_path):
    config = EvaluateConfig(soft_locks=tmp_path)
    for name in ("player_1_episode_1", "player_1_episode_1_2"):
        (tmp_path / f"{name}.ss1").write_text("of an earlier evaluation")
    save_soft_locks([Evaluation("agent", (Episode(1.0, 10, {}, True, Evidence()),))], config)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "player_1_episode_1.ss1": "of an earlier evaluation",
        "player_1_episode_1_2.ss1": "of an earlier evaluation",
        "player_1_episode_1_3.ss1": "locked",
    }


class Unsaved:
    """A soft-lock that cannot be written."""

    def save(self, path, rom):
        raise OSError("no room")


def test_recordings_and_picture_are_there_even_if_a_soft_lock_cannot_be_written(
    tmp_path, monkeypatch
):
    episode = Episode(1.0, 10, {"starter": 5}, True, Unsaved(), b"recorded")
    played = [Evaluation("agent", (episode,))]
    monkeypatch.setattr(evaluation_report, "evaluate_all", lambda config: iter(played))
    config = EvaluateConfig(record=tmp_path / "recorded", picture=tmp_path / "picture.png")
    assert evaluation_report.evaluate_and_report(config) == 1
    (recording,) = (tmp_path / "recorded").iterdir()
    assert recording.read_bytes() == b"recorded" and (tmp_path / "picture.png").stat().st_size


def test_soft_locks_are_there_even_if_the_picture_cannot_be_drawn(tmp_path, monkeypatch):
    played = [Evaluation("agent", (Episode(1.0, 10, {}, True, Evidence()),))]
    monkeypatch.setattr(evaluation_report, "evaluate_all", lambda config: iter(played))
    config = EvaluateConfig(picture=tmp_path / "picture.png", soft_locks=tmp_path / "locks")
    (tmp_path / "picture.png").mkdir()  # while the episodes are played
    assert evaluation_report.evaluate_and_report(config) == 1
    assert (tmp_path / "locks" / "player_1_episode_1.ss1").read_text() == "locked"


@pytest.mark.parametrize("place", ["file", "file/below", "/proc/nope"])
def test_a_folder_that_no_soft_lock_can_be_written_into_is_refused_before_playing(
    tmp_path, monkeypatch, capsys, place
):
    monkeypatch.setattr(evaluation_report, "evaluate_all", lambda config: pytest.fail("played"))
    (tmp_path / "file").write_bytes(b"")
    assert main(["--soft-locks", str(tmp_path / place)]) == 1
    said = capsys.readouterr()
    assert said.err.startswith("error: the folder ") and not said.out


class Countdown(Env):
    """An env whose episodes have a length of its own and pay it; half-way there is a milestone."""

    observation_space = spaces.Box(0, 1, (1,), np.float32)
    action_space = spaces.Discrete(2)

    def __init__(self, length: int) -> None:
        self.length = length

    def reset(self, *, seed=None, options=None):
        self.left = self.length
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.left -= 1
        info = {}
        if not self.left:
            info["episode"] = {"r": float(self.length), "l": self.length, "t": 0.0}
            info["milestone_steps"] = {"starter": self.length // 2} if self.length > 1 else {}
        return np.zeros(1, np.float32), 0.0, False, not self.left, info


def countdowns():
    games = DummyVecEnv([lambda n=n: Countdown(n) for n in (1, 10)])
    return evaluate("counter", games, lambda seen, starts: np.zeros(2, int), episodes=6)


def test_each_game_counts_the_same_however_long_its_episodes_are():
    result = countdowns()
    assert sorted(episode.length for episode in result.episodes) == [1] * 3 + [10] * 3
    assert result.reward.value == 5.5
    assert result.reached("starter").value == 0.5 and result.milestones == ["starter"]
    assert result.steps("starter").value == np.inf, "half of the episodes never reached it"


@pytest.mark.parametrize(
    ("episodes", "of_each"), [(4, [1, 1, 1, 1]), (5, [2, 1, 1, 1]), (7, [2, 2, 2, 1])]
)
def test_a_quick_game_does_not_take_the_turn_of_a_slow_one(episodes, of_each):
    games = DummyVecEnv([lambda n=n: Countdown(n) for n in (1, 1, 10, 30)])
    result = evaluate("counter", games, lambda seen, starts: np.zeros(4, int), episodes)
    played = [episode.game for episode in result.episodes]
    assert [played.count(game) for game in range(4)] == of_each and not result.interrupted


def test_parts_of_an_evaluation_count_as_many_episodes_of_each_game_as_the_whole():
    parts = parts_of(EvaluateConfig(episodes=13, n_envs=5, parts=2))
    assert [(part.n_envs, part.episodes, part.seed) for part in parts] == [(2, 6, 0), (3, 7, 2)]
    assert shares(13, 5) == shares(6, 2) + shares(7, 3) == [3, 3, 3, 2, 2]


@pytest.mark.parametrize("games", [{"n_envs": 4}, {"episodes": 4}])
def test_an_evaluation_has_no_more_parts_than_games(games):
    assert [part.n_envs for part in parts_of(EvaluateConfig(parts=4, **games))] == [1, 1, 1, 1]
    with pytest.raises(ValueError, match="--parts is 5, but only 4 games are played"):
        EvaluateConfig(parts=5, **games)


def test_soft_locks_are_counted_and_shown():
    episodes = tuple(Episode(1.0, 10, {}, soft_lock=number < 3) for number in range(4))
    evaluation = Evaluation("agent", episodes)
    assert evaluation.soft_locks.value == 0.75
    told = report([evaluation])["players"][0]
    assert told["soft_locks"]["value"] == 0.75
    assert [episode["soft_lock"] for episode in told["episodes"]] == [True] * 3 + [False]
    console = Console(width=100, record=True)
    show([evaluation], console)
    assert "75% (30 to 95) of the episodes ended in a soft-lock" in console.export_text()


def test_ctrl_c_keeps_what_was_played_by_then():
    steps = iter(range(12))

    def choose(seen, starts):
        if next(steps) == 11:
            raise KeyboardInterrupt
        return np.zeros(2, int)

    told = []
    games = DummyVecEnv([lambda n=n: Countdown(n) for n in (1, 10)])
    result = evaluate("counter", games, choose, 6, lambda *far: told.append(far))
    assert result.interrupted and told[-1] == (len(result.episodes), 2 * len(told))
    assert [episode.length for episode in result.episodes] == [1, 1, 1, 10]


def test_ctrl_c_before_the_first_episode_ended_has_nothing_to_keep():
    def choose(seen, starts):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate("counter", DummyVecEnv([lambda: Countdown(5)]), choose, 2)


def test_a_player_is_told_where_episodes_start():
    told = []

    def choose(seen, starts):
        told.append(starts.tolist())
        return np.zeros(2, int)

    evaluate("x", DummyVecEnv([lambda n=n: Countdown(n) for n in (2, 3)]), choose, 4)
    assert told == [[True, True], [False, False], [True, False], [False, True], *told[4:]]


def made_up(name, reached, of=40, reward=0.0):
    episodes = [
        Episode(reward + index % 3, 100, {"starter": 50 + index} if index < reached else {})
        for index in range(of)
    ]
    return Evaluation(name, tuple(episodes))


def test_a_difference_is_clear_where_its_interval_leaves_0_out():
    good, bad = made_up("good", 36, reward=5.0), made_up("bad", 4)
    for difference in (Comparison(good, bad).reward, Comparison(good, bad).reached("starter")):
        assert is_clear(difference) and difference.value > 0
    same = Comparison(good, made_up("too", 35, reward=5.0))
    assert not is_clear(same.reached("starter")) and not is_clear(same.reward)


def test_the_report_has_every_number_and_no_infinity():
    text = json.dumps(report([made_up("good", 36), made_up("bad", 4)]), allow_nan=False)
    found = json.loads(text)
    assert [player["name"] for player in found["players"]] == ["good", "bad"]
    assert found["players"][0]["milestones"]["starter"]["share"]["value"] == 0.9
    assert found["players"][1]["milestones"]["starter"]["steps"]["value"] is None
    assert found["differences"][0]["from"] == "bad"
    assert found["differences"][0]["milestones"]["starter"]["value"] == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("estimate", "form", "text"),
    [
        (Estimate(0.5, 0.33, 0.67), "{:.0%}", "50% (33 to 67)"),
        (Estimate(120, 98, np.inf), "{:.0f}", "120 (98 to -)"),
        (Estimate(np.inf, np.inf, np.inf), "{:.0f}", "-"),
    ],
)
def test_numbers_are_said_with_their_intervals(estimate, form, text):
    assert words(estimate, form) == text


def test_the_steps_to_a_milestone_are_those_after_which_it_was_first_there():
    dice = np.random.default_rng(0)
    env = make_env(GameConfig(episode_length=300), "rgb_array")
    env.reset(seed=0)
    given, seen, done = set(milestones_done(env.unwrapped.state)), {}, False
    while not done:
        *_, done, info = env.step(dice.integers(15))
        for slug in milestones_done(env.unwrapped.state):
            if slug not in given:
                seen.setdefault(
                    slug, info.get("episode", {}).get("l", env.get_wrapper_attr("_length"))
                )
    assert info["milestone_steps"] == seen and seen
    env.close()


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    config = fit_to_machine(TrainConfig(n_envs=1, device="cpu", ppo=PPOConfig(batch_size=64)))
    games = make_games(config)
    path = tmp_path_factory.mktemp("evaluate") / "agent.zip"
    model = make_model(config, games)
    save_checkpoint(model, path, describe(config, model))
    games.close()
    return path


def test_a_seed_repeats_to_the_bit_and_another_plays_otherwise(checkpoint, capsys):
    found = []
    for seed in "112":
        command = [str(checkpoint), "--random", *SMALL, "--json", "--seed", seed]
        assert main(command) == 0
        found.append(capsys.readouterr().out)
    assert found[0] == found[1] != found[2]
    players = json.loads(found[0])["players"]
    assert [player["name"] for player in players] == ["agent", "random keys"]
    assert [episode["steps"] for episode in players[0]["episodes"]] == [25, 25]


def test_a_checkpoint_against_itself_shows_no_difference(checkpoint, tmp_path, capsys):
    drawn = tmp_path / "plot.png"
    assert (
        main([str(checkpoint), "--against", str(checkpoint), *SMALL, "--picture", str(drawn)]) == 0
    )
    shown = capsys.readouterr().out
    assert "+0.00" in shown and "mean reward" in shown and "first has more by" in shown
    assert cv2.imread(str(drawn)).std() > 5


def test_both_of_two_checkpoints_play_the_games_of_the_first(checkpoint):
    manifest = read_manifest(checkpoint)
    clock = "2024-07-01T12:00"
    own = {"patience": 3, "episode_length": 4, "start_wait": 5, "clock": clock, "frame_skip": 12}
    first, other = (
        EvaluatedPlayer(name, manifest=replace(manifest, env=manifest.env | changes))
        for name, changes in (("first", {"patience": 30, "episode_length": 40}), ("other", own))
    )
    config = EvaluateConfig(checkpoint="first.zip", against="other.zip")
    games = settings(other, first, config)
    assert (games.patience, games.episode_length, games.frame_skip) == (30, 40, 12)
    assert (games.start_wait, games.clock) == (30, None), "the defaults"
    back = settings(first, other, config)
    assert (back.patience, back.episode_length) == (3, 4)
    assert (back.start_wait, back.clock) == (5, clock)
    random = settings(EvaluatedPlayer("random keys"), other, config)
    assert (random.patience, random.start_wait, random.clock) == (3, 5, clock)
    assert settings(other, first, replace(config, patience=7)).patience == 7


def test_who_plays_it_in_another_world_than_its_own_is_told_unless_he_named_one(checkpoint):
    manifest = read_manifest(checkpoint)
    assert manifest.elsewhere(GameChoice()) is None
    there = replace(manifest, game=manifest.game | {"name": "Jade, world 7:demanding"})
    assert "give --world 7:demanding" in (there.elsewhere(GameChoice()) or "")
    assert there.elsewhere(GameChoice(world="7:demanding")) is None
    assert there.elsewhere(GameChoice(world="3")) is None


def test_checkpoints_are_called_by_their_files_and_by_their_sessions_where_needed():
    a, b, other = (Path(name) for name in ("/s/one/checkpoints/x.zip", "/s/two/c/x.zip", "y.zip"))
    assert distinct([a, other]) == ["x", "y"]
    assert distinct([a, b]) == ["one x", "two x"]
    assert distinct([a, a]) == ["one x (1)", "one x (2)"]


def test_random_keys_alone_are_evaluated_too_and_compared_with_nobody(capsys):
    assert main(SMALL) == 0
    shown = capsys.readouterr().out
    assert "random keys" in shown and "has more" not in shown and "bold" not in shown


def test_a_name_is_shown_in_full_and_milestones_only_where_there_are_some(capsys):
    long = made_up("a_session_with_a_long_name ppo_1000000_steps", 1)
    show([long, made_up("b", 2)], Console(width=80))
    shown = capsys.readouterr().out
    assert "…" not in shown and "no milestone" not in shown
    show([made_up("none", 0)], Console(width=80))
    shown = capsys.readouterr().out
    assert "no milestone was reached" in shown and "after steps" not in shown


def test_a_plot_is_drawn_for_one_player_many_milestones_or_none(tmp_path):
    many = {f"milestone_{number}": number for number in range(1, 30)}
    crowd = Evaluation("crowd", tuple(Episode(1.0, 10, many) for _ in range(3)))
    for number, each in enumerate(([crowd], [made_up("none", 0)], [made_up("one", 1, of=1)])):
        plot(each, tmp_path / f"{number}.png")
        assert cv2.imread(str(tmp_path / f"{number}.png")).std() > 5


def test_each_name_in_the_plot_has_the_colour_of_its_player(monkeypatch, tmp_path):
    drawn = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, path, dpi: drawn.append(figure))
    plot([made_up(name, 1) for name in ("_old", "new", "new")], tmp_path / "plot.png")
    (legend,) = drawn[0].legends
    assert [text.get_text() for text in legend.get_texts()] == ["_old", "new", "new"]
    colours = [to_hex(handle.get_color()[0]) for handle in legend.legend_handles]
    assert colours == [to_hex(colour) for colour in ("C0", "C1", "C2")]


@pytest.mark.parametrize("name", ["a$^$", "$_{b", "caf\udce9", "\x1b[31m"])
def test_a_plot_is_drawn_whatever_characters_are_in_names(tmp_path, name):
    plot([made_up(name, 1), made_up("other", 0)], tmp_path / "plot.png")
    assert cv2.imread(str(tmp_path / "plot.png")).std() > 5


def test_what_is_printed_of_a_name_cannot_steer_a_terminal(capsys, monkeypatch):
    monkeypatch.setattr(contest_splits, "_episodes", lambda played: iter([({}, 4)]))
    named = Evaluation("x\x1b[31m", (Episode(1.0, 10, {"starter": 5}, True),), False, "y\x1b[32m")
    console = Console(width=80, highlight=False)
    for evaluations in ([named], [named, named]):
        show(evaluations, console)
        console.print(disturbance_table(evaluations))
        console.print(splits_table(evaluations))
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert r"x\x1b[31m: 100%" in shown and r"reward of: y\x1b[32m" in shown


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["none.zip"], "none.zip"),
        (["--rom", "none.gba"], "no ROM at none.gba"),
        (["--reward", "nonsense"], "no reward preset 'nonsense'"),
    ],
)
def test_what_cannot_be_used_is_an_error_in_one_line(flags, message, capsys):
    assert main(flags) == 1
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


def test_flags_that_do_not_go_together_are_answered(capsys):
    for flags, message in ((["--against", "a.zip"], "give both"), (["--episodes", "0"], "is 0")):
        with pytest.raises(SystemExit):
            main(flags)
        assert message in capsys.readouterr().err


def test_all_disturbances_are_measured_one_after_the_other(capsys):
    main(["jade", "--disturb", "all", "--episodes", "1", "--n-envs", "1", "--episode-length", "30"])
    printed = capsys.readouterr().out
    for name in ("undisturbed", "repeat=.25", "black", "starter=3", "girl"):
        assert name in printed


@pytest.mark.parametrize("more", [{"random": True}, {"against": "last"}])
def test_all_disturbances_are_for_one_checkpoint(more):
    with pytest.raises(ValueError, match="one checkpoint"):
        EvaluateConfig(checkpoint="jade", disturb=("all",), **more)


def test_patience_ends_episodes_in_which_nothing_is_paid_any_more(capsys):
    few = ["--episodes", "2", "--n-envs", "2", "--n-workers", "1", "--episode-length", "200"]
    assert main([*few, "--patience", "10", "--json"]) == 0
    (player,) = json.loads(capsys.readouterr().out)["players"]
    assert all(episode["steps"] < 100 for episode in player["episodes"])


def test_an_evaluation_that_is_piped_says_how_far_it_is(monkeypatch, capsys):
    monkeypatch.setattr("baselines.commands.play.evaluation_report.LINE_SECONDS", 0.0)
    with shown_progress("agent", 2) as tell:
        tell(0, 6_400)  # games that began together end together: steps say that it works
    assert capsys.readouterr().err == "agent: 0 of 2 episodes have ended, 6,400 steps\n"


def test_a_core_that_is_not_there_is_refused_before_a_worker_starts(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # which has no translation
    assert main([*SMALL, "--core", "translated"]) == 1
    said = capsys.readouterr().err
    assert said.startswith('error: core "translated" needs ') and said.count("\n") == 1
