"""Raw declarations for Rust; shapes, statuses and causes as its enumerations."""

from __future__ import annotations

import re
from collections.abc import Collection

from bindings.api import Api, Constant, Field, Function, Kind, Parameter, Type, read_kinds
from bindings.emit import NOTE
from bindings.emit.web import _filled

INTEGERS = {
    f"{sign}int{bits}_t": f"{sign or 'i'}{bits}" for bits in (8, 16, 32, 64) for sign in ("", "u")
}
KEYWORDS = {"match", "yield", "type", "move", "box"}


def sys(api: Api) -> str:
    """The crate fixsync-sys: constants, structures with checks of their layout, functions."""
    statuses = {constant.name for constant in api.enum("Status")}
    lines = [
        f"// {NOTE}",
        "use core::ffi::c_char;",
        "use core::marker::{PhantomData, PhantomPinned};",
        "use core::mem::{offset_of, size_of};",
        "",
    ]
    for group in api.groups:
        for constant in group.constants:
            lines += _doc(constant.comment or group.comment or f"`{constant.name}`.", "")
            type = _constant_type(constant, statuses)
            lines.append(f"pub const {constant.name}: {type} = {constant.value};")
    for structure in api.structures:
        lines += ["", *_doc(structure.comment, "")]
        if not structure.fields:
            lines += [
                "#[repr(C)]",
                f"pub struct {structure.name} {{",
                "    _private: [u8; 0],",
                "    _marker: PhantomData<(*mut u8, PhantomPinned)>,",
                "}",
            ]
            continue
        lines += [
            "#[repr(C)]",
            "#[derive(Clone, Copy, Debug, PartialEq, Eq)]",
            f"pub struct {structure.name} {{",
        ]
        for field in structure.fields:
            lines += _doc(field.comment or f"`{field.name}`.", "    ")
            lines.append(f"    pub {_name(field.name)}: {_field_type(field)},")
        offsets = [
            f"    assert!(offset_of!({structure.name}, {_name(field.name)}) == {field.offset});"
            for field in structure.fields
        ]
        lines += [
            "}",
            f"zeroed!({structure.name});",
            "const _: () = {",
            f"    assert!(size_of::<{structure.name}>() == {structure.size});",
            *offsets,
            "};",
        ]
    lines += ["", 'unsafe extern "C" {']
    for function in api.functions:
        lines += _doc(function.comment, "    ") + _function(function)
    lines.append("}")
    return "\n".join(lines) + "\n"


def _function(function: Function) -> list[str]:
    parameters = [f"{_name(p.name)}: {_parameter_type(p)}" for p in function.parameters]
    returns = "" if function.returns == Type("void") else f" -> {_type(function.returns)}"
    return _filled(f"    pub fn {function.name}(", parameters, f"){returns};")


def _constant_type(constant: Constant, statuses: Collection[str]) -> str:
    if constant.name in statuses:
        return "i32"
    return "u32" if 0 <= constant.value < 2**32 else "i64"


def _type(type: Type) -> str:
    base = "c_char" if type.base == "char" else INTEGERS.get(type.base, type.base)
    if not type.is_pointer:
        return base
    return f"*{'const' if type.is_const else 'mut'} {base}"


def _field_type(field: Field) -> str:
    base = _type(field.type)
    return f"[{base}; {field.count}]" if field.count else base


def _parameter_type(parameter: Parameter) -> str:
    if not parameter.length:
        return _type(parameter.type)
    base = _type(Type(parameter.type.base))
    return f"*{'const' if parameter.type.is_const else 'mut'} [{base}; {parameter.length}]"


def _name(name: str) -> str:
    return f"r#{name}" if name in KEYWORDS else name


def _doc(comment: str, indent: str) -> list[str]:
    """A comment for rustdoc, which takes brackets for links and indented lines for programs."""
    lines = []
    for line in comment.split("\n"):
        if line.startswith("    "):
            words = f"`{line.strip()}`"
        else:
            words = re.sub(r"[\[\]<>*_]", r"\\\g<0>", line.replace("`", ""))
        lines.append(f"{indent}/// {words}".rstrip())
    return lines


