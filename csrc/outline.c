/* Outlines for drawing: the vertices of a shape or solid from above, and its heights; and the
 * solid that has the outline of a shape. */
#include "derive.h"

/* Pieces of the arc of a sector where `segments` make a turn: rounded up, so 1 at least. */
static uint32_t arc_pieces(uint32_t half_angle, uint32_t segments) {
    return (uint32_t)(((uint64_t)segments * 2 * half_angle + FXS_TURN - 1) / FXS_TURN);
}

/* A radius turned by a yaw; |radius| * 2^30 < 2^60. */
static fxs_vertex circle_vertex(const fxs_pose *centre, int32_t radius, uint32_t yaw) {
    planar dir = fxs_direction_of(yaw);
    fxs_vertex v = {centre->x + round_q30(radius * dir.x), centre->z + round_q30(radius * dir.z)};
    return v;
}

/* The first n vertices of an arc of `pieces` pieces, counterclockwise; backwards if asked. */
static void write_circle(fxs_vertex *out, const fxs_pose *centre, int32_t radius, uint32_t from,
                         uint32_t turn, uint32_t pieces, uint32_t n, int backwards) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t yaw = from + (uint32_t)((uint64_t)turn * i / pieces);
        out[backwards ? n - 1 - i : i] = circle_vertex(centre, radius, yaw);
    }
}

/* Corners, each turned as an offset is: |x| * 2^30 + |z| * 2^30 < 2^60. */
static void corners_write(fxs_vertex *out, const fxs_pose *centre, const planar *corners,
                          uint32_t n) {
    const planar dir = fxs_direction_of(centre->yaw);
    for (uint32_t i = 0; i < n; i++) {
        const planar p = turned(corners[i], dir);
        out[i].x = centre->x + round_q30(p.x);
        out[i].z = centre->z + round_q30(p.z);
    }
}

/* How the outline of a shape is drawn, by the traits of its kind: by its corners if it has some;
 * any other by an arc on the outside and, if `inner` is not 0, one on the inside. */
typedef struct drawing {
    planar corners[FXS_VERTICES_MAX];
    uint32_t corner_count; /* 0: arcs */
    int32_t inner;         /* radius of the inner arc, 0 for none */
    int64_t half;          /* of the height */
    int is_wedge;          /* the arc is not a whole circle */
} drawing;

static drawing drawing_of(const fxs_shape *s) {
    drawing d;
    memset(&d, 0, sizeof d);
    const uint32_t bit = 1u << s->kind;
    d.half = (int64_t)s->size[1] + (ROUND_KINDS & bit ? s->size[0] : 0);
    d.corner_count = corners_of(s->kind, s->size, d.corners);
    if (d.corner_count != 0) {
        return d;
    }
    d.inner = fxs_kinds[s->kind].has_hole ? s->size[2] : 0;
    d.is_wedge = s->half_angle != 0 && s->half_angle < FXS_HALF_ANGLE_MAX;
    return d;
}

/* Vertices of the outside, where an arc has `along`: a wedge goes back along its inner arc, or over
 * its centre. */
static uint32_t outer_count(const drawing *d, uint32_t along) {
    if (d->corner_count != 0) {
        return d->corner_count;
    }
    if (!d->is_wedge) {
        return along;
    }
    return d->inner ? 2 * along : along + 1;
}

/* Of a checked shape, whose pose is its centre. */
static int32_t outline_write(const fxs_shape *s, const fxs_pose *centre, uint32_t segments,
                             fxs_vertex *out, uint64_t capacity, fxs_extent *extent) {
    if (segments < 3 || segments > FXS_TURN) {
        return FXS_E_SEGMENTS;
    }
    const drawing d = drawing_of(s);
    const uint32_t pieces = d.is_wedge ? arc_pieces(s->half_angle, segments) : segments;
    const uint32_t along = pieces + (uint32_t)d.is_wedge; /* vertices of the arc */

    extent->y_low = centre->y - d.half;
    extent->y_high = centre->y + d.half;
    extent->outer = outer_count(&d, along);
    extent->hole = !d.is_wedge && d.inner ? along : 0;
    if (capacity < (uint64_t)extent->outer + extent->hole) {
        return FXS_E_ROOM;
    }

    const uint32_t from = d.is_wedge ? centre->yaw - s->half_angle : centre->yaw;
    const uint32_t turn = d.is_wedge ? 2 * s->half_angle : FXS_TURN;
    if (d.corner_count != 0) {
        corners_write(out, centre, d.corners, d.corner_count);
        return FXS_OK;
    }
    write_circle(out, centre, s->size[0], from, turn, pieces, along, 0);
    if (d.inner) {
        write_circle(out + along, centre, d.inner, from, turn, pieces, along, 1);
    } else if (d.is_wedge) {
        out[along].x = centre->x;
        out[along].z = centre->z;
    }
    return FXS_OK;
}

