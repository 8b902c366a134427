"""Raw declarations for C#: constants, enumerations, structures, imports, and the shapes' sizes."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from xml.sax.saxutils import escape

from bindings.api import Api, Constant, Field, Function, Kind, Parameter, Structure, read_kinds
from bindings.emit import NOTE

INTEGERS = {
    "int8_t": "sbyte", "uint8_t": "byte", "int16_t": "short", "uint16_t": "ushort",
    "int32_t": "int", "uint32_t": "uint", "int64_t": "long", "uint64_t": "ulong",
    "char": "byte",
}  # fmt: skip
KEYWORDS = {"in", "out", "ref", "fixed", "base", "event", "lock", "checked", "object", "params"}

RAW = {
    "fxs_config",
    "fxs_solid",
    "fxs_body",
    "fxs_name",
    "fxs_recorder",
    "fxs_history_room",
    "fxs_pushed",
    "fxs_recorded",
    "fxs_rollback_settings",
    "fxs_desync",
}
"""Structures with long arrays, or of low-level functions: only Native has them."""

SHOWN = {
    ("fxs_shape", "kind"): "ShapeKind",
    ("fxs_collider", "kind"): "ShapeKind",
    ("fxs_hitbox", "kind"): "ShapeKind",
    ("fxs_event", "kind"): "EventKind",
    ("fxs_command", "type"): "CommandType",
    ("fxs_planes_command", "type"): "CommandType",
    ("fxs_hit", "contact"): "Contact",
    ("fxs_explanation", "contact"): "Contact",
    ("fxs_explanation", "why"): "Why",
    ("fxs_explanation", "sector"): "Missed",
    ("fxs_cast", "hit_when"): "Contact",
    ("fxs_hitbox_cast", "hit_when"): "Contact",
    ("fxs_mover_result", "flags"): "MoverFlags",
    ("fxs_carried", "flags"): "CarryFlags",
    ("fxs_pace", "is_ahead"): "bool",
    ("fxs_pace", "is_connected"): "bool",
    ("fxs_separated", "is_held"): "bool",
    ("fxs_difference", "of"): "DifferenceOf",
    ("fxs_shape", "half_angle"): "int",
    ("fxs_pose", "yaw"): "int",
    ("fxs_collider", "yaw"): "int",
    ("fxs_collider", "layer"): "int",
    ("fxs_hitbox", "layer"): "int",
    ("fxs_cast_hit", "fraction"): "int",
    ("fxs_pair_hit", "fraction"): "int",
}
"""Fields that C# shows as another type: an enumeration, a bool, or int, as its arithmetic takes
it."""

CONSTRUCTED = {"fxs_pose", "fxs_query", "fxs_cast", "fxs_motion", "fxs_mover", "fxs_hitbox_cast"}
"""Structures whose constructor is written by hand."""

HIDDEN = {
    ("fxs_event", "contact"),
    ("fxs_shape", "size"),
    ("fxs_motion", "motion"),
    ("fxs_collider", "size"),
    ("fxs_collider", "kind"),
    ("fxs_collider", "half_angle"),
    ("fxs_collider", "active"),
    ("fxs_hitbox", "active"),
    ("fxs_explanation", "grows"),
}
"""Fields whose properties are written by hand, if there are any. Those named zero are hidden too."""


def native(api: Api) -> str:
    """Runtime/Native.cs."""
    lines = [
        f"// {NOTE}",
        "",
        "using System;",
        "using System.Diagnostics.CodeAnalysis;",
        "using System.Runtime.InteropServices;",
        "using System.Security;",
        "",
        "namespace Fixsync",
        "{",
    ]
    enums = _enums(api)
    words = {
        constant.name: f"{enum.name}.{enum.member(constant)}"
        for enum in enums
        for constant in enum.constants
    }
    body = [line for enum in enums for line in _enum(enum, words)]
    for structure in api.structures:
        if structure.fields:
            body += _structure(structure, words)
    body += _shape(read_kinds(api))
    body += _native(api)
    lines += [f"    {line}".rstrip() for line in body]
    return "\n".join([*lines, "}"]) + "\n"


def pascal(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def camel(name: str) -> str:
    first, *rest = name.split("_")
    word = first + "".join(part.capitalize() for part in rest)
    return f"@{word}" if word in KEYWORDS else word


def _type_name(structure: str) -> str:
    name = pascal(structure.removeprefix("fxs_"))
    return f"Raw{name}" if structure in RAW else name


def _doc(comment: str, words: dict[str, str] | None = None) -> list[str]:
    """A summary. words: what C# calls some constants of C."""
    said = " ".join(escape(comment).split())
    if not said:
        return []
    if words:
        said = re.sub(r"FXS_\w+", lambda match: words.get(match[0], match[0]), said)
        said = said.replace("FXS_NEVER", "Never")
    if not said.startswith("fxs_"):
        said = said[0].upper() + said[1:]
    if said[-1] not in ".:":
        said += "."
    text = f"<summary>{said}</summary>"
    return [f"/// {line}" for line in textwrap.wrap(text, 84, break_long_words=False)]


