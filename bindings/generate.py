"""Raw declarations of the C API for other languages, generated from the public headers.

    python bindings/generate.py            writes every file of OUTPUTS
    python bindings/generate.py --check    exits with 1 and the names of files that are stale

`read` parses the part of a header between its `cdef` marks with pycparser and returns an `Api`:
constants, structures with offsets, and functions with their comments. An emitter turns an `Api`
into the text of one file. A new language is one emitter and its row of OUTPUTS."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from pycparser import c_ast, c_parser

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from build_ffi import HEADERS

SIZES = {f"{sign}int{bits}_t": bits // 8 for bits in (8, 16, 32, 64) for sign in ("", "u")}
"""Bytes of each integer type; each is aligned to its size."""


@dataclass(frozen=True)
class Constant:
    name: str
    value: int
    comment: str


@dataclass(frozen=True)
class Type:
    """An integer, a structure, or nothing: `base`; behind a pointer if `is_pointer`."""

    base: str
    is_pointer: bool = False
    is_const: bool = False


@dataclass(frozen=True)
class Field:
    name: str
    type: Type
    count: int
    """How many elements an array has; 0 for a field that is not an array."""
    offset: int
    comment: str


@dataclass(frozen=True)
class Structure:
    name: str
    fields: tuple[Field, ...]
    """Empty for an opaque structure."""
    size: int
    alignment: int
    comment: str


@dataclass(frozen=True)
class Parameter:
    name: str
    type: Type
    length: int = 0
    """How many elements a vector has: 3 for `const int32_t motion[3]`; 0 for other pointers."""


@dataclass(frozen=True)
class Function:
    name: str
    returns: Type
    parameters: tuple[Parameter, ...]
    comment: str


@dataclass(frozen=True)
class Api:
    """What the headers declare, in their order."""

    constants: tuple[Constant, ...]
    structures: tuple[Structure, ...]
    functions: tuple[Function, ...]

    def structure(self, name: str) -> Structure | None:
        return next((found for found in self.structures if found.name == name), None)


# ---- reading ----

_MARKED = re.compile(r"^/\* cdef: begin\b.*?\n(.*?)^/\* cdef: end \*/$", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_DEFINE = re.compile(
    r"^#define[ \t]+(\w+)[ \t]+\(?(-?\d+)\)?[ \t]*(?:/\*(.*?)\*/)?[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_MACRO = re.compile(r"\b([A-Z]{2,}_API)\s+")


def read(headers: Iterable[Path] = HEADERS) -> Api:
    """The API of headers."""
    texts = [path.read_text(encoding="utf-8") for path in headers]
    parts = []
    for text in texts:
        marked = _MARKED.search(text)
        if marked is None:
            raise ValueError("a header has no lines between '/* cdef: begin' and '/* cdef: end */'")
        parts.append(marked[1])
    text = "\n".join(parts)
    constants = tuple(
        Constant(name, int(value), _plain(comment or ""))
        for name, value, comment in _DEFINE.findall(text)
    )
    declarations = _MACRO.sub("", _DEFINE.sub(_blank, text))
    if left := re.search(r"^#.*", declarations, re.MULTILINE):
        raise ValueError(f"neither a constant nor a declaration: {left[0]}")
    prelude = "".join(f"typedef int {name};\n" for name in SIZES)
    code = prelude + _COMMENT.sub(_blank, declarations)
    lines = declarations.split("\n")
    shift = prelude.count("\n")
    tree = c_parser.CParser().parse(code)
    reading = _Reading(lines, shift)
    for node in tree.ext:
        if node.coord.line > shift:
            reading.declaration(node)
    return Api(constants, tuple(reading.structures.values()), tuple(reading.functions))


def _blank(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


def _plain(comment: str) -> str:
    """A comment's words, its paragraphs apart."""
    lines = [re.sub(r"^\s*\*? ?", "", line).rstrip() for line in comment.split("\n")]
    return "\n".join(lines).strip()


