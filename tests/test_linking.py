"""The kernel as C: one source or many, CMake, C++ and MSVC, the header's words, other languages."""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from builds import CSRC, PORTABLE, ROOT, STRICT, Builds
from cffi import FFI
from tools import needs, ran

import fixsync
from fixsync._native.raw import lib
from fixsync.log.replay import Verdict, replay

EXAMPLES = ROOT / "examples"
sys.path[:0] = [str(ROOT), str(CSRC)]
amalgamate = pytest.importorskip("amalgamate", reason="the sources are not here")
build_ffi = pytest.importorskip("build_ffi", reason="the sources are not here")

HEADER = (CSRC / "fixsync.h").read_text(encoding="ascii")
KIT_HEADER = (CSRC / "fixsync_kit.h").read_text(encoding="ascii")
HEADERS = {"fixsync.h": HEADER, "fixsync_kit.h": KIT_HEADER}
SOURCES = [*sorted(CSRC.glob("*.c")), *sorted(CSRC.glob("kit/*.c"))]
PUBLIC = set(re.findall(r"^FXS_API .*?\b(fxs_\w+)\(", HEADER + KIT_HEADER, re.MULTILINE))
COMPILERS = [name for name in ("gcc", "clang") if shutil.which(name)]
FORMS = [(compiler, flags) for compiler in COMPILERS for flags in ([], PORTABLE)]

pytestmark = pytest.mark.skipif(not COMPILERS, reason="neither gcc nor clang here")
needs_cmake = pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake here")


def run(*command: str | Path, text: str | None = None, cwd: Path | None = None) -> str:
    """What a command prints. It must succeed, and print nothing to standard error."""
    done = ended(*command, text=text, cwd=cwd)
    assert done.returncode == 0, f"{shlex.join(map(str, command))}\n{done.stdout}{done.stderr}"
    assert done.stderr == ""
    return done.stdout


def ended(
    *command: str | Path, text: str | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """A command that may fail."""
    words = [str(word) for word in command]
    return ran(words, input=text, cwd=cwd)


@pytest.fixture(scope="module")
def single(builds: Builds) -> Path:
    """The folder of the kernel's single-file form."""
    return builds.source()


@pytest.fixture(scope="module")
def linked(builds: Builds) -> Callable[..., Path]:
    """Compiles a program with the kernel."""
    kernel = builds.object()

    def link(program: Path, *sources: Path, options: Sequence[str] = ("-std=c11", *STRICT)) -> Path:
        run(COMPILERS[0], *options, f"-I{CSRC}", *sources, kernel, "-o", program)
        return program

    return link


# One source.


def test_the_single_file_form_is_the_same_wherever_it_is_made(tmp_path: Path) -> None:
    copied = tmp_path / "a copy" / "csrc"
    shutil.copytree(CSRC, copied)
    shutil.copy(ROOT / "LICENSE", copied.parent)
    for folder, script in (("one", CSRC / "amalgamate.py"), ("two", copied / "amalgamate.py")):
        run(sys.executable, script, tmp_path / folder)
    for name in ("fixsync.c", *HEADERS):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    for name in HEADERS:
        assert (tmp_path / "one" / name).read_bytes() == (CSRC / name).read_bytes()
    source = (tmp_path / "one" / "fixsync.c").read_text(encoding="ascii")
    assert re.findall(r'#\s*include "(.*)"', source) == [*HEADERS]
    for path in SOURCES:
        body = path.read_text(encoding="ascii").split("\n\n", 1)[1]
        assert source.count(body.strip().splitlines()[-2]) >= 1, path.name


def test_a_header_that_no_source_includes_is_told(tmp_path: Path) -> None:
    for name, text in HEADERS.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "a.c").write_text('#include "fixsync.h"\n')
    (tmp_path / "forgotten.h").write_text("")
    with pytest.raises(ValueError, match=r"included by no source: forgotten\.h"):
        amalgamate.amalgamate(tmp_path)


@pytest.mark.parametrize(("compiler", "flags"), FORMS)
def test_the_single_file_form_compiles_without_a_warning(
    single: Path, compiler: str, flags: list[str]
) -> None:
    options = ["-std=c11", "-pedantic-errors", "-Wvla", *STRICT, *flags, "-fsyntax-only"]
    run(compiler, *options, single / "fixsync.c")


