"""Checkpoints: what was saved comes back, and nothing in a file from a stranger ever runs."""

import io
import json
import math
import zipfile

import numpy as np
import pytest
import stable_baselines3
import torch
from gymnasium import spaces
from helpers.checkpoints import (
    as_saved,
    describe,
    make_model,
    manifest_with,
    rewrite,
    same,
    tensors,
)
from safetensors.torch import load, save
from stable_baselines3.common.callbacks import BaseCallback

from baselines.checkpoints.checkpoint_file import (
    LIVE,
    N_UPDATES,
    CheckpointError,
    load_policy,
    read_manifest,
    restore,
    save_checkpoint,
)
from baselines.checkpoints.formats import checkpoint_zip as archive
from baselines.checkpoints.formats.space_json import space_from_json, space_to_json
from baselines.checkpoints.manifest import Manifest, check_own_code, describe_env
from baselines.checkpoints.sharing.pack import sb3_members, write_new
from baselines.checkpoints.trained import TRAINED
from baselines.runs.session_folder import Session
from baselines.settings.game_config import GameConfig
from baselines.training.callbacks.checkpoints import CheckpointCallback
from emerald_env.env.observation import observation_space
from emerald_env.files.own_code import OwnName


@pytest.fixture(scope="module")
def model():
    """A model that has learnt a little, so that its optimiser has moments."""
    return make_model().learn(32)


@pytest.fixture(scope="module")
def good(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("checkpoint") / "good.zip"
    save_checkpoint(model, path, describe(model))
    return path


@pytest.fixture(scope="module")
def old(model, tmp_path_factory):
    """The same as Stable-Baselines3 writes it, and as we did once."""
    path = tmp_path_factory.mktemp("old") / "old.zip"
    write_new(path, sb3_members(model, describe(model)))
    return path


def test_a_loaded_policy_is_bit_equal_and_acts_alike(model, good):
    policy, manifest = load_policy(good)
    assert same(policy.state_dict(), as_saved(model).state_dict())
    assert manifest == describe(model)
    pictures = np.random.default_rng(0).integers(0, 256, (6, 80, 120, 3), np.uint8)
    loaded, _ = policy.predict(pictures, deterministic=True)
    assert (loaded == as_saved(model).predict(pictures, deterministic=True)[0]).all()


def test_a_checkpoint_holds_a_manifest_and_plain_tensors_and_no_pickle(good):
    with zipfile.ZipFile(good) as file:
        assert file.namelist() == [
            "manifest.json",
            "policy.safetensors",
            "live.safetensors",
            "optimizer.safetensors",
        ]
        names = load(file.read("policy.safetensors"))
    assert all(not name.startswith("pi_features") for name in names)  # shared, so kept once


def test_a_package_without_a_version_is_no_reason_to_refuse_a_checkpoint(model, good, tmp_path):
    manifest = json.loads(describe(model).to_json())
    manifest["versions"]["torch"] = None  # as older programs wrote it
    path = tmp_path / "null.zip"
    rewrite(good, path, **{"manifest.json": json.dumps(manifest)})
    assert read_manifest(path).versions["torch"] == "unknown"


def test_zips_of_older_versions_are_read_like_todays(model, old):
    policy, manifest = load_policy(old)
    assert same(policy.state_dict(), model.policy.state_dict()) and manifest == describe(model)
    other = make_model(seed=1)
    restore(other, old, describe(other))
    moments, own = (m.policy.optimizer.state_dict()["state"] for m in (other, model))
    assert all(same(moments[index], own[index]) for index in own)


def test_sb3_itself_can_open_what_is_written_for_it(model, old):
    loaded = stable_baselines3.PPO.load(old, device="cpu")
    assert same(loaded.policy.state_dict(), model.policy.state_dict())


def test_restoring_brings_weights_optimiser_and_step_count(model, good):
    other = make_model(seed=1)
    restore(other, good, describe(other))
    assert same(other.policy.state_dict(), model.policy.state_dict())
    assert other.num_timesteps == 16
    moments, own = (m.policy.optimizer.state_dict()["state"] for m in (other, model))
    assert moments.keys() == own.keys()
    assert all(same(moments[index], own[index]) for index in moments)


def test_a_checkpoint_has_no_path_of_the_machine_that_trained_it(model, tmp_path):
    config = GameConfig(rom=tmp_path / "me" / "emerald.gba", start=str(tmp_path / "me" / "a.state"))
    path = tmp_path / "private.zip"
    save_checkpoint(model, path, describe(model, env=describe_env(config)))
    assert read_manifest(path).env["start"] == "a.state"
    with zipfile.ZipFile(path) as file:
        for name in file.namelist():
            assert str(tmp_path).encode() not in file.read(name)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Meine\u00a0Belohnung", "Meine\\xa0Belohnung"),
        ("tab\\there", "tab\\x09here"),  # TOML's escape of a tab
        ("\U0001f468\u200d\U0001f469", "\U0001f468\\x200d\U0001f469"),
        ("two\\nlines", "two\nlines"),
    ],
)
def test_texts_that_cannot_be_printed_do_not_make_a_checkpoint_unreadable(text, kept, tmp_path):
    preset, wrapper = tmp_path / "mine.toml", tmp_path / "my\u00a0own.py"
    preset.write_text(f'about = "{text}"\n[weights]\nmilestone = 5.0\n')
    wrapper.write_text("")
    game = GameConfig(
        reward=str(preset), start=str(tmp_path / "エメラルド\u30001.ss1"), wrapper=f"{wrapper}:Mine"
    )
    spaces_ = observation_space(game), spaces.Discrete(15)
    manifest = Manifest.describe(game, OwnName.read(f"{wrapper}:Net"), 1, *spaces_)
    again = Manifest.from_json(manifest.to_json())
    assert again == manifest and again.preset().about == kept
    assert again.env["start"] == "エメラルド\\x30001.ss1"
    check_own_code([again], f"{wrapper}:Net", f"{wrapper}:Mine")
    assert again.env_config(None, wrapper=f"{wrapper}:Mine").wrapper == f"{wrapper}:Mine"
    assert again.with_network(OwnName.read(f"{wrapper}:Net")).own is not None


