/* A shape at its pose, ready to be tested. */
#ifndef FIXSYNC_PLACED_SHAPE_H
#define FIXSYNC_PLACED_SHAPE_H

#include "aabb.h"
#include "angle.h"
#include "shape.h"

/* A shape at its pose, ready to be tested, and the fields by which a world decides whether to
 * test it. From id to owner it is laid out as fxs_collider. */
typedef struct placed_shape {
    int32_t x, y, z;                      /* centre */
    int32_t extent_x, extent_y, extent_z; /* of its bounds from the centre: at least what the exact
                                          tests can see, below EXTENT_END */
    int32_t cos_q30, sin_q30; /* direction(yaw); kept for a kind that is turned, and where there is
                                 an offset to turn */
    uint32_t id;
    uint8_t kind, layer, active, zero;
    uint16_t yaw, half_angle;
    uint32_t owner;
    int32_t size[3]; /* as in fxs_shape */
    uint32_t meets;  /* the world's mask of its layer */
} placed_shape;      /* 64 bytes */

static inline planar direction_of(const placed_shape *s) {
    planar p = {s->cos_q30, s->sin_q30};
    return p;
}

static inline int is_round(const placed_shape *s) { return ROUND_KINDS >> s->kind & 1; }
static inline int is_sector(const placed_shape *s) { return SECTOR_KINDS >> s->kind & 1; }

/* The directions of a sector's edges. */
typedef struct edges {
    planar e1, e2;
} edges;

static inline edges edges_of(const placed_shape *s) {
    edges e = {fxs_direction_of((uint32_t)s->yaw + s->half_angle),
               fxs_direction_of((uint32_t)s->yaw - s->half_angle)};
    return e;
}

/* The magnitudes of the direction of b's yaw in a's frame. */
static inline planar turn_between(const placed_shape *a, const placed_shape *b) {
    planar rel = fxs_direction_of((uint32_t)b->yaw - a->yaw);
    rel.x = abs64(rel.x);
    rel.z = abs64(rel.z);
    return rel;
}

/* How far apart along the axes of `own` the centres of two boxes are where they touch; Q.46, below
 * 2^61. The turn is that between them. */
static inline planar touching_boxes(const placed_shape *own, const placed_shape *other,
                                    planar turn) {
    planar limit = {own->size[0] * Q30_ONE + other->size[0] * turn.x + other->size[2] * turn.z,
                    own->size[2] * Q30_ONE + other->size[0] * turn.z + other->size[2] * turn.x};
    return limit;
}

/* Sets the directions of n placed shapes, and the extents that turn with them. */
FXS_INTERNAL void fxs_turn_placed(placed_shape *all, const uint32_t *ids, uint32_t n);

/* Makes `out` a checked shape at a checked pose; layer, active, owner and id are left alone. */
FXS_INTERNAL void fxs_place_shape(placed_shape *out, const fxs_shape *shape, const fxs_pose *pose);

/* Extents are below 2^29.6, on which the widths of contact.c and polygon_contact.c rest. */
#define EXTENT_END 813744135

/* The extents on x and z of what turns. Turned shapes are widened by 4 raw units or more: a
 * quantised direction's length is off by up to 2^-30 of itself, so their tests may see contact a
 * fraction of a raw unit outside the ideal shape. Quarter turns are exact. */
static inline void set_turned_extent(placed_shape *s) {
    int64_t c = abs64(s->cos_q30);
    int64_t z = abs64(s->sin_q30);
    int64_t widen = s->yaw % 16384 ? 5 * Q30_ONE : 0;
    const ground_reach r = reach_of(s->kind, s->size);
    const int64_t on_x = (int64_t)((uint64_t)(r.half_x * c + r.half_z * z + widen) >> 30);
    const int64_t on_z = (int64_t)((uint64_t)(r.half_x * z + r.half_z * c + widen) >> 30);
    s->extent_x = (int32_t)(r.radius + on_x);
    s->extent_z = (int32_t)(r.radius + on_z);
}

