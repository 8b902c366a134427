"""Declarations for other languages, generated from the headers, and the WebAssembly module."""

import configparser
import dataclasses
import hashlib
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tools import each, ran

import fixsync
from fixsync._native.raw import ffi, lib

ROOT = Path(__file__).resolve().parents[1]
WEB = ROOT / "bindings" / "web"


def loaded(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


generate = loaded(ROOT / "bindings" / "generate.py")
build = loaded(WEB / "build.py")


# ---- the generator ----


def test_the_generated_files_are_those_of_the_headers():
    done = ran([sys.executable, str(ROOT / "bindings" / "generate.py"), "--check"])
    assert done.returncode == 0, done.stderr


def test_a_range_that_is_neither_a_number_nor_a_constant_is_named():
    with pytest.raises(ValueError, match="'FXS_SIZE_MAX / 2' is neither"):
        generate.read().constant("FXS_SIZE_MAX / 2")


def test_every_place_that_lacks_a_kind_is_named_at_once(monkeypatch):
    """With what it lacks."""
    api = generate.read()
    places = generate.places
    assert [*places.by_hand(api), *places.of_the_kernel(api)] == []
    kinds = places.read_kinds(api)
    box, code = next(kind for kind in kinds if kind.name == "box"), len(kinds)
    sizes = tuple(dataclasses.replace(size, name=f"new_{size.name}") for size in box.sizes)
    slab = dataclasses.replace(box, name="big_slab", code=code, sizes=sizes)
    monkeypatch.setattr(places, "read_kinds", lambda _: [*kinds, slab])
    names = "new_half_x, new_half_y, new_half_z"
    found = list(places.by_hand(api))
    assert found[:4] == [
        f"docs/contract.md: add | big_slab | {code} | {names} |",
        f"docs/concepts.md: add | `BigSlab({names})` |",
        f'docs/match-logs.md: add `["big_slab", {names}]`',
        "fixsync/view/assets/kinds.js: add big_slab to DRAWINGS",
    ]
    assert [line.split(": ")[1] for line in found[4:6]] == [
        "add a field newHalfX, and give it to Shape.Of",
        "export new_half_x",
    ]
    monkeypatch.setattr(places, "read_kinds", lambda _: kinds[::-1])
    assert "must stand in the order of their codes" in next(places.by_hand(api))


def test_what_follows_from_a_kernel_is_compared_with_one_of_these_headers(monkeypatch):
    places, api = generate.places, generate.read()
    other = dataclasses.replace(api, groups=api.groups[:-1])
    assert "the built kernel is not of these headers: run pip" in next(places.of_the_kernel(other))
    monkeypatch.setattr(places, "text_of", lambda _: "")
    assert [line.partition(": ")[0] for line in places.of_the_kernel(api)] == [
        *("docs/frames.schema.json", "tests/test_kernel_id.py")
    ]


def test_the_generator_reads_what_the_compiler_sees():
    """Every function, constant and structure, with offsets and sizes."""
    api = generate.read()
    assert {function.name for function in api.functions} == {
        name for name in dir(lib) if name.islower()
    }
    assert {constant.name: constant.value for constant in api.constants} == {
        name: getattr(lib, name) for name in dir(lib) if name.isupper()
    }
    structures = [structure for structure in api.structures if structure.fields]
    assert len(structures) > 10
    for structure in structures:
        type = ffi.typeof(structure.name)
        assert structure.size == ffi.sizeof(type)
        assert [(field.name, field.offset) for field in structure.fields] == [
            (name, field.offset) for name, field in type.fields
        ]


ABIS = {
    "x86-64": ("gcc", "-m64"),
    "i386": ("gcc", "-m32"),
    "arm": ("arm-linux-gnueabihf-gcc",),
    "ppc32": ("powerpc-linux-gnu-gcc",),  # big-endian
    "wasm32": ("clang-19", "--target=wasm32", f"-I{WEB / 'libc'}"),
}


@pytest.mark.parametrize("abi", ABIS)
def test_structures_are_laid_out_alike_everywhere(abi, tmp_path):
    """Size, and the offset of every field, that bindings declare: a compiler of each ABI agrees."""
    command = ABIS[abi]
    if shutil.which(command[0]) is None:
        pytest.skip(f"no {command[0]} here")
    lines = ["#include <fixsync_kit.h>", "#include <stddef.h>"]
    for structure in generate.read().structures:
        if structure.fields:
            name = structure.name
            lines.append(f'_Static_assert(sizeof({name}) == {structure.size}, "{name}");')
            lines += [
                f'_Static_assert(offsetof({name}, {field.name}) == {field.offset}, "{field.name}");'
                for field in structure.fields
            ]
    source = tmp_path / "layout.c"
    source.write_text("\n".join(lines) + "\n")
    options = ["-std=c11", "-ffreestanding", "-fsyntax-only", f"-I{ROOT / 'csrc'}"]
    done = ran([*command, *options, str(source)])
    assert done.returncode == 0, done.stderr
    source.write_text("\n".join(lines).replace("== 20,", "== 21,", 1) + "\n")
    refused = subprocess.run([*command, *options, str(source)], capture_output=True, check=False)
    assert refused.returncode != 0


@pytest.mark.parametrize(
    "file",
    [
        "README.md", "bindings/csharp/README.md", "bindings/csharp/test", "bindings/rust/test",
        "docs/csharp.md", "docs/web.md",
    ],
)  # fmt: skip
def test_what_installs_a_package_names_the_version_of_fixsync(file):
    before = r'version[": =>]+|fixsync==|fixsync\.|fixsync-(?:sys-|godot-)?|fixsync --version '
    reported = rf"(?i)(?:{before})(\d+\.\d+\.\d+)\b"
    found = re.findall(reported, (ROOT / file).read_text(encoding="utf-8"))
    assert set(found) == {fixsync.__version__}


# ---- the manifests ----


def facts_of(name, text):
    """What a manifest says of the project: its own reader, by the format."""
    if name.endswith("vcpkg.json"):
        reported = json.loads(text)
        return reported["version"], reported["description"], reported.get("homepage", "")
    if name.endswith(".json"):
        reported = json.loads(text)
        author = reported["author"]
        author = author if isinstance(author, str) else author["name"]
        address = reported.get("repository", {}).get("url", "").removeprefix("git+")
        rows = reported["version"], author, reported["description"], reported["keywords"]
        return *rows, address.removesuffix(".git")
    if name.endswith(".csproj"):
        row = ElementTree.fromstring(text)[0].findtext  # noqa: S314  # the project's own
        rows = row("Version"), row("Authors"), row("Description"), row("PackageTags").split(";")
        assert row("PackageProjectUrl") == row("RepositoryUrl")
        return *rows, row("RepositoryUrl") or ""
    if name.endswith(".cfg"):
        plugin = configparser.ConfigParser()
        plugin.read_string(text)
        return tuple(plugin["plugin"][key].strip('"') for key in ("version", "author"))
    tomllib = pytest.importorskip("tomllib")
    reported = tomllib.loads(text)
    if "workspace" in reported:
        package = reported["workspace"]["package"]
        own = {crate["version"] for crate in reported["workspace"]["dependencies"].values()}
        assert own == {f"={package['version']}"}
        return package["version"], package["authors"][0], package.get("repository", "")
    package = reported["package"]
    shared = {key for key in package if package[key] == {"workspace": True}}
    is_main = package["name"] == "fixsync"
    return "repository" in shared, package["description"] if is_main else "", package["keywords"]


def told_by(name, project):
    """What the manifest has to say, of a project."""
    version, author, address = project.version, project.author, project.repository
    words = list(project.keywords)
    return {
        "plugin.cfg": (version, author),
        "vcpkg/vcpkg.json": (version, project.description, address),
        "rust/Cargo.toml": (version, author, address),
        "fixsync/Cargo.toml": (bool(address), project.description, words[:5]),
        "fixsync-sys/Cargo.toml": (bool(address), "", words[:5]),
    }.get(
        "/".join(name.split("/")[-1 if name.endswith(".cfg") else -2 :]),
        (version, author, project.description, words, address),
    )


MANIFESTS = generate.manifests.MANIFESTS


@each("name", MANIFESTS)
def test_a_manifest_says_what_pyproject_says(name):
    tomllib = pytest.importorskip("tomllib")
    project = generate.manifests.project()
    reported = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (project.description, list(project.keywords)) == (
        reported["description"],
        reported["keywords"],
    )
    assert (project.version, [{"name": project.author}]) == (
        fixsync.__version__,
        reported["authors"],
    )
    assert project.repository in (reported["urls"]["Repository"], "")
    assert facts_of(name, (ROOT / name).read_text(encoding="utf-8")) == told_by(name, project)


@each("name", MANIFESTS)
def test_a_manifest_gets_an_address_and_a_version_of_the_project_and_keeps_the_rest(name):
    project = dataclasses.replace(
        generate.manifests.project(), version="12.3.4", repository="https://host.test/a/fixsync"
    )
    text = (ROOT / name).read_text(encoding="utf-8")
    made = MANIFESTS[name](text, project)
    assert facts_of(name, made) == told_by(name, project)
    assert MANIFESTS[name](made, project) == made
    kept = set(re.findall(r"[\w.-]+(?=\W*[:=>])", text))
    assert kept <= set(re.findall(r"[\w.-]+(?=\W*[:=>])", made))


def test_the_address_of_the_repository_is_a_placeholder_in_one_file_alone():
    placeholder = generate.manifests.PLACEHOLDER + "fixsync"
    texts = {name: (ROOT / name).read_text(encoding="utf-8") for name in MANIFESTS}
    texts["pyproject.toml"] = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    holders = [name for name, text in texts.items() if generate.manifests.PLACEHOLDER in text]
    is_real = generate.manifests.project().repository != ""
    assert holders == ([] if is_real else ["pyproject.toml"])
    assert is_real or f'Repository = "{placeholder}"' in texts["pyproject.toml"]


def test_every_declaration_has_its_comment():
    api = generate.read()
    assert [f.name for f in api.functions if not f.comment] == []
    assert [s.name for s in api.structures if not s.comment] == []


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("typedef struct odd { uint8_t a; uint32_t b; } odd;", "odd.b: padding before it"),
        ("typedef struct odd { uint32_t b; uint8_t a; } odd;", "odd: padding at its end"),
        ("typedef uint32_t odd;", "odd: not a structure"),
        ("#if 1", "neither a constant nor a declaration"),
    ],
)
def test_what_has_no_one_layout_is_refused(code, said, tmp_path):
    header = tmp_path / "odd.h"
    header.write_text(f"/* cdef: begin */\n{code}\n/* cdef: end */\n")
    with pytest.raises(ValueError, match=re.escape(said)):
        generate.read([header])


