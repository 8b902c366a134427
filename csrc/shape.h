/* The table of shape kinds. A kind's row says how it is checked, its class how it is computed. */
#ifndef FIXSYNC_SHAPE_H
#define FIXSYNC_SHAPE_H

#include "compiler.h"
#include "fixsync.h"
#include "planar.h"

/* Kinds that are tested alike have one class: spheres and capsules are round, and every upright
 * prism whose corners are those of a convex polygon is a POLYGON, but for boxes. Bodies can be
 * pushed and cast, areas cannot. As seen from above, a class IS_DISC of radius size[0] or IS_WEDGE
 * of one, or HAS_CORNERS. All but a disc turn with the yaw; so do the extents of corners. */
#define BODIES_BUT_POLYGONS(CLASS) \
    CLASS(ROUND, IS_DISC)          \
    CLASS(CYLINDER, IS_DISC)       \
    CLASS(BOX, HAS_CORNERS)
#define POLYGONS(CLASS) CLASS(POLYGON, HAS_CORNERS)
#define BODY_CLASSES(CLASS) BODIES_BUT_POLYGONS(CLASS) POLYGONS(CLASS)
#define AREA_CLASSES(CLASS) CLASS(SECTOR, IS_WEDGE)
#define SHAPE_CLASSES(CLASS) BODIES_BUT_POLYGONS(CLASS) AREA_CLASSES(CLASS) POLYGONS(CLASS)

/* Traits of each class:
 *   has_sides: `side` names the side of it that a body is pushed out of;
 *   has_flat_ends: its top and bottom are flat, so that a character on its edge stands;
 *   has_hole: size[2] is a hole: 0, which a match log leaves out, or 1 .. size[0] - 1. */
#define ROUND_TRAITS TRAITS(.has_sides = 0, .has_flat_ends = 0, .has_hole = 0)
#define CYLINDER_TRAITS TRAITS(.has_sides = 0, .has_flat_ends = 1, .has_hole = 0)
#define BOX_TRAITS TRAITS(.has_sides = 1, .has_flat_ends = 1, .has_hole = 0)
#define SECTOR_TRAITS TRAITS(.has_sides = 0, .has_flat_ends = 1, .has_hole = 1)
#define POLYGON_TRAITS TRAITS(.has_sides = 0, .has_flat_ends = 1, .has_hole = 0)

/* Pairs of classes, the lesser one first. Those with an area stand apart: nothing is pushed. All
 * that have a POLYGON are one pair: its corners decide. */
#define BODY_PAIRS(PAIR)     \
    PAIR(ROUND, ROUND)       \
    PAIR(ROUND, CYLINDER)    \
    PAIR(CYLINDER, CYLINDER) \
    PAIR(ROUND, BOX)         \
    PAIR(CYLINDER, BOX)      \
    PAIR(BOX, BOX)
#define AREA_PAIRS(PAIR)   \
    PAIR(ROUND, SECTOR)    \
    PAIR(CYLINDER, SECTOR) \
    PAIR(BOX, SECTOR)      \
    PAIR(SECTOR, SECTOR)
#define CLASS_PAIRS(PAIR) BODY_PAIRS(PAIR) AREA_PAIRS(PAIR) PAIR(ANY, POLYGON)

/* The corners of a shape with yaw 0, from its centre: of a strictly convex polygon,
 * counterclockwise, which it still is when each corner has been turned and rounded to raw units.
 * Each of a POLYGON is less than FXS_SIZE_MAX + 1 from the centre. */
static inline void no_corners(const int32_t size[3], planar *corner) { (void)size, (void)corner; }
static inline void box_corners(const int32_t size[3], planar *corner) {
    for (int i = 0; i < 4; i++) {
        corner[i].x = i == 0 || i == 3 ? size[0] : -size[0];
        corner[i].z = i < 2 ? size[2] : -size[2];
    }
}

