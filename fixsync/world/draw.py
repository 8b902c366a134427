"""Draws worlds with pygame: outlines of colliders and solids, names, and pairs that hit.

For pictures only: nothing here changes a world. Positions are integers until they are pixels. Needs
the extra: `pip install '.[pygame]'`."""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

from fixsync._native.checks import boolean, integer, integers
from fixsync._native.raw import INT32_MAX, INT32_MIN
from fixsync.base.names import Names
from fixsync.world.level import LEVEL, Level
from fixsync.world.records import Collider
from fixsync.world.shapes import Capsule, Cylinder, Outline, Pose, Sphere
from fixsync.world.world import World

if TYPE_CHECKING:
    from pygame import Rect, Surface
    from pygame.font import Font

__all__ = ["Colour", "View", "between", "poses"]

Colour: TypeAlias = tuple[int, int, int]
"""Red, green and blue, 0..255."""

_OWNERS: list[Colour] = [(232, 92, 80), (84, 148, 244), (96, 190, 110), (236, 184, 72)]
_LAYERS: list[Colour] = [(150, 160, 178), (112, 122, 142), (196, 178, 142), (140, 178, 172)]
_SOLID: Colour = (62, 68, 84)
_TEXT: Colour = (240, 242, 246)
_HIT: Colour = (255, 240, 120)
_SEGMENTS = 48


def between(before: Pose, after: Pose, alpha: int) -> Pose:
    """A pose between two, to draw at: at alpha 0 the first, just before 65536 the second.

    alpha: 0..65535, such as `Pacer.alpha`. A yaw turns the shorter way. Rounded down."""
    alpha = integer("alpha", alpha, 0, 65_535)
    turn = (after.yaw - before.yaw + 32_768) % 65_536 - 32_768
    x, y, z, yaw = (
        a + ((b - a) * alpha >> 16)
        for a, b in (
            (before.x, after.x),
            (before.y, after.y),
            (before.z, after.z),
            (before.yaw, before.yaw + turn),
        )
    )
    return Pose(x, y, z, yaw % 65_536)


def poses(world: World) -> dict[int, Pose]:
    """The poses of all colliders by id. Take them before a step, for `View.world`."""
    return {collider.id: collider.pose for collider in world.colliders()}