# ---- the module ----


@pytest.mark.full
def test_the_module_in_the_repository_is_what_its_sources_compile_to(tmp_path):
    """Rebuilt with the compiler that built it; with another, or none, nothing can be said."""
    clang = build.compiler()
    if clang is None:
        pytest.skip(f"no {build.COMPILER} on this machine")
    if build.compiler_version(clang) != build.COMPILER_VERSION:
        pytest.skip(f"{clang} is not version {build.COMPILER_VERSION}")
    build.build(clang, tmp_path / "fixsync.wasm")
    modules = (build.MODULE, tmp_path / "fixsync.wasm")
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in modules]
    assert digests[0] == digests[1], "csrc/ has changed: run python bindings/web/build.py"


def _leb(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not byte & 0x80:
            return value, at


def _sections(module):
    """The sections of a WebAssembly module by their number."""
    assert module[:8] == b"\0asm\1\0\0\0"
    at, found = 8, {}
    while at < len(module):
        number = module[at]
        size, start = _leb(module, at + 1)
        found[number] = module[start : start + size]
        at = start + size
    return found


@pytest.mark.full
def test_the_module_imports_nothing_and_exports_every_function_of_the_headers():
    """So a page needs nothing but it, and can call all of it."""
    sections = _sections(build.MODULE.read_bytes())
    assert 2 not in sections, "it imports something"
    exports, at = _leb(sections[7], 0)
    names = set()
    for _ in range(exports):
        size, at = _leb(sections[7], at)
        names.add(sections[7][at : at + size].decode())
        _, at = _leb(sections[7], at + size + 1)
    declared = {function.name for function in generate.read().functions}
    assert names == declared | {"memory", "__heap_base"}
