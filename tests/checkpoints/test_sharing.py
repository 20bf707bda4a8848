"""Looking into checkpoints, taking foreign weights over, and giving ours away."""

import hashlib
import json
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import stable_baselines3
import torch
from helpers.checkpoints import as_saved, describe, make_model, rewrite, same, tensors
from sb3_contrib import RecurrentPPO
from stable_baselines3.common.envs import FakeImageEnv

from baselines.checkpoints.checkpoint_file import (
    CheckpointError,
    load_policy,
    read_manifest,
    save_checkpoint,
)
from baselines.checkpoints.manifest import describe_env
from baselines.checkpoints.sharing.card import disturbances, model_card
from baselines.checkpoints.sharing.convert import convert, find_manifest
from baselines.checkpoints.sharing.export import export
from baselines.checkpoints.sharing.file_report import verdict
from baselines.checkpoints.sharing.inspection import inspect_file
from baselines.checkpoints.sharing.pack import model_of
from baselines.checkpoints.trained import TRAINED, find_checkpoint, lasting_name
from baselines.commands.play.checkpoint import main
from baselines.runs.session_folder import Session
from baselines.settings.game_config import GameConfig
from baselines.settings.policy_config import PolicyConfig
from baselines.settings.train_config import TrainConfig
from emerald_env.env.actions import action_set
from emerald_env.game.tables import milestones
from rewards import load_preset

COMMAND = [sys.executable, "-m", "baselines", "checkpoint"]
SLUGS = [milestone.slug for milestone in milestones()]

torch.set_num_threads(1)


@pytest.fixture(scope="module")
def model():
    return make_model().learn(32)


