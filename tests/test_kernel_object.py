"""No float, no libc, no state: what compilers make of kernel and kit, looked at as machine code.

Two kinds of build. Of ordinary ones every instruction is read, and those on vector registers must
be moves or integer arithmetic. In the others the machine has no floating point: what uses it is
refused, or calls a routine."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from builds import ASSERTS, ROOT, Builds
from tools import ran

FREESTANDING = ("-ffreestanding", "-isystem", str(ROOT / "tests" / "native" / "wasm"))
PORTABLE = ("-DFXS_NO_INT128", "-DFXS_NO_BUILTINS", "-DFXS_NO_LITTLE_ENDIAN")

MEMORY = {"memcpy", "memmove", "memset"}
# Of the compiler's own run-time library: zeros of a word are counted, and 64 bits are divided and
# shifted.
BITS = {"__clzdi2", "__ctzdi2"}
WIDE = BITS | {
    "__udivdi3", "__divdi3", "__umoddi3", "__moddi3", "__udivmoddi4", "__divmoddi4", "__muldi3",
}  # fmt: skip
WIDE |= {"__ashldi3", "__lshrdi3", "__ashrdi3"}
EABI = BITS | {
    "__aeabi_uldivmod", "__aeabi_ldivmod", "__aeabi_uidiv", "__aeabi_idiv", "__aeabi_lmul",
}  # fmt: skip
EABI |= {"__aeabi_llsl", "__aeabi_llsr", "__aeabi_lasr", "__aeabi_uidivmod", "__aeabi_idivmod"}

# x86: these on vector registers neither compute with nor convert a floating-point number.
X86_INTEGER = re.compile(
    r"v?(p(?!f)\w+|mov([au]p[sd]|dq[au]\d*|[dq]|s[sd]|[hl]p[sd]|hlps|lhps|nt\w+)|(x?or|andn?)p[sd]"
    r"|(shuf|unpck[hl]|blendv?|movmsk)p[sd]|(insert|extract)([if]\d+(x\d+)?|ps)|align[dq]"
    r"|broadcast\w+|shuf[if]\d+x\d+|zeroupper)"
)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
def test_an_assertion_ends_a_program_of_the_tests_and_is_nothing_in_others(tmp_path: Path) -> None:
    source = tmp_path / "main.c"
    source.write_text('#include "hit.h"\nint main(void) { return hit_pack(2, 1, 1) == 0; }\n')
    compiler = ["gcc", "-std=c11", f"-I{ROOT / 'csrc'}", str(source)]
    outcomes = {}
    for name, flags in (("release", []), ("tests", ASSERTS)):
        subprocess.run([*compiler, *flags, "-o", str(tmp_path / name)], check=True)
        run = ran([tmp_path / name])
        outcomes[name] = (run.returncode == 0, run.stderr.partition(": ")[2].strip())
    failed = (False, "does not hold: a < b && a < (uint32_t)1 << 31")
    assert outcomes == {"release": (True, ""), "tests": failed}


def x86_computes(name: str, operands: str) -> bool:
    on_vectors = re.search(r"%([xyz]mm|st|mm)", operands)
    return name.startswith("f") or bool(on_vectors and not X86_INTEGER.fullmatch(name))


def aarch64_computes(name: str, operands: str) -> bool:
    """fmov between registers copies bits; with a constant it makes a number."""
    return bool(re.fullmatch(r"f(?!mov)\w+|[su]cvtf|bfcvt\w*", name)) or (
        name == "fmov" and "#" in operands
    )


Rule = Callable[[str, str], bool]


@dataclass(frozen=True)
class Build:
    compiler: str
    flags: tuple[str, ...]
    rule: Rule | None = None  # without one the machine has no floating point
    runtime: frozenset[str] = frozenset()
    objdump: str = "objdump"

    def __str__(self) -> str:
        return " ".join([self.compiler, *(flag for flag in self.flags if flag not in FREESTANDING)])


def gcc_of(
    triple: str, *flags: str, rule: Rule | None = None, runtime: set[str] | None = None
) -> Build:
    flags = flags if rule else (*flags, *FREESTANDING)
    return Build(f"{triple}-gcc", flags, rule, frozenset(runtime or ()), f"{triple}-objdump")


# Vector instructions are written for x86-64 and AArch64 alone. Where floating point is refused that
# does not depend on optimisation, and compiling without it takes a third of the time.
BUILDS = [
    Build("gcc", ("-O3", "-march=x86-64-v4"), x86_computes),
    Build("clang-19", ("-O3", "-march=x86-64-v4"), x86_computes),
    gcc_of("aarch64-linux-gnu", "-O1", rule=aarch64_computes),
    Build("gcc", ("-O0", "-mgeneral-regs-only", *PORTABLE, *FREESTANDING)),
    Build("gcc", ("-m32", "-O0", "-mgeneral-regs-only", *FREESTANDING), runtime=frozenset(WIDE)),
    gcc_of("aarch64-linux-gnu", "-O0", "-mgeneral-regs-only"),
    gcc_of("arm-linux-gnueabihf", "-O0", "-mfloat-abi=soft", runtime=EABI),
    gcc_of("riscv64-linux-gnu", "-O0", "-march=rv64imac", "-mabi=lp64", runtime=BITS),
    gcc_of("powerpc64le-linux-gnu", "-O0", "-msoft-float", runtime={".TOC."}),  # the linker's
    gcc_of("s390x-linux-gnu", "-O0", "-msoft-float"),
    gcc_of("powerpc-linux-gnu", "-O0", "-msoft-float", runtime=WIDE),
    gcc_of("mips-linux-gnu", "-O0", "-mno-abicalls", "-msoft-float", runtime=WIDE),
]


def output(*command: str | Path) -> str:
    return ran(command, check=True).stdout


def instructions(objdump: str, path: Path) -> Iterator[tuple[str, str]]:
    """Name and operands of each."""
    for line in output(objdump, "-d", "--no-show-raw-insn", path).splitlines():
        address, _, rest = line.partition("\t")
        if address.endswith(":") and rest:
            rest = rest.strip().removeprefix("{evex} ")  # how it is encoded
            name, _, operands = rest.partition(" " if "\t" not in rest else "\t")
            yield name, operands.strip()


def undefined(path: Path) -> set[str]:
    rows = map(str.split, output("readelf", "-sW", path).splitlines())
    return {row[-1] for row in rows if len(row) >= 8 and row[6] == "UND"}


def writable(path: Path) -> list[str]:
    """Sections with something in them that a program may write to."""
    found = []
    for line in output("readelf", "-SW", path).splitlines():
        name, kind, _, _, size, _, flags, *_ = [*line.partition("]")[2].split(), *[""] * 7]
        if kind in ("PROGBITS", "NOBITS") and {"W", "A"} <= set(flags) and int(size, 16):
            found.append(name)
    return found


def complaints(build: Build, source: Path, directory: Path) -> list[str]:
    """What the object holds that it must not. A build that is refused is one, too."""
    made = directory / f"{source.stem}.o"
    options = ["-std=c11", "-fno-pic", *build.flags, "-I", str(ROOT / "csrc"), "-c", str(source)]
    run = ran([build.compiler, *options, "-o", str(made)])
    if run.returncode != 0:
        return [run.stderr]
    found = [f"writable {name}" for name in writable(made)]
    if build.rule:
        found += [
            f"{name} {operands}"
            for name, operands in instructions(build.objdump, made)
            if build.rule(name, operands)
        ]
    return found + [f"calls {name}" for name in sorted(undefined(made) - MEMORY - build.runtime)]


@pytest.fixture(params=BUILDS, ids=str)
def build(request: pytest.FixtureRequest, tmp_path: Path) -> Build:
    build: Build = request.param
    probe = tmp_path / "probe.c"
    probe.write_text("#include <stdint.h>\n#include <string.h>\nint32_t one(void) { return 1; }\n")
    for name in (build.compiler, *([build.objdump] if build.rule else []), "readelf"):
        if shutil.which(name) is None:
            pytest.skip(f"no {name} on this machine")
    if said := complaints(build, probe, tmp_path):
        pytest.skip(f"{build} compiles nothing here: {said[0][:200]}")
    return build


@pytest.mark.full
def test_kernel_and_kit_have_no_float_no_libc_and_no_state(
    build: Build, builds: Builds, tmp_path: Path
) -> None:
    assert complaints(build, builds.source() / "fixsync.c", tmp_path) == []


FAULTS = {
    "a sum of floats": "float total(const float *v) { return v[0] + v[1]; }",
    "a product through a double": "int scaled(int v) { return (int)(v * 0.3); }",
    "a conversion alone": "double as_double(int v) { return v; }",
    "a root": "double root(double v) { return __builtin_sqrt(v); }",
    "a counter that stays": "int next(void) { static int n; return ++n; }",
    "a table that may be written": "int table[3] = {1, 2, 3};",
    "a call of libc": "int abs_of(const char *s); int strlen_of(const char *s) { return abs_of(s); }",
}


@pytest.mark.full
def test_planted_faults_are_seen_in_every_build(build: Build, tmp_path: Path) -> None:
    source = tmp_path / "fault.c"
    unseen = []
    for fault, text in FAULTS.items():
        source.write_text(text + "\n")
        if complaints(build, source, tmp_path) == []:
            unseen.append(fault)
    assert unseen == []


WASM = ROOT / "bindings" / "web" / "fixsync.wasm"


def test_the_web_page_s_module_has_no_float() -> None:
    if shutil.which("wasm-objdump") is None:
        pytest.skip("no wasm-objdump on this machine")
    lines = output("wasm-objdump", "-d", "-x", WASM).splitlines()
    assert sum("|" in line for line in lines) > 1000  # instructions
    assert [line for line in lines if re.search(r"\b(f32|f64|f32x4|f64x2)\b", line)] == []
