"""Tables for the Godot extension and its add-on: constants of its class Fixsync, kinds of shape,
layouts of rows; the methods that check their arguments and pass them on to one function of C. The
node classes of 2D and 3D from one source each."""

from __future__ import annotations

import dataclasses
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from bindings.api import SIZES, Api, Command, Function, Kind, Parameter, read_commands, read_kinds
from bindings.emit import NOTE

ROWS = (
    "fxs_event",
    "fxs_hit",
    "fxs_collider",
    "fxs_command",
    "fxs_cast_hit",
    "fxs_motion",
    "fxs_pair_hit",
    "fxs_moved",
    "fxs_query",
    "fxs_cast",
    "fxs_mover",
    "fxs_carried",
    "fxs_separated",
    "fxs_explanation",
    "fxs_extent",
    "fxs_vertex",
)
"""Structures that a GDScript array holds, a number for each field."""

LEFT_OUT = ("FXS_VERSION_MAJOR", "FXS_VERSION_MINOR", "FXS_VERSION_PATCH", "FXS_SEMANTICS")
"""Constants that are functions in GDScript, where they are those of the library that runs."""


def _numbers(api: Api, name: str, start: int, prefix: str) -> Iterator[tuple[str, str, int]]:
    """Name, type and offset of each number of a structure, those within others included."""
    structure = api.structure(name)
    if structure is None:
        raise ValueError(f"the headers have no {name}")
    for field in structure.fields:
        if field.name == "zero":  # it must be 0
            continue
        at = start + field.offset
        if field.type.base not in SIZES:
            yield from _numbers(api, field.type.base, at, "")
            continue
        for index in range(max(1, field.count)):
            end = str(index) if field.count else ""
            yield f"{prefix}{field.name}{end}", field.type.base, at + index * SIZES[field.type.base]


def tables(api: Api) -> str:
    """The text of src/tables.c."""
    lines = [
        f"/* {NOTE} */",
        '#include "values.h"',
        "",
        "const gd_constant GD_CONSTANTS[] = {",
    ]
    for group in api.groups:
        lines += [
            f"    {{{_literal(constant.value)}, {int(group.is_flags)},\n"
            f'     "{group.enum}\\0{constant.name.removeprefix("FXS_")}\\0"\n'
            f"     {_text(constant.comment)}}},"
            for constant in group.constants
            if constant.name not in LEFT_OUT
        ]
    lines += ["    {0, 0, 0},", "};", "", "const gd_size GD_SIZES[] = {"]
    for kind in read_kinds(api):
        for size in kind.sizes:
            is_hole = kind.has_hole and size == kind.sizes[-1]
            lines.append(
                f'    {{{kind.code}, {size.index}, {int(is_hole)}, "{size.name}", '
                f"{size.least}, {size.most}}},"
            )
    lines += ["    {-1, 0, 0, 0, 0, 0},", "};"]
    for name in ROWS:
        numbers = list(_numbers(api, name, 0, ""))
        upper = name.removeprefix("fxs_").upper()
        lines += ["", f"static const gd_number {upper}[] = {{"]
        lines += [
            f'    {{"{field}", {offset}, {SIZES[base]}, {int(base.startswith("int"))}}},'
            for field, base, offset in numbers
        ]
        lines += [
            "};",
            f"const gd_layout GD_{upper} = {{{len(numbers)}, sizeof({name}), {upper}}};",
        ]
    return "\n".join(lines) + "\n"


def _literal(value: int) -> str:
    return f"INT64_C({value})" if abs(value) >= 2**31 else str(value)


def _text(comment: str) -> str:
    """A comment as strings of C, on lines of at most 100 columns."""
    lines = textwrap.wrap(" ".join(comment.split()), 90, drop_whitespace=False) or [""]
    return "\n     ".join('"' + line.replace('"', '\\"') + '"' for line in lines)


# ---- methods that pass a call on ----

