"""What the manifests of all packages say alike, from pyproject.toml and fixsync/__init__.py.

While the address of the repository is a placeholder, other manifests leave it out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bindings.api import Api

ROOT = Path(__file__).resolve().parents[2]
PLACEHOLDER = "https://example.org/"
CARGO_KEYWORDS_MAX = 5  # the registry refuses a sixth


@dataclass(frozen=True)
class Project:
    version: str
    description: str
    keywords: tuple[str, ...]
    author: str
    repository: str
    """An address, or "" until there is one."""


def read_project(pyproject: str, package: str) -> Project:
    """The facts in the texts of pyproject.toml and fixsync/__init__.py. Python 3.10 has no tomllib."""

    def found(pattern: str, text: str = pyproject) -> str:
        match = re.search(pattern, text, re.MULTILINE)
        if match is None:
            raise ValueError(f"no line of pyproject.toml or __init__.py is {pattern}")
        return match[1]

    address = found(r'^Repository = "(.+)"$')
    return Project(
        version=found(r'^__version__ = "(.+)"$', package),
        description=found(r'^description = "(.+)"$'),
        keywords=tuple(json.loads(found(r"^keywords = (\[.+\])$"))),
        author=found(r'^authors = \[\{ name = "(.+)" \}\]$'),
        repository="" if address.startswith(PLACEHOLDER) else address,
    )


def project() -> Project:
    texts = (ROOT / "pyproject.toml", ROOT / "fixsync" / "__init__.py")
    return read_project(*(path.read_text(encoding="utf-8") for path in texts))


def npm(text: str, facts: Project) -> str:
    content = json.loads(text)
    content |= {
        "version": facts.version,
        "description": facts.description,
        "keywords": list(facts.keywords),
        "author": facts.author,
    }
    if facts.repository:
        address = {"type": "git", "url": f"git+{facts.repository}.git", "directory": "bindings/web"}
        content |= {"homepage": facts.repository, "repository": address}
        content["bugs"] = f"{facts.repository}/issues"
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def upm(text: str, facts: Project) -> str:
    content = json.loads(text)
    content |= {
        "version": facts.version,
        "description": facts.description,
        "keywords": list(facts.keywords),
        "author": {"name": facts.author},
    }
    if facts.repository:
        content["author"]["url"] = facts.repository
        content["repository"] = {"type": "git", "url": f"{facts.repository}.git"}
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def vcpkg(text: str, facts: Project) -> str:
    content = json.loads(text) | {"version": facts.version, "description": facts.description}
    if facts.repository:
        content["homepage"] = facts.repository
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def csproj(text: str, facts: Project) -> str:
    rows = {
        "Version": facts.version,
        "Authors": facts.author,
        "Description": facts.description,
        "PackageTags": ";".join(facts.keywords),
        "PackageProjectUrl": facts.repository,
        "RepositoryUrl": facts.repository,
    }
    for name, value in rows.items():
        text = re.sub(rf"^    <{name}>.*\n", "", text, flags=re.MULTILINE)
        if value:
            text = text.replace(
                "  </PropertyGroup>", f"    <{name}>{value}</{name}>\n  </PropertyGroup>"
            )
    return text


def cargo_workspace(text: str, facts: Project) -> str:
    head, mark, rest = text.partition("[workspace.package]\n")
    table, gap, rest = rest.partition("\n\n")
    rows = dict(line.split(" = ", 1) for line in table.splitlines())
    rows |= {"version": f'"{facts.version}"', "authors": json.dumps([facts.author])}
    if facts.repository:
        rows["repository"] = f'"{facts.repository}"'
    lines = "\n".join(f"{name} = {value}" for name, value in rows.items())
    rest = re.sub(r'version = "=[\d.]+"', f'version = "={facts.version}"', rest)
    return head + mark + lines + gap + rest


def cargo(text: str, facts: Project) -> str:
    keywords = json.dumps(list(facts.keywords[:CARGO_KEYWORDS_MAX]))
    text = re.sub(r"^keywords = .*$", f"keywords = {keywords}", text, flags=re.MULTILINE)
    text = re.sub(r"^(authors|repository)\.workspace = true\n", "", text, flags=re.MULTILINE)
    inherited = "authors.workspace = true\n"
    if facts.repository:
        inherited += "repository.workspace = true\n"
    return text.replace("license.workspace = true\n", f"license.workspace = true\n{inherited}")


def cargo_main(text: str, facts: Project) -> str:
    row = f'description = "{facts.description}"'
    return re.sub(r"^description = .*$", row, cargo(text, facts), flags=re.MULTILINE)


def godot(text: str, facts: Project) -> str:
    """Its description is the add-on's own; the editor shows no address."""
    for name, value in (("author", facts.author), ("version", facts.version)):
        text = re.sub(rf"^{name}=.*$", f'{name}="{value}"', text, flags=re.MULTILINE)
    return text


MANIFESTS: dict[str, Callable[[str, Project], str]] = {
    "bindings/csharp/Fixsync.csproj": csproj,
    "bindings/csharp/package.json": upm,
    "bindings/godot/addons/fixsync/plugin.cfg": godot,
    "bindings/rust/Cargo.toml": cargo_workspace,
    "bindings/rust/fixsync/Cargo.toml": cargo_main,
    "bindings/rust/fixsync-sys/Cargo.toml": cargo,
    "bindings/web/package.json": npm,
    "csrc/vcpkg/vcpkg.json": vcpkg,
}
"""Each manifest, and the function that puts the facts of a project into its text."""


def manifest(name: str) -> Callable[[Api], str]:
    """The emitter of a manifest: its own text with the facts of the project."""

    def emit(_api: Api) -> str:
        return MANIFESTS[name]((ROOT / name).read_text(encoding="utf-8"), project())

    return emit
