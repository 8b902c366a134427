"""Frame data out of a sprite sheet of Aseprite (https://www.aseprite.org): its slices become parts,
its tags attacks.

    aseprite -b hero.aseprite --sheet hero.png --data hero.json --list-tags --list-slices

The result is a document of `fixsync.game.frames_file`, so a file of Aseprite is checked and packed
as one that was written by hand."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import Any

from fixsync._native.body import FRAMES_MAX
from fixsync._native.raw import INT32_MAX
from fixsync.game.frames import FrameData
from fixsync.game.frames_file import FrameDataError, frame_data
from fixsync.log import text
from fixsync.log.text import LineError
from fixsync.maps.choice import Choice
from fixsync.maps.document import MapError, Value
from fixsync.numbers import ONE, exact

__all__ = ["AsepriteFrames", "read_aseprite"]

PIXELS_MAX = 2**16
"""Greatest coordinate in a sprite."""
IMAGES_MAX = 2**16
MILLISECONDS_MAX = 65535
_HIT, _HURT = 1, 0
"""The layers of hitboxes and of hurtboxes."""

Box = tuple[int, int, int, int]
"""Left, top, width and height in pixels of the canvas."""


@dataclass
class AsepriteFrames:
    """The frame data of a sprite, and a report about its making."""

    frames: FrameData
    document: dict[str, Any]
    """The same as a JSON file of frame data: a start for cancels, rehits and damage."""
    origin: str
    """What is at the body's pose."""
    left_out: list[str] = field(default_factory=list)
    """Slices that are neither hitbox nor hurtbox."""
    rounded: int = 0
    """Number of boxes of which a coordinate was rounded to a raw unit."""


def read_aseprite(
    path: str | os.PathLike[str],
    *,
    pixels_per_unit: int | Fraction,
    tick_rate: int = 60,
    hits: Iterable[str] = ("hit*",),
    hurts: Iterable[str] = ("hurt*",),
    pivot: str | None = None,
    depth: int | Fraction = 1,
) -> AsepriteFrames:
    """The frame data of a JSON file that Aseprite exported, seen from the side: right is +x, up +y.

    `hits`, `hurts`: which slices are hitboxes, and which hurtboxes, by their name or their user
    data, as in `fixsync frames`. `pivot`: what is at the body's pose: the name of a slice that has
    a pivot, or a pixel "16,31"; by default the only pivot of the file, or the middle of the canvas.
    `depth`: how far the boxes reach along z, in units.

    FrameDataError names the place of an error, such as a duration that is not a whole number of
    frames. ValueError for an option, OSError for a file that cannot be read."""
    name = os.fspath(path)
    roles = [(choice, True) for choice in (Choice.of("--hit", text) for text in hits)]
    roles += [(choice, False) for choice in (Choice.of("--hurt", text) for text in hurts)]
    if not 0 < pixels_per_unit <= PIXELS_MAX or not 0 < depth <= 2**14:
        raise ValueError(
            f"pixels_per_unit must be more than 0 and at most {PIXELS_MAX}, depth 2^14"
        )
    if not 1 <= tick_rate <= 1000:
        raise ValueError(f"tick_rate must be 1..1000, not {tick_rate}")
    try:
        document = Value(name, "", text.parse_document(Path(path).read_bytes()))
        return _Sprite(document, roles, pixels_per_unit, tick_rate, depth).read(pivot)
    except (MapError, LineError) as wrong:
        raise FrameDataError(name, wrong.path, wrong.reason) from wrong