@pytest.mark.skipif(shutil.which("nm") is None, reason="no nm here")
def test_the_single_file_form_has_the_public_symbols_only(builds: Builds) -> None:
    symbols = run("nm", "-g", builds.object()).splitlines()
    assert {line.split()[-1].lstrip("_") for line in symbols if " U " not in line} == PUBLIC
    allowed = {"memcpy", "memmove", "memset", "stack_chk_fail", "GLOBAL_OFFSET_TABLE_"}
    assert {line.split()[-1].lstrip("_") for line in symbols if " U " in line} <= allowed


# The examples.


def test_two_peers_with_the_callbacks_of_ggpo_agree_in_every_frame(
    linked: Callable[..., Path], tmp_path: Path
) -> None:
    """With a mover and a table of attacks, and the log that one of them records is identical."""
    duel, log = tmp_path / "duel", tmp_path / "duel.jsonl"
    linked(duel, EXAMPLES / "ggpo_callbacks.c")
    reported = re.fullmatch(
        r"600 frames, each rolled back; (\d+) inputs predicted wrong; (\d+) falls; hash ([0-9a-f]{16})\n",
        run(duel, log),
    )
    assert reported is not None
    assert int(reported[1]) > 500, "or no rollback would change anything"
    assert int(reported[2]) > 1
    result = replay(log)
    assert (result.verdict, result.frames, result.hash) == (Verdict.IDENTICAL, 600, reported[3])
    assert len((EXAMPLES / "fighter.h").read_text().splitlines()) <= 150


def test_the_peers_of_the_example_find_out_when_they_part(
    linked: Callable[..., Path], tmp_path: Path
) -> None:
    """A load that forgets what the fighters hold themselves is such a fault."""
    game = (EXAMPLES / "fighter.h").read_text(encoding="utf-8")
    forgotten = "    memcpy(&f->own, bytes, sizeof f->own);\n"
    assert game.count(forgotten) == 1
    (tmp_path / "fighter.h").write_text(game.replace(forgotten, ""))
    for name in ("ggpo_callbacks.c", "fighter_frames.h"):
        shutil.copy(EXAMPLES / name, tmp_path)
    linked(tmp_path / "faulty", tmp_path / "ggpo_callbacks.c", options=[])
    done = ended(tmp_path / "faulty")
    assert done.returncode == 1
    assert re.fullmatch(r"frame \d+: the peers differ\n", done.stderr)


def test_the_server_that_rewinds_hits_what_the_shooters_saw(
    linked: Callable[..., Path], tmp_path: Path
) -> None:
    server = linked(tmp_path / "server", EXAMPLES / "rewind_server.c")
    lines = run(server).splitlines()
    assert lines[0] == "frame 10: a shot at frame 7 meets 0 now, 0 then"
    assert lines[9] == "frame 100: a shot at frame 70 meets 1 now, 0 then"
    assert lines[10] == "frame 110: frame 77 is no longer kept, from 79 on"
    assert lines[12] == (
        "1 hits without rewinding, 10 with it, 2 too old; 14112 bytes for 32 frames"
    )


def test_the_peers_of_the_rollback_example_agree_and_the_log_replays(
    linked: Callable[..., Path], tmp_path: Path
) -> None:
    game, log = linked(tmp_path / "rollback", EXAMPLES / "rollback.c"), tmp_path / "log.jsonl"
    lines = run(game, log).splitlines()
    form = r"peer \d: \d+ events shown, ([1-9]\d*) taken back, (.*hash ([0-9a-f]{16}))"
    found = [re.fullmatch(form, line) for line in lines]
    assert found[0] is not None
    assert found[1] is not None
    assert found[0][2] == found[1][2]
    result = replay(log)
    assert (result.verdict, result.frames, result.hash) == (Verdict.IDENTICAL, 600, found[0][3])
    assert result.game_events > 0
    text = (EXAMPLES / "rollback.c").read_text(encoding="utf-8")
    assert text.count("\n") <= 120