# ---- the tables of the crate fixsync ----


def tables(api: Api) -> str:
    """fixsync/src/tables.rs."""
    kinds = read_kinds(api)
    lines = [f"// {NOTE}", "", "use super::*;", "", *_shapes(kinds)]
    statuses = [
        (_camel(constant.name.removeprefix("FXS_E_")), constant.value, constant.comment)
        for constant in api.enum("Status")
        if constant.value < 0
    ]
    lines += _enum("Status", "Why the kernel refused a call.", "i32", statuses)
    causes = [
        (_camel(c.name.removeprefix("FXS_WHY_")), c.value, c.comment)
        for c in api.constants
        if c.name.startswith("FXS_WHY_")
    ]
    lines += _enum("Cause", "Why a pair is not a hit.", "u32", causes)
    lines += _errors(api)
    return "\n".join(lines) + "\n"


IMPOSSIBLE = {"KIND", "YAW", "COMMAND", "ACTIVE"}
"""Statuses for values that the types of Rust do not have."""
EXCEPTIONS = {
    "fxs_body_add": {"RANGE": ""},  # of is_mirrored, a bool
    "fxs_body_mirror": {"RANGE": ""},
    "fxs_body_strike": {"ROOM": "ROOM"},  # victims, which have room for so many
    "fxs_carry": {"ACTIVE": "ACTIVE"},  # a collider that is not active
    "fxs_history_init": {"ROOM": ""},  # it has twice the room
    "fxs_inputs_put": {"RANGE": "", "TAKEN": "ORDER"},  # Ok(false); no id is taken
    "fxs_level_init": {"CONFIG": ""},  # misaligned memory
    "fxs_rewind_push": {"ROOM": "ROOM"},
}
"""What becomes of a status in some functions. Elsewhere one for too little room is Memory: the
functions give more room."""


def _errors(api: Api) -> list[str]:
    """The macro `errors!`: the section on errors of each function, from the words of the header."""
    lines = [
        "",
        "/// The section on errors of a function: of functions of C, or variants of [`Error`].",
        "macro_rules! errors {",
        "    ($first:ident $($next:ident)*) => {",
        '        concat!("# Errors\n\n", error!($first) $(, ", ", error!($next))*, ".")',
        "    };",
        "}",
        "",
        "macro_rules! error {",
    ]
    for function in api.functions:
        links = []
        for status in dict.fromkeys(re.findall(r"FXS_E_([A-Z_]+)", function.comment)):
            usual = "" if status in IMPOSSIBLE else "Memory" if status == "ROOM" else status
            name = EXCEPTIONS.get(function.name, {}).get(status, usual)
            kind = "Error" if name == "Memory" else "Status"
            if name:
                links.append(f"[`{_camel(name)}`](crate::{kind}::{_camel(name)})")
        if links:
            lines.append(f'    ({function.name}) => {{ "{", ".join(links)}" }};')
    lines += [
        "    ($variant:ident) => {",
        '        concat!("[`", stringify!($variant), "`](crate::Error::", stringify!($variant), ")")',
        "    };",
        "}",
    ]
    return lines


def _enum(name: str, doc: str, type: str, values: list[tuple[str, int, str]]) -> list[str]:
    lines = [
        "",
        f"/// {doc}",
        "#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]",
        "#[non_exhaustive]",
        f"#[repr({type})]",
        f"pub enum {name} {{",
    ]
    for variant, value, comment in values:
        lines += _doc(comment or f"{variant}.", "    ")
        lines.append(f"    {variant} = {value},")
    lines += [
        "}",
        "",
        f"impl {name} {{",
        "    /// All of them.",
        "    pub const ALL: &'static [Self] = &[",
        *(f"        Self::{variant}," for variant, _, _ in values),
        "    ];",
        "}",
    ]
    return lines


