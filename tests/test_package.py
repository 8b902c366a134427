"""The package: its names, its layers, what it imports, how it is built."""

from __future__ import annotations

import ast
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from cffi import FFI

import fixsync
from fixsync._native import lib

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "fixsync"
MODULES = sorted(PACKAGE.rglob("*.py"))

# The names that other programs call; see the contract.
PROMISED = """
    ONE q q_near degrees direction yaw_of length Sphere Capsule Cylinder Box Sector Pose Contact EventKind
    overlap push_out lift side World
"""
PROMISED_OF_A_WORLD = """
    add move turn set_pose set_shape set_offset set_owner set_layer set_active remove step query contact frame
    capacity hash save load from_bytes copy __contains__ __getitem__ __len__ __iter__
"""


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
    """The modules of fixsync that a module imports from."""
    return {name.split(".")[1] for name in imports(path) if name.startswith("fixsync.")}


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


def test_only_native_imports_the_extension() -> None:
    for path in MODULES:
        found = {name for name in imports(path) if name.startswith("fixsync._kernel")}
        assert not found or path == PACKAGE / "_native.py", path


@pytest.mark.parametrize(
    ("module", "allowed"),
    [
        ("_native", {"_kernel"}),
        ("numbers", {"_native"}),
        ("shapes", {"_native"}),
        ("state", {"_native", "shapes"}),
        ("records", {"_native", "shapes"}),
        ("world", {"_native", "shapes", "records", "state"}),
        ("aim", {"_native", "numbers", "shapes"}),
        ("flat", {"_native", "shapes", "records", "world"}),
        ("bodies", {"_native", "shapes", "records", "world"}),
        ("handlers", {"_native", "shapes", "records", "world"}),
    ],
)
def test_imports_go_one_way(module: str, allowed: set[str]) -> None:
    assert from_package(PACKAGE / f"{module}.py") <= allowed


def test_importing_fixsync_loads_neither_numpy_nor_the_command_line() -> None:
    code = "import sys, fixsync; print(*sorted({'numpy', 'click', 'rich', 'pytest'} & sys.modules.keys()))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == ""


_EXACT = ["_native", "numbers", "shapes", "records", "state", "world", "aim", "flat", "bodies", "handlers"]


@pytest.mark.parametrize("module", _EXACT)
def test_no_float_is_written_where_answers_are_made(module: str) -> None:
    tree = ast.parse((PACKAGE / f"{module}.py").read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        assert not isinstance(node, ast.Constant) or not isinstance(node.value, float), node.lineno
        if isinstance(node, ast.Call):
            assert ast.unparse(node.func) != "float", node.lineno
    assert not imports(PACKAGE / f"{module}.py") & {"math", "cmath", "random"}


def test_every_public_name_has_a_docstring() -> None:
    for name in fixsync.__all__:
        thing = getattr(fixsync, name)
        if callable(thing):
            assert thing.__doc__, name
    for name, method in vars(fixsync.World).items():
        if not name.startswith("_"):
            assert method.__doc__, name


# The build.

sys.path.insert(0, str(ROOT))
build_ffi = pytest.importorskip("build_ffi", reason="the sources are not here")


def test_the_header_is_the_declaration_that_cffi_reads() -> None:
    declared = build_ffi.cdef(build_ffi.HEADER.read_text(encoding="utf-8"))
    assert "FXS_API" not in declared
    ffi = FFI()
    ffi.cdef(declared)
    in_header = set(re.findall(r"^FXS_API .*?\b(fxs_\w+)\(", build_ffi.HEADER.read_text(), re.MULTILINE))
    assert in_header == {name for name in dir(lib) if name.startswith("fxs_")}


def test_a_header_without_its_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="cdef: begin"):
        build_ffi.cdef("int f(void);")


def test_a_negative_constant_loses_its_brackets_only() -> None:
    body = "#define FXS_A {}\n#define FXS_B 7\n{}int f(int (*g)(int));\n"
    marked = "/* cdef: begin */\n" + body.format("(-3)", "FXS_API ") + "/* cdef: end */\n"
    assert build_ffi.cdef(marked) == body.format("-3", "")


