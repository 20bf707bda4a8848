"""Prepares a source of mGBA for compiling into the shim.

Only the Game Boy Advance is compiled. In a copy of the source the processor's loop gets another
name, since core/loop.c takes its place; everything else is as it was. No mGBA code is in this
repository; a source is refused if anything that core/ and lines.c rely on differs from the version
they were written for.
"""

import re
import shutil
from hashlib import sha256
from pathlib import Path

VERSION = "0.10.5"
HERE = Path(__file__).parent
PROFILE_PLAY = HERE / "profile_play.py"
SOURCES = (
    *(f"arm/{name}.c" for name in ("arm", "isa-arm", "isa-thumb", "decoder", "decoder-arm")),
    "arm/decoder-thumb.c",
    *(f"core/{name}.c" for name in ("bitmap-cache", "cache-set", "cheats", "config", "core")),
    *(f"core/{name}.c" for name in ("directories", "interface", "log", "map-cache", "serialize")),
    *(f"core/{name}.c" for name in ("sync", "tile-cache", "timing")),
    "gb/audio.c",
    *(f"gba/{name}.c" for name in ("audio", "bios", "cheats", "core", "dma", "gba", "hle-bios")),
    *(f"gba/{name}.c" for name in ("io", "memory", "overrides", "savedata", "serialize", "sio")),
    *(f"gba/{name}.c" for name in ("timer", "video")),
    *(f"gba/cart/{name}.c" for name in ("ereader", "gpio", "matrix", "vfame")),
    *(f"gba/cheats/{name}.c" for name in ("codebreaker", "gameshark", "parv3")),
    "gba/extra/audio-mixer.c",
    *(f"gba/renderers/{name}.c" for name in ("cache-set", "common", "software-bg")),
    *(f"gba/renderers/{name}.c" for name in ("software-mode0", "software-obj", "video-software")),
    *(f"gba/sio/{name}.c" for name in ("gbp", "joybus")),
    "platform/posix/memory.c",
    "third-party/blip_buf/blip_buf.c",
    *(f"util/{name}.c" for name in ("circle-buffer", "crc32", "formatting", "gbk-table", "hash")),
    *(f"util/{name}.c" for name in ("patch", "patch-fast", "patch-ips", "patch-ups", "string")),
    *(f"util/{name}.c" for name in ("table", "vfs", "vfs/vfs-fd", "vfs/vfs-mem")),
)
# What core/, lines.c and sound.c rely on, as it is in version 0.10.5.
KNOWN = {
    name: digest
    for digest, name in map(str.split, (HERE / "known.sha256").read_text().splitlines())
}
DEFINITIONS = (
    ("M_CORE_GBA", None),
    ("MINIMAL_CORE", "2"),
    ("DISABLE_THREADING", None),
    ("MGBA_STATIC", None),
    ("MGBA_VERSION", f'"{VERSION}"'),
    ("_GNU_SOURCE", None),
    *((f"HAVE_{name}", None) for name in ("STRDUP", "STRNDUP", "LOCALTIME_R", "LOCALE")),
    *((f"HAVE_{name}", None) for name in ("NEWLOCALE", "FREELOCALE", "USELOCALE", "STRTOF_L")),
)
# The BIOS's ArcTan overflows: as two's complement with every compiler and Python.
OPTIMISE = ["-O3", "-flto=2", "-fvisibility=hidden", "-fwrapv"]
CPU_INFO = Path("/proc/cpuinfo")
# x86 processors since 2013, by their names in /proc/cpuinfo. Not "fma": it rounds differently.
MODERN = {
    "avx2": "-mavx2",
    "bmi1": "-mbmi",
    "bmi2": "-mbmi2",
    "abm": "-mlzcnt",
    "popcnt": "-mpopcnt",
    "movbe": "-mmovbe",
}


class UnknownSource(ValueError):
    """This is not the source that core/ was written for."""


def for_this_machine(cpu_info: str) -> list[str]:
    """Returns compiler options for the processor of this machine, none for an older or another one.

    Args:
        cpu_info: the contents of CPU_INFO.
    """
    found = re.search(r"^flags\s*:(.*)$", cpu_info, re.MULTILINE)
    modern = found is not None and MODERN.keys() <= set(found[1].split())
    return list(MODERN.values()) if modern else []


def prepare(source: Path, target: Path) -> list[str]:
    """Copies the needed files into a folder, changed as above; returns those to compile.

    Args:
        source: mGBA's source, or a folder that contains only its folder.
        target: folder for the copy; its contents are removed first.

    Raises:
        UnknownSource: it is another version, or was changed; the message names the first file.
    """
    source = find_root(source)
    for name, digest in KNOWN.items():
        if not (source / name).is_file() or hash_of(source / name) != digest:
            raise UnknownSource(f"{source / name} is not that of mGBA {VERSION}")
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source / "include", target / "include")
    shutil.copytree(source / "src", target / "src")
    path = target / "src" / "arm" / "arm.c"
    path.write_text(without_loop(path.read_text()))
    ours = (HERE / "no_settings.c", *sorted((HERE / "core").glob("*.c")))
    # setuptools refuses what is here by an absolute path; it builds from the repository's root
    relative = (path.relative_to(HERE.parents[2]).as_posix() for path in ours)
    return [*(str(target / "src" / name) for name in SOURCES), *relative]


def find_root(source: Path) -> Path:
    """Returns the folder of the source itself."""
    inner = [path.parent.parent for path in source.glob("*/src/arm")]
    return inner[0] if len(inner) == 1 else source


def hash_of(path: Path) -> str:
    """Returns a file's SHA-256."""
    return sha256(path.read_bytes()).hexdigest()


def without_loop(text: str) -> str:
    """Returns the file of the processor with another name for the loop that core/loop.c replaces.

    Raises:
        UnknownSource: it has no such loop.
    """
    text, count = re.subn(r"\bvoid ARMRunLoop\(", "void mgba_run_loop(", text)
    if count != 1:
        raise UnknownSource(f"the processor has {count} loops, not one")
    return text
