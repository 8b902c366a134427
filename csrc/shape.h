/* The table of shape kinds. A kind's row says how it is checked, its class how it is computed. */
#ifndef FIXSYNC_SHAPE_H
#define FIXSYNC_SHAPE_H

#include "compiler.h"
#include "fixsync.h"

/* Kinds that are tested alike have one class: spheres and capsules are round. Bodies can be pushed
 * and cast, areas cannot. EXTENT_OF_RADIUS: no part of it is further from the centre on x and z
 * than size[0]. EXTENT_OF_SIDES: it lies within the rectangle of size[0] and size[2]. Any other
 * extent than that of a radius turns with the yaw; its kinds have is_turned. */
#define BODY_CLASSES(CLASS)           \
    CLASS(ROUND, EXTENT_OF_RADIUS)    \
    CLASS(CYLINDER, EXTENT_OF_RADIUS) \
    CLASS(BOX, EXTENT_OF_SIDES)
#define AREA_CLASSES(CLASS) CLASS(SECTOR, EXTENT_OF_RADIUS)
#define SHAPE_CLASSES(CLASS) BODY_CLASSES(CLASS) AREA_CLASSES(CLASS)

/* Pairs of classes, the lesser one first. Those with an area stand apart: nothing is pushed. */
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
#define CLASS_PAIRS(PAIR) BODY_PAIRS(PAIR) AREA_PAIRS(PAIR)

/* One row for each kind, in the order of the codes:
 *
 *   the code, and the name in match logs;
 *   how many of size[0], size[1] and size[2] a match log always has;
 *   the class;
 *   traits:
 *     is_turned: its contact depends on the yaw;
 *     has_front: so does half a turn (a sector); a kind that is not turned has no front;
 *     has_sides: `side` names the side of it that a body is pushed out of;
 *     has_flat_ends: its top and bottom are flat, so that a character on its edge stands;
 *     has_hole: size[2] is a hole: 0, which a match log leaves out, or 1 .. size[0] - 1;
 *   for each size the name, least and most (unused, 0, 0 for a size that it does not have, and 0, 0
 *   for a hole), then least and most half_angle. A match log has the half_angle, where there is
 *   one, behind size[0].
 *
 * size[1] is always vertical; size[0], and size[2] where it is not a hole, lie in the ground plane.
 * A row without one of these does not compile. */
/* clang-format off */
#define SHAPE_KINDS(KIND)                                                                          \
    KIND(FXS_SPHERE, sphere, 1, ROUND,                                                             \
         TRAITS(.is_turned = 0, .has_front = 0, .has_sides = 0, .has_flat_ends = 0, .has_hole = 0),\
         RANGES(radius, 1, FXS_SIZE_MAX, unused, 0, 0, unused, 0, 0, 0, 0))                        \
    KIND(FXS_CAPSULE, capsule, 2, ROUND,                                                           \
         TRAITS(.is_turned = 0, .has_front = 0, .has_sides = 0, .has_flat_ends = 0, .has_hole = 0),\
         RANGES(radius, 1, FXS_SIZE_MAX, half_height, 0, FXS_SIZE_MAX, unused, 0, 0, 0, 0))        \
    KIND(FXS_CYLINDER, cylinder, 2, CYLINDER,                                                      \
         TRAITS(.is_turned = 0, .has_front = 0, .has_sides = 0, .has_flat_ends = 1, .has_hole = 0),\
         RANGES(radius, 1, FXS_SIZE_MAX, half_height, 1, FXS_SIZE_MAX, unused, 0, 0, 0, 0))        \
    KIND(FXS_BOX, box, 3, BOX,                                                                     \
         TRAITS(.is_turned = 1, .has_front = 0, .has_sides = 1, .has_flat_ends = 1, .has_hole = 0),\
         RANGES(half_x, 1, FXS_SIZE_MAX, half_y, 1, FXS_SIZE_MAX, half_z, 1, FXS_SIZE_MAX, 0, 0))  \
    KIND(FXS_SECTOR, sector, 2, SECTOR,                                                            \
         TRAITS(.is_turned = 1, .has_front = 1, .has_sides = 0, .has_flat_ends = 1, .has_hole = 1),\
         RANGES(radius, 1, FXS_SIZE_MAX, half_height, 1, FXS_SIZE_MAX, inner_radius, 0, 0,         \
                1, FXS_HALF_ANGLE_MAX))