@pytest.mark.parametrize(
    ("line", "fault", "reported"),
    [
        ("g->own.falls[other]++;", "static int32_t falls; g->own.falls[other] = ++falls;",
         r"frame \d+: falls of player [01]: 1 and 2"),
        ("int32_t way = ", "static int32_t steps; int32_t way = steps++ / 3 % 2 + ",
         r"frame \d+: collider [01], x: .*"),
    ],
)  # fmt: skip
def test_the_sync_test_of_the_example_names_the_first_field_that_differs(
    line: str, fault: str, reported: str, linked: Callable[..., Path], tmp_path: Path
) -> None:
    right = linked(tmp_path / "right", EXAMPLES / "rollback.c")
    assert run(right, "--synctest") == "600 frames, stepped again and again: the same\n"
    game = (EXAMPLES / "rollback_game.h").read_text(encoding="utf-8")
    assert game.count(line) == 1
    (tmp_path / "rollback_game.h").write_text(game.replace(line, fault))
    shutil.copy(EXAMPLES / "rollback.c", tmp_path)
    linked(tmp_path / "faulty", tmp_path / "rollback.c", options=[])
    done = ended(tmp_path / "faulty", "--synctest")
    assert (done.returncode, bool(re.fullmatch(reported + "\n", done.stdout))) == (1, True), (
        done.stdout
    )


# Portable C, and C++.


@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_kernel_is_standard_c_where_extensions_are_switched_off(
    single: Path, compiler: str
) -> None:
    undefined = ["-U__GNUC__", "-U__SIZEOF_INT128__", "-U__BYTE_ORDER__"]
    text = run(compiler, "-std=c11", "-E", *undefined, *PORTABLE, single / "fixsync.c")
    own = "\n".join(own_lines(text, single))
    assert "fxs_world_step" in own
    extension = re.search(
        r"__(attribute__|builtin_(?!offsetof)\w*|extension__|int128|declspec|asm__|typeof__)|\basm\b",
        own,
    )
    assert extension is None


@pytest.mark.full
@pytest.mark.parametrize("compiler", COMPILERS)
def test_each_source_includes_what_it_uses(compiler: str) -> None:
    run(compiler, "-std=c11", *STRICT, "-fsyntax-only", *SOURCES)


def own_lines(preprocessed: str, folder: Path) -> Iterator[str]:
    """The lines of the kernel's own files in what a preprocessor has put together."""
    file = ""
    for line in preprocessed.splitlines():
        if marker := re.match(r'# \d+ "(.*?)"', line):
            file = marker[1]
        elif file.startswith(str(folder)):
            yield line


WINDOWS_STRING_H = (
    "#include <stddef.h>\nvoid *memcpy(void *, const void *, size_t);\n"
    "void *memmove(void *, const void *, size_t);\nvoid *memset(void *, int, size_t);\n"
)


def windows_options(machine: str) -> list[str]:
    """What makes clang compile as Visual Studio does."""
    target = f"--target={machine}-pc-windows-msvc"
    return [target, "-fms-compatibility-version=19.29", "-std=c11", "-ffreestanding"]


@pytest.mark.full
@pytest.mark.skipif("clang" not in COMPILERS, reason="no clang here")
@pytest.mark.parametrize("machine", ["x86_64", "i686", "aarch64"])
def test_the_kernel_compiles_for_windows_as_msvc_would_see_it(machine: str, tmp_path: Path) -> None:
    """With clang's MSVC mode. Of Windows' headers, the kernel needs three functions' prototypes."""
    (tmp_path / "string.h").write_text(WINDOWS_STRING_H)
    warnings = ["-pedantic-errors", "-Wall", "-Wextra", "-Wgnu", "-Werror"]
    options = [*windows_options(machine), *warnings, f"-I{tmp_path}"]
    for shared in ([], ["-DFXS_SHARED", "-DFXS_BUILD"]):
        run("clang", *options, *shared, "-fsyntax-only", *SOURCES)
    for way, define in (("import", []), ("export", ["-DFXS_BUILD"])):
        text = run("clang", *options, "-DFXS_SHARED", *define, "-E", CSRC / "fixsync.h")
        assert text.count(f"__declspec(dll{way})") == len(PUBLIC)