class _Slice:
    """A slice: its box and its pivot in each image."""

    def __init__(self, entry: Value) -> None:
        self.entry = entry
        self.name = entry["name"].string()
        self.data = entry.get("data", "").string()
        self.keys = sorted(map(_key, entry["keys"].items()), key=lambda key: key[0])
        self.has_pivot = any(pivot is not None for _, _, pivot in self.keys)

    def box(self, image: int) -> Box | None:
        """A key holds until the next one. A box without an inside hides the slice."""
        found = None
        for first, box, _ in self.keys:
            if first <= image:
                found = box
        return found if found and found[2] and found[3] else None

    def pivot(self, image: int) -> tuple[int, int]:
        """The last pivot up to an image, or the first one of all."""
        known = [(first, pivot) for first, _, pivot in self.keys if pivot is not None]
        return next((pivot for first, pivot in reversed(known) if first <= image), known[0][1])


def _key(key: Value) -> tuple[int, Box, tuple[int, int] | None]:
    """The first image of a key, its box, and its pivot on the canvas."""
    first, bounds = key["frame"].integer(0, IMAGES_MAX), key["bounds"]
    x, y = (bounds[k].integer(-PIXELS_MAX, PIXELS_MAX) for k in "xy")
    wide, high = (bounds[k].integer(0, PIXELS_MAX) for k in "wh")
    if key.get("pivot", None).value is None:
        return first, (x, y, wide, high), None
    at_x, at_y = (key["pivot"][k].integer(-PIXELS_MAX, PIXELS_MAX) for k in "xy")
    return first, (x, y, wide, high), (x + at_x, y + at_y)