/* One row for each kind, in the order of the codes:
 *
 *   the code, and the name in match logs;
 *   how many of size[0], size[1] and size[2] a match log always has;
 *   the class;
 *   NO_CORNERS, or CORNERS(n, function): how many there are, and the function above of them;
 *   has_front: whether half a turn makes it another shape (a sector); a disc has no front. No kind
 *   may change with z -> -z, or a mirrored one would need another outline;
 *   for each size the name, least and most (unused, 0, 0 for a size that it does not have, and 0, 0
 *   for a hole), then least and most half_angle. A match log has the half_angle, where there is
 *   one, behind size[0].
 *
 * size[1] is always vertical; size[0], and size[2] where it is not a hole, lie in the ground plane.
 * A row without one of these does not compile. */
/* clang-format off */
#define SHAPE_KINDS(KIND)                                                                          \
    KIND(FXS_SPHERE, sphere, 1, ROUND, NO_CORNERS, .has_front = 0,                                 \
         RANGES(radius, 1, FXS_SIZE_MAX, unused, 0, 0, unused, 0, 0, 0, 0))                        \
    KIND(FXS_CAPSULE, capsule, 2, ROUND, NO_CORNERS, .has_front = 0,                               \
         RANGES(radius, 1, FXS_SIZE_MAX, half_height, 0, FXS_SIZE_MAX, unused, 0, 0, 0, 0))        \
    KIND(FXS_CYLINDER, cylinder, 2, CYLINDER, NO_CORNERS, .has_front = 0,                          \
         RANGES(radius, 1, FXS_SIZE_MAX, half_height, 1, FXS_SIZE_MAX, unused, 0, 0, 0, 0))        \
    KIND(FXS_BOX, box, 3, BOX, CORNERS(4, box_corners), .has_front = 0,                            \
         RANGES(half_x, 1, FXS_SIZE_MAX, half_y, 1, FXS_SIZE_MAX, half_z, 1, FXS_SIZE_MAX, 0, 0))  \
    KIND(FXS_SECTOR, sector, 2, SECTOR, NO_CORNERS, .has_front = 1,                                \
         RANGES(radius, 1, FXS_SIZE_MAX, half_height, 1, FXS_SIZE_MAX, inner_radius, 0, 0,         \
                1, FXS_HALF_ANGLE_MAX))
/* clang-format on */

/* Kinds of the solids of a level, whose codes are numbered apart from those of shapes: the code,
 * the name in match logs, the least and the most number of vertices in the bytes of a level. */
#define SOLID_KINDS(SOLID)                                                 \
    SOLID(FXS_CYLINDER, cylinder, .vertices_least = 0, .vertices_most = 0) \
    SOLID(FXS_PRISM, prism, .vertices_least = 3, .vertices_most = FXS_VERTICES_MAX)

enum { IS_DISC, IS_WEDGE, HAS_CORNERS };
#define CLASS_NAME(name, outline) name,
typedef enum shape_class { SHAPE_CLASSES(CLASS_NAME) SHAPE_CLASS_COUNT } shape_class;

/* Bit i of a set of classes is class i. */
#define CLASS_BIT(name, outline) | 1 << name
#define TURNED_BIT(name, outline) | ((outline) != IS_DISC) << name
#define CORNERED_BIT(name, outline) | ((outline) == HAS_CORNERS) << name
enum {
    ANY = POLYGON,
    BODY_BITS = 0 BODY_CLASSES(CLASS_BIT),
    TURNED_CLASSES = 0 SHAPE_CLASSES(TURNED_BIT),
    CORNERED_CLASSES = 0 SHAPE_CLASSES(CORNERED_BIT)
};

/* In a switch over bodies, the cases of the classes that never come there. */
#define CASE_OF_CLASS(name, outline) case name:
#define CASES_OF_NO_BODY AREA_CLASSES(CASE_OF_CLASS) case SHAPE_CLASS_COUNT