PASSED = {
    "fixsync": (
        *("version", "mul", "div", "mul_div", "sqrt", "lerp", "clamp", "approach", "dot", "scale"),
        *("with_length", "turn_towards", "yaw_between", "yaw_of", "faces", "length", "direction"),
        *("forward", "bounce", "slide", "overlap", "push_out", "lift", "side"),
    ),
    "world": ("frame", "count", "hit_count", "hash", "contact", "push_out", "lift", "side"),
    "random": ("next", "below", "between", "chance"),
    "history": ("head", "first", "free_frames"),
    "body": (
        *("set_pose", "mirror", "start", "tick", "cancel", "can_start", "phase", "hit", "hash"),
    ),
}
"""Methods of a class of GDScript, beside the commands that change one collider of a world: the
signature, the help and the call are those of the function of C."""

RENAMED = {"fxs_history_free_frames": "fxs_history_free"}
"""Methods whose name an object of Godot has already."""

_YAW = ("0", "FXS_TURN - 1")
_DISTANCE = ("-(int64_t)UINT32_MAX", "UINT32_MAX")
_PART = ("0", "FXS_ONE")
RANGES = {
    **dict.fromkeys(("yaw", "end", "from", "to"), _YAW),
    **dict.fromkeys(("dx", "dy", "dz"), _DISTANCE),
    **dict.fromkeys(("fraction", "kept"), _PART),
    "half_angle": ("1", "FXS_HALF_ANGLE_MAX"),
    "numerator": ("0", "INT64_MAX"),
    "denominator": ("1", "INT64_MAX"),
    "count": ("1", "INT64_MAX"),
    "fxs_sqrt.a": ("0", "INT32_MAX"),
    "fxs_clamp.low": ("INT32_MIN", "gd_int(call, 2)"),
    "fxs_approach.most": ("0", "INT32_MAX"),
    "fxs_turn_towards.most": ("0", "FXS_TURN"),
    "fxs_with_length.length": ("0", "INT32_MAX"),
    "fxs_forward.length": ("-INT32_MAX", "INT32_MAX"),
    "fxs_random_between.low": ("INT64_MIN", "gd_int(call, 1)"),
}
"""The least and most of an argument, in C, where its type has more."""

NONZERO = ("fxs_div.b", "fxs_mul_div.c", "fxs_with_length.v")
FLAGS = ("is_mirrored", "active")
"""Numbers of C that are a bool in GDScript."""

DEFAULTS = {
    **dict.fromkeys(("yaw: int", "layer: int", "owner: int"), " = 0"),
    "offset: Vector3i": " = Vector3i()",
    "active: bool": " = true",
}
"""Of the arguments of `add`."""

SAID = {
    "fxs_random_below": "A number of 0..count - 1, each equally likely.",
    "fxs_world_frame": "The number of steps, modulo 2^32.",
    "fxs_world_set_active": (
        "Makes a collider active or not; an inactive one neither hits nor is found."
    ),
    "fxs_body_mirror": "Turns the body to its local +x or, mirrored, to -x: for side views.",
    "fxs_world_add": (
        "Adds a collider under an id that is free. Colliders of one owner do not hit each other, "
        "except those of owner 0. offset is from the position to the centre, turned by the yaw. "
        "An inactive collider neither hits nor is found."
    ),
    "fxs_direction": "The direction of a yaw, (cos, 0, sin) in Q2.30.",
    "fxs_push_out": "The shortest planar translation of a that ends an overlap.",
    "fxs_lift": "The shortest vertical translation of a that ends an overlap.",
}
"""Summaries of methods where that of the function is about types of C."""

WORDS = re.compile(r"(The|A|An|How|Which|Whether|Steps|XXH64|Fixsync)\b")
"""A summary of C that names the result begins so; any other begins with a verb."""


