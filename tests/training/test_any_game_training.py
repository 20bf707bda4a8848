"""`emerald train --data`: PPO on a game that nobody can read here; Jade, as if it were unknown."""

import json
from pathlib import Path

import pytest

from baselines.checkpoints.manifest import read_manifest
from baselines.commands.play.evaluate import main as evaluate
from baselines.commands.play.play_game import main as play
from baselines.runs.session_folder import Session
from baselines.settings.game_config import PAYS_NOTHING, GameConfig
from baselines.settings.train_config import TrainConfig
from baselines.training.command_line import parse, train_from_flags
from emerald_env.env.env import EmeraldEnv
from emerald_env.files.data import JsonLines
from emerald_env.jade.cartridge import JADE_ROM

X = 0x02037360  # where Jade has the player's position
WATCHED = {"x": {"address": X, "type": "<i2"}, "frames": {"address": 0x03002364, "type": "<u4"}}
REWARD = """
def told(before, after):
    assert set(before) == set(after) == {"x", "frames"}
    return {"told": 1.0, "walked": float(abs(after["x"] - before["x"]))}
"""
SMALL = "--n-envs 2 --n-workers 1 --n-steps 32 --episode-length 24 --network small --n-epochs 1"


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A ROM, a data.json and a reward, in the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.gba").write_bytes(JADE_ROM.read_bytes())
    (tmp_path / "data.json").write_text(json.dumps({"info": WATCHED}))
    (tmp_path / "my.py").write_text(REWARD)
    return "--rom other.gba --data data.json"


def test_a_game_is_trained_resumed_and_evaluated_by_its_screen_and_named_values(files, capsys):
    train = f"{files} --reward my.py:told {SMALL} --total-timesteps"
    assert train_from_flags(f"{train} 64".split()) == 0
    session = Session.find(TrainConfig.sessions, "last")
    config = TrainConfig.load(session.config)
    assert config.env.observation == "screen" and config.novelty_coef > 0
    resumed = f"{files} --reward my.py:told --resume last --total-timesteps 128"
    assert train_from_flags(resumed.split()) == 0
    checkpoint = session.latest_checkpoint()
    manifest = read_manifest(checkpoint)
    assert manifest.game["name"] == "other" and "data" not in json.dumps(manifest.env)
    episodes = list(JsonLines(session.episodes))
    # each step pays 1 beside what is walked; the bonus for pictures is for learning alone
    assert len(episodes) >= 4 and all(one["terms"]["told"] == one["length"] for one in episodes)
    capsys.readouterr()
    played = f"{checkpoint} {files} --episodes 2 --n-envs 2 --n-workers 1 --episode-length 24"
    assert evaluate([*played.split(), "--reward", "my.py:told", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("reward", ["", "--reward my.py:told"])
def test_who_plays_a_trained_game_is_paid_nothing_without_the_rewards_code(files, reward, capsys):
    assert train_from_flags(f"{files} {reward} {SMALL} --total-timesteps 64".split()) == 0
    capsys.readouterr()
    episode = f"last {files} --episodes 1 --episode-length 20"
    assert play([*episode.split(), "--video", "game.mp4"]) == 0
    seen = capsys.readouterr()
    assert "20 steps, reward 0.00" in seen.out
    assert ("the reward shown is nothing" in seen.err) == bool(reward)
    assert evaluate(episode.split()) == 0
    assert "reward of: nothing" in capsys.readouterr().out


def test_a_function_of_ones_own_may_have_a_weight_beside_data(files):
    flags = f"{files} --reward my.py:told --reward-weights my.py:told=3"
    assert parse(flags.split()).env.preset().weights == {"my.py:told": 3}


@pytest.mark.parametrize("absolute", [False, True])
def test_it_may_have_one_in_another_folder_too(files, absolute, tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "my.py").write_text(REWARD)
    reward = f"{tmp_path}/own/my.py:told" if absolute else "own/my.py:told"
    flags = f"{files} --reward {reward} --reward-weights my.py:told=2"
    assert parse(flags.split()).env.preset().weights == {"my.py:told": 2}
    with pytest.raises(ValueError, match="reward_weights other.py:told=2 is for a preset"):
        parse([*flags.split(), "other.py:told=2"]).env.preset()


@pytest.mark.parametrize(
    "unpaid", [{"reward_weights": ("badge=2.0",)}, {"reward_code": ("terms.py",)}]
)
def test_a_session_with_weights_that_paid_nothing_resumes_without_them(files, unpaid, capsys):
    session = Session.create(TrainConfig.sessions, "other")
    game = GameConfig(rom=Path("other.gba"), data=Path("data.json"), **unpaid)
    TrainConfig(env=game).save(session.config)
    resumed = parse(["--resume", str(session.folder)])
    assert resumed.env.reward_weights == resumed.env.reward_code == ()
    assert resumed.env.preset().name == PAYS_NOTHING
    (note,) = capsys.readouterr().err.splitlines()
    assert note.startswith("note: ") and next(iter(unpaid.values()))[0] in note
    with pytest.raises(ValueError, match="reward_weights badge=1 is for a preset"):
        parse(["--resume", str(session.folder), "--reward-weights", "badge=1"]).env.preset()


def test_without_a_reward_pictures_alone_lead_on(files):
    config = parse([*files.split()])
    assert config.env.preset().weights and not config.own_code
    env = EmeraldEnv(config.env)
    env.reset(seed=0)
    assert env.step(1)[1] == 0 and env.state is None
    env.close()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("--reward exploration", "give a function of your own"),
        ("--reward exploration --reward-code my.py", "give a function of your own"),
        ("--reward-code my.py", "reward_code my.py is for a preset"),
        ("--reward my.py:told --reward-code my.py", "reward_code my.py is for a preset"),
        ("--reward-weights badge=5 search=0", "reward_weights badge=5 search=0 is for a preset"),
        ("--reward my.py:told --reward-weights badge=5", "reward_weights badge=5 is for a preset"),
        ("--observation dict", "give --observation screen"),
        ("--shrink 8", "shrink must be one of"),
        ("--data missing.json", "missing.json"),
    ],
)
def test_what_a_game_without_a_reader_cannot_have_is_one_line(files, flags, said, capsys):
    try:
        status = train_from_flags(f"{files} {SMALL} --total-timesteps 64 {flags}".split())
    except SystemExit as end:
        status = end.code
    (line,) = capsys.readouterr().err.splitlines()
    assert status in (1, 2) and line.startswith("error: ") and said in line