# ---- enumerations and constants ----


@dataclass(frozen=True)
class _Enum:
    """An enumeration of C#."""

    name: str
    comment: str
    type: str
    constants: tuple[Constant, ...]
    prefix: str
    is_flags: bool = False

    def member(self, constant: Constant) -> str:
        return pascal(constant.name.removeprefix(self.prefix).removeprefix("E_").lower())


def _enums(api: Api) -> list[_Enum]:
    groups = {group.enum: group for group in api.groups if group.enum}
    causes = next(g for g in api.groups if g.comment.startswith("Causes:"))
    missed = next(g for g in api.groups if g.comment.startswith("How the other shape misses"))
    owners = next(g for g in api.groups if g.comment.startswith("The object that a field"))
    game = api.constant("FXS_GAME_EVENT")
    events = f"A kind of event; those of a game itself are {game} and above."
    return [
        _Enum("ShapeKind", "A kind of shape.", "uint", api.enum("Kind"), "FXS_"),
        _Enum("Contact", groups["Contact"].comment, "uint", api.enum("Contact"), "FXS_"),
        _Enum("EventKind", events, "uint", api.enum("EventKind"), "FXS_"),
        _Enum("CommandType", "A type of command.", "uint", api.enum("CommandType"), "FXS_COMMAND_"),
        _Enum("Status", "The answer of a function of C.", "int", api.enum("Status"), "FXS_"),
        _Enum("Side", groups["Side"].comment, "uint", api.enum("Side"), "FXS_SIDE_"),
        _Enum("MoverFlags", "Flags of a move.", "uint", api.enum("MoverFlags"), "FXS_", True),
        _Enum("CarryFlags", "Effects of a platform.", "uint", api.enum("CarryFlags"), "FXS_", True),
        _Enum("Phase", "A phase of an attack.", "uint", api.enum("Phase"), "FXS_PHASE_"),
        _Enum("Why", "Why a pair is not a hit.", "uint", causes.constants, "FXS_WHY_", True),
        _Enum("Missed", missed.comment, "uint", missed.constants, "FXS_SECTOR_"),
        _Enum("DifferenceOf", owners.comment, "uint", owners.constants, "FXS_OF_"),
    ]


def _enum(enum: _Enum, words: dict[str, str]) -> list[str]:
    comment = enum.comment.replace(f" (enum {enum.name})", "")
    flags = ["[Flags]"] if enum.is_flags else []
    lines = ["", *_doc(comment, words), *flags, f"public enum {enum.name} : {enum.type}", "{"]
    if 0 not in {constant.value for constant in enum.constants}:
        lines += ["    /// <summary>None.</summary>", "    None = 0,"]
    for constant in enum.constants:
        member = enum.member(constant)
        lines += [f"    {line}" for line in _doc(constant.comment or f"{member}.", words)]
        lines.append(f"    {member} = {constant.value},")
    return [*lines, "}"]


# ---- structures ----


@dataclass(frozen=True)
class _Member:
    """A field as C# has it."""

    raw: str
    type: str
    shown: str
    """The type of its property, or "" for none."""
    comment: str
    offset: int

    @property
    def value(self) -> str:
        """The property's value."""
        if self.shown == "bool":
            return f"{self.raw} != 0"
        return self.raw if self.shown == self.type else f"({self.shown}){self.raw}"

    def given(self, name: str) -> str:
        """The field's value of a parameter."""
        if self.shown == "bool":
            return f"{name} ? 1u : 0u"
        return name if self.shown in ("", self.type) else f"({self.type}){name}"