class _Sprite:
    """Makes the frame data of one export."""

    def __init__(
        self,
        document: Value,
        roles: Sequence[tuple[Choice, bool]],
        pixels_per_unit: int | Fraction,
        tick_rate: int,
        depth: int | Fraction,
    ) -> None:
        self._document = document
        self._roles = roles
        self._scale = ONE / Fraction(pixels_per_unit)
        self._rate = tick_rate
        self._half_z = max(1, round(Fraction(depth) * ONE / 2))
        frames = document["frames"]
        if isinstance(frames.value, dict):
            self._images = [frames[name] for name in frames.members()]
        else:
            self._images = [*frames.items()]
        if not 1 <= len(self._images) <= IMAGES_MAX:
            raise frames.fail(f"it has {len(self._images)} images; 1..{IMAGES_MAX} are read")
        meta = document["meta"]
        if "slices" not in meta:
            raise meta.fail("it has no slices: export with --list-slices --list-tags")
        self._slices = [_Slice(entry) for entry in meta["slices"].items()]
        self._tags = [*meta.get("frameTags", []).items()]
        self._rounded: set[Box] = set()

    def read(self, pivot: str | None) -> AsepriteFrames:
        self._ticks = self._durations()
        self._origin, said = self._origin_of(pivot)
        taken, left_out = self._taken()
        parts = {
            one.name: {
                **self._place(one, self._first(one)),
                "layer": layer,
                "active": not is_hit,
                **({"meta": {"data": one.data}} if one.data else {}),
            }
            for one, is_hit, layer in taken
        }
        attacks: dict[str, Any] = {}
        for entry, name, images in self._attacks():
            if name in attacks:
                raise entry.fail(f"two tags are called {text.shown(name)}: rename one")
            attacks[name] = self._attack(entry, images, taken, parts)
            if entry.get("data", "").string():
                attacks[name]["meta"] = {"data": entry["data"].value}
        document = {"parts": parts, "attacks": attacks}
        frames = frame_data(document)
        return AsepriteFrames(frames, document, said, left_out, len(self._rounded))

    def _durations(self) -> list[int]:
        """The frames of each image. A duration is n frames if no whole number of milliseconds is
        nearer to them."""
        found, wrong = [], []
        for image in self._images:
            shown = image["duration"]
            ms = shown.integer(1, MILLISECONDS_MAX)
            n = max(1, (2 * ms * self._rate + 1000) // 2000)
            found.append(n)
            if 2 * abs(ms * self._rate - 1000 * n) > self._rate:
                wrong.append((shown, ms))
        if wrong:
            shown, ms = wrong[0]
            below = ms * self._rate // 1000
            near = " or ".join(
                f"{(2000 * n + self._rate) // (2 * self._rate)} ({_frames(n)})"
                for n in (below, below + 1)
                if n
            )
            others = Counter(ms for _, ms in wrong)
            more = f"; {len(wrong)} images are like it" if len(wrong) > 1 else ""
            all_of = ", ".join(map(str, sorted(others)))
            more += f", of {all_of} ms" if len(others) > 1 else ""
            raise shown.fail(
                f"{ms} ms is not a whole number of frames at {self._rate} a second: write {near}{more}"
            )
        return found

    def _origin_of(
        self, pivot: str | None
    ) -> tuple[Callable[[int], tuple[Fraction, Fraction]], str]:
        """The pixel that is at the body's pose, by image, and its name."""
        having = [one for one in self._slices if one.has_pivot]
        listed = ", ".join(text.shown(one.name) for one in having) or "no slice"
        if pivot is not None and (spot := _pixel(pivot)) is not None:
            return lambda _: spot, f"pixel {pivot}"
        if pivot is not None:
            having = [one for one in having if one.name == pivot]
            if not having:
                raise self._document["meta"]["slices"].fail(
                    f"no slice {text.shown(pivot)} has a pivot: --pivot is a pixel X,Y or one of "
                    f"{listed}"
                )
        elif len(having) > 1:
            raise self._document["meta"]["slices"].fail(
                f"several slices have a pivot: --pivot takes one of {listed}"
            )
        if having:
            one = having[0]
            return lambda image: (
                Fraction(one.pivot(image)[0]),
                Fraction(one.pivot(image)[1]),
            ), f"pivot of slice {one.name}"
        canvas = self._images[0]["sourceSize"]
        wide, high = (canvas[k].integer(1, PIXELS_MAX) for k in "wh")
        middle = Fraction(wide, 2), Fraction(high, 2)
        return lambda _: middle, f"middle of the canvas, {wide} x {high} pixels"

    def _taken(self) -> tuple[list[tuple[_Slice, bool, int]], list[str]]:
        """The slices that are parts, with their layers, and the names of the others."""
        taken: list[tuple[_Slice, bool, int]] = []
        left_out, names = [], set()
        for one in self._slices:
            called = one.name.lower(), one.data.lower()
            found = [
                (choice, is_hit)
                for choice, is_hit in self._roles
                if any(fnmatchcase(name, choice.name.lower()) for name in called if name)
            ]
            if len({is_hit for _, is_hit in found}) > 1:
                raise one.entry.fail(
                    f"{text.shown(one.name)} is a hitbox and a hurtbox: --hit and --hurt take it"
                )
            if not found or not any(box[2] and box[3] for _, box, _ in one.keys):
                left_out.append(one.name)
                continue
            if one.name in names:
                raise one.entry.fail(f"two slices are called {text.shown(one.name)}: rename one")
            names.add(one.name)
            choice, is_hit = found[-1]
            default = _HIT if is_hit else _HURT
            taken.append((one, is_hit, default if choice.layer is None else choice.layer))
        if not taken:
            raise self._document["meta"]["slices"].fail(
                "none of its slices is a hitbox or a hurtbox: --hit NAME and --hurt NAME choose "
                f"among {', '.join(map(text.shown, left_out)) or 'none'}"
            )
        return taken, left_out

    def _first(self, one: _Slice) -> int:
        """The image in which a slice is first seen."""
        return next(first for first, box, _ in one.keys if box[2] and box[3])

    def _place(self, one: _Slice, image: int) -> dict[str, Any]:
        """The shape and the offset of a slice in an image."""
        x, y, wide, high = one.box(image) or (0, 0, 0, 0)
        left, top = self._origin(image)
        exact = [
            Fraction(wide, 2) * self._scale,
            Fraction(high, 2) * self._scale,
            (x - left + Fraction(wide, 2)) * self._scale,
            (top - y - Fraction(high, 2)) * self._scale,
        ]
        half_x, half_y, at_x, at_y = map(round, exact)
        if any(number.denominator > 1 for number in exact):
            self._rounded.add((half_x, half_y, at_x, at_y))
        if max(map(abs, (half_x, half_y, at_x, at_y))) > INT32_MAX:
            raise one.entry.fail("its box is outside -32768..32767 units")
        return {"shape": ["box", half_x, half_y, self._half_z], "offset": [at_x, at_y, 0]}

    def _attacks(self) -> Iterator[tuple[Value, str, list[int]]]:
        """The name of each attack, and its images in their order."""
        if not self._tags:
            name = Path(self._document.file).stem
            yield self._document["meta"], name, [*range(len(self._images))]
        for tag in self._tags:
            first = tag["from"].integer(0, len(self._images) - 1)
            last = tag["to"].integer(first, len(self._images) - 1)
            yield tag, tag["name"].string(), _order(tag, [*range(first, last + 1)])

    def _attack(
        self,
        entry: Value,
        images: Sequence[int],
        taken: Sequence[tuple[_Slice, bool, int]],
        parts: dict[str, Any],
    ) -> dict[str, Any]:
        length = sum(self._ticks[image] for image in images)
        if length > FRAMES_MAX:
            raise entry.fail(f"it has {length} frames; an attack has at most {FRAMES_MAX}")
        attack: dict[str, Any] = {"frames": length}
        for one, is_hit, _ in taken:
            base = {key: parts[one.name][key] for key in ("shape", "offset")}
            spans: list[list[int]] = []
            """When the slice is as a part is not outside attacks: a hitbox on, a hurtbox off."""
            keys: list[dict[str, Any]] = []
            at = 0
            for place, run in self._runs(one, images):
                end = at + run
                if (place is not None) == is_hit:
                    if spans and spans[-1][1] == at - 1:
                        spans[-1][1] = end - 1
                    else:
                        spans.append([at, end - 1])
                changed = {k: v for k, v in (place or base).items() if v != base[k]}
                if changed:
                    keys.append({"frames": [at, end - 1], **changed})
                at = end
            if spans:
                attack.setdefault("active" if is_hit else "inactive", {})[one.name] = spans
            if keys:
                attack.setdefault("keys", {})[one.name] = keys
        return attack

    def _runs(
        self, one: _Slice, images: Sequence[int]
    ) -> Iterator[tuple[dict[str, Any] | None, int]]:
        """The places of a slice in these images, None where it is hidden, each with its frames."""
        places = [
            (self._place(one, image) if one.box(image) else None, self._ticks[image])
            for image in images
        ]
        for place, run in groupby(places, key=lambda pair: pair[0]):
            yield place, sum(ticks for _, ticks in run)


def _order(tag: Value, images: list[int]) -> list[int]:
    """The images of a tag as they are played once, or as often as it says."""
    direction, repeat = tag.get("direction", "forward"), tag.get("repeat", 0)
    kinds = ("forward", "reverse", "pingpong", "pingpong_reverse")
    if direction.value not in kinds:
        raise direction.expected(f"one of {', '.join(kinds)}")
    written = repeat.value
    times = int(written) if isinstance(written, str) and written.isdecimal() else written
    if type(times) is not int or not 0 <= times <= FRAMES_MAX:
        raise repeat.expected(f"a number of times of 0..{FRAMES_MAX}")
    there = images[::-1] if "reverse" in direction.value else images
    if "pingpong" not in direction.value:
        return there * max(1, times)
    back = there[::-1]
    if not times:
        return there + back[1:-1]
    return there + [image for i in range(times - 1) for image in (there if i % 2 else back)[1:]]


def _pixel(text: str) -> tuple[Fraction, Fraction] | None:
    """A pixel written "16,31" or "16.5,31"."""
    x, comma, y = text.partition(",")
    try:
        return (exact("x", x), exact("y", y)) if comma else None
    except ValueError:
        return None


def _frames(n: int) -> str:
    return f"{n} frame{'s' * (n != 1)}"