#define KIND_INDEX(code, name, sizes, shape_class, corners, front, ranges) INDEX_##name,
enum { SHAPE_KINDS(KIND_INDEX) KIND_COUNT };
#define KIND_IS_AT(code, name, sizes, shape_class, corners, front, ranges)        \
    _Static_assert(code == (int)INDEX_##name, "a kind's row stands at its code"); \
    _Static_assert(sizeof #name <= 11, "a kind's name has at most 10 letters");
SHAPE_KINDS(KIND_IS_AT)

/* A saved kind takes 3 bits. */
enum { KIND_CODES = 8 };
_Static_assert((int)KIND_COUNT <= (int)KIND_CODES, "a saved kind has too few bits");

/* Four bits for each code: its class. */
#define CLASS_BITS(code, name, sizes, shape_class, corners, front, ranges) | shape_class << 4 * code
enum { CLASSES_BY_CODE = 0 SHAPE_KINDS(CLASS_BITS) };
#define CLASS_OF(code) (CLASSES_BY_CODE >> 4 * (code) & 15)
static inline shape_class shape_class_of(uint32_t code) { return (shape_class)CLASS_OF(code); }

/* Bit i of a set is code i. */
#define ROUND_BIT(code, name, sizes, shape_class, corners, front, ranges) \
    | (shape_class == ROUND) << code
#define SECTOR_BIT(code, name, sizes, shape_class, corners, front, ranges) \
    | (shape_class == SECTOR) << code
#define POLYGON_BIT(code, name, sizes, shape_class, corners, front, ranges) \
    | (shape_class == POLYGON) << code
#define CORNERED_KIND(code, name, sizes, shape_class, corners, front, ranges) \
    | (CORNERED_CLASSES >> shape_class & 1) << code
enum {
    ROUND_KINDS = 0 SHAPE_KINDS(ROUND_BIT),
    SECTOR_KINDS = 0 SHAPE_KINDS(SECTOR_BIT),
    POLYGON_KINDS = 0 SHAPE_KINDS(POLYGON_BIT), /* without one, their code is left out */
    CORNERED_KINDS = 0 SHAPE_KINDS(CORNERED_KIND)
};

#define NO_CORNERS CORNERS(0, no_corners)
#define CORNERS(n, write) (n)
#define CORNERS_ARE_COUNTED(code, name, sizes, shape_class, corners, front, ranges) \
    _Static_assert((corners >= 3) == (CORNERED_CLASSES >> shape_class & 1),         \
                   "a kind has corners, 3 or more, if its class has");              \
    _Static_assert(corners <= FXS_VERTICES_MAX, "a kind has FXS_VERTICES_MAX corners at most");
SHAPE_KINDS(CORNERS_ARE_COUNTED)
#undef CORNERS

/* Writes the corners of a shape with yaw 0. Returns their number, 0 of a disc or a wedge. */
#define CORNERS(n, write)    \
    {                        \
        write(size, corner); \
        return n;            \
    }
#define CASE_OF_CORNERS(code, name, sizes, shape_class, corners, front, ranges) \
    case code: corners
static inline uint32_t corners_of(uint32_t code, const int32_t size[3],
                                  planar corner[FXS_VERTICES_MAX]) {
    switch (code) { SHAPE_KINDS(CASE_OF_CORNERS) }
    return 0;
}

/* How far a shape reaches on the ground, in its own frame: a rectangle, and a radius about it. All
 * that asks for the extents of a kind asks here. */
typedef struct ground_reach {
    int64_t radius, half_x, half_z;
} ground_reach;

static inline ground_reach reach_of(uint32_t code, const int32_t size[3]) {
    const ground_reach of_radius = {size[0], 0, 0};
    ground_reach reach = {0, size[0], size[2]}; /* of a box */
    if (POLYGON_KINDS >> code & 1) {
        planar corner[FXS_VERTICES_MAX];
        const uint32_t n = corners_of(code, size, corner);
        reach.half_x = reach.half_z = 0;
        for (uint32_t i = 0; i < n; i++) {
            reach.half_x = max64(reach.half_x, abs64(corner[i].x));
            reach.half_z = max64(reach.half_z, abs64(corner[i].z));
        }
    }
    return CORNERED_KINDS >> code & 1 ? reach : of_radius;
}

/* Two numbers of 32 bits side by side, to be tested at once. */
#define TWO_WORDS(lower, upper) ((uint64_t)(lower) | (uint64_t)(upper) << 32)

/* 0 if both numbers of v are at least those of `least` and at most those of `most` (below
 * 2^31). Else the top bit of each that is not, and maybe of the upper one: only a lower number that
 * is out of range borrows from it. */
static inline uint64_t outside(uint64_t v, uint64_t least, uint64_t most) {
    return ((v - least) | (most - v)) & TWO_WORDS(1u << 31, 1u << 31);
}

/* A kind. `least` and `most` hold the ranges of a short offset on y and z (below), then those of
 * size[0] and size[1]; the other two those of size[2] and half_angle. */
struct kind {
    uint64_t least[2], most[2], rest_least, rest_most;
    uint8_t is_body : 1, is_turned : 1; /* by its class */
    uint8_t has_front : 1, has_sides : 1, has_flat_ends : 1, has_hole : 1;
    uint8_t size_count;
    char name[11];
}; /* 64 bytes */
enum { OF_SIZES = 1 };

/* By code, of all codes that a saved kind can have. No half_angle is in range of one that is not a
 * kind's. */
enum { KIND_ROWS = (int)KIND_COUNT + (int)KIND_CODES };
FXS_INTERNAL_TABLE const struct kind fxs_kinds[KIND_ROWS];

static inline int can_push(uint32_t code) { return fxs_kinds[code].is_body; }
static inline int can_cast(uint32_t code) { return fxs_kinds[code].is_body; }

/* A kind of solid. */
struct solid_kind {
    uint8_t code, vertices_least, vertices_most;
    char name[13];
};

/* That of a code, or NULL. */
FXS_INTERNAL const struct solid_kind *fxs_solid_kind(uint32_t code);

/* Where no part of position and offset is further from 0, the centre is in range for every yaw. */
#define SHORT (1 << 29)
#define SHORT_LEAST TWO_WORDS((uint32_t)-SHORT, (uint32_t)-SHORT)
#define SHORT_MOST TWO_WORDS(SHORT, SHORT)

/* FXS_OK, FXS_E_KIND, FXS_E_SIZE or FXS_E_HALF_ANGLE. */
static inline int32_t shape_status(uint32_t code, uint32_t half_angle, const int32_t size[3]) {
    if (code >= KIND_COUNT) {
        return FXS_E_KIND;
    }
    const struct kind *k = fxs_kinds + code;
    uint64_t sizes = outside(TWO_WORDS((uint32_t)size[0], (uint32_t)size[1]), k->least[OF_SIZES],
                             k->most[OF_SIZES]);
    int is_hole = k->has_hole && size[2] > 0 && size[2] < size[0];
    uint32_t last = is_hole ? 0 : (uint32_t)size[2];
    uint64_t rest = outside(TWO_WORDS(last, half_angle), k->rest_least, k->rest_most);
    if (sizes | (uint32_t)rest) {
        return FXS_E_SIZE;
    }
    return rest ? FXS_E_HALF_ANGLE : FXS_OK;
}

/* 0 only if shape_status is FXS_OK, and for every such shape but one with a hole; code <
 * KIND_ROWS. */
static inline uint64_t shape_faults(uint32_t code, uint32_t half_angle, const int32_t size[3]) {
    const struct kind *k = fxs_kinds + code;
    return outside(TWO_WORDS((uint32_t)size[0], (uint32_t)size[1]), k->least[OF_SIZES],
                   k->most[OF_SIZES]) |
           outside(TWO_WORDS((uint32_t)size[2], half_angle), k->rest_least, k->rest_most);
}

#endif
