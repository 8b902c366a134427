"""Builds the wheels of other machines from the wheel of this one, with zig:

    python .ci/wheels.py WHEEL FOLDER [PLATFORM...]

A wheel of the stable ABI differs between machines in its kernel and in its name alone. The compiler
is of the package `ziglang`; it brings each platform's C library with it. The same sources and the
same compiler give the same bytes wherever they are built."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

FLAGS = ["-shared", "-O3", "-g0", "-s", "-fvisibility=hidden", "-mcpu=baseline"]
FLAGS += ["-fno-sanitize=all", "-DPy_LIMITED_API=0x030a0000"]
UNIX = ["-fPIC"]
# Python's functions are found in the program that loads the kernel. A library without a name holds
# the folder that it was built in.
MACOS = [*UNIX, "-Wl,-undefined,dynamic_lookup", "-Wl,-install_name,@rpath/_kernel.abi3.so"]


@dataclass(frozen=True)
class Target:
    """A target of the compiler, the name of its kernel, and its machine for `dlltool`."""

    triple: str
    flags: list[str]
    kernel: str = "_kernel.abi3.so"
    dll: str = ""


PLATFORMS = {
    "manylinux2014_x86_64.manylinux_2_17_x86_64": Target("x86_64-linux-gnu.2.17", UNIX),
    "manylinux2014_aarch64.manylinux_2_17_aarch64": Target("aarch64-linux-gnu.2.17", UNIX),
    "musllinux_1_2_x86_64": Target("x86_64-linux-musl", UNIX),
    "musllinux_1_2_aarch64": Target("aarch64-linux-musl", UNIX),
    "macosx_11_0_x86_64": Target("x86_64-macos.11.0", MACOS),
    "macosx_11_0_arm64": Target("aarch64-macos.11.0", MACOS),
    "win_amd64": Target("x86_64-windows-gnu", [], "_kernel.pyd", "i386:x86-64"),
    "win_arm64": Target("aarch64-windows-gnu", [], "_kernel.pyd", "arm64"),
}

# Of a target, not of the machine that builds.
PYCONFIG = """\
#define ALIGNOF_MAX_ALIGN_T 16
#define HAVE_PROTOTYPES 1
#define HAVE_STDARG_PROTOTYPES 1
#define HAVE_LONG_LONG 1
#define HAVE_STDINT_H 1
#define HAVE_UINTPTR_T 1
#define SIZEOF_SHORT __SIZEOF_SHORT__
#define SIZEOF_INT __SIZEOF_INT__
#define SIZEOF_LONG __SIZEOF_LONG__
#define SIZEOF_LONG_LONG __SIZEOF_LONG_LONG__
#define SIZEOF_SIZE_T __SIZEOF_SIZE_T__
#define SIZEOF_VOID_P __SIZEOF_POINTER__
#define SIZEOF_WCHAR_T __SIZEOF_WCHAR_T__
#define SIZEOF_DOUBLE 8
#define SIZEOF_FLOAT 4
#define SIZEOF_TIME_T 8
#ifdef _WIN32
#define MS_WIN32
#define MS_WINDOWS
#define MS_WIN64
#define Py_ENABLE_SHARED 1
#define HAVE_DECLSPEC_DLL
typedef __INTPTR_TYPE__ Py_ssize_t;
#define HAVE_PY_SSIZE_T 1
#define PY_SSIZE_T_MAX __INTPTR_MAX__
#else
#define HAVE_SSIZE_T 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_UNISTD_H 1
#define HAVE_WCHAR_H 1
#endif
"""

# What the headers' own macros call; the sources name all else.
OF_MACROS = ["_Py_Dealloc", "_Py_NoneStruct", "PyEval_RestoreThread", "PyEval_SaveThread"]


class WheelError(Exception):
    """What a compiler said that failed."""


def zig(*words: str | Path, cwd: Path) -> None:
    # What was compiled elsewhere is not taken for what is compiled here.
    env = {**os.environ, "ZIG_LOCAL_CACHE_DIR": str(cwd / "cache")}
    command = [sys.executable, "-m", "ziglang", *map(str, words)]
    done = subprocess.run(  # noqa: S603  # the compiler of a package
        command, cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise WheelError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def prepare(project: Path, work: Path) -> list[str]:
    """Copies a project's C files to a folder, with the glue and Python's headers, and returns the
    names of what is compiled.
    """
    shutil.copytree(project / "csrc", work / "csrc")
    emit = "import build_ffi, sys; build_ffi.glue().emit_c_code(sys.argv[1])"
    command = [sys.executable, "-c", emit, str(work / "_kernel.c")]
    subprocess.run(command, cwd=project, check=True, capture_output=True)  # noqa: S603
    other = shutil.ignore_patterns("pyconfig*.h")
    shutil.copytree(sysconfig.get_path("include"), work / "include", ignore=other)
    (work / "include" / "pyconfig.h").write_text(PYCONFIG)
    sources = sorted(path.relative_to(work).as_posix() for path in (work / "csrc").rglob("*.c"))
    return ["_kernel.c", *sources]


def compiled(target: Target, sources: list[str], work: Path) -> bytes:
    """The kernel for a target, out of what `prepare` put into a folder."""
    flags = [*FLAGS, *target.flags, "-Iinclude", "-Icsrc"]
    (work / "out").mkdir(exist_ok=True)
    if target.dll:
        named = re.findall(r"\bPy[A-Z]\w+", (work / "_kernel.c").read_text(encoding="utf-8"))
        symbols = sorted({*named, *OF_MACROS})
        lines = [f"  {name}{' DATA' * name.endswith('Struct')}\n" for name in symbols]
        (work / "python3.def").write_text(f"LIBRARY python3.dll\nEXPORTS\n{''.join(lines)}")
        library = [*("-m", target.dll), *("-d", "python3.def"), *("-l", "python3.lib")]
        zig("dlltool", *library, cwd=work)
        sources = [*sources, "python3.lib"]
    zig("cc", "-target", target.triple, *flags, *sources, "-o", f"out/{target.kernel}", cwd=work)
    return (work / "out" / target.kernel).read_bytes()


def packed(native: Path, platform: str, kernel: bytes, to: Path) -> Path:
    """The wheel of a platform: the one of this machine with another kernel and name."""
    name, _, _ = native.stem.rpartition("-")
    if not name.endswith("-abi3"):
        raise WheelError(f"{native.name}: only a wheel of the stable ABI is one of all Pythons")
    path = to / f"{name}-{platform}.whl"
    record: list[str] = []
    with zipfile.ZipFile(native) as source, zipfile.ZipFile(path, "w") as archive:
        for entry in sorted(source.infolist(), key=lambda entry: entry.filename.endswith("RECORD")):
            data = source.read(entry)
            file = entry.filename
            if re.fullmatch(r"fixsync/_kernel\.(?:.*\.so|pyd)", file):
                file, data = f"fixsync/{PLATFORMS[platform].kernel}", kernel
            elif file.endswith(".dist-info/WHEEL"):
                python = "-".join(name.split("-")[-2:])
                tags = [f"Tag: {python}-{tag}\n" for tag in platform.split(".")]
                data = re.sub(rb"(?:^Tag: .*\n)+", "".join(tags).encode(), data, flags=re.MULTILINE)
            elif file.endswith(".dist-info/RECORD"):
                data = "".join([*sorted(record), f"{file},,\n"]).encode()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            record.append(f"{file},sha256={digest},{len(data)}\n")
            info = zipfile.ZipInfo(file)  # of 1980-01-01
            info.external_attr = entry.external_attr
            archive.writestr(info, data, zipfile.ZIP_DEFLATED)
    return path


def build(project: Path, native: Path, to: Path, platforms: list[str]) -> list[Path]:
    """The wheels of platforms, out of a project's folder and the wheel of this machine."""
    to.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        sources = prepare(project, work)
        return [
            packed(native, platform, compiled(PLATFORMS[platform], sources, work), to)
            for platform in platforms
        ]


if __name__ == "__main__":
    if len(sys.argv) < 3 or {*sys.argv[3:]} - {*PLATFORMS}:
        sys.exit(f"{__doc__}\n\nplatforms: {' '.join(PLATFORMS)}")
    for wheel in build(ROOT, Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:] or [*PLATFORMS]):
        print(wheel.name)
