"""Scoring recorded episodes again under other presets, without a game."""

import json
from dataclasses import replace

import numpy as np
import pytest

from baselines.commands.check.audit import main as audit_command
from baselines.commands.play.rescore import main
from baselines.games.game import make_env
from baselines.runs.session_folder import Session
from baselines.settings.game_config import GameConfig
from emerald_env.recordings.recording import Recording, RecordingError
from experiments import plot_runs, trainer_battles
from experiments.breakout import plot_breakout
from rewards import Events, Preset, load_preset, own_preset, preset_names
from rewards.audit import audit
from rewards.audit.jade_walks import recorded_walk
from rewards.audit.new_game import NEW_GAME, STARTER
from rewards.rescore import score

STEPS = 300


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    """A session with two recorded episodes of random keys, one of them twice."""
    session = Session.create(tmp_path_factory.mktemp("sessions"), "jade")
    session.config.write_text("{}")
    session.recordings.mkdir(exist_ok=True)
    env = make_env(GameConfig(episode_length=STEPS, reward="exploration"), record="every")
    dice = np.random.default_rng(1)
    for number in range(2):
        env.reset(seed=number)
        for _ in range(STEPS):
            _, _, _, _, info = env.step(dice.integers(15))
        path = session.recordings / f"steps_{number}_game_00.recording"
        path.write_bytes(info["recording"].file)
    env.close()
    (session.recordings / "best.recording").write_bytes(path.read_bytes())
    return session


@pytest.fixture(scope="module")
def guided():
    """An episode of world 7 on the story's way, which the guide shows, and what it was paid."""
    config = GameConfig(world="7", episode_length=STEPS, guide=True, observation="state")
    env, dice, over = make_env(config, record="every"), np.random.default_rng(0), False
    seen, _ = env.reset(seed=0)
    while not over:
        seen, _, ended, truncated, info = env.step(dice.choice(np.flatnonzero(seen["guide"])))
        over = ended or truncated
    env.close()
    return Recording.from_bytes(info["recording"].file), info["episode_terms"]


def recordings(session):
    return {path.name: Recording.load(path) for path in sorted(session.recordings.iterdir())}


def test_the_preset_that_was_played_for_pays_again_what_it_paid(session):
    for name, recording in recordings(session).items():
        (episode,) = score(
            [(name, recording.states())], Preset.from_dict(recording.reward)
        ).episodes
        assert episode.total == pytest.approx(recording.total, abs=1e-6)
        assert episode.total > 0 and episode.steps == STEPS


def test_an_episode_on_the_way_of_another_world_pays_again_what_it_paid(guided):
    recording, paid = guided
    (episode,) = score(
        [("world 7", recording.states())], Preset.from_dict(recording.reward)
    ).episodes
    assert episode.terms == pytest.approx(paid) and paid["way"] > 0
    assert episode.total == pytest.approx(recording.total, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "world"),
    [
        ("Jade, world 7", "7:small"),
        ("Jade, world 0:demanding", None),  # its maps are those of Jade as it comes
        ("Jade, world x", None),
        ("Jade", None),
        ("Pokémon Emerald (US)", None),
    ],
)
def test_the_states_of_a_recording_name_its_game_and_a_world_with_maps_of_its_own(
    guided, name, world
):
    recording = replace(guided[0], game={**guided[0].game, "name": name})
    states = [state for state in recording.states() if state is not None]
    assert {(state.game, state.world) for state in states} == {("JADE", world)}


@pytest.mark.parametrize("preset", preset_names())
def test_a_score_is_what_the_game_would_have_paid(session, preset):
    for path in sorted(session.recordings.iterdir()):
        states = Recording.load(path).states()
        (episode,) = score([(path.name, states)], load_preset(preset)).episodes
        played = audit(recorded_walk(path), load_preset(preset), rounds=1)
        assert episode.total == pytest.approx(played.total)
        assert episode.terms == pytest.approx(played.terms)


def healthier(before, after):
    """Reads only what recordings keep."""
    return sum(pokemon.hp for pokemon in after.party) * (after.party != before.party)


@pytest.mark.parametrize(
    ("reads", "lacks"),
    [
        (lambda state: state.battle_outcome, "battle_outcome of a state"),
        (lambda state: state.coins, "coins of a state"),
        (lambda state: state.is_trainer_battle, "battle_type of a state"),
        (lambda state: state.party[0].status, "status of a Pok"),
    ],
)
def test_a_reward_that_reads_what_recordings_do_not_keep_is_refused(reads, lacks):
    states = [replace(NEW_GAME, party=(STARTER,), money=money) for money in (1, 2)]
    with pytest.raises(ValueError, match=f"recordings do not keep {lacks}"):
        score([("episode", states)], own_preset(lambda before, after: float(reads(after))))