@dataclasses.dataclass
class _Call:
    """A method while its parameters are read."""

    owner: str
    method: str
    function: Function
    arguments: list[str] = dataclasses.field(default_factory=list)
    """As GDScript declares them."""
    declared: list[str] = dataclasses.field(default_factory=list)
    checks: list[str] = dataclasses.field(default_factory=list)
    passed: list[str] = dataclasses.field(default_factory=list)
    outputs: list[Parameter] = dataclasses.field(default_factory=list)

    def check(self, condition: str) -> None:
        self.checks.append(condition)

    def read(self, parameter: Parameter) -> None:
        """Reads a parameter from the next argument."""
        name, base, at = parameter.name, parameter.type.base, len(self.arguments)
        key = f"{self.function.name}.{name}"
        if base in ("fxs_world", "fxs_history") and self.owner != "body":
            self.passed.append(f"self->{base.removeprefix('fxs_')}")
        elif name == "state":
            self.passed.append("&self->state")
        elif base == "fxs_body":
            self.passed.append("&self->body")
        elif name == "table":
            self.passed.append("self->data->bytes")
        elif base == "fxs_world":
            self.arguments.append("world: FixsyncWorld")
            self.declared.append("gd_world *world = gd_body_begin(call);")
            self.check("world != NULL")
            self.passed.append("world->world")
        elif name == "rows":
            self.declared.append("fxs_command rows[FXS_BODY_ROWS];")
            self.passed.append("rows")
        elif parameter.is_written:
            self.declared.append(
                f"{base} {name}{f'[{parameter.length}]' * (parameter.length > 0)};"
            )
            self.outputs.append(parameter)
            self.passed.append(name if parameter.length else f"&{name}")
        elif base == "fxs_shape":
            self.arguments.append(f"{name}: PackedInt64Array")
            self.declared.append(f"fxs_shape {name};")
            self.check(f"gd_shape_of(call, {at}, &{name})")
            self.passed.append(f"&{name}")
        elif base == "fxs_pose":
            of = name.removeprefix("pose")
            self.arguments += [f"position{of}: Vector3i", f"yaw{of}: int"]
            self.declared.append(f"fxs_pose {name};")
            self.check(f"gd_pose_of(call, {at}, {at + 1}, &{name})")
            self.passed.append(f"&{name}")
        elif parameter.length == 3:
            self.arguments.append(f"{name}: Vector3i")
            self.passed.append(f"gd_vector(call, {at})")
        elif name in FLAGS:
            self.arguments.append(f"{name}: bool")
            self.passed.append(f"gd_bool(call, {at})")
        else:
            self.number(name, base, RANGES.get(key, RANGES.get(name)))
        if key in NONZERO:
            self.check(f"gd_is_nonzero(call, {at})")

    def number(self, name: str, base: str, ends: tuple[str, str] | None) -> None:
        at = len(self.arguments)
        self.arguments.append(f"{name}: int")
        if ends is None and SIZES[base] == 4:
            self.declared.append(f"{base} {name};")
            reader = "gd_body_attack" if name == "attack" else f"gd_{base[:-2].replace('int', 'i')}"
            self.check(f"{reader.replace('ui', 'u')}(call, {at}, &{name})")
            self.passed.append(name)
            return
        if ends is not None:
            self.check(f"gd_check(call, {at}, {ends[0]}, {ends[1]})")
        self.passed.append(f"{'' if base == 'int64_t' else f'({base})'}gd_int(call, {at})")

    @property
    def takes_status(self) -> str:
        """The check of a status, in which it stands as {}."""
        names = [parameter.name for parameter in self.function.parameters]
        if self.owner == "world":
            return "gd_world_takes_pair(call, {}, a, b)"
        if "pose_a" in names:
            return 'gd_is_ok(call, "shapes", {})'
        if "normal" in names:
            return 'gd_is_ok(call, "motion and normal", {})'
        return "gd_fits(call, {})"


def calls(api: Api) -> str:
    """The text of src/passed.c."""
    lines = [f"/* {NOTE} */", '#include "classes.h"']
    for owner, methods in PASSED.items():
        rows = []
        for method in methods:
            name = f"fxs_{owner}_{method}".replace("fxs_fixsync_", "fxs_")
            call = _Call(owner, method, api.function(RENAMED.get(name, name)))
            rows.append(_passed(call, lines))
        if owner == "world":
            rows += [
                _changes(command, lines)
                for command in read_commands(api)
                if command.name not in ("move", "layers")
            ]
        lines += ["", f"const gd_method GD_PASSED_{owner.upper()}[] = {{"]
        lines += [*rows, "    {NULL, NULL, NULL},", "};"]
    return "\n".join(lines) + "\n"


