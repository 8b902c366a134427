"""The package: its names, its layers, what it imports, how it is built."""

from __future__ import annotations

import ast
import base64
import hashlib
import os
import re
import shlex
import shutil
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from functools import cache
from graphlib import TopologicalSorter
from importlib import metadata
from pathlib import Path

import pytest
from builds import Builds
from cffi import FFI
from tools import each, needs, ran

import fixsync
from fixsync._native.raw import lib
from fixsync.match.questions import kernel_id

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "fixsync"
MODULES = sorted(PACKAGE.rglob("*.py"))
NAMES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in MODULES
}

# The names that other programs call; see the contract.
PROMISED = """
    ONE q q_near degrees direction yaw_of length Sphere Capsule Cylinder Box Sector Pose Contact EventKind
    overlap push_out lift side cast_pair World
"""
PROMISED_OF_A_WORLD = """
    add move turn set_pose set_shape set_offset set_owner set_layer set_active remove set_layers step query
    cast contact frame capacity hash save load from_bytes copy __contains__ __getitem__ __len__ __iter__
"""


@cache
def imports(path: Path) -> set[str]:
    """The full names of all that a module imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: a relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def from_package(path: Path) -> set[str]:
    """The modules of fixsync that a module imports, as full names."""
    return {found for name in imports(path) if (found := module_of(name)) is not None}


def module_of(name: str) -> str | None:
    """The module that an imported name is, or is in; None outside fixsync."""
    if name.startswith("fixsync._kernel"):
        return None
    while name.startswith("fixsync.") and name not in NAMES:
        name = name.rpartition(".")[0]
    return name if name in NAMES else None


def test_the_promised_names_are_there() -> None:
    assert set(PROMISED.split()) <= set(fixsync.__all__)
    assert all(hasattr(fixsync.World, name) for name in PROMISED_OF_A_WORLD.split())
    assert all(hasattr(fixsync, name) for name in fixsync.__all__)
    assert len(set(fixsync.__all__)) == len(fixsync.__all__)


def test_the_version_is_told_once_and_everywhere_the_same() -> None:
    assert fixsync.__version__ == metadata.version("fixsync")
    assert "version = " not in (ROOT / "pyproject.toml").read_text().split("[tool")[0]


def test_the_package_is_marked_as_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()
    assert (PACKAGE / "_kernel.pyi").is_file()


def test_only_native_uses_the_extension() -> None:
    for path in MODULES:
        found = imports(path)
        if any(name.startswith("fixsync._kernel") for name in found):
            assert path == PACKAGE / "_native" / "raw.py"
        if not path.is_relative_to(PACKAGE / "_native"):
            assert not {f"fixsync._native.raw.{name}" for name in ("ffi", "lib")} & found, path


# What a game uses every frame. No float decides anything in these.
NATIVE = [name.removeprefix("fixsync.") for name in NAMES if name.startswith("fixsync._native")]
EXACT = [*NATIVE, "base.numbers", "base.values", "base.kinds"]
EXACT += [
    f"{room}.{path.stem}"
    for room in ("world", "game")
    for path in sorted((PACKAGE / room).glob("[a-z]*.py"))
]
for tool in (
    "world.draw",
    "game.frame_data_file",
    "game.aseprite",
):  # pictures, and what reads JSON
    EXACT.remove(tool)


def test_the_imports_have_no_cycle() -> None:
    graph = {name: from_package(path) for name, path in NAMES.items()}
    assert len(list(TopologicalSorter(graph).static_order())) == len(NAMES)


def test_importing_fixsync_loads_neither_numpy_nor_the_command_line() -> None:
    others = {"numpy", "click", "rich", "pytest", "fixsync.match"}
    code = f"import sys, fixsync; print(*sorted({others} & sys.modules.keys()))"
    found = ran([sys.executable, "-c", code], check=True)
    assert found.stdout.strip() == ""


@each("module", EXACT)
def test_no_float_is_written_where_answers_are_made(module: str) -> None:
    tree = ast.parse(NAMES[f"fixsync.{module}"].read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        assert not isinstance(node, ast.Constant) or not isinstance(node.value, float), node.lineno
        if isinstance(node, ast.Call):
            assert ast.unparse(node.func) != "float", node.lineno
    assert not imports(NAMES[f"fixsync.{module}"]) & {"math", "cmath", "random"}


def test_every_public_name_has_a_docstring() -> None:
    for name in fixsync.__all__:
        thing = getattr(fixsync, name)
        if callable(thing):
            assert thing.__doc__, name
    for name, method in vars(fixsync.World).items():
        if not name.startswith("_"):
            assert method.__doc__, name


# The build.

sys.path[:0] = [str(ROOT), str(ROOT / ".ci")]
build_ffi = pytest.importorskip("build_ffi", reason="the sources are not here")
first = pytest.importorskip("first", reason="the sources are not here")
release = pytest.importorskip("release", reason="the sources are not here")
wheels = pytest.importorskip("wheels", reason="the sources are not here")


def test_the_headers_are_the_declaration_that_cffi_reads() -> None:
    ffi, in_headers = FFI(), set()
    for header in build_ffi.HEADERS:
        text = header.read_text(encoding="utf-8")
        declared = build_ffi.cdef(text)
        assert "FXS_API" not in declared
        ffi.cdef(declared)
        in_headers |= set(re.findall(r"^FXS_API .*?\b(fxs_\w+)\(", text, re.MULTILINE))
    assert in_headers == {name for name in dir(lib) if name.startswith("fxs_")}


def test_a_header_without_its_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="cdef: begin"):
        build_ffi.cdef("int f(void);")


def test_a_negative_constant_loses_its_brackets_only() -> None:
    body = "#define FXS_A {}\n#define FXS_B 7\n{}int f(int (*g)(int));\n"
    marked = "/* cdef: begin */\n" + body.format("(-3)", "FXS_API ") + "/* cdef: end */\n"
    assert build_ffi.cdef(marked) == body.format("-3", "")


def kernel_of(wheel: Path) -> tuple[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (
            n for n in archive.namelist() if n.startswith("fixsync/_kernel.") and n[-4:] != ".pyi"
        )
        return name, archive.read(name)


needs_compiler = pytest.mark.skipif(
    shutil.which((sysconfig.get_config_var("CC") or "cc").split()[0]) is None,
    reason="no C compiler here",
)


SHIPPED = {"build_ffi.py", "pyproject.toml", "fixsync/py.typed", "fixsync/_kernel.pyi"}
SHIPPED |= {"tests/model.py", "csrc/fixsync.h", "replay_logs/README.md", ".ci/release.py"}
"""Some of what an sdist has."""


def pair(project: Path, to: Path) -> list[str]:
    """Builds the sdist and this machine's wheel of a project's folder, in little time."""
    for kind in ("sdist", "wheel"):
        release.build(project, kind, "-O0", to)
    return []


def built_twice(builds: Builds) -> Path:
    """The folder in which the project was built twice."""
    return builds.made("built", lambda to: (to.mkdir(), release.twice(to, pair)))


@pytest.fixture
def built(builds: Builds, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path, Path]:
    """A copy of the project, and the sdist and the wheel that were built there twice."""
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    work = built_twice(builds)
    (sdist,), (wheel,) = (work.glob(f"built/*{end}") for end in (".tar.gz", ".whl"))
    return work / "one", sdist, wheel


@pytest.mark.full
@needs_compiler
def test_the_same_files_give_the_same_sdist_and_wheel_wherever_and_whenever_they_are_built(
    builds: Builds, built: tuple[Path, Path, Path]
) -> None:
    project, sdist, wheel = built
    with tarfile.open(sdist) as archive:
        members = archive.getmembers()
    names = {member.name.partition("/")[2] for member in members}
    owners = {(m.uid, m.gid, m.uname, m.gname, m.mtime) for m in members}
    assert owners == {(0, 0, "", "", 315532800)}
    files = {path.relative_to(project).as_posix() for path in project.rglob("*") if path.is_file()}
    by_building = re.compile(r"(build|dist|fixsync\.egg-info|__pycache__)/|setup\.cfg$")
    made = {name for name in files if by_building.match(name)}
    assert files - made - {".gitignore"} <= names
    assert names >= SHIPPED
    assert not any(re.search(r"\.(so|pyd|pyc)$|__pycache__", name) for name in names)

    name, kernel = kernel_of(wheel)
    assert str(builds.folder).encode() not in kernel
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        assert "-cp310-abi3-" in wheel.name
        assert ".abi3." in name or name.endswith(".pyd")
    with zipfile.ZipFile(wheel) as archive:
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        files = set(archive.namelist())
        for file in (ROOT / "csrc").rglob("*.[ch]"):
            packed = f"fixsync/{file.relative_to(ROOT).as_posix()}"
            assert archive.read(packed) == file.read_bytes(), file
        web = sorted(name for name in files if name.startswith("fixsync/bindings/web/"))
        for name in web:
            assert archive.read(name) == (ROOT / name.removeprefix("fixsync/")).read_bytes(), name
    assert {"index.js", "raw.js", "fixsync.wasm"} <= {Path(name).name for name in web}
    assert {"fixsync/py.typed", "fixsync/_kernel.pyi", "fixsync/world/world.py"} <= files
    assert not any(file.startswith(("tests/", "csrc/", "build_ffi")) for file in files)
    # The kernel's own files, for programs that compile it: what a compiler needs, and not what
    # makes them.
    sources = {f"fixsync/{f.relative_to(ROOT).as_posix()}" for f in (ROOT / "csrc").rglob("*.[ch]")}
    carried = {file for file in files if file.startswith("fixsync/csrc/")}
    assert carried == sources | {"fixsync/csrc/LICENSE"}


@pytest.mark.full
@pytest.mark.release
@needs_compiler
@pytest.mark.skipif(sysconfig.get_config_var("Py_GIL_DISABLED") == 1, reason="no stable ABI")
def test_a_wheel_of_another_compiler_holds_no_folder_and_answers_the_same(
    tmp_path: Path, built: tuple[Path, Path, Path]
) -> None:
    """A release builds it twice and compares the bytes."""
    needs("ziglang")
    project, _, native = built
    platforms = ["manylinux2014_x86_64.manylinux_2_17_x86_64"]
    (one,) = wheels.build(project, native, tmp_path / "one", platforms)
    for folder in (project, ROOT, Path(tempfile.gettempdir())):
        assert str(folder).encode() not in kernel_of(one)[1]
    if not (sys.platform == "linux" and sysconfig.get_platform() == "linux-x86_64"):
        pytest.skip("the wheel is not for this machine")
    assert release.for_this_machine(one.parent) == one
    with zipfile.ZipFile(one) as archive:
        archive.extractall(tmp_path / "installed")
    code = "import fixsync._kernel as k, fixsync.match.questions as s; print(k.__file__, s.kernel_id().hex())"
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}
    reported = release.run(sys.executable, "-c", code, cwd=tmp_path, env=env).split()
    kernel = tmp_path / "installed" / "fixsync" / "_kernel.abi3.so"
    assert reported == [str(kernel), kernel_id().hex()]


def small_wheel(folder: Path, name: str = "fixsync-1-cp310-abi3-linux_x86_64.whl") -> Path:
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / name, "w") as archive:
        archive.writestr("fixsync/_kernel.abi3.so", b"native")
        archive.writestr("fixsync/_kernel.pyi", b"stub")
        info = b"Wheel-Version: 1.0\nTag: cp310-abi3-linux_x86_64\n\n"
        archive.writestr("fixsync-1.dist-info/WHEEL", info)
        archive.writestr("fixsync-1.dist-info/RECORD", b"old")
    return folder / name


def test_a_wheel_of_another_machine_differs_in_kernel_and_name_alone(tmp_path: Path) -> None:
    native = small_wheel(tmp_path)
    found = wheels.packed(native, "win_arm64", b"MZ", tmp_path)
    assert found.name == "fixsync-1-cp310-abi3-win_arm64.whl"
    with zipfile.ZipFile(found) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
        assert {info.date_time[0] for info in archive.infolist()} == {1980}
    record = files.pop("fixsync-1.dist-info/RECORD").decode()
    assert files == {
        "fixsync/_kernel.pyd": b"MZ",
        "fixsync/_kernel.pyi": b"stub",
        "fixsync-1.dist-info/WHEEL": b"Wheel-Version: 1.0\nTag: cp310-abi3-win_arm64\n\n",
    }
    lines = dict(line.split(",", 1) for line in record.splitlines())
    assert set(lines) == {*files, "fixsync-1.dist-info/RECORD"}
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"MZ").digest()).rstrip(b"=").decode()
    assert lines["fixsync/_kernel.pyd"] == f"sha256={digest},2"
    both = "manylinux2014_x86_64.manylinux_2_17_x86_64"
    with zipfile.ZipFile(wheels.packed(native, both, b"", tmp_path)) as archive:
        reported = archive.read("fixsync-1.dist-info/WHEEL").decode().splitlines()
    assert reported[1:3] == [f"Tag: cp310-abi3-{platform}" for platform in both.split(".")]
    other = small_wheel(tmp_path, "fixsync-1-cp314-cp314t-linux_x86_64.whl")
    with pytest.raises(wheels.WheelError, match=r"cp314t.*: only a wheel of the stable ABI"):
        wheels.packed(other, "win_arm64", b"MZ", tmp_path)


def test_an_emulator_is_of_one_platform_and_must_be_there() -> None:
    here = shlex.join([sys.executable, "-W", "ignore"])
    found = release.emulators([("win_amd64", here), ("aarch64", here)])
    linux = "manylinux2014_aarch64.manylinux_2_17_aarch64"
    assert found == {name: [sys.executable, "-W", "ignore"] for name in ("win_amd64", linux)}
    with pytest.raises(release.ReleaseError, match="s390x is in the names of 0 platforms"):
        release.emulators([("s390x", here)])
    with pytest.raises(FileNotFoundError, match="no-such-wine"):
        release.emulators([("win_arm64", "no-such-wine python.exe")])
    with pytest.raises(release.ReleaseError, match="--emulate win_arm64: 'a: No closing quotation"):
        release.emulators([("win_arm64", "'a")])


def test_a_try_that_fails_is_in_the_table_and_the_others_are_tried(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails() -> str:
        raise release.ReleaseError("broken")

    for name in ("a.zip", "bb.zip", "c"):
        (tmp_path / name).write_bytes(b"1234")
    assert release.said_by("a.zip", fails) == ("FAILED", "a.zip: broken")
    assert release.said_by("bb.zip", lambda: "1 and 2 hit") == ("1 and 2 hit", "")
    said = [("a.zip", "FAILED"), ("bb.zip", "1 and 2 hit"), ("bb.zip", "again")]
    assert list(release.table(tmp_path, said)) == [
        "a.zip           4  FAILED",
        "bb.zip          4  1 and 2 hit",
        "                   again",
        "c               4",
    ]
    assert capsys.readouterr().out.splitlines()[0] == "  a.zip: FAILED"


def test_the_c_sources_are_released_as_one_that_is_that_of_the_files(tmp_path: Path) -> None:
    packed = [tmp_path / "one", tmp_path / "two"]
    for folder in packed:
        folder.mkdir()
        release.single_source(ROOT, folder)
    name = f"fixsync-{fixsync.__version__}-c"
    assert (packed[0] / f"{name}.zip").read_bytes() == (packed[1] / f"{name}.zip").read_bytes()
    release.run(sys.executable, ROOT / "csrc" / "amalgamate.py", tmp_path / "now")
    with zipfile.ZipFile(packed[0] / f"{name}.zip") as archive:
        there = ["CMakeLists.txt", "LICENSE", "README.md", "conanfile.py", "fixsync.c"]
        there += ["fixsync.h", "fixsync.pc.in", "fixsync_kit.h"]
        there += ["vcpkg/portfile.cmake", "vcpkg/vcpkg.json"]
        assert archive.namelist() == [f"fixsync/{file}" for file in there]
        for file in ("fixsync.c", "fixsync.h", "fixsync_kit.h"):
            assert archive.read(f"fixsync/{file}") == (tmp_path / "now" / file).read_bytes()


@pytest.mark.full
@pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake here")
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler here")
def test_the_released_c_sources_are_used_as_their_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CMAKE_BUILD_TYPE", "Debug")  # in less time
    with zipfile.ZipFile(release.single_source(ROOT, tmp_path)) as archive:
        archive.extractall(tmp_path)
    page = (tmp_path / "fixsync" / "README.md").read_text(encoding="utf-8")
    blocks = dict(re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    (tmp_path / "hit.c").write_text(blocks["c"])
    expected = "1 and 2 hit\n"
    release.run("bash", "-c", blocks["sh"], cwd=tmp_path)
    assert release.run(tmp_path / "hit") == expected

    # As the page says, with a prefix that need not be the machine's.
    steps = re.search(r"\((?:[^`]*)`(cmake [^`]*)`\)", page)
    assert steps is not None
    prefix = f"-DCMAKE_INSTALL_PREFIX={tmp_path / 'prefix'}"
    release.run(
        "bash", "-c", " ".join(steps[1].split()).replace("-B", f"{prefix} -B"), cwd=tmp_path
    )
    taken, found, linked = (line.partition("#")[0].strip() for line in blocks["cmake"].splitlines())
    for number, finding in enumerate((taken, found)):
        lines = ["cmake_minimum_required(VERSION 3.18)", "project(game LANGUAGES C)", finding]
        lines += ["add_executable(game hit.c)", linked]
        (tmp_path / "CMakeLists.txt").write_text("\n".join(lines) + "\n")
        build = tmp_path / f"game {number}"
        where = f"-DCMAKE_PREFIX_PATH={tmp_path / 'prefix'}"
        release.run("cmake", "-S", tmp_path, "-B", build, where)
        release.run("cmake", "--build", build)
        assert release.run(build / "game") == expected


@pytest.mark.full
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler here")
def test_the_first_program_of_a_package_must_say_what_its_page_promises(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def replace(old: bytes, new: bytes) -> None:
        with zipfile.ZipFile(packed) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        with zipfile.ZipFile(packed, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data.replace(old, new))

    packed = release.single_source(ROOT, tmp_path)
    replace(b" -O2 ", b" -O0 ")  # in less time
    assert [(name, program()) for name, program in first.programs(tmp_path)] == [
        (packed.name, "1 and 2 hit")
    ]
    replace(b"%u and %u hit", b"%u hit %u")
    assert first.main(tmp_path) == 1
    reported = capsys.readouterr().out.splitlines()
    assert reported[0] == f"fixsync-[0-9]*.tgz: no such file in {tmp_path}"
    assert reported[-1].endswith("-c.zip says ['1 hit 2'], not '1 and 2 hit'")


@pytest.mark.full
@pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake here")
@pytest.mark.parametrize("shared", [False, pytest.param(True, marks=pytest.mark.release)])
def test_conan_builds_the_released_c_sources(tmp_path: Path, shared: bool) -> None:
    """And a program with what it built."""
    needs("conan")
    with zipfile.ZipFile(release.single_source(ROOT, tmp_path)) as archive:
        archive.extractall(tmp_path)
    env = {**os.environ, "CONAN_HOME": str(tmp_path / "conan")}
    conan = [sys.executable, "-c", "from conans.conan import run; run()"]
    release.run(*conan, "profile", "detect", env=env)
    options = ["-o", f"fixsync/*:shared={shared}", "-s", "build_type=Debug"]  # in less time
    release.run(*conan, "create", "fixsync", *options, cwd=tmp_path, env=env)
    page = (tmp_path / "fixsync" / "README.md").read_text(encoding="utf-8")
    (tmp_path / "hit.c").write_text(re.findall(r"^```c\n(.*?)^```$", page, re.M | re.S)[0])
    needed = f"--requires=fixsync/{fixsync.__version__}"
    generators = ["-g", "CMakeDeps", "-g", "CMakeToolchain"]
    release.run(*conan, "install", needed, *options, *generators, cwd=tmp_path, env=env)
    lines = ["cmake_minimum_required(VERSION 3.18)", "project(game LANGUAGES C)"]
    lines += ["find_package(fixsync CONFIG REQUIRED)", "add_executable(game hit.c)"]
    lines += ["target_link_libraries(game PRIVATE fixsync::fixsync)"]
    (tmp_path / "CMakeLists.txt").write_text("\n".join(lines) + "\n")
    tools = ["-DCMAKE_TOOLCHAIN_FILE=conan_toolchain.cmake", "-DCMAKE_BUILD_TYPE=Debug"]
    release.run("cmake", "-S", ".", "-B", "build", *tools, cwd=tmp_path)
    release.run("cmake", "--build", "build", cwd=tmp_path)
    game = tmp_path / "build" / "game"
    assert release.run(game) == "1 and 2 hit\n"
    if shared and shutil.which("readelf"):
        minor = fixsync.__version__.rpartition(".")[0]
        assert f"[libfixsync.so.{minor}]" in release.run("readelf", "-d", game), (
            "as docs/versions.md"
        )


def test_the_sums_of_a_release_are_those_that_sha256sum_checks(tmp_path: Path) -> None:
    (tmp_path / "b").write_bytes(b"2")
    (tmp_path / "a").write_bytes(b"")
    (tmp_path / "SHA256SUMS").write_text(release.sums(tmp_path))
    empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert (tmp_path / "SHA256SUMS").read_text().splitlines()[0] == f"{empty}  a"
    if shutil.which("sha256sum"):
        assert release.run("sha256sum", "-c", "SHA256SUMS", cwd=tmp_path) == "a: OK\nb: OK\n"
    (tmp_path / "c").write_bytes(b"3")
    release.run(sys.executable, ROOT / ".ci" / "release.py", tmp_path, "--sums")
    lines = (tmp_path / "SHA256SUMS").read_text().splitlines()
    assert [line.split()[1] for line in lines] == ["a", "b", "c"], "it does not sum itself"


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """A project that may be published as v1.2.3."""
    shutil.copytree(ROOT / "bindings" / "emit", tmp_path / "bindings" / "emit")
    for file in ("build_ffi.py", "bindings/api.py"):
        shutil.copy(ROOT / file, tmp_path / file)
    (tmp_path / "fixsync").mkdir()
    (tmp_path / "fixsync" / "__init__.py").write_text('__version__ = "1.2.3"\n')
    (tmp_path / "README.md").write_text("")
    text = "# Changelog\n\nMarks.\n\n## 1.2.3\n\n- New.\n\n## 1.2.2\n\n- Old.\n"
    (tmp_path / "CHANGELOG.md").write_text(text)
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = re.sub(r'(?m)^Repository = ".*"$', 'Repository = "https://host.test/x"', project)
    (tmp_path / "pyproject.toml").write_text(project)
    return tmp_path


def test_the_notes_of_a_release_are_its_section_of_the_changelog(released: Path) -> None:
    assert release.notes(released) == "# fixsync 1.2.3\n\nMarks.\n\n- New.\n"
    assert release.notes(ROOT).startswith(f"# fixsync {fixsync.__version__}")
    (released / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.30\n\n- Other.\n")
    with pytest.raises(release.ReleaseError, match=r"no section 1\.2\.3"):
        release.notes(released)


def test_the_first_program_of_the_python_package_prints_what_its_page_says(tmp_path: Path) -> None:
    (tmp_path / "hit.py").write_text(first.program(ROOT / "fixsync" / "README.md", "python"))
    assert release.run(sys.executable, "hit.py", cwd=tmp_path) == "1 and 2 hit\n"


def test_a_tag_is_published_only_if_all_agrees_with_it(released: Path) -> None:
    release.check_tag(released, "v1.2.3")
    with pytest.raises(release.ReleaseError, match=r"must be v1\.2\.3, not 1\.2\.3"):
        release.check_tag(released, "1.2.3")
    changelog = released / "CHANGELOG.md"
    changelog.write_text(changelog.read_text().replace("## 1.2.3\n", "## 1.2.3 (unreleased)\n"))
    with pytest.raises(release.ReleaseError, match=r"says 1\.2\.3 \(unreleased\)"):
        release.check_tag(released, "v1.2.3")
    changelog.write_text(changelog.read_text().replace(" (unreleased)", ""))
    (released / "README.md").write_text("It is not on a package\nindex yet.")
    with pytest.raises(release.ReleaseError, match=r"not published yet: README\.md"):
        release.check_tag(released, "v1.2.3")
    project = released / "pyproject.toml"
    project.write_text(project.read_text().replace("https://host.test/x", "https://example.org/x"))
    with pytest.raises(release.ReleaseError, match=r"address .* is a placeholder"):
        release.check_tag(released, "v1.2.3")


@pytest.mark.full
@pytest.mark.skipif(shutil.which("git") is None, reason="no git here")
def test_a_tag_is_of_the_files_that_are_here(released: Path) -> None:
    own = ("-c", "user.name=x", "-c", "user.email=x@host.test", "-c", "commit.gpgsign=false")
    release.git(released, "init", "--quiet")
    (released / ".gitignore").write_text("__pycache__/\n")
    for words in (["add", "."], [*own, "commit", "-qm", "one"], ["tag", "v1.2.3"]):
        release.git(released, *words)
    release.check_tag(released, "v1.2.3")
    (released / "new").write_text("")
    with pytest.raises(release.ReleaseError, match=r"not those of v1\.2\.3:\n\?\? new"):
        release.check_tag(released, "v1.2.3")
    for words in (["add", "."], [*own, "commit", "-qm", "two"]):
        release.git(released, *words)
    with pytest.raises(release.ReleaseError, match=r"the tag v1\.2\.3 is commit \w{40}, but this"):
        release.check_tag(released, "v1.2.3")


def test_a_package_whose_tool_is_missing_is_named_as_not_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []

    def run(*command: str | Path, cwd: Path | None = None) -> str:  # noqa: ARG001
        ran.append(Path(command[1]).parent.name)
        (Path(command[2]) / "made.zip").write_bytes(b"")
        (Path(command[2]) / "log.txt").write_bytes(b"")
        return ""

    monkeypatch.setattr(release, "run", run)
    monkeypatch.setattr(release, "has", lambda program: program is None)
    assert list(release.others(ROOT, tmp_path)) == [
        "not built: crates: no cargo",
        "not built: NuGet and Unity: no dotnet",
        "not built: npm: no npm",
    ]
    assert ran == ["godot"]
    assert [path.name for path in tmp_path.iterdir()] == ["made.zip"]


@pytest.mark.parametrize("other", [{"a": b"1", "b": b"3"}, {"a": b"1"}, {"a": b"1", "c": b"2"}])
def test_a_build_whose_bytes_differ_is_told(tmp_path: Path, other: dict[str, bytes]) -> None:
    for folder, files in (("one", {"a": b"1", "b": b"2"}), ("other", other)):
        (tmp_path / folder).mkdir()
        for name, data in files.items():
            (tmp_path / folder / name).write_bytes(data)
    release.same(tmp_path / "one", tmp_path / "one")
    with pytest.raises(release.ReleaseError, match="not the same bytes in two folders: b"):
        release.same(tmp_path / "one", tmp_path / "other")


@pytest.mark.full
@needs_compiler
def test_an_edit_of_a_c_file_is_built_whatever_its_time_says_and_compiles_that_file_alone(
    tmp_path: Path,
) -> None:
    where = release.tree(tmp_path / "tree")
    kept = where / "build" / "objects"
    code = "from setuptools import setup; setup()"
    ask = "import fixsync._kernel as k; print(k.lib.fxs_version())"

    def built() -> tuple[str, int]:
        before = len(list(kept.glob("*.o")))
        env = {**os.environ, "FIXSYNC_CFLAGS": "-O0"}
        release.run(sys.executable, "-c", code, "build_ext", "--inplace", cwd=where, env=env)
        found = release.run(sys.executable, "-c", ask, cwd=where)
        return found.strip(), len(list(kept.glob("*.o"))) - before

    first, count = built()
    assert count > 50
    assert built() == (first, 0)
    source = where / "csrc" / "version.c"
    source.write_text(source.read_text().replace("return FXS_VERSION;", "return 77;"))
    os.utime(source, (0, 0))
    assert built() == ("77", 1)


@pytest.mark.full
@pytest.mark.release
@needs_compiler
def test_without_a_stable_abi_the_wheel_is_of_one_version_and_answers_the_same(
    tmp_path: Path,
) -> None:
    """As it is built for a Python without the GIL."""
    where = release.tree(tmp_path / "tree")
    code = (
        "import sys; sys.path.insert(0, '.')\n"
        "import build_ffi; build_ffi.STABLE_ABI = False\n"
        "from setuptools import build_meta; build_meta.build_wheel('dist')"
    )
    release.run(sys.executable, "-c", code, cwd=where, env={**os.environ, "FIXSYNC_CFLAGS": "-O0"})
    (wheel,) = (where / "dist").glob("*.whl")
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    assert f"-{tag}-{tag}" in wheel.name
    name, _ = kernel_of(wheel)
    assert name == f"fixsync/_kernel{sysconfig.get_config_var('EXT_SUFFIX')}"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    code = "import fixsync._kernel as k, fixsync.match.questions as s; print(k.__file__, s.kernel_id().hex())"
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}
    reported = release.run(sys.executable, "-c", code, cwd=tmp_path, env=env).split()
    assert reported == [str(tmp_path / "installed" / name), kernel_id().hex()]


def pythons() -> dict[tuple[int, ...], str]:
    """The supported Pythons of this machine by their versions, one of each minor; and this one."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "fixsync"
    cache = Path(os.environ.get("FIXSYNC_CACHE", cache))
    names = [f"python3.{minor}{thread}" for minor in range(10, 30) for thread in ("", "t")]
    found = [
        *Path.home().glob(".pyenv/versions/*/bin/python"),
        *cache.glob("python3.*/usr/bin/python3.*"),
        *(Path(path) for name in names if (path := shutil.which(name))),
        Path(sys.executable),
    ]
    there = {}
    for python in found:
        try:
            number = release.version(python)
        except (OSError, release.ReleaseError):
            continue  # a name for a Python that is not installed
        major, minor, _ = number.split(".")
        if (int(major), int(minor)) >= (3, 10):
            there[int(major), int(minor), int(number.endswith("t"))] = str(python)
    return there


