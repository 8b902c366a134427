"""A plot of cost against the number of colliders, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import log10

from fixsync.bench.frames import Row

__all__ = ["svg"]

_WIDTH, _HEIGHT = 760, 460
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 190, 40, 50
_FONT = 'font-family="sans-serif" font-size="12"'
_COLOURS = ("#1f6fb4", "#d1495b", "#2a9d5c", "#8e5bb5", "#c77d0a", "#4a4a4a", "#0a9396", "#9b2226")


def svg(rows: Sequence[Row]) -> str:
    """Both axes are logarithmic: the number of colliders, and nanoseconds a collider a frame. A
    line for every scene and library."""
    lines: dict[str, list[tuple[int, float]]] = {}
    for row in rows:
        lines.setdefault(f"{row.library}, {row.scene}", []).append(
            (row.count, row.least / row.count)
        )
    counts = [count for points in lines.values() for count, _ in points]
    costs = [cost for points in lines.values() for _, cost in points]
    left, right = _decades(min(counts), max(counts))
    low, high = _decades(min(costs), max(costs))

    def x(count: float) -> float:
        return _LEFT + (log10(count) - left) / (right - left) * (_WIDTH - _LEFT - _RIGHT)

    def y(cost: float) -> float:
        return _HEIGHT - _BOTTOM - (log10(cost) - low) / (high - low) * (_HEIGHT - _TOP - _BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" {_FONT}>',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
        f'<text x="{_LEFT}" y="22" font-size="14">nanoseconds a collider a frame</text>',
        f'<text x="{_WIDTH - _RIGHT}" y="{_HEIGHT - 12}" text-anchor="end">colliders</text>',
    ]
    for decade in range(left, right + 1):
        at = x(10**decade)
        parts.append(_line(at, _TOP, at, _HEIGHT - _BOTTOM))
        label = f"{10**decade:,}"
        parts.append(f'<text x="{at:.1f}" y="{_HEIGHT - 32}" text-anchor="middle">{label}</text>')
    for decade in range(low, high + 1):
        at = y(10**decade)
        parts.append(_line(_LEFT, at, _WIDTH - _RIGHT, at))
        parts.append(
            f'<text x="{_LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{10**decade:,}</text>'
        )
    for i, (name, points) in enumerate(lines.items()):
        colour, dash = (
            _COLOURS[i % len(_COLOURS)],
            "" if i < len(_COLOURS) else ' stroke-dasharray="5 3"',
        )
        path = " ".join(f"{x(count):.1f},{y(cost):.1f}" for count, cost in sorted(points))
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
        )
        parts += [
            f'<circle cx="{x(count):.1f}" cy="{y(cost):.1f}" r="3" fill="{colour}"/>'
            for count, cost in points
        ]
        at = _TOP + 8 + 16 * i
        right_edge = _WIDTH - _RIGHT + 12
        parts.append(
            f'<line x1="{right_edge}" y1="{at}" x2="{right_edge + 18}" y2="{at}" '
            f'stroke="{colour}" stroke-width="2"{dash}/>'
        )
        parts.append(f'<text x="{right_edge + 24}" y="{at + 4}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _decades(least: float, most: float) -> tuple[int, int]:
    """Powers of ten around both, at least one apart."""
    low, high = int(log10(least) // 1), int(-(-log10(most) // 1))
    return low, max(high, low + 1)


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#dddddd"/>'
