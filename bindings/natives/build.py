"""Builds the shared libraries of kernel and kit for other languages, on one machine:

    python bindings/natives/build.py FOLDER [TARGET...]
    python bindings/natives/build.py --godot FOLDER [TARGET...]

The second builds those of the Godot extension, bindings/godot/src with kernel and kit in it, and
those of more targets.

It needs `pip install ziglang`, which compiles for every target but the web; that needs clang and
wasm-ld of LLVM 19, and is built if they are there. The same compiler gives the same bytes. The
libraries import nothing, so one file serves glibc, musl and Android. Prints a table: target, bytes,
SHA-256."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import struct
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
CSRC = HERE.parents[1] / "csrc"
ZIG_VERSION = "0.17.1"

FLAGS = ("-std=c11", "-fvisibility=hidden", "-Wall", "-Werror")
LESS_INLINED = ("-mllvm", "-inline-threshold=40")  # a third of the size, and no slower here
SHARED = ("-DFXS_SHARED", "-DFXS_BUILD")
SMALL = (
    "#pragma clang attribute push(__attribute__((minsize)), apply_to = function)\n\n",
    "\n#pragma clang attribute pop\n",
)
GODOT = HERE.parent / "godot" / "src"
PAGES = ("-z", "max-page-size=16384")  # what Android asks for


@dataclass(frozen=True)
class Target:
    """A target of the compiler, and the name of its library."""

    triple: str
    file: str
    godot_file: str
    options: tuple[str, ...] = ()


TARGETS = {
    "linux-x64": Target(
        "x86_64-linux-none", "libfixsync.so", "libfixsync_godot.linux.x86_64.so", PAGES
    ),
    "linux-arm64": Target(
        "aarch64-linux-none", "libfixsync.so", "libfixsync_godot.linux.arm64.so", PAGES
    ),
    "win-x64": Target(
        "x86_64-windows-gnu",
        "fixsync.dll",
        "fixsync_godot.windows.x86_64.dll",
        ("-fno-compiler-rt", "-fentry=DllMainCRTStartup"),
    ),
    "win-arm64": Target(
        "aarch64-windows-gnu",
        "fixsync.dll",
        "fixsync_godot.windows.arm64.dll",
        ("-fno-compiler-rt", "-fentry=DllMainCRTStartup"),
    ),
    "android-arm": Target(
        "arm-linux-androideabi",
        "libfixsync.so",
        "libfixsync_godot.android.arm32.so",
        ("-mcpu=generic+v7a", *PAGES),
    ),
    # The compiler signs a library ad hoc by itself for arm64, and else if it has entitlements.
    "osx-x64": Target(
        "x86_64-macos.11.0",
        "libfixsync.dylib",
        "libfixsync_godot.macos.dylib",
        ("--entitlements", "none.plist"),
    ),
    "osx-arm64": Target("aarch64-macos.11.0", "libfixsync.dylib", "libfixsync_godot.macos.dylib"),
}
GODOT_TARGETS = {"ios-arm64": Target("aarch64-ios.12.0", "", "libfixsync_godot.ios.arm64.dylib")}
"""Of the Godot extension alone."""
WEB_TARGETS = {
    "web": Target("wasm32-unknown-emscripten", "", "libfixsync_godot.web.wasm32.wasm"),
    "web-threads": Target(
        "wasm32-unknown-emscripten",
        "",
        "libfixsync_godot.web.threads.wasm32.wasm",
        ("-matomics", "-mbulk-memory"),
    ),
}
"""Side modules of a Godot that was exported for the web with "Extensions Support", without and with
"Thread Support"."""
UNIVERSAL = "osx"
"""Both targets of macOS in one file."""


def build(name: str, out: Path, is_godot: bool) -> None:
    """Compiles one target."""
    target = {**TARGETS, **GODOT_TARGETS, **WEB_TARGETS}[name]
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
            "size_t strlen(const char *);\n"
        )
        (work / "none.plist").write_text('<plist version="1.0"><dict/></plist>\n')
        (work / "libc.c").write_bytes((HERE / "libc.c").read_bytes())
        if name in WEB_TARGETS:
            shutil.copytree(GODOT, work / "godot")
            build_web(target, work)
            out.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(work / target.godot_file, out)
            return
        # Only the kernel must be fast; the binding is small, and in it the kit.
        own = LESS_INLINED if is_godot else SHARED
        sources = ["-cflags", *FLAGS, *own, "--", "fixsync.c"]
        if is_godot:
            source = (work / "fixsync.c").read_text()
            kernel, kit = source.split("/* kit/", 1)
            (work / "fixsync.c").write_text(f"{kernel}{SMALL[0]}/* kit/{kit}{SMALL[1]}")
            shutil.copytree(GODOT, work / "godot")
            binding = sorted(f"godot/{path.name}" for path in GODOT.glob("*.c"))
            sources += ["-cflags", *FLAGS, "-Wextra", "-Os", "--", *binding]
        # Relative names: a library must not depend on where it was built.
        command = [
            *(sys.executable, "-m", "ziglang", "build-lib", "-dynamic", "-fstrip"),
            *(("-fno-unwind-tables",) if is_godot else ()),
            *("-target", target.triple, "-O", "ReleaseFast", "--name"),
            "fixsync_godot" if is_godot else "fixsync",
            *(() if any("-mcpu" in option for option in target.options) else ("-mcpu=baseline",)),
            *(*target.options, "-I", "."),
            *sources,
            *("-cflags", "-fno-builtin", "--", "libc.c"),
            f"-femit-bin={target.file or target.godot_file}",
        ]
        environment = {**os.environ, "ZIG_GLOBAL_CACHE_DIR": str(cache())}
        subprocess.run(command, check=True, cwd=work, env=environment)
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_bytes((work / (target.file or target.godot_file)).read_bytes())


CLANG, WASM_LD = "clang-19", "wasm-ld-19"


def build_web(target: Target, work: Path) -> None:
    """Compiles a side module of emscripten's: it imports memory, table and stack of the engine."""
    flags = ["-O2", "-fPIC", "-fvisibility=hidden", "-ffreestanding", "-I.", *target.options]
    flags += ["-DFXS_NO_INT128"]  # a 128-bit multiplication would import a helper
    objects = []
    binding = sorted(f"godot/{path.name}" for path in GODOT.glob("*.c"))
    for source in ["fixsync.c", "libc.c", *binding]:
        objects.append(source.replace("/", "_").replace(".c", ".o"))
        own = ["-fno-builtin"] if source == "libc.c" else []
        command = [CLANG, f"--target={target.triple}", "-std=c11", *flags, *own]
        subprocess.run([*command, "-c", source, "-o", objects[-1]], check=True, cwd=work)
    shared = ["--shared-memory"] if target.options else []
    link = [WASM_LD, "--experimental-pic", "-shared", "--no-entry", "--strip-all", *shared]
    link += ["--unresolved-symbols=import-dynamic", "--export-if-defined=fixsync_godot_init"]
    subprocess.run([*link, *objects, "-o", target.godot_file], check=True, cwd=work)


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
    is_godot = arguments[:1] == ["--godot"]
    arguments = arguments[is_godot:]
    known = [*TARGETS, UNIVERSAL, *([*GODOT_TARGETS, *WEB_TARGETS] if is_godot else [])]
    if not arguments or {*arguments[1:]} - {*known}:
        print(__doc__, file=sys.stderr)
        print(f"targets: {', '.join(known)}", file=sys.stderr)
        return 2
    if importlib.util.find_spec("ziglang") is None:
        print(f"no compiler: pip install ziglang=={ZIG_VERSION}", file=sys.stderr)
        return 1
    folder = Path(arguments[0])
    names = arguments[1:] or [name for name in known if not name.startswith("osx-")]
    if not arguments[1:] and not (shutil.which(CLANG) and shutil.which(WASM_LD)):
        names = [name for name in names if name not in WEB_TARGETS]
        print(f"the web is left out: no {CLANG}, {WASM_LD}", file=sys.stderr)
    for name in names:
        target = {**TARGETS, **GODOT_TARGETS, **WEB_TARGETS}[
            "osx-x64" if name == UNIVERSAL else name
        ]
        out = folder / target.godot_file if is_godot else folder / name / target.file
        if name == UNIVERSAL:
            parts = {}
            with tempfile.TemporaryDirectory() as work:
                for part in _MACHINES:
                    build(part, Path(work) / part, is_godot)
                    parts[part] = (Path(work) / part).read_bytes()
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_bytes(join(parts))
        else:
            build(name, out, is_godot)
        data = out.read_bytes()
        print(f"{name:12} {len(data):8} {hashlib.sha256(data).hexdigest()}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
