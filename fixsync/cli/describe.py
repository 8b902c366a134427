"""The content of a match log as text: ids and layers by name, shapes, colliders, events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from fixsync._native.kinds import KINDS_BY_NAME
from fixsync.base.names import sides_in
from fixsync.cli.text import angle, units, vector
from fixsync.log.schema import Header
from fixsync.world.level import Prism, Solid
from fixsync.world.records import Collider
from fixsync.world.shapes import Contact, EventKind


def named(number: int, names: Mapping[int, str]) -> str:
    """An id or a layer, with the name that the log has for it."""
    return f'{number} "{names[number]}"' if number in names else str(number)


def named_id(id: int, header: Header) -> str:
    return named(id, header.names.ids)


def named_layer(layer: int, header: Header) -> str:
    return named(layer, header.names.layers)


def layer_name(layer: int, header: Header) -> str:
    """The name of a layer, or its number."""
    return header.names.layers.get(layer, str(layer))


def layers_text(pairs: Sequence[Sequence[int]] | None, header: Header) -> str:
    """The pairs of layers that meet."""
    if pairs is None:
        return "all"
    return ", ".join("-".join(layer_name(i, header) for i in pair) for pair in pairs) or "none"


def events_text(events: Iterable[Sequence[int]]) -> str:
    """The events of one pair; the last two numbers of each are its kind and its contact."""
    texts = (f"{EventKind(kind).name} {Contact(contact).name}" for *_, kind, contact in events)
    return ", then ".join(texts)


def game_text(events: Iterable[Sequence[int]], header: Header) -> str:
    """Events of the game: kind, a, b and value of each."""
    return ", ".join(map(partial(_game_text, header), events))


def _game_text(header: Header, event: Sequence[int]) -> str:
    a, b, kind, value = event
    name, *sides = sides_in(header.names.game.get(kind, str(kind)))
    side_texts = (_side(*pair, header) for pair in zip((a, b), sides, strict=True))
    return f"{name} ({', '.join(side_texts)}): {value}"


def _side(number: int, side: str, header: Header) -> str:
    """a or b of an event: by name if it is a collider's id."""
    if side == "collider":
        return named(number, header.names.ids)
    return f"owner {number}" if side == "owner" else str(number)


def shape_text(row: Sequence[Any]) -> str:
    """A shape, given as in a log, in units and as it is."""
    kind, *sizes = row
    parts = [
        f"{size.name} {angle(value) if size.name == 'half_angle' else units(value)}"
        for size, value in zip(KINDS_BY_NAME[kind].sizes, sizes, strict=False)
    ]
    return f"{kind} {', '.join(parts)}"


def collider_lines(id: int, collider: Collider | Solid | None, header: Header) -> list[str]:
    """A collider or a solid, over several lines."""
    if collider is None:
        first, *rest = ["not in the world"]
    elif isinstance(collider, Collider):
        first, *rest = _collider_lines(collider, named_layer(collider.layer, header))
    else:
        first, *rest = _solid_lines(collider, named_layer(collider.layer, header))
    return [f"{named_id(id, header)}: {first}", *rest]


def _collider_lines(collider: Collider, layer: str) -> list[str]:
    pose = collider.pose
    owner = f"owner {collider.owner}" if collider.owner else "no owner"
    activity = "" if collider.active else ", inactive"
    lines = [
        shape_text(collider.shape.as_tuple()),
        f"  position {vector((pose.x, pose.y, pose.z))}",
        f"  yaw {angle(pose.yaw)}, layer {layer}, {owner}{activity}",
    ]
    if any(collider.offset):
        lines.append(f"  offset {vector(collider.offset)}")
    return lines


def _solid_lines(solid: Solid, layer: str) -> list[str]:
    if isinstance(solid, Prism):
        lines = [f"prism of {len(solid.vertices)} vertices"]
        lines += [f"  vertex {vector(vertex)}" for vertex in solid.vertices]
    else:
        lines = [
            f"cylinder, radius {units(solid.radius)}",
            f"  centre {vector((solid.x, solid.z))}",
        ]
    heights = f"{units(solid.y_low)} to {units(solid.y_high)}"
    return [*lines, f"  y {heights}, layer {layer}, of the level"]


def collider_json(collider: Collider | Solid | None) -> dict[str, Any] | None:
    if collider is None:
        return None
    if not isinstance(collider, Collider):
        return {"solid": list(collider.as_tuple())}
    pose = collider.pose
    return {
        "id": collider.id,
        "shape": list(collider.shape.as_tuple()),
        "position": [pose.x, pose.y, pose.z],
        "yaw": pose.yaw,
        "layer": collider.layer,
        "owner": collider.owner,
        "offset": list(collider.offset),
        "active": collider.active,
    }