def _passed(call: _Call, lines: list[str]) -> str:
    """Appends the function of a method; returns its row."""
    for parameter in call.function.parameters:
        call.read(parameter)
    if call.owner != "fixsync":
        call.declared.insert(0, f"gd_{call.owner} *self = call->self;")
    calling = f"{call.function.name}({', '.join(call.passed)})"
    type, returning = "int", f"gd_return_int(call, {calling});"
    can_fail = call.outputs and call.function.returns.base != "void"
    if "rows" in call.passed:
        type, returning = "bool", f"gd_body_takes(call, world, {calling}, rows);"
    elif call.function.comment.startswith("Whether"):
        type, returning = "bool", f"gd_return_bool(call, {calling} == 1);"
    elif can_fail:
        call.check(call.takes_status.format(calling))
        type, returning = _result(call.outputs)
    elif call.outputs:
        type, returning = _result(call.outputs)
        returning = f"{calling};\n    {returning}"
    elif {"a", "pose_a"} & {p.name for p in call.function.parameters}:
        call.declared += ["int32_t status;", "gd_return_int(call, -1);"]
        call.check(call.takes_status.format(f"status = {calling}"))
        returning = "gd_return_int(call, status);"
    elif call.function.returns.base == "uint64_t":
        returning = f"gd_return_int(call, (int64_t){calling});"
    after = "; -1 after an error" * ("gd_return_int(call, -1);" in call.declared)
    is_static = "static " * (call.owner == "fixsync")
    signature = f"{is_static}{call.method}({', '.join(call.arguments)}) -> {type}"
    name = f"{call.owner}_{call.method}"
    _function(name, call.declared, call.checks, returning.split("\n    "), lines)
    return _row(signature, name, _help(call.function, call.owner, after))


def _result(outputs: list[Parameter]) -> tuple[str, str]:
    """The type of what a function writes, and the call that returns it."""
    first = outputs[0]
    if len(outputs) == 2:
        return "Vector3i", f"gd_return_vector(call, {first.name}, 0, {outputs[1].name});"
    if first.length == 2:
        return "Vector3i", f"gd_return_vector(call, {first.name}[0], 0, {first.name}[1]);"
    if first.length == 3:
        parts = ", ".join(f"{first.name}[{axis}]" for axis in range(3))
        return "Vector3i", f"gd_return_vector(call, {parts});"
    return "int", f"gd_return_int(call, {first.name});"


def _changes(command: Command, lines: list[str]) -> str:
    """A command that changes the collider of its first argument."""
    arguments, sets = ["id: int"], []
    method = command.function.name.removeprefix("fxs_world_")
    checks = [f"gd_world_command(call, FXS_COMMAND_{command.name.upper()}, &row)"]
    for name in command.fields[1:]:
        at = len(arguments)
        if name == "shape":
            arguments.append("shape: PackedInt64Array")
            checks.append(f"gd_command_shape(call, {at}, &row)")
        elif name in ("position", "offset"):
            arguments.append(f"{name}: Vector3i")
            sets.append(f"gd_command_{name}(call, {at}, &row);")
        elif name == "active":
            arguments.append("active: bool")
            sets.append(f"row.collider.active = gd_bool(call, {at});")
        elif name == "owner":
            arguments.append("owner: int")
            checks.append(f"gd_u32(call, {at}, &row.collider.owner)")
        else:
            most, type = {"yaw": ("FXS_TURN", 16), "layer": ("FXS_LAYER_COUNT", 8)}[name]
            arguments.append(f"{name}: int")
            checks.append(f"gd_check(call, {at}, 0, {most} - 1)")
            sets.append(f"row.collider.{name} = (uint{type}_t)gd_int(call, {at});")
    sets.append("gd_world_change(call, &row);")
    _function(f"world_{method}", ["fxs_command row;"], checks, sets, lines)
    if command.name == "add":
        arguments = [argument + DEFAULTS.get(argument, "") for argument in arguments]
    signature = f"{method}({', '.join(arguments)}) -> bool"
    return _row(signature, f"world_{method}", _help(command.function, "world", ""))


def _function(
    name: str, declared: Iterable[str], checks: list[str], body: list[str], lines: list[str]
) -> None:
    """Appends a function that does something if all checks hold."""
    lines += ["", f"static void {name}(gd_call *call) {{", *_joined(declared)]
    inset = "    "
    if checks:
        lines += _filled(f"if ({' && '.join(checks)}){' {' * (len(body) > 1)}", inset)
        inset += "    "
    for statement in body:
        lines += _filled(statement, inset)
    if checks and len(body) > 1:
        lines.append("    }")
    lines.append("}")


