"""Nothing in a file from a stranger ever runs, and opening one never ends in a traceback."""

import io
import json
import pickle
import shutil
import subprocess
import sys
import zipfile

import pytest
import stable_baselines3
import torch
from helpers.checkpoints import describe, make_model, rewrite, same, tensors
from helpers.examples import examples
from helpers.malicious import corpus, opcode_bombs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from baselines.checkpoints.checkpoint_file import (
    CheckpointError,
    load_policy,
    read_manifest,
    restore,
)
from baselines.checkpoints.formats.space_json import space_to_json
from baselines.checkpoints.manifest import describe_env
from baselines.checkpoints.sharing.inspection import inspect_file
from baselines.checkpoints.sharing.pack import model_of, sb3_members, write_new
from baselines.commands.learn import train as training
from baselines.commands.play import evaluate
from baselines.commands.play import play_game as play
from baselines.commands.play.checkpoint import main
from baselines.settings.game_config import GameConfig
from baselines.settings.policy_config import PolicyConfig
from baselines.settings.train_config import PPOConfig, TrainConfig

# one of each kind, for the commands that start a game
FEW = (
    "data/extra",
    "data, GLOBAL",
    "manifest.json, protocol 4",
    "manifest.json/network",
    "policy.pth, protocol 0",
    "policy.pth, torch",
    "policy.pth, torch, legacy",
    "policy.pth, tar",
    "policy.pth, TorchScript",
    "policy.optimizer.pth, torch, nested",
)

torch.set_num_threads(1)


@pytest.fixture(scope="module")
def manifest():
    """Of a network so small that hundreds of files with it are read in a moment."""
    model = make_model(n_stack=1)
    env = describe_env(GameConfig(shrink=4, start_wait=0))
    values = describe(model, n_stack=1, env=env)
    tiny = PolicyConfig(features_dim=8)
    space = space_to_json(model.observation_space) | {"shape": [1, 40, 60]}
    return type(values)(**{**vars(values), "policy": tiny, "observation_space": space})


@pytest.fixture(scope="module")
def good(manifest, tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "good.zip"
    write_new(path, sb3_members(model_of(manifest), manifest))
    return path


def refused_or_not(use, path):
    """Returns what `use` returns, None where it says that the file is no good."""
    try:
        return use(path)
    except CheckpointError:
        return None


def test_every_pickle_of_the_corpus_does_run_where_it_is_loaded(tmp_path):
    marker = tmp_path / "it ran"
    for name, content in opcode_bombs(marker):
        try:
            pickle.loads(content)
        except EOFError:
            pass
        assert marker.is_dir(), name
        marker.rmdir()


def test_sb3_itself_runs_what_the_corpus_hides_in_its_data(good, tmp_path):
    marker = tmp_path / "it ran"
    changes = dict(corpus(good, marker))["data/extra"]
    stable_baselines3.PPO.load(rewrite(good, tmp_path / "evil.zip", **changes), device="cpu")
    assert marker.is_dir()


@pytest.mark.slow
def test_nothing_in_a_malicious_checkpoint_runs_when_it_is_read_or_inspected(
    good, manifest, tmp_path
):
    marker, path = tmp_path / "it ran", tmp_path / "evil.zip"
    model = model_of(manifest)
    uses = (load_policy, read_manifest, inspect_file, lambda path: restore(model, path, manifest))
    count = 0
    for name, changes in corpus(good, marker):
        rewrite(good, path, **changes)
        found = [refused_or_not(use, path) for use in uses]
        assert not marker.exists(), name
        if not name.startswith("manifest.json/"):
            assert found[2].worst == "dangerous", name
            imported = {use.name for pickle in found[2].pickles for use in pickle.uses}
            assert found[2].flaws or any("mkdir" in name for name in imported), name
        count += 1
    assert count > 100


@pytest.fixture
def session(good, tmp_path):
    """A session whose latest checkpoint is to be replaced."""
    folder = tmp_path / "session"
    (folder / "checkpoints").mkdir(parents=True)
    config = TrainConfig(
        total_timesteps=16,
        n_envs=1,
        device="cpu",
        network="small",
        n_stack=1,
        env=GameConfig(observation="screen", shrink=4, start_wait=0),
        policy=PolicyConfig(features_dim=8),
        ppo=PPOConfig(n_steps=16, batch_size=16),
    )
    config.save(folder / "config.json")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", FEW)
def test_no_command_runs_what_a_malicious_checkpoint_holds(good, session, tmp_path, capsys, name):
    marker, out = tmp_path / "it ran", tmp_path / "out.zip"
    path = session / "checkpoints" / "ppo_16_steps.zip"
    rewrite(good, path, **dict(corpus(good, marker))[name])
    commands = (
        (play.main, [str(path), "--video", str(tmp_path / "a.mp4"), "--episode-length", "1"]),
        (evaluate.main, [str(path), "--episodes", "1", "--episode-length", "1"]),
        (main, ["inspect", str(path)]),
        (main, ["inspect", str(path), "--json"]),
        (main, ["convert", str(path), str(out), "--manifest", str(path)]),
        (main, ["convert", str(path), str(out), "--manifest", "original_2023"]),
        (main, ["export", str(path), str(out)]),
        (training.main, ["--resume", str(session)]),
    )
    for command, arguments in commands:
        status = command(arguments)
        printed = capsys.readouterr()
        assert status in (0, 1), arguments
        assert (status == 1) == printed.err.startswith("error: "), (arguments, printed.err)
        assert not marker.exists(), arguments


MANY = settings(
    max_examples=examples(100),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
BYTES = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), min_size=1, max_size=8)


