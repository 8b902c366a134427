"""The source of the kernel, where no linter looks: those are in .pre-commit-config.yaml."""

from __future__ import annotations

import re
import shutil
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from builds import CSRC, ROOT, STRICT
from tools import ran

KERNEL = sorted(CSRC.rglob("*.[ch]"))


def floors(csrc: Path) -> list[str]:
    """The files of the kernel, each below those that include it or call it: a header and a source
    of one name are one file."""
    texts = {
        path: re.sub(r"/\*.*?\*/", "", path.read_text(encoding="ascii"), flags=re.DOTALL)
        for path in sorted(csrc.rglob("*.[ch]"))
        if not path.name.startswith("fixsync")
    }
    defined = {
        name: path.stem
        for path, text in texts.items()
        for name in re.findall(r"^\w[\w ]*\b\*?(fxs_\w+)\([^;{]*\) \{", text, re.MULTILINE)
    }
    needs: dict[str, set[str]] = {}
    for path, text in texts.items():
        own = needs.setdefault(path.stem, set())
        own |= {Path(name).stem for name in re.findall(r'#include "([^"]+)"', text)}
        if path.suffix == ".c":
            own |= {defined[name] for name in re.findall(r"\bfxs_\w+", text) if name in defined}
        own -= {path.stem, "fixsync", "fixsync_kit"}
    return list(TopologicalSorter(needs).static_order())


def test_no_files_of_the_kernel_need_each_other_in_a_circle(tmp_path: Path) -> None:
    order = floors(CSRC)
    assert len(order) > 60
    stairs = ["integer", "angle", "placed_shape", "contact", "memory", "grid", "world", "step"]
    assert sorted(stairs, key=order.index) == stairs
    shutil.copytree(CSRC, tmp_path / "csrc")
    with (tmp_path / "csrc" / "grid.h").open("a") as grid:
        grid.write('#include "broad_pairs.h"\n')
    with pytest.raises(CycleError, match="broad_pairs"):
        floors(tmp_path / "csrc")


def test_the_kernel_names_no_floating_point_and_nothing_of_libc() -> None:
    libc = re.compile(
        r"\b(mem[a-z]+|str(?:len|n?cmp|n?cpy|n?cat|r?chr|str|dup)|[a-z]*printf|abort)\("
    )
    for path in KERNEL:
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.search(r"\b(float|double|_Float\w+)\b", text), path
        allowed = {"<stddef.h>", "<stdint.h>", "<string.h>"}
        if path.name == "blocks.h":  # of these, integer instructions only: see test_kernel_object
            allowed |= {"<emmintrin.h>", "<arm_neon.h>", "<wasm_simd128.h>"}
        included = set(re.findall(r"#\s*include\s+(\S+)", text))
        assert {name for name in included if name.startswith("<")} <= allowed, path
        assert {*libc.findall(text)} <= {"memcpy", "memmove", "memset"}, path


@pytest.mark.full
@pytest.mark.parametrize(
    "flags", ["", "-m32 -DFXS_NO_INT128 -DFXS_NO_BUILTINS -DFXS_NO_LITTLE_ENDIAN"]
)
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_kernel_builds_without_warnings(compiler: str, flags: str, tmp_path: Path) -> None:
    def compiles(source: Path) -> str:
        options = ["-std=c11", "-O2", *STRICT, *flags.split(), "-c", "-o", tmp_path / "o"]
        run = ran([compiler, *options, source])
        return "" if run.returncode == 0 else run.stderr or "failed"

    probe = tmp_path / "probe.c"
    probe.write_text("#include <stdint.h>\n#include <string.h>\nextern int32_t unused;\n")
    if shutil.which(compiler) is None or compiles(probe):
        pytest.skip(f"{compiler} {flags} is not on this machine")
    faults = {path.name: compiles(path) for path in KERNEL if path.suffix == ".c"}
    assert {name: fault for name, fault in faults.items() if fault} == {}


def test_the_angle_table_is_what_its_generator_writes() -> None:
    generator = ROOT / "csrc" / "angle_table.py"
    run = ran([sys.executable, str(generator)], check=True)
    assert run.stdout == (ROOT / "csrc" / "angle_table.h").read_text(encoding="utf-8")
