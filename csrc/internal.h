/* Shared by the kernel's files: arithmetic, and a shape at its pose. */
#ifndef FIXSYNC_INTERNAL_H
#define FIXSYNC_INTERNAL_H

#include "shape.h"

#include <string.h>

/* For a function of which every call is compiled with its own constant arguments; with FXS_SMALL,
 * which makes the program smaller and slower, once for all of them. */
#if defined(__GNUC__) && !defined(FXS_NO_BUILTINS) && !defined(FXS_SMALL)
#define SPECIALISED static inline __attribute__((always_inline))
#else
#define SPECIALISED static inline
#endif

#if defined(__SIZEOF_INT128__) && !defined(FXS_NO_INT128)
#define FXS_INT128 1
#endif

#define Q30_ONE ((int64_t)1 << 30)
#define Q60_ONE ((int64_t)1 << 60)

/* A vector of the ground plane. Its unit is named where it is used: raw Q16.16, Q2.30, or their
 * product Q.46. */
typedef struct planar {
    int64_t x, z;
} planar;

static inline int sign64(int64_t v) { return (v > 0) - (v < 0); }
static inline int64_t abs64(int64_t v) { return v < 0 ? -v : v; }
static inline int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }
/* The greater of v and 0, without a branch whatever the compiler makes of comparisons; |v| <
 * 2^62. */
static inline int64_t above_0(int64_t v) { return (int64_t)((uint64_t)(v + abs64(v)) >> 1); }
static inline int min_int(int a, int b) { return a < b ? a : b; }
static inline int max_int(int a, int b) { return a > b ? a : b; }

static inline int64_t cross64(planar u, planar v) { return u.x * v.z - u.z * v.x; }
static inline int64_t dot64(planar u, planar v) { return u.x * v.x + u.z * v.z; }

/* CLS of the contract: APART, TOUCHING or OVERLAPPING as l is above, at or below r. */
static inline int classify(int64_t l, int64_t r) { return (l < r) + (l <= r); }

/* How many bits v takes; 0 for 0. */
static inline uint32_t bit_length(uint64_t v) {
#if defined(__GNUC__) && !defined(FXS_NO_BUILTINS)
    return v ? 64 - (uint32_t)__builtin_clzll(v) : 0;
#else
    uint32_t n = 0;
    for (uint32_t step = 32; step; step /= 2) {
        if (v >> step) {
            v >>= step;
            n += step;
        }
    }
    return n + (uint32_t)v;
#endif
}

/* A hint that p will be read soon. */
static inline void prefetch(const void *p) {
#if defined(__GNUC__) && !defined(FXS_NO_BUILTINS)
    __builtin_prefetch(p);
#else
    (void)p;
#endif
}

/* v / 2^30 rounded to nearest, halves away from zero; |v| < 2^63 - 2^29. */
static inline int64_t round_q30(int64_t v) {
    return v < 0 ? -(int64_t)(((uint64_t)-v + ((uint64_t)1 << 29)) >> 30)
                 : (int64_t)(((uint64_t)v + ((uint64_t)1 << 29)) >> 30);
}

/* Q2.30; yaw as if taken modulo FXS_TURN. */
FXS_INTERNAL planar fxs_direction_of(uint32_t yaw);

/* v turned by yaw and by minus yaw, dir the direction of yaw; the product of the units, unrounded.
 * Exact for |v.x| + |v.z| < 2^33. */
static inline planar turned(planar v, planar dir) {
    planar p = {v.x * dir.x - v.z * dir.z, v.x * dir.z + v.z * dir.x};
    return p;
}
static inline planar turned_back(planar v, planar dir) {
    planar p = {v.x * dir.x + v.z * dir.z, v.z * dir.x - v.x * dir.z};
    return p;
}

/* A shape at its pose, ready to be tested, and the fields by which a world decides whether to
 * test it. From id to owner it is laid out as fxs_collider. */
typedef struct posed {
    int32_t x, y, z; /* centre */
    int32_t reach_x, reach_y, reach_z; /* of its bounds from the centre: at least what the exact
                                          tests can see, at most 2^30 */
    int32_t cos_q30, sin_q30; /* direction(yaw); kept for a box or a sector, and where there is an
                                 offset to turn */
    uint32_t id;
    uint8_t kind, layer, active, zero;
    uint16_t yaw, half_angle;
    uint32_t owner;
    int32_t size[3]; /* as in fxs_shape */
    uint32_t meets; /* the world's mask of its layer */
} posed; /* 64 bytes */

