"""Frame data out of a sprite sheet of Aseprite (https://www.aseprite.org): its slices become parts,
its tags attacks.

    aseprite -b hero.aseprite --sheet hero.png --data hero.json --list-tags --list-slices

The result is a document of `fixsync.game.frame_data_file`, so a file of Aseprite is checked and packed
as one that was written by hand."""

from __future__ import annotations

import json
import os
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import Any

from fixsync._native.body import ATTACK_FRAMES_MAX, PARTS_MAX, TableError
from fixsync._native.raw import INT32_MAX
from fixsync.base import strict_json
from fixsync.base.numbers import ONE, exact
from fixsync.game.frame_data import FrameData
from fixsync.game.frame_data_file import FrameDataError, frame_data
from fixsync.maps.choice import Choice
from fixsync.maps.document import Files, MapError, Value
from fixsync.maps.outlines import Place2

__all__ = ["AsepriteFrameData", "read_aseprite"]

PIXELS_MAX = 2**16
"""Greatest coordinate in a sprite."""
IMAGES_MAX = 2**16
PLAYED_MAX = 2**17
"""Most images that all attacks play, repeats counted, times the number of parts."""
MILLISECONDS_MAX = 65535

Box = tuple[int, int, int, int]
"""Left, top, width and height in pixels of the canvas."""
_END = re.compile(r"(?:[ _-]?([0-9]{1,9}))?(?:\.[A-Za-z]\w{0,9})?\Z")
"""The end of an image's name: its number, and the ending of the file."""


@dataclass
class AsepriteFrameData:
    """The frame data of a sprite, and a report about its making."""

    frame_data: FrameData
    document: dict[str, Any]
    """The same as a JSON file of frame data: a start for cancels, rehits and damage."""
    origin: str
    """What is at the body's pose."""
    left_out: list[str] = field(default_factory=list)
    """Slices that are neither hitbox nor hurtbox."""
    rounded: int = 0
    """Number of boxes of which a coordinate was rounded to a raw unit."""
    durations: int = 0
    """Number of images whose duration was rounded to whole frames."""
    off: Fraction = Fraction(0)
    """How many frames an attack is longer or shorter for it, at most."""