def test_a_term_that_needs_what_recordings_do_not_keep_is_refused():
    class Coins(Events):
        needs = ("coins",)
        keys = 9

        def happened(self, before, after):
            return range(after.coins)

        def holds(self, state):
            return ()

    states = [replace(NEW_GAME, money=money) for money in (1, 2)]
    with pytest.raises(ValueError, match="recordings do not keep coins of a state"):
        score([("episode", states)], own_preset(Coins))


def test_parties_that_recordings_cannot_tell_apart_are_equal_when_rescored():
    weak, other = replace(STARTER, hp=3), replace(STARTER, hp=3, friendship=9)
    states = [replace(NEW_GAME, party=(one,)) for one in (STARTER, weak, other)]
    (episode,) = score([("episode", states)], own_preset(healthier)).episodes
    assert episode.total == 3, "once: no recording tells how friendly somebody is"


def test_the_command_names_the_field_that_recordings_do_not_keep(session, tmp_path, capsys):
    mine = tmp_path / "mine.py"
    mine.write_text("def won(before, after):\n    return float(after.battle_outcome == 1)\n")
    assert main([str(session.folder), "--reward", f"{mine}:won"]) == 2
    error = capsys.readouterr().err
    assert "the reward mine.py:won raised TrackError: recordings do not keep battle_out" in error
    assert "(line 2 of mine.py)" in error and "Traceback" not in error


def test_a_track_takes_little_room(session):
    for recording in recordings(session).values():
        assert 0 < len(recording.track) < 60 * STEPS
        assert len(recording.to_bytes()) < 60_000


def test_an_older_recording_is_refused_with_what_it_lacks(session):
    (recording, *_) = recordings(session).values()
    with pytest.raises(RecordingError, match="an older version.s, has none"):
        list(type(recording)(**{**vars(recording), "track": b""}).states())
    with pytest.raises(RecordingError, match="its states.json cannot be used: .* fewer than 301"):
        list(type(recording)(**{**vars(recording), "track": b"[3]"}).states())


def test_the_command_compares_presets_over_each_episode_once(session, capsys):
    assert main([str(session.folder), "--reward", "default", "original_2023"]) == 0
    page = capsys.readouterr().out
    assert "mean of 2 episodes" in page and "default" in page and "original_2023" in page
    assert "LittlerootTown" in page or "House" in page


def test_the_command_prints_names_of_ones_own_as_they_are(session, tmp_path, capsys):
    mine = tmp_path / "mine.py"
    mine.write_text("def mine(before, after):\n    return {'[/max]': 1.0}\n")
    assert main([str(session.folder), "--reward", f"{mine}:mine"]) == 0
    assert capsys.readouterr().out.count("[/max]") == 2


def test_the_command_prints_json_and_takes_weights(session, capsys):
    folder = str(session.recordings)
    flags = ["--reward", "exploration", "--reward-weights", "map=0", "tile=2", "--json"]
    assert main([folder, *flags]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["preset"] == "exploration" and len(found["episodes"]) == 2
    assert found["terms"]["map"] == 0 and found["terms"]["tile"] > 0
    assert sum(found["terms"].values()) == pytest.approx(found["mean"])


def test_episodes_of_several_sessions_all_count_though_their_files_have_the_same_names(
    session, tmp_path, capsys
):
    folders = [tmp_path / name for name in ("one", "two")]
    for folder, number in zip(folders, range(2), strict=True):
        folder.mkdir()
        source = session.recordings / f"steps_{number}_game_00.recording"
        (folder / "best.recording").write_bytes(source.read_bytes())
    assert main([*map(str, folders), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    names = [str(folder / "best.recording") for folder in folders]
    assert [episode["name"] for episode in found["episodes"]] == names
    assert main([*map(str, folders)]) == 0
    assert "mean of 2 episodes" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "no recordings at 'nowhere'"),
        (["nowhere.recording"], "no recording at nowhere.recording"),
        (["{}", "--reward-weights", "bagde=2"], "unknown term 'bagde'; did you mean badge"),
        (["{}", "--reward", "none"], "no reward preset 'none'"),
    ],
)
def test_the_command_says_what_it_cannot_use(session, arguments, message, capsys):
    assert main([part.format(session.folder) for part in arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "arguments", "message"),
    [
        (main, [], "name a session"),
        (main, ["last", "--reward"], "--reward names no preset"),
        (audit_command, ["--reward"], "--reward names no preset"),
        (plot_runs.main, [], "name the folder of a session"),
        (trainer_battles.main, [], "name a recording, or a folder of them"),
        (plot_breakout.main, [], "name the folder of a session"),
    ],
)
def test_a_list_without_anything_in_it_is_refused(command, arguments, message, capsys):
    with pytest.raises(SystemExit) as end:
        command(arguments)
    assert end.value.code == 2 and message in capsys.readouterr().err