int32_t fxs_outline(const fxs_shape *shape, const fxs_pose *pose, uint32_t segments,
                    fxs_vertex *vertices, uint64_t vertex_capacity, fxs_extent *extent) {
    int32_t status = fxs_placed_check(shape, pose);
    return status != FXS_OK
               ? status
               : outline_write(shape, pose, segments, vertices, vertex_capacity, extent);
}

int32_t fxs_level_outline(const fxs_level *l, uint32_t index, uint32_t segments,
                          fxs_vertex *vertices, uint64_t vertex_capacity, fxs_extent *extent) {
    fxs_solid s;
    int32_t status = fxs_level_solid(l, index, &s);
    if (status != FXS_OK) {
        return status;
    }
    if (segments < 3 || segments > FXS_TURN) {
        return FXS_E_SEGMENTS;
    }
    const uint32_t count = s.code == FXS_PRISM ? s.vertex_count : segments;
    extent->y_low = s.y_low;
    extent->y_high = s.y_high;
    extent->outer = count;
    extent->hole = 0;
    if (vertex_capacity < count) {
        return FXS_E_ROOM;
    }
    if (s.code == FXS_CYLINDER) {
        fxs_pose centre = {s.numbers[0], 0, s.numbers[1], 0};
        write_circle(vertices, &centre, s.numbers[2], 0, FXS_TURN, count, count, 0);
        return FXS_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        vertices[i].x = s.numbers[2 * i];
        vertices[i].z = s.numbers[2 * i + 1];
    }
    return FXS_OK;
}

/* The prism of a shape with corners, from the one opposite to its first one on: 0 if a corner is
 * outside int32. */
static int prism_write(fxs_solid *out, const fxs_shape *shape, const fxs_pose *pose) {
    fxs_vertex corners[FXS_VERTICES_MAX];
    const drawing d = drawing_of(shape);
    const uint32_t n = d.corner_count;
    corners_write(corners, pose, d.corners, n);
    out->code = FXS_PRISM;
    out->vertex_count = (uint8_t)n;
    for (uint32_t i = 0; i < n; i++) {
        const fxs_vertex corner = corners[(i + n / 2) % n];
        out->numbers[2 * i] = (int32_t)corner.x;
        out->numbers[2 * i + 1] = (int32_t)corner.z;
        if (corner.x != out->numbers[2 * i] || corner.z != out->numbers[2 * i + 1]) {
            return 0;
        }
    }
    return 1;
}

int32_t fxs_solid_of(const fxs_shape *shape, const fxs_pose *pose, uint32_t layer, fxs_solid *out) {
    int32_t status = fxs_placed_check(shape, pose);
    if (status != FXS_OK) {
        return status;
    }
    if (shape->kind != FXS_CYLINDER && !(CORNERED_KINDS >> shape->kind & 1)) {
        return FXS_E_UNDEFINED;
    }
    if (layer >= FXS_LAYER_COUNT) {
        return FXS_E_LAYER;
    }
    const int64_t y_low = (int64_t)pose->y - shape->size[1];
    const int64_t y_high = (int64_t)pose->y + shape->size[1];
    if (y_low < INT32_MIN || y_high > INT32_MAX) {
        return FXS_E_CENTRE;
    }
    fxs_solid s;
    memset(&s, 0, sizeof s);
    s.layer = (uint8_t)layer;
    s.y_low = (int32_t)y_low;
    s.y_high = (int32_t)y_high;
    if (shape->kind == FXS_CYLINDER) {
        s.code = FXS_CYLINDER;
        s.numbers[0] = pose->x;
        s.numbers[1] = pose->z;
        s.numbers[2] = shape->size[0];
    } else if (!prism_write(&s, shape, pose)) {
        return FXS_E_CENTRE;
    }
    *out = s;
    return FXS_OK;
}

int32_t fxs_world_outline(const fxs_world *world, uint32_t id, uint32_t segments,
                          fxs_vertex *vertices, uint64_t vertex_capacity, fxs_extent *extent) {
    if (id >= FXS_LEVEL && world->level != NULL) {
        return fxs_level_outline(world->level, id - FXS_LEVEL, segments, vertices, vertex_capacity,
                                 extent);
    }
    fxs_collider c;
    int32_t status = fxs_world_get(world, id, &c);
    if (status != FXS_OK) {
        return status;
    }
    fxs_shape shape = {c.kind, c.half_angle, {c.size[0], c.size[1], c.size[2]}};
    fxs_pose centre;
    fxs_centre_of(world, id, &centre);
    return outline_write(&shape, &centre, segments, vertices, vertex_capacity, extent);
}
