"""Where the product reads files: through `emerald_env.files`, or only what it wrote itself."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("emerald_env", "rewards", "baselines", "experiments")
DOOR = "emerald_env/files/"
# calls that read a file, or text and bytes that may have come from one
READERS = {
    "open", "os.open", "io.open", "codecs.open", "mmap.mmap",
    "json.load", "json.loads", "pickle.load", "pickle.loads", "pickle.Unpickler",
    "np.load", "np.loadtxt", "np.genfromtxt", "np.fromfile", "np.memmap", "numpy.load",
    "torch.load", "torch.jit.load", "safe_open", "load_file", "joblib.load",
    "zipfile.ZipFile", "tarfile.open", "gzip.open", "lzma.open", "bz2.open",
    "tomllib.load", "tomllib.loads", "yaml.load", "yaml.safe_load", "configparser.ConfigParser",
    "csv.reader", "csv.DictReader", "ElementTree.parse", "minidom.parse", "sqlite3.connect",
    "cv2.imread", "cv2.imdecode", "cv2.VideoCapture", "Image.open", "imageio.imread",
    "imageio.get_reader", "imageio.v3.imread", "plt.imread", "pd.read_csv",
}  # fmt: skip
METHODS = {"open", "read_text", "read_bytes", "readlines"}  # of a Path
WRITES = ("w", "wb", "a", "ab", "x", "xb")
OURS = "written by us and installed with the package"
DEVELOPERS = "a developer's own measurement: no user's file"
ALLOWED = {
    "emerald_env/emulator/build_shim.py": OURS,
    "emerald_env/emulator/library.py": OURS,
    "emerald_env/emulator/static/": "building: sources whose hashes are known",
    "emerald_env/emulator/cartridge/rom.py": "hands the ROM's descriptor to mGBA after `check_rom`",
    "emerald_env/game/tables.py": OURS,
    "emerald_env/jade/": OURS,
    "emerald_env/parallel/": "pipes between processes of one run",
    "emerald_env/watching/live_file.py": "creates a new file",
    "baselines/checkpoints/downloads.py": "bounded bytes of an address, which the door then reads",
    "baselines/checkpoints/formats/torch_zip.py": "a zip rebuilt from checked members",
    "baselines/commands/check/doctor.py": "/proc/cpuinfo",
    "baselines/commands/learn/watch.py": "opens the browser",
    "baselines/cluster/sweep/sweep_run.py": "the log of a process that it began",
    "baselines/diagnostics/logs/table_rows.py": "a table's text, read by the door",
    "baselines/learner/policy/cnn/build_tiles.py": OURS,
    "emerald_env/state/parts/around/build_walks.py": OURS,
    "baselines/runs/session_folder.py": "its own lock's holder, a hundred characters",
    "baselines/viewer/server.py": "the film that it just made",
    "experiments/": DEVELOPERS,
}


def dotted(node):
    if isinstance(node, ast.Attribute):
        inner = dotted(node.value)
        return f"{inner}.{node.attr}" if inner else f"?.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def mode_of(call):
    texts = [arg.value for arg in call.args if isinstance(arg, ast.Constant)]
    texts += [word.value.value for word in call.keywords if isinstance(word.value, ast.Constant)]
    return next((text for text in texts if text in WRITES), "r")


def readings(tree):
    """Yields the line and name of each call that opens or parses something to read it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = dotted(node.func)
            known = name in READERS or ".".join(name.split(".")[-2:]) in READERS
            method = isinstance(node.func, ast.Attribute) and node.func.attr in METHODS
            if (known or method) and mode_of(node) == "r":
                yield node.lineno, name


def places():
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            for line, call in readings(ast.parse(path.read_text("utf-8"))):
                yield name, line, call


def test_nothing_from_strangers_is_read_but_through_the_door():
    outside = [
        f"{name}:{line}: {call}"
        for name, line, call in places()
        if not name.startswith((DOOR, *ALLOWED))
    ]
    assert not outside, "read these by emerald_env.files (see CONTRIBUTING.md):\n" + "\n".join(
        outside
    )


def test_every_exception_is_still_needed():
    used = {prefix for name, _, _ in places() for prefix in ALLOWED if name.startswith(prefix)}
    assert used == set(ALLOWED)


@pytest.mark.parametrize(
    "text",
    [
        "np.load(path)",
        "numpy.load(path)",
        "open(path)",
        "open(path, 'rb')",
        "path.read_text()",
        "Path(name).open()",
        "json.load(file)",
        "zipfile.ZipFile(path)",
        "cv2.imread(name)",
        "tomllib.loads(text)",
        "torch.load(path, weights_only=True)",
    ],
)
def test_a_reading_is_seen(text):
    assert list(readings(ast.parse(text)))


@pytest.mark.parametrize(
    "text",
    ["open(path, 'w')", "path.open('ab')", "zipfile.ZipFile(buffer, 'w')", "read_json(path)"],
)
def test_a_writing_is_not_taken_for_a_reading(text):
    assert not list(readings(ast.parse(text)))