MINGW = Path("/usr/x86_64-w64-mingw32/lib/libmsvcrt.a")
needs_windows_linker = pytest.mark.skipif(
    shutil.which("clang-19") is None or shutil.which("lld-link-19") is None,
    reason="no clang 19, lld 19",
)


def windows_library(machine: str, flags: list[str], memory: Path, folder: Path) -> Path:
    """A library of the kernel, compiled and linked as Visual Studio's clang would, but for Windows'
    headers: of these the kernel needs three prototypes. `memory`: a library with those three
    functions."""
    (folder / "string.h").write_text(WINDOWS_STRING_H)
    # Probes of the stack would take one more function of Windows' libraries, and change no answer.
    options = [*windows_options(machine), "-mno-stack-arg-probe", f"-I{folder}"]
    define = ["-DFXS_SHARED", "-DFXS_BUILD"]
    run("clang-19", *options, *define, *flags, "-c", *SOURCES, cwd=folder)
    objects = [folder / f"{path.stem}.o" for path in SOURCES]
    library = folder / "fixsync.dll"
    run("lld-link-19", "/dll", "/noentry", "/nodefaultlib", f"/out:{library}", *objects, memory)
    return library


@pytest.mark.full
@needs_windows_linker
@pytest.mark.parametrize(("machine", "flags"), [("x86_64", ["-O1"]), ("aarch64", PORTABLE)])
def test_a_windows_library_exports_the_public_symbols_and_needs_nothing(
    machine: str, flags: list[str], tmp_path: Path
) -> None:
    pefile = needs("pefile")
    source, memory = tmp_path / "memory.c", tmp_path / "memory.o"
    names = re.findall(r"mem\w+", WINDOWS_STRING_H)
    source.write_text("".join(f"void {name}(void) {{}}\n" for name in names))
    run("clang-19", *windows_options(machine), "-fno-builtin", "-c", source, "-o", memory)
    with pefile.PE(windows_library(machine, flags, memory, tmp_path)) as library:
        exported = {symbol.name.decode() for symbol in library.DIRECTORY_ENTRY_EXPORT.symbols}
        assert not hasattr(library, "DIRECTORY_ENTRY_IMPORT")
    assert exported == PUBLIC


@pytest.mark.full
@needs_windows_linker
@pytest.mark.skipif(
    shutil.which("wine") is None or not MINGW.exists(), reason="no wine, no mingw-w64"
)
def test_a_windows_library_gives_the_golden_answers_under_wine(tmp_path: Path) -> None:
    native = ROOT / "tests" / "native"
    callers = [native / name for name in ("golden.c", "golden_main.c", "reference.c")]
    program, answers = tmp_path / "golden.exe", tmp_path / "answers"
    env = {**os.environ, "WINEPREFIX": str(tmp_path / "wine"), "WINEDEBUG": "-all"}
    # As Visual Studio's own compiler takes it: without 128-bit integers.
    library = windows_library("x86_64", ["-O2", *PORTABLE], MINGW, tmp_path)
    options = ["-std=c11", "-O1", "-DFXS_SHARED", f"-I{CSRC}"]
    run("x86_64-w64-mingw32-gcc", *options, *callers, library, "-o", program)
    with answers.open("wb") as file:  # and no pipe, which Wine's own processes would keep open
        done = subprocess.run(
            ["wine", program, "1"], stdout=file, stderr=subprocess.DEVNULL, env=env, check=False
        )
    assert done.returncode == 0
    expected = (native / "golden.txt").read_text(encoding="ascii").splitlines()
    assert answers.read_text(encoding="ascii").splitlines() == [
        line for line in expected if line[:2] in {"0 ", "1 "}
    ]


def header_example(name: str) -> str:
    """The example in a header's first comment, as a program."""
    comment = re.search(r"\n \* Example\..*?\n \*/", HEADERS[name], re.DOTALL)
    assert comment is not None
    lines = [line[3:] for line in comment[0].splitlines()]
    code = "\n".join(line for line in lines if line.startswith("    ") or not line)
    assert "fxs_" in code
    return (
        f"#include <assert.h>\n#include <{name}>\n\nint main(void) {{\n{code}\n    return 0;\n}}\n"
    )