def _joined(declared: Iterable[str]) -> Iterator[str]:
    """Declarations, those of one integer type on one line."""
    by_type: dict[str, list[str]] = {}
    for line in declared:
        type, _, name = line.removesuffix(";").partition(" ")
        is_plain = re.fullmatch(r"u?int\d\d_t|fxs_\w+", type) is not None
        by_type.setdefault(type if is_plain else line, []).append(name if is_plain else "")
    for type, names in by_type.items():
        yield f"    {type} {', '.join(names)};" if names != [""] else f"    {type}"


def _filled(statement: str, inset: str) -> list[str]:
    return textwrap.wrap(statement, 100, initial_indent=inset, subsequent_indent=inset + "    ")


def _row(signature: str, function: str, help: str) -> str:
    first = f"    {{{_text(signature)},"
    between = " " if len(first.rpartition("\n")[2]) + len(function) < 98 else "\n     "
    return f"{first}{between}{function},\n     {_text(help)}}},"


def _help(function: Function, owner: str, after: str) -> str:
    """The summary of a function of C as that of a method."""
    summary = function.comment.split("\n")[0]
    words = SAID.get(function.name, summary).replace("`", "").replace(f"fxs_{owner}_", "")
    words = re.sub(r"\bfxs_(?=\w)", "Fixsync.", words)
    if found := WORDS.match(words):
        plain = found[1] not in ("XXH64", "Fixsync")
        words = f"Returns {words[0].lower() if plain else words[0]}{words[1:]}"
    return f"{words.removesuffix('.')}{after}."


def makers(api: Api) -> str:
    """The text of src/kinds.h."""
    rows = []
    for kind in read_kinds(api):
        sizes = ", ".join(f"{size.name}: int" for size in kind.sizes) + " = 0" * kind.has_hole
        help = f"Returns the shape of {kind.words[0].lower()}{kind.words[1:]}"
        rows.append(f'    SHAPE({kind.name}, {kind.code}, "{sizes}",\n     {_text(help)})')
    table = "\n".join(["#define GD_SHAPES(SHAPE)", *rows]).replace("\n", " \\\n")
    return f"""/* {NOTE} */
/* Name, code, sizes as arguments of GDScript, and help of a method that makes the shape. */
{table}
"""


def kinds(api: Api) -> str:
    """The text of addons/fixsync/kinds.gd."""
    found = read_kinds(api)
    members = "\n".join(line for kind in found for line in _member(kind))
    sizes = [", ".join(f'&"{size.name}"' for size in kind.sizes) for kind in found]
    rows = "\n".join(f"\t[{names}]," for names in sizes)
    least = ", ".join(f"[{', '.join(str(size.least) for size in kind.sizes)}]" for kind in found)
    rounds = ", ".join(f"Kind.{kind.name.upper()}" for kind in found if kind.is_round)
    return f"""@tool
extends Resource
## {NOTE}

enum Kind {{
{members}
}}

## By kind: the sizes in the order of a row.
const SIZES := [
{rows}
]

## The least of each size, in raw numbers.
const LEAST := [{least}]

## Kinds with round ends, whose top is their radius above their half_height.
const ROUND: Array[int] = [{rounds}]
"""


def _member(kind: Kind) -> list[str]:
    words = textwrap.wrap(kind.words, 90)
    return [*(f"\t## {line}" for line in words), f"\t{kind.name.upper()} = {kind.code},"]


NODES = Path(__file__).resolve().parents[1] / "godot" / "nodes"


def node(name: str, dimensions: int) -> Callable[[Api], str]:
    """The writer of addons/fixsync/NAME_2d.gd or NAME_3d.gd. In its source {D} is 2D or 3D, and a
    line that begins with "2:" or "3:" is in one of them only."""

    def write(_: Api) -> str:
        lines = (NODES / f"{name}.gd").read_text(encoding="utf-8").split("\n")
        other = f"{5 - dimensions}:"
        kept = [line.removeprefix(f"{dimensions}:") for line in lines if not line.startswith(other)]
        text = "\n".join(kept).replace("{D}", f"{dimensions}D").replace("{d}", f"{dimensions}d")
        end = text.index("\n\n", text.index("\nextends "))
        note = f"# Generated by bindings/generate.py from nodes/{name}.gd. Do not edit."
        return f"{text[:end]}\n\n{note}{text[end:]}"

    return write