def weights_of(old, **changes):
    with zipfile.ZipFile(old) as file:
        weights = torch.load(io.BytesIO(file.read("policy.pth")), weights_only=True)
    return weights | changes


def new_weights(good, **changes):
    with zipfile.ZipFile(good) as file:
        return save(load(file.read("policy.safetensors")) | changes)


def refused(good, old, tmp_path, case):
    """Returns a bad checkpoint by its name in `CASES`."""
    path = tmp_path / f"{case}.zip"
    bias = "action_net.bias"
    whole = good.read_bytes()
    contents = {
        "empty": lambda: b"",
        "truncated": lambda: whole[: len(whole) // 2],
        "one byte short": lambda: whole[:-1],
        "damaged": lambda: whole[:300_000] + bytes(1000) + whole[301_000:],
        "no zip": lambda: b"GIF89a" + bytes(1000),
    }
    members = {
        "no manifest": lambda: {"manifest.json": None},
        "manifest no json": lambda: {"manifest.json": b"\xff{"},
        "manifest a list": lambda: {"manifest.json": b"[]"},
        "manifest deep": lambda: {"manifest.json": b"[" * 100_000},
        "newer schema": lambda: {"manifest.json": manifest_with(good, schema_version=99)},
        "field missing": lambda: {"manifest.json": b'{"schema_version": 1}'},
        "field wrong": lambda: {"manifest.json": manifest_with(good, n_stack="three")},
        "unknown network": lambda: {"manifest.json": manifest_with(good, network="huge")},
        "many stacked": lambda: {"manifest.json": manifest_with(good, n_stack=10**9)},
        "space too large": lambda: {"manifest.json": manifest_with(good, observation_space=LARGE)},
        "space unknown": lambda: {"manifest.json": manifest_with(good, action_space={"type": "x"})},
        "no weights": lambda: {"policy.safetensors": None},
        "NaN": lambda: {
            "policy.safetensors": new_weights(good, **{bias: torch.full((15,), torch.nan)})
        },
        "shape": lambda: {"policy.safetensors": new_weights(good, **{bias: torch.zeros(16)})},
        "name": lambda: {"policy.safetensors": new_weights(good, other=torch.zeros(1))},
        "text": lambda: {"policy.safetensors": b"hello"},
        "long header": lambda: {"policy.safetensors": bytes([0, 0, 0, 16, 0, 0, 0, 0]) + b" " * 99},
    }
    members_of_old = {
        "old NaN": lambda: tensors(weights_of(old, **{bias: torch.full((15,), torch.nan)})),
        "old dtype": lambda: tensors(weights_of(old, **{bias: torch.zeros(15).half()})),
        "old sparse": lambda: tensors(weights_of(old, **{bias: torch.eye(15).to_sparse()})),
        "old list": lambda: tensors([torch.zeros(1)]),
        "old text": lambda: b"hello",
        "old compression": lambda: compressed_inside(weights_of(old)),
    }
    if case in members_of_old:
        return rewrite(old, path, **{"policy.pth": members_of_old[case]()})
    if case in contents:
        path.write_bytes(contents[case]())
        return path
    return rewrite(good, path, **members[case]())


LARGE = {"type": "Box", "low": 0, "high": 255, "shape": [3, 30_000, 30_000], "dtype": "uint8"}
CASES = {
    "empty": "does not begin as a zip",
    "truncated": "does not end with",
    "one byte short": "does not end with",
    "damaged": "not a complete zip",
    "no zip": "does not begin as a zip",
    "no manifest": "no manifest.json",
    "no weights": "no policy.safetensors",
    "manifest no json": "not JSON",
    "manifest a list": "is a list",
    "manifest deep": "not JSON",
    "newer schema": "schema version 99.*git pull",
    "field missing": "lacks 'game'",
    "field wrong": "n_stack is 'three'",
    "unknown network": "unknown network 'huge'",
    "many stacked": "1000000000 pictures",
    "space too large": "30000",
    "space unknown": "space that is not ours",
    "NaN": "NaN or infinite numbers in action_net.bias",
    "shape": r"action_net.bias is \(16,\)",
    "name": "'other' is unknown",
    "text": "no safetensors header",
    "long header": "no safetensors header",
    "old NaN": "NaN or infinite numbers in action_net.bias",
    "old dtype": "action_net.bias is .*float16",
    "old sparse": "does not hold tensors only",
    "old list": "holds a list",
    "old text": "does not begin as a zip",
    "old compression": "compressed inside",
}


def compressed_inside(weights):
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(tensors(weights))) as old:
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
            for name in old.namelist():
                new.writestr(name, old.read(name))
    return buffer.getvalue()


