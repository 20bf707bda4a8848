"""Recordings as Minari data sets: Minari reads what was played, and gives the recordings back."""

import json
from dataclasses import replace
from unittest.mock import Mock

import numpy as np
import pytest
from helpers.person_like import person_like

from baselines.commands.play.recording_sets import main
from baselines.games import minari_set
from baselines.games.recorded_play import record_play
from baselines.settings.game_config import GameConfig
from emerald_env.recordings.recording import Recording
from emerald_env.recordings.replaying import open_recorded, replay

minari = pytest.importorskip("minari")
MinariStorage = pytest.importorskip("minari.dataset.minari_storage").MinariStorage
STEPS = 40


@pytest.fixture
def sets(tmp_path, monkeypatch):
    """The folder of Minari's data sets."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "sets"))
    return tmp_path / "sets"


@pytest.fixture
def agents(tmp_path):
    """Two recorded episodes of random keys, and what was observed in them."""
    seen, dice = [], np.random.default_rng(0)

    def player(observation):
        if not seen or len(seen[-1]) == STEPS + 1:
            seen.append([])
        seen[-1].append({part: values.copy() for part, values in observation.items()})
        return int(dice.integers(15)) if len(seen[-1]) <= STEPS else None

    config = GameConfig(observation="full", start_wait=5)
    return record_play(player, tmp_path / "played", config, episodes=2), seen


def test_minari_reads_what_an_agent_saw_did_and_was_paid(sets, agents, capsys):
    paths, seen = agents
    assert main(["export", str(paths[0].parent), "--minari", "emerald/played-v0"]) == 0
    assert "2 episodes, 80 steps" in capsys.readouterr().out
    dataset = minari.load_dataset("emerald/played-v0")
    assert dataset.total_episodes == 2 and dataset.total_steps == 80
    for path, observed, episode in zip(paths, seen, dataset.iterate_episodes(), strict=True):
        recording = Recording.load(path)
        assert episode.actions.tolist() == list(recording.pressed)
        assert episode.rewards.sum() == pytest.approx(recording.total)
        assert episode.truncations.tolist() == [False] * (STEPS - 1) + [True]
        for step in range(1, STEPS + 1):
            for part, values in observed[step].items():
                np.testing.assert_array_equal(episode.observations[part][step], values)
        np.testing.assert_array_equal(episode.observations["state"][0], observed[0]["state"])
    about = dataset.storage.metadata
    assert about["game"]["code"] == "JADE" and "libmgba" in about["software"]


def test_a_set_gives_back_recordings_that_replay_bit_for_bit(sets, agents, tmp_path):
    paths, _ = agents
    assert main(["export", str(paths[0].parent), "--minari", "emerald/played-v0"]) == 0
    assert main(["import", "emerald/played-v0", str(tmp_path / "back")]) == 0
    for path, back in zip(paths, sorted((tmp_path / "back").iterdir()), strict=True):
        assert back.read_bytes() == path.read_bytes()
    recording = Recording.load(back)
    with open_recorded(recording) as gba:
        assert all(step.same is not False for step in replay(recording, gba))


def test_a_recording_of_another_world_is_exported_without_naming_the_world(sets, tmp_path, capsys):
    keys, config = iter([1, 2, None]), GameConfig(observation="screen", world="7")
    (path,) = record_play(lambda seen: next(keys), tmp_path / "seven", config)
    given = ["export", str(path), "--minari", "emerald/seven-v0"]
    assert main([*given, "--world", "8"]) == 1
    assert "was recorded on Jade, world 7, another game: give its ROM" in capsys.readouterr().err
    assert main(given) == 0
    (episode,) = minari.load_dataset("emerald/seven-v0").iterate_episodes()
    assert episode.actions.tolist() == [1, 2]


def with_reward(path, name):
    recording = replace(Recording.load(path), reward={"name": name, "weights": {name: 1.0}})
    path.write_bytes(recording.to_bytes())


def test_a_reward_of_the_users_own_is_named_and_one_that_pays_nothing_is_told(sets, agents, capsys):
    given = ["export", str(agents[0][0]), "--minari", "emerald/own-v0"]
    with_reward(agents[0][0], "rw.py:pay")
    assert main(given) == 1
    said = capsys.readouterr().err
    assert f"{agents[0][0]}: its reward has Python code, rw.py:pay, which no" in said
    assert "--reward" not in said and not (sets / "emerald" / "own-v0").exists()
    with_reward(agents[0][0], "value_reward.py:nothing")  # what --data records without a reward
    assert main(given) == 0
    assert "wrote 1 episode, 40 steps: " in capsys.readouterr().out
    (episode,) = minari.load_dataset("emerald/own-v0").iterate_episodes()
    assert episode.rewards.tolist() == [0.0] * STEPS


def test_a_recording_without_steps_is_named_and_leaves_no_set(sets, agents, capsys):
    folder = agents[0][0].parent
    config = GameConfig(observation="full", start_wait=5)
    (empty,) = record_play(lambda seen: None, folder, config, seed=7)
    assert Recording.load(empty).n_steps == 0
    given = ["export", str(folder), "--minari", "emerald/played-v0"]
    assert main(given) == 1
    assert f"{empty} has no steps" in capsys.readouterr().err
    empty.unlink()
    assert main(given) == 0


def test_a_set_that_no_import_reads_is_not_written(sets, agents, tmp_path, monkeypatch, capsys):
    given = ["export", str(agents[0][0].parent), "--minari", "emerald/played-v0"]
    assert main(given) == 0
    capsys.readouterr()
    monkeypatch.setattr(minari_set, "MAX_METADATA_BYTES", 4096)
    assert main(["import", "emerald/played-v0", str(tmp_path / "back")]) == 1
    said = capsys.readouterr().err
    assert "metadata.json has over 4,096 bytes" in said and "not written by" not in said
    monkeypatch.setattr(minari_set, "MAX_METADATA_BYTES", 1 << 20)
    assert main([*given[:-1], "emerald/large-v0"]) == 1
    said = capsys.readouterr().err
    assert "2 recordings take 1." in said and "may have 1 MiB: export fewer at a time" in said
    assert not (sets / "emerald" / "large-v0").exists()


def test_nothing_stays_of_a_set_that_cannot_be_written(sets, agents, monkeypatch, capsys):
    given = ["export", str(agents[0][0]), "--minari", "emerald/played-v0"]
    with monkeypatch.context() as full:
        full.setattr(MinariStorage, "update_metadata", Mock(side_effect=OSError(28, "full")))
        assert main(given) == 1
    assert not (sets / "emerald" / "played-v0").exists()
    assert main(given) == 0
    assert main(given) == 1 and "already exists" in capsys.readouterr().err
    assert minari.load_dataset("emerald/played-v0").total_episodes == 1


def test_no_recording_is_written_over(sets, agents, tmp_path, capsys):
    assert main(["export", str(agents[0][0].parent), "--minari", "emerald/played-v0"]) == 0
    back = tmp_path / "back"
    back.mkdir()
    (back / "episode_0001.recording").write_bytes(b"another")
    assert main(["import", "emerald/played-v0", str(back)]) == 1
    assert "episode_0001.recording already exists: give a new folder" in capsys.readouterr().err
    assert [path.read_bytes() for path in back.iterdir()] == [b"another"]


def test_a_persons_keys_become_an_agents_steps(sets, tmp_path):
    recording, _ = person_like("entered_home")
    way = tmp_path / "way.recording"
    way.write_bytes(recording.to_bytes())
    assert main(["export", str(way), "--minari", "emerald/way-v0"]) == 0
    (episode,) = minari.load_dataset("emerald/way-v0").iterate_episodes()
    milestones = episode.infos["milestones"]
    assert milestones[0] == 0 and milestones[-1] == 2 and episode.rewards.sum() > 2
    assert main(["import", "emerald/way-v0", str(tmp_path / "back")]) == 0
    assert (tmp_path / "back" / "episode_0000.recording").read_bytes() == way.read_bytes()


def test_minaris_own_checks_of_a_data_set_pass(sets, agents):
    paths, _ = agents
    assert main(["export", str(paths[0]), "--minari", "emerald/one-v0"]) == 0
    dataset = minari.load_dataset("emerald/one-v0")
    (episode,) = dataset.iterate_episodes()
    for part, values in episode.observations.items():
        space = dataset.observation_space[part]
        assert all(space.contains(one) for one in values)
    assert all(dataset.action_space.contains(action) for action in episode.actions)
    assert len(episode.rewards) == len(episode.actions) == len(episode.observations["state"]) - 1
    assert dataset.filter_episodes(lambda one: len(one) == STEPS).total_episodes == 1
    assert dataset.sample_episodes(1)[0].id == episode.id


@pytest.mark.parametrize(
    ("recordings", "message"),
    [(None, "was not written by"), (5, "was not written by"), (["!"], "was not written by")],
)
def test_a_set_without_usable_recordings_is_refused_in_a_line(
    sets, agents, tmp_path, capsys, recordings, message
):
    assert main(["export", str(agents[0][0]), "--minari", "emerald/odd-v0"]) == 0
    path = sets / "emerald" / "odd-v0" / "data" / "metadata.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"recordings": recordings}))
    capsys.readouterr()
    assert main(["import", "emerald/odd-v0", str(tmp_path / "back")]) == 1
    assert message in capsys.readouterr().err and not (tmp_path / "back").exists()


def test_unknown_sets_and_recordings_of_other_settings_are_named(sets, agents, tmp_path, capsys):
    assert main(["import", "emerald/none-v0", str(tmp_path / "back")]) == 1
    assert "no Minari data set emerald/none-v0" in capsys.readouterr().err
    other = GameConfig(observation="screen")
    keys = iter([1, None])
    record_play(lambda seen: next(keys), agents[0][0].parent, other, seed=7)
    assert main(["export", str(agents[0][0].parent), "--minari", "emerald/two-v0"]) == 1
    assert "other settings" in capsys.readouterr().err
