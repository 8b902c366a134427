"""Mutants of the kernel: small changes of one place of a C file, found in its syntax tree.

A mutant swaps an operator, moves a constant by one, negates or fixes a condition, deletes a
statement or a conversion, swaps two arguments, or takes a function, a component or a constant for
its counterpart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import tree_sitter_c
from tree_sitter import Language, Node, Parser

# The table of angle_table.h is generated and compared with its generator; the public ones declare.
LEFT_ALONE = frozenset({"angle_table.h", "fixsync.h", "fixsync_kit.h"})

BINARY = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
    "+": ("-",),
    "-": ("+",),
    "*": ("+",),
    "/": ("*",),
    "%": ("/",),
    "<<": (">>",),
    ">>": ("<<",),
    "&": ("|",),
    "|": ("&",),
    "^": ("|",),
    "&&": ("||",),
    "||": ("&&",),
}
ASSIGNED = {
    "+=": ("-=", "="),
    "-=": ("+=", "="),
    "*=": ("+=",),
    "/=": ("*=",),
    "<<=": (">>=",),
    ">>=": ("<<=",),
    "|=": ("&=", "="),
    "&=": ("|=",),
}
COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
COUNTERPARTS = [
    ("min64", "max64"),
    ("min_int", "max_int"),
    ("i128_add", "i128_sub"),
    ("i128_low", "i128_high"),
    ("turned", "turned_back"),
    ("axis_x", "axis_z"),
    ("set_put", "set_drop"),
]
COMPONENTS = [("x", "z"), ("cos_q30", "sin_q30"), ("n", "d"), ("least", "most")]
# Their two arguments may change places.
SYMMETRIC = re.compile(r"(min|max)(64|_int)|dot64|mul_high|i\d+_u?mul|i\d+_add")
CALLED = {a: b for pair in COUNTERPARTS for a, b in (pair, pair[::-1])}
FIELDS = {a: b for pair in COMPONENTS for a, b in (pair, pair[::-1])}
CONSTANT = re.compile(r"[A-Z][A-Z0-9_]{2,}$")
# Names in capitals that are not numbers: they stand for types, functions or storage classes.
NO_NUMBERS = re.compile(r"FXS_(API|INTERNAL)$|UINT64_C$|NULL$|INT\d+_C$")


@dataclass(frozen=True)
class Mutant:
    """The bytes start..end of a file become `now`."""

    file: str
    start: int
    end: int
    now: str
    line: int
    function: str
    was: str
    context: str  # the mutated line, without its indentation
    # any; fast or portable: only the build with, or without, the compiler's own forms has it
    form: str
    origin: str  # of the text of the function, or of what else it is in
    nth: int = 1  # of those that would have the same name

    @property
    def name(self) -> str:
        """Its name among the others, wherever its function stands in the file."""
        again = f" ({self.nth})" if self.nth > 1 else ""
        return f"{self.file} {self.function} [{self.was} -> {one_line(self.now)}] {self.context}{again}"

    def of(self, source: bytes) -> bytes:
        return source[: self.start] + self.now.encode() + source[self.end :]


def one_line(text: str) -> str:
    return " ".join(text.split())


def text_of(node: Node | None) -> str:
    return node.text.decode() if node is not None and node.text is not None else ""


def above(node: Node) -> Iterator[Node]:
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def function_of(node: Node) -> str:
    for parent in above(node):
        if parent.type == "function_definition":
            declarator: Node | None = parent
            while declarator is not None and declarator.type != "identifier":
                declarator = declarator.child_by_field_name("declarator")
            return text_of(declarator)
        if parent.type == "preproc_def":
            return text_of(parent.child_by_field_name("name"))
    return "-"


def origin_of(node: Node) -> str:
    whole = next((parent for parent in above(node) if parent.type == "function_definition"), None)
    if whole is None:
        whole = node
        for parent in above(node):
            if parent.type.startswith(("translation_unit", "preproc_if")):
                break
            whole = parent
    return sha256(text_of(whole).encode()).hexdigest()[:12]


def form_of(node: Node) -> str:
    """The kernel's conditions are all of one kind: a compiler's form first, the portable one after
    #else.
    """
    child = node
    for parent in above(node):
        if parent.type == "preproc_else":
            return "portable"
        if parent.type in ("preproc_if", "preproc_ifdef") and "_H" not in text_of(
            parent.child_by_field_name("name")
        ):
            return "any" if child.type == "preproc_def" else "fast"
        child = parent
    return "any"


def is_in(node: Node, *types: str) -> bool:
    return any(parent.type in types for parent in above(node))


def bare(node: Node) -> Node:
    """What stands in parentheses."""
    while node.type == "parenthesized_expression":
        inside = [child for child in node.named_children if child.type != "comment"]
        if len(inside) != 1:
            break
        node = inside[0]
    return node


def operator_changes(node: Node, table: dict[str, tuple[str, ...]]) -> Iterator[tuple[Node, str]]:
    operator = node.child_by_field_name("operator")
    for now in table.get(text_of(operator), ()):
        yield operator, now  # type: ignore[misc]


def condition_changes(node: Node) -> Iterator[tuple[Node, str]]:
    condition = node.child_by_field_name("condition")
    if condition is None:
        return
    inside = bare(condition)
    text = text_of(inside)
    is_comparison = inside.type == "binary_expression" and (
        text_of(inside.child_by_field_name("operator")) in COMPARISONS
    )
    if not is_comparison and not text.isdigit():
        yield inside, f"!({text})"
    if node.type == "if_statement":
        yield inside, "0"
        yield inside, "1"
    elif node.type in ("while_statement", "for_statement", "do_statement"):
        yield inside, "0"


def number_changes(node: Node, text: str) -> Iterator[tuple[Node, str]]:
    value = int(re.sub(r"[uUlL]+$", "", text), 0)
    if node.parent is None or node.parent.type != "array_declarator":  # a longer array is the same
        yield node, f"({text} + 1)"
    if value:
        yield node, f"({text} - 1)"


def identifier_changes(node: Node) -> Iterator[tuple[Node, str]]:
    text = text_of(node)
    if (
        not CONSTANT.match(text)
        or NO_NUMBERS.match(text)
        or is_in(node, "parameter_declaration", "attribute_specifier")
    ):
        return
    parent = node.parent
    if parent is None or parent.type in (
        "call_expression",
        "init_declarator",
        "array_declarator",
        "enumerator",
    ):
        return
    if parent.type in ("subscript_expression",) and parent.child_by_field_name("argument") == node:
        return
    if parent.type == "binary_expression" and any(
        sibling.type == "subscript_expression" for sibling in above(node)
    ):
        return
    yield node, f"((int64_t){text} + 1)"
    if not text.startswith("FXS_E_"):
        yield node, f"((int64_t){text} - 1)"


def argument_changes(node: Node) -> Iterator[tuple[Node, str]]:
    arguments = node.child_by_field_name("arguments")
    given = (
        [child for child in arguments.named_children if child.type != "comment"]
        if arguments
        else []
    )
    for first, second in pairwise(given):
        a, b = text_of(first), text_of(second)
        if a != b:
            source = text_of(arguments)
            offset = arguments.start_byte  # type: ignore[union-attr]
            between = source[first.end_byte - offset : second.start_byte - offset]
            yield first, f"{b}{between}{a}"


def changes(node: Node) -> Iterator[tuple[Node, str]]:
    """The node to be replaced, and by what. Of two swapped arguments the first stands for both."""
    kind = node.type
    if kind == "binary_expression":
        yield from operator_changes(node, BINARY)
    elif kind == "assignment_expression":
        yield from operator_changes(node, ASSIGNED)
    elif kind == "unary_expression":
        operator = node.child_by_field_name("operator")
        if text_of(operator) in ("-", "!", "~") and operator is not None:
            yield operator, " "
    elif kind == "update_expression":
        operator = node.child_by_field_name("operator")
        if operator is not None:
            yield operator, "--" if text_of(operator) == "++" else "++"
    elif kind == "number_literal":
        yield from number_changes(node, text_of(node))
    elif kind == "identifier":
        yield from identifier_changes(node)
    elif kind == "field_identifier":
        other = FIELDS.get(text_of(node))
        if other and not is_in(node, "field_declaration"):
            yield node, other
    elif kind == "call_expression":
        function = node.child_by_field_name("function")
        if function is not None and text_of(function) in CALLED:
            yield function, CALLED[text_of(function)]
        if not SYMMETRIC.fullmatch(text_of(function)):
            yield from argument_changes(node)
    elif kind == "cast_expression":
        value = node.child_by_field_name("value")
        if value is not None and "*" not in text_of(node.child_by_field_name("type")):
            yield node, f"({text_of(value)})"
    elif kind == "expression_statement":
        if text_of(node) != ";":
            yield node, ";"
    elif kind in ("break_statement", "continue_statement") and not is_in(node, "case_statement"):
        yield node, ";"
    if kind in (
        "if_statement",
        "while_statement",
        "for_statement",
        "do_statement",
        "conditional_expression",
    ):
        yield from condition_changes(node)


def is_elsewhere(node: Node) -> bool:
    """Whether it is what only another machine's compiler would see: here it would be the same
    code.
    """
    return node.type == "preproc_elif" and "NEON" in text_of(node.child_by_field_name("condition"))


def walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        if text_of(child).startswith(("_Static_assert", "FXS_ASSERT(")) or child.type in (
            "preproc_include",
            "comment",
        ):
            continue
        if node.type in ("preproc_if", "preproc_ifdef", "preproc_elif") and child in (
            node.child_by_field_name("condition"),
            node.child_by_field_name("name"),
        ):
            continue
        if is_elsewhere(node) and child.type != "preproc_else":
            continue
        yield from walk(child)


def in_macros(parser: Parser, node: Node) -> Iterator[tuple[int, int, str]]:
    """The tree has what a macro stands for as text: read it as an expression."""
    value = node.child_by_field_name("value")
    if value is None or not re.match(r"[(\d~-]|UINT64_C", text_of(value)):
        return
    text = re.sub(r"/\*.*", "", text_of(value))
    opening = "int x = "
    tree = parser.parse(f"{opening}{text};".encode())
    for inner in walk(tree.root_node):
        for place, now in changes(inner):
            shift = value.start_byte - len(opening)
            end = place.end_byte
            yield place.start_byte + shift, end + shift, now


def mutants_of(path: Path) -> list[Mutant]:
    """All mutants of a file, in the order of their places."""
    source = path.read_bytes()
    parser = Parser(Language(tree_sitter_c.language()))
    root = parser.parse(source).root_node
    found: dict[tuple[int, int, str], Mutant] = {}

    def add(start: int, end: int, now: str, node: Node) -> None:
        first, last = source.rfind(b"\n", 0, start) + 1, source.find(b"\n", end)
        context = (source[first:start] + now.encode() + source[end:last]).decode()
        found.setdefault(
            (start, end, now),
            Mutant(
                path.name,
                start,
                end,
                now,
                source.count(b"\n", 0, start) + 1,
                function_of(node),
                one_line(source[start:end].decode()),
                one_line(context),
                form_of(node),
                origin_of(node),
            ),
        )

    for node in walk(root):
        if node.type == "preproc_def":
            for start, end, now in in_macros(parser, node):
                add(start, end, now, node)
            continue
        if node.type == "preproc_arg":
            continue
        for place, now in changes(node):
            end = place.end_byte
            if (
                node.type == "call_expression"
                and place.parent is not None
                and place.parent.type == "argument_list"
            ):
                following = place.next_named_sibling
                while following is not None and following.type == "comment":
                    following = following.next_named_sibling
                end = following.end_byte if following is not None else end
            add(place.start_byte, end, now, node)
    names: Counter[str] = Counter()
    mutants = []
    for mutant in sorted(found.values(), key=lambda m: (m.start, m.end, m.now)):
        names[mutant.name] += 1
        mutants.append(replace(mutant, nth=names[mutant.name]))
    return mutants


def kernel_mutants(folder: Path) -> list[Mutant]:
    """Those of every file of the kernel and the kit, by file."""
    files = sorted(path for path in folder.rglob("*.[ch]") if path.name not in LEFT_ALONE)
    return [mutant for path in files for mutant in mutants_of(path)]