@pytest.mark.full
@pytest.mark.release
@needs_compiler
def test_packages_install_and_work_with_the_oldest_and_the_newest_python_here(
    tmp_path: Path, built: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIXSYNC_CFLAGS", "-O0")  # in less time
    for tool in ("twine", "check_wheel_contents", "abi3audit"):
        needs(tool)
    there = pythons()
    gil, free = ([v for v in sorted(there) if v[2] == t] for t in (0, 1))
    chosen = [*dict.fromkeys([*gil[:1], *gil[-1:], *free[-1:]])]
    _, sdist, wheel = built
    release.check(sdist, wheel)
    for number in chosen:
        # The oldest compiles the sdist in isolation, as pip does by itself; the others take the
        # wheel.
        package = wheel if number != chosen[0] and not number[2] else sdist
        place = tmp_path / "-".join(map(str, number))
        more = [*release.NEEDED, "--only-binary=numpy,xxhash", "numpy", "xxhash"]
        fresh = release.installed(there[number], package, place, *more)
        # Threads where there is no GIL: with one they are tried by this Python.
        names = ["semantics", "threads", "lock"] if number[2] else ["semantics", "cli"]
        reported = release.attempt(fresh, tmp_path, names, is_full=False)
        assert re.search(r"(^|\s)\d+ passed, \d+ deselected in ", reported), (number, reported)


@pytest.mark.full
@needs_compiler
@pytest.mark.skipif(shutil.which("bash") is None, reason="no shell here")
def test_the_lines_that_install_in_the_readme_work_with_a_folder_of_packages(
    tmp_path: Path, built: tuple[Path, Path, Path]
) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.split("\n## Install\n")[1].split("\n## ")[0]
    lines = dict(re.findall(r"^\| ([^|]+?) \| `([^`]+)` \|$", section, re.MULTILINE))
    assert {"Python", "Web, Node"} <= set(lines)
    tree, dist = release.tree(tmp_path / "tree"), tmp_path / "dist"
    dist.mkdir()
    shutil.copy(built[2], dist)
    release.run(sys.executable, "-m", "venv", tmp_path / "venv")
    programs = tmp_path / "venv" / release.BIN
    env = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    release.run("bash", "-c", lines["Python"], cwd=tmp_path, env=env)
    reported = release.run(
        programs / "fixsync", "replay", ROOT / "replay_logs", cwd=tmp_path, env=env
    )
    assert "identical" in reported
    if shutil.which("npm") is None:
        pytest.skip("no npm here: the line for Node is not tried")
    web = tree / "bindings" / "web"
    release.run("npm", "pack", "--silent", "--pack-destination", str(dist), cwd=web)
    (tmp_path / "package.json").write_text('{"private": true}')
    release.run("bash", "-c", lines["Web, Node"], cwd=tmp_path)
    code = "import('fixsync').then(async (f) => { await f.init(); console.log(f.q(1)); })"
    assert release.run("node", "-e", code, cwd=tmp_path) == "65536\n"
    names = {path.name for path in dist.iterdir()} | {release.single_source(tree, dist).name}
    named = set(re.findall(r"\bfixsync-\d[\w.-]*\.(?:tgz|zip)", section))
    assert named == names - {path.name for path in dist.glob("*.whl")}


def test_no_message_or_page_installs_from_an_index_what_is_not_there() -> None:
    """fixsync is on none: an extra is installed in a clone, `pip install '.[farm]'`."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "fixsync").rglob("*.py")]
    telling = re.compile(r"pip\s+install\s+['\"]?fixsync\b")
    assert [page.name for page in pages if telling.search(page.read_text("utf-8"))] == []


def test_the_supported_pythons_are_told_in_every_place_the_same() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    reported = re.findall(r"Python :: 3\.(\d+)", project)
    oldest, newest = int(reported[0]), int(reported[-1])
    assert reported == [str(minor) for minor in range(oldest, newest + 1)]
    assert f'requires-python = ">=3.{oldest}"' in project
    assert f"cp3{oldest}" == build_ffi.STABLE_ABI_SINCE
    assert f'target-version = "py3{oldest}"' in project
    assert f'python_version = "3.{oldest}"' in project
    words = (ROOT / "docs" / "packaging.md").read_text(encoding="utf-8")
    assert f"CPython 3.{oldest} to 3.{newest}" in words


@pytest.mark.full
@pytest.mark.parametrize(
    ("platform", "machines"),
    [
        ("linux", "manylinux_x86_64 manylinux_aarch64 musllinux_x86_64 musllinux_aarch64"),
        ("macos", "macosx_x86_64 macosx_arm64"),
        ("windows", "win_amd64 win_arm64"),
    ],
)
def test_wheels_are_configured_for_every_platform(platform: str, machines: str) -> None:
    needs("cibuildwheel")
    options = ["--print-build-identifiers", "--platform", platform]
    reported = release.run(sys.executable, "-m", "cibuildwheel", *options, str(ROOT)).split()
    found = [name.partition("-") for name in reported]
    assert {python for python, _, _ in found} == {"cp314t", "cp315t"}
    for free in ("cp314t", "cp315t"):
        of_these = [machine for python, _, machine in found if python == free]
        assert sorted(of_these) == sorted(machines.split()), free