def _members(structure: Structure) -> list[_Member]:
    """Its fields; x, y, z as one vector, and arrays of three numbers as a vector too."""
    found, fields = [], list(structure.fields)
    while fields:
        field = fields.pop(0)
        type = INTEGERS.get(field.type.base) or _type_name(field.type.base)
        names = tuple(f.name for f in (field, *fields[:2]))
        if names in (("x", "y", "z"), ("ox", "oy", "oz")) and type == "int":
            del fields[:2]
            name = "position" if names[0] == "x" else "offset"
            found.append(_Member(name, "Vec3", "Vec3", field.comment, field.offset))
        elif field.count == 3 and type == "int":
            is_hidden = (structure.name, field.name) in HIDDEN
            shown = "" if is_hidden else "Vec3"
            found.append(_Member(camel(field.name), "Vec3", shown, field.comment, field.offset))
        elif field.count:
            width = {"int": 4, "uint": 4, "long": 8}[type]
            found += [
                _Member(f"{camel(field.name)}{i}", type, "", "", field.offset + i * width)
                for i in range(field.count)
            ]
        else:
            found.append(_member(structure, field, type))
    return found


def _member(structure: Structure, field: Field, type: str) -> _Member:
    key = (structure.name, field.name)
    shown = "" if key in HIDDEN or field.name == "zero" else SHOWN.get(key, type)
    return _Member(camel(field.name), type, shown, field.comment, field.offset)


def _structure(structure: Structure, words: dict[str, str]) -> list[str]:
    name = _type_name(structure.name)
    doc = _doc(structure.comment or f"{name} of C.", words)
    if structure.name in RAW:
        return _raw_structure(structure, name, doc)
    members = _members(structure)
    lines = [
        "",
        *doc,
        "[StructLayout(LayoutKind.Sequential)]",
        f"public readonly partial struct {name} : IEquatable<{name}>",
        "{",
    ]
    lines += [f"    internal readonly {member.type} {member.raw};" for member in members]
    if structure.name not in CONSTRUCTED:
        parameters = ", ".join(f"{member.shown or member.type} {member.raw}" for member in members)
        lines += ["", *_wrapped(f"    internal {name}(", parameters, ")"), "    {"]
        lines += [f"        this.{m.raw} = {m.given(m.raw)};" for m in members]
        lines.append("    }")
    for member in members:
        if member.shown:
            label = pascal(member.raw.lstrip("@"))
            lines += ["", *(f"    {line}" for line in _doc(member.comment or label, words))]
            lines.append(f"    public {member.shown} {label} => {member.value};")
    equal = " && ".join(f"{m.raw} == other.{m.raw}" for m in members)
    hashes = ", ".join(f"{m.raw}.GetHashCode()" for m in members)
    lines += [
        "",
        "    /// <summary>Whether all fields are equal.</summary>",
        *_wrapped(f"    public bool Equals({name} other) => ", equal, ";", " && "),
        "",
        "    /// <summary>Whether it is equal.</summary>",
        "    public override bool Equals([AllowNull] object other) =>",
        f"        other is {name} row && Equals(row);",
        "",
        "    /// <summary>A hash of its fields.</summary>",
        *_wrapped("    public override int GetHashCode() => Hashes.Of(", hashes, ");"),
    ]
    for sign, answer in (("==", "a.Equals(b)"), ("!=", "!a.Equals(b)")):
        word = "equal" if sign == "==" else "not equal"
        lines += [
            "",
            f"    /// <summary>Whether two are {word}.</summary>",
            f"    public static bool operator {sign}({name} a, {name} b) => {answer};",
        ]
    return [*lines, "}"]


def _raw_structure(structure: Structure, name: str, doc: list[str]) -> list[str]:
    lines = ["", *doc, "[StructLayout(LayoutKind.Sequential)]", f"public unsafe struct {name}", "{"]
    for field in structure.fields:
        type = INTEGERS[field.type.base]
        array = f"[{field.count}]" if field.count else ""
        lines += [f"    {line}" for line in _doc(field.comment or pascal(field.name))]
        fixed = "fixed " if array else ""
        lines.append(f"    public {fixed}{type} {field.name}{array};")
    return [*lines, "}"]


def _wrapped(start: str, parts: str, end: str, between: str = ", ") -> list[str]:
    line = f"{start}{parts}{end}"
    if len(line) <= 96:
        return [line]
    indent = " " * (len(start) - len(start.lstrip()) + 4)
    words = [f"{part}{between.rstrip()}" for part in parts.split(between)]
    words[-1] = words[-1].removesuffix(between.rstrip()) + end
    lines, row = [start.rstrip()], indent
    for word in words:
        if len(row) + len(word) > 95 and row != indent:
            lines.append(row.rstrip())
            row = indent
        row += f"{word} "
    return [*lines, row.rstrip()]


# ---- shapes ----


