"""Every option goes the whole way: command line, training, checkpoint, manifest, play."""

import json
import zipfile
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch
from helpers.checkpoints import as_saved

from baselines.checkpoints.checkpoint_file import CheckpointError, load_policy, read_manifest
from baselines.checkpoints.manifest import Manifest
from baselines.commands.learn.train import main
from baselines.learner.masks_in_observation import MASKS
from baselines.runs.session_folder import Session
from baselines.settings.policy_config import BEFORE_OPTIONS, MAX_SIZE, PolicyConfig
from baselines.settings.train_config import PPOConfig, TrainConfig
from baselines.training import phases
from baselines.training.command_line import parse

SMALL = (
    "--n-envs 2 --n-workers 1 --n-steps 8 --batch-size 8 --n-epochs 2 --episode-length 6 "
    "--start-wait 3 --frame-skip 8 --hold-frames 4 --device cpu --network small "
    "--total-timesteps 32 --explore 0"
).split()
OPTIONS = {  # flags -> what the manifest says that no other run's does
    "--normalize-observations --no-embed-places": {"normalize_observations": True},
    "--normalize-returns": {"normalize_returns": True},
    "--recurrent --lstm-size 16": {"recurrent": True, "lstm_size": 16},
    "--recurrent --sequence-length 4 --recompute-advantage": {"recurrent": True},
    "--network impala --impala-channels 4 8": {"impala_channels": (4, 8)},
    "--features-dim 32 --hidden-layers 24 16": {"features_dim": 32, "hidden_layers": (24, 16)},
    "--observation screen --features-dim 32": {"features_dim": 32},
    "--action-masks": {},
    "--action-masks --observation screen": {},
    "--action-masks --recurrent --normalize-observations --no-embed-places": {"recurrent": True},
    "--learning-rate-warmup 0.5 --anneal-learning-rate": {},
    "--clip-range-warmup 0.5 --clip-range-vf 0.2 --clip-range-vf-max": {},
    "--separate-networks --value-lr-ratio 0.5 --scale-rewards": {"separate_networks": True},
    "--separate-networks --recurrent --lstm-size 16": {"separate_networks": True},
    "--normalize-observations --no-embed-places --normalize-binary": {"normalize_binary": True},
    "--advantage-scope batch --recompute-advantage": {},
    "--no-normalize-advantage --target-kl 0.01": {},
    "--normalize-observations --no-embed-places --normalize-returns --recurrent --network impala": {
        "normalize_observations": True,
        "normalize_returns": True,
        "recurrent": True,
    },
}


def trained(folder, flags):
    """The checkpoint of a run of two updates."""
    assert main([*SMALL, "--sessions", str(folder), *flags.split()]) == 0
    (session,) = folder.iterdir()
    return Session(session).latest_checkpoint()


def seen(space, n):
    """Observations as they could come, with masks that allow something."""
    if space.shape:
        return np.stack([space.sample() for _ in range(n)])
    parts = {key: np.stack([part.sample() for _ in range(n)]) for key, part in space.items()}
    if MASKS in parts:
        parts[MASKS][:, -1] = 1
    return parts


@pytest.mark.parametrize("flags", OPTIONS)
def test_an_option_reaches_the_learner_the_checkpoint_and_play(tmp_path, monkeypatch, flags):
    made, make = [], phases.make_model
    monkeypatch.setattr(phases, "make_model", lambda *args: made.append(make(*args)) or made[-1])
    path = trained(tmp_path, flags)
    policy, manifest = load_policy(path)
    said = {key: getattr(manifest.policy, key) for key in OPTIONS[flags]}
    assert said == OPTIONS[flags]
    (model,) = made
    for name, value in asdict(parse([*SMALL, *flags.split()]).ppo).items():
        if name in ("advantage_scope", "recompute_advantage", "target_kl", "normalize_advantage"):
            assert getattr(model, name) == value
    acts_alike(policy, as_saved(model))


def acts_alike(policy, other):
    """Both take the same actions for the same observations, one after the other."""
    space, mine, theirs = policy.observation_space, None, None
    for step in range(4):
        space.seed(step)
        observation, start = seen(space, 3), np.full(3, step in (0, 2))
        torch.manual_seed(step)
        ours, mine = policy.predict(observation, mine, start)
        torch.manual_seed(step)
        wanted, theirs = other.predict(observation, theirs, start)
        np.testing.assert_array_equal(ours, wanted)
        for state, expected in zip(mine or (), theirs or (), strict=True):
            np.testing.assert_allclose(state, expected, rtol=1e-3, atol=1e-4)  # rounding
        if isinstance(observation, dict) and MASKS in observation:
            allowed = observation[MASKS][:, -policy.action_space.n :]
            assert allowed[np.arange(3), ours].all()


def test_normalisation_does_not_change_at_play(tmp_path):
    flags = "--normalize-observations --no-embed-places --normalize-returns"
    policy, _ = load_policy(trained(tmp_path, flags))
    assert policy.normalizer.moments["state"].count == 32
    before = {name: tensor.clone() for name, tensor in policy.state_dict().items()}
    policy.predict(seen(policy.observation_space, 5))
    for name, tensor in policy.state_dict().items():
        assert torch.equal(tensor, before[name])


