"""Builds the extension fixsync._kernel out of csrc/: what pyproject.toml hands to setuptools.

The headers csrc/fixsync.h and csrc/fixsync_kit.h are the only places where the C API is written
down: what stands between their `cdef` marks is given to cffi, which emits the glue that is compiled
together with csrc/*.c and csrc/kit/*.c.

Extra compiler and linker flags, after all others, come from the environment variable
FIXSYNC_CFLAGS, for instance `-DFXS_NO_INT128` or `-g -fsanitize=address,undefined`. None of them
can change an answer.

What is built is a function of the files and the tools: the same files give the same sdist and the
same wheel to the byte, whoever builds them, where and when."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sysconfig
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from cffi import FFI
from setuptools import Extension
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parent
HEADERS = (ROOT / "csrc" / "fixsync.h", ROOT / "csrc" / "fixsync_kit.h")
MODULE = "fixsync._kernel"

# A Python without the GIL has no stable ABI before 3.15: there the extension is built for that one
# version.
STABLE_ABI = not sysconfig.get_config_var("Py_GIL_DISABLED")
STABLE_ABI_SINCE = "cp310"

# The time of every file in an archive: SOURCE_DATE_EPOCH, else the earliest that a zip file can
# hold, 1980-01-01.
EPOCH = os.environ.get("SOURCE_DATE_EPOCH", "315532800")


def cdef(header: str) -> str:
    """The marked part of the header, in the subset of C that cffi's parser takes."""
    marked = re.search(
        r"^/\* cdef: begin\b.*?\n(.*?)^/\* cdef: end \*/$", header, re.DOTALL | re.MULTILINE
    )
    if marked is None:
        raise ValueError("a header has no lines between '/* cdef: begin' and '/* cdef: end */'")
    declarations = re.sub(r"\bFXS_API\s+", "", marked[1])
    # Rows that C only reads may be bytes as they are: cffi accepts those for a `void *` only.
    read = "shape|pose|query|cast|collider|command|event|cast_hit|hitbox|hitbox_cast|planes_command"
    structures = rf"const fxs_(?:{read}) \*"
    numbers = r"const u?int32_t \*(?=(?:ids|positions)\b)"
    declarations = re.sub(f"{structures}|{numbers}", "const void *", declarations)
    return re.sub(r"^(#define\s+\w+\s+)\((-?\d+)\)", r"\1\2", declarations, flags=re.MULTILINE)


def glue() -> FFI:
    """The cffi builder of the extension; `emit_c_code` writes its C."""
    ffi = FFI()
    for header in HEADERS:
        ffi.cdef(cdef(header.read_text(encoding="utf-8")))
    ffi.set_source(MODULE, "".join(f'#include "{header.name}"\n' for header in HEADERS))
    return ffi


def files(*suffixes: str) -> list[str]:
    """The C files of kernel and kit, relative to the project, in the same order everywhere."""
    return sorted(
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "csrc").rglob("*")
        if path.suffix in suffixes
    )


def web_files() -> list[str]:
    """The scripts and the module of the web package, relative to the project."""
    folder = ROOT / "bindings" / "web"
    found = [*folder.glob("*.js"), folder / "fixsync.wasm"]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