@pytest.mark.parametrize("case", CASES)
def test_a_bad_checkpoint_is_refused_with_its_name_and_the_reason(good, old, tmp_path, case):
    path = refused(good, old, tmp_path, case)
    with pytest.raises(CheckpointError, match=f"(?s){case}.zip.*{CASES[case]}"):
        load_policy(path)


def test_a_missing_file_is_reported_as_missing(tmp_path):
    with pytest.raises(CheckpointError, match="no checkpoint at"):
        load_policy(tmp_path / "nothing.zip")


def test_a_zip_bomb_is_refused_before_it_unpacks(good, tmp_path):
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("manifest.json", bytes(50 << 20))
    assert path.stat().st_size < 100_000
    with pytest.raises(CheckpointError, match="unpacks to .* times its size"):
        read_manifest(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_name_that_occurs_twice_is_refused(good, tmp_path):
    path = tmp_path / "twice.zip"
    path.write_bytes(good.read_bytes())
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("manifest.json", b"{}")
    with pytest.raises(CheckpointError, match="a member twice"):
        read_manifest(path)


def test_only_named_members_are_read(good, tmp_path):
    path = rewrite(good, tmp_path / "more.zip", **{"etc/passwd": b"x", "data": b"\0"})
    assert archive.read_members(path, {"nothing": 10}) == {}
    load_policy(path)


def test_a_run_with_another_network_is_told_the_differences_and_left_as_it_was(model, good):
    other = make_model(network="nature", n_stack=4)
    before = {name: tensor.clone() for name, tensor in other.policy.state_dict().items()}
    with pytest.raises(CheckpointError, match="(?s)network: small.*nature here.*n_stack: 3"):
        restore(other, good, describe(other, network="nature", n_stack=4))
    assert same(before, other.policy.state_dict())


def test_an_optimiser_that_does_not_fit_is_refused_and_the_weights_are_left(
    model, good, old, tmp_path
):
    with zipfile.ZipFile(good) as file:
        moments = load(file.read("optimizer.safetensors")) | {"0.exp_avg": torch.zeros(2)}
    with zipfile.ZipFile(old) as file:
        state = torch.load(io.BytesIO(file.read("policy.optimizer.pth")), weights_only=True)
    state["state"][0]["exp_avg"] = torch.zeros(2)
    new = rewrite(good, tmp_path / "o.zip", **{"optimizer.safetensors": save(moments)})
    older = rewrite(old, tmp_path / "p.zip", **{"policy.optimizer.pth": tensors(state)})
    for path in (new, older):
        other = make_model(seed=1)
        before = {name: tensor.clone() for name, tensor in other.policy.state_dict().items()}
        with pytest.raises(CheckpointError, match="(?s)optimiser.*0.exp_avg"):
            restore(other, path, describe(other))
        assert same(before, other.policy.state_dict())


def test_training_goes_on_from_the_live_weights_and_their_average(model, good):
    other = make_model(seed=1)
    restore(other, good, describe(other))
    assert same(model.policy.state_dict(), other.policy.state_dict())
    assert other.average.n_updates == model.average.n_updates == 2
    assert same(model.average.weights, other.average.weights)
    assert not same(as_saved(other).state_dict(), other.policy.state_dict())


def test_without_live_weights_training_goes_on_from_those_that_play(model, good, tmp_path):
    other = make_model(seed=1).learn(32)
    path = rewrite(good, tmp_path / "older.zip", **{LIVE: None})
    restore(other, path, describe(other))
    assert same(as_saved(model).state_dict(), other.policy.state_dict())
    assert other.average.n_updates == 0
    assert not other.average.weights


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({N_UPDATES: torch.tensor(0)}, "the average of 0 updates"),
        ({N_UPDATES: torch.tensor(-1)}, "the average of -1 updates"),
        ({N_UPDATES: torch.tensor(1 << 40)}, "the average of 1,099,511,627,776 updates"),
        ({N_UPDATES: torch.tensor(2.0)}, "live weights do not fit"),
        ({N_UPDATES: torch.tensor([2, 2])}, "live weights do not fit"),
        ({"action_net.bias": torch.full((15,), torch.nan)}, "NaN or infinite numbers"),
        ({"action_net.bias": torch.zeros(3)}, "live weights do not fit"),
        ({"more": torch.zeros(3)}, "live weights do not fit"),
    ],
)
def test_live_weights_that_do_not_fit_are_refused_and_the_model_is_left(
    good, tmp_path, changes, message
):
    with zipfile.ZipFile(good) as file:
        live = load(file.read(LIVE)) | changes
    path = rewrite(good, tmp_path / "live.zip", **{LIVE: save(live)})
    other = make_model(seed=1)
    before = {name: tensor.clone() for name, tensor in other.policy.state_dict().items()}
    with pytest.raises(CheckpointError, match=message):
        restore(other, path, describe(other))
    assert same(before, other.policy.state_dict())
    assert other.average.n_updates == 0
    load_policy(path)  # who plays does not read them


