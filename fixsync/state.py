"""Says in words what is wrong with bytes that the kernel refused to load. It decides nothing."""

from __future__ import annotations

from struct import unpack_from

from fixsync._native import INT32_MAX, INT32_MIN
from fixsync.shapes import Contact, shape_fault

__all__ = ["state_fault"]

_MAGIC = b"FXS1"
_MASKS_AT = 12
_HEAD_SIZE = 140
_SIZE_MIN = _HEAD_SIZE + 12
# What follows the head: three counts, each followed by so many records of so many bytes.
_PARTS = (("colliders", 52), ("hits", 12), ("changed", 4))


def state_fault(data: bytes, at: int, capacity: int) -> str:
    """What is wrong at offset `at`, where the kernel found the first rule broken for a world of
    this capacity."""
    if len(data) < _SIZE_MIN:
        return f"a saved state has at least {_SIZE_MIN} bytes, these are {len(data)}"
    if at < _HEAD_SIZE:
        return _head_fault(data, at)
    start = _HEAD_SIZE
    counts: dict[str, int] = {}
    for name, size in _PARTS:
        if start + 4 > len(data):
            return f"the bytes end before the number of {name}"
        (count,) = unpack_from("<I", data, start)
        counts[name] = count
        if count > (len(data) - start - 4) // size:
            left = len(data) - start - 4
            return f"{count} {name} of {size} bytes each do not fit the {left} bytes that are left"
        end = start + 4 + count * size
        if at < end:
            index = max(0, at - start - 4) // size
            record = start + 4 + index * size
            words = {"colliders": _collider_fault, "hits": _hit_fault, "changed": _changed_fault}[
                name
            ]
            return f"{name}[{index}]: {words(data, record, index, capacity)}"
        start = end
    return f"{len(data) - start} bytes after the end"


def _head_fault(data: bytes, at: int) -> str:
    if at < 4:
        return f"a saved state begins with {_MAGIC!r}, not with {data[:4]!r}"
    if at < _MASKS_AT:
        return f"hit_when must be 1..2, not {unpack_from('<I', data, 8)[0]}"
    masks = unpack_from("<32I", data, _MASKS_AT)
    i = (at - _MASKS_AT) // 4
    j = next((j for j in range(32) if (masks[i] >> j ^ masks[j] >> i) & 1), i)
    return f"the layer masks are not symmetric: {i} and {j} disagree whether they meet"


def _collider_fault(data: bytes, record: int, index: int, capacity: int) -> str:
    id, kind, layer, active, zero, yaw, half_angle = unpack_from("<IBBBBHH", data, record)
    x, y, z, ox, oy, oz, *sizes = unpack_from("<9i", data, record + 16)
    fault = shape_fault(kind, half_angle, tuple(sizes))
    if index and id <= (before := unpack_from("<I", data, record - 52)[0]):
        return f"ids must ascend, but {id} follows {before}"
    if id >= capacity:
        return f"id must be 0..{capacity - 1}, not {id}"
    if layer > 31:
        return f"layer must be 0..31, not {layer}"
    if active > 1:
        return f"active must be 0 or 1, not {active}"
    if zero:
        return f"the byte after active must be 0, not {zero}"
    if fault:
        return " ".join(fault)
    return centre_fault((x, y, z), yaw, (ox, oy, oz))


def _hit_fault(data: bytes, record: int, index: int, capacity: int) -> str:
    a, b, contact = unpack_from("<3I", data, record)
    hit_when = unpack_from("<I", data, 8)[0]
    if not a < b < capacity:
        return f"a pair must be a < b < {capacity}, not {a}, {b}"
    if not hit_when <= contact <= Contact.OVERLAPPING:
        return f"contact must be {hit_when}..{int(Contact.OVERLAPPING)}, not {contact}"
    if index and (a, b) <= (before := unpack_from("<2I", data, record - 12)):
        return f"pairs must ascend, but {a}, {b} follows {before[0]}, {before[1]}"
    return f"{a} or {b} is neither among the colliders nor among the changed ids"


def _changed_fault(data: bytes, record: int, index: int, capacity: int) -> str:
    (id,) = unpack_from("<I", data, record)
    if id >= capacity:
        return f"id must be 0..{capacity - 1}, not {id}"
    return f"ids must ascend, but {id} follows {unpack_from('<I', data, record - 4)[0] if index else 'nothing'}"


def centre_fault(position: tuple[int, ...], yaw: int, offset: tuple[int, ...]) -> str:
    """A centre that is out of range."""
    return (
        f"the centre must be within {INT32_MIN}..{INT32_MAX}: position {position}, "
        f"and offset {offset} turned by yaw {yaw}, lead outside"
    )
