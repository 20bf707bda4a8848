"""What is known of the names that pickles import: which are usual, and which run code.

The usual ones are those that Stable-Baselines3, sb3-contrib and torch write themselves; they were
listed from such files. Anything else may be harmless, but only its source could tell.
"""

from typing import Literal

from baselines.checkpoints.pickles import Name

Verdict = Literal["usual", "unknown", "code", "dangerous"]
MEANING: dict[Verdict, str] = {
    "usual": "what Stable-Baselines3 and torch write themselves",
    "unknown": "could do anything",
    "code": "brings code of its own",
    "dangerous": "runs commands or code, or touches files or the network",
}
RETURNED = " (what it returned)"  # behind the name of what made the thing that is called
WORST_FIRST: tuple[Verdict, ...] = ("dangerous", "code", "unknown", "usual")

PLAIN_BUILTINS = (
    "bool bytearray bytes complex dict float frozenset int list object range set slice str tuple"
)
USUAL: dict[str, str] = {
    "__builtin__": PLAIN_BUILTINS,
    "builtins": PLAIN_BUILTINS,
    "baselines.learner.policies": "ActorCritic",
    "baselines.learner.recurrent": "RecurrentActorCritic",
    "baselines.learner.rollout": "RolloutBuffer",
    "baselines.learner.schedules": "LinearSchedule",
    "baselines.learner.networks": "ScreenAndState SmallCNN TileCNN",
    "baselines.learner.impala": "ImpalaCNN",
    "_codecs": "encode",
    "collections": "OrderedDict defaultdict deque",
    "copyreg": "_reconstructor",
    "gym.spaces.box": "Box",
    "gym.spaces.dict": "Dict",
    "gym.spaces.discrete": "Discrete",
    "gymnasium.spaces.box": "Box",
    "gymnasium.spaces.dict": "Dict",
    "gymnasium.spaces.discrete": "Discrete",
    "numpy": "bool bool_ dtype float32 float64 int32 int64 ndarray uint8",
    "numpy.core.multiarray": "_reconstruct scalar",
    "numpy.core.numeric": "_frombuffer",
    "numpy._core.multiarray": "_reconstruct scalar",
    "numpy._core.numeric": "_frombuffer",
    "numpy.random._mt19937": "MT19937",
    "numpy.random._pcg64": "PCG64",
    "numpy.random._pickle": "__bit_generator_ctor __generator_ctor __randomstate_ctor",
    "numpy.random._generator": "Generator",
    "numpy.random.bit_generator": "SeedSequence __pyx_unpickle_SeedSequence",
    "sb3_contrib.common.recurrent.buffers": "RecurrentDictRolloutBuffer RecurrentRolloutBuffer",
    "sb3_contrib.common.recurrent.policies": (
        "RecurrentActorCriticCnnPolicy RecurrentActorCriticPolicy "
        "RecurrentMultiInputActorCriticPolicy"
    ),
    "sb3_contrib.common.recurrent.type_aliases": "RNNStates",
    "stable_baselines3.common.buffers": "DictRolloutBuffer RolloutBuffer",
    "stable_baselines3.common.policies": (
        "ActorCriticCnnPolicy ActorCriticPolicy MultiInputActorCriticPolicy"
    ),
    "stable_baselines3.common.torch_layers": "CombinedExtractor FlattenExtractor NatureCNN",
    "stable_baselines3.common.utils": "ConstantSchedule FloatSchedule LinearSchedule",
    "torch": (
        "BFloat16Storage BoolStorage ByteStorage CharStorage DoubleStorage FloatStorage "
        "HalfStorage IntStorage LongStorage ShortStorage Size bfloat16 bool device float16 float32 "
        "float64 int16 int32 int64 int8 uint8"
    ),
    "torch._utils": "_rebuild_parameter _rebuild_tensor _rebuild_tensor_v2",
    "torch.nn.modules.activation": "ReLU Tanh",
    "torch.optim.adam": "Adam",
    "torch.serialization": "_get_layout",
    "torch.storage": "TypedStorage UntypedStorage _load_from_bytes",
}
# `_load_from_bytes` opens a pickle inside the pickle.
DANGEROUS_NAMES: dict[str, str] = {
    "builtins": (
        "__build_class__ __import__ breakpoint compile delattr eval exec getattr globals "
        "input locals open setattr vars"
    ),
    "numpy": "fromfile load loadtxt memmap save savetxt",
    "torch": "hub jit load package save",
    "torch.storage": "_load_from_bytes",
}
DANGEROUS_MODULES = frozenset(
    "? _io _pickle _posixsubprocess _thread _winapi aiohttp asyncio bdb cProfile cffi code codecs "
    "codeop commands concurrent copyreg ctypes dill distutils doctest ensurepip fileinput ftplib "
    "gc glob http httpx idlelib imp importlib inspect io joblib linecache logging "
    "marshal mmap multiprocessing nt ntpath operator os pathlib pdb pickle pip pkgutil platform "
    "posix posixpath profile pty pydoc requests runpy setuptools shelve shutil signal site smtplib "
    "socket socketserver sqlite3 ssl subprocess sys tarfile telnetlib tempfile threading timeit "
    "tkinter trace traceback types unittest urllib urllib3 uuid venv webbrowser winreg xmlrpc "
    "zipfile zipimport".split()
)
DANGEROUS_PACKAGES = (
    "numpy.distutils",
    "numpy.f2py",
    "numpy.testing",
    "torch.distributed",
    "torch.hub",
    "torch.jit",
    "torch.package",
    "torch.serialization",
    "torch.utils",
)
CODE_MODULES = frozenset({"cloudpickle"})


def judge(name: Name) -> Verdict:
    """Returns what is known of an imported name."""
    if name.name.endswith(RETURNED):
        made_by = judge(Name(name.module, name.name.removesuffix(RETURNED)))
        return "unknown" if made_by == "usual" else made_by
    module = "builtins" if name.module == "__builtin__" else name.module
    package = module.partition(".")[0]
    if name.name in DANGEROUS_NAMES.get(module, "").split():
        return "dangerous"
    if name.name in USUAL.get(module, "").split():
        return "usual"
    if package in CODE_MODULES:
        return "code"
    dangerous = package in DANGEROUS_MODULES or module.startswith(DANGEROUS_PACKAGES)
    # "torch.nn" of the module "torch" reaches into another module, as does "nn.functional.x"
    reaches = module in ("builtins", "torch", "numpy") and "." in name.name
    return "dangerous" if dangerous or reaches else "unknown"
