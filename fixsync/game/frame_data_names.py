"""The names of frame data as source for other languages: the numbers of its parts and attacks. The
header for C has the table too."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from fixsync.game.frame_data import FrameData


def _word(name: str) -> str:
    return re.sub(r"[^A-Z0-9]+", "_", name.upper()).strip("_") or "_"


def _pascal(word: str) -> str:
    return "".join(part.capitalize() for part in word.split("_"))


def _numbered(data: FrameData) -> Iterator[tuple[str, list[str]]]:
    """PART and ATTACK, each with its names as words. ValueError for two that become one word."""
    for what, names in (("PART", data.parts), ("ATTACK", data.attacks)):
        words: dict[str, str] = {}
        for name in names:
            other = words.setdefault(_word(name), name)
            if other != name:
                raise ValueError(
                    f"the {what.lower()}s {other!r} and {name!r} both become {what}_{_word(name)}: "
                    "rename one"
                )
        yield what, [*words]


def _c(name: str, data: FrameData) -> str:
    prefix, table = _word(name), data.to_bytes()
    lines = [
        f"/* Frame data of {prefix.lower()}, written by `fixsync frame-data`. */",
        "#include <stdint.h>",
    ]
    for what, words in _numbered(data):
        if words:
            own = [f"    {prefix}_{what}_{word}," for word in words]
            lines += ["", "enum {", *own, f"    {prefix}_{what}_COUNT", "};"]
    lines += ["", f"static const uint8_t {prefix}_FRAMES[{len(table)}] = {{"]
    for at in range(0, len(table), 16):
        lines.append(f"    {', '.join(map(str, table[at : at + 16]))},")
    return "\n".join([*lines, "};", ""])


def _csharp(name: str, data: FrameData) -> str:
    lines = [f"/// <summary>{_title(name)}</summary>"]
    lines += [f"public static class {_pascal(_word(name))}Frames", "{"]
    for what, words in _numbered(data):
        lines += [
            f"    public const int {_pascal(what)}{_pascal(word)} = {i};"
            for i, word in enumerate(words)
        ]
    return "\n".join([*lines, "}", ""])


def _rust(name: str, data: FrameData) -> str:
    lines = [f"//! {_title(name)}"]
    for what, words in _numbered(data):
        lines += [f"pub const {what}_{word}: u32 = {i};" for i, word in enumerate(words)]
    return "\n".join([*lines, ""])


def _gdscript(name: str, data: FrameData) -> str:
    lines = [f"class_name {_pascal(_word(name))}Frames", f"## {_title(name)}", ""]
    for what, words in _numbered(data):
        lines += [f"const {what}_{word} := {i}" for i, word in enumerate(words)]
    return "\n".join([*lines, ""])


def _typescript(name: str, data: FrameData) -> str:
    parts, attacks = json.dumps([*data.parts]), json.dumps([*data.attacks])
    return (
        f"/** {_title(name)} */\n"
        f"export const names = {{\n  parts: {parts},\n  attacks: {attacks},\n}} as const;\n"
    )


def _title(name: str) -> str:
    return f"Frame data of {_word(name).lower()}, written by `fixsync frame-data`."


WRITERS: dict[str, Callable[[str, FrameData], str]] = {
    ".h": _c,
    ".cs": _csharp,
    ".rs": _rust,
    ".gd": _gdscript,
    ".ts": _typescript,
}
"""The text of each kind of file, from its name and its frame data."""