def test_weights_that_are_nan_are_not_saved_over_good_ones(good, tmp_path):
    model = make_model()
    path = tmp_path / "kept.zip"
    save_checkpoint(model, path, describe(model))
    before = path.read_bytes()
    with torch.no_grad():
        model.policy.action_net.weight[0, 0] = torch.nan
    with pytest.raises(CheckpointError, match="not saved.*action_net.weight"):
        save_checkpoint(model, path, describe(model))
    assert path.read_bytes() == before


def test_spaces_survive_json():
    screen = spaces.Box(0, 255, (3, 80, 120), np.uint8)
    vector = spaces.Box(-1.0, 1.0, (40,), np.float32)
    number = observation_space(GameConfig(observation="state", world_number=True))
    several = spaces.Dict(screen=screen, state=vector)
    largest = spaces.Box(-(2**63), 2**63 - 1, (3,), np.int64)
    for space in (screen, vector, spaces.Discrete(15), several, number, largest):
        assert space_from_json(json.loads(json.dumps(space_to_json(space)))) == space


@pytest.mark.parametrize("high", [2**64, 1e300, math.nan])
def test_a_bound_that_its_type_cannot_hold_is_refused(high):
    box = {"type": "Box", "low": 0, "high": high, "shape": [1], "dtype": "int64"}
    with pytest.raises(CheckpointError, match="a space that is not ours"):
        space_from_json(box)


def test_checkpoints_come_at_regular_intervals_and_the_oldest_go(tmp_path):
    model = make_model()
    session = Session.create(tmp_path, "fake")
    manifest = describe(model, num_timesteps=0)
    callback = CheckpointCallback(session, manifest, save_freq=32, keep=2)
    model.learn(16 * 9, callback)
    steps = [read_manifest(path).num_timesteps for path in session.saved_checkpoints()]
    assert steps == [96, 128]
    assert callback.save() == session.checkpoint(144)


class StopAt(BaseCallback):
    """Ends learning after so many steps."""

    def __init__(self, steps):
        super().__init__()
        self.steps = steps

    def _on_step(self):
        return self.num_timesteps < self.steps


def test_a_rollout_that_was_interrupted_does_not_count(tmp_path):
    model = make_model()
    session = Session.create(tmp_path, "fake")
    callback = CheckpointCallback(session, describe(model, num_timesteps=0), save_freq=1000, keep=2)
    model.learn(64, [callback, StopAt(16 + 6)])
    assert model.num_timesteps == 22
    assert callback.save() == session.checkpoint(16)


def test_sb3_itself_opens_the_agent_that_comes_with_the_program():
    model = stable_baselines3.PPO.load(TRAINED / "jade-by-heart.zip", device="cpu")
    policy, _ = load_policy(TRAINED / "jade-by-heart.zip")
    for name, weight in policy.state_dict().items():
        assert torch.equal(model.policy.state_dict()[name], weight), name