#define SECTOR_WIDER 4

/* Sets the extents from kind and size, of a shape as if it was not turned. */
static inline void set_round_extent(placed_shape *s) {
    s->extent_y = s->size[1] + (s->size[0] & -is_round(s)); /* a sphere's size[1] is 0 */
    s->extent_x = s->extent_z = s->size[0] + SECTOR_WIDER * is_sector(s);
}

static inline int has_turning_extent(const placed_shape *s) {
    return CORNERED_KINDS >> s->kind & 1;
}

/* Sets the extents that follow from yaw and direction. */
static inline void turn_extent(placed_shape *s) {
    if (has_turning_extent(s)) {
        set_turned_extent(s);
    }
}

/* Sets the extents from kind, size, yaw and direction. */
static inline void set_extent(placed_shape *s) {
    set_round_extent(s);
    turn_extent(s);
    FXS_ASSERT(s->extent_x > 0 && s->extent_y > 0 && s->extent_z > 0);
    FXS_ASSERT(s->extent_x < EXTENT_END && s->extent_z < EXTENT_END);
    FXS_ASSERT(s->extent_y <= 1 << 30);
}

/* The box of s's extents about its centre. */
static inline aabb extents_of(const placed_shape *s) {
    const aabb box = {
        {(int64_t)s->x - s->extent_x, (int64_t)s->y - s->extent_y, (int64_t)s->z - s->extent_z},
        {(int64_t)s->x + s->extent_x, (int64_t)s->y + s->extent_y, (int64_t)s->z + s->extent_z}};
    return box;
}

static inline int extents_meet_aabb(const placed_shape *s, const aabb *box) {
    return (int64_t)s->x - s->extent_x <= box->max[0] &&
           (int64_t)s->x + s->extent_x >= box->min[0] &&
           (int64_t)s->z - s->extent_z <= box->max[2] &&
           (int64_t)s->z + s->extent_z >= box->min[2] &&
           (int64_t)s->y - s->extent_y <= box->max[1] && (int64_t)s->y + s->extent_y >= box->min[1];
}

/* Whether on every axis the gap between the extents of two shapes is at most this, without a
 * branch. */
static inline uint32_t extents_are_within(const placed_shape *a, const placed_shape *b,
                                          int64_t gap) {
    const int64_t x = abs64((int64_t)a->x - b->x);
    const int64_t y = abs64((int64_t)a->y - b->y);
    const int64_t z = abs64((int64_t)a->z - b->z);
    return (uint32_t)((x <= (int64_t)a->extent_x + b->extent_x + gap) &
                      (y <= (int64_t)a->extent_y + b->extent_y + gap) &
                      (z <= (int64_t)a->extent_z + b->extent_z + gap));
}
static inline uint32_t extents_overlap(const placed_shape *a, const placed_shape *b) {
    return extents_are_within(a, b, 0);
}

/* The bounds of s: they contain all that the exact tests can meet, of a sector its wedge alone.
 * Below 2^32 in magnitude. */
FXS_INTERNAL void fxs_placed_bounds(const placed_shape *s, aabb *out);

/* fxs_shape_check and the pose's yaw. */
FXS_INTERNAL int32_t fxs_placed_check(const fxs_shape *shape, const fxs_pose *pose);

/* The same of a query, and its hit_when. */
FXS_INTERNAL int32_t fxs_query_check(const fxs_query *query);

/* The same of two; and makes them, if they are good. */
FXS_INTERNAL int32_t fxs_pair_check(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b,
                                    const fxs_pose *pose_b);
FXS_INTERNAL int32_t fxs_pair_make(placed_shape *out_a, placed_shape *out_b, const fxs_shape *a,
                                   const fxs_pose *pose_a, const fxs_shape *b,
                                   const fxs_pose *pose_b);

#endif