def test_the_start_says_how_many_parameters_and_which_options(tmp_path, capsys):
    path = trained(tmp_path, "--recurrent --lstm-size 16 --normalize-returns --action-masks")
    policy, _ = load_policy(path)
    learnt = sum(parameter.numel() for parameter in policy.parameters())
    said = capsys.readouterr().out
    assert f"{learnt:,} parameters" in said
    assert "LSTM of 16" in said
    assert "normalize_returns True" in said and "action_masks True" in said


def test_a_run_resumes_with_its_options(tmp_path):
    flags = "--recurrent --lstm-size 16 --normalize-observations --no-embed-places"
    flags += " --normalize-returns"
    first, _ = load_policy(trained(tmp_path, flags))
    assert main(["--sessions", str(tmp_path), "--resume", "last", "--total-timesteps", "64"]) == 0
    (session,) = map(Session, tmp_path.iterdir())
    policy, manifest = load_policy(session.latest_checkpoint())
    assert manifest.policy.recurrent and manifest.num_timesteps == 64
    assert policy.normalizer.moments["state"].count == 64
    assert first.normalizer.moments["state"].count == 32


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A checkpoint without options."""
    return trained(tmp_path_factory.mktemp("plain"), "--no-embed-places")


def rewritten(source, target, **changes):
    """Copies a checkpoint with other values in its manifest; None leaves one out."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "manifest.json":
                values = json.loads(content) | changes
                kept = {key: value for key, value in values.items() if value is not None}
                content = json.dumps(kept).encode()
            new.writestr(name, content)
    return target


def test_a_checkpoint_from_before_the_options_is_played_as_it_was(plain, tmp_path):
    old = rewritten(plain, tmp_path / "old.zip", policy=None)
    policy, manifest = load_policy(old)
    assert manifest.policy == BEFORE_OPTIONS
    acts_alike(policy, load_policy(plain)[0])


def test_normalisation_from_before_it_left_bits_alone_is_played_as_it_was(tmp_path):
    path = trained(tmp_path, "--normalize-observations --no-embed-places --normalize-binary")
    said = asdict(read_manifest(path).policy)
    del said["normalize_binary"], said["separate_networks"]
    policy, manifest = load_policy(rewritten(path, tmp_path / "old.zip", policy=said))
    assert manifest == read_manifest(path)
    acts_alike(policy, load_policy(path)[0])


def test_a_manifest_comes_back_equal(plain):
    manifest = read_manifest(plain)
    assert Manifest.from_json(manifest.to_json()) == manifest
    other = replace(
        manifest, policy=replace(manifest.policy, hidden_layers=(3, 4), impala_channels=(2,))
    )
    assert Manifest.from_json(other.to_json()) == other
    assert {line.split(":")[0] for line in manifest.differences(other)} == {
        "policy.hidden_layers",
        "policy.impala_channels",
    }


@pytest.mark.parametrize(
    "policy",
    [
        {"features_dim": MAX_SIZE + 1},
        {"features_dim": "many"},
        {"hidden_layers": [64] * 9},
        {"hidden_layers": [[1]]},
        {"impala_channels": None},
        {"impala_channels": []},
        {"impala_channels": 16},
        {"lstm_size": 0},
        {"lstm_size": None},
        {"recurrent": "yes"},
        {"recurrent": None},
        {"shape": 3},
        "small",
        7,
    ],
    ids=str,
)
def test_a_manifest_that_describes_no_network_is_refused(plain, tmp_path, policy):
    odd = rewritten(plain, tmp_path / "odd.zip", policy=policy)
    with pytest.raises(CheckpointError, match="policy"):
        load_policy(odd)


def test_settings_of_older_versions_get_the_options_defaults(tmp_path):
    config = TrainConfig()
    config.save(tmp_path / "config.json")
    values = json.loads((tmp_path / "config.json").read_text())
    del values["policy"], values["ppo"]["learning_rate_warmup"], values["ppo"]["advantage_scope"]
    (tmp_path / "old.json").write_text(json.dumps(values))
    assert TrainConfig.load(tmp_path / "old.json") == config
    odd = replace(config, policy=PolicyConfig(recurrent=True, hidden_layers=(8,)))
    odd.save(tmp_path / "config.json")
    assert TrainConfig.load(tmp_path / "config.json") == odd


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"ppo": {"learning_rate_warmup": 1.0}}, "learning_rate_warmup is 1.0"),
        ({"ppo": {"clip_range_warmup": -0.1}}, "clip_range_warmup is -0.1"),
        ({"ppo": {"sequence_length": 0}}, "sequence_length is 0"),
        ({"ppo": {"sequence_length": 48}, "policy": {"recurrent": True}}, "multiple of the"),
        ({"policy": {"normalize_observations": True}, "env": "screen"}, "nothing to do"),
        ({"policy": {"lstm_size": 0}}, "lstm_size is 0"),
        ({"ppo": {"clip_range_vf_max": True}}, "clip_range_vf_max has nothing to do"),
        ({"ppo": {"value_lr_ratio": 0.5}}, "--separate-networks"),
        ({"ppo": {"value_lr_ratio": 0.0}}, "value_lr_ratio is 0.0"),
        ({"policy": {"separate_networks": 1}}, "separate_networks is 1"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_with_its_name(settings, message):
    with pytest.raises(ValueError, match=message):
        config = TrainConfig(
            ppo=PPOConfig(**settings.get("ppo", {})),
            policy=PolicyConfig(**settings.get("policy", {})),
        )
        replace(config, env=replace(config.env, observation=settings.get("env", "dict")))