@pytest.fixture(scope="module")
def session(model, tmp_path_factory):
    """A session as a run leaves it, with one checkpoint."""
    session = Session.create(tmp_path_factory.mktemp("sessions"), "jade")
    env = GameConfig(start=str(session.folder / "me" / "a.state"))
    TrainConfig(env=env, sessions=session.folder.parent).save(session.config)
    manifest = describe(model, env=describe_env(env))
    save_checkpoint(model, session.checkpoint(16), manifest)
    session.append_episodes(
        {"num_timesteps": 4 * n, "reward": float(n), "milestones": SLUGS[: n // 2]}
        for n in range(1, 9)
    )
    return session


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """A zip as the 2023 project's training wrote it: its network, schedules that are functions."""
    torch.manual_seed(0)
    env = FakeImageEnv(
        action_dim=15, screen_height=80, screen_width=120, n_channels=1, channel_first=False
    )
    model = RecurrentPPO(
        "CnnLstmPolicy",
        env,
        n_steps=2,
        batch_size=2,
        n_epochs=1,
        device="cpu",
        learning_rate=lambda left: 1e-4 * min(1.0, (1 - left) / 0.2),
        policy_kwargs={
            "activation_fn": torch.nn.ReLU,
            "lstm_hidden_size": 512,
            "share_features_extractor": True,
            "optimizer_class": torch.optim.Adam,
            "optimizer_kwargs": {"weight_decay": 0.0, "eps": 1e-12},
        },
    )
    model.num_timesteps = 8_847_360
    path = tmp_path_factory.mktemp("original") / "poke_8847360_steps.zip"
    model.save(path)
    return model, path


def test_inspecting_ours_tells_manifest_and_tensors_and_finds_no_pickle(model, session, capsys):
    path = session.checkpoint(16)
    found = inspect_file(path)
    assert found.usable is None and found.flaws == [] and found.pickles == []
    assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert found.manifest["game"]["name"] == "Jade"
    own = {name: tuple(t.shape) for name, t in model.policy.named_parameters()}
    assert {t.name: t.shape for t in found.tensors} == own
    assert found.parameters == sum(p.numel() for p in model.policy.parameters())
    assert main(["inspect", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "usable     yes" in printed and found.sha256 in printed
    assert "cannot run anything" in printed


def test_inspecting_the_originals_finds_the_code_that_its_schedules_are(original):
    found = inspect_file(original[1])
    assert found.worst == "dangerous"
    bring = {report.where for report in found.pickles if report.worst == "dangerous"}
    assert bring >= {"data/learning_rate", "data/lr_schedule"}
    assert "no manifest.json" in found.usable
    assert "never open it with PPO.load" in verdict(found)


def test_an_exported_file_is_found_whatever_its_name_ends_in(
    session, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    for name in ("mine.zip", "mine", "jade.v2"):
        assert main(["export", str(session.checkpoint(16)), name]) == 0
        assert find_checkpoint(name) == Path(name)
        assert load_policy(find_checkpoint(name))[1] == read_manifest(session.checkpoint(16))
    (tmp_path / "jade").write_bytes(b"no agent")
    assert find_checkpoint("jade") == TRAINED / "jade.zip"
    with pytest.raises(FileNotFoundError, match="no session 'nothere'"):
        find_checkpoint("nothere")


def test_no_path_is_an_agent_that_comes_with_the_repository(session):
    folder, latest = session.folder, session.latest_checkpoint()
    folder.with_name(f"{folder.name}.zip").write_bytes(b"another file")
    assert find_checkpoint(str(folder)) == latest
    assert lasting_name(str(folder)) == str(latest.resolve())
    with pytest.raises(FileNotFoundError, match="no session"):
        find_checkpoint("../trained/jade")


def test_a_session_is_looked_for_where_the_runs_are_and_then_where_they_usually_are(
    session, tmp_path, monkeypatch
):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    usual = Session.create(Path("sessions"), "usual")
    shutil.copy(session.latest_checkpoint(), usual.checkpoint(16))
    usual.config.write_text("{}")
    runs = session.folder.parent
    latest = session.latest_checkpoint()
    assert find_checkpoint("last", runs) == find_checkpoint(session.folder.name, runs) == latest
    for name in ("last", usual.folder.name):
        assert find_checkpoint(name, tmp_path / "empty").parent.parent.name == usual.folder.name
    with pytest.raises(FileNotFoundError, match="nor in empty"):
        find_checkpoint("nothere", Path("empty"))


def test_on_a_terminal_inspecting_says_that_it_works(session, monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    path = session.checkpoint(16)
    assert main(["inspect", str(path), "--json"]) == 0
    said = capsys.readouterr()
    assert f"inspecting {path.name}" in said.err and json.loads(said.out)


def test_inspecting_prints_json_that_says_the_same(session, capsys):
    assert main(["inspect", str(session.checkpoint(16)), "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert values["worst"] == "innocuous" and values["usable"] is None
    assert {member["name"] for member in values["members"]} >= {"policy.safetensors"}


def test_what_a_stranger_wrote_cannot_steer_the_terminal(session, tmp_path, capsys):
    name = "evil\x1b[2J"
    member = json.dumps({"schema_version": 1, "game": {"name": name}, name: "\x1b]0;x\x07"})
    changes = {"manifest.json": member.encode(), name: b"x"}
    path = rewrite(session.checkpoint(16), tmp_path / "a.zip", **changes)
    assert main(["inspect", str(path)]) == 1
    assert "\x1b[2J" not in (printed := capsys.readouterr().out) and "\x07" not in printed


@pytest.mark.parametrize(
    ("name", "shown"),
    [("Ja\x9b31m\u202ede", r"Ja\u009b31m\u202ede"), ("Ja\ud800de", r"Ja\ud800de")],
)
def test_json_of_a_strangers_file_is_ascii(session, tmp_path, capsys, name, shown):
    member = json.dumps({"schema_version": 1, "game": {"name": name}}).encode()
    path = rewrite(session.checkpoint(16), tmp_path / "a.zip", **{"manifest.json": member})
    assert main(["inspect", str(path), "--json"]) == 0
    assert (printed := capsys.readouterr().out).isascii() and f'"name": "{shown}"' in printed


def test_a_file_that_is_not_a_zip_is_inspected_too(tmp_path, capsys):
    path = tmp_path / "model.pt"
    path.write_bytes(tensors({"a": torch.zeros(3)}, _use_new_zipfile_serialization=False))
    found = inspect_file(path)
    assert found.kind == "no zip" and "does not begin as a zip" in found.usable
    path.write_bytes(b"cos\nsystem\n(S'echo it ran'\ntR.")
    found = inspect_file(path)
    assert found.worst == "dangerous" and found.pickles[0].uses[0].name == "os.system"
    assert main(["inspect", str(tmp_path / "nothing.zip")]) == 1
    assert capsys.readouterr().err.startswith("error: no checkpoint at")


def test_the_originals_weights_act_here_as_they_did_there(original, tmp_path):
    model, path = original
    out = tmp_path / "mine.zip"
    convert(path, "original_2023", out)
    policy, manifest = load_policy(out)
    assert manifest.num_timesteps == 8_847_360
    assert same(policy.state_dict(), model.policy.state_dict())
    pictures = np.random.default_rng(0).integers(0, 256, (4, 80, 120, 1), np.uint8)
    ours = theirs = None
    for _ in range(3):
        wanted, theirs = model.predict(pictures, theirs, deterministic=True)
        found, ours = policy.predict(pictures, ours, deterministic=True)
        assert (found == wanted).all()
        assert all(np.allclose(a, b, atol=1e-6) for a, b in zip(ours, theirs, strict=True))


def test_the_originals_manifest_says_what_its_program_did():
    manifest = find_manifest("original_2023")
    assert manifest.actions == [action.name for action in action_set("original")]
    assert manifest.reward == load_preset("original_2023").as_dict()
    assert manifest.game["code"] == "BPEE"
    policy = model_of(manifest).policy
    assert policy.lstm_actor.hidden_size == 512
    assert manifest.env["frame_skip"] == 25


def foreign(tmp_path, **kwargs):
    """Returns a zip that plain SB3 wrote."""
    env = FakeImageEnv(
        action_dim=15, screen_height=80, screen_width=120, n_channels=3, channel_first=False
    )
    model = stable_baselines3.PPO("CnnPolicy", env, n_steps=2, batch_size=2, device="cpu", **kwargs)
    path = tmp_path / "foreign.zip"
    model.save(path)
    return model, path


def manifest_file(tmp_path, manifest):
    path = tmp_path / "manifest.json"
    path.write_bytes(manifest.to_json())
    return str(path)


def test_weights_of_sb3_are_taken_over_with_a_manifest_of_ones_own(tmp_path):
    theirs, path = foreign(tmp_path)
    ours = make_model(network="nature")
    source = manifest_file(tmp_path, describe(ours, network="nature", num_timesteps=7))
    assert main(["convert", str(path), str(tmp_path / "o.zip"), "--manifest", source]) == 0
    policy, manifest = load_policy(tmp_path / "o.zip")
    assert same(policy.state_dict(), theirs.policy.state_dict())
    assert manifest.num_timesteps == 7


def test_names_from_before_sb3_1_7_are_understood(tmp_path):
    theirs, path = foreign(tmp_path)
    with zipfile.ZipFile(path) as archive:
        weights = torch.load(archive.open("policy.pth"), weights_only=True)
    old = {n: t for n, t in weights.items() if not n.startswith(("pi_features", "vf_features"))}
    path = rewrite(path, tmp_path / "old.zip", **{"policy.pth": tensors(old)})
    source = manifest_file(tmp_path, describe(make_model(network="nature"), network="nature"))
    convert(path, source, tmp_path / "o.zip")
    policy, _ = load_policy(tmp_path / "o.zip")
    assert same(policy.state_dict(), theirs.policy.state_dict())


def test_what_does_not_fit_is_listed_with_what_to_write_instead(original, tmp_path):
    ours = describe(make_model(network="nature", n_stack=1), network="nature", n_stack=1)
    source = manifest_file(tmp_path, ours)
    with pytest.raises(CheckpointError) as error:
        convert(original[1], source, tmp_path / "o.zip")
    assert "lstm_actor.weight_ih_l0' is unknown" in str(error.value)
    assert "policy.recurrent must be true, policy.lstm_size 512" in str(error.value)
    wide = replace(ours, policy=PolicyConfig(recurrent=True, lstm_size=512, features_dim=64))
    with pytest.raises(CheckpointError, match="policy.features_dim must be 512"):
        convert(original[1], manifest_file(tmp_path, wide), tmp_path / "o.zip")
    assert not (tmp_path / "o.zip").exists()


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"n_lstm_layers": 2}, "several layers; this program cannot build such a network"),
        ({"enable_critic_lstm": False}, "no LSTM of its own.*cannot build such a network"),
        ({"net_arch": [24, 8]}, r"\[24, 8\]: policy.hidden_layers must match"),
    ],
)
def test_a_network_that_no_manifest_describes_is_said_to_be_one(tmp_path, kwargs, message):
    env = FakeImageEnv(
        action_dim=15, screen_height=80, screen_width=120, n_channels=1, channel_first=False
    )
    kwargs = {"lstm_hidden_size": 8} | kwargs
    model = RecurrentPPO("CnnLstmPolicy", env, n_steps=2, device="cpu", policy_kwargs=kwargs)
    model.save(tmp_path / "a.zip")
    manifest = replace(
        find_manifest("original_2023"),
        policy=PolicyConfig(recurrent=True, lstm_size=8, features_dim=512, hidden_layers=()),
    )
    with pytest.raises(CheckpointError, match=message):
        convert(tmp_path / "a.zip", manifest_file(tmp_path, manifest), tmp_path / "o.zip")


def test_an_export_plays_alike_and_is_smaller_and_always_the_same(model, session, tmp_path):
    done = export(session.checkpoint(16), tmp_path / "a.zip")
    again = export(session.checkpoint(16), tmp_path / "b.zip")
    assert done.sha256 == hashlib.sha256(done.path.read_bytes()).hexdigest()
    assert done.size < session.checkpoint(16).stat().st_size / 2
    policy, manifest = load_policy(done.path)
    assert same(policy.state_dict(), as_saved(model).state_dict())
    assert manifest == read_manifest(session.checkpoint(16))
    with zipfile.ZipFile(done.path) as one, zipfile.ZipFile(again.path) as other:
        for name in set(one.namelist()) - {"README.md"}:  # the card names the file
            assert one.read(name) == other.read(name), name


def test_an_export_for_sb3_is_opened_by_stock_sb3_and_by_us(model, session, tmp_path):
    out = tmp_path / "sb3.zip"
    assert main(["export", str(session.folder), str(out), "--sb3"]) == 0
    loaded = stable_baselines3.PPO.load(out, device="cpu")
    assert same(loaded.policy.state_dict(), as_saved(model).state_dict())
    assert same(load_policy(out)[0].state_dict(), as_saved(model).state_dict())
    with zipfile.ZipFile(out) as archive:
        assert "Stable-Baselines3 can open the file" in archive.read("README.md").decode()


def test_an_export_has_a_card_with_steps_milestones_reward_and_how_to_play(session, tmp_path):
    done = export(session.checkpoint(16), tmp_path / "agent.zip")
    with zipfile.ZipFile(done.path) as archive:
        card = archive.read("README.md").decode()
        weights = hashlib.sha256(archive.read("policy.safetensors")).hexdigest()
    assert "# Jade after 16 steps" in card and weights in card
    assert "emerald play agent.zip" in card
    assert f"| {SLUGS[0]} | 8 | 75% |" in card, "of the 4 episodes until step 16, 3 reached it"
    assert SLUGS[2] not in card, "that came later"
    assert "| badge |" in card and "| learning_rate | 0.001 |" in card


@pytest.mark.parametrize(("folder", "notes"), [("agents", 0), ("checkpoints", 1)])
def test_another_program_s_settings_near_a_checkpoint_stop_no_export(
    session, tmp_path, capsys, folder, notes
):
    (tmp_path / "config.json").write_text('{"architectures": ["x"]}')
    (tmp_path / folder).mkdir()
    agent = tmp_path / folder / "a.zip"
    agent.write_bytes(session.checkpoint(16).read_bytes())
    done = export(agent, tmp_path / "b.zip")
    with zipfile.ZipFile(done.path) as archive:
        assert "Settings of the training" not in archive.read("README.md").decode()
    assert capsys.readouterr().err.count("the card is without the training's results") == notes


def test_a_card_shows_how_well_it_plays_disturbed(session, tmp_path, capsys):
    def player(name, *shares):
        slugs = zip(("starter", "badge_stone", "rescued_birch"), shares, strict=False)
        milestones = {slug: {"share": {"value": share}} for slug, share in slugs}
        return {"name": name, "episodes": [{}] * 8, "milestones": milestones}

    measured = tmp_path / "disturbed.json"
    players = [player("undisturbed", 1.0, 0.5, 1.0), player("random=.25", 0.25)]
    measured.write_text(json.dumps({"players": players}))
    flags = ["export", str(session.folder), str(tmp_path / "a.zip"), "--disturbed", str(measured)]
    assert main(flags) == 0
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        card = archive.read("README.md").decode()
    assert "| by | starter | badge_stone |" in card and "of 8 episodes each" in card
    assert "| undisturbed | 100% | 50% |" in card
    assert "25% | 0% |" in card


def test_a_card_shows_many_disturbed_episodes(tmp_path):
    measured = tmp_path / "disturbed.json"
    episode = {"milestones": {"starter": 5}, "padding": "x" * (1 << 14)}
    player = {"name": "undisturbed", "episodes": [episode] * 128, "milestones": {}}
    measured.write_text(json.dumps({"players": [player]}))
    assert "of 128 episodes each" in disturbances(measured)


@pytest.mark.parametrize(
    "text",
    [
        '{"players": [{"name": 3}]}',
        '{"players": [{"name": "x", "milestones": ["starter"], "episodes": []}]}',
        '{"players": [{"name": "x", "milestones": {"starter": {"share": {"value": "all"}}}}]}',
        "no JSON",
    ],
)
def test_a_file_that_holds_no_disturbed_episodes_is_named(session, tmp_path, capsys, text):
    measured = tmp_path / "disturbed.json"
    measured.write_text(text)
    flags = ["export", str(session.folder), str(tmp_path / "b.zip"), "--disturbed", str(measured)]
    assert main(flags) == 1
    said = capsys.readouterr().err
    assert f"{measured} is not what `emerald evaluate --disturb all --json` prints" in said


def test_an_export_has_no_path_and_no_name_of_the_machine(session, tmp_path):
    done = export(session.checkpoint(16), tmp_path / "agent.zip")
    repository = str(Path(__file__).resolve().parents[2])
    with zipfile.ZipFile(done.path) as archive:
        assert "system_info.txt" not in archive.namelist()
        for name in archive.namelist():
            content = archive.read(name)
            for path in (str(session.folder), str(tmp_path), repository, str(Path.home())):
                assert len(path) < 3 or path.encode() not in content, (name, path)


def test_a_file_that_is_there_already_is_not_written_over(session, tmp_path, capsys):
    path = tmp_path / "a.zip"
    path.write_bytes(b"precious")
    assert main(["export", str(session.folder), str(path)]) == 1
    assert "already exists" in capsys.readouterr().err
    assert path.read_bytes() == b"precious"
    link = tmp_path / "b.zip"
    link.symlink_to(tmp_path / "elsewhere" / "b.zip")
    assert main(["export", str(session.folder), str(link)]) == 1
    assert "already exists" in capsys.readouterr().err and link.is_symlink()


@pytest.mark.slow
def test_the_command_runs_from_a_shell(session):
    command = [*COMMAND, "inspect", str(session.folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "safetensors" in done.stdout


@pytest.mark.parametrize(
    ("agent", "network"),
    [
        ("jade", "no CNN and an LSTM of 320, 1 step at once"),
        ("jade-by-heart", "tile CNN, 2 pictures at once"),
    ],
)
def test_only_who_sees_pictures_is_said_to_have_a_cnn(agent, network):
    manifest = read_manifest(find_checkpoint(agent))
    assert network.startswith(manifest.network_title)
    assert f"| network | {network}" in model_card(manifest, None, "a.zip", None)


@pytest.mark.parametrize(
    ("game", "command"),
    [
        ({}, "emerald play a.zip\n"),
        ({"name": "Jade, world 7:demanding"}, "emerald play a.zip --world 7:demanding\n"),
        ({"name": "Emerald", "code": "BPEE"}, "emerald play a.zip --rom YOUR_ROM.gba\n"),
    ],
)
def test_the_card_says_how_to_play_it_in_its_own_game(game, command):
    manifest = read_manifest(find_checkpoint("jade"))
    own = replace(manifest, game=manifest.game | game)
    assert f"    {command}" in model_card(own, None, "a.zip", None)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("<b>[Jade](x)", r"&lt;b&gt;\[Jade\](x)"),
        # what GitHub's Markdown links without brackets
        ("https://evil.example/x", "https:&#47;&#47;evil.example/x"),
        ("ftp://evil.example", "ftp:&#47;&#47;evil.example"),
        ("(WWW.evil.example)", "(WWW&#46;evil.example)"),
        ("mailto:me@evil.example", "mailto:me@&#8288;evil.example"),
    ],
)
def test_a_card_has_no_html_and_no_links_of_strangers(name, written):
    manifest = read_manifest(find_checkpoint("jade"))
    own = replace(manifest, game=manifest.game | {"name": name})
    assert f"\n# {written} after " in model_card(own, None, "a.zip", None)
