"""A level seen from above or from the side, as an SVG picture."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import escape

from fixsync.base.numbers import ONE, decimal
from fixsync.world.level import LEVEL, Level, Prism, Solid

WIDTH = 1000
"""Pixels of the picture's longer side."""
# Those of the viewer's light theme.
_COLOURS = (
    "#0075c8", "#d99508", "#01714f", "#c9618d", "#3caadd", "#ad3400", "#958000", "#33333b",
)  # fmt: skip
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_DASHES = ("", "6 3", "2 3", "8 3 2 3")
"""Of layers 0..7, 8..15, 16..23, 24..31."""


def bounds(solids: Iterable[Solid]) -> tuple[int, int, int, int]:
    """The least x and z of solids, and the greatest. ValueError without solids."""
    corners = [corner for solid in solids for corner in _corners(solid)]
    if not corners:
        raise ValueError("a level without solids has no bounds")
    xs, zs = zip(*corners, strict=True)
    return min(xs), min(zs), max(xs), max(zs)


def _corners(solid: Solid) -> list[tuple[int, int]]:
    if isinstance(solid, Prism):
        return [(x, z) for x, z in solid.vertices]
    x, z, r = solid.x, solid.z, solid.radius
    return [(x - r, z - r), (x + r, z + r)]


def svg(level: Level, names: Mapping[int, str] | None = None, *, side: bool = False) -> str:
    """A level as an SVG picture: +X to the right and +Z up, as the viewer draws it, and the highest
    solid on top. With `side`, +Y is up.

    Its numbers are raw units, its colours those of the layers. A pointer on a solid shows its id,
    name, layer and heights."""
    left, near, right, far = bounds(level) if len(level) else (0, 0, ONE, ONE)
    if side and len(level):
        near, far = min(solid.y_low for solid in level), max(solid.y_high for solid in level)
    wide, high = right - left, far - near
    margin = max(wide, high) // 20 + 1
    box = (-margin, -margin, wide + 2 * margin, high + 2 * margin)
    width, height = (max(1, WIDTH * side // max(box[2:])) for side in box[2:])
    x, y, across, down = box
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg"',
        f' viewBox="{x} {y} {across} {down}" width="{width}" height="{height}">',
        f'<rect x="{x}" y="{y}" width="{across}" height="{down}" fill="#ffffff"/>',
    ]
    for index, solid in sorted(enumerate(level), key=lambda pair: pair[1].y_high):
        if side:
            ends = [x for x, _ in _corners(solid)]
            across, tall = max(ends) - min(ends), solid.y_high - solid.y_low
            corner = f'x="{min(ends) - left}" y="{far - solid.y_high}"'
            element = f'rect {corner} width="{across}" height="{tall}"'
        elif isinstance(solid, Prism):
            points = " ".join(f"{x - left},{far - z}" for x, z in solid.vertices)
            element = f'polygon points="{points}"'
        else:
            element = f'circle cx="{solid.x - left}" cy="{far - solid.z}" r="{solid.radius}"'
        colour, dash = _COLOURS[solid.layer % 8], _DASHES[solid.layer // 8]
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        name = _NOT_XML.sub("\ufffd", (names or {}).get(LEVEL + index, ""))
        title = escape(_title(index, solid, name))
        parts.append(
            f'<{element} fill="{colour}" fill-opacity="0.25" stroke="{colour}"{dashes}'
            f' vector-effect="non-scaling-stroke"><title>{title}</title></{element.split()[0]}>'
        )
    return "\n".join([*parts, "</svg>\n"])


def _title(index: int, solid: Solid, name: str) -> str:
    low, high = (decimal(y, ONE, 5) for y in (solid.y_low, solid.y_high))
    named = f' "{name}"' if name else ""
    return f"{LEVEL + index}{named}: layer {solid.layer}, y {low} to {high}"