static inline planar direction_of_posed(const posed *s) {
    planar p = {s->cos_q30, s->sin_q30};
    return p;
}

/* Whether a pair is in the order in which casts take it: by figure, then by kind. */
static inline int is_cast_order(const posed *a, const posed *b) {
    const figure of_a = figure_of(a->kind), of_b = figure_of(b->kind);
    return of_a != of_b ? of_a < of_b : a->kind <= b->kind;
}

static inline int is_round(const posed *s) { return ROUND_KINDS >> s->kind & 1; }

/* The magnitudes of the direction of b's yaw in a's frame. */
static inline planar turn_between(const posed *a, const posed *b) {
    planar rel = fxs_direction_of((uint32_t)b->yaw - a->yaw);
    rel.x = abs64(rel.x);
    rel.z = abs64(rel.z);
    return rel;
}

/* How far apart along the axes of `own` the centres of two boxes are where they touch; Q.46, below
 * 2^61. The turn is that between them. */
static inline planar touching_boxes(const posed *own, const posed *other, planar turn) {
    planar limit = {own->size[0] * Q30_ONE + other->size[0] * turn.x + other->size[2] * turn.z,
                    own->size[2] * Q30_ONE + other->size[0] * turn.z + other->size[2] * turn.x};
    return limit;
}

/* Sets the directions of n posed shapes, and the reach of those that are boxes. */
FXS_INTERNAL void fxs_turn_posed(posed *all, const uint32_t *ids, uint32_t n);

/* Makes `out` a checked shape at a checked pose; layer, active, owner and id are left alone. */
FXS_INTERNAL void fxs_posed_make(posed *out, const fxs_shape *shape, const fxs_pose *pose);

/* A box's reach on x and z. Turned shapes are widened by 4 raw units or more: a quantised
 * direction's length is off by up to 2^-30 of itself, so their tests may see contact a fraction of
 * a raw unit outside the ideal shape. Quarter turns are exact. */
static inline void box_reach(posed *s) {
    int64_t c = abs64(s->cos_q30), z = abs64(s->sin_q30), widen = s->yaw % 16384 ? 5 * Q30_ONE : 0;
    s->reach_x = (int32_t)((uint64_t)(s->size[0] * c + s->size[2] * z + widen) >> 30);
    s->reach_z = (int32_t)((uint64_t)(s->size[0] * z + s->size[2] * c + widen) >> 30);
}

#define SECTOR_WIDER 4

/* Sets the reach from kind and size, of a shape as if it was not turned. */
static inline void round_reach(posed *s) {
    s->reach_y = s->size[1] + (s->size[0] & -is_round(s)); /* a sphere's size[1] is 0 */
    s->reach_x = s->reach_z = s->size[0] + SECTOR_WIDER * (SECTOR_KINDS >> s->kind & 1);
}

/* Whether the reach of a figure follows from yaw and direction too. */
static inline uint32_t reach_turns(figure f) {
    switch (f) {
    case BOX:
        return 1;
    case ROUND:
    case CYLINDER:
    case SECTOR:
    case FIGURE_COUNT:
        break;
    }
    return 0;
}

/* A constant, bit i for code i: to look up the figure first would be slower. */
#define REACH_TURNS_BIT(code, name, sizes, figure, turned, push, cast, hole, ranges) \
    | reach_turns(figure) << code

/* Sets the parts of the reach that follow from yaw and direction. */
static inline void turn_reach(posed *s) {
    const uint32_t turning_kinds = 0 SHAPE_KINDS(REACH_TURNS_BIT);
    if (turning_kinds >> s->kind & 1) {
        box_reach(s);
    }
}

/* Sets the reach from kind, size, yaw and direction. */
static inline void set_reach(posed *s) {
    round_reach(s);
    turn_reach(s);
}

/* Contact of any two posed shapes. */
FXS_INTERNAL int fxs_posed_contact(const posed *a, const posed *b);

/* The same of two that are near: on no axis are they further apart than they reach by more than
 * 2^15 raw units. */
FXS_INTERNAL int fxs_near_contact(const posed *a, const posed *b);

/* Contact with an upright cylinder of a level, whose bounds s meets. gap: how far s is above or
 * below it, negative if it is neither. */
FXS_INTERNAL int fxs_cylinder_solid_contact(const posed *s, int32_t x, int32_t z, int32_t radius,
                                    int64_t gap);