class View:
    """A world as a pygame surface shows it: from above, with x to the right and z up, or down with
    `z_down`; or from the side, with x to the right and y up.

    `centre` and `pixels` may be changed at any time, to follow a player or to zoom."""

    def __init__(
        self,
        surface: Surface,
        *,
        pixels: int = 48,
        centre: tuple[int, int, int] = (0, 0, 0),
        side: bool = False,
        z_down: bool = False,
        names: Names | None = None,
        colours: Mapping[int, Colour] | None = None,
    ) -> None:
        """pixels: of one unit, 1..4096. centre: (x, y, z) in the middle of the surface, Q16.16.
        z_down: as in the header of a log, and of its recorder; so the viewer shows the same.
        names: written above colliders. colours: by id; the others have one by owner, or by layer if
        they have no owner.

        ImportError if pygame is not installed."""
        self._pygame = _pygame()
        self.surface = surface
        self.pixels = integer("pixels", pixels, 1, 4096)
        x, y, z = integers("centre", ("x", "y", "z"), centre, INT32_MIN, INT32_MAX)
        self.centre = x, y, z
        self.side = boolean("side", side)
        self.z_down = boolean("z_down", z_down)
        self.names = names or Names()
        self.colours = dict(colours or {})
        self._scratch = World(1)
        self._solids: tuple[Level, list[Outline]] | None = None
        self._fonts: dict[int, Font] = {}
        self._texts: dict[tuple[str, int, Colour], Surface] = {}

    def point(self, x: int, y: int, z: int) -> tuple[int, int]:
        """The pixel of a position in the world, Q16.16. It may lie outside the surface."""
        width, height = self.surface.get_size()
        cx, cy, cz = self.centre
        up = y - cy if self.side else z - cz
        down = up if self.z_down and not self.side else -up
        return (
            width // 2 + ((x - cx) * self.pixels >> 16),
            height // 2 + (down * self.pixels >> 16),
        )

    def world(
        self,
        world: World,
        before: Mapping[int, Pose] | None = None,
        alpha: int = 65_535,
        *,
        hits: bool = True,
    ) -> None:
        """Draws the solids of the level, then all colliders: inactive ones, as lines; active ones;
        those of hits.

        before, alpha: poses before the last step, and where between them and those of now to draw.
        A collider that is not in `before` is drawn where it is. hits: a line joins the colliders of
        each pair that was a hit at the last step, and those that hit have bright edges."""
        if world.level is not None:
            self.level(world.level)
        pairs = world.hits() if hits else ()
        bright = {id for pair in pairs for id in (pair.a, pair.b)}
        drawn: dict[int, Pose] = {}
        rows = sorted(world.colliders(), key=lambda row: (row.active, row.id in bright))
        for collider in rows:
            pose = collider.pose
            if before is not None and collider.id in before:
                pose = between(before[collider.id], pose, alpha)
            drawn[collider.id] = pose
            self.collider(collider, pose, is_bright=collider.id in bright)
        for a, b, _ in pairs:
            if a in drawn and b in drawn:
                ends = [self.point(pose.x, pose.y, pose.z) for pose in (drawn[a], drawn[b])]
                self._pygame.draw.line(self.surface, _HIT, *ends)

    def collider(
        self, collider: Collider, pose: Pose | None = None, *, is_bright: bool = False
    ) -> None:
        """Draws a collider of a world, at another pose if one is given, with its name."""
        pose = collider.pose if pose is None else pose
        outline = self._outline(collider, pose)
        colour = self._colour(collider)
        shape = collider.shape
        ball = shape.radius if isinstance(shape, (Sphere, Capsule)) else 0
        edge = _HIT if is_bright else _lighter(colour)
        place = self._shape(outline, colour if collider.active else None, edge, ball)
        if not self.side and isinstance(shape, (Sphere, Capsule, Cylinder)):
            x, z = outline.outer[0]  # where the pose faces
            self._pygame.draw.line(self.surface, edge, place.center, self.point(x, 0, z), 2)
        name = self.names.ids.get(collider.id)
        if name:
            self.text(name, (place.centerx, place.top - 10), size=18, is_centred=True)

    def level(self, level: Level) -> None:
        """Draws the solids of a level."""
        if self._solids is None or self._solids[0] is not level:
            found = [level.outline(i, segments=_SEGMENTS) for i in range(len(level))]
            self._solids = level, found
        for i, outline in enumerate(self._solids[1], LEVEL):
            colour = self.colours.get(i, _SOLID)
            self._shape(outline, colour, _lighter(colour), 0)

    def text(
        self,
        text: str,
        at: tuple[int, int],
        *,
        size: int = 28,
        colour: Colour = _TEXT,
        is_centred: bool = False,
    ) -> None:
        """Writes a line at a pixel: its left top, or its middle. size: the font's height."""
        key = (text, size, colour)
        if key not in self._texts:
            if len(self._texts) > 500:  # scores and names that are not shown any more
                self._texts.clear()
            self._texts[key] = self._font(size).render(text, True, colour)
        made = self._texts[key]
        x, y = at
        place = (x - made.get_width() // 2, y - made.get_height() // 2) if is_centred else at
        self.surface.blit(made, place)

    def _font(self, size: int) -> Font:
        if size not in self._fonts:
            self._pygame.font.init()
            self._fonts[size] = self._pygame.font.Font(None, size)
        return self._fonts[size]

    def _colour(self, collider: Collider) -> Colour:
        if collider.id in self.colours:
            return self.colours[collider.id]
        if collider.owner:
            return _OWNERS[(collider.owner - 1) % len(_OWNERS)]
        return _LAYERS[collider.layer % len(_LAYERS)]

    def _outline(self, collider: Collider, pose: Pose) -> Outline:
        """The outline of a collider at a pose, around its centre: the kernel turns its offset."""
        self._scratch.add(0, collider.shape, pose, offset=collider.offset)
        try:
            return self._scratch.outline(0, segments=_SEGMENTS)
        finally:
            self._scratch.remove(0)

    def _shape(self, outline: Outline, fill: Colour | None, edge: Colour, ball: int) -> Rect:
        """Draws an outline, and returns the pixels that it takes. ball: from the side, the radius of
        round ends."""
        draw, width = self._pygame.draw, 3 if edge == _HIT else 1
        if self.side:
            xs = [x for x, _ in outline.outer]
            left, top = self.point(min(xs), outline.y_high, 0)
            right, bottom = self.point(max(xs), outline.y_low, 0)
            place: Rect = self._pygame.Rect(left, top, max(1, right - left), max(1, bottom - top))
            corner = ball * self.pixels >> 16
            if fill is not None:
                draw.rect(self.surface, fill, place, border_radius=corner)
            draw.rect(self.surface, edge, place, width, border_radius=corner)
            return place
        # As `point` does for one, with what is the same for all taken once.
        (ox, oy), (cx, _, cz), pixels = self.point(*self.centre), self.centre, self.pixels
        down = pixels if self.z_down else -pixels
        rings = [
            [(ox + ((x - cx) * pixels >> 16), oy + ((z - cz) * down >> 16)) for x, z in ring]
            for ring in (outline.outer, outline.hole)
            if ring
        ]
        if fill is not None:
            # A hole is joined to the edge around it by a line that is walked both ways.
            draw.polygon(self.surface, fill, [p for ring in rings for p in (*ring, ring[0])])
        for ring in rings:
            draw.polygon(self.surface, edge, ring, width)
        across, along = zip(*rings[0], strict=True)
        left, top = min(across), min(along)
        covered: Rect = self._pygame.Rect(left, top, max(across) - left, max(along) - top)
        return covered


def _lighter(colour: Colour) -> Colour:
    red, green, blue = (part + (255 - part) // 3 for part in colour)
    return red, green, blue


def _pygame() -> ModuleType:
    try:
        import pygame
    except ImportError as missing:
        raise ImportError(
            "fixsync.world.draw needs pygame: pip install '.[pygame]'", name="pygame"
        ) from missing
    return pygame