def _shape(kinds: list[Kind]) -> list[str]:
    """The part of Shape that follows from the table of kinds."""
    lines = ["", "public readonly partial struct Shape", "{"]
    for kind in kinds:
        able = [w for w, is_so in (("pushed", kind.can_push), ("cast", kind.can_cast)) if is_so]
        words = f"It can be {' and '.join(able)}." if able else "It cannot be pushed or cast."
        first = ", ".join(
            f"int {camel(s.name)}{' = 0' if kind.has_hole and s is kind.sizes[-1] else ''}"
            for s in kind.sizes
        )
        by_index = {size.index: camel(size.name) for size in kind.sizes}
        sizes = ", ".join(by_index.get(index, "0") for index in range(3))
        angle = by_index.get(-1, "0")
        label = pascal(kind.name)
        lines += [
            *(f"    {line}" for line in _doc(f"A {kind.name}. {words} Sizes are Q16.16.")),
        ]
        for size in kind.sizes:
            ends = _ends(kind, size.index, size.least, size.most)
            lines.append(f'    /// <param name="{camel(size.name)}">{escape(ends)}.</param>')
        lines += [
            *_wrapped(f"    public static Shape {label}(", first, ") =>"),
            *_wrapped(
                "        new Shape(",
                f"ShapeKind.{label}, {angle}, new Vec3({sizes})",
                ").Checked();",
            ),
            "",
        ]
    lines += _of_kind(kinds)
    names = dict.fromkeys(size.name for kind in kinds for size in kind.sizes if size.index >= 0)
    for name in names:
        owners = [(pascal(k.name), s.index) for k in kinds for s in k.sizes if s.name == name]
        said = ", ".join(owner for owner, _ in owners)
        lines += [
            f"    /// <summary>Of {said}, in Q16.16; others have none.</summary>",
            f"    public int {pascal(name)}",
            "    {",
            "        get",
            "        {",
            "            switch (Kind)",
            "            {",
        ]
        for owner, index in owners:
            lines.append(f"                case ShapeKind.{owner}: return size.{'XYZ'[index]};")
        lines += [
            f'                default: throw Without("{name}");',
            "            }",
            "        }",
            "    }",
            "",
        ]
    for able, can in (("pushed", "can_push"), ("cast", "can_cast")):
        *most, last = (pascal(kind.name) for kind in kinds if getattr(kind, can))
        lines += [
            f"    /// <summary>Null for a shape that can be {able}.</summary>",
            f"    internal Exception Not{able.capitalize()}(string name)",
            "    {",
            "        switch (Kind)",
            "        {",
            *(f"            case ShapeKind.{label}:" for label in (*most, last)),
            "                return null;",
            "            default:",
            "                return new ArgumentException(",
            f'                    $"{{name}} must be a {", ".join(most)} or {last}, not {{this}}");',
            "        }",
            "    }",
            "",
        ]
    lines += [
        '    /// <summary>"Box(halfX=65536, halfY=65536, halfZ=32768)".</summary>',
        "    public override string ToString()",
        "    {",
        "        switch (Kind)",
        "        {",
    ]
    for kind in kinds:
        label = pascal(kind.name)
        shown = ", ".join(f"{camel(s.name)}={{{_value(s.index)}}}" for s in kind.sizes)
        lines.append(f"            case ShapeKind.{label}:")
        if kind.has_hole:
            whole, hole = shown.rsplit(", ", 1)
            lines += [
                f'                return $"{label}({whole}" +',
                f'                    ({_value(kind.sizes[-1].index)} == 0 ? ")" : $", {hole})");',
            ]
        else:
            lines.append(f'                return $"{label}({shown})";')
    lines += ['            default: return $"kind {kind}";', "        }", "    }", ""]
    lines += [
        "    /// <summary>The first size that is out of range, or null.</summary>",
        "    internal Exception Fault()",
        "    {",
        "        switch (Kind)",
        "        {",
    ]
    for kind in kinds:
        lines.append(f"            case ShapeKind.{pascal(kind.name)}: return")
        checks = []
        for size in kind.sizes:
            is_hole = kind.has_hole and size is kind.sizes[-1]
            most = f'size.X - 1L, ", below the {kind.sizes[0].name}"' if is_hole else size.most
            arguments = f'"{camel(size.name)}", {_value(size.index)}, {size.least}, {most}'
            checks.append(arguments)
        for check in checks:
            start = "                " if check is checks[0] else "                    ?? "
            lines += _wrapped(f"{start}Errors.Outside(", check, ")")
        lines[-1] += ";"
    lines += [
        "            default:",
        f'                return Errors.Range("kind", kind, 0, {max(k.code for k in kinds)});',
        "        }",
        "    }",
        "}",
    ]
    return [part for line in lines for part in line.split("\n")]


