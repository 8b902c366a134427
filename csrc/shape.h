/* The table of shape kinds. What the kernel checks about a kind comes from its row. */
#ifndef FIXSYNC_SHAPE_H
#define FIXSYNC_SHAPE_H

#include "fixsync.h"

/* One row for each kind, in the order of the codes:
 *
 *   the code, and the name in match logs;
 *   for size[0], size[1] and size[2]: name, least, most (unused, 0, 0 for a size it does not have);
 *   least and most half_angle;
 *   whether it can be pushed out of another shape (push_out, lift, side), and be cast.
 *
 * An inner_radius above 0 is not in its range here: shape_status compares it with the radius. */
#define SHAPE_KINDS(KIND)                                                                          \
    KIND(FXS_SPHERE, sphere, radius, 1, FXS_SIZE_MAX, unused, 0, 0, unused, 0, 0, 0, 0, 1, 1)      \
    KIND(FXS_CAPSULE, capsule, radius, 1, FXS_SIZE_MAX, half_height, 0, FXS_SIZE_MAX, unused, 0,   \
         0, 0, 0, 1, 1)                                                                            \
    KIND(FXS_CYLINDER, cylinder, radius, 1, FXS_SIZE_MAX, half_height, 1, FXS_SIZE_MAX, unused, 0, \
         0, 0, 0, 1, 1)                                                                            \
    KIND(FXS_BOX, box, half_x, 1, FXS_SIZE_MAX, half_y, 1, FXS_SIZE_MAX, half_z, 1, FXS_SIZE_MAX,  \
         0, 0, 1, 1)                                                                               \
    KIND(FXS_SECTOR, sector, radius, 1, FXS_SIZE_MAX, half_height, 1, FXS_SIZE_MAX,             \
         inner_radius, 0, 0, 1, FXS_HALF_ANGLE_MAX, 0, 0)

#define KIND_ONE(...) +1
enum { KIND_COUNT = 0 SHAPE_KINDS(KIND_ONE) };

/* Bit i of a set is kind i. */
#define KIND_PUSH(kind, name, n0, l0, m0, n1, l1, m1, n2, l2, m2, la, ma, push, cast) \
    | (push##u << kind)
#define KIND_CAST(kind, name, n0, l0, m0, n1, l1, m1, n2, l2, m2, la, ma, push, cast) \
    | (cast##u << kind)
static inline int can_push(uint32_t kind) { return (int)((0u SHAPE_KINDS(KIND_PUSH)) >> kind & 1); }
static inline int can_cast(uint32_t kind) { return (int)((0u SHAPE_KINDS(KIND_CAST)) >> kind & 1); }

/* Two numbers of 32 bits side by side, to be tested at once. */
#define PAIR(lower, upper) ((uint64_t)(lower) | (uint64_t)(upper) << 32)

/* 0 if both numbers of a pair are at least those of `least` and at most those of `most` (below
 * 2^31). Else the top bit of each that is not, and maybe of the upper one: only a lower number that
 * is out of range borrows from it. */
static inline uint64_t outside(uint64_t v, uint64_t least, uint64_t most) {
    return ((v - least) | (most - v)) & PAIR(1u << 31, 1u << 31);
}

/* The ranges of a kind. `least` and `most` hold those of a short offset on y and z (below), then
 * those of size[0] and size[1]; the other two those of size[2] and half_angle. */
typedef struct fit {
    uint64_t least[2], most[2], rest_least, rest_most, unused[2];
} fit; /* 64 bytes */
enum { OF_SIZES = 1 };

/* Where no part of position and offset is further from 0, the centre is in range for every yaw. */
#define SHORT (1 << 29)
#define SHORT_LEAST PAIR((uint32_t)-SHORT, (uint32_t)-SHORT)
#define SHORT_MOST PAIR(SHORT, SHORT)

/* A code without a kind: no half_angle is in its range. */
#define NO_KIND {{SHORT_LEAST, 1}, {SHORT_MOST, 0}, 1, 0, {0, 0}}
#define KIND_FIT(kind, name, n0, l0, m0, n1, l1, m1, n2, l2, m2, la, ma, push, cast) \
    {{SHORT_LEAST, PAIR(l0, l1)}, {SHORT_MOST, PAIR(m0, m1)}, PAIR(l2, la), PAIR(m2, ma), {0, 0}},

enum { FIT_ROWS = 8 }; /* three bits of a saved kind */
static const fit FIT[FIT_ROWS] = {SHAPE_KINDS(KIND_FIT) NO_KIND, NO_KIND, NO_KIND};
_Static_assert(KIND_COUNT + 3 == FIT_ROWS, "a row for each of the codes that three bits hold");

/* FXS_OK, FXS_E_KIND, FXS_E_SIZE or FXS_E_HALF_ANGLE. */
static inline int32_t shape_status(uint32_t kind, uint32_t half_angle, const int32_t size[3]) {
    if (kind >= KIND_COUNT) {
        return FXS_E_KIND;
    }
    const fit *f = FIT + kind;
    uint64_t sizes =
        outside(PAIR((uint32_t)size[0], (uint32_t)size[1]), f->least[OF_SIZES], f->most[OF_SIZES]);
    int is_hole = kind == FXS_SECTOR && size[2] > 0 && size[2] < size[0];
    uint32_t last = is_hole ? 0 : (uint32_t)size[2];
    uint64_t rest = outside(PAIR(last, half_angle), f->rest_least, f->rest_most);
    return sizes | (uint32_t)rest ? FXS_E_SIZE : rest ? FXS_E_HALF_ANGLE : FXS_OK;
}

/* 0 only if shape_status is FXS_OK, and for every such shape but a sector with a hole;
 * kind < FIT_ROWS. */
static inline uint64_t shape_faults(uint32_t kind, uint32_t half_angle, const int32_t size[3]) {
    const fit *f = FIT + kind;
    return outside(PAIR((uint32_t)size[0], (uint32_t)size[1]), f->least[OF_SIZES],
                   f->most[OF_SIZES]) |
           outside(PAIR((uint32_t)size[2], half_angle), f->rest_least, f->rest_most);
}

#endif