@pytest.mark.parametrize("header", HEADERS)
def test_the_headers_example_compiles_and_holds(
    linked: Callable[..., Path], tmp_path: Path, header: str
) -> None:
    (tmp_path / "example.c").write_text(header_example(header))
    options = ["-std=c11", *STRICT, "-UNDEBUG"]
    run(linked(tmp_path / "example", tmp_path / "example.c", options=options))


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("standard", ["c++11", pytest.param("c++20", marks=pytest.mark.full)])
@pytest.mark.parametrize("header", HEADERS)
def test_cpp_includes_the_header_and_links_the_kernel(
    builds: Builds, tmp_path: Path, compiler: str, standard: str, header: str
) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler} here")
    # C++ checks what C may not: that every member of an aggregate has a value.
    source = header_example(header).replace("{0}", "{}")
    (tmp_path / "example.cpp").write_text(source)
    flags = [f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{CSRC}"]
    run(compiler, *flags, tmp_path / "example.cpp", builds.object(), "-o", tmp_path / "example")
    run(tmp_path / "example")


# The header.


def documented() -> Iterator[tuple[str, str]]:
    """Each function of the headers, and the comment right above it."""
    for found in re.finditer(
        r"(/\*(?:(?!\*/).)*\*/)?\nFXS_API [^;]*?\b(fxs_\w+)\(", HEADER + KIT_HEADER, re.DOTALL
    ):
        yield found[2], re.sub(r"\s*\n \*\s*", " ", found[1] or "")[2:-2].strip()


@pytest.mark.parametrize("header", HEADERS)
def test_every_constant_and_structure_and_group_of_them_has_a_comment(header: str) -> None:
    text = HEADERS[header]
    blocks = re.sub(
        r"^#if.*?^#endif\n", "", text.split("extern", 1)[1], flags=re.DOTALL | re.MULTILINE
    )
    group = ""
    for line in blocks.splitlines():
        if line.startswith("/*"):
            group = line
        elif not line:
            group = ""
        elif line.startswith("#define"):
            assert "/*" in line or group or line.startswith("#define FXS_VERSION_"), line
    for name in re.findall(r"^typedef struct (\w+) \{", text, re.MULTILINE):
        assert re.search(rf"\*/\ntypedef struct {name} ", text), name


def test_what_the_headers_comments_name_is_there() -> None:
    headers = HEADER + KIT_HEADER
    code = re.sub(r"/\*.*?\*/", " ", headers, flags=re.DOTALL)
    defined = {"FXS_SHARED", "FXS_BUILD", "FXS_OK", "FXS_E_"}
    there = set(re.findall(r"\b(?:fxs|FXS)_\w+", code)) | defined
    comments = " ".join(re.findall(r"/\*.*?\*/", headers, re.DOTALL))
    named = set(re.findall(r"\b(?:fxs|FXS)_\w+", comments))
    assert len(named) > 40
    assert named <= there
    statuses = set(re.findall(r"#define (FXS_E_\w+)", headers))
    reported = " ".join(comment for _, comment in documented())
    for status in statuses:
        assert status in reported, f"no function tells that it returns {status}"


OPAQUE = re.compile("fxs_(world|level|rewind|history|inputs|rollback)")


def test_the_headers_sizes_of_structures_are_the_compilers(tmp_path: Path) -> None:
    ffi = FFI()
    for header in HEADERS.values():
        ffi.cdef(build_ffi.cdef(header))
    names = [name for name in ffi.list_types()[0] if not OPAQUE.fullmatch(name)]
    lines = [f'    printf("{name} %u\\n", (unsigned)sizeof({name}));\n' for name in names]
    (tmp_path / "sizes.c").write_text(
        "#include <fixsync_kit.h>\n#include <stdio.h>\n\n"
        f"int main(void) {{\n{''.join(lines)}    return 0;\n}}\n"
    )
    command = [COMPILERS[0], "-std=c11", *STRICT, f"-I{CSRC}", tmp_path / "sizes.c"]
    run(*command, "-o", tmp_path / "sizes")
    sizes = {
        name: size for size, name in re.findall(r"(\d+)[\s*]+\((fxs_\w+)\)", HEADER + KIT_HEADER)
    }
    assert sizes == dict(line.split(" ") for line in run(tmp_path / "sizes").splitlines())


def test_the_version_is_the_packages_in_the_header_and_in_the_library() -> None:
    numbers = lib.FXS_VERSION_MAJOR, lib.FXS_VERSION_MINOR, lib.FXS_VERSION_PATCH
    assert ".".join(map(str, numbers)) == fixsync.__version__
    assert lib.fxs_version() == numbers[0] << 16 | numbers[1] << 8 | numbers[2]
    assert amalgamate.version(HEADER) == fixsync.__version__
    assert max(numbers) < 256
    assert lib.fxs_semantics() == lib.FXS_SEMANTICS


# CMake, pkg-config.

CONSUMER = """\
cmake_minimum_required(VERSION 3.18)
project(game LANGUAGES C)
{finding}
add_executable(duel "{example}")
target_link_libraries(duel PRIVATE fixsync::fixsync)
"""
FETCHING = """\
include(FetchContent)
FetchContent_Declare(fixsync SOURCE_DIR "{csrc}")
FetchContent_MakeAvailable(fixsync)
"""


def consumer(
    folder: Path, finding: str, example: str | Path = EXAMPLES / "ggpo_callbacks.c"
) -> None:
    """A project that links the kernel."""
    text = CONSUMER.format(finding=finding, example=example)
    (folder / "CMakeLists.txt").write_text(text)


def cmake(source: Path, to: Path, *options: str) -> Path:
    common = ["-Wdev", "-Werror=dev", "-DCMAKE_BUILD_TYPE=Debug"]
    run("cmake", "-S", source, "-B", to, *common, *options)
    run("cmake", "--build", to, "--parallel", "2")
    return to


@pytest.fixture(scope="module", params=["static", "shared"])
def prefix(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where CMake has installed the kernel, moved since."""
    folder: Path = tmp_path_factory.mktemp(request.param)
    shared = f"-DBUILD_SHARED_LIBS={'ON' if request.param == 'shared' else 'OFF'}"
    to = [f"-DCMAKE_INSTALL_PREFIX={folder / 'p'}", "-DCMAKE_INSTALL_LIBDIR=lib"]
    build = cmake(CSRC, folder / "build", shared, *to)
    run("cmake", "--install", build)
    shutil.move(folder / "p", folder / request.param)
    return folder / request.param


@pytest.mark.full
@needs_cmake
def test_cmake_finds_the_installed_kernel_and_links_it(prefix: Path, tmp_path: Path) -> None:
    version = ".".join(fixsync.__version__.split(".")[:2])
    consumer(tmp_path, f"find_package(fixsync {version} CONFIG REQUIRED)")
    build = cmake(tmp_path, tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    assert "600 frames" in run(build / "duel")
    consumer(tmp_path, "find_package(fixsync 99.0 CONFIG REQUIRED)", "none.c")
    done = ended("cmake", "-S", tmp_path, "-B", tmp_path / "other", f"-DCMAKE_PREFIX_PATH={prefix}")
    assert done.returncode != 0
    assert f"version: {fixsync.__version__}" in done.stderr


@pytest.mark.full
@needs_cmake
@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="no pkg-config here")
def test_pkg_config_finds_the_installed_kernel(prefix: Path, tmp_path: Path) -> None:
    pc = prefix / "lib" / "pkgconfig" / "fixsync.pc"
    assert run("pkg-config", "--modversion", pc).strip() == fixsync.__version__
    flags = shlex.split(run("pkg-config", "--cflags", "--libs", pc))
    assert ("-DFXS_SHARED" in flags) == (prefix.name == "shared")
    duel = tmp_path / "duel"
    example = EXAMPLES / "ggpo_callbacks.c"
    run(COMPILERS[0], example, *flags, f"-Wl,-rpath,{prefix / 'lib'}", "-o", duel)
    assert "600 frames" in run(duel)


@pytest.mark.full
@needs_cmake
def test_fetch_content_takes_the_kernel_in(tmp_path: Path) -> None:
    consumer(tmp_path, FETCHING.format(csrc=CSRC))
    build = cmake(tmp_path, tmp_path / "build", f"-DCMAKE_INSTALL_PREFIX={tmp_path / 'p'}")
    assert "600 frames" in run(build / "duel")
    run("cmake", "--install", build)
    assert not (tmp_path / "p").exists(), "what a project takes in is not installed with it unasked"


@pytest.mark.full
@needs_cmake
@pytest.mark.skipif(shutil.which("nm") is None, reason="no nm here")
def test_the_shared_library_exports_the_public_symbols_only(prefix: Path) -> None:
    if prefix.name == "static":
        pytest.skip("it is the other one")
    symbols = run("nm", "-D", "--defined-only", prefix / "lib" / "libfixsync.so").splitlines()
    assert {line.split()[-1] for line in symbols} == PUBLIC


def test_cmake_builds_every_source() -> None:
    listed = re.findall(
        r"^\s+((?:kit/)?\w+\.c)\)?$",
        (CSRC / "CMakeLists.txt").read_text(encoding="ascii"),
        re.MULTILINE,
    )
    assert listed == [path.relative_to(CSRC).as_posix() for path in SOURCES]
    assert len({path.name for path in SOURCES}) == len(SOURCES), "their objects share a folder"


# fixsync config.

CONFIG = [sys.executable, "-c", "from fixsync.cli import main; main()", "config"]


@pytest.mark.full
def test_config_tells_how_to_compile_a_program(tmp_path: Path) -> None:
    flags = shlex.split(run(*CONFIG, "--cflags", "--sources", "--libs"))
    run(COMPILERS[0], EXAMPLES / "ggpo_callbacks.c", *flags, "-o", tmp_path / "duel")
    assert "600 frames" in run(tmp_path / "duel")
    include = Path(run(*CONFIG, "--include").rstrip("\n"))
    assert (include / "fixsync.h").read_bytes() == (CSRC / "fixsync.h").read_bytes()
    assert run(*CONFIG, "--libs") == "\n"
    reported = json.loads(run(*CONFIG, "--json"))
    assert reported.keys() == {"cflags", "include", "sources", "libs"}
    assert [Path(path).name for path in reported["sources"]] == [path.name for path in SOURCES]
    assert json.loads(run(*CONFIG, "--json", "--include")) == {"include": [str(include)]}
    lines = run(*CONFIG).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["cflags", "include", "sources", "libs"]


@pytest.mark.full
def test_config_quotes_for_a_shell_and_tells_when_there_are_no_sources(tmp_path: Path) -> None:
    package = tmp_path / "a place" / "fixsync"
    shutil.copytree(ROOT / "fixsync", package, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-c", "from fixsync.cli import main; main()", "config", "--cflags"]
    done = ended(*command, cwd=package.parent)
    assert done.returncode == 2
    assert f"no fixsync.h in {package / 'csrc'}" in done.stderr
    (package / "csrc").mkdir()
    shutil.copy(CSRC / "fixsync.h", package / "csrc")
    assert run(*command, cwd=package.parent) == f"'-I{package / 'csrc'}'\n"


# The documentation.


@pytest.mark.parametrize(
    ("page", "example"), [("movement.md", "walk.c"), ("cookbook.md", "two_planes.c")]
)
def test_the_first_program_of_a_page_prints_the_same_in_c(
    page: str, example: str, linked: Callable[..., Path], tmp_path: Path
) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    output = text.split("```text\n", 1)[1].split("```", 1)[0]
    assert f"../examples/{example}" in text
    assert run(linked(tmp_path / "page", EXAMPLES / example)) == output


@pytest.mark.parametrize("name", ["linking.md", "packaging.md", "contributing.md"])
def test_what_the_documentation_names_is_there(name: str) -> None:
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / "docs" / link).exists(), link
    code = "".join(path.read_text(encoding="ascii") for path in CSRC.rglob("*.[ch]"))
    there = set(re.findall(r"\b(?:fxs|FXS)_\w+", code))
    assert set(re.findall(r"\b(?:fxs|FXS)_\w*[a-zA-Z0-9]\b", text)) <= there
    for path in itertools.chain.from_iterable(
        re.findall(rf"(?<![\w/]){top}/[\w./]+\w", text)
        for top in ("csrc", "examples", "tests", "fixsync")
    ):
        assert (ROOT / path).exists(), path