def _of_kind(kinds: list[Kind]) -> list[str]:
    """A shape from its kind and all sizes that any kind has."""
    names = dict.fromkeys(camel(size.name) for kind in kinds for size in kind.sizes)
    parameters = ", ".join(("ShapeKind kind", *(f"int {name}" for name in names)))
    lines = [
        "    /// <summary>A shape of this kind, which takes the sizes that it has.</summary>",
        *_wrapped("    internal static Shape Of(", parameters, ")"),
        "    {",
        "        switch (kind)",
        "        {",
    ]
    for kind in kinds:
        label, sizes = pascal(kind.name), ", ".join(camel(size.name) for size in kind.sizes)
        lines.append(f"            case ShapeKind.{label}: return {label}({sizes});")
    last = max(kind.code for kind in kinds)
    refuse = f'throw Errors.Range("kind", (uint)kind, 0, {last});'
    return [*lines, f"            default: {refuse}", "        }", "    }", ""]


def _value(index: int) -> str:
    """The field of a size."""
    return "halfAngle" if index < 0 else f"size.{'XYZ'[index]}"


def _ends(kind: Kind, index: int, least: int, most: int) -> str:
    if kind.has_hole and index == kind.sizes[-1].index:
        return f"below {kind.sizes[0].name}; 0: no hole"
    unit = " yaw steps to either side" if index < 0 else ""
    return f"{least}..{most}{unit}"


# ---- functions ----


def _native(api: Api) -> list[str]:
    lines = [
        "",
        "/// <summary>The functions and constants of C, as csrc/fixsync.h and csrc/fixsync_kit.h",
        "/// declare them. Nothing is checked: the types beside it are safe.</summary>",
        "[SuppressUnmanagedCodeSecurity]",
        "public static unsafe partial class Native",
        "{",
    ]
    for group in api.groups:
        for constant in group.constants:
            is_long = constant.value >= 2**32
            type = "long" if is_long else "uint" if constant.value >= 2**31 else "int"
            lines += [f"    {line}" for line in _doc(constant.comment or constant.name)]
            lines.append(f"    public const {type} {constant.name} = {constant.value};")
    lines += [
        "",
        '    /// <summary>Size and offsets of each structure: a line "Type size field=offset".',
        "    /// </summary>",
        "    internal static readonly string[] Layout =",
        "    {",
    ]
    for structure in api.structures:
        if structure.fields:
            members = (
                [(f.name, f.offset) for f in structure.fields]
                if structure.name in RAW
                else [(m.raw.lstrip("@"), m.offset) for m in _members(structure)]
            )
            offsets = " ".join(f"{name}={offset}" for name, offset in members)
            text = f"{_type_name(structure.name)} {structure.size} {offsets}"
            parts = textwrap.wrap(text, 78, drop_whitespace=False)
            lines += [f'        "{part}" +' for part in parts[:-1]] + [f'        "{parts[-1]}",']
    lines += ["    };", ""]
    lines += [
        "    internal static int SizeOf(string structure)",
        "    {",
        "        switch (structure)",
        "        {",
    ]
    for structure in api.structures:
        if structure.fields:
            name = _type_name(structure.name)
            lines.append(f'            case "{name}": return sizeof({name});')
    lines += ["            default: return -1;", "        }", "    }"]
    for function in api.functions:
        lines += ["", *(f"    {line}" for line in _doc(function.comment))]
        lines.append("    [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]")
        returns = _returned(function)
        parameters = ", ".join(f"{_passed(p)} {camel(p.name)}" for p in function.parameters)
        start = f"    public static extern {returns} {function.name}("
        lines += _wrapped(start, parameters, ");")
    return [*lines, "}"]


def _returned(function: Function) -> str:
    type = function.returns
    if type.base == "void" and not type.is_pointer:
        return "void"
    if not type.is_pointer:
        return INTEGERS[type.base]
    return f"{INTEGERS[type.base]}*" if type.base in INTEGERS else "IntPtr"


def _passed(parameter: Parameter) -> str:
    type = parameter.type
    if not type.is_pointer:
        return INTEGERS[type.base]
    if type.base in (
        "fxs_world",
        "fxs_level",
        "fxs_rewind",
        "fxs_inputs",
        "fxs_history",
        "fxs_rollback",
    ):
        return "IntPtr"
    if parameter.length == 3 and type.base == "int32_t":
        return "Vec3*"
    return f"{INTEGERS.get(type.base) or _type_name(type.base)}*"