/* Pairs of figures: of one with itself, and of two, the lesser one first. */
#define FIGURE_PAIRS(SAME, PAIR) \
    SAME(ROUND)                  \
    PAIR(ROUND, CYLINDER)        \
    SAME(CYLINDER)               \
    PAIR(ROUND, BOX)             \
    PAIR(CYLINDER, BOX)          \
    SAME(BOX)                    \
    PAIR(ROUND, SECTOR)          \
    PAIR(CYLINDER, SECTOR)       \
    PAIR(BOX, SECTOR)            \
    SAME(SECTOR)

#define NAME_OF_SAME(f) f##_##f,
#define NAME_OF_PAIR(a, b) a##_##b,
typedef enum figure_pair { FIGURE_PAIRS(NAME_OF_SAME, NAME_OF_PAIR) PAIR_COUNT } figure_pair;
#define INDEX_OF_PAIR(a, b) ((b) * ((b) + 1) / 2 + (a))
#define PAIR_IS_AT(a, b) \
    _Static_assert(a##_##b == (int)INDEX_OF_PAIR(a, b), "pairs ascend by the greater figure");
#define SAME_IS_AT(f) PAIR_IS_AT(f, f)
FIGURE_PAIRS(SAME_IS_AT, PAIR_IS_AT)
_Static_assert((int)PAIR_COUNT == (int)INDEX_OF_PAIR(0, FIGURE_COUNT),
               "every two figures are a pair");

/* The pair of two kinds, and SWAPPED if b has the lesser figure. */
enum { SWAPPED = 128 };
static inline uint32_t pair_of(uint32_t a, uint32_t b) {
#define PAIR_OF(a, b) ((a) <= (b) ? INDEX_OF_PAIR(a, b) : INDEX_OF_PAIR(b, a) + SWAPPED)
#define PAIRS_OF_KIND(code, name, sizes, figure, turned, push, cast, hole, ranges) \
    {PAIR_OF((int)figure, FIGURE_OF(0)), PAIR_OF((int)figure, FIGURE_OF(1)),       \
     PAIR_OF((int)figure, FIGURE_OF(2)), PAIR_OF((int)figure, FIGURE_OF(3)),       \
     PAIR_OF((int)figure, FIGURE_OF(4)), PAIR_OF((int)figure, FIGURE_OF(5)),       \
     PAIR_OF((int)figure, FIGURE_OF(6)), PAIR_OF((int)figure, FIGURE_OF(7))},
    static const uint8_t OF[KIND_COUNT][KIND_CODES] = {SHAPE_KINDS(PAIRS_OF_KIND)};
    return OF[a][b];
}

/* The hits among n pairs of indices in `all` (each first << 32 | second), packed as in world.h:
 * writes them, and room for n of them is needed; returns how many. All pairs are of this pair of
 * figures, the lesser first, and near. */
FXS_INTERNAL uint32_t fxs_posed_hits(const posed *all, figure_pair of, const uint64_t *pairs,
                                     uint32_t n, int hit_when, uint64_t *hits);

/* Bounds of s, x, y, z: at least what the exact tests can see of it, and of a sector its wedge
 * alone. Below 2^32 in magnitude. */
FXS_INTERNAL void fxs_posed_bounds(const posed *s, int64_t least[3], int64_t most[3]);

/* Keeps, in any order, those of n ids that `area`, the query's shape, meets and the query does not
 * leave out: how many. They are near it, as above. */
FXS_INTERNAL uint64_t fxs_posed_met(const posed *area, const fxs_query *q, const posed *all,
                                    uint64_t *ids, uint64_t n, int hit_when);

/* fxs_shape_check and the pose's yaw. */
FXS_INTERNAL int32_t fxs_posed_check(const fxs_shape *shape, const fxs_pose *pose);

/* The same of two; and makes them, if they are good. */
FXS_INTERNAL int32_t fxs_pair_check(const fxs_shape *a, const fxs_pose *pose_a, const fxs_shape *b,
                                    const fxs_pose *pose_b);
FXS_INTERNAL int32_t fxs_pair_make(posed *out_a, posed *out_b, const fxs_shape *a,
                                   const fxs_pose *pose_a, const fxs_shape *b,
                                   const fxs_pose *pose_b);

/* floor(sqrt(n)). */
FXS_INTERNAL uint32_t fxs_isqrt64(uint64_t n);

#endif
