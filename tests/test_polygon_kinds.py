"""Kinds of the class POLYGON: a hexagon and a triangle, each a row and its corners in a copy of the
kernel, against the model's."""

from __future__ import annotations

import ctypes
import shutil
from collections.abc import Iterator
from ctypes import byref, c_int32, c_int64, c_uint8, c_uint64
from itertools import product
from pathlib import Path
from typing import Any

import builds as building
import model
import model_level
import model_push
import pytest
import strategies
import test_fuzz as fuzzers
from builds import CSRC
from hypothesis import given
from hypothesis import strategies as st
from model import SIZE_MAX, as_polygon, edges, minus, vertices_of
from model_level import Solid

from fixsync._native.rows import POSE, SHAPE

FIELDS: dict[str, tuple[tuple[str, int, int], ...]] = {
    "trial_hex": (("radius", 8, SIZE_MAX), ("half_height", 1, SIZE_MAX)),
    "trial_tri": (("half_x", 8, 2**28), ("half_y", 1, SIZE_MAX), ("half_z", 8, 2**28)),
}
CORNERS = {
    "trial_hex": lambda radius, _: [
        *[(radius, 0), (radius // 2, high(radius)), (-(radius // 2), high(radius))],
        *[(-radius, 0), (-(radius // 2), -high(radius)), (radius // 2, -high(radius))],
    ],
    "trial_tri": lambda half_x, _, half_z: [
        (half_x, -half_z),
        (-half_x, half_z),
        (-half_x, -half_z),
    ],
}
CODE_OF = {kind: code for code, kind in enumerate((*strategies.KINDS, *CORNERS))}
ROWS = """ \\
    KIND(FXS_TRIAL_HEX, trial_hex, 2, POLYGON, CORNERS(6, hexagon_corners), .has_front = 0, \\
         RANGES(radius, 8, FXS_SIZE_MAX, half_height, 1, FXS_SIZE_MAX, unused, 0, 0, 0, 0)) \\
    KIND(FXS_TRIAL_TRI, trial_tri, 3, POLYGON, CORNERS(3, triangle_corners), .has_front = 1, \\
         RANGES(half_x, 8, 1 << 28, half_y, 1, FXS_SIZE_MAX, half_z, 8, 1 << 28, 0, 0))
"""
FUNCTIONS = """
static inline void hexagon_corners(const int32_t size[3], planar *corner) {
    const int64_t high = (size[0] * INT64_C(929887697) + (1 << 29)) >> 30;
    for (int i = 0; i < 6; i++) {
        const int along = i == 0 || i == 3 ? size[0] : size[0] / 2;
        corner[i].x = i == 0 || i == 1 || i == 5 ? along : -along;
        corner[i].z = i % 3 == 0 ? 0 : i < 3 ? high : -high;
    }
}
static inline void triangle_corners(const int32_t size[3], planar *corner) {
    for (int i = 0; i < 3; i++) {
        corner[i].x = i == 0 ? size[0] : -size[0];
        corner[i].z = i == 1 ? size[2] : -size[2];
    }
}
"""
POLYGONS = tuple(CORNERS)
BODIES = (*strategies.SOLIDS, *POLYGONS)
ALL = (*strategies.KINDS, *POLYGONS)


def high(radius: int) -> int:
    return (radius * 929887697 + (1 << 29)) >> 30


def with_polygon(kinds: tuple[str, ...]) -> Any:
    """Pairs of kinds of which one at least is a polygon."""
    return st.sampled_from([(a, b) for a in kinds for b in POLYGONS])


@pytest.fixture(scope="module", autouse=True)
def known_to_the_model() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for kind, fields in FIELDS.items():
            patch.setitem(model.KINDS, kind, fields)
            patch.setitem(model.CORNERS, kind, CORNERS[kind])
            patch.setitem(model._HEIGHT_AT, kind, 2)
        yield


def add_rows(folder: Path) -> None:
    for file in (*CSRC.glob("*.c"), *CSRC.glob("*.h")):
        shutil.copy(file, folder)
    table = (folder / "shape.h").read_text()
    end = "\n/* clang-format on */"
    before = "/* One row for each kind"
    assert table.count(end) == table.count(before) == 1
    table = table.replace(end, ROWS.rstrip() + end).replace(before, FUNCTIONS + before)
    (folder / "shape.h").write_text(table)
    header = (folder / "fixsync.h").read_text()
    codes = "".join(f"#define FXS_{kind.upper()} {CODE_OF[kind]}\n" for kind in POLYGONS)
    (folder / "fixsync.h").write_text(
        header.replace("#define FXS_SPHERE 0", f"{codes}#define FXS_SPHERE 0")
    )


@pytest.fixture(scope="module")
def kernel(builds: building.Builds) -> ctypes.CDLL:
    def make(to: Path) -> None:
        folder = to.with_suffix(".csrc")
        folder.mkdir()
        add_rows(folder)
        unit = folder / "unit.c"
        unit.write_text("".join(f'#include "{file}"\n' for file in sorted(folder.glob("*.c"))))
        flags = [*building.COMMON, *building.ASSERTS, "-DFXS_ONE_SOURCE", "-shared"]
        building.compiled(*flags, unit, "-o", to)

    return ctypes.CDLL(str(builds.made("polygons.so", make)))


def packed(shape: Any, pose: Any) -> tuple[bytes, bytes]:
    kind, *sizes = shape
    half_angle = sizes.pop(1) if kind == "sector" else 0
    if kind == "sphere":
        sizes.append(0)
    return SHAPE.pack(CODE_OF[kind], half_angle, *sizes, *[0] * (3 - len(sizes))), POSE.pack(*pose)


@strategies.examples(1000)
@given(st.data())
def test_contact_is_the_models(kernel: Any, data: Any) -> None:
    a, pa, b, pb = data.draw(with_polygon(ALL).flatmap(strategies.any_pairs))
    contact = model.overlap(a, pa, b, pb)
    one, other = packed(a, pa), packed(b, pb)
    assert kernel.fxs_overlap(*one, *other) == kernel.fxs_overlap(*other, *one) == contact
    found, bad = c_uint8(9), c_uint64()
    for pair in ((*one, *other), (*other, *one)):
        assert kernel.fxs_overlap_many(*pair, c_uint64(1), byref(found), byref(bad)) == 0
        assert found.value == contact


def cast_by_kernel(
    kernel: Any, a: Any, pa: Any, ma: Any, b: Any, pb: Any, mb: Any, when: int
) -> Any:
    fraction, normal = c_int32(), (c_int32 * 3)()
    moving = [(c_int32 * 3)(*motion) for motion in (ma, mb)]
    one, other = packed(a, pa), packed(b, pb)
    hit = kernel.fxs_cast_pair(*one, moving[0], *other, moving[1], when, byref(fraction), normal)
    assert hit in (0, 1)
    return (fraction.value, tuple(normal)) if hit else None


@strategies.examples(1000)
@given(st.data())
def test_casts_and_their_normals_are_the_models(kernel: Any, data: Any) -> None:
    cast = data.draw(with_polygon(BODIES).flatmap(strategies.casts))
    a, pa, ma, b, pb, mb = cast
    if data.draw(st.booleans()):
        cast = b, pb, mb, a, pa, ma
    when = data.draw(st.sampled_from([1, 2]))
    assert cast_by_kernel(kernel, *cast, when) == model.cast_pair(*cast, when)


@strategies.examples(1000)
@given(st.data())
def test_pushes_and_lifts_are_the_models(kernel: Any, data: Any) -> None:
    a, pa, b, pb = data.draw(with_polygon(BODIES).flatmap(strategies.deep_pairs))
    out, up, found = (c_int32 * 2)(), c_int32(), []
    for one, at_one, other, at_other in ((a, pa, b, pb), (b, pb, a, pa)):
        pair = (*packed(one, at_one), *packed(other, at_other))
        assert kernel.fxs_push_out(*pair, out) == 0
        assert kernel.fxs_lift(*pair, byref(up)) == 0
        found.append(tuple(out))
        model.check_push_out(one, at_one, other, at_other, found[-1])
        assert found[-1] == model_push.push_out(one, at_one, other, at_other)
        assert up.value == model_push.lift(one, at_one, other, at_other)
    if (pa[0], pa[2]) != (pb[0], pb[2]):
        assert found[1] == tuple(-v for v in found[0])


def level_of(kernel: Any, solid: Solid) -> Any:
    data = model_level.level_bytes([solid])
    kernel.fxs_level_size.restype = c_uint64
    memory = (c_uint64 * kernel.fxs_level_size(data, c_uint64(len(data))))()
    assert kernel.fxs_level_init(memory, data, c_uint64(len(data)), None) == 0
    return memory


@strategies.examples(500)
@given(st.data())
def test_contact_with_a_solid_is_the_models(kernel: Any, data: Any) -> None:
    shape, pose, other, at = data.draw(
        with_polygon(("cylinder", "box", *POLYGONS)).flatmap(strategies.any_pairs)
    )
    if shape[0] not in POLYGONS or data.draw(st.booleans()):
        shape, pose, other, at = other, at, shape, pose
    solid = solid_of(other, at)
    if solid:
        contact = model_level.level_contact(shape, pose, solid)
        level = level_of(kernel, solid)
        assert kernel.fxs_level_contact(level, 0, *packed(shape, pose)) == contact


def solid_of(shape: Any, pose: Any) -> Solid | None:
    x, y, z, _ = pose
    low, high = y - model.half_height(shape), y + model.half_height(shape)
    if shape[0] == "cylinder":
        found = Solid("cylinder", 0, low, high, ((x, z),), shape[1])
    else:
        corners = model.outline(shape, pose, 3)[0]
        if model_level.polygon_fault(corners):
            return None
        found = Solid("prism", 0, low, high, tuple(corners))
    ends = [low, high, *(v for vertex in found.vertices for v in vertex)]
    return found if all(-(2**31) <= v < 2**31 for v in ends) else None


@strategies.examples(300)
@given(st.data())
def test_outlines_are_convex_and_the_models(kernel: Any, data: Any) -> None:
    kind = data.draw(st.sampled_from(POLYGONS))
    shape, pose = data.draw(strategies.shapes((kind,))), data.draw(strategies.poses())
    corners = model.outline(shape, pose, 3)[0]
    assert not model_level.polygon_fault(corners)
    at = (pose[0], pose[2])
    assert vertices_of(as_polygon(shape, pose[3]), at) == corners
    vertices, extent = (c_int64 * 64)(), (c_int64 * 4)()
    assert kernel.fxs_outline(*packed(shape, pose), 3, vertices, c_uint64(32), extent) == 0
    found = list(
        zip(vertices[0 : 2 * len(corners) : 2], vertices[1 : 2 * len(corners) : 2], strict=True)
    )
    assert found == corners


@pytest.mark.full
@pytest.mark.release
def test_fuzzers_find_no_answer_that_is_not_the_references(tmp_path: Path) -> None:
    """In a copy of the repository's C with these kinds."""
    (tmp_path / "csrc").mkdir()
    add_rows(tmp_path / "csrc")
    shutil.copytree(CSRC / "kit", tmp_path / "csrc" / "kit")
    native = shutil.copytree(fuzzers.NATIVE, tmp_path / "tests" / "native")
    arguments = ("shapes", "cast", "level", "--seconds", "5", "--objects", str(tmp_path / "made"))
    code, said, found = fuzzers.fuzz(native / "fuzz.py", tmp_path / "found", *arguments)
    assert (code, found) == (0, []), said


def fault_at(kind: str, sizes: tuple[int, ...], step: int) -> str:
    """What is wrong with the corners of a kind with these sizes at some yaw, or ""."""
    said = f"corners of {kind}{sizes}, see its row in shape.h"
    if any(x * x + z * z >= (SIZE_MAX + 1) ** 2 for x, z in model.CORNERS[kind](*sizes)):
        return (
            f"{said}: one is FXS_SIZE_MAX + 1 from the centre or further: a greatest size is less"
        )
    for yaw in range(0, 65536, step):
        v = vertices_of(as_polygon((kind, *sizes), yaw))
        for j, u in enumerate(edges(v)):
            if model.cross(u, minus(v[(j + 2) % len(v)], v[j])) <= 0:
                return (
                    f"{said}: with yaw {yaw} they are not strictly convex: a least size is greater"
                )
    return ""


@pytest.mark.parametrize("kind", [*POLYGONS, *strategies.POLYGONS])
def test_corners_at_the_ends_of_the_sizes_are_convex_with_every_yaw_and_not_too_far(
    kind: str,
) -> None:
    ends = [(low, high) for _, low, high in model.KINDS[kind]]
    least, *others = product(*ends)
    assert not fault_at(kind, least, 31)
    for sizes in others:
        assert not fault_at(kind, sizes, 997)


def test_ranges_that_are_too_wide_for_corners_are_found() -> None:
    assert "not strictly convex" in fault_at("trial_hex", (1, 1), 97)
    assert "FXS_SIZE_MAX + 1 from" in fault_at("trial_tri", (SIZE_MAX, 1, SIZE_MAX), 97)