def tree(to: Path) -> Path:
    """A copy of what the project is built from."""
    to.mkdir()
    ignore = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "*.egg-info")
    for name in ("fixsync", "csrc", "tests"):
        shutil.copytree(ROOT / name, to / name, ignore=ignore)
    for name in ("pyproject.toml", "build_ffi.py", "MANIFEST.in", "README.md", "LICENSE"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, to)
    return to


def build(where: Path, kind: str, flags: str = "") -> Path:
    """Builds an sdist or a wheel as pip would in an environment that has the build's requirements."""
    code = f"from setuptools import build_meta; print('BUILT', build_meta.build_{kind}('dist'))"
    (where / "dist").mkdir(exist_ok=True)
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=where,
        env={**os.environ, "FIXSYNC_CFLAGS": flags, "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    built = re.search(r"^BUILT (.*)$", run.stdout, re.MULTILINE)
    assert built is not None
    return where / "dist" / built[1]


def kernel_of(wheel: Path) -> tuple[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if n.startswith("fixsync/_kernel.") and n[-4:] != ".pyi")
        return name, archive.read(name)


needs_compiler = pytest.mark.skipif(
    shutil.which((sysconfig.get_config_var("CC") or "cc").split()[0]) is None, reason="no C compiler here"
)


@needs_compiler
def test_a_wheel_from_the_sdist_is_the_wheel_from_the_tree_to_the_byte_of_its_kernel(tmp_path: Path) -> None:
    first = tree(tmp_path / "tree")
    sdist = build(first, "sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "a_longer_name_than_the_other", filter="data")
        names = {name.partition("/")[2] for name in archive.getnames()}
    (second,) = (tmp_path / "a_longer_name_than_the_other").iterdir()
    for file in (ROOT / "csrc").iterdir():
        assert not file.is_file() or f"csrc/{file.name}" in names
    promised = {"build_ffi.py", "pyproject.toml", "fixsync/py.typed", "fixsync/_kernel.pyi", "tests/model.py"}
    assert promised <= names

    wheels = [build(where, "wheel") for where in (first, second)]
    (name, kernel), (other_name, other_kernel) = map(kernel_of, wheels)
    assert name == other_name
    assert hashlib.sha256(kernel).hexdigest() == hashlib.sha256(other_kernel).hexdigest()
    assert str(tmp_path).encode() not in kernel
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        assert "-cp310-abi3-" in wheels[0].name
        assert ".abi3." in name or name.endswith(".pyd")
    with zipfile.ZipFile(wheels[0]) as archive:
        files = set(archive.namelist())
    assert {"fixsync/py.typed", "fixsync/_kernel.pyi", "fixsync/world.py"} <= files
    assert not any(file.startswith(("tests/", "csrc/", "build_ffi")) for file in files)
    # The kernel's own files, for programs that compile it: what a compiler needs, and not what makes them.
    sources = {f"fixsync/csrc/{file.name}" for file in (ROOT / "csrc").glob("*.[ch]")}
    assert {file for file in files if file.startswith("fixsync/csrc/")} == sources | {"fixsync/csrc/LICENSE"}
    with zipfile.ZipFile(wheels[1]) as archive:
        for file in sources:
            assert archive.read(file) == (ROOT / "csrc" / Path(file).name).read_bytes(), file


@needs_compiler
def test_the_kernel_without_128_bit_integers_gives_the_same_answers(tmp_path: Path) -> None:
    where = tree(tmp_path / "tree")
    installed = tmp_path / "installed"
    with zipfile.ZipFile(build(where, "wheel", "-DFXS_NO_INT128 -DFXS_NO_BUILTINS")) as archive:
        archive.extractall(installed)
    tests = [str(ROOT / "tests" / name) for name in ("test_shapes.py", "test_numbers.py")]
    code = (
        "import sys, pytest\n"
        f"code = pytest.main(['-q', '-p', 'no:cacheprovider', '-k', 'vectors or model', *{tests!r}])\n"
        "import fixsync._native\n"  # pytest's plugins must be imported by pytest first
        f"assert fixsync._native.__file__.startswith({str(installed)!r}), fixsync._native.__file__\n"
        "sys.exit(code)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
