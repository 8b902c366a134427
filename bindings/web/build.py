"""Builds fixsync.wasm, the kernel and kit that pages run, out of csrc/: `python
bindings/web/build.py`.

It needs Debian's clang-19 and lld-19 (19.1.7); the environment variable FIXSYNC_WASM_CC names
another clang. The same sources and the same compiler give the same bytes. The module exports every
public function under its own name, its memory, and `__heap_base`, from where on the memory is free
for the caller. It imports nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

import build_ffi  # noqa: E402

MODULE = HERE / "fixsync.wasm"
COMPILER = "clang-19"
COMPILER_VERSION = "19.1.7"

FLAGS = [
    "--target=wasm32",
    "-std=c11",
    "-Oz",  # -msimd128 gains nothing
    "-flto",
    "-ffreestanding",
    "-nostdlib",
    "-mbulk-memory",
    "-DFXS_SMALL",
    "-DFXS_NO_INT128",  # a 128-bit multiplication would call a helper of compiler-rt
    "-fvisibility=hidden",
    '-DFXS_API=__attribute__((visibility("default")))',
    f"-I{HERE / 'libc'}",
    f"-I{ROOT / 'csrc'}",
    "-Wall",
    "-Werror",
    "-Wl,--no-entry",
    "-Wl,--export-dynamic",
    "-Wl,--export=__heap_base",
    "-Wl,--stack-first",  # an overflow of the stack traps instead of reaching data
    "-Wl,--strip-all",
    "-Wl,--compress-relocations",  # 4% of the module's bytes
    "-Wl,-mllvm,-enable-merge-functions",
    "-Wl,-mllvm,-disable-lsr",  # 1%: an index for each address instead of a pointer
    "-Wl,-mllvm,-two-entry-phi-node-folding-threshold=8",  # 1%: selections for short branches
    "-Wl,--fatal-warnings",
]


def compiler() -> str | None:
    """The clang to use, or None if there is none."""
    return shutil.which(os.environ.get("FIXSYNC_WASM_CC", COMPILER))


def compiler_version(clang: str) -> str:
    """Such as "19.1.7"."""
    return _run([clang, "-dumpversion"]).strip()


def sources() -> list[Path]:
    """The kernel's C files and what they ask of libc, in an order that is the same everywhere."""
    return [*(ROOT / name for name in build_ffi.files(".c")), HERE / "libc" / "string.c"]


def build(clang: str, out: Path) -> None:
    """Compiles and links into `out`. CalledProcessError, the compiler's words its `stderr`, on
    failure.
    """
    _run([clang, *FLAGS, *map(str, sources()), "-o", str(out)])
    out.chmod(0o644)


def _run(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main() -> int:
    clang = compiler()
    if clang is None:
        print(
            f"no {COMPILER}: install clang-19 and lld-19, or set FIXSYNC_WASM_CC", file=sys.stderr
        )
        return 1
    try:
        build(clang, MODULE)
    except subprocess.CalledProcessError as failure:
        print(failure.stderr, end="", file=sys.stderr)
        return 1
    print(f"{MODULE}: {MODULE.stat().st_size} bytes, clang {compiler_version(clang)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