@pytest.mark.slow
@given(BYTES, st.floats(0, 1.5))
@MANY
def test_a_damaged_checkpoint_loads_equal_or_is_refused(good, tmp_path, changes, cut):
    content = bytearray(good.read_bytes())
    for place, value in changes:
        content[int(place * (len(content) - 1))] = value
    path = tmp_path / "damaged.zip"
    path.write_bytes(content[: int(cut * len(content))] if cut < 1 else content)
    loaded = refused_or_not(load_policy, path)
    if loaded is not None:
        policy, manifest = load_policy(good)
        assert loaded[1] == manifest and same(loaded[0].state_dict(), policy.state_dict())
    inspect_file(path)


def test_an_opcode_without_its_operands_makes_a_file_dangerous(tmp_path):
    path = tmp_path / "stack.zip"
    path.write_bytes(b"cos\nsystem\n" + pickle.STACK_GLOBAL)  # hides the import from the scanner
    assert inspect_file(path).worst == "dangerous"


@pytest.mark.slow
@given(
    st.sampled_from(("manifest.json", "policy.pth", "policy.optimizer.pth", "data")),
    st.booleans(),
    BYTES,
)
@MANY
def test_a_member_that_was_changed_on_purpose_is_used_or_refused(
    good, manifest, tmp_path, name, in_table, changes
):
    with zipfile.ZipFile(good) as archive:
        content = changed(archive.read(name), changes, in_table)
    path = rewrite(good, tmp_path / "changed.zip", **{name: content})
    loaded = refused_or_not(load_policy, path)
    if loaded is not None:
        assert all(torch.isfinite(t).all() for t in loaded[0].state_dict().values())
        refused_or_not(lambda _: loaded[1].env_config(None), path)
        refused_or_not(lambda _: loaded[1].preset(), path)
    model = model_of(manifest)
    refused_or_not(lambda path: restore(model, path, manifest), path)
    inspect_file(path)


def changed(content, changes, in_table):
    """Returns a member with some bytes changed; of a zip perhaps only in its table of tensors."""
    if in_table and content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as old:
            members = {name: old.read(name) for name in old.namelist()}
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as new:
            for name, part in members.items():
                table = name.endswith("data.pkl")
                new.writestr(name, changed(part, changes, False) if table else part)
        return buffer.getvalue()
    result = bytearray(content)
    for place, value in changes:
        result[int(place * (len(result) - 1))] = value
    return bytes(result)


