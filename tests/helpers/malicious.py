"""Checkpoints that would run a command, in every place and form where a zip can hold a pickle."""

import base64
import io
import json
import os
import pickle
import tarfile
import zipfile

import cloudpickle
import torch

from helpers.checkpoints import tensors


class Bomb:
    """Unpickling this creates a file: what a malicious checkpoint would do, made visible."""

    def __init__(self, marker):
        self.marker = str(marker)

    def __reduce__(self):
        return (os.mkdir, (self.marker,))


def opcode_bombs(marker):
    """Yields name and bytes of pickles that reach their command by different opcodes."""
    text = str(marker).encode("raw_unicode_escape")
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        yield f"protocol {protocol}", pickle.dumps(Bomb(marker), protocol)
    yield "INST", b"(V" + text + b"\nios\nmkdir\n."
    yield "OBJ", b"(cos\nmkdir\nV" + text + b"\no."
    yield "GLOBAL", b"cos\nmkdir\n(V" + text + b"\ntR."
    getattr_ = b"cbuiltins\ngetattr\n(cos\nmkdir\nS'__call__'\ntR"
    yield "getattr", getattr_ + b"(V" + text + b"\ntR."
    yield "no end", b"cos\nmkdir\n(V" + text + b"\ntR"
    yield "cloudpickle", cloudpickle.dumps(Bomb(marker))


def tar(marker):
    """Returns a file in torch's oldest format, a tar of pickles."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name in ("sys_info", "pickle", "storages", "tensors"):
            entry = tarfile.TarInfo(name)
            content = pickle.dumps(Bomb(marker))
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def torchscript(marker):
    """Returns a program for `torch.jit.load`, with a pickle in place of its constants."""
    buffer, changed = io.BytesIO(), io.BytesIO()
    torch.jit.save(torch.jit.script(torch.nn.Linear(1, 1)), buffer)
    with zipfile.ZipFile(buffer) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            bomb = name.endswith((".pkl", "constants.pkl"))
            new.writestr(name, pickle.dumps(Bomb(marker)) if bomb else old.read(name))
    return changed.getvalue()


def inner_zip(marker):
    """Returns a zip of torch whose table of tensors is a bare pickle."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(Bomb(marker)))
        archive.writestr("archive/version", "3\n")
    return buffer.getvalue()


def files_of_tensors(marker):
    """Yields name and bytes of what may stand where tensors are expected."""
    yield from opcode_bombs(marker)
    yield "torch", tensors({"a": Bomb(marker)})
    yield "torch, nested", tensors({"state": {0: {"exp_avg": [Bomb(marker)]}}, "param_groups": []})
    yield "torch, legacy", tensors({"a": Bomb(marker)}, _use_new_zipfile_serialization=False)
    yield "torch, inner zip", inner_zip(marker)
    yield "tar", tar(marker)
    yield "TorchScript", torchscript(marker)


def in_json(data, key, pickled):
    """Returns SB3's JSON with a pickle under a key."""
    serialized = base64.b64encode(pickled).decode()
    value = {":type:": "<class 'function'>", ":serialized:": serialized}
    return json.dumps(data | {key: value}).encode()


def corpus(good, marker):
    """Yields name and changed members of each malicious checkpoint."""
    with zipfile.ZipFile(good) as file:
        data = json.loads(file.read("data"))
        manifest = json.loads(file.read("manifest.json"))
    bomb = pickle.dumps(Bomb(marker))
    for key in [key for key, value in data.items() if isinstance(value, dict)] + ["extra"]:
        yield f"data/{key}", {"data": in_json(data, key, bomb)}
    for form, content in opcode_bombs(marker):
        yield f"data/lr_schedule, {form}", {"data": in_json(data, "lr_schedule", content)}
        yield f"data, {form}", {"data": content}
        yield f"manifest.json, {form}", {"manifest.json": content}
    places = ("policy.pth", "policy.optimizer.pth", "policy.safetensors", "more.pth")
    for name in places:
        for form, content in files_of_tensors(marker):
            yield f"{name}, {form}", {name: content}
    for name in ("state.pkl", "__main__.py", "_stable_baselines3_version", "system_info.txt"):
        yield name, {name: bomb}
    serialized = {":serialized:": base64.b64encode(bomb).decode()}
    for key in manifest:
        changed = json.dumps(manifest | {key: serialized}).encode()
        yield f"manifest.json/{key}", {"manifest.json": changed}
