"""What the C headers declare, read once for every language.

`read` parses the part of a header between its `cdef` marks with pycparser: constants in groups,
structures with offsets, and functions with their comments. `read_commands` and `read_kinds` read
the tables of csrc/command.h and csrc/shape.h, whose rows are calls of a macro."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pycparser import c_ast, c_parser

from build_ffi import HEADERS

CSRC = HEADERS[0].parent
SIZES = {f"{sign}int{bits}_t": bits // 8 for bits in (8, 16, 32, 64) for sign in ("", "u")}
"""Bytes of each integer type; each is aligned to its size."""


@dataclass(frozen=True)
class Constant:
    name: str
    value: int
    comment: str


@dataclass(frozen=True)
class Group:
    """Constants that stand together, under one comment: "Kinds of event (enum EventKind)."."""

    comment: str
    enum: str
    """The name of an enumeration, or "". Groups of one name are parts of one enumeration."""
    is_flags: bool
    """Whether values are joined by |."""
    constants: tuple[Constant, ...]


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

    @property
    def is_written(self) -> bool:
        """Whether the function may write through it: an output, or an object that changes."""
        return self.type.is_pointer and not self.type.is_const


@dataclass(frozen=True)
class Function:
    name: str
    returns: Type
    parameters: tuple[Parameter, ...]
    comment: str


@dataclass(frozen=True)
class Size:
    """A size of a kind of shape."""

    name: str
    index: int
    """Of fxs_shape.size; -1 for the half angle."""
    least: int
    most: int
    """Of a hole 0: it must be below size[0]."""


@dataclass(frozen=True)
class Kind:
    """A kind of shape: a row of csrc/shape.h."""

    name: str
    code: int
    words: str
    """Sentences about it, from the comment of its code."""
    sizes: tuple[Size, ...]
    """In the order of match logs: the half angle stands behind size[0]."""
    is_round: bool
    can_push: bool
    can_cast: bool
    has_front: bool
    """Whether half a turn changes it."""
    has_hole: bool
    """Whether the last size is that of a hole, which match logs leave out where it is 0."""

    @property
    def class_name(self) -> str:
        """In Python."""
        return "".join(word.capitalize() for word in self.name.split("_"))


@dataclass(frozen=True)
class Command:
    """A type of command: a row of csrc/command.h."""

    name: str
    code: int
    function: Function
    fields: tuple[str, ...]
    """In the order of match logs."""


@dataclass(frozen=True)
class Api:
    """What the headers declare, in their order."""

    groups: tuple[Group, ...]
    structures: tuple[Structure, ...]
    functions: tuple[Function, ...]

    @property
    def constants(self) -> tuple[Constant, ...]:
        return tuple(constant for group in self.groups for constant in group.constants)

    def constant(self, name: str) -> int:
        for found in self.constants:
            if found.name == name:
                return found.value
        raise ValueError(f"{name!r} is neither a number nor a constant of the headers")

    def enum(self, name: str) -> tuple[Constant, ...]:
        """The constants of an enumeration or of flags: Kind, Status, MoverFlags."""
        groups = (group for group in self.groups if group.enum == name)
        return tuple(constant for group in groups for constant in group.constants)

    def function(self, name: str) -> Function:
        return next(found for found in self.functions if found.name == name)

    def structure(self, name: str) -> Structure | None:
        return next((found for found in self.structures if found.name == name), None)


# ---- reading ----

_MARKED = re.compile(r"^/\* cdef: begin\b.*?\n(.*?)^/\* cdef: end \*/$", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_DEFINE = re.compile(
    r"^#define[ \t]+(\w+)[ \t]+\(?(-?\d+)U?\)?[ \t]*(?:/\*(.*?)\*/)?[ \t]*$",
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
    groups = tuple(_groups(text))
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
    return Api(groups, tuple(reading.structures.values()), tuple(reading.functions))


def _groups(text: str) -> Iterator[Group]:
    """Constants on consecutive lines, and the comment above them."""
    title, constants, end = "", [], -1
    for found in _DEFINE.finditer(text):
        if found.start() != end + 1:
            if constants:
                yield _group(title, constants)
            above = text[: found.start()]
            title, constants = "", []
            if above.endswith("*/\n") and not above.endswith("- */\n"):
                title = _plain(above[above.rindex("/*") + 2 : -3])
        name, value, comment = found.groups()
        constants.append(Constant(name, int(value), _plain(comment or "")))
        end = found.end()
    if constants:
        yield _group(title, constants)


def _group(title: str, constants: list[Constant]) -> Group:
    named = re.search(r"\((enum|flags) (\w+)\)", title)
    is_flags = named is not None and named[1] == "flags"
    return Group(title, named[2] if named else "", is_flags, tuple(constants))


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


# ---- tables ----


def _rows(header: str, table: str, row: str) -> list[list[str]]:
    """The arguments of each row of a table: `#define TABLE(ROW) ROW(a, b) ROW(c, d)`."""
    text = (CSRC / header).read_text(encoding="utf-8").replace("\\\n", " ")
    defined = re.search(rf"^#define {table}\({row}\)(.*)$", text, re.MULTILINE)
    if defined is None:
        raise ValueError(f"{header} has no table {table}({row})")
    return [_arguments(call) for call in re.split(rf"\b{row}(?=\()", defined[1])[1:]]


def _arguments(call: str) -> list[str]:
    """The arguments of "(a, f(b, c))": "a" and "f(b, c)"."""
    parts, depth = [""], 0
    for sign in call.strip():
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 1:
            parts.append("")
        elif depth > 1 or (depth == 1 and parts[-1] + sign != "("):
            parts[-1] += sign
    return [" ".join(part.split()) for part in parts]


def read_commands(api: Api) -> list[Command]:
    """The table of commands."""
    found = []
    for code, name, function, flags in _rows("command.h", "COMMANDS", "COMMAND"):
        fields = tuple(flag.removeprefix("FIELD_").lower() for flag in flags.split(" | "))
        found.append(Command(name, api.constant(code), api.function(function), fields))
    return found


def read_kinds(api: Api) -> list[Kind]:
    """The table of kinds of shape."""
    lists = ("BODIES_BUT_POLYGONS", "POLYGONS")
    bodies = [row[0] for name in lists for row in _rows("shape.h", name, "CLASS")]
    found = []
    for code, name, _, shape_class, _, front, ranges in _rows("shape.h", "SHAPE_KINDS", "KIND"):
        traits = [front, *_traits_of(shape_class)]
        *sizes, least, most = _arguments(ranges.removeprefix("RANGES"))
        rows = [(sizes[at], at // 3, *sizes[at + 1 : at + 3]) for at in range(0, 9, 3)]
        rows = [row for row in rows if row[0] != "unused"]
        if most != "0":
            rows.insert(1, ("half_angle", -1, least, most))
        numbers = [
            Size(size, index, *(int(end) if end.isdigit() else api.constant(end) for end in ends))
            for size, index, *ends in rows
        ]
        (constant,) = (known for known in api.constants if known.name == code)
        found.append(
            Kind(
                name,
                constant.value,
                _words(constant),
                tuple(numbers),
                is_round=shape_class == "ROUND",
                can_push=shape_class in bodies,
                can_cast=shape_class in bodies,
                has_front=".has_front = 1" in traits,
                has_hole=".has_hole = 1" in traits,
            )
        )
    return found


def _traits_of(shape_class: str) -> list[str]:
    """Such as ".has_hole = 0"."""
    text = (CSRC / "shape.h").read_text(encoding="utf-8")
    found = re.search(rf"^#define {shape_class}_TRAITS TRAITS(.*)$", text, re.MULTILINE)
    if found is None:
        raise ValueError(f"shape.h has no {shape_class}_TRAITS")
    return _arguments(found[1])


def _words(constant: Constant) -> str:
    """The sentences of "size: radius, 0, 0. A ball."."""
    said = re.fullmatch(r"size: [^.]+\. (.+\.)", " ".join(constant.comment.split()))
    if said is None:
        raise ValueError(f"the comment of {constant.name} must be 'size: a, b, c. Sentences.'")
    return said[1]
