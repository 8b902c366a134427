"""Builds fixsync.wasm, the kernel and kit that pages run, out of csrc/: `python
bindings/web/build.py`.

It needs Debian's clang-19 and lld-19 (19.1.7); the environment variable FIXSYNC_WASM_CC names
another clang. The same sources and the same compiler give the same bytes. The module exports every
public function under its own name, its memory, and `__heap_base`, from where on the memory is free
for the caller. It imports nothing. Its SIMD instructions are in Chrome 91, Firefox 89, Safari 16.4
and newer ones; `--scalar FILE` writes a module without them."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

import build_ffi  # noqa: E402

MODULE = HERE / "fixsync.wasm"
COMPILER = "clang-19"
COMPILER_VERSION = "19.1.7"

SIMD = ["-msimd128"]
SMALL = "-DFXS_SMALL"
# What a step runs is built for speed: a tenth more bytes, a third less time (bench/web.py). Of two
# files the small form is as fast: that of contacts has 20 KB less.
STEP = {
    "-O2": {"all_pairs.c", "broad_pairs.c", "change.c", "grid.c", "moved.c", "placed_shape.c"}
    | {"sort.c", "step.c", "world.c"},
    f"-O2 {SMALL}": {"angle.c", "contact.c"},
}

COMPILE = [
    "--target=wasm32",
    "-std=c11",
    "-flto",
    "-ffreestanding",
    "-mbulk-memory",
    "-DFXS_NO_INT128",  # a 128-bit multiplication would call a helper of compiler-rt
    "-fvisibility=hidden",
    '-DFXS_API=__attribute__((visibility("default")))',
    f"-I{HERE / 'libc'}",
    f"-I{ROOT / 'csrc'}",
    "-Wall",
    "-Werror",
]
LINK = [
    "-nostdlib",
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


def build(clang: str, out: Path, simd: bool = True) -> None:
    """Compiles and links into `out`. CalledProcessError, the compiler's words its `stderr`, on
    failure.
    """
    flags = [*COMPILE, *(SIMD if simd else [])]
    rest = {file.name for file in sources()}.difference(*STEP.values())
    with tempfile.TemporaryDirectory() as folder:
        for options, names in {**STEP, f"-Oz {SMALL}": rest}.items():
            files = [str(file) for file in sources() if file.name in names]
            _run([clang, *flags, *options.split(), "-c", *files], folder)
        objects = [f"{file.stem}.o" for file in sources()]
        _run([clang, *flags, "-Oz", *LINK, *objects, "-o", str(out.resolve())], folder)
    out.chmod(0o644)


def _run(command: list[str], folder: str | None = None) -> str:
    run = subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
    return run.stdout


def main() -> int:
    clang = compiler()
    if clang is None:
        print(
            f"no {COMPILER}: install clang-19 and lld-19, or set FIXSYNC_WASM_CC", file=sys.stderr
        )
        return 1
    parser = argparse.ArgumentParser(description="Builds fixsync.wasm.")
    parser.add_argument("--scalar", type=Path, metavar="FILE", help="Module without SIMD to write.")
    scalar = parser.parse_args().scalar
    module = MODULE if scalar is None else scalar
    try:
        build(clang, module, simd=scalar is None)
    except subprocess.CalledProcessError as failure:
        print(failure.stderr, end="", file=sys.stderr)
        return 1
    print(f"{module}: {module.stat().st_size} bytes, clang {compiler_version(clang)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