class _Reading:
    """The declarations of a header, as they come."""

    def __init__(self, lines: list[str], shift: int) -> None:
        self.structures: dict[str, Structure] = {}
        self.functions: list[Function] = []
        self._lines = lines
        self._shift = shift

    def declaration(self, node: c_ast.Node) -> None:
        comment = self._comment_above(node.coord.line - self._shift - 1)
        if isinstance(node, c_ast.Typedef):
            self._structure(node)
        elif isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.FuncDecl):
            self._function(node.type, comment)
        else:
            raise ValueError(f"neither a structure nor a function: {node}")

    def _comment_above(self, line: int) -> str:
        """The comment that ends on the line before this one."""
        if line == 0 or not self._lines[line - 1].rstrip().endswith("*/"):
            return ""
        first = line - 1
        while "/*" not in self._lines[first]:
            first -= 1
        text = "\n".join(self._lines[first:line])
        return "" if text.startswith("/* ----") else _plain(text.strip()[2:-2])

    def _comment_behind(self, line: int) -> str:
        """The comment that begins on this line."""
        _, _, rest = "\n".join(self._lines[line:]).partition("/*")
        return _plain(rest.partition("*/")[0]) if "/*" in self._lines[line] else ""

    def _structure(self, node: c_ast.Typedef) -> None:
        inner = node.type.type
        if not isinstance(inner, c_ast.Struct):
            raise ValueError(f"{node.name}: not a structure")
        # The place of a structure is its end; an opaque one has no fields, and is one line.
        line = inner.decls[0].coord.line - 1 if inner.decls else node.coord.line
        comment = self._comment_above(line - self._shift - 1)
        fields: list[Field] = []
        end, alignment = 0, 1
        for declared in inner.decls or []:
            type, count = self._type(declared.type)
            size, own_alignment = self._layout(type)
            if end % own_alignment:
                raise ValueError(f"{node.name}.{declared.name}: padding before it")
            behind = self._comment_behind(declared.coord.line - self._shift - 1)
            fields.append(Field(declared.name, type, count, end, behind))
            end += size * max(1, count)
            alignment = max(alignment, own_alignment)
        if end % alignment:
            raise ValueError(f"{node.name}: padding at its end")
        self.structures[node.name] = Structure(node.name, tuple(fields), end, alignment, comment)

    def _layout(self, type: Type) -> tuple[int, int]:
        if type.is_pointer:
            raise ValueError("a pointer in a structure has no one size")
        if type.base in SIZES:
            return SIZES[type.base], SIZES[type.base]
        structure = self.structures[type.base]
        return structure.size, structure.alignment

    def _function(self, node: c_ast.FuncDecl, comment: str) -> None:
        returns, _ = self._type(node.type)
        parameters = []
        for declared in node.args.params if node.args else []:
            if declared.name is None:  # (void)
                continue
            type, count = self._type(declared.type)
            is_pointer = type.is_pointer or count > 0
            passed = Type(type.base, is_pointer, type.is_const)
            parameters.append(Parameter(declared.name, passed, count))
        name = node.type
        while not isinstance(name, c_ast.TypeDecl):
            name = name.type
        self.functions.append(Function(str(name.declname), returns, tuple(parameters), comment))

    def _type(self, node: c_ast.Node) -> tuple[Type, int]:
        """A type and, of an array, its length."""
        if isinstance(node, c_ast.ArrayDecl):
            type, _ = self._type(node.type)
            return type, int(node.dim.value)
        is_pointer = isinstance(node, c_ast.PtrDecl)
        inner = node.type if is_pointer else node
        if not isinstance(inner, c_ast.TypeDecl):
            raise ValueError("a pointer to a pointer, or to a function")
        named = inner.type
        base = named.name if isinstance(named, c_ast.Struct) else " ".join(named.names)
        return Type(base, is_pointer, "const" in inner.quals), 0


# ---- the web ----

_NOTE = "Generated by bindings/generate.py from fixsync.h and fixsync_kit.h. Do not edit."


def web_js(api: Api) -> str:
    """Constants, and for each structure its size (`$size`) and the offsets of its fields."""
    lines = [f"// {_NOTE}", ""]
    lines += [f"export const {constant.name} = {constant.value};" for constant in api.constants]
    lines.append("")
    for structure in api.structures:
        if structure.fields:
            offsets = ", ".join(f"{field.name}: {field.offset}" for field in structure.fields)
            lines.append(
                f"export const {structure.name} = {{ $size: {structure.size}, {offsets} }};"
            )
    return "\n".join(lines) + "\n"


def web_types(api: Api) -> str:
    """The same for TypeScript, and the functions that the module exports, each with the first line
    of its comment: the headers have the rest.
    """
    lines = [f"// {_NOTE}", ""]
    for constant in api.constants:
        lines += _doc(constant.comment, "")
        lines.append(f"export const {constant.name}: {constant.value};")
    lines += [
        "",
        "/** An address in the module's memory. */",
        "export type Pointer<Of extends string> = number & { readonly of?: Of };",
    ]
    for structure in api.structures:
        if not structure.fields:
            continue
        lines += ["", *_doc(_summary(structure.comment), ""), f"export const {structure.name}: {{"]
        lines.append(f"  readonly $size: {structure.size};")
        for field in structure.fields:
            array = f"[{field.count}]" if field.count else ""
            lines += _doc(f"{field.type.base}{array}: {field.comment}".rstrip(": "), "  ")
            lines.append(f"  readonly {field.name}: {field.offset};")
        lines.append("};")
    lines += [
        "",
        "/** The exports of fixsync.wasm. A uint32_t that is returned arrives as a signed number, a",
        " * uint64_t as a signed BigInt: `>>> 0` and `BigInt.asUintN(64, …)` make them unsigned. */",
        "export interface Kernel {",
        "  readonly memory: WebAssembly.Memory;",
        "  readonly __heap_base: WebAssembly.Global;",
    ]
    for function in api.functions:
        parameters = ", ".join(f"{p.name}: {_web_type(p.type)}" for p in function.parameters)
        lines += _doc(_summary(function.comment), "  ")
        lines.append(f"  {function.name}({parameters}): {_web_type(function.returns)};")
    lines.append("}")
    return "\n".join(lines) + "\n"


def _web_type(type: Type) -> str:
    if type.is_pointer:
        return f'Pointer<"{type.base}">'
    if type.base == "void":
        return "void"
    return "bigint" if SIZES[type.base] == 8 else "number"


def _summary(comment: str) -> str:
    """The first sentence of a comment, on one line."""
    return re.split(r"(?<=\.)\s|\n\n", comment, maxsplit=1)[0].replace("\n", " ")


def _doc(comment: str, indent: str) -> list[str]:
    if not comment:
        return []
    words = [f"{indent} * {line}".rstrip() for line in comment.split("\n")]
    words[0] = f"{indent}/** {comment.split(chr(10))[0]}"
    words[-1] += " */"
    return words


OUTPUTS: dict[str, Callable[[Api], str]] = {
    "web/raw.js": web_js,
    "web/raw.d.ts": web_types,
}
"""Files beside this one, and what writes them."""


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    api = read()
    stale = []
    for name, emit in OUTPUTS.items():
        path = Path(__file__).parent / name
        text = emit(api)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(f"bindings/{name}")
            if not arguments:
                path.write_text(text, encoding="utf-8")
    if arguments and stale:
        print(f"stale: {', '.join(stale)}; run python bindings/generate.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