def read_aseprite(
    path: str | os.PathLike[str],
    *,
    pixels_per_unit: int | Fraction,
    tick_rate: int = 60,
    hits: Iterable[str] = ("hit*",),
    hurts: Iterable[str] = ("hurt*",),
    pivot: str | None = None,
    depth: int | Fraction = 1,
    round_durations: bool = False,
) -> AsepriteFrameData:
    """The frame data of a JSON file that Aseprite exported, seen from the side: right is +x, up +y.

    `hits`, `hurts`: which slices are hitboxes, and which hurtboxes, by their name or their user
    data, as in `fixsync frame-data`. `pivot`: what is at the body's pose: the name of a slice that has
    a pivot, or a pixel "16,31"; by default the only pivot of the file, or the middle of the canvas.
    `depth`: how far the boxes reach along z, in units. `round_durations`: each image lasts the
    nearest number of frames, at least one; `off` of the result has the error.

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
        document = Files(Path(name).parent).open(name)
        sprite = _Sprite(document, roles, pixels_per_unit, tick_rate, depth, round_durations)
        return sprite.read(pivot)
    except (MapError, TableError) as wrong:
        raise FrameDataError(name, wrong.path, wrong.reason) from wrong


class _Slice:
    """A slice: its box and its pivot in each image."""

    def __init__(self, entry: Value) -> None:
        self.entry = entry
        self.name = entry["name"].string()
        self.data = entry.get("data", "").string()
        self.keys = sorted(map(_key, entry.get("keys", []).items()), key=lambda key: key[0])
        self._firsts = [first for first, _, _ in self.keys]
        self.pivots = [(first, pivot) for first, _, pivot in self.keys if pivot is not None]

    def box(self, image: int) -> Box | None:
        """A key holds until the next one. A box without an inside hides the slice."""
        place = bisect_right(self._firsts, image) - 1
        found = self.keys[place][1] if place >= 0 else None
        return found if found and found[2] and found[3] else None

    def pivot(self, image: int) -> Place2:
        """The last pivot up to an image, or the first one of all."""
        place = bisect_right(self.pivots, image, key=lambda known: known[0])
        return self.pivots[max(0, place - 1)][1]


def _key(key: Value) -> tuple[int, Box, Place2 | None]:
    """The first image of a key, its box, and its pivot on the canvas."""
    first, bounds = key["frame"].integer(0, IMAGES_MAX), key["bounds"]
    x, y = (bounds[k].integer(-PIXELS_MAX, PIXELS_MAX) for k in "xy")
    wide, high = (bounds[k].integer(0, PIXELS_MAX) for k in "wh")
    if key.get("pivot", None).value is None:
        return first, (x, y, wide, high), None
    at_x, at_y = (key["pivot"][k].integer(-PIXELS_MAX, PIXELS_MAX) for k in "xy")
    return first, (x, y, wide, high), (Fraction(x + at_x), Fraction(y + at_y))


def _parts(name: str) -> tuple[str, str, str, int]:
    """Title, layer, tag and number of an image that Aseprite called "title (layer) #tag 0.png"."""
    end = _END.search(name)
    rest, number = (name, 0) if end is None else (name[: end.start()], int(end[1] or 0))
    rest, _, tag = rest.rpartition(" #") if " #" in rest else (rest, "", "")
    title, opens, layer = rest[:-1].partition(" (") if rest.endswith(")") else (rest, "", "")
    return (title, layer, tag, number) if opens and not layer.isdigit() else (rest, "", tag, number)


def _of_sprite(
    frames: Value, named: Sequence[tuple[str, Value]], tags: Sequence[Value]
) -> dict[int, Value]:
    """The image of each frame of the sprite, from which tags and slices count."""
    parts = [_parts(name) for name, _ in named]
    in_order = {i: image for i, (_, image) in enumerate(named)}
    numbers = [number - parts[0][3] for *_, number in parts]
    if numbers == [*in_order] or len({name for name, _ in named}) == 1:
        return in_order
    places: dict[str, list[int]] = {}
    for i, (title, *_) in enumerate(parts):
        places.setdefault(title, []).append(i)
    tagged = {(tag.raw("from"), tag.raw("to")) for tag in tags}
    if len(places) > 1 and all((at[0], at[-1]) in tagged for at in places.values()):
        return in_order  # the titles are names of tags
    if len(places) > 1 or len({*parts}) < len(parts):
        titles = ", ".join(map(strict_json.shown, [*places][:8]))
        raise frames.fail(
            f"it has the images of several sprites, {titles}, and nothing says whose a tag or a slice "
            "is: export each sprite to a file of its own"
        )
    layers: dict[str, dict[tuple[str, int], Value]] = {}
    for (_, layer, tag, number), (_, image) in zip(parts, named, strict=True):
        layers.setdefault(layer, {})[tag, number] = image
    first = next(iter(layers.values()))
    lasts = [{k: v["duration"].value for k, v in layer.items()} for layer in layers.values()]
    if any(last != lasts[0] for last in lasts):
        raise frames.fail("its layers have different frames: omit --split-layers, --ignore-empty")
    starts: dict[str, list[int]] = {"": [0]}
    for entry in tags:
        start = entry["from"].integer(0, IMAGES_MAX)
        starts.setdefault(entry["name"].string(), []).append(start)
    found: dict[int, Value] = {}
    for (tag, number), image in first.items():
        if len(at := starts.get(tag, [])) != 1:
            raise image.fail(
                f"{len(at)} tags are called {strict_json.shown(tag)}: omit --split-tags"
            )
        found.setdefault(at[0] + number, image)
    return found


class _Sprite:
    """Makes the frame data of one export."""

    def __init__(
        self,
        document: Value,
        roles: Sequence[tuple[Choice, bool]],
        pixels_per_unit: int | Fraction,
        tick_rate: int,
        depth: int | Fraction,
        is_rounded: bool,
    ) -> None:
        self._document = document
        self._is_rounded = is_rounded
        self._roles = roles
        self._scale = ONE / Fraction(pixels_per_unit)
        self._rate = tick_rate
        self._half_z = max(1, round(Fraction(depth) * ONE / 2))
        frames = document["frames"]
        if isinstance(frames.value, dict):
            named = [(name, frames[name]) for name in frames.members()]
        else:
            named = [(image.get("filename", "").string(), image) for image in frames.items()]
        if not 1 <= len(named) <= IMAGES_MAX:
            raise frames.fail(f"it has {len(named)} images; 1..{IMAGES_MAX} are read")
        meta = document["meta"]
        if "slices" not in meta:
            raise meta.fail("it has no slices: export with --list-slices --list-tags")
        self._slices = [_Slice(entry) for entry in meta["slices"].items()]
        if not self._slices:
            raise meta["slices"].fail("the sprite has none: draw each box as a slice in Aseprite")
        self._tags = [*meta.get("frameTags", []).items()]
        self._images = _of_sprite(frames, named, self._tags)
        self._rounded: set[Box] = set()
        self._known: dict[Any, dict[str, Any]] = {}  # the place of each box about each origin

    def read(self, pivot: str | None) -> AsepriteFrameData:
        self._ticks = self._durations()
        self._origin, said = self._origin_of(pivot)
        taken, left_out = self._taken()
        parts = {
            one.name: {
                **self._place(one, next(first for first, box, _ in one.keys if box[2] and box[3])),
                "layer": layer,
                "active": not is_hit,
                **({"meta": {"data": one.data}} if one.data else {}),
            }
            for one, is_hit, layer in taken
        }
        attacks: dict[str, Any] = {}
        played, off = 0, Fraction(0)
        for entry, name, images in self._attacks():
            if name in attacks:
                raise entry.fail(f"two tags are called {strict_json.shown(name)}: rename one")
            played += len(images)
            if played * len(taken) > PLAYED_MAX:
                raise entry.fail(f"the attacks play more than {PLAYED_MAX} images, times the parts")
            off = max(off, abs(sum((self._off.get(i, off * 0) for i in images), off * 0)))
            attacks[name] = self._attack(entry, images, taken, parts)
            if entry.get("data", "").string():
                attacks[name]["meta"] = {"data": entry["data"].value}
        document = {"parts": parts, "attacks": attacks}
        made = frame_data(json.dumps(document).encode())
        counts = len(self._rounded), len(self._off), off
        return AsepriteFrameData(made, document, said, left_out, *counts)

    def _durations(self) -> dict[int, int]:
        """The frames of each image: n if no whole number of milliseconds is nearer to n."""
        found, wrong = {}, []
        self._off: dict[int, Fraction] = {}  # how many frames an image lasts too long
        for i, image in self._images.items():
            shown = image["duration"]
            ms = shown.integer(1, MILLISECONDS_MAX)
            found[i] = n = max(1, (2 * ms * self._rate + 1000) // 2000)
            if 2 * abs(ms * self._rate - 1000 * n) > self._rate:
                wrong.append((shown, ms))
                self._off[i] = n - Fraction(ms * self._rate, 1000)
        if wrong and not self._is_rounded:
            shown, ms = wrong[0]
            below = ms * self._rate // 1000
            near = " or ".join(
                f"{(2000 * n + self._rate) // (2 * self._rate)} ({n} frame{'s' * (n != 1)})"
                for n in (below, below + 1)
                if n
            )
            more = f"; {len(wrong)} images are like it" if len(wrong) > 1 else ""
            raise shown.fail(
                f"{ms} ms is not a whole number of frames at {self._rate} a second: write {near}"
                f"{more}. --round-durations takes the nearest"
            )
        return found

    def _origin_of(self, pivot: str | None) -> tuple[Callable[[int], Place2], str]:
        """The pixel that is at the body's pose, by image, and its name."""
        having = [one for one in self._slices if one.pivots]
        listed = ", ".join(strict_json.shown(one.name) for one in having[:20]) or "no slice"
        if pivot is not None and (spot := _pixel(pivot)) is not None:
            return lambda _: spot, f"pixel {pivot}"
        if pivot is not None:
            having = [one for one in having if one.name == pivot]
            if not having:
                raise self._document["meta"]["slices"].fail(
                    f"no slice {strict_json.shown(pivot)} has a pivot: --pivot is a pixel X,Y or one of "
                    f"{listed}"
                )
        elif len(having) > 1:
            raise self._document["meta"]["slices"].fail(
                f"several slices have a pivot: --pivot takes one of {listed}"
            )
        if having:
            return having[0].pivot, f"pivot of slice {having[0].name}"
        canvas = next(iter(self._images.values()))["sourceSize"]
        wide, high = (canvas[k].integer(1, PIXELS_MAX) for k in "wh")
        middle = Fraction(wide, 2), Fraction(high, 2)
        return lambda _: middle, f"middle of the canvas, {wide} x {high} pixels"

    def _taken(self) -> tuple[list[tuple[_Slice, bool, int]], list[str]]:
        """The slices that are parts, with their layers, and the names of the others."""
        taken: list[tuple[_Slice, bool, int]] = []
        left_out, names, own = [], set[str](), {one.name for one in self._slices}
        for one in self._slices:
            called = one.name.lower(), one.data.lower()
            found = [
                (choice, is_hit)
                for choice, is_hit in self._roles
                if any(fnmatchcase(name, choice.name.lower()) for name in called if name)
            ]
            if len({is_hit for _, is_hit in found}) > 1:
                raise one.entry.fail(
                    f"{strict_json.shown(one.name)} is a hitbox and a hurtbox: --hit and --hurt take it"
                )
            if not found or not any(box[2] and box[3] for _, box, _ in one.keys):
                left_out.append(one.name)
                continue
            name, number = one.name, 1
            while one.name in names or (number > 1 and one.name in own):
                number += 1
                one.name = f"{name} {number}"
            names.add(one.name)
            if len(names) > PARTS_MAX:
                raise one.entry.fail(f"it is one more than {PARTS_MAX} parts")
            choice, is_hit = found[-1]
            taken.append((one, is_hit, int(is_hit) if choice.layer is None else choice.layer))
        if not taken:
            raise self._document["meta"]["slices"].fail(
                "none of its slices is a hitbox or a hurtbox: --hit NAME and --hurt NAME choose "
                f"among {', '.join(map(strict_json.shown, left_out[:20]))}"
            )
        return taken, left_out

    def _place(self, one: _Slice, image: int) -> dict[str, Any]:
        """The shape and the offset of a slice in an image."""
        where = one.box(image) or (0, 0, 0, 0), self._origin(image)
        if where not in self._known:
            self._known[where] = self._made(one, *where)
        return self._known[where]

    def _made(self, one: _Slice, box: Box, origin: Place2) -> dict[str, Any]:
        (x, y, wide, high), (left, top) = box, origin
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
        end = max(self._images)
        if not self._tags:
            name = Path(self._document.file).stem
            yield self._document["meta"], name, self._there(self._document["frames"], 0, end)
        for tag in self._tags:
            first = tag["from"].integer(0, end)
            images = self._there(tag, first, tag["to"].integer(first, end))
            yield tag, tag["name"].string(), _order(tag, images)

    def _there(self, where: Value, first: int, last: int) -> list[int]:
        for image in range(first, last + 1):
            if image not in self._images:
                raise where.fail(f"the image of frame {image} is missing: omit --ignore-empty")
        return [*range(first, last + 1)]

    def _attack(
        self,
        entry: Value,
        images: Sequence[int],
        taken: Sequence[tuple[_Slice, bool, int]],
        parts: dict[str, Any],
    ) -> dict[str, Any]:
        length = sum(self._ticks[image] for image in images)
        if length > ATTACK_FRAMES_MAX:
            raise entry.fail(f"it has {length} frames; an attack has at most {ATTACK_FRAMES_MAX}")
        attack: dict[str, Any] = {"frames": length}
        for one, is_hit, _ in taken:
            base = {key: parts[one.name][key] for key in ("shape", "offset")}
            spans: list[list[int]] = []
            """When the slice is as a part is not outside attacks: a hitbox on, a hurtbox off."""
            keys: list[dict[str, Any]] = []
            at = 0
            places = [(self._place(one, i) if one.box(i) else None, self._ticks[i]) for i in images]
            for place, run in groupby(places, key=lambda pair: pair[0]):
                end = at + sum(ticks for _, ticks in run)
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


def _order(tag: Value, images: list[int]) -> list[int]:
    """The images of a tag as they are played once, or as often as it says."""
    direction, repeat = tag.get("direction", "forward"), tag.get("repeat", 0)
    kinds = ("forward", "reverse", "pingpong", "pingpong_reverse")
    if direction.value not in kinds:
        raise direction.expected(f"one of {', '.join(kinds)}")
    written = repeat.value
    is_number = isinstance(written, str) and re.fullmatch("[0-9]{1,9}", written)
    times, most = int(written) if is_number else written, PLAYED_MAX // len(images)
    if type(times) is not int or not 0 <= times <= most:
        raise repeat.expected(f"a number of times of 0..{most}")
    there = images[::-1] if "reverse" in direction.value else images
    if "pingpong" not in direction.value:
        return there * max(1, times)
    back = there[::-1]
    if not times:
        return there + back[1:-1]
    return there + [image for i in range(times - 1) for image in (there if i % 2 else back)[1:]]


def _pixel(text: str) -> Place2 | None:
    """A pixel written "16,31" or "16.5,31"."""
    x, comma, y = text.partition(",")
    try:
        return (exact("x", x), exact("y", y)) if comma else None
    except ValueError:
        return None
