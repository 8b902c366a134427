"""Writes the drawings of the documentation: `python docs/images/pictures.py`.

What they show is computed by the package: directions, contacts, events and the hash. All arithmetic
is in integers, so every machine writes the same bytes; a test compares them with the files here."""

from collections.abc import Callable, Sequence
from pathlib import Path

from fixsync import (
    ONE,
    Box,
    Capsule,
    Cylinder,
    Pose,
    Sector,
    Shape,
    Sphere,
    World,
    degrees,
    direction,
    outline,
    overlap,
    q,
)
from fixsync.game.bodies import Body
from fixsync.game.frame_data import Attack, FrameData, Key, Part
from fixsync.game.motion import Mover, carry

HERE = Path(__file__).resolve().parent
INK, FAINT, PAPER = "#1b1b1f", "#8a8f98", "#ffffff"
BLUE, RED, GREEN = "#1f5fd0", "#c4284a", "#0b6b3a"


class Drawing:
    """An SVG picture. Points are raw (right, up) around an origin, in pixels, at `scale` pixels a
    unit."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self.head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" font-family="sans-serif" font-size="13" '
            f'role="img">\n<title>{title}</title>\n'
        )
        self.parts = [f'<rect width="{width}" height="{height}" fill="{PAPER}"/>']
        self.origin, self.scale = (0, 0), 100

    def view(self, x: int, y: int, scale: int) -> None:
        """Puts the raw point (0, 0) at a pixel."""
        self.origin, self.scale = (x, y), scale

    def size(self, raw: int) -> int:
        """A raw length in pixels."""
        return (raw * self.scale + ONE // 2) // ONE

    def at(self, right: int, up: int) -> tuple[int, int]:
        """The pixel of a raw point."""
        return self.origin[0] + self.size(right), self.origin[1] - self.size(up)

    def add(self, element: str, colour: str, text: str = "", *, fill: bool = True) -> None:
        """An element with a stroke of this colour, filled with it faintly."""
        filled = f'fill="{colour}" fill-opacity="0.15"' if fill else 'fill="none"'
        self.parts.append(f'<{element} {filled} stroke="{colour}" stroke-width="2"/>{text}')

    def line(self, start: tuple[int, int], end: tuple[int, int], colour: str = INK) -> None:
        """A thin line between two raw points, with a dot at its end."""
        (x0, y0), (x1, y1) = self.at(*start), self.at(*end)
        self.parts.append(
            f'<path d="M{x0} {y0}L{x1} {y1}" stroke="{colour}"/>'
            f'<circle cx="{x1}" cy="{y1}" r="3" fill="{colour}"/>'
        )

    def text(self, x: int, y: int, words: str, colour: str = INK, style: str = "") -> None:
        """Words at a pixel."""
        more = f" {style}" if style else ""
        self.parts.append(f'<text x="{x}" y="{y}" fill="{colour}"{more}>{words}</text>')

    def label(self, right: int, up: int, words: str, dx: int = 6, dy: int = -6) -> None:
        """Words beside a raw point."""
        x, y = self.at(right, up)
        self.text(x + dx, y + dy, words)

    def circle(self, right: int, up: int, radius: int, colour: str = BLUE) -> None:
        x, y = self.at(right, up)
        self.add(f'circle cx="{x}" cy="{y}" r="{self.size(radius)}"', colour)

    def rectangle(self, half_right: int, half_up: int, rounded: int = 0) -> None:
        """A rectangle around (0, 0)."""
        x, y = self.at(-half_right, half_up)
        width, height = 2 * self.size(half_right), 2 * self.size(half_up)
        corner = f' rx="{self.size(rounded)}"' if rounded else ""
        self.add(f'rect x="{x}" y="{y}" width="{width}" height="{height}"{corner}', BLUE)

    def sector(self, shape: Sector, yaw: int, colour: str = BLUE) -> None:
        """A sector from above, its apex at (0, 0): a half angle below half a turn."""
        large = int(shape.half_angle > degrees(90))

        def ends(length: int) -> list[str]:
            turns = -shape.half_angle, shape.half_angle
            return ["{} {}".format(*self.at(*polar(yaw + turn, length))) for turn in turns]

        def arc(length: int, sweep: int, end: str) -> str:
            r = self.size(length)
            return f"A{r} {r} 0 {large} {sweep} {end}"

        (inner0, inner1), (outer0, outer1) = ends(shape.inner_radius), ends(shape.radius)
        hole = f"L{inner1}{arc(shape.inner_radius, 1, inner0)}" if shape.inner_radius else ""
        path = f"M{inner0}L{outer0}{arc(shape.radius, 0, outer1)}{hole}Z"
        self.add(f'path d="{path}"', colour)

    def moving(
        self, shape: Shape, poses: Sequence[Pose], colour: str, *, above: bool = False
    ) -> None:
        """A shape that goes from pose to pose, a thirtieth of a second for each, again and again:
        from the side, or from above."""
        half_up = shape.half_z if above and isinstance(shape, Box) else half_height(shape)
        half_right = shape.half_x if isinstance(shape, Box) else shape.radius
        width, height = 2 * self.size(half_right), 2 * self.size(half_up)
        places = [self.at(pose.x, pose.z if above else pose.y) for pose in poses]
        time = f'dur="{len(poses) * 100 // 3}ms" repeatCount="indefinite" calcMode="discrete"'
        moves = ";".join(f"{x} {y}" for x, y in places)
        round_corner = 0 if isinstance(shape, Box | Cylinder) else width // 2
        turns = ""
        if any(pose.yaw for pose in poses):
            angles = ";".join(str(-pose.yaw * 360 // 65536) for pose in poses)
            turns = (
                '<animateTransform attributeName="transform" type="rotate" additive="sum" '
                f'values="{angles}" {time}/>'
            )
        first = "translate({} {})".format(*places[0])
        self.parts.append(
            f'<g transform="{first}"><animateTransform attributeName="transform" type="translate" '
            f'values="{moves}" {time}/><rect x="{-width // 2}" y="{-height // 2}" width="{width}" '
            f'height="{height}" rx="{round_corner}" fill="{colour}" fill-opacity="0.15" '
            f'stroke="{colour}" stroke-width="2">{turns}</rect></g>'
        )

    def bytes(self) -> bytes:
        return (self.head + "\n".join(self.parts) + "\n</svg>\n").encode("ascii")


def polar(yaw: int, length: int) -> tuple[int, int]:
    """The raw (x, z) at this length in the direction of a yaw."""
    cos, sin = direction(yaw % 65536)
    return cos * length >> 30, sin * length >> 30


def half_height(shape: Shape) -> int:
    ends = 0 if isinstance(shape, Box | Cylinder) else shape.radius
    return ends + getattr(shape, "half_height", getattr(shape, "half_y", 0))


def poses_of(world: World, seen: dict[int, list[Pose]]) -> None:
    for id in world:
        seen.setdefault(id, []).append(world[id].pose)


def side_view(picture: Drawing, world: World, seen: dict[int, list[Pose]]) -> None:
    """What stands still in grey, platforms in blue, characters in red."""
    for id, poses in seen.items():
        still = len(set(poses)) == 1
        colour = FAINT if still else RED if world[id].layer == WALKER else BLUE
        picture.moving(world[id].shape, poses[:1] if still else poses, colour)


WALKER, WALL, LEDGE = 0, 1, 2


def platform() -> Drawing:
    """A lift that carries two and pushes one, over and back."""
    world = World(16, layers=[])
    mover = Mover(mask=1 << WALKER | 1 << WALL, snap=q("0.125"))
    for id, x, y, half in (
        (1, "-4", "1", "0.5"),
        (2, "-4", "1.75", "0.25"),
        (3, "-1.5", "0.5", "0.5"),
    ):
        body = Box(q("0.375"), q(half), q("0.375"))
        world.add(id, body, Pose(q(x), q(y), 0), layer=WALKER)
    world.add(5, Box(q("1.25"), q("0.25"), q(1)), Pose(q(-4), q("0.25"), 0), layer=WALL)
    world.add(6, Box(q("5.75"), q("0.25"), q(1)), Pose(0, q("-0.25"), 0), layer=WALL)
    world.add(7, Box(q("1.25"), q("0.5"), q(1)), Pose(q("4.5"), q("1.75"), 0), layer=WALL)
    way = [(q("0.125"), 0)] * 32 + [(0, q("0.0625"))] * 28 + [(0, 0)] * 15
    way += [(0, q("-0.0625"))] * 28 + [(q("-0.125"), 0)] * 32 + [(0, 0)] * 15
    seen: dict[int, list[Pose]] = {}
    for x, y in way:
        carry(world, [5], (x, y, 0), {1: mover, 2: mover, 3: mover})
        for id in (1, 2, 3):
            mover.move(world, id, (0, q("-0.0625"), 0))
        poses_of(world, seen)
    picture = Drawing(640, 285, "A lift carries two characters and pushes a third one")
    picture.view(320, 248, 52)
    side_view(picture, world, seen)
    picture.text(12, 24, "Two ride, one on the other. The third one is pushed.", INK)
    return picture


def one_way() -> Drawing:
    """A jump up through a ledge, a walk over it, and a drop."""
    world = World(8, layers=[])
    world.add(1, Capsule(q("0.375"), q("0.375")), Pose(q(-3), q("0.75"), 0), layer=WALKER)
    world.add(2, Box(q("5.75"), q("0.25"), q(1)), Pose(0, q("-0.25"), 0), layer=WALL)
    world.add(3, Box(q(2), q("0.125"), q(1)), Pose(0, q("1.75"), 0), layer=LEDGE)
    stands = Mover(mask=1 << WALL, one_way=1 << LEDGE)
    drops = Mover(mask=1 << WALL)
    seen: dict[int, list[Pose]] = {}
    fall = 0
    for frame in range(150):
        along = q("0.0625") * ((10 < frame < 58) - (90 <= frame < 138))
        if frame == 30:
            fall = q("0.3125")
        mover = drops if frame == 85 else stands
        result = mover.move(world, 1, (along, fall - q("0.015625"), 0))
        fall = result.motion[1]
        poses_of(world, seen)
    picture = Drawing(640, 275, "A jump through a one-way platform, and a drop")
    picture.view(320, 238, 52)
    side_view(picture, world, seen)
    picture.text(
        12, 24, "Up through the ledge, a stand on it, and a drop: one frame without it.", INK
    )
    return picture


SWORD = Part(Box(q("0.75"), q("0.25"), q("0.125")), (q("1.375"), 0, 0), active=False, turns=True)
SWING = Attack(
    18,
    active={"sword": [range(3, 15)]},
    keys={
        "sword": [
            Key(range(first, first + 3), yaw=degrees(angle) % 65536, turns=True)
            for first, angle in ((3, -60), (6, -20), (9, 20), (12, 60))
        ]
    },
)


def swing() -> Drawing:
    """One part that travels around its owner, key by key, from above."""
    world = World(8, layers=[])
    frames = FrameData(
        {"body": Part(Capsule(q("0.5"), q("0.5"))), "sword": SWORD}, {"swing": SWING}
    )
    hero = Body(world, frames, Pose(0, 0, 0), ids=1, owner=1)
    hero.start("swing")
    picture = Drawing(360, 300, "A swing that travels, from above")
    picture.view(120, 165, 70)
    places: list[Pose] = []
    for _ in range(18):
        row = world[hero["sword"]]
        cos, sin = direction(row.pose.yaw)
        x, z = row.offset[0] * cos >> 30, row.offset[0] * sin >> 30
        places += [Pose(x, 0, z, row.pose.yaw) if row.active else FAR] * 4
        world.step()
        hero.tick()
    picture.circle(0, 0, q("0.5"))
    picture.moving(Box(q("0.75"), q("0.25"), q("0.125")), places, RED, above=True)
    picture.text(12, 24, "One sword, four keys, one hit for each victim.", INK)
    return picture


FAR = Pose(q(-99), 0, 0)
"""Outside the picture."""


def shapes() -> Drawing:
    """The shapes from above and from the side."""
    picture = Drawing(900, 340, "The shapes and their sizes, from above and from the side")
    picture.text(12, 66, "from", FAINT)
    picture.text(12, 82, "above", FAINT)
    picture.text(12, 206, "from", FAINT)
    picture.text(12, 222, "the side", FAINT)
    unit = q(1)
    ball, pill = Sphere(unit), Capsule(q("0.75"), q("0.5"))
    drum, crate = Cylinder(unit, q("0.75")), Box(q(1), q("0.75"), q("0.5"))
    sword = Sector(q("1.75"), degrees(40), q("0.5"), q("0.75"))
    for column, shape in enumerate((ball, pill, drum, crate, sword)):
        x = 122 + 165 * column
        name = type(shape).__name__
        *sizes, last = shape.__match_args__
        lines = [", ".join([*sizes, last])] if len(sizes) < 3 else [", ".join(sizes) + ",", last]
        picture.text(x, 300, name, INK, 'text-anchor="middle" font-weight="bold"')
        for line, text in enumerate(lines):
            picture.text(x, 318 + 14 * line, text, FAINT, 'text-anchor="middle" font-size="11"')
        for y in (80, 210):
            picture.view(x, y, 44)
            is_above = y == 80
            if shape is ball:
                picture.circle(0, 0, ball.radius)
                picture.line((0, 0), (ball.radius, 0))
                picture.label(0, 0, "radius", 0)
            elif shape is pill and not is_above:
                end = pill.half_height
                picture.rectangle(pill.radius, end + pill.radius, pill.radius)
                picture.line((0, end), (pill.radius, end))
                picture.line((pill.radius, 0), (pill.radius, end))
                picture.label(pill.radius, 0, "half_height", 6, -4)
            elif shape is pill or (shape is drum and is_above):
                picture.circle(0, 0, shape.radius)
                picture.line((0, 0), (shape.radius, 0))
                picture.label(0, 0, "radius", -6)
            elif shape is drum:
                picture.rectangle(drum.radius, drum.half_height)
                picture.line((drum.radius, 0), (drum.radius, drum.half_height))
                picture.label(drum.radius, 0, "half_height", 6, -8)
            elif shape is crate:
                up = crate.half_z if is_above else crate.half_y
                picture.rectangle(crate.half_x, up)
                picture.line((0, 0), (crate.half_x, 0))
                picture.label(0, 0, "half_x", 8)
                picture.line((0, 0), (0, up))
                picture.label(0, up, "half_z" if is_above else "half_y", -18)
            elif is_above:
                picture.view(x - 44, y, 44)
                picture.sector(sword, 0)
                picture.line((0, 0), polar(0, sword.radius))
                picture.line((0, 0), polar(sword.half_angle, sword.radius))
                picture.label(*polar(sword.half_angle // 2, sword.radius), "half_angle", 6, 2)
                picture.label(0, 0, "radius", 24, 14)
                picture.line((0, 0), polar(-sword.half_angle, sword.inner_radius))
                picture.label(
                    *polar(-sword.half_angle, sword.inner_radius), "inner_radius", -78, 14
                )
            else:
                picture.view(x - 44, y, 44)
                least = polar(sword.half_angle, sword.inner_radius)[0]
                left, top = picture.at(least, sword.half_height)
                width, height = (
                    picture.size(sword.radius - least),
                    2 * picture.size(sword.half_height),
                )
                box = f'rect x="{left}" y="{top}" width="{width}" height="{height}"'
                picture.add(box, BLUE)
                picture.line((sword.radius, 0), (sword.radius, sword.half_height))
                picture.label(sword.radius, 0, "half_height", 6, -4)
    return picture


def yaw() -> Drawing:
    """Yaws from above, and a sector and a box that are turned."""
    picture = Drawing(900, 340, "Yaw, seen from above: +X turns towards +Z")
    picture.view(190, 170, 44)
    reach = q("2.5")
    for number in range(0, 360, 45):
        turn = degrees(number)
        picture.line((0, 0), polar(turn, reach), BLUE if number % 90 == 0 else FAINT)
        x, y = picture.at(*polar(turn, q("2.75")))
        cos, _ = direction(turn)
        side = "middle" if abs(cos) < 1000 else "start" if cos > 0 else "end"
        lower = 4 + (4 if turn == degrees(270) else 0)
        picture.text(x, y + lower, str(turn), INK, f'text-anchor="{side}"')
    picture.text(300, 196, "+X, yaw 0", GREEN)
    picture.text(200, 70, "+Z", GREEN)
    for column, (words, turn) in enumerate((("yaw 0", 0), ("yaw degrees(30)", degrees(30)))):
        x = 480 + 230 * column
        picture.view(x, 105, 44)
        picture.sector(Sector(q("2.5"), degrees(30), q(1)), turn, RED)
        picture.line((0, 0), polar(turn, q("2.5")))
        picture.view(x + 50, 260, 44)
        corners = outline(Box(q("1.5"), q(1), q("0.5")), Pose(0, 0, 0, turn)).outer
        points = " ".join(f"{right},{down}" for right, down in (picture.at(*v) for v in corners))
        picture.add(f'polygon points="{points}"', BLUE)
        picture.line((0, 0), polar(turn, q("1.5")))
        picture.text(x + 50, 328, words, INK, 'text-anchor="middle"')
    return picture


def contacts() -> Drawing:
    """Pairs of shapes that are apart, touch and overlap, and the same pairs one raw unit away."""
    picture = Drawing(900, 330, "APART, TOUCHING and OVERLAPPING")
    ball, crate = Sphere(q(1)), Box(q("0.75"), q(1), q("0.75"))
    pairs = ((ball, ball, q(2)), (crate, ball, q("1.75")))
    for row, (a, b, meeting) in enumerate(pairs):
        y = 80 + 140 * row
        for column, gap in enumerate((q("0.5"), 0, -q("0.5"))):
            contact = overlap(a, Pose(0, 0, 0), b, Pose(meeting + gap, 0, 0))
            colour = (FAINT, BLUE, RED)[contact]
            picture.view(100 + 290 * column, y, 44)
            if isinstance(a, Sphere):
                picture.circle(0, 0, a.radius, colour)
            else:
                left, top = picture.at(-a.half_x, a.half_z)
                side = 2 * picture.size(a.half_x)
                picture.add(f'rect x="{left}" y="{top}" width="{side}" height="{side}"', colour)
            picture.circle(meeting + gap, 0, b.radius, colour)
            x = picture.at((meeting + gap) // 2, 0)[0]
            where = 'text-anchor="middle" font-weight="bold"'
            picture.text(x, y + 64, contact.name, colour, where)
    found = []
    for nudge in (1, 0, -1):
        contact = overlap(ball, Pose(0, 0, 0), ball, Pose(q(2) + nudge, 0, 0))
        found.append(f"{q(2) + nudge}: {contact.name}")
    picture.text(12, 316, f"Two spheres of radius {q(1)} at a distance of {', '.join(found)}", INK)
    return picture


def frame() -> Drawing:
    """The order of a frame, with the numbers of a small world."""
    world = World(capacity=16)
    for id, x in ((1, 0), (2, q("1.5")), (3, q(5))):
        world.add(id, Sphere(q(1)), Pose(x, 0, 0))
    world.step()
    changes = [("move", 1, (q(4), 0, 0)), ("move", 2, (q(2), 0, 0))]
    world.apply(changes)
    pairs = [(1, 2), (1, 3), (2, 3)]
    answers = [(a, b, world.contact(a, b)) for a, b in pairs]
    hits = [(a, b) for a, b, contact in answers if contact >= world.hit_when]
    events = world.step()
    moves = [f"move {id} to x = {x // ONE}" for _, id, (x, _, _) in changes]
    steps = (
        ("commands", "in your order", moves),
        ("contacts", "exact", [f"{a}, {b}: {contact.name}" for a, b, contact in answers]),
        ("hits", "sorted by (a, b)", [f"{a}, {b}" for a, b in hits]),
        ("events", "compared with the last step", [f"{a}, {b}: {k.name}" for a, b, k, _ in events]),
        ("state", "saved and hashed", [f"frame {world.frame}", f"hash {world.hash():016x}"]),
    )
    picture = Drawing(900, 190, "The order of a frame")
    widths = (150, 170, 150, 200, 170)
    x = 10
    for number, ((name, about, lines), width) in enumerate(zip(steps, widths, strict=True), 1):
        picture.add(f'rect x="{x}" y="16" width="{width}" height="158" rx="8"', BLUE)
        picture.text(x + 12, 42, str(number), BLUE, 'font-weight="bold" font-size="18"')
        picture.text(x + 32, 40, name, INK, 'font-weight="bold"')
        picture.text(x + 32, 56, about, FAINT, 'font-size="11"')
        for row, line in enumerate(lines):
            picture.text(x + 12, 86 + 22 * row, line, INK, 'font-size="12"')
        x += width + 10
    return picture


PICTURES: dict[str, Callable[[], Drawing]] = {
    "shapes.svg": shapes,
    "yaw.svg": yaw,
    "contacts.svg": contacts,
    "frame.svg": frame,
    "platform.svg": platform,
    "one_way.svg": one_way,
    "swing.svg": swing,
}


def main() -> None:
    for name, draw in PICTURES.items():
        (HERE / name).write_bytes(draw().bytes())


if __name__ == "__main__":
    main()