NUMBERS = st.integers(-(10**20), 10**20) | st.floats() | st.sampled_from([0, 1, 2, 10**9])
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=8) | st.sampled_from(["Box", "Dict"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


def places(values, path=()):
    """Yields the path to every value in a manifest."""
    for key, value in values.items() if isinstance(values, dict) else enumerate(values):
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


@pytest.mark.slow
@given(st.data(), JSON)
@MANY
def test_a_manifest_that_says_anything_else_is_understood_or_refused(
    good, manifest, tmp_path, data, value
):
    values = json.loads(manifest.to_json())
    *path, last = data.draw(st.sampled_from(list(places(values))))
    target = values
    for key in path:
        target = target[key]
    target[last] = value
    member = json.dumps(values).encode()
    path = rewrite(good, tmp_path / "manifest.zip", **{"manifest.json": member})
    loaded = refused_or_not(load_policy, path)
    if loaded is not None:
        refused_or_not(lambda _: loaded[1].env_config(None), path)
        refused_or_not(lambda _: loaded[1].preset(), path)
        loaded[1].differences(manifest)
        assert loaded[1].game["name"].isprintable()
    inspect_file(path)


def zip_of(path, *entries, method=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for entry, content in entries:
            archive.writestr(entry, content)
    return path


def link(name):
    entry = zipfile.ZipInfo(name)
    entry.external_attr = 0o120777 << 16
    return entry


NAMES = ("../evil", "/etc/passwd", "a/../../b", "C:\\evil", "a\\b", "a\x1b[31m", "ü", "..", "a//b")


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_leads_elsewhere_is_refused(good, tmp_path, name):
    path = rewrite(good, tmp_path / "a.zip", **{name: b"x"})
    with pytest.raises(CheckpointError, match="has a member named"):
        load_policy(path)
    assert any("a member named" in flaw for flaw in inspect_file(path).flaws)


def test_a_link_a_name_in_other_letters_and_an_odd_packing_are_refused(good, tmp_path):
    path = tmp_path / "a.zip"
    for message, entries, method in (
        ("has a link", [(link("manifest.json"), "/etc/passwd")], zipfile.ZIP_STORED),
        ("a member twice", [("data", b"1"), ("DATA", b"2")], zipfile.ZIP_STORED),
        ("an unusual method", [("manifest.json", b"{}")], zipfile.ZIP_BZIP2),
        ("1,001 members", [(str(n), b"") for n in range(1001)], zipfile.ZIP_STORED),
    ):
        with pytest.raises(CheckpointError, match=message):
            load_policy(zip_of(path, *entries, method=method))
        path.unlink()


def test_members_that_overlap_are_refused(tmp_path):
    path = zip_of(tmp_path / "a.zip", ("manifest.json", b"{}"), ("manifest.jso2", b"{}"))
    content = bytearray(path.read_bytes())
    second = content.rindex(b"PK\x01\x02")
    content[second + 42 : second + 46] = bytes(4)  # where its header is: at the first one's
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match="members that overlap"):
        load_policy(path)


def test_a_bomb_in_the_file_of_tensors_is_refused(good, tmp_path):
    whole = tensors({"a": torch.zeros(1)})
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as old:
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
            for name in old.namelist():
                new.writestr(name, bytes(50 << 20) if "/data/" in name else old.read(name))
    path = rewrite(good, tmp_path / "a.zip", **{"policy.pth": buffer.getvalue()})
    with pytest.raises(CheckpointError, match="compressed inside"):
        load_policy(path)


def test_a_tensor_that_says_it_is_huge_is_refused_without_being_made(good, tmp_path):
    with zipfile.ZipFile(good) as archive:
        weights = torch.load(io.BytesIO(archive.read("policy.pth")), weights_only=True)
    weights["action_net.bias"] = torch.zeros(1).expand(1 << 40)
    path = rewrite(good, tmp_path / "a.zip", **{"policy.pth": tensors(weights)})
    with pytest.raises(CheckpointError, match="action_net.bias is \\(1099511627776,\\)"):
        load_policy(path)


WIDE = {"features_dim": 4096, "hidden_layers": [4096] * 8, "recurrent": True, "lstm_size": 4096}
HUGE = {  # what a manifest asks for
    "layers": {"policy": WIDE},
    "filters": {"network": "impala", "policy": {"impala_channels": [4096] * 8}},
    "a picture": {"observation_space": ("shape", [1, 512, 512]), "policy": WIDE},
    "keys": {
        "action_space": {"type": "Box", "low": 0, "high": 1, "shape": [1 << 18], "dtype": "float32"}
    },
    "just within the limit": {"policy": WIDE | {"hidden_layers": [], "lstm_size": 1024}},
}
ASK = """
import resource, sys
from baselines.checkpoints.checkpoint_file import CheckpointError, load_policy
from pathlib import Path
good, *huge = map(Path, sys.argv[1:])
load_policy(good)
for path in huge:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        load_policy(path)
    except CheckpointError as error:
        print(str(error).removeprefix(f"{path}: ").replace("\\n", " "))
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert more < 100 * 1024, (path, more)
"""


@pytest.mark.slow
def test_a_network_of_gigabytes_is_refused_before_it_is_built(good, manifest, tmp_path):
    files = []
    for name, changes in HUGE.items():
        values = json.loads(manifest.to_json()) | {"network": "nature"}
        for key, value in changes.items():
            values[key] = values[key] | dict([value]) if isinstance(value, tuple) else value
        member = json.dumps(values).encode()
        files.append(str(rewrite(good, tmp_path / f"{name}.zip", **{"manifest.json": member})))
    command = [sys.executable, "-c", ASK, str(good), *files]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = dict(zip(HUGE, done.stdout.splitlines(), strict=True))
    for name in ("layers", "filters", "a picture"):
        assert "a network of" in said[name] and "(256 MiB): make its layers" in said[name]
    assert "not a discrete choice of keys" in said["keys"]
    assert "describes a network of" in said["just within the limit"]


def doubled(times):
    """Returns a list that would print 2 to the power of `times` numbers."""
    value = [0]
    for _ in range(times):
        value = [value, value]
    return value


def test_lists_that_hold_themselves_over_and_over_are_refused_and_not_printed(
    good, manifest, tmp_path
):
    with zipfile.ZipFile(good) as archive:
        state = torch.load(io.BytesIO(archive.read("policy.optimizer.pth")), weights_only=True)
        weights = torch.load(io.BytesIO(archive.read("policy.pth")), weights_only=True)
    state["state"] = {0: {"exp_avg": doubled(60)}}
    path = rewrite(good, tmp_path / "a.zip", **{"policy.optimizer.pth": tensors(state)})
    with pytest.raises(CheckpointError, match="0.exp_avg is a list"):
        restore(model_of(manifest), path, manifest)
    weights["action_net.bias"] = doubled(60)
    path = rewrite(good, tmp_path / "b.zip", **{"policy.pth": tensors(weights)})
    with pytest.raises(CheckpointError, match="action_net.bias is a list"):
        load_policy(path)
    inspect_file(path)


HASHED_FOR_EVER = b")" + b"".join(b"q%ch%c\x86" % (k, k) for k in range(60))  # doubled 60 times
HANGS = {
    "a name": b"\x80\x02}" + HASHED_FOR_EVER + b"Ns.",
    "what is outside": b"\x80\x02}X\x01\0\0\0a" + b"(X\x07\0\0\0storagectorch\nFloatStorage\n"
    + HASHED_FOR_EVER + b"X\x03\0\0\0cpuK\x01tQs.",
}  # fmt: skip


@pytest.mark.parametrize("pickled", HANGS.values(), ids=HANGS)
def test_keys_that_python_would_hash_for_ever_are_refused(good, tmp_path, pickled):
    content = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(tensors({}))) as old, zipfile.ZipFile(content, "w") as new:
        for name in old.namelist():
            new.writestr(name, pickled if name.endswith("data.pkl") else old.read(name))
    path = rewrite(good, tmp_path / "a.zip", **{"policy.pth": content.getvalue()})
    with pytest.raises(CheckpointError, match="it (has|imports)"):
        load_policy(path)
    inspect_file(path)


def test_a_checkpoint_chooses_neither_the_weights_of_the_reward_nor_its_code(good, tmp_path):
    with zipfile.ZipFile(good) as archive:
        values = json.loads(archive.read("manifest.json"))
    values["env"] |= {"reward_weights": ["milestone=500"], "reward_code": ["/tmp/evil.py"]}
    path = rewrite(good, tmp_path / "a.zip", **{"manifest.json": json.dumps(values).encode()})
    game = read_manifest(path).env_config(None)
    assert (game.reward, game.reward_weights, game.reward_code) == ("default", (), ())
    assert game.preset().weights["milestone"] == 5.0


def test_a_checkpoint_is_not_taken_for_one_of_another_game(good, tmp_path, capsys):
    with zipfile.ZipFile(good) as archive:
        values = json.loads(archive.read("manifest.json"))
    values["game"] |= {"name": "Pokémon Emerald (US)", "code": "BPEE"}
    changed_ = {"manifest.json": json.dumps(values).encode()}
    path = rewrite(good, tmp_path / "a.zip", **changed_)
    video = tmp_path / "a.mp4"
    assert play.main([str(path), "--video", str(video), "--episode-length", "1"]) == 1
    assert "trained on Pokémon Emerald (US) (BPEE)" in capsys.readouterr().err
    shutil.rmtree(video, ignore_errors=True)