def _shapes(kinds: list[Kind]) -> list[str]:
    lines = [
        "/// A shape: its kind and its sizes in Q16.16; a half angle is a [`Yaw`].",
        "#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]",
        '#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]',
        '#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", remote = "Self"))]',
        "#[repr(u16)] // Shape::of",
        "pub enum Shape {",
    ]
    for kind in kinds:
        able = [
            word for word, is_so in (("pushed", kind.can_push), ("cast", kind.can_cast)) if is_so
        ]
        words = f" It can be {' and '.join(able)}." if able else " It cannot be pushed or cast."
        lines += [f"    /// {_camel(kind.name)}.{words}", f"    {_camel(kind.name)} {{"]
        for size in sorted(kind.sizes, key=lambda size: size.index):  # a half angle first
            is_hole = kind.has_hole and size.index == len(kind.sizes) - 2 and size.least == 0
            ends = (
                f"below {kind.sizes[0].name}; 0: no hole"
                if is_hole
                else f"{size.least}..={size.most}"
            )
            type = "i32" if size.index >= 0 else "Yaw"
            lines += [f"        /// {ends}.", f"        {size.name}: {type},"]
        lines.append(f"    }} = {kind.code},")
    lines += ["}", "", "impl Shape {"]
    lines += ["    pub(crate) fn raw(&self) -> sys::fxs_shape {", "        match *self {"]
    for kind in kinds:
        lines.append(f"            {_pattern(kind)} => sys::fxs_shape {{")
        lines.append(f"                kind: {kind.code},")
        angle = next((s.name for s in kind.sizes if s.index < 0), None)
        lines.append(f"                half_angle: {f'{angle}.0.into()' if angle else '0'},")
        by_index = {s.index: s.name for s in kind.sizes}
        sizes = ", ".join(by_index.get(i, "0") for i in range(3))
        lines += [f"                size: [{sizes}],", "            },"]
    lines += ["        }", "    }", ""]
    lines += [
        "    /// The shape of a row that the kernel wrote: all kinds lie in memory as its numbers do, so",
        "    /// nothing branches.",
        "    #[inline]",
        "    pub(crate) fn of(kind: u8, half_angle: u16, size: [i32; 3]) -> Self {",
        "        #[repr(C)]",
        "        struct Row(u16, u16, [i32; 3]);",
        f"        let kind = kind.min({max(kind.code for kind in kinds)}).into();",
        "        // SAFETY: repr(u16) lays out kind, half angle and sizes in this order.",
        "        unsafe { core::mem::transmute(Row(kind, half_angle, size)) }",
        "    }",
        "",
    ]
    lines += [
        "    /// Each size: its name, value, and range.",
        "    pub(crate) fn sizes(&self) -> ([Range; 4], usize) {",
        '        let none = ("", 0, 0, 0);',
        "        match *self {",
    ]
    for kind in kinds:
        rows = []
        for size in kind.sizes:
            is_hole = kind.has_hole and size is kind.sizes[-1]
            most = f"i64::from({kind.sizes[0].name}) - 1" if is_hole else str(size.most)
            value = f"{size.name}.0" if size.index < 0 else size.name
            rows.append(f'("{size.name}", {value}.into(), {size.least}, {most})')
        rows += ["none"] * (4 - len(rows))
        lines.append(f"            {_pattern(kind)} => ([{', '.join(rows)}], {len(kind.sizes)}),")
    lines += ["        }", "    }", ""]
    areas = [f"Self::{_camel(kind.name)} {{ .. }}" for kind in kinds if not kind.can_push]
    lines += [
        "    /// Whether it cannot be pushed or cast.",
        "    pub(crate) const fn is_area(&self) -> bool {",
        f"        matches!(self, {' | '.join(areas)})",
        "    }",
        "}",
    ]
    return lines


def _pattern(kind: Kind) -> str:
    return f"Self::{_camel(kind.name)} {{ {', '.join(size.name for size in kind.sizes)} }}"


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.lower().split("_"))
