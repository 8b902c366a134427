"""The same golden on every target: builds golden.c and golden_kit.c for each, runs them, compares
their text with golden.txt and golden_kit.txt.

    python tests/native/targets.py              every target, every case
    python tests/native/targets.py --short      the ones of the tests, with fewer cases
    python tests/native/targets.py --only s390x --only wasm
    python tests/native/targets.py --compiler mycc --flags="-O2 -static" --runner="qemu-mine"
    python tests/native/targets.py --list

Prints a table and says plainly which targets this machine could not build or run, and why. Exit
code 0: all that ran printed the same; 1: one did not, or failed; 2: one named with --require could
not be tried."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CSRC = ROOT / "csrc"
GOLDEN = HERE / "golden.txt"
ASSERTS = ("-include", str(HERE / "assert.h"))  # the kernel's own assertions
KIT_GOLDEN = HERE / "golden_kit.txt"
KERNEL = sorted(CSRC.glob("*.c"))
KIT = sorted(CSRC.glob("kit/*.c"))
FULL, SHORT, QUICK = 2, 1, 0
LEVELS = {FULL: "all cases", SHORT: "level 1", QUICK: "level 0"}

PROGRAM = "golden.exe"  # a name that Windows takes for a program, and others do not mind
NO_INT128 = "-DFXS_NO_INT128"
PORTABLE = (NO_INT128, "-DFXS_NO_BUILTINS", "-DFXS_NO_LITTLE_ENDIAN")
SMALL = "-DFXS_SMALL"  # as the web package is built
CLANG = "clang"  # the newest one that is installed


@dataclass(frozen=True)
class Target:
    name: str
    compiler: str
    flags: tuple[str, ...]
    runner: tuple[str, ...] = ()
    machine: str = "x86-64"
    link_with: str = ""  # a compiler that links in the place of the one that compiles
    short: bool = False
    most: int = FULL  # the level at which it takes a time that can be waited for
    kind: str = "c"


@dataclass(frozen=True)
class Machine:
    """An emulated machine: Debian's name of its compiler, qemu's of it, and what it is like."""

    name: str
    triple: str
    qemu: str
    bits: int
    endian: str
    clang: bool = True
    static: bool = True
    short: str = ""  # the level of optimisation at which CI runs it


MACHINES = (
    Machine("aarch64", "aarch64-linux-gnu", "aarch64", 64, "little", short="-O2"),
    Machine("armhf", "arm-linux-gnueabihf", "arm", 32, "little", short="-O0"),
    Machine("armel", "arm-linux-gnueabi", "arm", 32, "little"),
    Machine("i686", "i686-linux-gnu", "i386", 32, "little"),
    Machine("riscv64", "riscv64-linux-gnu", "riscv64", 64, "little"),
    Machine("ppc64le", "powerpc64le-linux-gnu", "ppc64le", 64, "little"),
    Machine("s390x", "s390x-linux-gnu", "s390x", 64, "big", short="-O0"),
    Machine("powerpc", "powerpc-linux-gnu", "ppc", 32, "big"),
    Machine("ppc64", "powerpc64-linux-gnu", "ppc64", 64, "big"),
    Machine("mips", "mips-linux-gnu", "mips", 32, "big"),
    Machine("mips64el", "mips64el-linux-gnuabi64", "mips64el", 64, "little"),
    Machine("sparc64", "sparc64-linux-gnu", "sparc64", 64, "big"),
    Machine("m68k", "m68k-linux-gnu", "m68k", 32, "big", clang=False),
    Machine("hppa", "hppa-linux-gnu", "hppa", 32, "big", clang=False),
    Machine("alpha", "alpha-linux-gnu", "alpha", 64, "little", clang=False, static=False),
)
# By machine: a compiler, flags for its vector instructions, their name, and the processor to
# emulate.
VECTORS = {
    "aarch64": ("gcc", ("-O3", "-march=armv8.2-a+sve"), "-O3 SVE", "max"),
    "armhf": ("gcc", ("-O3", "-mfpu=neon"), "-O3 NEON", "max"),
    "riscv64": ("clang", ("-O3", "-march=rv64gcv"), "-O3 V", "rv64,v=true,vext_spec=v1.0"),
    "ppc64le": ("gcc", ("-O3", "-mcpu=power10"), "-O3 POWER10", "power10"),
    "s390x": ("gcc", ("-O3", "-march=z14"), "-O3 z14", "max"),
}

SANITIZE = ("-O1", "-g", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer")
ADDRESSES = (*SANITIZE, "-fsanitize=address,undefined")


def native_targets() -> Iterable[Target]:
    for compiler in ("gcc", CLANG):
        debug = ("-O0", *ASSERTS)
        name, short = f"{compiler} -O0 with assertions", compiler == "gcc"
        yield Target(name, compiler, debug, short=short)
        for level in ("-O1", "-O2", "-O3", "-Os", "-Ofast"):
            short = compiler == "gcc" and level == "-O3"
            yield Target(f"{compiler} {level}", compiler, (level,), short=short)
        yield Target(f"{compiler} -O2 LTO", compiler, ("-O2", "-flto"))
        yield Target(f"{compiler} -O2 no __int128", compiler, ("-O2", NO_INT128))
        name, portable = f"{compiler} -O2 portable forms", ("-O2", *PORTABLE)
        yield Target(name, compiler, portable, short=compiler == CLANG)
        yield Target(f"{compiler} -Os small form", compiler, ("-Os", SMALL))
        yield Target(f"{compiler} -O2 -funsigned-char", compiler, ("-O2", "-funsigned-char"))
        for march in ("x86-64-v2", "x86-64-v3", "x86-64-v4", "native"):
            yield Target(f"{compiler} -O3 -march={march}", compiler, ("-O3", f"-march={march}"))
        for flags in (("-O0",), ("-O2",), ("-O3",), ("-O2", "-mno-sse", "-march=i586")):
            name, short = f"{compiler} -m32 {' '.join(flags)}", flags == ("-O2",)
            short = short and compiler == "gcc"
            yield Target(name, compiler, ("-m32", *flags), machine="x86-32", short=short)
        yield Target(f"{compiler} ASan, UBSan", compiler, ADDRESSES)
        yield Target(f"{compiler} -ftrapv", compiler, ("-O1", "-ftrapv"))
    yield Target("gcc -m32 ASan, UBSan", "gcc", ("-m32", *ADDRESSES), machine="x86-32")
    yield Target("clang MSan", CLANG, (*SANITIZE, "-fsanitize=memory"))
    ignore = f"-fsanitize-ignorelist={HERE / 'integer.ignore'}"
    integers = (*SANITIZE, "-fsanitize=integer,implicit-conversion", ignore)
    yield Target("clang integer sanitizer", CLANG, integers, short=True)
    yield Target("clang integer sanitizer, portable forms", CLANG, (*integers, *PORTABLE))
    yield Target("clang -ftrivial-auto-var-init", CLANG, ("-O2", "-ftrivial-auto-var-init=pattern"))
    yield Target("gcc -mx32", "gcc", ("-O2", "-mx32"), machine="x86-64, 32-bit pointers")
    for other in ("gcc-11", "gcc-13", "gcc-14", "clang-14", "clang-16", "clang-20"):
        yield Target(f"{other} -O2", other, ("-O2",))
    yield Target("tcc", "tcc", ())
    yield Target(
        "mingw -O2 under Wine",
        "x86_64-w64-mingw32-gcc",
        ("-O2", "-static"),
        ("wine",),
        machine="x86-64 Windows, 32-bit long",
        most=SHORT,
    )


def on_machine(
    m: Machine, name: str, compiler: str, flags: tuple[str, ...], cpu: str = "", short: bool = False
) -> Target:
    """clang compiles for a machine too, and its gcc links: it knows where that machine's libraries
    are.
    """
    gcc = f"{m.triple}-gcc"
    runner = [f"qemu-{m.qemu}-static"]
    if cpu:
        runner += ["-cpu", cpu]
    if m.static:
        flags = (*flags, "-static")
    else:
        runner += ["-L", f"/usr/{m.triple}"]
    clang = compiler == CLANG
    return Target(
        f"{compiler} {m.name} {name}",
        CLANG if clang else gcc,
        (f"--target={m.triple}", *flags) if clang else flags,
        tuple(runner),
        f"{m.name}, {m.bits}-bit {m.endian}-endian",
        link_with=gcc if clang else "",
        short=short,
    )


def emulated_targets() -> Iterable[Target]:
    for m in MACHINES:
        for level in ("-O0", "-O2", "-O3"):
            yield on_machine(m, level, "gcc", (level,), short=level == m.short)
        if m.bits == 64:
            yield on_machine(m, "-O2 no __int128", "gcc", ("-O2", NO_INT128))
        if m.clang:
            yield on_machine(m, "-O2", CLANG, ("-O2",))
        if m.name in VECTORS:
            compiler, flags, name, cpu = VECTORS[m.name]
            yield on_machine(m, name, compiler, flags, cpu)


def other_targets() -> Iterable[Target]:
    for level in ("-O0", "-O2", "-O3 -msimd128", f"-Oz {SMALL}"):
        yield Target(
            f"clang wasm32 {level}, Node",
            CLANG,
            tuple(level.split()),
            ("node", str(HERE / "wasm" / "run.mjs")),
            machine="wasm32",
            short=SMALL in level,
            kind="wasm",
        )
    yield Target(
        "clang wasm32 -O2, wasmtime",
        CLANG,
        ("-O2",),
        (sys.executable, str(HERE / "wasm" / "run.py")),
        machine="wasm32",
        kind="wasm",
    )
    yield Target(
        "reference.c: 384-bit integers, all pairs",
        "gcc",
        ("-O2",),
        machine="another program",
        kind="reference",
    )
    options = {"machine": "another program", "short": True, "most": QUICK, "kind": "python"}
    yield Target("tests/model.py: big integers", sys.executable, (), **options)


def all_targets() -> list[Target]:
    return [*native_targets(), *emulated_targets(), *other_targets()]


@dataclass(frozen=True)
class Result:
    target: str
    machine: str
    verdict: str  # same, different, failed, not built, not run
    level: int
    seconds: float
    detail: str

    @property
    def bad(self) -> bool:
        return self.verdict in ("different", "failed")


class MissingError(Exception):
    """What a target needs is not on this machine."""


class BrokenError(Exception):
    """A target was built or run, and that went wrong."""


# Sections that reference.c has no part in: tests/model.py checks them.
KERNEL_ONLY = frozenset({"applied", "levels", "outlines", "pushes", "casts", "separations"})


def golden_lines(level: int, reference: bool = False, golden: Path = GOLDEN) -> list[str]:
    """What a run of `level` has to print."""
    lines = golden.read_text(encoding="ascii").splitlines()
    return [
        line
        for line in lines
        if int(line.split()[0]) <= level and not (reference and line.split()[1] in KERNEL_ONLY)
    ]


def newest_clang() -> str:
    names = [f"clang-{version}" for version in range(30, 12, -1)] + ["clang"]
    found = next((name for name in names if shutil.which(name)), None)
    if found is None:
        raise MissingError("no clang")
    return found


def command_of(compiler: str) -> str:
    if compiler == CLANG:
        return newest_clang()
    if not shutil.which(compiler):
        raise MissingError(f"no {compiler}")
    return compiler


def run(command: Sequence[str], cwd: Path, seconds: float) -> str:
    """What the command prints; Broken if it fails."""
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise BrokenError(f"took more than {seconds:.0f} s") from None
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines() or [""]
        reason = next(
            (line for line in said if "error" in line.lower() or "BROKEN" in line), said[-1]
        )
        raise BrokenError(f"exit {done.returncode}: {reason.strip()[:200]}")
    return done.stdout


def glue_object(directory: Path) -> Path:
    """The object of what cffi emits for the extension."""
    sys.path.insert(0, str(ROOT))
    import build_ffi

    build_ffi.glue().emit_c_code(str(directory / "_kernel.c"))
    include = ["-I", sysconfig.get_path("include"), "-I", str(CSRC)]
    try:
        run(["gcc", "-O1", "-fPIC", "-w", *include, "-c", "_kernel.c"], directory, 600)
    except BrokenError as broken:
        raise MissingError(f"gcc does not compile the extension: {broken}") from None
    return directory / "_kernel.o"


def pytest_in(package: Path) -> list[str]:
    """Runs pytest and ends as it does. The extension must be the one in `package`."""
    own = f"import fixsync._native as n; assert n.__file__.startswith({str(package)!r})"
    code = f"import pytest, sys; s = pytest.main(sys.argv[1:]); {own}; sys.exit(s)"
    return [sys.executable, "-c", code, "-q", "-x", "-p", "no:cacheprovider", "--hypothesis-seed=0"]


def works(command: Sequence[str], cwd: Path, seconds: float = 60) -> bool:
    try:
        return (
            subprocess.run(
                command, cwd=cwd, capture_output=True, timeout=seconds, check=False
            ).returncode
            == 0
        )
    except (subprocess.TimeoutExpired, OSError):
        return False


def probe(compiler: str, flags: Sequence[str], runner: Sequence[str], cwd: Path) -> None:
    """MissingError if not even an empty program can be made and run in this way."""
    source = cwd / "probe.c"
    source.write_text(
        '#include <stdio.h>\nint main(void) { return printf("\\n") != 1; }\n', encoding="ascii"
    )
    if not works([compiler, *flags, "-o", "probe.exe", source.name], cwd):
        raise MissingError(f"{compiler} {' '.join(flags)} links no program here")
    if not works([*runner, "./probe.exe"], cwd):
        raise MissingError(
            f"{' '.join(runner) or 'this machine'} does not run an empty program of {compiler}"
        )


def cpu_lacks(target: Target, program: Path) -> bool:
    """Whether a native program asks for instructions that this processor does not have."""
    if not any(flag.startswith("-march=") for flag in target.flags):
        return False
    return (
        subprocess.run([str(program), "0"], capture_output=True, check=False).returncode
        == -signal.SIGILL
    )


def build_c(target: Target, sources: Sequence[Path], extra: Sequence[str], cwd: Path) -> Path:
    compiler = command_of(target.compiler)
    linker = command_of(target.link_with) if target.link_with else compiler
    flags = [*target.flags, *extra]
    link_flags = [flag for flag in flags if flag == "-static"] if target.link_with else flags
    if "-flto" in flags and compiler.startswith("clang"):
        link_flags = [*flags, "-fuse-ld=lld"]
    probe(linker, link_flags, target.runner, cwd)
    if compiler == "tcc":
        run(
            [compiler, *flags, "-I", str(CSRC), "-I", str(HERE), "-o", PROGRAM, *map(str, sources)],
            cwd,
            600,
        )
        return cwd / PROGRAM
    language = ["-std=c11", "-I", str(CSRC), "-I", str(HERE)]
    objects = [source.with_suffix(".o").name for source in sources]
    # A second program of the same target has the kernel's objects already.
    missing = [
        str(path) for path, made in zip(sources, objects, strict=True) if not (cwd / made).exists()
    ]
    run([compiler, *language, *flags, "-c", *missing], cwd, 600)
    run([linker, *link_flags, "-o", PROGRAM, *objects], cwd, 600)
    return cwd / PROGRAM


def build_wasm(target: Target, sources: Sequence[Path], cwd: Path) -> Path:
    compiler = newest_clang()
    version = compiler.removeprefix("clang")
    if not shutil.which(f"wasm-ld{version}"):
        raise MissingError(f"no wasm-ld{version}")
    base = [compiler, "--target=wasm32", "-std=c11", "-ffreestanding", "-nostdlib", *target.flags]
    include = ["-isystem", str(HERE / "wasm"), "-I", str(CSRC), "-I", str(HERE)]
    run([*base, "-fno-builtin", *include, "-c", str(HERE / "wasm" / "string.c")], cwd, 600)
    link = [
        "-Wl,--no-entry",
        "-Wl,--export=golden_run",
        "-Wl,--allow-undefined",
        "-Wl,-z,stack-size=1048576",
    ]
    run(
        [*base, NO_INT128, *include, *link, "-o", "golden.wasm", *map(str, sources), "string.o"],
        cwd,
        600,
    )
    return cwd / "golden.wasm"


def golden_program(cwd: Path, kit: bool = False, level: str = "-O2") -> Path:
    """The golden of the kernel, or of the kit, by the first native compiler there is."""
    compiler = next((name for name in ("gcc", "cc", "clang") if shutil.which(name)), None)
    if compiler is None:
        raise MissingError("no C compiler")
    return build_c(
        Target("trace", compiler, (level,)),
        [
            HERE / ("golden_kit.c" if kit else "golden.c"),
            HERE / "golden_main.c",
            *(KIT if kit else []),
            *KERNEL,
        ],
        (),
        cwd,
    )


def printed_by(target: Target, level: int, cwd: Path) -> list[str]:
    if target.runner and not shutil.which(target.runner[0]):
        raise MissingError(f"no {target.runner[0]}")
    if target.kind == "python":
        if not has_module("xxhash"):
            raise MissingError("no module xxhash")
        trace = run([str(golden_program(cwd, level="-O0")), "0", "trace"], cwd, 600)
        (cwd / "trace").write_text(trace, encoding="ascii")
        return run([target.compiler, str(HERE / "golden.py"), "trace"], cwd, 1800).splitlines()
    if target.kind == "reference":
        sources = [HERE / "golden.c", HERE / "golden_main.c", HERE / "reference.c"]
        program = build_c(target, sources, ["-DCALL_REFERENCE"], cwd)
        return run([*target.runner, str(program), str(level)], cwd, 1800).splitlines()
    if target.kind == "wasm" and target.runner[0] == sys.executable and not has_module("wasmtime"):
        raise MissingError("no wasmtime")
    printed = []
    for driver, with_kit in ((HERE / "golden.c", []), (HERE / "golden_kit.c", KIT)):
        if target.kind == "wasm":
            program = build_wasm(target, [driver, *with_kit, *KERNEL], cwd)
        else:
            sources = [driver, HERE / "golden_main.c", *with_kit, *KERNEL]
            program = build_c(target, sources, (), cwd)
            if not target.runner and cpu_lacks(target, program):
                raise MissingError("this processor lacks the instructions")
        printed += run([*target.runner, str(program), str(level)], cwd, 1800).splitlines()
    return printed


def has_module(name: str) -> bool:
    return find_spec(name) is not None


def differences(expected: list[str], printed: list[str]) -> str:
    """The first line that differs, or nothing."""
    for want, got in zip(expected, printed, strict=False):
        if want != got:
            return f"{got!r} is not {want!r}"
    if len(expected) != len(printed):
        return f"{len(printed)} lines, not {len(expected)}"
    return ""


def try_target(target: Target, level: int, directory: Path) -> Result:
    level = min(level, target.most)
    cwd = directory / "".join(c if c.isalnum() else "_" for c in target.name)
    cwd.mkdir()
    started = time.monotonic()
    try:
        printed = printed_by(target, level, cwd)
        expected = golden_lines(level, target.kind == "reference")
        if target.kind in ("c", "wasm"):
            expected += golden_lines(level, golden=KIT_GOLDEN)
        detail = differences(expected, printed)
        verdict = "different" if detail else "same"
    except MissingError as missing:
        verdict, detail = "not tried", str(missing)
    except BrokenError as broken:
        verdict, detail = "failed", str(broken)
    finally:
        shutil.rmtree(cwd, ignore_errors=True)
    return Result(target.name, target.machine, verdict, level, time.monotonic() - started, detail)


def chosen(args: argparse.Namespace) -> list[Target]:
    if args.compiler:
        flags, runner = tuple(shlex.split(args.flags)), tuple(shlex.split(args.runner))
        return [
            Target(
                f"{args.compiler} {args.flags}", args.compiler, flags, runner, machine="your own"
            )
        ]
    targets = [t for t in all_targets() if t.short or not args.short]
    if args.only:
        targets = [
            t for t in all_targets() if any(word.lower() in t.name.lower() for word in args.only)
        ]
    return targets


def write_golden(directory: Path) -> None:
    """The goldens of one build of this machine, and whether the reference prints the same."""
    for golden, kit in ((GOLDEN, False), (KIT_GOLDEN, True)):
        text = run([str(golden_program(directory, kit)), str(FULL)], directory, 1800)
        golden.write_text(text, encoding="ascii")
    reference = next(t for t in all_targets() if t.kind == "reference")
    result = try_target(reference, FULL, directory)
    print(f"{result.target}: {result.verdict} {result.detail}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--short", action="store_true", help="the targets of the tests, emulated ones at level 0"
    )
    parser.add_argument(
        "--only", action="append", metavar="WORD", help="targets with this word in their name"
    )
    parser.add_argument(
        "--compiler", metavar="CC", help="a target of your own: this compiler and nothing else"
    )
    parser.add_argument("--flags", default="-O2", help="of --compiler, to compile and to link")
    parser.add_argument("--runner", default="", help="the command that runs what --compiler made")
    parser.add_argument(
        "--level", type=int, choices=(0, 1, 2), help="how many cases: 0, 1 or 2 (all)"
    )
    parser.add_argument(
        "--require", action="append", default=[], metavar="NAME", help="a target that must be tried"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at once")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    parser.add_argument("--list", action="store_true", help="only name the targets")
    parser.add_argument(
        "--write-golden",
        action="store_true",
        help="replace the goldens by what gcc -O2 prints, and compare the reference with them",
    )
    args = parser.parse_args()
    targets = chosen(args)
    if args.list:
        for target in targets:
            print(f"{target.name}  ({target.machine})")
        return 0

    def level_of(target: Target) -> int:
        if args.level is not None or not args.short:
            return FULL if args.level is None else args.level
        return QUICK if "qemu" in "".join(target.runner) else SHORT

    with tempfile.TemporaryDirectory(prefix="fixsync-targets-") as name:
        directory = Path(name)
        if args.write_golden:
            write_golden(directory)
            return 0
        width = max(len(t.name) for t in targets)
        results = []
        with ThreadPoolExecutor(args.jobs) as pool:
            for result in pool.map(lambda t: try_target(t, level_of(t), directory), targets):
                results.append(result)
                if not args.json:
                    reported = f"{result.verdict:9} {result.seconds:6.1f} s  {result.detail}"
                    print(f"{result.target:{width}}  {reported}".rstrip(), flush=True)
    if args.json:
        print(json.dumps([vars(r) for r in results], indent=1))
    counts = {
        verdict: sum(r.verdict == verdict for r in results) for verdict in ("same", "not tried")
    }
    bad = [r for r in results if r.bad]
    print(
        f"{counts['same']} targets print the golden at their level, {len(bad)} do not, "
        f"{counts['not tried']} could not be tried",
        file=sys.stderr if args.json else sys.stdout,
    )
    missing = [
        name
        for name in args.require
        if not any(r.target == name and r.verdict == "same" for r in results)
    ]
    if bad:
        return 1
    if missing:
        print("required, and not the same or not tried: " + ", ".join(missing), file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
