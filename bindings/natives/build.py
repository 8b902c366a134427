"""Builds the shared libraries of kernel and kit for other languages, on one machine:

    python bindings/natives/build.py FOLDER [TARGET...]

It needs `pip install ziglang`, which compiles for every target. The same compiler gives the same
bytes. Those of Linux and Windows import nothing, so one file serves glibc, musl and Android; those
of macOS (11 and newer) import bzero. Prints a table: target, bytes, SHA-256."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
CSRC = HERE.parents[1] / "csrc"
ZIG_VERSION = "0.17.1"

FLAGS = ("-std=c11", "-DFXS_SHARED", "-DFXS_BUILD", "-fvisibility=hidden", "-Wall", "-Werror")
PAGES = ("-z", "max-page-size=16384")  # what Android asks for


@dataclass(frozen=True)
class Target:
    """A target of the compiler, and the name of its library."""

    triple: str
    file: str
    options: tuple[str, ...] = ()


TARGETS = {
    "linux-x64": Target("x86_64-linux-none", "libfixsync.so", PAGES),
    "linux-arm64": Target("aarch64-linux-none", "libfixsync.so", PAGES),
    "win-x64": Target(
        "x86_64-windows-gnu", "fixsync.dll", ("-fcompiler-rt", "-fentry=DllMainCRTStartup")
    ),
    "osx-x64": Target("x86_64-macos.11.0", "libfixsync.dylib"),
    "osx-arm64": Target("aarch64-macos.11.0", "libfixsync.dylib"),
}
UNIVERSAL = "osx"
"""Both targets of macOS in one file."""


def build(name: str, out: Path) -> None:
    """Compiles one target."""
    target = TARGETS[name]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        amalgamate = [sys.executable, CSRC / "amalgamate.py", work]
        subprocess.run(amalgamate, check=True, stdout=subprocess.DEVNULL)
        # A stub for what the compiler's own headers include and the kernel does not use.
        (work / "mm_malloc.h").write_text("")
        (work / "string.h").write_text(
            "#include <stddef.h>\n"
            "void *memcpy(void *, const void *, size_t);\n"
            "void *memmove(void *, const void *, size_t);\n"
            "void *memset(void *, int, size_t);\n"
        )
        (work / "libc.c").write_bytes((HERE / "libc.c").read_bytes())
        # Relative names: a library must not depend on where it was built.
        command = [
            *(sys.executable, "-m", "ziglang", "build-lib", "-dynamic", "-fstrip"),
            *("-target", target.triple, "-O", "ReleaseFast", "--name", "fixsync"),
            *("-mcpu=baseline", *target.options, "-I", "."),
            *("-cflags", *FLAGS, "--", "fixsync.c"),
            *("-cflags", "-fno-builtin", "--", "libc.c"),
            f"-femit-bin={target.file}",
        ]
        environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(cache())}
        subprocess.run(command, check=True, cwd=work, env=environment)
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_bytes((work / target.file).read_bytes())


def cache() -> Path:
    """Where the compiler keeps its own libraries."""
    home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return home / "fixsync" / "zig"


_MACHINES = {"osx-x64": (0x01000007, 3), "osx-arm64": (0x0100000C, 0)}
"""CPU type and subtype of a Mach-O file."""


def join(parts: dict[str, bytes]) -> bytes:
    """Mach-O files as one universal file: a big-endian table, and each at a multiple of 2^14."""
    align = 14
    head = struct.pack(">II", 0xCAFEBABE, len(parts))
    end, body = 1 << align, b""
    for name, data in parts.items():
        kind, subkind = _MACHINES[name]
        head += struct.pack(">IIIII", kind, subkind, end, len(data), align)
        padded = data + bytes(-len(data) % (1 << align))
        body += padded
        end += len(padded)
    return head + bytes((1 << align) - len(head)) + body


def main(arguments: list[str]) -> int:
    if not arguments or {*arguments[1:]} - {*TARGETS, UNIVERSAL}:
        print(__doc__, file=sys.stderr)
        print(f"targets: {', '.join([*TARGETS, UNIVERSAL])}", file=sys.stderr)
        return 2
    if importlib.util.find_spec("ziglang") is None:
        print(f"no compiler: pip install ziglang=={ZIG_VERSION}", file=sys.stderr)
        return 1
    folder = Path(arguments[0])
    names = arguments[1:] or [name for name in TARGETS if not name.startswith("osx")] + [UNIVERSAL]
    for name in names:
        if name == UNIVERSAL:
            parts = {}
            with tempfile.TemporaryDirectory() as work:
                for part in _MACHINES:
                    build(part, Path(work) / part)
                    parts[part] = (Path(work) / part).read_bytes()
            out = folder / name / "libfixsync.dylib"
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_bytes(join(parts))
        else:
            out = folder / name / TARGETS[name].file
            build(name, out)
        data = out.read_bytes()
        print(f"{name:12} {len(data):8} {hashlib.sha256(data).hexdigest()}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