/* clang-format on */

/* Kinds of the solids of a level, whose codes are numbered apart from those of shapes: the code,
 * the name in match logs, the least and the most number of vertices in the bytes of a level. */
#define SOLID_KINDS(SOLID)                                                 \
    SOLID(FXS_CYLINDER, cylinder, .vertices_least = 0, .vertices_most = 0) \
    SOLID(FXS_PRISM, prism, .vertices_least = 3, .vertices_most = FXS_VERTICES_MAX)

enum { EXTENT_OF_RADIUS, EXTENT_OF_SIDES, EXTENT_COUNT };
#define CLASS_NAME(name, extent) name,
typedef enum shape_class { SHAPE_CLASSES(CLASS_NAME) SHAPE_CLASS_COUNT } shape_class;

#define CLASS_BIT(name, extent) | 1 << name
enum { BODY_BITS = 0 BODY_CLASSES(CLASS_BIT) };

/* In a switch over bodies, the cases of the classes that never come there. */
#define CASE_OF_CLASS(name, extent) case name:
#define CASES_OF_NO_BODY AREA_CLASSES(CASE_OF_CLASS) case SHAPE_CLASS_COUNT

#define KIND_INDEX(code, name, sizes, shape_class, traits, ranges) INDEX_##name,
enum { SHAPE_KINDS(KIND_INDEX) KIND_COUNT };
#define KIND_IS_AT(code, name, sizes, shape_class, traits, ranges)                \
    _Static_assert(code == (int)INDEX_##name, "a kind's row stands at its code"); \
    _Static_assert(sizeof #name <= 11, "a kind's name has at most 10 letters");
SHAPE_KINDS(KIND_IS_AT)

/* A saved kind takes 3 bits. */
enum { KIND_CODES = 8 };
_Static_assert((int)KIND_COUNT <= (int)KIND_CODES, "a saved kind has too few bits");

/* Four bits for each code: its class. */
#define CLASS_BITS(code, name, sizes, shape_class, traits, ranges) | shape_class << 4 * code
enum { CLASSES_BY_CODE = 0 SHAPE_KINDS(CLASS_BITS) };
#define CLASS_OF(code) (CLASSES_BY_CODE >> 4 * (code) & 15)
static inline shape_class shape_class_of(uint32_t code) { return (shape_class)CLASS_OF(code); }

/* Bit i of a set is code i. */
#define ROUND_BIT(code, name, sizes, shape_class, traits, ranges) | (shape_class == ROUND) << code
#define SECTOR_BIT(code, name, sizes, shape_class, traits, ranges) | (shape_class == SECTOR) << code
#define TURNING_CLASS(name, extent) | ((extent) != EXTENT_OF_RADIUS) << name
enum { TURNING_CLASSES = 0 SHAPE_CLASSES(TURNING_CLASS) };
#define TURNING_BIT(code, name, sizes, shape_class, traits, ranges) \
    | (TURNING_CLASSES >> shape_class & 1) << code
enum {
    ROUND_KINDS = 0 SHAPE_KINDS(ROUND_BIT),
    SECTOR_KINDS = 0 SHAPE_KINDS(SECTOR_BIT),
    TURNING_KINDS = 0 SHAPE_KINDS(TURNING_BIT) /* whose extents turn */
};

/* How far a shape reaches on the ground, in its own frame: a rectangle, and a radius about it. All
 * that asks for the extents of a kind asks here. */
typedef struct ground_reach {
    int64_t radius, half_x, half_z;
} ground_reach;

_Static_assert((int)EXTENT_COUNT == 2, "reach_of knows every extent");
static inline ground_reach reach_of(uint32_t code, const int32_t size[3]) {
    const ground_reach of_radius = {size[0], 0, 0};
    const ground_reach of_sides = {0, size[0], size[2]};
    return TURNING_KINDS >> code & 1 ? of_sides : of_radius;
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
    uint8_t is_body : 1; /* by its class */
    uint8_t is_turned : 1, has_front : 1, has_sides : 1, has_flat_ends : 1, has_hole : 1;
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
