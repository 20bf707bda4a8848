"""Small models, what their checkpoints say of themselves, and changes to zips."""

import io
import json
import zipfile
from copy import deepcopy
from dataclasses import replace

import torch
from stable_baselines3.common.envs import FakeImageEnv
from stable_baselines3.common.vec_env import DummyVecEnv, VecFrameStack

from baselines.checkpoints.formats.space_json import space_to_json
from baselines.checkpoints.manifest import SCHEMA_VERSION, Manifest, describe_env
from baselines.learner.policy.cnn.networks import policy_kwargs
from baselines.learner.ppo import PPO
from baselines.settings.game_config import GameConfig
from emerald_env.env.actions import action_set
from rewards import load_preset


def make_model(seed=0, network="small", n_stack=3):
    def game():
        return FakeImageEnv(
            action_dim=15, screen_height=80, screen_width=120, n_channels=1, channel_first=False
        )

    games = VecFrameStack(DummyVecEnv([game, game]), n_stack)
    return PPO(
        "CnnPolicy",
        games,
        n_steps=8,
        batch_size=8,
        n_epochs=1,
        seed=seed,
        device="cpu",
        policy_kwargs=policy_kwargs(network, games.observation_space),
    )


def as_saved(model):
    """The policy that a checkpoint of the model plays with: the average of its weights."""
    model.policy.action_dist.distribution = None  # of the last update: its graph cannot be copied
    policy = deepcopy(model.policy)
    policy.load_state_dict(model.average.weights, strict=False)
    return policy


def describe(model, network="small", n_stack=3, **changes):
    manifest = Manifest(
        schema_version=SCHEMA_VERSION,
        game={"name": "Jade", "code": "JADE", "sha1": "0" * 40},
        env=describe_env(GameConfig()),
        actions=[action.name for action in action_set("original")],
        reward=load_preset("default").as_dict(),
        observation_space=space_to_json(model.observation_space),
        action_space=space_to_json(model.action_space),
        network=network,
        n_stack=n_stack,
        num_timesteps=16,
        versions={"torch": torch.__version__},
    )
    return replace(manifest, **changes)


def rewrite(source, target, **changes):
    """Copies a zip with members replaced; None leaves one out."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        members = {name: old.read(name) for name in old.namelist()}
        for name, content in (members | changes).items():
            if content is not None:
                new.writestr(name, content)
    return target


def manifest_with(good, **changes):
    with zipfile.ZipFile(good) as archive_:
        values = json.loads(archive_.read("manifest.json"))
    return json.dumps(values | changes).encode()


def tensors(content, **options):
    buffer = io.BytesIO()
    torch.save(content, buffer, **options)
    return buffer.getvalue()


def same(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[key], other[key]) for key in one)