class BuildExt(build_ext):
    """build_ext for the extension that pyproject.toml names without its sources."""

    def finalize_options(self) -> None:
        super().finalize_options()
        for extension in self.extensions:
            extension.sources = files(".c")
            extension.include_dirs = ["csrc"]
            extension.py_limited_api = STABLE_ABI
            if not STABLE_ABI:
                extension.define_macros = [("_CFFI_NO_LIMITED_API", None)]

    def build_extension(self, ext: Extension) -> None:
        generated = Path(self.build_temp) / "_kernel.c"
        generated.parent.mkdir(parents=True, exist_ok=True)
        glue().emit_c_code(str(generated))
        if self.compiler.compiler_type == "msvc":
            ext.extra_compile_args = ["/O2", "/std:c11"]
        else:
            # Debug information would carry the build's paths: without it the same sources give the
            # same bytes.
            ext.extra_compile_args = ["-O3", "-g0", "-fvisibility=hidden"]
        extra = shlex.split(os.environ.get("FIXSYNC_CFLAGS", ""))
        ext.extra_compile_args = [*ext.extra_compile_args, *extra]
        ext.extra_link_args = [*ext.extra_link_args, *extra]
        ext.extra_objects = self.compiled([str(generated), *files(".c")], ext)
        ext.sources = []
        # setuptools would compare times, and keep an old kernel.
        self.force = self.compiler.force = True
        super().build_extension(ext)

    def compiled(self, sources: list[str], ext: Extension) -> list[str]:
        """The objects of the sources in their order, compiled several at a time.

        An object is kept in build/objects under a hash of all that it is made of. So after an edit
        of one C file that file alone is compiled, whatever the times of the files say. Nothing is
        kept of Microsoft's compiler, which does not say its version."""
        command: list[str] = getattr(self.compiler, "compiler_so", [])
        flags = (ext.define_macros, self.compiler.include_dirs, ext.extra_compile_args, self.debug)
        made_of = [repr((command, flags))]
        made_of += [Path(file).read_text(encoding="utf-8") for file in files(".h")]
        if command and shutil.which(command[0]):  # else compiling says that it is missing
            version = [command[0], "--version"]
            made_of.append(subprocess.check_output(version, text=True))  # noqa: S603

        def compile(source: str) -> str:
            made_here = [*made_of, Path(source).name, Path(source).read_text(encoding="utf-8")]
            key = hashlib.sha256("\0".join(made_here).encode()).hexdigest()[:16]
            kept = ROOT / "build" / "objects" / f"{Path(source).stem}-{key}.o"
            if command and kept.exists():
                return str(kept)
            objects: list[str] = self.compiler.compile(
                [source],
                output_dir=self.build_temp,
                macros=ext.define_macros,
                include_dirs=ext.include_dirs,
                debug=self.debug,
                extra_postargs=ext.extra_compile_args,
            )
            if not command:
                return objects[0]
            kept.parent.mkdir(parents=True, exist_ok=True)
            whole = kept.with_suffix(f".{os.getpid()}")  # two builds may run at once
            shutil.copyfile(objects[0], whole)
            whole.replace(kept)
            return str(kept)

        # The object for Microsoft's compiler sets itself up on its first use, once.
        at_once = 1 if self.compiler.compiler_type == "msvc" else None
        with ThreadPoolExecutor(at_once) as pool:
            return list(pool.map(compile, sources))


class BuildPy(build_py):
    """build_py that puts files from outside of the package into it: the C files, for programs that
    compile them (`fixsync config` names their folder), and the web package, which pages hold.

    An editable install has them where they always are.
    """

    def carried_files(self) -> dict[str, str]:
        """Where each file is copied to: built file, file in the project."""
        package = Path(self.build_lib) / "fixsync"
        built = {str(package / file): file for file in [*files(".c", ".h"), *web_files()]}
        return built | {str(package / "csrc" / "LICENSE"): "LICENSE"}

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            for built, file in self.carried_files().items():
                self.mkpath(str(Path(built).parent))
                self.copy_file(file, built)

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        outputs: list[str] = super().get_outputs(include_bytecode)
        return outputs if self.editable_mode else [*outputs, *self.carried_files()]

    def get_output_mapping(self) -> dict[str, str]:
        mapping: dict[str, str] = super().get_output_mapping()
        return mapping if self.editable_mode else mapping | self.carried_files()


def plain_mode(mode: int) -> int:
    """A file's mode without what the builder's umask had a say in."""
    return 0o755 if mode & 0o100 else 0o644


class BdistWheel(bdist_wheel):
    """One wheel for every Python since 3.10, where there is a stable ABI."""

    def finalize_options(self) -> None:
        if STABLE_ABI:
            self.py_limited_api = STABLE_ABI_SINCE
        super().finalize_options()

    def write_wheelfile(self, wheelfile_base: str, *args: Any, **kwargs: Any) -> None:
        """The last thing that is written before all of it is packed."""
        os.environ["SOURCE_DATE_EPOCH"] = EPOCH
        super().write_wheelfile(wheelfile_base, *args, **kwargs)
        for path in Path(self.bdist_dir).rglob("*"):
            if path.is_file():
                path.chmod(plain_mode(path.stat().st_mode))


class Sdist(sdist):
    """sdist without the builder's name, clock and umask."""

    def make_archive(self, base_name: str, format: str, *, base_dir: str, **_: Any) -> str:
        if format != "gztar":
            raise ValueError(f"an sdist is a gztar, not {format!r}")
        path = f"{base_name}.tar.gz"
        with (
            Path(path).open("wb") as file,
            gzip.GzipFile("", "wb", fileobj=file, mtime=int(EPOCH)) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            archive.add(base_dir, filter=_plain)  # in the order of names
        return path


def _plain(file: tarfile.TarInfo) -> tarfile.TarInfo:
    file.uid = file.gid = 0
    file.uname = file.gname = ""
    file.mtime = int(EPOCH)
    file.mode = plain_mode(file.mode)
    return file
